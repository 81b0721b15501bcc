/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake_target - a machine whose memory a test writes out by hand.
 *
 * Memory is a list of regions; bytes that no region holds are RBS_UNMAPPED. What is mapped later
 * lies over what was mapped before, holes lie over everything. Everything is copied. Running out of
 * memory, or putting a number where no region is, ends the test by abort().
 */
#ifndef FAKE_TARGET_H
#define FAKE_TARGET_H

#include "lib/target/target.h"

/* An x86_64, aarch64 or s390x of word_size bytes a pointer; destroyed with rbs_target_destroy(). */
struct rbs_target *fake_target_create(enum rbs_byte_order byte_order, unsigned word_size);

/* Kernel virtual memory that holds these bytes, or zeros. */
void fake_target_map(struct rbs_target *target, uint64_t address, const void *bytes, size_t length);
void fake_target_map_zeros(struct rbs_target *target, uint64_t address, size_t length);

/* The same for physical memory: a space of its own, not what the virtual one maps to. */
void fake_target_map_physical(struct rbs_target *target, uint64_t address, const void *bytes,
			      size_t length);

/* Reads that touch these virtual addresses fail with code (RBS_EXCLUDED, RBS_TRUNCATED ...). */
void fake_target_hole(struct rbs_target *target, uint64_t address, uint64_t length,
		      enum rbs_code code);

/* Write a number of 1, 2, 4 or 8 bytes, in the machine's byte order, into mapped memory. */
void fake_target_put(struct rbs_target *target, uint64_t address, size_t size, uint64_t value);
void fake_target_put_pointer(struct rbs_target *target, uint64_t address, uint64_t value);

/* A circular struct list_head at head without entries, and a node at its end. */
void fake_target_list_init(struct rbs_target *target, uint64_t head);
void fake_target_list_append(struct rbs_target *target, uint64_t head, uint64_t node);

/* Write a string with its NUL into mapped memory. */
void fake_target_put_string(struct rbs_target *target, uint64_t address, const char *text);

/* The text of VMCOREINFO; a fresh target has none. */
void fake_target_vmcoreinfo(struct rbs_target *target, const char *text);

/* From now on rbs_target_interrupted() answers this. */
void fake_target_interrupt(struct rbs_target *target, bool interrupted);

#endif
