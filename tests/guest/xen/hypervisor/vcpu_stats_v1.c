/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * First form of the table: an array of counters, nothing else. The frame is
 * reached through the hypervisor's map of all memory or, where that doesn't
 * reach, through a global mapping.
 */
#include <xen/domain_page.h>
#include <xen/mm.h>
#include <xen/sched.h>
#include <xen/vcpu_stats.h>

struct vcpu_stats {
    uint64_t runstate_running_time;
};

struct shared_vcpustatspage {
    struct vcpu_stats vcpu_info[PAGE_SIZE / sizeof(struct vcpu_stats)];
};

static int make_table(struct domain *d)
{
    struct page_info *pg = alloc_domheap_page(d, MEMF_no_refcount);
    void *va;

    if ( !pg )
        return -ENOMEM;
    if ( !get_page_and_type(pg, d, PGT_writable_page) )
        /* Somebody meddles with a frame that nobody can know: leak it. */
        return -ENODATA;
    va = __map_domain_page_global(pg);
    if ( !va )
    {
        put_page_alloc_ref(pg);
        put_page_and_type(pg);
        return -ENOMEM;
    }
    clear_page(va);
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
    struct shared_vcpustatspage *table = v->domain->vcpustats_page.va;

    if ( table && v->vcpu_id < ARRAY_SIZE(table->vcpu_info) )
        table->vcpu_info[v->vcpu_id].runstate_running_time =
            v->runstate.time[RUNSTATE_running];
}

void vcpu_stats_free(struct domain *d)
{
    struct page_info *pg = d->vcpustats_page.pg;
    void *va = d->vcpustats_page.va;

    if ( !pg )
        return;
    d->vcpustats_page.va = NULL;
    d->vcpustats_page.pg = NULL;
    unmap_domain_page_global(va);
    put_page_alloc_ref(pg);
    put_page_and_type(pg);
}
