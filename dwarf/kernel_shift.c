/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/kernel_shift.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* KERNELOFFSET is hexadecimal without 0x (arch_crash_save_vmcoreinfo() of x86, arm64, s390). */
static bool kernel_offset(struct rbs_target *target, uint64_t *offset)
{
	char text[32];
	char *end;

	if (!rbs_vmcoreinfo_text(target, "KERNELOFFSET", text, sizeof(text)))
		return false;
	*offset = strtoull(text, &end, 16);
	return end != text && !*end;
}

static enum rbs_code verify_banner(const struct rbs_symbol_table *table, struct rbs_target *target,
				   const char *path, struct rbs_error *err)
{
	static const char expected[] = "Linux version ";
	char banner[sizeof(expected)];
	enum rbs_code code;
	uint64_t address;

	if (!rbs_symbol_table_find(table, "linux_banner", &address))
		return RBS_OK;
	code = rbs_target_read_string(target, address, banner, sizeof(banner), NULL);
	if ((code == RBS_OK && strcmp(banner, expected)) || code == RBS_UNMAPPED)
		return rbs_error_set_at(err, RBS_MISMATCH, address,
					"%s is not of the kernel in this dump: its linux_banner "
					"would be at %" PRIx64 ", but is not",
					path, address);
	return RBS_OK;
}

enum rbs_code rbs_kernel_shift(struct rbs_symbol_table *table, struct rbs_target *target,
			       const char *path, struct rbs_error *err)
{
	uint64_t linked, image, ran, shift = 0;
	bool known = rbs_symbol_table_find(table, "_stext", &linked);

	if (known && !linked)
		return rbs_error_set(err, RBS_MISMATCH,
				     "%s has only zeros for addresses: it was written by a user "
				     "who may not see them",
				     path);
	if (!target->ops->vmcoreinfo(target))
		return RBS_OK;
	if (!known)
		return rbs_error_set(err, RBS_MISMATCH,
				     "%s has no symbol _stext: it is not of a Linux kernel", path);
	if (!rbs_symbol_table_find(table, "_text", &image) || image > linked)
		image = linked;
	if (rbs_vmcoreinfo_symbol(target, "_stext", &ran))
		shift = ran - linked;
	else
		kernel_offset(target, &shift);
	for (uint32_t i = 0; i < table->count; i++)
		if (!table->entries[i].fixed && table->entries[i].address >= image)
			table->entries[i].address += shift;
	return verify_banner(table, target, path, err);
}
