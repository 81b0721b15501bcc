/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/render/render.h"

/* FreeBSD's driver for each class that it has one for; the others go by our word for the class. */
static const struct {
	const char *class;
	const char *driver;
} drivers[] = {
	{"network", "hn"},
	{"SCSI", "storvsc"},
	{"IDE", "storvsc"},
	{"Fibre Channel", "storvsc"},
	{"heartbeat", "hvheartbeat"},
	{"shutdown", "hvshutdown"},
	{"time sync", "hvtimesync"},
	{"KVP", "hvkvp"},
	{"VSS", "hvvss"},
	{"keyboard", "hvkbd"},
	{"socket", "hvsock"},
};

static const char *driver_name(const struct rbs_node *device)
{
	const char *class = rbs_node_text(device, "class");

	for (size_t i = 0; class && i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (!strcmp(drivers[i].class, class))
			return drivers[i].driver;
	}
	return "vmbus";
}

/* FreeBSD numbers the devices of a driver in the order in which they come. */
static unsigned unit_number(const struct rbs_node *section, size_t index)
{
	const char *driver = driver_name(section->children[index]);
	unsigned unit = 0;

	for (size_t i = 0; i < index; i++)
		unit += !strcmp(driver_name(section->children[i]), driver);
	return unit;
}

static void number_print(FILE *out, const char *label, const struct rbs_node *ring,
			 const char *name)
{
	uint64_t number;

	if (rbs_node_number(ring, name, &number))
		fprintf(out, " %s:%" PRIu64, label, number);
	else
		fprintf(out, " %s:-", label);
}

static void ring_print(FILE *out, const char *prefix, const struct rbs_node *ring)
{
	if (!ring)
		return;
	fprintf(out, "%s.%s.ring_buffer_stats:", prefix, ring->name);
	number_print(out, "r_idx", ring, "read_index");
	number_print(out, "w_idx", ring, "write_index");
	number_print(out, "int_mask", ring, "interrupt_mask");
	number_print(out, "r_avail", ring, "read_avail");
	number_print(out, "w_avail", ring, "write_avail");
	fputc('\n', out);
}

enum rbs_code rbs_render_sysctl(const struct rbs_report *report,
				const struct rbs_render_options *options, FILE *out,
				struct rbs_error *err)
{
	const struct rbs_node *section = rbs_report_section(report, "vmbus");

	(void)options;
	(void)err;
	for (size_t i = 0; section && i < section->child_count; i++) {
		const struct rbs_node *device = section->children[i];

		for (size_t k = 0; k < device->child_count; k++) {
			const struct rbs_node *channel = device->children[k];
			char prefix[128];
			uint64_t sub = 0;
			int used = snprintf(prefix, sizeof(prefix), "dev.%s.%u.channel.%s",
					    driver_name(device), unit_number(section, i),
					    device->children[0]->name);

			if (k && rbs_node_number(channel, "sub_channel", &sub))
				snprintf(prefix + used, sizeof(prefix) - (size_t)used,
					 ".sub.%" PRIu64, sub);
			ring_print(out, prefix, rbs_node_child(channel, "out"));
			ring_print(out, prefix, rbs_node_child(channel, "in"));
		}
	}
	return RBS_OK;
}
