/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/error.h"

#undef rbs_error_set
#undef rbs_error_set_at

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	const char *text;
} code_names[] = {
	[RBS_OK] = {"ok", "ok"},
	[RBS_EXCLUDED] = {"excluded", "page excluded from the dump"},
	[RBS_UNMAPPED] = {"unmapped", "address not mapped"},
	[RBS_TRUNCATED] = {"truncated", "the dump file is cut off"},
	[RBS_NO_MEMBER] = {"no-such-member", "this kernel has no such member"},
	[RBS_NOT_COUNTED] = {"not-counted", "not counted by this build, or not in this state"},
	[RBS_TORN] = {"torn", "caught in the middle of an update"},
	[RBS_CORRUPT] = {"corrupt", "corrupt"},
	[RBS_NO_TYPES] = {"no-types", "no type information"},
	[RBS_NO_SYMBOL] = {"no-symbol", "no such symbol"},
	[RBS_IO] = {"io-error", "the dump could not be read"},
	[RBS_LIMIT] = {"limit", "a limit of rbstats was reached"},
	[RBS_NOMEM] = {"no-memory", "out of memory"},
	[RBS_UNSUPPORTED] = {"unsupported", "not supported"},
	[RBS_MISMATCH] = {"mismatch", "does not belong to this dump"},
	[RBS_USAGE] = {"usage", "wrong usage"},
	[RBS_INTERRUPTED] = {"interrupted", "interrupted"},
};

#define CODE_COUNT (sizeof(code_names) / sizeof(code_names[0]))

const char *rbs_code_name(enum rbs_code code)
{
	return (size_t)code < CODE_COUNT ? code_names[code].name : "unknown";
}

const char *rbs_code_text(enum rbs_code code)
{
	return (size_t)code < CODE_COUNT ? code_names[code].text : "unknown";
}

bool rbs_code_parse(const char *name, enum rbs_code *code)
{
	for (size_t i = 0; i < CODE_COUNT; i++) {
		if (!strcmp(code_names[i].name, name)) {
			*code = (enum rbs_code)i;
			return true;
		}
	}
	return false;
}

void rbs_error_clear(struct rbs_error *err)
{
	if (err)
		*err = (struct rbs_error){.code = RBS_OK};
}

enum rbs_code rbs_error_give(struct rbs_error *err, const struct rbs_error *kept)
{
	if (err)
		*err = *kept;
	return kept->code;
}

void rbs_error_keep(struct rbs_error *kept, const struct rbs_error *error)
{
	if (kept->code == RBS_OK)
		*kept = *error;
}

enum rbs_code rbs_error_set(struct rbs_error *err, enum rbs_code code, const char *format, ...)
{
	if (err) {
		va_list args;

		*err = (struct rbs_error){.code = code};
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
	return code;
}

enum rbs_code rbs_error_set_at(struct rbs_error *err, enum rbs_code code, uint64_t address,
			       const char *format, ...)
{
	if (err) {
		va_list args;

		*err = (struct rbs_error){.code = code, .has_address = true, .address = address};
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
	return code;
}

enum rbs_code rbs_error_prefix(struct rbs_error *err, const char *format, ...)
{
	char context[sizeof(err->text)];
	char joined[2 * sizeof(err->text) + 3];
	va_list args;

	if (!err)
		return RBS_OK;
	va_start(args, format);
	vsnprintf(context, sizeof(context), format, args);
	va_end(args);
	snprintf(joined, sizeof(joined), "%s: %s", context, err->text);
	memcpy(err->text, joined, sizeof(err->text) - 1);
	err->text[sizeof(err->text) - 1] = '\0';
	return err->code;
}
