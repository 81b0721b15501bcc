/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_region {
	struct fake_region *next; /* mapped before this one */
	enum rbs_space space;
	uint64_t address;
	uint64_t length;
	enum rbs_code code; /* RBS_OK, or a hole */
	uint8_t *bytes;	    /* NULL in a hole */
};

struct fake_target {
	struct rbs_target target;
	struct fake_region *regions;
	struct fake_region *holes;
	char *vmcoreinfo;
	bool interrupted;
};

static struct fake_target *fake_of(struct rbs_target *target)
{
	return (struct fake_target *)target;
}

static void *allocate(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		abort();
	return memory;
}

static struct fake_region *find_region(struct fake_region *region, enum rbs_space space,
				       uint64_t address)
{
	for (; region; region = region->next)
		if (region->space == space && address >= region->address &&
		    address - region->address < region->length)
			return region;
	return NULL;
}

static enum rbs_code fake_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
			       void *buffer, size_t length, struct rbs_error *err)
{
	struct fake_target *fake = fake_of(target);
	struct fake_region *region = NULL;
	uint8_t *to = buffer;

	for (size_t i = 0; i < length; i++) {
		uint64_t at = address + i;
		struct fake_region *hole = find_region(fake->holes, space, at);

		if (hole)
			return rbs_error_set_at(err, hole->code, at, "%s at %" PRIx64,
						rbs_code_text(hole->code), at);
		region = find_region(fake->regions, space, at);
		if (!region)
			return rbs_error_set_at(err, RBS_UNMAPPED, at, "%" PRIx64 " is not mapped",
						at);
		to[i] = region->bytes[at - region->address];
	}
	return RBS_OK;
}

static const char *fake_vmcoreinfo(struct rbs_target *target)
{
	return fake_of(target)->vmcoreinfo;
}

static bool fake_interrupted(struct rbs_target *target)
{
	return fake_of(target)->interrupted;
}

static void free_regions(struct fake_region *region)
{
	while (region) {
		struct fake_region *next = region->next;

		free(region->bytes);
		free(region);
		region = next;
	}
}

static void fake_destroy(struct rbs_target *target)
{
	struct fake_target *fake = fake_of(target);

	free_regions(fake->regions);
	free_regions(fake->holes);
	free(fake->vmcoreinfo);
	free(fake);
}

static const struct rbs_target_ops fake_ops = {
	.read = fake_read,
	.vmcoreinfo = fake_vmcoreinfo,
	.interrupted = fake_interrupted,
	.destroy = fake_destroy,
};

struct rbs_target *fake_target_create(enum rbs_byte_order byte_order, unsigned word_size)
{
	struct fake_target *fake = allocate(sizeof(*fake));
	struct rbs_target_info *info = &fake->target.info;

	fake->target.ops = &fake_ops;
	info->byte_order = byte_order;
	info->word_size = word_size;
	info->page_size = 4096;
	strcpy(info->path, "fake");
	strcpy(info->format, "fake");
	strcpy(info->arch, byte_order == RBS_BIG_ENDIAN ? "s390x" : "x86_64");
	return &fake->target;
}

static void add_region(struct fake_region **list, enum rbs_space space, uint64_t address,
		       const void *bytes, uint64_t length, enum rbs_code code)
{
	struct fake_region *region = allocate(sizeof(*region));

	region->next = *list;
	region->space = space;
	region->address = address;
	region->length = length;
	region->code = code;
	if (code == RBS_OK) {
		region->bytes = allocate(length);
		if (bytes)
			memcpy(region->bytes, bytes, length);
	}
	*list = region;
}

void fake_target_map(struct rbs_target *target, uint64_t address, const void *bytes, size_t length)
{
	add_region(&fake_of(target)->regions, RBS_KERNEL_VIRTUAL, address, bytes, length, RBS_OK);
}

void fake_target_map_zeros(struct rbs_target *target, uint64_t address, size_t length)
{
	fake_target_map(target, address, NULL, length);
}

void fake_target_map_physical(struct rbs_target *target, uint64_t address, const void *bytes,
			      size_t length)
{
	add_region(&fake_of(target)->regions, RBS_PHYSICAL, address, bytes, length, RBS_OK);
}

void fake_target_hole(struct rbs_target *target, uint64_t address, uint64_t length,
		      enum rbs_code code)
{
	add_region(&fake_of(target)->holes, RBS_KERNEL_VIRTUAL, address, NULL, length, code);
}

void fake_target_put(struct rbs_target *target, uint64_t address, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++) {
		bool little = target->info.byte_order == RBS_LITTLE_ENDIAN;
		struct fake_region *region =
			find_region(fake_of(target)->regions, RBS_KERNEL_VIRTUAL, address + i);

		if (!region) {
			fprintf(stderr, "fake_target_put: %" PRIx64 " is not mapped\n",
				address + i);
			abort();
		}
		region->bytes[address + i - region->address] =
			(uint8_t)(value >> 8 * (little ? i : size - 1 - i));
	}
}

void fake_target_put_pointer(struct rbs_target *target, uint64_t address, uint64_t value)
{
	fake_target_put(target, address, target->info.word_size, value);
}

void fake_target_put_string(struct rbs_target *target, uint64_t address, const char *text)
{
	for (size_t i = 0; i <= strlen(text); i++)
		fake_target_put(target, address + i, 1, (unsigned char)text[i]);
}

void fake_target_vmcoreinfo(struct rbs_target *target, const char *text)
{
	struct fake_target *fake = fake_of(target);

	free(fake->vmcoreinfo);
	fake->vmcoreinfo = strdup(text);
	if (!fake->vmcoreinfo)
		abort();
}

void fake_target_interrupt(struct rbs_target *target, bool interrupted)
{
	fake_of(target)->interrupted = interrupted;
}

void fake_target_list_init(struct rbs_target *target, uint64_t head)
{
	fake_target_put_pointer(target, head, head);
	fake_target_put_pointer(target, head + target->info.word_size, head);
}

void fake_target_list_append(struct rbs_target *target, uint64_t head, uint64_t node)
{
	uint64_t word = target->info.word_size;
	uint64_t last;

	if (rbs_target_read_pointer(target, head + word, &last, NULL) != RBS_OK)
		abort();
	fake_target_put_pointer(target, last, node);
	fake_target_put_pointer(target, node, head);
	fake_target_put_pointer(target, node + word, last);
	fake_target_put_pointer(target, head + word, node);
}
