/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drivers/hv/vmbus_drv.c: vmbus_dev_attrs, vmbus_chan_attrs, and how each is printed.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/render/lines.h"
#include "lib/render/printable.h"
#include "lib/render/render.h"

#define ROOT "/sys/bus/vmbus/devices"

struct attribute {
	const char *file;
	const char *field;
};

static const struct attribute channel_attributes[] = {
	{"cpu", "target_cpu"},
	{"interrupts", "interrupts"},
	{"events", "events"},
	{"intr_in_full", "intr_in_full"},
	{"intr_out_empty", "intr_out_empty"},
	{"out_full_first", "out_full_first"},
	{"out_full_total", "out_full_total"},
	{"subchannel_id", "sub_channel"},
	{"monitor_id", "monitor_id"},
	{"pending", "pending"},
	{"latency", "latency"},
};

static const struct attribute device_attributes[] = {
	{"id", "id"},
	{"state", "state"},
	{"monitor_id", "monitor_id"},
	{"server_monitor_pending", "server_monitor_pending"},
	{"client_monitor_pending", "client_monitor_pending"},
	{"server_monitor_latency", "server_monitor_latency"},
	{"client_monitor_latency", "client_monitor_latency"},
	{"server_monitor_conn_id", "server_monitor_conn_id"},
	{"client_monitor_conn_id", "client_monitor_conn_id"},
};

static const struct attribute ring_attributes[] = {
	{"intr_mask", "interrupt_mask"},      {"read_index", "read_index"},
	{"write_index", "write_index"},	      {"read_bytes_avail", "read_avail"},
	{"write_bytes_avail", "write_avail"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void number_line(struct rbs_lines *lines, const char *folder, const char *prefix,
			const char *file, const struct rbs_node *node, const char *field)
{
	uint64_t number;

	if (node && rbs_node_number(node, field, &number))
		rbs_lines_add(lines, "%s/%s%s:%" PRIu64, folder, prefix, file, number);
}

/* The per-device ring files print their u32 with %d, and so an index that cannot be as negative. */
static void signed_line(struct rbs_lines *lines, const char *folder, const char *prefix,
			const char *file, const struct rbs_node *node, const char *field)
{
	uint64_t number;

	if (node && rbs_node_number(node, field, &number))
		rbs_lines_add(lines, "%s/%s%s:%" PRId32, folder, prefix, file, (int32_t)number);
}

static void channel_lines(struct rbs_lines *lines, const char *folder,
			  const struct rbs_node *channel)
{
	const struct rbs_node *in = rbs_node_child(channel, "in");
	const struct rbs_node *out = rbs_node_child(channel, "out");
	char path[256];

	snprintf(path, sizeof(path), "%s/channels/%s", folder, channel->name);
	for (size_t i = 0; i < COUNT(channel_attributes); i++)
		number_line(lines, path, "", channel_attributes[i].file, channel,
			    channel_attributes[i].field);
	number_line(lines, path, "", "out_mask", out, "interrupt_mask");
	number_line(lines, path, "", "in_mask", in, "interrupt_mask");
	number_line(lines, path, "", "read_avail", in, "read_avail");
	number_line(lines, path, "", "write_avail", out, "write_avail");
}

/* "vmbus:" and the GUID's bytes in the order of memory (the first three parts swapped). */
static void modalias_lines(struct rbs_lines *lines, const char *folder, const char *guid,
			   const char *driver)
{
	static const unsigned char order[] = {6,  4,  2,  0,  11, 9,  16, 14,
					      19, 21, 24, 26, 28, 30, 32, 34};
	char text[2 * sizeof(order) + 1], name[128];

	if (strlen(guid) != 36)
		return;
	for (size_t i = 0; i < sizeof(order); i++)
		memcpy(text + 2 * i, guid + order[i], 2);
	text[sizeof(text) - 1] = '\0';
	rbs_lines_add(lines, "%s/modalias:vmbus:%s", folder, text);
	if (driver)
		rbs_lines_add(lines, "%s/uevent:DRIVER=%s", folder,
			      rbs_printable(driver, name, sizeof(name)));
	rbs_lines_add(lines, "%s/uevent:MODALIAS=vmbus:%s", folder, text);
}

static void override_line(struct rbs_lines *lines, const char *folder, const char *name)
{
	char text[128];

	rbs_lines_add(lines, "%s/driver_override:%s", folder,
		      name ? rbs_printable(name, text, sizeof(text)) : "(null)");
}

static void device_lines(struct rbs_lines *lines, const char *folder, const struct rbs_node *device)
{
	const struct rbs_node *primary = device->child_count ? device->children[0] : NULL;
	const char *class = rbs_node_text(device, "class_id");
	uint64_t number;

	for (size_t i = 0; i < COUNT(device_attributes); i++)
		number_line(lines, folder, "", device_attributes[i].file, device,
			    device_attributes[i].field);
	rbs_lines_add(lines, "%s/device_id:{%s}", folder, device->name);
	if (class) {
		rbs_lines_add(lines, "%s/class_id:{%s}", folder, class);
		modalias_lines(lines, folder, class, rbs_node_text(device, "driver"));
	}
	override_line(lines, folder, rbs_node_text(device, "driver_override"));
	if (rbs_node_number(device, "vendor", &number))
		rbs_lines_add(lines, "%s/vendor:0x%" PRIx64, folder, number);
	if (rbs_node_number(device, "device", &number))
		rbs_lines_add(lines, "%s/device:0x%" PRIx64, folder, number);
	for (size_t i = 0; primary && i < COUNT(ring_attributes); i++) {
		signed_line(lines, folder, "out_", ring_attributes[i].file,
			    rbs_node_child(primary, "out"), ring_attributes[i].field);
		signed_line(lines, folder, "in_", ring_attributes[i].file,
			    rbs_node_child(primary, "in"), ring_attributes[i].field);
	}
	for (size_t i = 0; i < device->child_count; i++) {
		if (rbs_node_number(device->children[i], "target_cpu", &number))
			rbs_lines_add(lines, "%s/channel_vp_mapping:%s:%" PRIu64, folder,
				      device->children[i]->name, number);
		channel_lines(lines, folder, device->children[i]);
	}
}

enum rbs_code rbs_render_sysfs(const struct rbs_report *report,
			       const struct rbs_render_options *options, FILE *out,
			       struct rbs_error *err)
{
	const struct rbs_node *section = rbs_report_section(report, "vmbus");
	struct rbs_lines lines = {0};

	(void)options;
	if (*report->dump.system)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s has no sysfs: -F sysctl is its own form",
				     report->dump.system);
	for (size_t i = 0; section && i < section->child_count; i++) {
		char folder[128];

		snprintf(folder, sizeof(folder), ROOT "/%s", section->children[i]->name);
		device_lines(&lines, folder, section->children[i]);
	}
	return rbs_lines_print(&lines, out, err);
}
