/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/field.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/render/printable.h"

const char *rbs_field_format(const struct rbs_field *field, char *buffer, size_t size)
{
	switch (field->desc->format) {
	case RBS_FORMAT_TEXT:
		return rbs_printable(field->text ? field->text : "", buffer, size);
	case RBS_FORMAT_BOOL:
		snprintf(buffer, size, "%s", field->number ? "yes" : "no");
		break;
	case RBS_FORMAT_HEX:
	case RBS_FORMAT_ADDRESS:
		snprintf(buffer, size, "%" PRIx64, field->number);
		break;
	case RBS_FORMAT_DECIMAL:
		if (field->is_signed)
			snprintf(buffer, size, "%" PRId64, (int64_t)field->number);
		else
			snprintf(buffer, size, "%" PRIu64, field->number);
		break;
	}
	return buffer;
}

const char *rbs_absent_word(enum rbs_code code)
{
	switch (code) {
	case RBS_EXCLUDED:
		return "excl";
	case RBS_UNMAPPED:
		return "unmap";
	case RBS_TRUNCATED:
		return "trunc";
	case RBS_NO_MEMBER:
		return "n/a";
	case RBS_NOT_COUNTED:
		return "n/c";
	case RBS_TORN:
		return "torn";
	case RBS_CORRUPT:
		return "corrupt";
	case RBS_NO_TYPES:
		return "no-types";
	default:
		return "error";
	}
}
