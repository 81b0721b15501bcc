/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "btf_samples.h"
#include "dwarf/btf_source.h"
#include "fake_sources.h"
#include "fake_target.h"

#define BTF_START UINT64_C(0xffffffff82400000)
#define LIST_HEAD UINT64_C(0xffffffff83000000)
#define ENTRIES UINT64_C(0xffff888003000000) /* one a page */
#define BLOBS UINT64_C(0xffff888004000000)

/* Offsets of sample_add_kernel(). */
#define ENTRY_LIST 8
#define ENTRY_MODULE 24
#define ENTRY_BTF 32
#define MODULE_NAME 24
#define BTF_DATA 0
#define BTF_DATA_SIZE 32

#define MODULES 3

/* A machine with the kernel's BTF and three modules that have BTF: virtio_ring, broken, tail. */
struct machine {
	struct rbs_target *target;
	struct rbs_symbols symbols;
	struct fake_symbol names[4];
	struct rbs_type_source *source;
};

static uint64_t entry_at(unsigned i)
{
	return ENTRIES + 0x1000 * (uint64_t)i;
}

static void link_list(struct machine *machine, unsigned count)
{
	uint64_t at = LIST_HEAD;

	for (unsigned i = 0; i < count; i++) {
		fake_target_put_pointer(machine->target, at, entry_at(i) + ENTRY_LIST);
		at = entry_at(i) + ENTRY_LIST;
	}
	fake_target_put_pointer(machine->target, at, LIST_HEAD);
}

/* struct btf_module, struct module and struct btf of one module, 256 bytes apart. */
static void write_entry(struct machine *machine, unsigned i, const char *name, uint64_t blob,
			size_t blob_size)
{
	uint64_t entry = entry_at(i), module = entry + 0x100, btf = entry + 0x200;

	fake_target_map_zeros(machine->target, entry, 0x300);
	fake_target_put_pointer(machine->target, entry + ENTRY_MODULE, module);
	fake_target_put_pointer(machine->target, entry + ENTRY_BTF, btf);
	fake_target_put_string(machine->target, module + MODULE_NAME, name);
	fake_target_put_pointer(machine->target, btf + BTF_DATA, blob);
	fake_target_put(machine->target, btf + BTF_DATA_SIZE, 4, blob_size);
}

static void write_module(struct machine *machine, unsigned i, const char *name, struct btf *base,
			 int offset)
{
	struct btf *btf = sample_begin(base);
	unsigned char *bytes;
	size_t size;
	uint64_t blob = BLOBS + 0x10000 * (uint64_t)i;

	btf__add_struct(btf, "shared", 64);
	btf__add_field(btf, "where", ID_LONG, (uint32_t)offset * 8, 0);
	btf__add_struct(btf, name, 8);
	btf__add_field(btf, "own", ID_INT, 32, 0);
	bytes = sample_bytes(btf, RBS_LITTLE_ENDIAN, &size);
	fake_target_map(machine->target, blob, bytes, size);
	write_entry(machine, i, name, blob, size);
	free(bytes);
	btf__free(btf);
}

static void machine_init(struct machine *machine)
{
	struct btf *kernel = sample_begin(NULL);
	unsigned char *bytes;
	size_t size;

	memset(machine, 0, sizeof(*machine));
	machine->target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	sample_add_scalars(kernel);
	sample_add_kernel(kernel);
	bytes = sample_bytes(kernel, RBS_LITTLE_ENDIAN, &size);
	fake_target_map(machine->target, BTF_START, bytes, size);
	fake_target_map_zeros(machine->target, LIST_HEAD, 16);
	write_module(machine, 0, "virtio_ring", kernel, 32);
	write_module(machine, 1, "broken", kernel, 40);
	write_module(machine, 2, "tail", kernel, 48);
	link_list(machine, MODULES);
	machine->names[0] = (struct fake_symbol){NULL, "__start_BTF", BTF_START};
	machine->names[1] = (struct fake_symbol){NULL, "__stop_BTF", BTF_START + size};
	machine->names[2] = (struct fake_symbol){NULL, "btf_modules", LIST_HEAD};
	rbs_symbols_init(&machine->symbols);
	rbs_symbols_add(&machine->symbols, fake_symbols_create(machine->names));
	free(bytes);
	btf__free(kernel);
}

static void machine_deinit(struct machine *machine)
{
	if (machine->source)
		machine->source->ops->destroy(machine->source);
	rbs_symbols_deinit(&machine->symbols);
	rbs_target_destroy(machine->target);
}

static void open_source(struct machine *machine)
{
	struct rbs_error err = {.code = RBS_OK};

	cr_assert_eq(rbs_btf_source_create(machine->target, &machine->symbols, NULL,
					   &machine->source, &err),
		     RBS_OK, "%s", err.text);
}

static enum rbs_code ask(struct machine *machine, const char *module, const char *type,
			 const char *path, uint64_t *offset, struct rbs_error *err)
{
	struct rbs_member member;
	enum rbs_code code;

	code = machine->source->ops->find_member(machine->source, module, type, path, &member, err);
	*offset = code ? UINT64_MAX : member.offset;
	return code;
}

static void expect_offset(struct machine *machine, const char *module, const char *type,
			  const char *path, uint64_t wanted)
{
	struct rbs_error err = {.code = RBS_OK};
	uint64_t offset;

	ask(machine, module, type, path, &offset, &err);
	cr_expect_eq(offset, wanted, "%s %s.%s at %llu: %s", module ? module : "kernel", type, path,
		     (unsigned long long)offset, err.text);
}

Test(btf_source, module_first_then_kernel)
{
	struct machine machine;
	uint64_t size;

	machine_init(&machine);
	open_source(&machine);
	cr_expect_str_eq(machine.source->ops->name, "btf");
	expect_offset(&machine, NULL, "shared", "where", 8);
	expect_offset(&machine, "virtio_ring", "shared", "where", 32);
	expect_offset(&machine, "virtio-ring", "shared", "where", 32);
	expect_offset(&machine, "tail", "shared", "where", 48);
	expect_offset(&machine, "tail", "tail", "own", 4);
	expect_offset(&machine, "tail", "module", "name", 24);
	expect_offset(&machine, "builtin", "shared", "where", 8);
	cr_assert_eq(machine.source->ops->find_size(machine.source, "tail", "shared", &size, NULL),
		     RBS_OK);
	cr_expect_eq(size, 64);
	machine_deinit(&machine);
}

Test(btf_source, module_without_btf)
{
	struct machine machine;
	struct rbs_error err;
	uint64_t offset;

	machine_init(&machine);
	open_source(&machine);
	cr_expect_eq(ask(&machine, "lttng_tracer", "lttng_session", "list", &offset, &err),
		     RBS_NO_TYPES);
	cr_expect_str_eq(err.text, "lttng_session is not in the kernel's BTF: module lttng_tracer "
				   "has no BTF");
	cr_expect_eq(ask(&machine, "tail", "virtio_ring", "own", &offset, &err), RBS_NO_TYPES);
	cr_expect_eq(ask(&machine, NULL, "tail", "own", &offset, &err), RBS_NO_TYPES);
	machine_deinit(&machine);
}

/* An array of none is no pointer to add to, not even 0: clang's sanitizer sees to that. */
Test(btf_source, kernel_of_no_modules)
{
	struct machine machine;
	struct rbs_error err = {.code = RBS_OK};
	uint64_t offset;

	machine_init(&machine);
	link_list(&machine, 0);
	open_source(&machine);
	cr_expect_eq(ask(&machine, "tail", "lttng_session", "list", &offset, &err), RBS_NO_TYPES);
	cr_expect_str_eq(err.text,
			 "lttng_session is not in the kernel's BTF: module tail has no BTF");
	machine_deinit(&machine);
}

Test(btf_source, broken_module_costs_only_itself)
{
	struct machine machine;
	struct rbs_error err;
	uint64_t offset;

	machine_init(&machine);
	fake_target_hole(machine.target, BLOBS + 0x10000, 0x10000, RBS_EXCLUDED);
	open_source(&machine);
	cr_expect_eq(ask(&machine, "broken", "broken", "own", &offset, &err), RBS_EXCLUDED);
	cr_expect(strstr(err.text, "BTF of module broken"), "text: %s", err.text);
	expect_offset(&machine, "broken", "module", "name", 24);
	expect_offset(&machine, "tail", "shared", "where", 48);
	machine_deinit(&machine);
}

Test(btf_source, damaged_blob_costs_only_its_module)
{
	struct machine machine;
	uint64_t offset;

	machine_init(&machine);
	fake_target_put(machine.target, BLOBS + 0x10000, 2, 0x1234); /* the magic */
	fake_target_put(machine.target, entry_at(0) + 0x200 + BTF_DATA_SIZE, 4, 0xffffffff);
	open_source(&machine);
	cr_expect_eq(ask(&machine, "broken", "broken", "own", &offset, NULL), RBS_CORRUPT);
	cr_expect_eq(ask(&machine, "virtio_ring", "virtio_ring", "own", &offset, NULL),
		     RBS_CORRUPT);
	expect_offset(&machine, "tail", "tail", "own", 4);
	machine_deinit(&machine);
}

Test(btf_source, entry_without_a_readable_name)
{
	struct machine machine;
	struct rbs_error err;
	uint64_t offset;

	machine_init(&machine);
	fake_target_hole(machine.target, entry_at(1) + 0x100, 0x100, RBS_UNMAPPED);
	open_source(&machine);
	expect_offset(&machine, "virtio_ring", "shared", "where", 32);
	expect_offset(&machine, "tail", "shared", "where", 48);
	/* It might have been any module. */
	cr_expect_eq(ask(&machine, "broken", "broken", "own", &offset, &err), RBS_UNMAPPED);
	cr_expect(strstr(err.text, "list of modules' BTF"), "text: %s", err.text);
	machine_deinit(&machine);
}

Test(btf_source, list_that_breaks_off)
{
	struct machine machine;
	uint64_t offset;

	machine_init(&machine);
	fake_target_put_pointer(machine.target, entry_at(1) + ENTRY_LIST, 0x10);
	open_source(&machine);
	expect_offset(&machine, "broken", "shared", "where", 40);
	cr_expect_eq(ask(&machine, "tail", "tail", "own", &offset, NULL), RBS_UNMAPPED);
	machine_deinit(&machine);
}

Test(btf_source, list_that_turns_in_a_circle, .timeout = 10)
{
	struct machine machine;
	uint64_t offset;

	machine_init(&machine);
	fake_target_put_pointer(machine.target, entry_at(2) + ENTRY_LIST, entry_at(1) + ENTRY_LIST);
	open_source(&machine);
	expect_offset(&machine, "tail", "shared", "where", 48);
	cr_expect_eq(ask(&machine, "nosuch", "tail", "own", &offset, NULL), RBS_CORRUPT);
	machine_deinit(&machine);
}

static enum rbs_code try_open(struct machine *machine, struct rbs_error *err)
{
	return rbs_btf_source_create(machine->target, &machine->symbols, NULL, &machine->source,
				     err);
}

Test(btf_source, kernel_without_btf)
{
	struct machine machine;
	struct rbs_error err;

	machine_init(&machine);
	machine.names[0].name = "nothing";
	cr_expect_eq(try_open(&machine, &err), RBS_NO_TYPES);
	cr_expect(strstr(err.text, "__start_BTF"), "text: %s", err.text);
	machine_deinit(&machine);
}

Test(btf_source, excluded_page)
{
	struct machine machine;
	struct rbs_error err;

	machine_init(&machine);
	fake_target_hole(machine.target, BTF_START + 64, 8, RBS_EXCLUDED);
	cr_expect_eq(try_open(&machine, &err), RBS_EXCLUDED);
	cr_expect(strstr(err.text, "the kernel's BTF"), "text: %s", err.text);
	machine_deinit(&machine);
}

Test(btf_source, impossible_bounds)
{
	struct machine machine;

	machine_init(&machine);
	machine.names[1].address = BTF_START - 1;
	cr_expect_eq(try_open(&machine, NULL), RBS_CORRUPT);
	machine.names[1].address = BTF_START;
	cr_expect_eq(try_open(&machine, NULL), RBS_NO_TYPES);
	machine.names[1].address = BTF_START + (UINT64_C(1) << 40);
	cr_expect_eq(try_open(&machine, NULL), RBS_CORRUPT);
	machine_deinit(&machine);
}

Test(btf_source, interrupted_walk_is_made_again)
{
	struct machine machine;
	uint64_t offset;

	machine_init(&machine);
	open_source(&machine);
	fake_target_interrupt(machine.target, true);
	cr_expect_eq(ask(&machine, "tail", "tail", "own", &offset, NULL), RBS_INTERRUPTED);
	fake_target_interrupt(machine.target, false);
	expect_offset(&machine, "tail", "tail", "own", 4);
	machine_deinit(&machine);
}
