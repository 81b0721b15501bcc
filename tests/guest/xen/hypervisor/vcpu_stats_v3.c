/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Third form of the table: it describes itself, each record has a sequence
 * number, odd while the record is written, and a counter whose top bit says
 * that it was never counted. The frame is reached through vmap, so that only
 * the page tables lead to it.
 */
#include <xen/cache.h>
#include <xen/mm.h>
#include <xen/sched.h>
#include <xen/time.h>
#include <xen/vcpu_stats.h>
#include <xen/vmap.h>

#define VCPU_STATS_MAGIC    0xaabbccdd
#define VCPU_STATS_INACTIVE (1ULL << 63)

struct vcpu_stats {
    uint32_t seq;
    uint32_t pad0;
    uint64_t runstate_running_time;
};

struct vcpu_shmem_stats {
    uint32_t magic;
    uint32_t offset;
    uint32_t size;
    uint32_t stride;
};

/* The record of a vCPU, or NULL if the frame has no room for it. */
static struct vcpu_stats *record(struct vcpu_shmem_stats *table, unsigned int id)
{
    unsigned int at = table->offset + table->stride * id;

    return at + sizeof(struct vcpu_stats) > PAGE_SIZE ? NULL
                                                      : (void *)table + at;
}

static void fill_table(struct vcpu_shmem_stats *table, const struct domain *d)
{
    const struct vcpu *v;

    clear_page(table);
    table->magic = VCPU_STATS_MAGIC;
    table->offset = ROUNDUP(sizeof(*table), SMP_CACHE_BYTES);
    table->size = sizeof(struct vcpu_stats);
    table->stride = ROUNDUP(sizeof(struct vcpu_stats), SMP_CACHE_BYTES);
    for_each_vcpu ( d, v )
    {
        struct vcpu_stats *stats = record(table, v->vcpu_id);

        if ( stats )
            stats->runstate_running_time = VCPU_STATS_INACTIVE;
    }
}

static int make_table(struct domain *d)
{
    struct page_info *pg = alloc_domheap_page(d, MEMF_no_refcount);
    mfn_t mfn;
    void *va;

    if ( !pg )
        return -ENOMEM;
    if ( !get_page_and_type(pg, d, PGT_writable_page) )
        /* Somebody meddles with a frame that nobody can know: leak it. */
        return -ENODATA;
    mfn = page_to_mfn(pg);
    va = vmap(&mfn, 1);
    if ( !va )
    {
        put_page_alloc_ref(pg);
        put_page_and_type(pg);
        return -ENOMEM;
    }
    fill_table(va, d);
    d->vcpustats_page.pg = pg;
    smp_wmb();
    d->vcpustats_page.va = va;
    return 0;
}

int vcpu_stats_acquire(struct domain *d, unsigned int id, unsigned int frame,
                       unsigned int nr_frames, xen_pfn_t mfn_list[])
{
    int rc = 0;

    if ( id || frame || nr_frames != 1 )
        return -EINVAL;
    domain_lock(d);
    if ( d->is_dying )
        rc = -EINVAL;
    else if ( !d->vcpustats_page.pg )
        rc = make_table(d);
    if ( !rc )
        mfn_list[0] = mfn_x(page_to_mfn(d->vcpustats_page.pg));
    domain_unlock(d);
    return rc ?: 1;
}

void vcpu_stats_update(const struct vcpu *v)
{
    struct vcpu_shmem_stats *table = v->domain->vcpustats_page.va;
    struct vcpu_stats *stats = table ? record(table, v->vcpu_id) : NULL;

    if ( !stats )
        return;
    stats->seq = version_update_begin(stats->seq);
    smp_wmb();
    stats->runstate_running_time = v->runstate.time[RUNSTATE_running];
    smp_wmb();
    stats->seq = version_update_end(stats->seq);
}

void vcpu_stats_free(struct domain *d)
{
    struct page_info *pg = d->vcpustats_page.pg;
    void *va = d->vcpustats_page.va;

    if ( !pg )
        return;
    d->vcpustats_page.va = NULL;
    d->vcpustats_page.pg = NULL;
    vunmap(va);
    put_page_alloc_ref(pg);
    put_page_and_type(pg);
}
