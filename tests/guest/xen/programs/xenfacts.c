/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs in dom0 and says what the hypervisor answers about its domains, in the
 * form of the toolkit's truth block. It shares no code with rbstats.
 *
 *	xenfacts tell none|v1|v3		all domains, their vCPUs, their tables
 *	xenfacts table DOMID			make the domain's stats_table, say nothing
 *	xenfacts guest DOMID OFFSETS RUNSTATE CPUS
 *						a PV Linux's own xen_runstate; OFFSETS is the
 *						address of __per_cpu_offset, RUNSTATE the
 *						symbol's value, both hexadecimal
 *	xenfacts hold DOMID ADDRESS		keep a page of a PV domain mapped for good, so
 *						that the domain can't go when it is destroyed
 */
#define XC_WANT_COMPAT_MAP_FOREIGN_API
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xenctrl.h>
#include <xenforeignmemory.h>

#define DOMAINS_MAX	16
#define PAGE_BYTES	4096
/* Not in mainline's public/memory.h. */
#define STATS_TABLE	3

static void die(const char *what)
{
	printf("xenfacts: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void tell_vcpu(xc_interface *xc, unsigned int domid, unsigned int vcpu)
{
	xc_vcpuinfo_t info;

	printf("[xen/domains/%u/vcpus/%u]\n", domid, vcpu);
	if (xc_vcpu_getinfo(xc, domid, vcpu, &info)) {
		printf("error=%s\n", strerror(errno));
		return;
	}
	printf("online=%u\nblocked=%u\nrunning=%u\ncpu=%u\ncpu_time=%" PRIu64 "\n",
	       info.online, info.blocked, info.running, info.cpu, info.cpu_time);
}

/* v1: counters of 8 bytes from the start. */
static void tell_table_v1(unsigned int domid, unsigned int vcpus, const volatile uint64_t *table)
{
	for (unsigned int i = 0; i < vcpus && i < PAGE_BYTES / 8; i++)
		printf("[xen/domains/%u/table/vcpus/%u]\nrunning_time=%" PRIu64 "\n",
		       domid, i, table[i]);
}

/* v3: magic, offset, size, stride; records of a sequence number and a counter. */
static void tell_table_v3(unsigned int domid, unsigned int vcpus, const volatile void *page)
{
	const volatile uint32_t *head = page;

	printf("magic=%#x\noffset=%u\nrecord_size=%u\nstride=%u\n",
	       head[0], head[1], head[2], head[3]);
	for (unsigned int i = 0; i < vcpus; i++) {
		size_t at = head[1] + (size_t)head[3] * i;
		const volatile uint32_t *seq;
		uint64_t counter;

		if (at + 16 > PAGE_BYTES)
			break;
		seq = (const volatile uint32_t *)((const volatile char *)page + at);
		counter = ((const volatile uint64_t *)seq)[1];
		printf("[xen/domains/%u/table/vcpus/%u]\nseq=%u\ninactive=%u\nrunning_time=%" PRIu64 "\n",
		       domid, i, seq[0], (unsigned int)(counter >> 63), counter & ~(UINT64_C(1) << 63));
	}
}

/* The mapping, or NULL with errno. It lasts as long as the process. */
static void *map_table(xenforeignmemory_handle *memory, unsigned int domid, size_t *size)
{
	void *page = NULL;

	*size = 0;
	if (xenforeignmemory_resource_size(memory, domid, STATS_TABLE, 0, size))
		return NULL;
	/* A hypervisor without the table may answer with an absurd size. */
	if (*size != PAGE_BYTES) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (!xenforeignmemory_map_resource(memory, domid, STATS_TABLE, 0, 0, 1, &page,
					   PROT_READ, 0))
		return NULL;
	return page;
}

static void tell_table(xenforeignmemory_handle *memory, unsigned int domid, unsigned int vcpus,
		       const char *form)
{
	size_t size;
	void *page = map_table(memory, domid, &size);
	int error = errno;

	printf("[xen/domains/%u/table]\nresource_size=%zu\n", domid, size);
	if (!page)
		printf("error=%s\n", strerror(error));
	else if (!strcmp(form, "v1"))
		tell_table_v1(domid, vcpus, page);
	else if (!strcmp(form, "v3"))
		tell_table_v3(domid, vcpus, page);
	else
		printf("error=a table in a hypervisor that should have none\n");
}

static void tell(xc_interface *xc, xenforeignmemory_handle *memory, const char *form)
{
	xc_domaininfo_t list[DOMAINS_MAX];
	int count = xc_domain_getinfolist(xc, 0, DOMAINS_MAX, list);

	if (count < 0)
		die("domains");
	for (int i = 0; i < count; i++) {
		const xc_domaininfo_t *info = &list[i];
		unsigned int domid = info->domain, flags = info->flags;

		printf("[xen/domains/%u]\n", domid);
		printf("dying=%d\nshutdown=%d\npaused=%d\nblocked=%d\nrunning=%d\n",
		       !!(flags & XEN_DOMINF_dying), !!(flags & XEN_DOMINF_shutdown),
		       !!(flags & XEN_DOMINF_paused), !!(flags & XEN_DOMINF_blocked),
		       !!(flags & XEN_DOMINF_running));
		if (flags & XEN_DOMINF_shutdown)
			printf("shutdown_reason=%u\n",
			       flags >> XEN_DOMINF_shutdownshift & XEN_DOMINF_shutdownmask);
		printf("vcpus_online=%u\nmax_vcpu_id=%u\ncpu_time=%" PRIu64 "\npages=%" PRIu64
		       "\nshared_info_frame=%#" PRIx64 "\n", info->nr_online_vcpus,
		       info->max_vcpu_id, (uint64_t)info->cpu_time, (uint64_t)info->tot_pages,
		       (uint64_t)info->shared_info_frame);
		for (unsigned int vcpu = 0; vcpu <= info->max_vcpu_id; vcpu++)
			tell_vcpu(xc, domid, vcpu);
		tell_table(memory, domid, info->max_vcpu_id + 1, form);
	}
}

static void *map_guest(xc_interface *xc, unsigned int domid, uint64_t address)
{
	unsigned long frame = xc_translate_foreign_address(xc, domid, 0, address);

	return frame ? xc_map_foreign_range(xc, domid, PAGE_BYTES, PROT_READ, frame) : NULL;
}

/* One that doesn't cross a page boundary, or does: byte by byte is fast enough. */
static bool read_guest(xc_interface *xc, unsigned int domid, uint64_t address, void *buffer,
		       size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char *page = map_guest(xc, domid, address + i);

		if (!page)
			return false;
		((char *)buffer)[i] = page[(address + i) % PAGE_BYTES];
		munmap(page, PAGE_BYTES);
	}
	return true;
}

/* struct vcpu_runstate_info of Xen's public/vcpu.h, as a 64-bit guest sees it. */
struct runstate {
	int32_t state;
	uint32_t pad;
	uint64_t entry_time;
	uint64_t time[4];
};

static void tell_guest(xc_interface *xc, unsigned int domid, uint64_t offsets, uint64_t symbol,
		       unsigned int cpus)
{
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		struct runstate copy;
		uint64_t offset;

		printf("[xen/domains/%u/guest/vcpus/%u]\n", domid, cpu);
		if (!read_guest(xc, domid, offsets + 8 * cpu, &offset, sizeof(offset)) ||
		    !read_guest(xc, domid, offset + symbol, &copy, sizeof(copy))) {
			printf("error=%s\n", strerror(errno));
			continue;
		}
		printf("address=%#" PRIx64 "\nstate=%d\nstate_entry_time=%" PRIu64
		       "\ntime_running=%" PRIu64 "\ntime_runnable=%" PRIu64 "\ntime_blocked=%"
		       PRIu64 "\ntime_offline=%" PRIu64 "\n", offset + symbol, copy.state,
		       copy.entry_time, copy.time[0], copy.time[1], copy.time[2], copy.time[3]);
	}
}

int main(int argc, char **argv)
{
	xc_interface *xc = xc_interface_open(NULL, NULL, 0);
	xenforeignmemory_handle *memory = xenforeignmemory_open(NULL, 0);
	unsigned int domid = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	size_t size;

	if (!xc || !memory)
		die("no hypervisor");
	if (argc == 3 && !strcmp(argv[1], "tell")) {
		tell(xc, memory, argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "table")) {
		if (!map_table(memory, domid, &size))
			die("stats_table");
	} else if (argc == 6 && !strcmp(argv[1], "guest")) {
		tell_guest(xc, domid, strtoull(argv[3], NULL, 16), strtoull(argv[4], NULL, 16),
			   strtoul(argv[5], NULL, 0));
	} else if (argc == 4 && !strcmp(argv[1], "hold")) {
		if (!map_guest(xc, domid, strtoull(argv[3], NULL, 16)))
			die("hold");
		puts("holding");
		fflush(stdout);
		pause();
	} else {
		puts("xenfacts: see its source");
		return 1;
	}
	return 0;
}
