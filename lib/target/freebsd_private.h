/* SPDX-License-Identifier: GPL-3.0-or-later */
/* freebsd_private - what the files of the FreeBSD target share; nobody else includes it. */
#ifndef RBS_FREEBSD_PRIVATE_H
#define RBS_FREEBSD_PRIVATE_H

#include "lib/target/freebsd.h"
#include "lib/target/x86_walk.h"

#define FREEBSD_CACHE_SLOTS 1024
#define FREEBSD_CACHE_PAGE UINT64_C(4096)
#define FREEBSD_CACHE_BYPASS 65536 /* bytes of one read */
/* Of the bitmap: 32 TiB of memory in pages of 4 KiB. */
#define FREEBSD_BITMAP_LIMIT (UINT64_C(1) << 30)
#define FREEBSD_RANGE_LIMIT 65536

/* The bytes of a dump; offsets count from its start, which on a dump device is not the file's. */
struct freebsd_file {
	int fd; /* owned */
	uint64_t base;
	uint64_t size;	 /* of the dump, as far as the file goes */
	uint8_t *cache;	 /* FREEBSD_CACHE_SLOTS pages */
	uint64_t *slots; /* page number + 1; 0 is empty */
};

enum freebsd_arch {
	FREEBSD_AMD64,
	FREEBSD_ARM64,
	FREEBSD_I386,
};

/* Physical memory [start, end) of dump_avail, in pages, whose first bit in the bitmap is bit. */
struct freebsd_range {
	uint64_t start, end;
	uint64_t bit;
};

struct freebsd_mini {
	enum freebsd_arch arch;
	unsigned version;
	bool pae;
	uint64_t kernbase; /* lowest address that pmap describes */
	uint64_t dmapbase, dmapend, dmapphys;
	uint64_t messages_offset, messages_size;
	uint64_t pmap_offset, pmap_size;
	uint64_t pages_offset, page_count;
	uint64_t *words; /* the bitmap */
	uint64_t bit_count;
	uint64_t *counts;	      /* set bits before each block of the bitmap */
	struct freebsd_range *ranges; /* ascending; NULL: bits are page numbers */
	size_t range_count;
};

struct freebsd_segment {
	uint64_t physical, size;
	uint64_t offset;
};

struct freebsd_full {
	struct freebsd_segment *segments; /* ascending */
	size_t segment_count;
	bool has_root;
	struct rbs_x86_walk walk;
};

struct freebsd_target {
	struct rbs_target target;
	struct freebsd_file file;
	struct rbs_freebsd_header header;
	bool is_full;
	struct freebsd_mini mini;
	struct freebsd_full full;
	uint64_t end; /* what the dump's size should be */
	struct rbs_page_set pages;
};

static inline struct freebsd_target *freebsd_target_from(struct rbs_target *target)
{
	return (struct freebsd_target *)target;
}

/* RBS_TRUNCATED beyond the end. */
enum rbs_code freebsd_file_read(struct freebsd_file *file, uint64_t offset, void *buffer,
				size_t length, struct rbs_error *err);

/*
 * freebsd_media.c. Which dump a file holds: where it begins and how long it is at most (file->base,
 * file->size), *known false when it is none.
 */
enum rbs_code freebsd_media_look(struct freebsd_file *file, const char *path,
				 struct rbs_freebsd_header *header, bool *known,
				 struct rbs_error *err);

/* freebsd_minidump.c. head is the dump's first page. */
bool freebsd_mini_detect(const uint8_t *head, size_t size);
enum rbs_code freebsd_mini_init(struct freebsd_target *self, const uint8_t *head,
				struct rbs_error *err);
void freebsd_mini_deinit(struct freebsd_mini *mini);

/* The offset of the page that holds a physical address. RBS_EXCLUDED, RBS_UNMAPPED. */
enum rbs_code freebsd_mini_page(const struct freebsd_target *self, uint64_t physical,
				uint64_t *offset, struct rbs_error *err);

/* freebsd_pmap.c: the minidump's own form of page tables. */
enum rbs_code freebsd_mini_translate(struct freebsd_target *self, uint64_t address,
				     uint64_t *physical, struct rbs_error *err);

/* freebsd_full.c */
bool freebsd_full_detect(struct freebsd_file *file, const uint8_t *head, size_t size);
enum rbs_code freebsd_full_init(struct freebsd_target *self, const uint8_t *head,
				struct rbs_error *err);
void freebsd_full_deinit(struct freebsd_full *full);

/* The offset of a physical address, and how many bytes lie there in a row. RBS_UNMAPPED. */
enum rbs_code freebsd_full_find(const struct freebsd_target *self, uint64_t physical,
				uint64_t *offset, uint64_t *length, struct rbs_error *err);

#endif
