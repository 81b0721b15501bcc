/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One alternative of an entry: "type:path" cut in two. False when there is no further one. */
static bool alternative_next(const char **where, char *type, char *path, size_t size)
{
	size_t length = strcspn(*where, "|");
	size_t type_length = strcspn(*where, ":|");

	if (!length)
		return false;
	snprintf(type, size, "%.*s", (int)type_length, *where);
	path[0] = '\0';
	if (type_length < length)
		snprintf(path, size, "%.*s", (int)(length - type_length - 1),
			 *where + type_length + 1);
	*where += length;
	*where += **where == '|';
	return true;
}

static enum rbs_code alternative_resolve(struct rbs_layout *layout, struct rbs_layout_slot *slot,
					 unsigned flags, struct rbs_types *types,
					 const char *module, const char *type, const char *path)
{
	if (flags & RBS_ENUMERATOR)
		return rbs_types_find_enumerator(types, module, *type ? type : NULL, path,
						 &slot->enumerator, NULL);
	if (flags & RBS_SIZE)
		return rbs_types_find_size(types, module, type, &slot->member.size, NULL);
	/* The first is the probe's own; later ones may lie in structures of another source. */
	return rbs_types_find_member(
		types, module, type, path, &slot->member,
		flags & RBS_OPTIONAL || layout->answered ? NULL : &layout->answered, NULL);
}

static void slot_resolve(struct rbs_layout *layout, unsigned id, struct rbs_types *types,
			 const char *module)
{
	struct rbs_layout_slot *slot = &layout->slots[id];
	const char *where = layout->entries[id].where;
	char type[96], path[96];
	enum rbs_code code = RBS_NO_TYPES;

	slot->code = RBS_NO_TYPES;
	while (alternative_next(&where, type, path, sizeof(type))) {
		code = alternative_resolve(layout, slot, layout->entries[id].flags, types, module,
					   type, path);
		if (code == RBS_OK) {
			slot->code = RBS_OK;
			return;
		}
		/* 'No such member' is the better answer: some alternative's type exists. */
		if (code == RBS_NO_MEMBER)
			slot->code = RBS_NO_MEMBER;
		slot->alternative++;
	}
}

/* What is missing, and what to do about it. */
static enum rbs_code required_fail(struct rbs_error *err, enum rbs_code code, const char *where,
				   const char *module)
{
	if (code != RBS_NO_TYPES)
		return rbs_error_set(err, code, "%s's %s: %s", module ? module : "the kernel",
				     where, rbs_code_text(code));
	if (!module)
		return rbs_error_set(
			err, code, "no types for the kernel's %s: give the vmlinux by --debuginfo",
			where);
	return rbs_error_set(err, code,
			     "no types for %s's %s: neither the module's BTF nor a debug file "
			     "has them: give the debug files of the kernel and its modules by "
			     "--debuginfo",
			     module, where);
}

enum rbs_code rbs_layout_init(struct rbs_layout *layout, const struct rbs_layout_entry *entries,
			      size_t count, struct rbs_types *types, const char *module,
			      struct rbs_error *err)
{
	*layout = (struct rbs_layout){.entries = entries, .count = count};
	layout->slots = calloc(count ? count : 1, sizeof(*layout->slots));
	if (!layout->slots)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	for (size_t id = 0; id < count; id++) {
		enum rbs_code code;

		if (!entries[id].where)
			continue;
		slot_resolve(layout, (unsigned)id, types, module);
		code = layout->slots[id].code;
		if (code != RBS_OK && !(entries[id].flags & RBS_OPTIONAL)) {
			rbs_layout_deinit(layout);
			return required_fail(err, code, entries[id].where, module);
		}
	}
	return RBS_OK;
}

void rbs_layout_deinit(struct rbs_layout *layout)
{
	free(layout->slots);
	*layout = (struct rbs_layout){0};
}

bool rbs_layout_has(const struct rbs_layout *layout, unsigned id)
{
	return layout->slots[id].code == RBS_OK && layout->entries[id].where;
}

uint64_t rbs_layout_offset(const struct rbs_layout *layout, unsigned id)
{
	return layout->slots[id].member.offset;
}

uint64_t rbs_layout_size(const struct rbs_layout *layout, unsigned id)
{
	return layout->slots[id].code == RBS_OK ? layout->slots[id].member.size : 0;
}

int64_t rbs_layout_enumerator(const struct rbs_layout *layout, unsigned id, int64_t fallback)
{
	return layout->slots[id].code == RBS_OK ? layout->slots[id].enumerator : fallback;
}

static bool scalar_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static uint64_t sign_extend(uint64_t number, unsigned bits)
{
	if (bits >= 64 || !(number >> (bits - 1) & 1))
		return number;
	return number | ~UINT64_C(0) << bits;
}

static struct rbs_value member_decode(const struct rbs_member *member,
				      const struct rbs_target *target, const void *bytes,
				      uint64_t size)
{
	struct rbs_value value = {.code = RBS_OK, .is_signed = member->is_signed};
	unsigned bits = (unsigned)size * 8;

	value.number = rbs_target_get_uint(target, bytes, size);
	if (member->bit_size) {
		bits = member->bit_size;
		value.number >>= member->bit_offset;
		if (bits < 64)
			value.number &= (UINT64_C(1) << bits) - 1;
	}
	if (member->is_signed)
		value.number = sign_extend(value.number, bits);
	return value;
}

struct rbs_value rbs_layout_get(const struct rbs_layout *layout, unsigned id,
				const struct rbs_target *target, const void *copy, size_t length)
{
	const struct rbs_layout_slot *slot = &layout->slots[id];
	const struct rbs_member *member = &slot->member;

	if (slot->code != RBS_OK)
		return rbs_value_absent(slot->code);
	if (!scalar_size(member->size) || member->size > length ||
	    member->offset > length - member->size)
		return rbs_value_absent(RBS_CORRUPT);
	return member_decode(member, target, (const char *)copy + member->offset, member->size);
}

static struct rbs_value scalar_read(const struct rbs_member *member, struct rbs_target *target,
				    uint64_t address, uint64_t size)
{
	struct rbs_value value = rbs_value_absent(RBS_CORRUPT);
	uint8_t bytes[8];

	if (scalar_size(size)) {
		value.code =
			rbs_target_read(target, RBS_KERNEL_VIRTUAL, address, bytes, size, NULL);
		if (value.code == RBS_OK)
			value = member_decode(member, target, bytes, size);
	}
	value.address = address;
	return value;
}

struct rbs_value rbs_layout_read(const struct rbs_layout *layout, unsigned id,
				 struct rbs_target *target, uint64_t base)
{
	const struct rbs_layout_slot *slot = &layout->slots[id];

	if (slot->code != RBS_OK)
		return rbs_value_absent(slot->code);
	return scalar_read(&slot->member, target, base + slot->member.offset, slot->member.size);
}

enum rbs_code rbs_layout_require(const struct rbs_layout *layout, unsigned id,
				 struct rbs_target *target, uint64_t base, uint64_t *number,
				 struct rbs_error *err)
{
	struct rbs_value value = rbs_layout_read(layout, id, target, base);

	if (value.code != RBS_OK)
		return rbs_error_set_at(err, value.code, value.address,
					"%s of %" PRIx64 " cannot be read: %s",
					layout->entries[id].where, base, rbs_code_text(value.code));
	*number = value.number;
	return RBS_OK;
}

struct rbs_value rbs_layout_read_element(const struct rbs_layout *layout, unsigned id,
					 struct rbs_target *target, uint64_t base, uint64_t index)
{
	const struct rbs_layout_slot *slot = &layout->slots[id];
	const struct rbs_member *member = &slot->member;

	if (slot->code != RBS_OK)
		return rbs_value_absent(slot->code);
	if (member->kind != RBS_KIND_ARRAY || (member->count && index >= member->count))
		return rbs_value_absent(RBS_CORRUPT);
	return scalar_read(member, target, base + member->offset + index * member->element_size,
			   member->element_size);
}
