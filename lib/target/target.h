/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * target - the memory of a machine, whatever it is read from.
 *
 * An interface with several implementations: libkdumpfile (lib/target/kdump.h) and crash's readmem
 * (extensions/). Byte order and word size are the machine's, never the host's: all numbers go
 * through rbs_target_read_uint() or rbs_target_get_uint().
 *
 * A page that is not in the dump is an error, never zeros: RBS_EXCLUDED when the dump's writer left
 * it out, RBS_UNMAPPED when there is no translation or no such memory, RBS_TRUNCATED when the file
 * ends before it, RBS_IO otherwise.
 */
#ifndef RBS_TARGET_H
#define RBS_TARGET_H

#include <stddef.h>

#include "lib/error.h"
#include "lib/target/page_set.h"

enum rbs_space {
	RBS_KERNEL_VIRTUAL,
	RBS_PHYSICAL, /* the kernel's physical addresses; on Xen the machine's */
};

enum rbs_byte_order {
	RBS_LITTLE_ENDIAN,
	RBS_BIG_ENDIAN,
};

struct rbs_target_info {
	char path[4096];  /* as the user named it */
	char format[64];  /* "elf", "diskdump", "crash session" ... */
	char arch[64];	  /* uname's machine: "x86_64", "aarch64", "s390x" */
	char release[65]; /* uname's release; empty when unknown */
	enum rbs_byte_order byte_order;
	unsigned word_size; /* bytes in a pointer and a long: 4 or 8 */
	uint64_t page_size; /* bytes */
	/* What only FreeBSD's dumps tell; empty and false for others. */
	char system[16];   /* "FreeBSD"; empty: Linux, or Xen */
	char version[256]; /* first line of the kernel's version string */
	char panic[256];   /* why it panicked */
	bool has_boot_time;
	int64_t boot_time; /* seconds since 1970, UTC */
};

struct rbs_target_stats {
	uint64_t reads;	     /* calls of rbs_target_read() */
	uint64_t pages_read; /* different pages fetched from the dump, page tables included */
};

struct rbs_target;

struct rbs_target_ops {
	/* Read exactly length bytes or fail; a partial result is not kept. */
	enum rbs_code (*read)(struct rbs_target *target, enum rbs_space space, uint64_t address,
			      void *buffer, size_t length, struct rbs_error *err);
	/*
	 * Whether all pages of a range of kernel virtual memory are in the dump, without reading
	 * them; false when that cannot be told. NULL: it never can.
	 */
	bool (*has)(struct rbs_target *target, uint64_t address, uint64_t length);
	/* The text of VMCOREINFO, NUL terminated and owned by the target, or NULL. */
	const char *(*vmcoreinfo)(struct rbs_target *target);
	/*
	 * The note by which an excerpt of this target can be read: its name and text, owned by the
	 * target. NULL: VMCOREINFO.
	 */
	const char *(*note)(struct rbs_target *target, const char **name);
	/* The physical pages read so far, page tables included; NULL: not recorded. */
	const struct rbs_page_set *(*pages)(const struct rbs_target *target);
	/* Whether reads are recorded from now on; NULL where there is no record. */
	void (*pages_record)(struct rbs_target *target, bool on);
	/* True when the user asked to stop; may be NULL. */
	bool (*interrupted)(struct rbs_target *target);
	void (*destroy)(struct rbs_target *target);
};

/* Implementations embed this as their first member. */
struct rbs_target {
	const struct rbs_target_ops *ops;
	struct rbs_target_info info;
	struct rbs_target_stats stats;
};

void rbs_target_destroy(struct rbs_target *target);

enum rbs_code rbs_target_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
			      void *buffer, size_t length, struct rbs_error *err);

/* How many of length bytes at address are on its page. */
static inline size_t rbs_page_part(uint64_t address, size_t length, uint64_t page_size)
{
	uint64_t left = page_size - address % page_size;

	return length < left ? length : (size_t)left;
}

bool rbs_target_has(struct rbs_target *target, uint64_t address, uint64_t length);

/* Decode a number of 1, 2, 4 or 8 bytes in the machine's byte order. */
uint64_t rbs_target_get_uint(const struct rbs_target *target, const void *bytes, size_t size);

/* Read a number of 1, 2, 4 or 8 bytes of kernel virtual memory. */
enum rbs_code rbs_target_read_uint(struct rbs_target *target, uint64_t address, size_t size,
				   uint64_t *value, struct rbs_error *err);

enum rbs_code rbs_target_read_pointer(struct rbs_target *target, uint64_t address, uint64_t *value,
				      struct rbs_error *err);

/*
 * Read a NUL-terminated string of kernel virtual memory into buffer (size bytes, always
 * terminated). A longer string is cut. Bytes are returned as they are: renderers make control
 * characters visible.
 */
enum rbs_code rbs_target_read_string(struct rbs_target *target, uint64_t address, char *buffer,
				     size_t size, struct rbs_error *err);

bool rbs_target_interrupted(struct rbs_target *target);

/* The name and text of the note that an excerpt needs; NULL when the target has none. */
const char *rbs_target_note(struct rbs_target *target, const char **name);

/* The physical pages read so far, or NULL; they live as long as the target. */
const struct rbs_page_set *rbs_target_pages(const struct rbs_target *target);

/* A search that tries many pages turns the record off, and on again to read what it found. */
void rbs_target_pages_record(struct rbs_target *target, bool on);

/*
 * Look up a line KEY=VALUE of VMCOREINFO. The first form copies the text of the value, the others
 * decode it: SYMBOL() values and those of plain keys such as KERNELOFFSET are hexadecimal,
 * NUMBER(), SIZE() and OFFSET() decimal (kernel/vmcore_info.c, formerly crash_core.c). False when
 * there is no such line.
 */
bool rbs_vmcoreinfo_text(struct rbs_target *target, const char *key, char *buffer, size_t size);
bool rbs_vmcoreinfo_hex(struct rbs_target *target, const char *key, uint64_t *value);
bool rbs_vmcoreinfo_symbol(struct rbs_target *target, const char *name, uint64_t *address);
bool rbs_vmcoreinfo_number(struct rbs_target *target, const char *name, int64_t *value);

#endif
