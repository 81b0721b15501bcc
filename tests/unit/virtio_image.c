/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake_members.h"
#include "virtio_image.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe.h"

#define BUS 0xffffffff82001000
#define SUBSYS 0xffff888000002000
#define KSET_POINTER 0xffffffff82002000
#define KSET 0xffff888000003000
#define DEVICES 0xffff888000100000 /* a page each */
#define PRIVATES 0xffff888000200000
#define QUEUES 0xffff888000300000
#define STRINGS 0xffff888000400000
#define RINGS 0xffff888001000000

#define DEVICE_TYPES                                                                               \
	{NULL, "bus_type", "p", POINTER(0x28)},                                                    \
		{NULL, "subsys_private", "klist_devices.k_list", STRUCT(0x88, 16)},                \
		{NULL, "device_private", "knode_bus.n_node", STRUCT(0x48, 16)},                    \
		{NULL, "device_private", "device", POINTER(0x90)},                                 \
		{NULL, "device", "kobj.name", POINTER(0x18)},                                      \
		{NULL, "device", "kobj", STRUCT(0x08, 0x40)},                                      \
		{NULL, "kobject", "entry", STRUCT(0x20, 16)},                                      \
		{NULL, "kset", "list", STRUCT(0x10, 16)}, {NULL, "device", "bus", POINTER(0x68)},  \
		{NULL, "device", "parent", POINTER(0x50)},                                         \
		{NULL, "device", "driver", POINTER(0x70)},                                         \
		{NULL, "device_driver", "name", POINTER(0x08)},                                    \
		{NULL, "virtio_device", "failed", INT(0x04, 1)},                                   \
		{NULL, "virtio_device", "dev", STRUCT(0x20, 0x300)},                               \
		{NULL, "virtio_device", "id.device", INT(0x340, 4)},                               \
		{NULL, "virtio_device", "vqs", STRUCT(0x368, 16)},                                 \
		{NULL, "virtio_device", "features", INT(0x380, 8)},                                \
		{NULL, "virtio_device", "priv", POINTER(0x388)},                                   \
		{NULL, "virtqueue", "list", STRUCT(0x10, 16)},                                     \
		{NULL, "virtqueue", "name", POINTER(0x28)},                                        \
		{NULL, "virtqueue", "index", INT(0x30, 4)},                                        \
	{                                                                                          \
		NULL, "vring_virtqueue", "vq", STRUCT(0x08, 0x60)                                  \
	}

#define FLAG_TYPES                                                                                 \
	{"virtio_ring", "vring_virtqueue", "broken", INT(0x70, 1)},                                \
		{"virtio_ring", "vring_virtqueue", "indirect", INT(0x71, 1)},                      \
		{"virtio_ring", "vring_virtqueue", "event", INT(0x72, 1)},                         \
	{                                                                                          \
		"virtio_ring", "vring_virtqueue", "num_added", INT(0x74, 4)                        \
	}

#define SPLIT_TYPES                                                                                \
	{NULL, "virtqueue", "num_free", INT(0x34, 4)},                                             \
		{"virtio_ring", "vring_virtqueue", "use_dma_api", INT(0x73, 1)},                   \
		{"virtio_ring", "vring_virtqueue", "split.vring.num", INT(0x90, 4)},               \
		{"virtio_ring", "vring_virtqueue", "split.vring.desc", POINTER(0x98)},             \
		{"virtio_ring", "vring_virtqueue", "split.vring.avail", POINTER(0xa0)},            \
		{"virtio_ring", "vring_virtqueue", "split.vring.used", POINTER(0xa8)},             \
		{"virtio_ring", "vring_virtqueue", "split.avail_flags_shadow", INT(0xb0, 2)},      \
		{"virtio_ring", "vring_virtqueue", "split.avail_idx_shadow", INT(0xb2, 2)},        \
		{"virtio_ring", "vring_virtqueue", "split.desc_state", POINTER(0xb8)},             \
		{"virtio_ring", "vring_virtqueue", "split.queue_dma_addr", INT(0xc0, 8)},          \
		{"virtio_ring", "vring_desc_state_split", NULL, STRUCT_SIZE(24)},                  \
		{"virtio_ring", "vring_desc_state_split", "data", POINTER(0)},                     \
	{                                                                                          \
		"virtio_ring", "vring_desc_state_split", "indir_desc", POINTER(8)                  \
	}

#define PACKED_TYPES                                                                               \
	{"virtio_ring", "vring_virtqueue", "packed.vring.num", INT(0x94, 4)},                      \
		{"virtio_ring", "vring_virtqueue", "packed.vring.desc", POINTER(0x98)},            \
		{"virtio_ring", "vring_virtqueue", "packed.vring.driver", POINTER(0xa8)},          \
		{"virtio_ring", "vring_virtqueue", "packed.vring.device", POINTER(0xb0)},          \
		{"virtio_ring", "vring_virtqueue", "packed.avail_wrap_counter", INT(0xb8, 1)},     \
		{"virtio_ring", "vring_virtqueue", "packed.next_avail_idx", INT(0xbc, 2)},         \
		{"virtio_ring", "vring_virtqueue", "packed.desc_state", POINTER(0xc8)},            \
		{"virtio_ring", "vring_virtqueue", "packed.ring_dma_addr", INT(0xd0, 8)},          \
		{"virtio_ring", "vring_virtqueue", "packed.driver_event_dma_addr", INT(0xd8, 8)},  \
		{"virtio_ring", "vring_virtqueue", "packed.device_event_dma_addr", INT(0xe0, 8)},  \
		{"virtio_ring", "vring_desc_state_packed", NULL, STRUCT_SIZE(40)},                 \
		{"virtio_ring", "vring_desc_state_packed", "data", POINTER(8)},                    \
		{"virtio_ring", "vring_desc_state_packed", "indir_desc", POINTER(16)},             \
	{                                                                                          \
		"virtio_ring", "vring_desc_state_packed", "num", INT(26, 2)                        \
	}

#define DRIVER_TYPES                                                                               \
	{"virtio_net", "virtnet_info", "dev", POINTER(0x10)},                                      \
		{"virtio_net", "virtnet_info", "sq", POINTER(0x18)},                               \
		{"virtio_net", "virtnet_info", "rq", POINTER(0x20)},                               \
		{"virtio_net", "virtnet_info", "max_queue_pairs", INT(0x28, 2)},                   \
		{"virtio_net", "virtnet_info", "ctrl", POINTER(0x30)},                             \
		{"virtio_net", "virtnet_info", "device_stats_cap", INT(0x38, 8)},                  \
		{"virtio_net", "virtnet_info", "cvq_lock.owner", INT(0x40, 8)},                    \
		{NULL, "net_device", "name", STRUCT(0x30, 16)},                                    \
		{"virtio_net", "send_queue", NULL, STRUCT_SIZE(0x80)},                             \
		{"virtio_net", "send_queue", "vq", POINTER(0x08)},                                 \
		{"virtio_net", "send_queue", "stats", STRUCT(0x20, 0x40)},                         \
		{"virtio_net", "send_queue", "stats.packets", INT(0x20, 8)},                       \
		{"virtio_net", "send_queue", "stats.bytes", INT(0x28, 8)},                         \
		{"virtio_net", "send_queue", "stats.kicks", INT(0x30, 8)},                         \
		{"virtio_net", "receive_queue", NULL, STRUCT_SIZE(0x100)},                         \
		{"virtio_net", "receive_queue", "vq", POINTER(0x10)},                              \
		{"virtio_net", "receive_queue", "stats", STRUCT(0x40, 0x40)},                      \
		{"virtio_net", "receive_queue", "stats.packets", INT(0x48, 8)},                    \
		{"virtio_net", "receive_queue", "stats.bytes", INT(0x40, 8)},                      \
		{"virtio_net", "receive_queue", "stats.drops", INT(0x50, 8)},                      \
		{"virtio_blk", "virtio_blk", "disk", POINTER(0x20)},                               \
		{NULL, "gendisk", "disk_name", STRUCT(0x0c, 32)},                                  \
		{"virtio_blk", "virtblk_req", "out_hdr.type", INT(0x10, 4)},                       \
	{                                                                                          \
		"virtio_blk", "virtblk_req", "out_hdr.sector", INT(0x18, 8)                        \
	}

static const struct fake_type types_a[] = {
	DEVICE_TYPES,
	FLAG_TYPES,
	{"virtio_ring", "vring_virtqueue", "num_free", INT(0x78, 4)},
	{"virtio_ring", "vring_virtqueue", "vring.num", INT(0x90, 4)},
	{"virtio_ring", "vring_virtqueue", "vring.desc", POINTER(0x98)},
	{"virtio_ring", "vring_virtqueue", "vring.avail", POINTER(0xa0)},
	{"virtio_ring", "vring_virtqueue", "vring.used", POINTER(0xa8)},
	{"virtio_ring", "vring_virtqueue", "last_used_idx", INT(0x7c, 2)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_type types_b[] = {
	DEVICE_TYPES,
	FLAG_TYPES,
	SPLIT_TYPES,
	{"virtio_ring", "vring_virtqueue", "last_used_idx", INT(0x7c, 2)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_type types_c[] = {
	DEVICE_TYPES,
	FLAG_TYPES,
	SPLIT_TYPES,
	PACKED_TYPES,
	{"virtio_ring", "vring_virtqueue", "last_used_idx", INT(0x7c, 2)},
	{"virtio_ring", "vring_virtqueue", "packed_ring", INT(0x7f, 1)},
	{"virtio_ring", "vring_virtqueue", "packed.used_wrap_counter", INT(0xb9, 1)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_type types_d[] = {
	DEVICE_TYPES,
	FLAG_TYPES,
	SPLIT_TYPES,
	PACKED_TYPES,
	DRIVER_TYPES,
	{"virtio_ring", "vring_virtqueue", "last_used_idx", INT(0x7c, 2)},
	{"virtio_ring", "vring_virtqueue", "packed_ring", INT(0x7f, 1)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_type types_e[] = {
	DEVICE_TYPES,
	FLAG_TYPES,
	SPLIT_TYPES,
	PACKED_TYPES,
	{"virtio_ring", "vring_virtqueue", "last_used_idx", INT(0x7c, 2)},
	{"virtio_ring", "vring_virtqueue", "layout", INT(0x80, 4)},
	{"virtio_ring", "vring_virtqueue", "batch_last.id", INT(0x84, 4)},
	{"virtio_ring", "vring_virtqueue", "batch_last.len", INT(0x88, 4)},
	{NULL, NULL, NULL, {0}},
};
static const struct fake_enumerator enumerators_e[] = {
	{"vq_layout", "VQ_LAYOUT_SPLIT", 0},
	{"vq_layout", "VQ_LAYOUT_PACKED", 1},
	{"vq_layout", "VQ_LAYOUT_SPLIT_IN_ORDER", 2},
	{"vq_layout", "VQ_LAYOUT_PACKED_IN_ORDER", 3},
	{NULL, NULL, 0},
};

static const struct fake_type *const shapes[] = {
	[SHAPE_A] = types_a, [SHAPE_B] = types_b, [SHAPE_C] = types_c,
	[SHAPE_D] = types_d, [SHAPE_E] = types_e,
};

static const struct fake_symbol symbols[] = {
	{"virtio", "virtio_bus", BUS},
	{NULL, "devices_kset", KSET_POINTER},
	{NULL, NULL, 0},
};

static const struct rbs_member *member_find(const struct virtio_image *image, const char *type,
					    const char *path)
{
	for (const struct fake_type *entry = image->types; entry->type; entry++) {
		if (!strcmp(entry->type, type) && entry->path && !strcmp(entry->path, path))
			return &entry->member;
	}
	cr_log_error("no %s.%s in this shape\n", type, path);
	abort();
}

uint64_t image_offset(const struct virtio_image *image, const char *type, const char *path)
{
	return member_find(image, type, path)->offset;
}

void image_put(struct virtio_image *image, const char *type, const char *path, uint64_t base,
	       uint64_t value)
{
	const struct rbs_member *member = member_find(image, type, path);

	fake_target_put(image->target, base + member->offset, member->size, value);
}

void image_init(struct virtio_image *image, enum virtio_shape shape, enum rbs_byte_order order)
{
	uint64_t head = SUBSYS + 0x88;

	*image = (struct virtio_image){.types = shapes[shape], .next_ring = RINGS};
	image->target = fake_target_create(order, 8);
	rbs_dump_init(&image->dump, image->target);
	rbs_symbols_add(&image->dump.symbols, fake_symbols_create(symbols));
	rbs_types_add(&image->dump.types,
		      fake_types_create(image->types, shape == SHAPE_E ? enumerators_e : NULL));
	fake_target_map_zeros(image->target, BUS, 0x100);
	fake_target_map_zeros(image->target, SUBSYS, 0x200);
	fake_target_map_zeros(image->target, KSET_POINTER, 8);
	fake_target_map_zeros(image->target, KSET, 0x100);
	fake_target_map_zeros(image->target, STRINGS, 0x10000);
	fake_target_map_zeros(image->target, DEVICES, 0x10000);
	fake_target_map_zeros(image->target, PRIVATES, 0x10000);
	fake_target_map_zeros(image->target, QUEUES, 0x10000);
	image_put(image, "bus_type", "p", BUS, SUBSYS);
	fake_target_list_init(image->target, head);
	fake_target_put_pointer(image->target, KSET_POINTER, KSET);
	fake_target_list_init(image->target, KSET + 0x10);
	image->last_device = head;
}

void image_free(struct virtio_image *image)
{
	rbs_report_destroy(image->report);
	rbs_dump_deinit(&image->dump);
}

uint64_t image_string(struct virtio_image *image, const char *text)
{
	static const uint64_t room = 0x400;
	uint64_t address = STRINGS + room * (image->devices + 4 * image->queues + 1);

	if (strlen(text) >= room || address + room > STRINGS + 0x10000)
		abort();
	fake_target_put_string(image->target, address, text);
	return address;
}

uint64_t image_device(struct virtio_image *image, const char *name, uint64_t id, uint64_t features)
{
	uint64_t device = DEVICES + 0x1000 * image->devices;
	uint64_t private = PRIVATES + 0x1000 * image->devices;
	uint64_t node = private + 0x48, vqs = device + 0x368;

	if (++image->devices > 15)
		abort();
	image_put(image, "device_private", "device", private, device + 0x20);
	fake_target_list_append(image->target, SUBSYS + 0x88, node);
	image->last_device = node;
	fake_target_list_append(image->target, KSET + 0x10, device + 0x20 + 0x08 + 0x20);
	image_put(image, "device", "bus", device + 0x20, BUS);
	image_put(image, "device", "kobj.name", device + 0x20, image_string(image, name));
	image_put(image, "virtio_device", "id.device", device, id);
	image_put(image, "virtio_device", "features", device, features);
	fake_target_list_init(image->target, vqs);
	return device;
}

uint64_t image_queue(struct virtio_image *image, uint64_t device, const char *name)
{
	uint64_t queue = QUEUES + 0x400 * image->queues;
	uint64_t vq = queue + 0x08;

	if (++image->queues > 15)
		abort();
	fake_target_list_append(image->target, device + 0x368, vq + 0x10);
	image_put(image, "virtqueue", "name", vq, image_string(image, name));
	return queue;
}

uint64_t image_room(struct virtio_image *image, size_t size)
{
	uint64_t address = image->next_ring;

	fake_target_map_zeros(image->target, address, size);
	image->next_ring += (size + 8191) / 4096 * 4096; /* and a page that is not mapped */
	return address;
}

void image_put_little(struct virtio_image *image, uint64_t address, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		fake_target_put(image->target, address + i, 1, value >> 8 * i & 0xff);
}

void image_put_big(struct virtio_image *image, uint64_t address, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		fake_target_put(image->target, address + size - 1 - i, 1, value >> 8 * i & 0xff);
}

uint64_t image_split_rings(struct virtio_image *image, uint64_t queue, uint32_t num)
{
	bool oldest = image->types == types_a;
	uint64_t desc = image_room(image, 0xc000);

	image_put(image, "vring_virtqueue", oldest ? "vring.num" : "split.vring.num", queue, num);
	image_put(image, "vring_virtqueue", oldest ? "vring.desc" : "split.vring.desc", queue,
		  desc);
	image_put(image, "vring_virtqueue", oldest ? "vring.avail" : "split.vring.avail", queue,
		  desc + 0x4000);
	image_put(image, "vring_virtqueue", oldest ? "vring.used" : "split.vring.used", queue,
		  desc + 0x8000);
	if (!oldest) {
		fake_target_map_zeros(image->target, desc + 0xc000, (size_t)24 * num + 8);
		image->next_ring += 0x10000;
		image_put(image, "vring_virtqueue", "split.desc_state", queue, desc + 0xc000);
		image_put(image, "vring_virtqueue", "split.queue_dma_addr", queue, 0x12340000);
	}
	return desc;
}

void image_put_indexes(struct virtio_image *image, uint64_t rings, uint16_t avail, uint16_t used)
{
	image_put_little(image, rings + 0x4000 + 2, 2, avail);
	image_put_little(image, rings + 0x8000 + 2, 2, used);
}

uint64_t image_packed_rings(struct virtio_image *image, uint64_t queue, uint32_t num)
{
	uint64_t desc = image_room(image, 0x8000 + (size_t)40 * num);

	image_put(image, "vring_virtqueue", "packed.vring.num", queue, num);
	image_put(image, "vring_virtqueue", "packed.vring.desc", queue, desc);
	image_put(image, "vring_virtqueue", "packed.vring.driver", queue, desc + 0x4000);
	image_put(image, "vring_virtqueue", "packed.vring.device", queue, desc + 0x5000);
	image_put(image, "vring_virtqueue", "packed.desc_state", queue, desc + 0x8000);
	image_put(image, "vring_virtqueue", "packed.ring_dma_addr", queue, 0x56780000);
	image_put(image, "vring_virtqueue", "packed.driver_event_dma_addr", queue, 0x56781000);
	image_put(image, "vring_virtqueue", "packed.device_event_dma_addr", queue, 0x56782000);
	return desc;
}

enum rbs_code image_probe(struct virtio_image *image, bool verbose, struct rbs_error *err)
{
	const struct rbs_probe *probe = rbs_probe_find("virtio");
	struct rbs_probe_context context = {.dump = &image->dump, .verbose = verbose};
	bool absent = false;
	enum rbs_code code;

	image->report = rbs_report_create(&image->target->info);
	cr_assert_not_null(image->report);
	context.section = rbs_report_add_section(image->report, probe->family);
	code = probe->run(&context, &absent, err);
	cr_expect_eq(absent, code == RBS_NO_SYMBOL);
	return code;
}

struct rbs_node *image_found(const struct virtio_image *image, size_t device)
{
	const struct rbs_node *section = image->report->sections[0].node;

	return device < section->child_count ? section->children[device] : NULL;
}

struct rbs_node *image_found_queue(const struct virtio_image *image, size_t device, size_t queue)
{
	const struct rbs_node *node = image_found(image, device);

	return node && queue < node->child_count ? node->children[queue] : NULL;
}
