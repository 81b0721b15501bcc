/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/render/printable.h"
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

/* The texts that FreeBSD's driver had, by the section's sysctl_form; what a ring's node is called.
 */
struct form {
	const char *ring[2]; /* of in, of out */
	struct {
		const char *label;
		const char *field;
	} values[8];
};

static const struct form forms[] = {
	/* 11.0, the seed's; also of a dump that is not FreeBSD's */
	{{"in.ring_buffer_stats", "out.ring_buffer_stats"},
	 {{"r_idx", "read_index"},
	  {"w_idx", "write_index"},
	  {"int_mask", "interrupt_mask"},
	  {"r_avail", "read_avail"},
	  {"w_avail", "write_avail"}}},
	/* 10.4, 11.1 to 12 */
	{{"br.rx.state", "br.tx.state"},
	 {{"rindex", "read_index"},
	  {"windex", "write_index"},
	  {"imask", "interrupt_mask"},
	  {"ravail", "read_avail"},
	  {"wavail", "write_avail"}}},
	/* since struct vmbus_bufring has br_g2h_intr_cnt */
	{{"br.rx.state", "br.tx.state"},
	 {{"intrcnt", "guest_signals"},
	  {"rindex", "read_index"},
	  {"windex", "write_index"},
	  {"imask", "interrupt_mask"},
	  {"psndsz", "pending_send_size"},
	  {"fvalue", "feature_bits"},
	  {"ravail", "read_avail"},
	  {"wavail", "write_avail"}}},
};

#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

struct sysctl {
	FILE *out;
	const struct rbs_node *section;
	const struct form *form;
	bool is_freebsd;
};

static const char *driver_name(const struct sysctl *sysctl, const struct rbs_node *device)
{
	const char *class = rbs_node_text(device, "class");

	if (sysctl->is_freebsd)
		return rbs_node_text(device, "driver");
	for (size_t i = 0; class && i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (!strcmp(drivers[i].class, class))
			return drivers[i].driver;
	}
	return "vmbus";
}

/* FreeBSD numbers the devices of a driver in the order in which they come. */
static uint64_t unit_number(const struct sysctl *sysctl, size_t index)
{
	const struct rbs_node *device = sysctl->section->children[index];
	const char *driver = driver_name(sysctl, device);
	uint64_t unit = 0;

	if (sysctl->is_freebsd && rbs_node_number(device, "unit", &unit))
		return unit;
	for (size_t i = 0; i < index; i++)
		unit += !strcmp(driver_name(sysctl, sysctl->section->children[i]), driver);
	return unit;
}

static void ring_print(const struct sysctl *sysctl, const char *prefix,
		       const struct rbs_node *channel, bool outbound)
{
	const struct rbs_node *ring = rbs_node_child(channel, outbound ? "out" : "in");
	const struct form *form = sysctl->form;

	if (!ring)
		return;
	fprintf(sysctl->out, "%s.%s:", prefix, form->ring[outbound]);
	for (size_t i = 0; i < 8 && form->values[i].label; i++) {
		uint64_t number;

		if (rbs_node_number(ring, form->values[i].field, &number))
			fprintf(sysctl->out, " %s:%" PRIu64, form->values[i].label, number);
		else
			fprintf(sysctl->out, " %s:-", form->values[i].label);
	}
	fputc('\n', sysctl->out);
}

static void device_print(const struct sysctl *sysctl, size_t index)
{
	const struct rbs_node *device = sysctl->section->children[index];
	const char *driver = driver_name(sysctl, device);
	char name[300];

	/* Nobody attached to it: it has no sysctl either. */
	if (!driver)
		return;
	rbs_printable(driver, name, sizeof(name));
	for (size_t k = 0; k < device->child_count; k++) {
		const struct rbs_node *channel = device->children[k];
		char prefix[512];
		uint64_t sub = 0;
		int used = snprintf(prefix, sizeof(prefix), "dev.%s.%" PRIu64 ".channel.%s", name,
				    unit_number(sysctl, index), device->children[0]->name);

		if (k && rbs_node_number(channel, "sub_channel", &sub))
			snprintf(prefix + used, sizeof(prefix) - (size_t)used, ".sub.%" PRIu64,
				 sub);
		ring_print(sysctl, prefix, channel, true);
		ring_print(sysctl, prefix, channel, false);
	}
}

enum rbs_code rbs_render_sysctl(const struct rbs_report *report,
				const struct rbs_render_options *options, FILE *out,
				struct rbs_error *err)
{
	struct sysctl sysctl = {
		.out = out, .section = rbs_report_section(report, "vmbus"), .form = &forms[0]};
	uint64_t form;

	(void)err;
	if (!sysctl.section)
		return RBS_OK;
	/* Only a FreeBSD kernel's section has it. */
	sysctl.is_freebsd = rbs_node_number(sysctl.section, "sysctl_form", &form);
	if (sysctl.is_freebsd && !options->sysctl_seed && form && form <= FORM_COUNT)
		sysctl.form = &forms[form - 1];
	for (size_t i = 0; i < sysctl.section->child_count; i++)
		device_print(&sysctl, i);
	return RBS_OK;
}
