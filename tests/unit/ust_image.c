/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ust_image.h"

#include <criterion/criterion.h>
#include <string.h>

#include "fake_members.h"
#include "fake_sources.h"
#include "lib/probe.h"

#define KERNEL UINT64_C(0xffff888000000000)
#define VARIABLES KERNEL
#define INIT_TASK (KERNEL + 0x1000)
#define CONSUMER (KERNEL + 0x1100)
#define PROGRAM (KERNEL + 0x1200)
#define CRED (KERNEL + 0x1300)
#define MM(task) ((task) + 0x400)
#define AREA(task) ((task) + 0x1300)
#define FILE_AT (KERNEL + 0x2000)
#define SPACE (KERNEL + 0x3000)
#define INODE (KERNEL + 0x3100)
#define DENTRY (KERNEL + 0x3200)
#define ROOT (KERNEL + 0x3300)
#define SUPER_BLOCK (KERNEL + 0x3400)
#define TYPE (KERNEL + 0x3500)
#define TEXT (KERNEL + 0x3600)
#define PAGE_MAP UINT64_C(0xffffea0000000000)
#define PAGE_STRUCT 64
#define FRAMES 64

static const struct fake_type types[] = {
	{NULL, "task_struct", "tasks", STRUCT(0x10, 16)},
	{NULL, "task_struct", "tgid", INT(0x20, 4)},
	{NULL, "task_struct", "comm", INT(0x28, 16)},
	{NULL, "task_struct", "mm", POINTER(0x38)},
	{NULL, "task_struct", "real_cred", POINTER(0x40)},
	{NULL, "task_struct", "real_parent", POINTER(0x48)},
	{NULL, "cred", "uid", INT(0, 4)},
	{NULL, "mm_struct", "mmap", POINTER(0)},
	{NULL, "mm_struct", "pgd", POINTER(8)},
	{NULL, "vm_area_struct", "vm_start", INT(0, 8)},
	{NULL, "vm_area_struct", "vm_end", INT(8, 8)},
	{NULL, "vm_area_struct", "vm_next", POINTER(0x10)},
	{NULL, "vm_area_struct", "vm_mm", POINTER(0x18)},
	{NULL, "vm_area_struct", "vm_flags", INT(0x20, 8)},
	{NULL, "vm_area_struct", "vm_pgoff", INT(0x28, 8)},
	{NULL, "vm_area_struct", "vm_file", POINTER(0x30)},
	{NULL, "vm_area_struct", "shared.rb", STRUCT(0x38, 24)},
	{NULL, "rb_node", "rb_right", POINTER(8)},
	{NULL, "rb_node", "rb_left", POINTER(16)},
	{NULL, "file", "f_mapping", POINTER(0)},
	{NULL, "file", "f_path.dentry", POINTER(8)},
	{NULL, "address_space", "host", POINTER(0)},
	{NULL, "address_space", "i_pages", STRUCT(8, 16)},
	{NULL, "address_space", "i_mmap.rb_root.rb_node", POINTER(0x20)},
	{NULL, "xarray", "xa_head", POINTER(8)},
	{NULL, "xa_node", "shift", INT(0, 1)},
	{NULL,
	 "xa_node",
	 "slots",
	 {.offset = 0x10, .size = 512, .count = 64, .element_size = 8, .kind = RBS_KIND_ARRAY}},
	{NULL, "inode", "i_mode", INT(0, 2)},
	{NULL, "inode", "i_ino", INT(8, 8)},
	{NULL, "inode", "i_size", INT(0x10, 8)},
	{NULL, "inode", "i_mapping", POINTER(0x18)},
	{NULL, "inode", "i_sb_list", STRUCT(0x20, 16)},
	{NULL, "inode", "i_dentry.first", POINTER(0x30)},
	{NULL, "inode", "i_sb", POINTER(0x38)},
	{NULL, "super_block", "s_dev", INT(0x28, 4)},
	{NULL, "dentry", "d_parent", POINTER(0)},
	{NULL, "dentry", "d_name.name", POINTER(8)},
	{NULL, "dentry", "d_u.d_alias", STRUCT(0x10, 16)},
	{NULL, "super_block", "s_list", STRUCT(0, 16)},
	{NULL, "super_block", "s_type", POINTER(0x10)},
	{NULL, "super_block", "s_inodes", STRUCT(0x18, 16)},
	{NULL, "file_system_type", "name", POINTER(0)},
	{NULL, "page", NULL, STRUCT_SIZE(PAGE_STRUCT)},
	{NULL, "page", "compound_head", INT(8, 8)},
	{NULL, "page", "mapping", POINTER(0x18)},
	{NULL, "page", "index", INT(0x20, 8)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_symbol symbols[] = {
	{NULL, "init_task", INIT_TASK},
	{NULL, "super_blocks", UST_SUPER_BLOCKS},
	{NULL, "vmemmap_base", VARIABLES + 8},
	{NULL, "max_pfn", VARIABLES + 16},
	{NULL, NULL, 0},
};

static void pointer(struct ust_image *image, uint64_t at, uint64_t value)
{
	fake_target_put_pointer(image->target, at, value);
}

static void task_put(struct ust_image *image, uint64_t task, const char *name, int pid,
		     uint64_t start)
{
	fake_target_list_append(image->target, UST_TASKS, task + 0x10);
	fake_target_put(image->target, task + 0x20, 4, (uint64_t)pid);
	fake_target_put_string(image->target, task + 0x28, name);
	pointer(image, task + 0x38, MM(task));
	pointer(image, task + 0x40, CRED);
	pointer(image, MM(task), AREA(task));
	pointer(image, AREA(task), start);
	pointer(image, AREA(task) + 8, start + UST_PAGES * 4096);
	pointer(image, AREA(task) + 0x18, MM(task));
	pointer(image, AREA(task) + 0x20, 8); /* VM_SHARED */
	pointer(image, AREA(task) + 0x30, FILE_AT);
}

/* Pages of the file lie two frames apart. */
static unsigned frame(unsigned index)
{
	return 8 + 2 * index;
}

uint64_t ust_image_page(unsigned index)
{
	return PAGE_MAP + frame(index) * PAGE_STRUCT;
}

static void kernel_put(struct ust_image *image)
{
	pointer(image, VARIABLES + 8, PAGE_MAP);
	pointer(image, VARIABLES + 16, FRAMES);
	fake_target_list_init(image->target, UST_TASKS);
	task_put(image, CONSUMER, "lttng-consumerd", 121, 0x7f0000000000);
	task_put(image, PROGRAM, "program", 163, 0x7f1000000000);
	/* The consumer's area is the tree's root, the program's its left child. */
	pointer(image, SPACE + 0x20, AREA(CONSUMER) + 0x38);
	pointer(image, AREA(CONSUMER) + 0x38 + 16, AREA(PROGRAM) + 0x38);
	fake_target_put(image->target, CRED, 4, 1000);
	pointer(image, FILE_AT, SPACE);
	pointer(image, SPACE, INODE);
	pointer(image, UST_XA_HEAD, UST_XA_NODE + 2);
	fake_target_put(image->target, INODE, 2, 0100600);
	pointer(image, INODE + 8, UST_INODE);
	pointer(image, INODE + 0x10, UST_PAGES * 4096);
	pointer(image, INODE + 0x18, SPACE);
	pointer(image, INODE + 0x30, DENTRY + 0x10);
	pointer(image, INODE + 0x38, SUPER_BLOCK);
	fake_target_put(image->target, SUPER_BLOCK + 0x28, 4, 23);
	pointer(image, DENTRY, ROOT);
	pointer(image, DENTRY + 8, TEXT);
	pointer(image, ROOT, ROOT);
	pointer(image, ROOT + 8, TEXT + 0x40);
	fake_target_put_string(image->target, TEXT, "shm-ust-consumer-121");
	fake_target_put_string(image->target, TEXT + 0x40, "/");
	fake_target_put_string(image->target, TEXT + 0x60, "tmpfs");
	pointer(image, TYPE, TEXT + 0x60);
	fake_target_list_init(image->target, UST_SUPER_BLOCKS);
	fake_target_list_append(image->target, UST_SUPER_BLOCKS, SUPER_BLOCK);
	pointer(image, SUPER_BLOCK + 0x10, TYPE);
	fake_target_list_init(image->target, SUPER_BLOCK + 0x18);
	fake_target_list_append(image->target, SUPER_BLOCK + 0x18, INODE + 0x20);
	for (unsigned i = 0; i < UST_PAGES; i++) {
		pointer(image, UST_XA_SLOT(i), ust_image_page(i));
		pointer(image, ust_image_page(i) + 0x18, SPACE);
		pointer(image, ust_image_page(i) + 0x20, i);
	}
}

void ust_image_put(struct ust_image *image, size_t at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		image->memory[at + (image->big_endian ? size - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

/* A reference into the second file of the process's table. */
static void reference_put(struct ust_image *image, size_t at, uint64_t place)
{
	ust_image_put(image, at, image->word, 2);
	ust_image_put(image, at + image->word, image->word, place);
}

/* struct lttng_crash_abi, member by member. */
static void table_put(struct ust_image *image)
{
	static const uint8_t magic[] = {0x17, 0x7b, 0xf1, 0x77, 0xbf, 0x17, 0x7b, 0xf1,
					0x77, 0xbf, 0x17, 0x7b, 0xf1, 0x77, 0xbf, 0x17};
	unsigned w = image->word;
	const uint32_t offsets[] = {
		128, w == 8 ? 152 : 140, UST_HOT, w, UST_WSB, 0, UST_ARRAY, w, 5 * w, 48, 56};

	memcpy(image->memory, magic, sizeof(magic));
	ust_image_put(image, 16, 8, sizeof(image->memory));
	ust_image_put(image, 24, 2, 0x1234);
	ust_image_put(image, 30, 1, w);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		ust_image_put(image, 32 + 4 * i, 4, offsets[i]);
	memset(image->memory + 76, (int)w, 6);
	memset(image->memory + 82, 8, 2);
	ust_image_put(image, 84, 4, 128);
	ust_image_put(image, 88, 4, w);
	ust_image_put(image, 92, 4, 2 * w);
	ust_image_put(image, 96, 8, UST_SUBBUFS * UST_SUBBUF_SIZE);
	ust_image_put(image, 104, 8, UST_SUBBUF_SIZE);
	ust_image_put(image, 112, 8, UST_SUBBUFS);
	ust_image_put(image, 120, 4, 1);
}

static void packet_put(struct ust_image *image, unsigned index, uint64_t content)
{
	size_t at = UST_DATA + index * UST_SUBBUF_SIZE;

	ust_image_put(image, at, 4, 0xc1fc1fc1);
	memset(image->memory + at + 4, 0xab, 16);
	ust_image_put(image, at + 20, 4, 3);
	ust_image_put(image, at + 32, 8, 1000 + index);
	ust_image_put(image, at + 40, 8, 2000 + index);
	ust_image_put(image, at + 48, 8, content);
	ust_image_put(image, at + 56, 8, content == UINT64_MAX ? content : 32768);
	ust_image_put(image, at + 64, 8, index);
	ust_image_put(image, at + 72, image->word, 9 + index);
}

static void memory_put(struct ust_image *image, unsigned index)
{
	unsigned word = image->word;

	reference_put(image, UST_ARRAY + 2 * word * index, UST_BACKEND + 64 * index);
	reference_put(image, UST_BACKEND + 64 * index + 4 * word,
		      UST_DATA + UST_SUBBUF_SIZE * index);
}

void ust_image_spare(struct ust_image *image, unsigned index)
{
	memory_put(image, index);
	packet_put(image, index, 30000);
}

void ust_image_init(struct ust_image *image, enum rbs_byte_order order, unsigned word)
{
	bool wide = word == 8;

	memset(image, 0, sizeof(*image));
	image->word = word;
	image->big_endian = order == RBS_BIG_ENDIAN;
	image->target = fake_target_create(order, 8);
	fake_target_map_zeros(image->target, KERNEL, 0x6000);
	fake_target_map_zeros(image->target, PAGE_MAP, FRAMES * PAGE_STRUCT);
	rbs_dump_init(&image->dump, image->target);
	rbs_types_add(&image->dump.types, fake_types_create(types, NULL));
	rbs_symbols_add(&image->dump.symbols, fake_symbols_create(symbols));
	kernel_put(image);
	table_put(image);
	ust_image_put(image, 128, word, 5000);
	/* Places of 2.11 to 2.14, by compiling its headers (lib/ust/release.c says how). */
	reference_put(image, wide ? 136 : 132, UST_HOT);
	reference_put(image, wide ? 176 : 152, UST_WSB);
	reference_put(image, wide ? 200 : 164, UST_COUNTS);
	reference_put(image, wide ? 216 : 172, UST_ARRAY);
	ust_image_put(image, wide ? 264 : 196, 4, 5); /* cpu */
	reference_put(image, wide ? 352 : 272, UST_COLD);
	ust_image_put(image, wide ? 392 : 292, word, 700);
	ust_image_put(image, wide ? 400 : 296, word, 2);
	ust_image_put(image, wide ? 408 : 300, word, 7);
	reference_put(image, wide ? 472 : 332, 0);
	for (unsigned i = 0; i < UST_SUBBUFS; i++) {
		ust_image_put(image, UST_WSB + word * i, word, i);
		memory_put(image, i);
	}
	ust_image_put(image, UST_HOT, word, 4096);
	ust_image_put(image, UST_HOT + word, word, 4096);
	ust_image_put(image, UST_COLD, word, 4096);
	ust_image_put(image, UST_HOT + 128, word, 900);
	ust_image_put(image, UST_HOT + 128 + word, word, 900);
	packet_put(image, 0, 32000);
	packet_put(image, 1, UINT64_MAX);
}

void ust_image_deinit(struct ust_image *image)
{
	rbs_report_destroy(image->report);
	rbs_dump_deinit(&image->dump);
}

void ust_image_build(struct ust_image *image)
{
	for (unsigned i = 0; i < UST_PAGES; i++)
		fake_target_map_physical(image->target, frame(i) * UINT64_C(4096),
					 image->memory + i * 4096, 4096);
}

const struct rbs_section *ust_image_show(struct ust_image *image, bool scan)
{
	const struct rbs_probe *probe = rbs_probe_find("lttng-ust");
	struct rbs_probe_context context = {.dump = &image->dump, .verbose = true, .scan = scan};
	struct rbs_error error;
	bool absent = false;

	rbs_report_destroy(image->report);
	image->report = rbs_report_create(&image->target->info);
	context.section = rbs_report_add_section(image->report, probe->family);
	cr_assert(probe->run(&context, &absent, &error) == RBS_OK || absent, "%s", error.text);
	return context.section;
}

const struct rbs_node *ust_image_channel(const struct rbs_section *section)
{
	const struct rbs_node *device = rbs_node_child(section->node, "lttng-consumerd-121");

	cr_assert_not_null(device);
	return rbs_node_child(device, "abababab-3");
}

const struct rbs_node *ust_image_ring(const struct rbs_section *section)
{
	const struct rbs_node *channel = ust_image_channel(section);

	cr_assert_not_null(channel);
	return rbs_node_child(channel, "cpu5");
}
