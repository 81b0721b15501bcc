/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"

void rbs_target_destroy(struct rbs_target *target)
{
	if (target)
		target->ops->destroy(target);
}

enum rbs_code rbs_target_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
			      void *buffer, size_t length, struct rbs_error *err)
{
	if (length && address + length - 1 < address)
		return rbs_error_set_at(err, RBS_CORRUPT, address,
					"%zu bytes at %" PRIx64 " run over the end of memory",
					length, address);
	target->stats.reads++;
	return target->ops->read(target, space, address, buffer, length, err);
}

bool rbs_target_has(struct rbs_target *target, uint64_t address, uint64_t length)
{
	return address + length >= address && target->ops->has &&
	       target->ops->has(target, address, length);
}

uint64_t rbs_target_get_uint(const struct rbs_target *target, const void *bytes, size_t size)
{
	return rbs_bytes_get(bytes, size, target->info.byte_order != RBS_LITTLE_ENDIAN);
}

enum rbs_code rbs_target_read_uint(struct rbs_target *target, uint64_t address, size_t size,
				   uint64_t *value, struct rbs_error *err)
{
	uint8_t bytes[8];
	enum rbs_code code;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return rbs_error_set_at(err, RBS_CORRUPT, address,
					"a number of %zu bytes was expected at %" PRIx64, size,
					address);
	code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, address, bytes, size, err);
	if (code == RBS_OK)
		*value = rbs_target_get_uint(target, bytes, size);
	return code;
}

enum rbs_code rbs_target_read_pointer(struct rbs_target *target, uint64_t address, uint64_t *value,
				      struct rbs_error *err)
{
	return rbs_target_read_uint(target, address, target->info.word_size, value, err);
}

enum rbs_code rbs_target_read_string(struct rbs_target *target, uint64_t address, char *buffer,
				     size_t size, struct rbs_error *err)
{
	size_t done = 0;

	if (!size)
		return RBS_OK;
	buffer[0] = '\0';
	/* In short pieces that stay within a page: the next page may be missing and not needed. */
	while (done < size - 1) {
		size_t piece = 64 - (address + done) % 64;
		enum rbs_code code;
		char *end;

		if (piece > size - 1 - done)
			piece = size - 1 - done;
		code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, address + done, buffer + done,
				       piece, err);
		if (code != RBS_OK) {
			buffer[0] = '\0';
			return code;
		}
		end = memchr(buffer + done, '\0', piece);
		if (end)
			return RBS_OK;
		done += piece;
	}
	buffer[done] = '\0';
	return RBS_OK;
}

bool rbs_target_interrupted(struct rbs_target *target)
{
	return target->ops->interrupted && target->ops->interrupted(target);
}

const char *rbs_target_note(struct rbs_target *target, const char **name)
{
	if (target->ops->note)
		return target->ops->note(target, name);
	*name = "VMCOREINFO";
	return target->ops->vmcoreinfo(target);
}

const struct rbs_page_set *rbs_target_pages(const struct rbs_target *target)
{
	return target->ops->pages ? target->ops->pages(target) : NULL;
}

void rbs_target_pages_record(struct rbs_target *target, bool on)
{
	if (target->ops->pages_record)
		target->ops->pages_record(target, on);
}

bool rbs_vmcoreinfo_text(struct rbs_target *target, const char *key, char *buffer, size_t size)
{
	const char *line = target->ops->vmcoreinfo(target);
	size_t key_length = strlen(key);

	while (line && *line) {
		size_t length = strcspn(line, "\n");

		if (length > key_length && line[key_length] == '=' &&
		    !strncmp(line, key, key_length)) {
			snprintf(buffer, size, "%.*s", (int)(length - key_length - 1),
				 line + key_length + 1);
			return true;
		}
		line += length;
		line += *line == '\n';
	}
	return false;
}

bool rbs_vmcoreinfo_hex(struct rbs_target *target, const char *key, uint64_t *value)
{
	char text[32];
	char *end;
	uint64_t number;

	if (!rbs_vmcoreinfo_text(target, key, text, sizeof(text)))
		return false;
	number = strtoull(text, &end, 16);
	if (end == text || *end)
		return false;
	*value = number;
	return true;
}

bool rbs_vmcoreinfo_symbol(struct rbs_target *target, const char *name, uint64_t *address)
{
	char key[128];

	snprintf(key, sizeof(key), "SYMBOL(%s)", name);
	return rbs_vmcoreinfo_hex(target, key, address);
}

bool rbs_vmcoreinfo_number(struct rbs_target *target, const char *name, int64_t *value)
{
	char key[128], text[32];
	char *end;
	int64_t number;

	snprintf(key, sizeof(key), "NUMBER(%s)", name);
	if (!rbs_vmcoreinfo_text(target, key, text, sizeof(text)))
		return false;
	/*
	 * Some are printed with %lx and an 0x prefix (arm64), the others with %ld: addresses fill
	 * all 64 bits.
	 */
	number = (int64_t)strtoull(text, &end, 0);
	if (end == text || *end)
		return false;
	*value = number;
	return true;
}
