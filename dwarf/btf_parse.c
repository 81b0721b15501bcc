/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_parse.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "lib/bytes.h"

/*
 * Bytes of the header that every blob has and every libbpf knows. The structure is longer in newer
 * headers ("btf: Add BTF kind layout encoding to UAPI", 7.1).
 */
static const size_t known = offsetof(struct btf_header, str_len) + sizeof(uint32_t);

static uint32_t get_u32(const unsigned char *bytes, enum rbs_byte_order order)
{
	return (uint32_t)rbs_bytes_get(bytes, 4, order == RBS_BIG_ENDIAN);
}

static void put_u32(unsigned char *bytes, uint32_t value, enum rbs_byte_order order)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(value >> (order == RBS_BIG_ENDIAN ? 24 - 8 * i : 8 * i));
}

/* Check the header, and shorten a newer and longer one: libbpf 1.1.2 takes hdr_len as it comes. */
static enum rbs_code check_header(unsigned char *data, size_t *size, enum rbs_byte_order order,
				  struct rbs_error *err)
{
	struct btf_header header;
	uint16_t magic;

	if (*size < known)
		return rbs_error_set(err, RBS_CORRUPT, "BTF of only %zu bytes", *size);
	magic = (uint16_t)rbs_bytes_get(data, 2, order == RBS_BIG_ENDIAN);
	if (magic != BTF_MAGIC || data[2] != BTF_VERSION)
		return rbs_error_set(err, RBS_CORRUPT, "no BTF header (magic %#x, version %u)",
				     magic, data[2]);
	header.hdr_len = get_u32(data + 4, order);
	header.type_off = get_u32(data + 8, order);
	header.type_len = get_u32(data + 12, order);
	header.str_off = get_u32(data + 16, order);
	header.str_len = get_u32(data + 20, order);
	if (header.hdr_len < known || header.hdr_len > *size ||
	    (uint64_t)header.type_off + header.type_len > header.str_off ||
	    (uint64_t)header.str_off + header.str_len > *size - header.hdr_len)
		return rbs_error_set(err, RBS_CORRUPT, "BTF header exceeds its %zu bytes", *size);
	if (header.hdr_len == known)
		return RBS_OK;
	memmove(data + known, data + header.hdr_len + header.type_off, header.type_len);
	memmove(data + known + header.type_len, data + header.hdr_len + header.str_off,
		header.str_len);
	put_u32(data + 4, (uint32_t)known, order);
	put_u32(data + 8, 0, order);
	put_u32(data + 16, header.type_len, order);
	*size = known + header.type_len + header.str_len;
	return RBS_OK;
}

/*
 * btf__new_split() was declared by every libbpf, but exported only from 1.4 on (libbpf.map). Older
 * ones take split BTF from a file alone: one that exists in memory only.
 */
static struct btf *parse_split(const void *data, size_t size, struct btf *base)
{
#if LIBBPF_MAJOR_VERSION > 1 || (LIBBPF_MAJOR_VERSION == 1 && LIBBPF_MINOR_VERSION >= 4)
	return btf__new_split(data, (uint32_t)size, base);
#else
	struct btf *btf = NULL;
	char path[32];
	int fd = memfd_create("btf", MFD_CLOEXEC);

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		btf = btf__parse_raw_split(path, base);
	close(fd);
	return btf;
#endif
}

/*
 * libbpf's printing is a setting of the whole process: take it away for the one call that may
 * print, so that crash and other libraries keep theirs.
 */
static struct btf *parse_silently(const void *data, size_t size, struct btf *base)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *btf = base ? parse_split(data, size, base) : btf__new(data, (uint32_t)size);
	int saved = errno;

	libbpf_set_print(print);
	errno = saved;
	return btf;
}

enum rbs_code rbs_btf_parse(void *data, size_t size, struct btf *base,
			    enum rbs_byte_order byte_order, struct rbs_btf_blob_form *form,
			    struct rbs_error *err)
{
	const unsigned char *header = data;
	size_t given = size;
	enum rbs_code code = check_header(data, &size, byte_order, err);

	if (code)
		return code;
	if (size > RBS_BTF_SIZE_LIMIT)
		return rbs_error_set(err, RBS_LIMIT, "BTF of %zu bytes", size);
	form->btf = parse_silently(data, size, base);
	if (!form->btf)
		return rbs_error_set(err, errno == ENOMEM ? RBS_NOMEM : RBS_CORRUPT,
				     "libbpf cannot parse %zu bytes of BTF: %s", size,
				     strerror(errno));
	form->header_size = known;
	form->types_at = form->header_size + get_u32(header + 8, byte_order);
	form->strings_at = form->header_size + get_u32(header + 16, byte_order);
	form->strings_size = get_u32(header + 20, byte_order);
	form->moved = size != given;
	return RBS_OK;
}
