/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The floor of tests/bench/run: what reading a dump costs at the least.
 *
 *	floor DUMP PAGES         libkdumpfile reads the pages (frame numbers, one a line), no more
 *	floor DUMP PAGES decode  before that, kallsyms and BTF are read and decoded: each name is
 *	                         expanded, and libbpf parses the types
 *
 * For the kernels of the benchmark's dumps: VMCOREINFO names kallsyms' tables (6.0 and later), and
 * addresses are kept absolute per CPU (x86, before 6.15). It checks nothing, as rbstats must.
 */
#include <bpf/btf.h>
#include <fcntl.h>
#include <libkdumpfile/kdumpfile.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

static kdump_ctx_t *dump;

static void check(kdump_status status, const char *what)
{
	if (status == KDUMP_OK)
		return;
	fprintf(stderr, "floor: %s: %s\n", what, kdump_get_err(dump));
	exit(1);
}

static void *read_virtual(uint64_t address, size_t size)
{
	void *bytes = malloc(size);
	size_t got = size;

	if (!bytes)
		exit(1);
	check(kdump_read(dump, KDUMP_KVADDR, address, bytes, &got), "reading memory");
	return bytes;
}

static uint64_t symbol(const char *name)
{
	kdump_addr_t value;

	check(kdump_vmcoreinfo_symbol(dump, name, &value), name);
	return value;
}

/* Expand all names, and find where BTF is. */
static void decode_kallsyms(uint64_t *start, uint64_t *stop)
{
	uint64_t names_at = symbol("kallsyms_names"), tokens_at = symbol("kallsyms_token_table");
	uint64_t index_at = symbol("kallsyms_token_index");
	uint32_t *count = read_virtual(symbol("kallsyms_num_syms"), sizeof(*count));
	int32_t *offsets = read_virtual(symbol("kallsyms_offsets"), 4 * (size_t)*count);
	uint64_t *base = read_virtual(symbol("kallsyms_relative_base"), sizeof(*base));
	uint8_t *names = read_virtual(names_at, tokens_at - names_at), *at = names;
	char *tokens = read_virtual(tokens_at, index_at - tokens_at);
	uint16_t *index = read_virtual(index_at, 512);

	for (uint32_t i = 0; i < *count; i++) {
		uint64_t address = offsets[i] >= 0 ? (uint64_t)offsets[i]
						   : *base - 1 - (uint64_t)(int64_t)offsets[i];
		unsigned length = *at++;
		char name[1024], *end = name;

		if (length & 0x80)
			length = (length & 0x7f) | (unsigned)*at++ << 7;
		for (; length; length--)
			end = stpcpy(end, tokens + index[*at++]);
		if (!strcmp(name + 1, "__start_BTF"))
			*start = address;
		if (!strcmp(name + 1, "__stop_BTF"))
			*stop = address;
	}
	free(index);
	free(tokens);
	free(names);
	free(base);
	free(offsets);
	free(count);
}

static void decode(void)
{
	uint64_t start = 0, stop = 0;
	struct btf *btf;
	void *bytes;

	check(kdump_set_string_attr(dump, KDUMP_ATTR_OSTYPE, "linux"), "Linux");
	decode_kallsyms(&start, &stop);
	bytes = read_virtual(start, stop - start);
	btf = btf__new(bytes, (uint32_t)(stop - start));
	if (!btf || btf__find_by_name_kind(btf, "module", BTF_KIND_STRUCT) < 0)
		exit(1);
	btf__free(btf);
	free(bytes);
}

int main(int argc, char **argv)
{
	unsigned long count = 0, sum = 0, frame;
	char page[PAGE];
	FILE *pages;
	int fd;

	if (argc < 3)
		return 1;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	pages = fopen(argv[2], "r");
	dump = kdump_new();
	if (fd < 0 || !pages || !dump)
		return 1;
	check(kdump_set_number_attr(dump, "cache.size", 4096), "cache");
	check(kdump_open_fd(dump, fd), argv[1]);
	if (argc > 3)
		decode();
	while (fscanf(pages, "%lu", &frame) == 1) {
		size_t got = PAGE;

		check(kdump_read(dump, KDUMP_MACHPHYSADDR, (uint64_t)frame * PAGE, page, &got),
		      "reading a page");
		sum += (unsigned char)page[frame % PAGE];
		count++;
	}
	printf("%lu pages, checksum %lu\n", count, sum);
	fclose(pages);
	kdump_free(dump);
	return 0;
}
