/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What may lie around a dump: the header that the kernel writes before and behind it on a dump
 * device, and the forms that savecore(8) leaves a core in when dumpon(8) asked for compression or
 * encryption.
 *
 * sys/sys/kerneldump.h: struct kerneldumpheader, big endian, 512 bytes, in the first and the last
 * block of a dump; the last block of the device is the last one of the dump. Its version 1 has no
 * dumpkeysize, and all behind it 4 bytes earlier; compression and dumpextent came with version 4.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/target/freebsd_private.h"

enum {
	KDH_VERSION = 32,
	KDH_LENGTH = 40,
	KDH_KEY_SIZE = 56,
	KDH_BLOCK_SIZE = 60,
	KDH_VERSION_STRING = 128,
	KDH_PANIC_STRING = 320,
	KDH_COMPRESSION = 495,
	KDH_EXTENT = 496,
	KDH_SIZE = 512,
};

#define PANIC_STRING_SIZE 175
#define VERSION_STRING_SIZE 192
#define MAGIC "FreeBSD Kernel Dump"
#define MAGIC_TEXT "FreeBSD Text Dump"
#define MAGIC_CLEARED "Cleared Kernel Dump"

static const struct {
	const char *magic;
	size_t size;
	const char *name;
	const char *program;
} compressions[] = {
	{"\x1f\x8b", 2, "gzip", "gunzip -k"},
	{"\x28\xb5\x2f\xfd", 4, "zstd", "unzstd"},
	{"BZh", 3, "bzip2", "bunzip2 -k"},
	{"\xfd"
	 "7zXZ",
	 5, "xz", "unxz -k"},
};

static enum rbs_code compression_refuse(const uint8_t *head, size_t size, struct rbs_error *err)
{
	for (size_t i = 0; i < sizeof(compressions) / sizeof(compressions[0]); i++) {
		if (size > compressions[i].size &&
		    !memcmp(head, compressions[i].magic, compressions[i].size))
			return rbs_error_set(err, RBS_UNSUPPORTED,
					     "compressed with %s: run '%s' on it and give what it "
					     "writes",
					     compressions[i].name, compressions[i].program);
	}
	return RBS_OK;
}

/* An encrypted core is noise: only the name that savecore gives it tells. */
static bool is_encrypted_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strncmp(name ? name + 1 : path, "vmcore_encrypted", strlen("vmcore_encrypted"));
}

static bool has_magic(const uint8_t *header, const char *magic)
{
	return !memcmp(header, magic, strlen(magic) + 1);
}

static bool is_header(const uint8_t *header)
{
	return has_magic(header, MAGIC) || has_magic(header, MAGIC_TEXT) ||
	       has_magic(header, MAGIC_CLEARED);
}

/* sys/sys/kerneldump.h: kerneldump_parity(), of all words together. */
static bool parity_good(const uint8_t *header)
{
	uint32_t parity = 0;

	for (size_t i = 0; i < KDH_SIZE; i += 4)
		parity ^= (uint32_t)rbs_bytes_little(header + i, 4);
	return !parity;
}

static uint64_t number(const uint8_t *header, size_t offset, size_t size)
{
	return rbs_bytes_get(header + offset, size, true);
}

static void line_copy(char *to, size_t size, const uint8_t *from, size_t length)
{
	int used = (int)strcspn(memchr(from, 0, length) ? (const char *)from : "", "\n");

	snprintf(to, size, "%.*s", used, (const char *)from);
}

struct device_dump {
	uint64_t length; /* bytes of the dump */
	uint64_t extent; /* bytes that it takes on the device */
	uint64_t key_size;
	uint64_t block_size;
};

static enum rbs_code header_decode(const uint8_t *header, struct device_dump *dump,
				   struct rbs_freebsd_header *strings, struct rbs_error *err)
{
	bool old = number(header, KDH_VERSION, 4) == 1;
	size_t shift = old ? 4 : 0;
	uint8_t compression = number(header, KDH_VERSION, 4) >= 4 ? header[KDH_COMPRESSION] : 0;

	if (has_magic(header, MAGIC_TEXT))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "a textdump of FreeBSD: it has text, and no memory to read");
	if (has_magic(header, MAGIC_CLEARED))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "a dump device whose dump was saved already: give the vmcore "
				     "that savecore(8) wrote (/var/crash)");
	if (!parity_good(header))
		return rbs_error_set(err, RBS_CORRUPT,
				     "the header of FreeBSD's dump device is damaged (parity)");
	dump->length = number(header, KDH_LENGTH, 8);
	dump->key_size = old ? 0 : number(header, KDH_KEY_SIZE, 4);
	dump->block_size = number(header, KDH_BLOCK_SIZE - shift, 4);
	dump->extent =
		number(header, KDH_VERSION, 4) >= 4 ? number(header, KDH_EXTENT, 8) : dump->length;
	if (dump->key_size)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "an encrypted dump on a dump device: run savecore(8), then "
				     "decryptcore(8), and give what that writes");
	if (compression)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "a compressed dump on a dump device: run savecore(8), then "
				     "%s, and give what that writes",
				     compression == 1 ? "gunzip" : "unzstd");
	if (dump->block_size < KDH_SIZE || dump->block_size > 1 << 20 || !dump->length ||
	    dump->length > INT64_MAX || dump->extent > INT64_MAX)
		return rbs_error_set(err, RBS_CORRUPT,
				     "the header of FreeBSD's dump device is damaged (%" PRIu64
				     " bytes in blocks of %" PRIu64 ")",
				     dump->length, dump->block_size);
	line_copy(strings->version, sizeof(strings->version), header + KDH_VERSION_STRING - shift,
		  VERSION_STRING_SIZE);
	line_copy(strings->panic, sizeof(strings->panic), header + KDH_PANIC_STRING - shift,
		  PANIC_STRING_SIZE);
	return RBS_OK;
}

static enum rbs_code dump_take(struct freebsd_file *file, uint64_t start,
			       const struct device_dump *dump, struct rbs_error *err)
{
	if (start >= file->size)
		return rbs_error_set(err, RBS_TRUNCATED,
				     "the file ends before FreeBSD's dump begins");
	file->base = start;
	file->size -= start;
	if (file->size > dump->length)
		file->size = dump->length;
	memset(file->slots, 0, FREEBSD_CACHE_SLOTS * sizeof(*file->slots));
	return RBS_OK;
}

/* From the header in the last block back to the first one, which must still be there. */
static enum rbs_code trailer_take(struct freebsd_file *file, uint64_t at,
				  const struct device_dump *dump, struct rbs_error *err)
{
	uint64_t blocks = (dump->extent + dump->block_size - 1) / dump->block_size;
	uint64_t back = (blocks + 1) * dump->block_size;
	uint8_t header[KDH_SIZE];

	if (back > at ||
	    freebsd_file_read(file, at - back, header, sizeof(header), NULL) != RBS_OK ||
	    !has_magic(header, MAGIC) || number(header, KDH_LENGTH, 8) != dump->length)
		return rbs_error_set(err, RBS_CORRUPT,
				     "the dump on this dump device was overwritten: its last block "
				     "is there, its first is not");
	return dump_take(file, at - back + dump->block_size, dump, err);
}

enum rbs_code freebsd_media_look(struct freebsd_file *file, const char *path,
				 struct rbs_freebsd_header *strings, bool *known,
				 struct rbs_error *err)
{
	static const uint64_t sectors[] = {512, 4096};
	uint8_t header[KDH_SIZE] = {0};
	size_t size = file->size < sizeof(header) ? file->size : sizeof(header);
	struct device_dump dump;
	enum rbs_code code = freebsd_file_read(file, 0, header, size, err);

	*known = false;
	if (code == RBS_OK)
		code = compression_refuse(header, size, err);
	if (code != RBS_OK)
		return code;
	if (is_encrypted_name(path))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "an encrypted FreeBSD core, by its name: run decryptcore(8) "
				     "with its key file and give what that writes");
	if (is_header(header)) {
		*known = true;
		code = header_decode(header, &dump, strings, err);
		return code == RBS_OK ? dump_take(file, dump.block_size, &dump, err) : code;
	}
	for (size_t i = 0; i < sizeof(sectors) / sizeof(sectors[0]); i++) {
		if (file->size < sectors[i] ||
		    freebsd_file_read(file, file->size - sectors[i], header, sizeof(header),
				      NULL) != RBS_OK ||
		    !is_header(header))
			continue;
		*known = true;
		code = header_decode(header, &dump, strings, err);
		return code == RBS_OK ? trailer_take(file, file->size - sectors[i], &dump, err)
				      : code;
	}
	return RBS_OK;
}
