/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ust_image - a machine with one buffer of LTTng's user space tracer: its file on a tmpfs, a
 * consumer and a traced program that map it.
 *
 * Change what the table or the memory should be between init and build; run the probe with show.
 */
#ifndef UST_IMAGE_H
#define UST_IMAGE_H

#include "fake_target.h"
#include "lib/dump.h"
#include "lib/result.h"

enum {
	UST_PAGES = 8,
	UST_SUBBUFS = 4,
	UST_SUBBUF_SIZE = 4096,
	/* The file: counters and tables in pages 0 and 1, sub-buffers from page 2 on. */
	UST_HOT = 640,
	UST_COLD = UST_HOT + 128 * UST_SUBBUFS,
	UST_WSB = UST_COLD + 128 * UST_SUBBUFS,
	UST_COUNTS = UST_WSB + 64,
	UST_ARRAY = UST_COUNTS + 64,
	UST_BACKEND = UST_ARRAY + 128, /* struct ..._backend_pages, 64 bytes each */
	UST_DATA = 2 * 4096,
	UST_INODE = 77,
};

struct ust_image {
	struct rbs_dump dump;
	struct rbs_target *target;
	struct rbs_report *report; /* of the last show */
	unsigned word;
	bool big_endian;
	uint8_t memory[UST_PAGES * 4096];
};

/* word: bytes of the program's; the kernel has 8. Written 5000 bytes, of which none was taken. */
void ust_image_init(struct ust_image *image, enum rbs_byte_order order, unsigned word);
void ust_image_deinit(struct ust_image *image);

/* A number in the file, in the program's byte order. */
void ust_image_put(struct ust_image *image, size_t at, size_t size, uint64_t value);

/* One more sub-buffer's memory, which nothing refers to yet: its packet is closed. */
void ust_image_spare(struct ust_image *image, unsigned index);

/* The file's memory becomes the machine's: nothing of it can be changed any more. */
void ust_image_build(struct ust_image *image);

/* Run the probe; the section. */
const struct rbs_section *ust_image_show(struct ust_image *image, bool scan);

/* Its channel there, or NULL; and its ring, when the release is known. */
const struct rbs_node *ust_image_channel(const struct rbs_section *section);
const struct rbs_node *ust_image_ring(const struct rbs_section *section);

/* The kernel's structures, for who breaks them: slots are 8 bytes each. */
#define UST_XA_SLOT(index) (UST_XA_NODE + 0x10 + 8 * (index))
#define UST_XA_NODE UINT64_C(0xffff888000004000)
#define UST_XA_HEAD UINT64_C(0xffff888000003010) /* where the array's head is */
#define UST_TASKS UINT64_C(0xffff888000001010)	 /* init_task.tasks */
#define UST_SUPER_BLOCKS UINT64_C(0xffff888000000100)
#define UST_AREA UINT64_C(0xffff888000002400) /* of the consumer */

/* The page at index of the file, as the kernel describes it; and one of no file. */
uint64_t ust_image_page(unsigned index);

#endif
