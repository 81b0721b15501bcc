/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake_members.h"
#include "vmbus_image.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe.h"

#define CONNECTION 0xffffffff82001000
#define VERSION 0xffffffff82002000
#define CHANNELS 0xffff888000100000
#define CHANNEL_SIZE 0x200
#define RINGS 0xffff888010000000
#define RING_SPAN 0x800 /* a ring's page of indexes, and its data behind it */
#define RING_DATA 0x80
#define LARGE_RING 0xffff888080000000

#define OUTBOUND 0x100
#define INBOUND 0x140

static const struct fake_type types[] = {
	{"hv_vmbus", "vmbus_connection", "conn_state", INT(0x08, 4)},
	{"hv_vmbus", "vmbus_connection", "chn_list", STRUCT(0x20, 16)},
	{NULL, "vmbus_channel", "listentry", STRUCT(0x18, 16)},
	{NULL, "vmbus_channel", "sc_list", STRUCT(0x28, 16)},
	{NULL, "vmbus_channel", "device_obj", POINTER(0x38)},
	{NULL, "vmbus_channel", "state", INT(0x44, 4)},
	{NULL, "vmbus_channel", "rescind", INT(0x48, 1)},
	{NULL, "vmbus_channel", "offermsg.child_relid", INT(0x4c, 4)},
	{NULL, "vmbus_channel", "offermsg.offer.sub_channel_index", INT(0x52, 2)},
	{NULL, "vmbus_channel", "offermsg.offer.if_type", STRUCT(0x58, 16)},
	{NULL, "vmbus_channel", "offermsg.offer.if_instance", STRUCT(0x68, 16)},
	{NULL, "vmbus_channel", "target_cpu", INT(0x7c, 4)},
	{NULL, "vmbus_channel", "interrupts", INT(0x80, 8)},
	{NULL, "vmbus_channel", "sig_events", INT(0x88, 8)},
	{NULL, "vmbus_channel", "outbound", STRUCT(OUTBOUND, 0x40)},
	{NULL, "vmbus_channel", "inbound", STRUCT(INBOUND, 0x40)},
	{NULL, "vmbus_channel", "requestor.req_bitmap", POINTER(0x90)},
	{NULL, "vmbus_channel", "requestor.size", INT(0x98, 4)},
	{NULL, "hv_ring_buffer_info", "ring_buffer", POINTER(0x10)},
	{NULL, "hv_ring_buffer_info", "ring_datasize", INT(0x1c, 4)},
	{NULL, "hv_ring_buffer_info", "priv_read_index", INT(0x20, 4)},
	{NULL, "hv_ring_buffer", "write_index", INT(0x04, 4)},
	{NULL, "hv_ring_buffer", "read_index", INT(0x00, 4)},
	{NULL, "hv_ring_buffer", "interrupt_mask", INT(0x08, 4)},
	{NULL, "hv_ring_buffer", "pending_send_sz", INT(0x0c, 4)},
	{NULL, "hv_ring_buffer", "buffer", STRUCT(RING_DATA, 0)},
	{NULL, "hv_device", "device", STRUCT(0x20, 0x300)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_enumerator enumerators[] = {
	{"vmbus_connect_state", "CONNECTED", 2},
	{"vmbus_channel_state", "CHANNEL_OFFER_STATE", 0},
	{"vmbus_channel_state", "CHANNEL_OPENING_STATE", 1},
	{"vmbus_channel_state", "CHANNEL_OPEN_STATE", 2},
	{"vmbus_channel_state", "CHANNEL_OPENED_STATE", 3},
	{NULL, NULL, 0},
};

static const struct fake_symbol symbols[] = {
	{"hv_vmbus", "vmbus_connection", CONNECTION},
	{"hv_vmbus", "vmbus_proto_version", VERSION},
	{NULL, NULL, 0},
};

/* As in memory: the first three parts are little endian. */
static const uint8_t class_guids[][16] = {
	[IMAGE_SCSI] = {0xd9, 0x63, 0x61, 0xba, 0xa1, 0x04, 0x29, 0x4d, 0xb6, 0x05, 0x72, 0xe2,
			0xff, 0xb1, 0xdc, 0x7f},
	[IMAGE_HEARTBEAT] = {0x39, 0x4f, 0x16, 0x57, 0x15, 0x91, 0x78, 0x4e, 0xab, 0x55, 0x38, 0x2f,
			     0x3b, 0xd5, 0x42, 0x2d},
	[IMAGE_UNKNOWN] = {0x01},
};

static uint64_t offset_of(const char *type, const char *path, uint64_t *size)
{
	for (const struct fake_type *entry = types; entry->type; entry++) {
		if (!strcmp(entry->type, type) && !strcmp(entry->path, path)) {
			*size = entry->member.size;
			return entry->member.offset;
		}
	}
	cr_log_error("no %s.%s in the image\n", type, path);
	abort();
}

void vmbus_image_put(struct vmbus_image *image, const char *type, const char *path, uint64_t base,
		     uint64_t value)
{
	uint64_t size, offset = offset_of(type, path, &size);

	fake_target_put(image->target, base + offset, size, value);
}

static void put_bytes(struct vmbus_image *image, uint64_t address, const uint8_t *bytes,
		      size_t size)
{
	for (size_t i = 0; i < size; i++)
		fake_target_put(image->target, address + i, 1, bytes[i]);
}

static void types_copy(struct vmbus_image *image)
{
	image->types = malloc(sizeof(types));
	if (!image->types)
		abort();
	memcpy(image->types, types, sizeof(types));
	for (struct fake_type *entry = image->types; entry->type; entry++) {
		if (!strcmp(entry->type, "hv_ring_buffer") && !strcmp(entry->path, "buffer"))
			entry->member.offset = (uint32_t)image->data;
	}
}

static void image_init(struct vmbus_image *image, uint64_t data, uint32_t ring)
{
	*image = (struct vmbus_image){
		.target = fake_target_create(RBS_LITTLE_ENDIAN, 8),
		.data = data,
		.ring = ring,
	};
	types_copy(image);
	rbs_dump_init(&image->dump, image->target);
	rbs_symbols_add(&image->dump.symbols, fake_symbols_create(symbols));
	rbs_types_add(&image->dump.types, fake_types_create(image->types, enumerators));
	fake_target_map_zeros(image->target, RINGS, (size_t)VMBUS_IMAGE_CHANNELS * 2 * RING_SPAN);
	fake_target_map_zeros(image->target, CHANNELS, (size_t)VMBUS_IMAGE_CHANNELS * CHANNEL_SIZE);
	fake_target_map_zeros(image->target, CONNECTION, 0x100);
	fake_target_map_zeros(image->target, VERSION, 4);
	fake_target_put(image->target, VERSION, 4, 5 << 16 | 3);
	vmbus_image_put(image, "vmbus_connection", "conn_state", CONNECTION, 2);
	fake_target_list_init(image->target, CONNECTION + 0x20);
	image->tail = CONNECTION + 0x20;
}

void vmbus_image_init(struct vmbus_image *image)
{
	image_init(image, RING_DATA, VMBUS_IMAGE_RING);
}

uint64_t vmbus_image_init_pages(struct vmbus_image *image, uint32_t page_size)
{
	image_init(image, page_size, 2 * page_size);
	image->target->info.page_size = page_size;
	fake_target_map_zeros(image->target, LARGE_RING, (size_t)page_size * 3);
	return LARGE_RING;
}

void vmbus_image_free(struct vmbus_image *image)
{
	rbs_report_destroy(image->report);
	rbs_dump_deinit(&image->dump);
	free(image->types);
}

uint64_t vmbus_image_ring(uint64_t channel, bool inbound)
{
	uint64_t number = (channel - CHANNELS) / CHANNEL_SIZE;

	return RINGS + (2 * number + inbound) * RING_SPAN;
}

uint64_t vmbus_image_ring_info(uint64_t channel, bool inbound)
{
	return channel + (inbound ? INBOUND : OUTBOUND);
}

static uint64_t channel_make(struct vmbus_image *image)
{
	uint64_t channel = CHANNELS + CHANNEL_SIZE * image->channels;

	if (image->channels == VMBUS_IMAGE_CHANNELS)
		abort();
	vmbus_image_put(image, "vmbus_channel", "offermsg.child_relid", channel, image->channels++);
	vmbus_image_put(image, "vmbus_channel", "state", channel, 3);
	fake_target_list_init(image->target, channel + 0x28);
	for (int i = 0; i < 2; i++) {
		uint64_t info = vmbus_image_ring_info(channel, i);

		vmbus_image_put(image, "hv_ring_buffer_info", "ring_buffer", info,
				vmbus_image_ring(channel, i));
		vmbus_image_put(image, "hv_ring_buffer_info", "ring_datasize", info,
				VMBUS_IMAGE_RING);
	}
	return channel;
}

uint64_t vmbus_image_offer(struct vmbus_image *image, enum vmbus_image_class class)
{
	uint64_t channel = channel_make(image);

	put_bytes(image, channel + 0x58, class_guids[class], 16);
	fake_target_put(image->target, channel + 0x68, 4, image->channels);
	fake_target_list_append(image->target, CONNECTION + 0x20, channel + 0x18);
	image->tail = channel + 0x18;
	return channel;
}

uint64_t vmbus_image_offer_sub(struct vmbus_image *image, uint64_t primary, uint32_t number)
{
	uint64_t channel = channel_make(image);

	vmbus_image_put(image, "vmbus_channel", "offermsg.offer.sub_channel_index", channel,
			number);
	fake_target_list_append(image->target, primary + 0x28, channel + 0x28);
	return channel;
}

void vmbus_image_indexes(struct vmbus_image *image, uint64_t ring, uint32_t read, uint32_t write)
{
	vmbus_image_put(image, "hv_ring_buffer", "read_index", ring, read);
	vmbus_image_put(image, "hv_ring_buffer", "write_index", ring, write);
}

void vmbus_image_put_data(struct vmbus_image *image, uint64_t ring, uint32_t offset,
			  const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		fake_target_put(image->target, ring + image->data + (offset + i) % image->ring, 1,
				((const uint8_t *)bytes)[i]);
}

uint32_t vmbus_image_packet(struct vmbus_image *image, uint64_t ring, uint32_t offset, uint64_t id,
			    const void *payload, size_t size)
{
	uint8_t packet[16] = {6, 0, 2, 0, 0, 0, 1, 0};
	size_t eights = (size + 7) / 8;

	packet[4] = (uint8_t)(2 + eights);
	for (unsigned i = 0; i < 8; i++)
		packet[8 + i] = (uint8_t)(id >> 8 * i);
	vmbus_image_put_data(image, ring, offset, packet, sizeof(packet));
	vmbus_image_put_data(image, ring, offset + 16, payload, size);
	return (uint32_t)((offset + 16 + 8 * eights + 8) % image->ring);
}

enum rbs_code vmbus_image_probe(struct vmbus_image *image, bool verbose, struct rbs_error *err)
{
	const struct rbs_probe *probe = rbs_probe_find("vmbus");
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

const struct rbs_node *vmbus_image_found(const struct vmbus_image *image, size_t device)
{
	const struct rbs_node *section = image->report->sections[0].node;

	return device < section->child_count ? section->children[device] : NULL;
}

const struct rbs_node *vmbus_image_found_ring(const struct vmbus_image *image, size_t device,
					      size_t channel, bool inbound)
{
	const struct rbs_node *node = vmbus_image_found(image, device);

	node = node && channel < node->child_count ? node->children[channel] : NULL;
	return node && inbound < node->child_count ? node->children[inbound] : NULL;
}
