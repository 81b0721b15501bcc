/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake_members.h"
#include "stats_image.h"

#include <criterion/criterion.h>
#include <string.h>

#define LINEAR UINT64_C(0xffff900000000000)
#define PAGES UINT64_C(0xffffea0000000000)
#define VARIABLES UINT64_C(0xffffffff83000000)
#define CACHE UINT64_C(0xffff888000600000)
#define HEADER 0x6000 /* physical */
#define ACK 0x6002
#define REQUEST 0x7000
#define PAGE_STRUCT 64
#define STATE_DATA 0xc000 /* of the split image's desc_state[]: 24 bytes each, data first */
#define PACKED_STATE 0x8000
#define OBJECT 1024

static const struct fake_type types[] = {
	{NULL, "page", NULL, {.size = PAGE_STRUCT, .kind = RBS_KIND_STRUCT}},
	{NULL, "page", "compound_head", INT(8, 8)},
	{NULL, "page", "page_type", INT(48, 4)},
	{NULL, "page", "_refcount", INT(52, 4)},
	{NULL, "slab", "slab_cache", INT(16, 8)},
	{NULL, "slab", "freelist", INT(32, 8)},
	{NULL, "kmem_cache", "name", INT(0, 8)},
	{NULL, "kmem_cache", "size", INT(8, 4)},
	{NULL, "kmem_cache", "offset", INT(12, 4)},
	{NULL, "kmem_cache", "list", INT(16, 16)},
	{"virtio_net", "control_buf", "hdr", INT(0, 2)},
	{NULL, "mutex", "owner", INT(0, 8)},
	{NULL, "task_struct", "pid", INT(0x10, 4)},
	{NULL, "task_struct", "comm", INT(0x20, 16)},
	{NULL, "task_struct", "on_cpu", INT(0x14, 4)},
	{NULL, "task_struct", "cpu", INT(0x18, 4)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_enumerator enumerators[] = {
	{"pagetype", "PGTY_slab", 0xf5},
	{NULL, NULL, 0},
};

static const struct fake_symbol symbols[] = {
	{NULL, "page_offset_base", VARIABLES},
	{NULL, "vmemmap_base", VARIABLES + 8},
	{NULL, "slab_caches", VARIABLES + 16},
	{NULL, NULL, 0},
};

void stats_image_init(struct stats_image *stats, uint64_t features)
{
	struct virtio_image *image = &stats->image;
	uint64_t netdev;

	*stats = (struct stats_image){.class = 8, .command = 1};
	image_init(image, SHAPE_D, RBS_LITTLE_ENDIAN);
	rbs_types_add(&image->dump.types, fake_types_create(types, enumerators));
	rbs_symbols_add(&image->dump.symbols, fake_symbols_create(symbols));
	stats->device = image_device(image, "virtio0", 1, features);
	stats->info = image_room(image, 0x100);
	netdev = image_room(image, 0x100);
	fake_target_put_string(image->target, netdev + 0x30, "eth0");
	image_put(image, "virtio_device", "priv", stats->device, stats->info);
	image_put(image, "virtnet_info", "dev", stats->info, netdev);
	image_put(image, "virtnet_info", "max_queue_pairs", stats->info, 1);
	image_put(image, "virtnet_info", "ctrl", stats->info, LINEAR + HEADER);
	image_put(image, "virtnet_info", "device_stats_cap", stats->info, 0x10001000f);
	image_put(image, "virtnet_info", "cvq_lock.owner", stats->info, STATS_TASK | 1);
	fake_target_map_zeros(image->target, STATS_TASK, 0x100);
	fake_target_put(image->target, STATS_TASK + 0x10, 4, 181);
	fake_target_put(image->target, STATS_TASK + 0x14, 4, 1);
	fake_target_put(image->target, STATS_TASK + 0x18, 4, 3);
	fake_target_put_string(image->target, STATS_TASK + 0x20, "ethtool");
	fake_target_map_zeros(image->target, VARIABLES, 0x100);
	fake_target_put_pointer(image->target, VARIABLES, LINEAR);
	fake_target_put_pointer(image->target, VARIABLES + 8, PAGES);
	fake_target_put_pointer(image->target, VARIABLES + 16, CACHE + 16);
	fake_target_put_pointer(image->target, VARIABLES + 24, CACHE + 16);
	fake_target_map_zeros(image->target, CACHE, 0x100);
	fake_target_put_pointer(image->target, CACHE, CACHE + 0x80);
	fake_target_put_string(image->target, CACHE + 0x80, "kmalloc-1k");
	fake_target_put(image->target, CACHE + 8, 4, OBJECT);
	fake_target_put(image->target, CACHE + 12, 4, STATS_LINK);
	fake_target_put_pointer(image->target, CACHE + 16, VARIABLES + 16);
	fake_target_put_pointer(image->target, CACHE + 24, VARIABLES + 16);
	fake_target_map_zeros(image->target, PAGES, 0x1000);
	fake_target_put(image->target, PAGES + 5 * PAGE_STRUCT + 48, 4, 0xf5000000);
	fake_target_put_pointer(image->target, PAGES + 5 * PAGE_STRUCT + 16, CACHE);
}

void stats_record(struct stats_image *stats, uint8_t type, uint16_t queue, uint16_t count,
		  uint64_t first)
{
	uint8_t *at = stats->reply + stats->length;
	uint16_t size = (uint16_t)(8 + 8 * count);

	cr_assert_leq(stats->length + size, sizeof(stats->reply));
	memset(at, 0, size);
	at[0] = type;
	at[2] = (uint8_t)queue;
	at[3] = (uint8_t)(queue >> 8);
	at[6] = (uint8_t)size;
	at[7] = (uint8_t)(size >> 8);
	for (uint16_t i = 0; i < count; i++) {
		for (unsigned byte = 0; byte < 8; byte++)
			at[8 + 8 * i + byte] = (uint8_t)((first + i) >> 8 * byte);
	}
	stats->length += size;
}

static void descriptor_put(struct stats_image *stats, unsigned index, uint64_t address,
			   uint32_t length, bool writable, bool last)
{
	struct virtio_image *image = &stats->image;
	uint64_t at = stats->rings + 16 * index;
	unsigned flags = (writable ? 2 : 0) | (last ? 0 : 1);

	image_put_little(image, at, 8, address);
	image_put_little(image, at + 8, 4, length);
	/* Available on a packed ring's first lap: the AVAIL bit, not the USED bit. */
	image_put_little(image, at + 12, 2, stats->packed ? 0 : flags);
	image_put_little(image, at + 14, 2, stats->packed ? flags | 0x80 : index + 1);
}

static void chain_put(struct stats_image *stats)
{
	uint64_t data = stats->rings + (stats->packed ? PACKED_STATE + 8 : STATE_DATA);

	descriptor_put(stats, 0, HEADER, 2, false, false);
	descriptor_put(stats, 1, REQUEST, 16, false, false);
	descriptor_put(stats, 2, ACK, 1, true, false);
	descriptor_put(stats, 3, STATS_REPLY, (uint32_t)stats->length, true, true);
	fake_target_put_pointer(stats->image.target, data, stats->info);
	if (stats->packed) {
		image_put(&stats->image, "vring_desc_state_packed", "num",
			  stats->rings + PACKED_STATE, 4);
		image_put(&stats->image, "vring_virtqueue", "packed.next_avail_idx", stats->control,
			  4);
		image_put(&stats->image, "vring_virtqueue", "last_used_idx", stats->control,
			  0x8000);
	} else {
		image_put_little(&stats->image, stats->rings + 0x4002, 2, 1);
	}
}

void stats_image_map(struct stats_image *stats)
{
	struct virtio_image *image = &stats->image;
	uint8_t command[3] = {stats->class, stats->command, stats->ack};
	uint8_t request[16] = {2, [12] = 1};

	stats->control = image_queue(image, stats->device, "control");
	image_put(image, "virtqueue", "index", stats->control + 8, 2);
	stats->rings = stats->packed ? image_packed_rings(image, stats->control, 8)
				     : image_split_rings(image, stats->control, 8);
	if (stats->packed)
		image_put(image, "vring_virtqueue", "packed_ring", stats->control, 1);
	fake_target_map_physical(image->target, HEADER, command, sizeof(command));
	fake_target_map_physical(image->target, REQUEST, request, sizeof(request));
	fake_target_map_physical(image->target, STATS_REPLY, stats->reply, stats->length);
	chain_put(stats);
}

void stats_image_free_object(struct stats_image *stats)
{
	struct rbs_target *target = stats->image.target;

	fake_target_map_zeros(target, LINEAR + STATS_REPLY, OBJECT);
	fake_target_put_pointer(target, PAGES + 5 * PAGE_STRUCT + 32, LINEAR + STATS_REPLY);
}

void stats_image_return(struct stats_image *stats, uint32_t length)
{
	struct virtio_image *image = &stats->image;

	if (stats->packed) {
		image_put_little(image, stats->rings + 8, 4, length);
		image_put_little(image, stats->rings + 14, 2, 0x8082);
		return;
	}
	image_put_little(image, stats->rings + 0x8002, 2, 1);
	image_put_little(image, stats->rings + 0x8004, 4, 0);
	image_put_little(image, stats->rings + 0x8008, 4, length);
}

void stats_image_take(struct stats_image *stats)
{
	uint64_t data = stats->rings + (stats->packed ? PACKED_STATE + 8 : STATE_DATA);

	fake_target_put_pointer(stats->image.target, data, 0);
	image_put(&stats->image, "vring_virtqueue", "last_used_idx", stats->control,
		  stats->packed ? 0x8004 : 1);
}

const struct rbs_node *stats_image_run(struct stats_image *stats, bool verbose)
{
	cr_assert_eq(image_probe(&stats->image, verbose, NULL), RBS_OK);
	return image_found(&stats->image, 0);
}
