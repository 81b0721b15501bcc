/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtio probe where memory is missing, and on the bus: devices, lists that break off. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "virtio_image.h"

#define VERSION_1 (UINT64_C(1) << 32)
#define NET 1
#define RNG 4

/* What is missing in the dump costs what stands there. */
Test(virtio_bus, missing_pages)
{
	struct virtio_image image;
	const struct rbs_node *found;
	uint64_t device, queue, rings;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "no used ring");
	rings = image_split_rings(&image, queue, 8);
	image_put_indexes(&image, rings, 3, 1);
	fake_target_hole(image.target, rings + 0x8000, 0x1000, RBS_EXCLUDED);
	queue = image_queue(&image, device, "nothing of itself");
	fake_target_hole(image.target, queue + 0x90, 0x10, RBS_TRUNCATED);
	queue = image_queue(&image, device, "no name");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 7, 7);
	fake_target_put_pointer(image.target, queue + 8 + 0x28, 0xdead000000000000);
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	found = image_found_queue(&image, 0, 0);
	expect_number(found, "avail_idx", 3);
	expect_absent(found, "used_idx", RBS_EXCLUDED);
	expect_absent(found, "in_flight", RBS_EXCLUDED);
	expect_absent(found, "unreaped", RBS_EXCLUDED);
	expect_absent(found, "used_flags", RBS_EXCLUDED);
	expect_number(found, "avail_flags", 0);
	cr_expect_not(found->idle);
	found = image_found_queue(&image, 0, 1);
	expect_absent(found, "size", RBS_TRUNCATED);
	expect_number(found, "broken", 0);
	found = image_found_queue(&image, 0, 2);
	expect_absent(found, "name", RBS_UNMAPPED);
	expect_number(found, "in_flight", 0);
	image_free(&image);
}

/* Nobody knows a ring's byte order without the features: nothing is guessed. */
Test(virtio_bus, unknown_features)
{
	struct virtio_image image;
	const struct rbs_node *found;
	uint64_t device, queue, rings;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "q");
	rings = image_split_rings(&image, queue, 8);
	image_put_indexes(&image, rings, 3, 1);
	fake_target_put_pointer(image.target, rings + 0xc000, 0xffff888000777000);
	fake_target_hole(image.target, device + 0x380, 8, RBS_EXCLUDED);
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	expect_absent(image_found(&image, 0), "features", RBS_EXCLUDED);
	found = image_found_queue(&image, 0, 0);
	expect_absent(found, "avail_idx", RBS_EXCLUDED);
	expect_absent(found, "in_flight", RBS_EXCLUDED);
	expect_number(found, "size", 8);
	cr_expect_eq(found->child_count, 0);
	image_free(&image);
}

Test(virtio_bus, idle_queues)
{
	struct virtio_image image;
	uint64_t device, queue;
	size_t i = 0;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "never used");
	image_split_rings(&image, queue, 8);
	queue = image_queue(&image, device, "broken");
	image_split_rings(&image, queue, 8);
	image_put(&image, "vring_virtqueue", "broken", queue, 1);
	queue = image_queue(&image, device, "added to");
	image_split_rings(&image, queue, 8);
	image_put(&image, "vring_virtqueue", "num_added", queue, 1);
	queue = image_queue(&image, device, "was used");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 9, 9);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 9);
	queue = image_queue(&image, device, "wrapped");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 0, 65530);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 65530);
	queue = image_queue(&image, device, "waiting");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 1, 0);
	cr_assert_eq(image_probe(&image, false, NULL), RBS_OK);
	cr_expect(image_found_queue(&image, 0, i++)->idle);
	for (; i < 6; i++)
		cr_expect_not(image_found_queue(&image, 0, i)->idle, "queue %zu", i);
	image_free(&image);
}

Test(virtio_bus, devices)
{
	struct virtio_image image;
	const struct rbs_node *found;
	uint64_t device, parent, driver;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", NET, VERSION_1 | 0x20);
	parent = image_room(&image, 0x100);
	image_put(&image, "device", "parent", device + 0x20, parent);
	image_put(&image, "device", "kobj.name", parent, image_room(&image, 64));
	fake_target_put_string(image.target, image.next_ring - 8192, "0000:00:03.0");
	driver = image_room(&image, 0x100);
	image_put(&image, "device", "driver", device + 0x20, driver);
	image_put(&image, "device_driver", "name", driver, image_room(&image, 64));
	fake_target_put_string(image.target, image.next_ring - 8192, "virtio_net");
	device = image_device(&image, "\x1b[2Jvirtio1", 4711, VERSION_1);
	image_put(&image, "virtio_device", "failed", device, 1);
	device = image_device(&image, "no name", RNG, VERSION_1);
	fake_target_put_pointer(image.target, device + 0x20 + 0x18, 0);
	cr_assert_eq(image_probe(&image, false, NULL), RBS_OK);
	cr_assert_eq(image.report->sections[0].node->child_count, 3);
	found = image_found(&image, 0);
	cr_expect_str_eq(found->name, "virtio0");
	expect_text(found, "type", "net");
	expect_text(found, "bus_address", "0000:00:03.0");
	expect_text(found, "driver", "virtio_net");
	expect_number(found, "failed", 0);
	found = image_found(&image, 1);
	cr_expect_str_eq(found->name, "\x1b[2Jvirtio1");
	expect_text(found, "type", "id-4711");
	expect_number(found, "failed", 1);
	cr_expect_null(rbs_node_find(found, "driver"));
	/* A device whose name cannot be read goes by its address. */
	found = image_found(&image, 2);
	cr_expect_str_eq(found->name, "ffff888000102000");
	expect_problem(image.report, "virtio", RBS_UNMAPPED, "the name of device ffff888000102000");
	image_free(&image);
}

Test(virtio_bus, no_devices)
{
	struct virtio_image image;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	cr_expect_eq(image_probe(&image, false, NULL), RBS_OK);
	cr_expect_eq(image.report->sections[0].node->child_count, 0);
	cr_expect_eq(image.report->problem_count, 0);
	cr_expect_str_eq(image.report->sections[0].types, "fake");
	image_free(&image);
}

Test(virtio_bus, no_bus)
{
	struct virtio_image image;
	struct rbs_error error;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	rbs_symbols_deinit(&image.dump.symbols);
	rbs_symbols_add(&image.dump.symbols,
			fake_symbols_create(&(const struct fake_symbol){NULL, NULL, 0}));
	cr_expect_eq(image_probe(&image, false, &error), RBS_NO_SYMBOL);
	image_free(&image);
}

Test(virtio_bus, no_types)
{
	struct virtio_image image;
	struct rbs_error error;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	rbs_types_deinit(&image.dump.types);
	cr_expect_eq(image_probe(&image, false, &error), RBS_NO_TYPES);
	image_free(&image);
}

/* The bus's list leads away after the second device: both are shown, and the rest is a problem. */
Test(virtio_bus, broken_bus)
{
	struct virtio_image image;
	struct rbs_error error;
	uint64_t last;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	image_device(&image, "virtio0", RNG, VERSION_1);
	image_device(&image, "virtio1", RNG, VERSION_1);
	last = image.last_device;
	fake_target_put_pointer(image.target, last, last);
	cr_assert_eq(image_probe(&image, false, &error), RBS_OK);
	cr_expect_geq(image.report->sections[0].node->child_count, 2);
	cr_expect_leq(image.report->sections[0].node->child_count, 4);
	expect_problem(image.report, "virtio", RBS_CORRUPT, "runs in a circle");
	image_free(&image);
}

static bool device_shown(const struct virtio_image *image, const char *name)
{
	const struct rbs_node *section = image->report->sections[0].node;
	size_t times = 0;

	for (size_t i = 0; i < section->child_count; i++)
		times += !strcmp(section->children[i]->name, name);
	cr_expect_leq(times, 1, "%s is shown %zu times", name, times);
	return times;
}

/* The bus's records of its devices (struct device_private), a page each, that are missing. */
static void expect_found(const unsigned *missing, size_t count, bool all_devices)
{
	struct virtio_image image;
	struct rbs_error error;
	char name[16];

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	for (unsigned i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "virtio%u", i);
		image_device(&image, name, RNG, VERSION_1);
	}
	for (size_t i = 0; i < count; i++)
		fake_target_hole(image.target, 0xffff888000200000 + 0x1000 * missing[i], 0x1000,
				 RBS_EXCLUDED);
	if (!all_devices)
		fake_target_hole(image.target, 0xffff888000003000, 0x100, RBS_EXCLUDED);
	cr_assert_eq(image_probe(&image, false, &error), RBS_OK, "%s", error.text);
	for (unsigned i = 0; i < 6; i++) {
		bool between = i >= missing[0] && i <= missing[count - 1];

		snprintf(name, sizeof(name), "virtio%u", i);
		cr_expect_eq(device_shown(&image, name), all_devices || !between, "%s", name);
	}
	expect_problem(image.report, "virtio", RBS_EXCLUDED,
		       "devices may be missing: device_private:device of ffff888000");
	image_free(&image);
}

/* A missing page of the bus's list costs no device when the list of all devices is there. */
Test(virtio_bus, gaps_in_the_bus)
{
	expect_found((const unsigned[]){2}, 1, false);
	expect_found((const unsigned[]){1, 4}, 2, false);
	expect_found((const unsigned[]){2}, 1, true);
	expect_found((const unsigned[]){0, 3, 5}, 3, true);
}

/* Devices of other buses are on the list of all devices too. */
Test(virtio_bus, other_devices)
{
	struct virtio_image image;
	uint64_t other;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	other = image_device(&image, "0000:00:03.0", RNG, VERSION_1);
	image_put(&image, "device", "bus", other + 0x20, 0xffffffff82009000);
	image_device(&image, "virtio0", RNG, VERSION_1);
	fake_target_hole(image.target, 0xffff888000002088, 16, RBS_EXCLUDED);
	cr_assert_eq(image_probe(&image, false, NULL), RBS_OK);
	cr_expect_eq(image.report->sections[0].node->child_count, 1);
	cr_expect(device_shown(&image, "virtio0"));
	image_free(&image);
}

/* With nothing to show the section as a whole failed, and says why. */
Test(virtio_bus, unreadable_bus)
{
	struct virtio_image image;
	struct rbs_error error;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	fake_target_hole(image.target, 0xffff888000002088, 8, RBS_EXCLUDED);
	cr_expect_eq(image_probe(&image, false, &error), RBS_EXCLUDED);
	cr_expect(strstr(error.text, "the list at ffff888000002088 breaks off"), "%s", error.text);
	image_free(&image);
}

Test(virtio_bus, broken_list_of_queues)
{
	struct virtio_image image;
	uint64_t device, queue;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "q");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 2, 1);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 1);
	fake_target_put_pointer(image.target, queue + 8 + 0x10, 0);
	cr_assert_eq(image_probe(&image, false, NULL), RBS_OK);
	expect_number(image_found_queue(&image, 0, 0), "in_flight", 1);
	expect_problem(image.report, "virtio/virtio0", RBS_CORRUPT, "the device's queues");
	image_free(&image);
}
