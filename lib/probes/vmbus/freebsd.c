/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A FreeBSD kernel's VMBus: where it begins, and its devices. */
#include "lib/probes/vmbus/freebsd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where FB_CHANNELS is: in what vmbus_sc points to, or in the variable hv_vmbus_g_connection. */
enum { ROOT_SOFTC_CHANNELS, ROOT_SOFTC_LIST, ROOT_CONNECTION };

static const struct rbs_layout_entry entries[FB_COUNT] = {
	[FB_CHANNELS] = {"vmbus_softc:vmbus_chans|vmbus_softc:vmbus_chlist|"
			 "hv_vmbus_connection:channel_anchor"},
	[FB_VERSION] = {"vmbus_softc:vmbus_version", RBS_OPTIONAL},
	[FB_LINK] = {"vmbus_channel:ch_link|hv_vmbus_channel:ch_link|hv_vmbus_channel:list_entry"},
	[FB_SUBS] = {"vmbus_channel:ch_subchans|hv_vmbus_channel:ch_subchans|"
		     "hv_vmbus_channel:sc_list_anchor",
		     RBS_OPTIONAL},
	[FB_SUB_LINK] = {"vmbus_channel:ch_sublink|hv_vmbus_channel:ch_sublink|"
			 "hv_vmbus_channel:sc_list_entry",
			 RBS_OPTIONAL},
	[FB_ID] = {"vmbus_channel:ch_id|hv_vmbus_channel:ch_id|"
		   "hv_vmbus_channel:offer_msg.child_rel_id"},
	[FB_SUB_INDEX] = {"vmbus_channel:ch_subidx|hv_vmbus_channel:ch_subidx|"
			  "hv_vmbus_channel:offer_msg.offer.sub_channel_index",
			  RBS_OPTIONAL},
	[FB_PRIMARY] = {"vmbus_channel:ch_prichan|hv_vmbus_channel:ch_prichan|"
			"hv_vmbus_channel:primary_channel",
			RBS_OPTIONAL},
	[FB_FLAGS] = {"vmbus_channel:ch_stflags|hv_vmbus_channel:ch_stflags", RBS_OPTIONAL},
	[FB_STATE] = {"hv_vmbus_channel:state", RBS_OPTIONAL},
	[FB_OFFER] = {":HV_CHANNEL_OFFER_STATE", RBS_ENUMERATOR | RBS_OPTIONAL},
	[FB_OPENING] = {":HV_CHANNEL_OPENING_STATE", RBS_ENUMERATOR | RBS_OPTIONAL},
	[FB_OPENED] = {":HV_CHANNEL_OPENED_STATE", RBS_ENUMERATOR | RBS_OPTIONAL},
	[FB_CPU] = {"vmbus_channel:ch_cpuid|hv_vmbus_channel:ch_cpuid|hv_vmbus_channel:target_cpu",
		    RBS_OPTIONAL},
	[FB_CLASS] = {"vmbus_channel:ch_guid_type|hv_vmbus_channel:ch_guid_type|"
		      "hv_vmbus_channel:offer_msg.offer.interface_type",
		      RBS_OPTIONAL},
	[FB_INSTANCE] = {"vmbus_channel:ch_guid_inst|hv_vmbus_channel:ch_guid_inst|"
			 "hv_vmbus_channel:offer_msg.offer.interface_instance",
			 RBS_OPTIONAL},
	[FB_DEVICE] = {"vmbus_channel:ch_dev|hv_vmbus_channel:ch_dev", RBS_OPTIONAL},
	[FB_HV_DEVICE] = {"hv_vmbus_channel:device", RBS_OPTIONAL},
	[FB_HV_DEVICE_DEVICE] = {"hv_device:device", RBS_OPTIONAL},
	[FB_OUT] = {"vmbus_channel:ch_txbr.txbr|hv_vmbus_channel:ch_txbr.txbr|"
		    "hv_vmbus_channel:ch_txbr|hv_vmbus_channel:outbound"},
	[FB_IN] = {"vmbus_channel:ch_rxbr.rxbr|hv_vmbus_channel:ch_rxbr.rxbr|"
		   "hv_vmbus_channel:ch_rxbr|hv_vmbus_channel:inbound"},
	[FB_RING] = {"vmbus_br:vbr|hv_vmbus_ring_buffer_info:ring_buffer"},
	[FB_SIZE] = {"vmbus_br:vbr_dsize|hv_vmbus_ring_buffer_info:ring_data_size"},
	[FB_PAGE_WRITE] = {"vmbus_bufring:br_windex|hv_vmbus_ring_buffer:write_index"},
	[FB_PAGE_READ] = {"vmbus_bufring:br_rindex|hv_vmbus_ring_buffer:read_index"},
	[FB_PAGE_MASK] = {"vmbus_bufring:br_imask|hv_vmbus_ring_buffer:interrupt_mask"},
	[FB_PAGE_PENDING] = {"vmbus_bufring:br_pending_snd_sz", RBS_OPTIONAL},
	[FB_PAGE_FEATURES] = {"vmbus_bufring:br_feature_bits.value", RBS_OPTIONAL},
	[FB_PAGE_SIGNALS] = {"vmbus_bufring:br_g2h_intr_cnt", RBS_OPTIONAL},
	[FB_PAGE_DATA] = {"vmbus_bufring:br_data|hv_vmbus_ring_buffer:buffer"},
};

/*
 * sys/kern/subr_bus.c, in a table of its own: LinuxKPI has a structure of the same name, so that
 * the file is what to ask for. Newer kernels have renamed theirs.
 */
enum { BUS_NAME, BUS_UNIT, BUS_CLASS, BUS_CLASS_NAME, BUS_COUNT };

#define BUS_FILE "subr_bus"

static const struct rbs_layout_entry bus_entries[BUS_COUNT] = {
	[BUS_NAME] = {"_device:nameunit|device:nameunit", RBS_OPTIONAL},
	[BUS_UNIT] = {"_device:unit|device:unit", RBS_OPTIONAL},
	[BUS_CLASS] = {"_device:devclass|device:devclass", RBS_OPTIONAL},
	[BUS_CLASS_NAME] = {"devclass:name", RBS_OPTIONAL},
};

unsigned fb_alternative(const struct vmbus_probe *probe, unsigned id)
{
	return probe->layout.slots[id].alternative;
}

/* A string behind a pointer; false, and the reason in *code, when there is none. */
static bool string_read(struct vmbus_probe *probe, unsigned member, uint64_t base, char *text,
			size_t size, enum rbs_code *code)
{
	struct rbs_value value = rbs_layout_read(&probe->bus_layout, member, probe->target, base);

	text[0] = '\0';
	*code = value.code;
	if (rbs_value_ok(&value) && value.number)
		*code = rbs_target_read_string(probe->target, value.number, text, size, NULL);
	return *text;
}

static bool guid_read(struct vmbus_probe *probe, unsigned member, uint64_t channel, char *text,
		      size_t size)
{
	uint8_t guid[16];

	if (!rbs_layout_has(&probe->layout, member) ||
	    rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL,
			    channel + rbs_layout_offset(&probe->layout, member), guid, sizeof(guid),
			    NULL) != RBS_OK)
		return false;
	vmbus_guid_format(guid, text, size);
	return true;
}

/* The device_t of a primary channel; 0 when it has none. */
static uint64_t device_find(struct vmbus_probe *probe, uint64_t channel)
{
	struct rbs_value device =
		rbs_layout_read(&probe->layout, FB_DEVICE, probe->target, channel);

	if (!rbs_layout_has(&probe->layout, FB_DEVICE)) {
		device = rbs_layout_read(&probe->layout, FB_HV_DEVICE, probe->target, channel);
		if (rbs_value_or(&device, 0))
			device = rbs_layout_read(&probe->layout, FB_HV_DEVICE_DEVICE, probe->target,
						 device.number);
	}
	return rbs_value_or(&device, 0);
}

/* Who drives it: none where it has no devclass. */
static void driver_read(struct vmbus_probe *probe, struct vmbus_device *device)
{
	struct rbs_value class =
		rbs_layout_read(&probe->bus_layout, BUS_CLASS, probe->target, device->device);
	struct rbs_value unit;
	enum rbs_code code = class.code;

	if (rbs_value_ok(&class) && !class.number)
		return;
	if (code == RBS_OK)
		string_read(probe, BUS_CLASS_NAME, class.number, device->driver,
			    sizeof(device->driver), &code);
	if (code != RBS_OK) {
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_DRIVER), code);
		return;
	}
	if (!*device->driver)
		return;
	rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_DRIVER), device->driver);
	unit = rbs_layout_read(&probe->bus_layout, BUS_UNIT, probe->target, device->device);
	rbs_node_set(device->node, vmbus_desc(VMBUS_D_UNIT), unit);
}

static void identity_read(struct vmbus_probe *probe, struct vmbus_device *device)
{
	char guid[40];
	const char *name;

	if (guid_read(probe, FB_CLASS, device->channel, guid, sizeof(guid))) {
		name = vmbus_class_name(guid, &device->class);
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_CLASS),
				  name ? name : "unknown class");
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_CLASS_ID), guid);
	}
	if (guid_read(probe, FB_INSTANCE, device->channel, guid, sizeof(guid)))
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_INSTANCE), guid);
	rbs_node_set(device->node, vmbus_desc(VMBUS_D_DEVICE_STATE),
		     fb_channel_state(probe, device->channel));
	vmbus_show(probe, FB_ID, device->channel, device->node, VMBUS_D_ID);
	if (device->device)
		driver_read(probe, device);
}

/* A device goes by its name and unit; one that nobody attached to has none. */
static struct rbs_node *device_node(struct vmbus_probe *probe, const struct vmbus_device *device)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_value id =
		rbs_layout_read(&probe->layout, FB_ID, probe->target, device->channel);
	char name[64];
	enum rbs_code code;

	if (device->device &&
	    string_read(probe, BUS_NAME, device->device, name, sizeof(name), &code))
		return rbs_node_add(section, RBS_LEVEL_DEVICE, "%s", name);
	if (rbs_value_ok(&id))
		return rbs_node_add(section, RBS_LEVEL_DEVICE, "channel%" PRIu64, id.number);
	return rbs_node_add(section, RBS_LEVEL_DEVICE, "channel@%" PRIx64, device->channel);
}

static void device_read(struct vmbus_probe *probe, const struct fb_channel *channels, size_t count)
{
	struct vmbus_device device = {.channel = channels[0].address};
	uint64_t opened = 0;

	device.device = device_find(probe, device.channel);
	device.node = device_node(probe, &device);
	if (!device.node)
		return;
	identity_read(probe, &device);
	for (size_t i = 0; i < count; i++) {
		fb_channel_read(probe, &device, channels[i].address);
		opened += i && fb_channel_opened(probe, channels[i].address);
	}
	rbs_node_set_number(device.node, vmbus_desc(VMBUS_D_SUB_OFFERED), count - 1);
	rbs_node_set_number(device.node, vmbus_desc(VMBUS_D_SUB_OPENED), opened);
}

static void orphan_note(struct vmbus_probe *probe, const struct fb_channel *channel)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_error error;

	rbs_error_set_at(&error, RBS_CORRUPT, channel->address,
			 "the sub-channel at %" PRIx64 " belongs to a channel at %" PRIx64
			 ", which was not offered",
			 channel->address, channel->owner);
	rbs_report_add_problem(section->report, section, &error);
}

static void devices_read(struct vmbus_probe *probe, const struct fb_channels *channels)
{
	for (size_t i = 0; i < channels->count;) {
		const struct fb_channel *first = &channels->channels[i];
		size_t next = i + 1;

		if (rbs_target_interrupted(probe->target))
			return;
		if (first->owner != first->address) {
			orphan_note(probe, first);
			i++;
			continue;
		}
		while (next < channels->count && channels->channels[next].owner == first->address)
			next++;
		device_read(probe, first, next - i);
		i = next;
	}
}

/* The address of the list's head, out of what the kernel's symbols say. */
static enum rbs_code head_find(struct vmbus_probe *probe, uint64_t *head, bool *absent,
			       struct rbs_error *err)
{
	struct rbs_symbols *symbols = &probe->context->dump->symbols;
	bool is_pointer = fb_alternative(probe, FB_CHANNELS) != ROOT_CONNECTION;
	uint64_t base;
	enum rbs_code code = rbs_symbols_find(
		symbols, NULL, is_pointer ? "vmbus_sc" : "hv_vmbus_g_connection", &base, err);

	if (code == RBS_OK && is_pointer)
		code = rbs_target_read_pointer(probe->target, base, &base, err);
	if (code == RBS_OK && !base) {
		*absent = true;
		return rbs_error_set(err, RBS_NO_SYMBOL,
				     "no VMBus: its driver is there, but never attached to a host");
	}
	if (code == RBS_OK)
		*head = base + rbs_layout_offset(&probe->layout, FB_CHANNELS);
	return code;
}

static void section_read(struct vmbus_probe *probe, uint64_t head)
{
	struct rbs_node *section = probe->context->section->node;
	uint64_t base = head - rbs_layout_offset(&probe->layout, FB_CHANNELS), address;
	struct rbs_value version = rbs_layout_read(&probe->layout, FB_VERSION, probe->target, base);
	char text[32];

	if (fb_alternative(probe, FB_CHANNELS) == ROOT_CONNECTION &&
	    rbs_symbols_find(&probe->context->dump->symbols, NULL, "hv_vmbus_protocal_version",
			     &address, NULL) == RBS_OK)
		version.code =
			rbs_target_read_uint(probe->target, address, 4, &version.number, NULL);
	if (rbs_value_ok(&version)) {
		snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64, version.number >> 16,
			 version.number & 0xffff);
		rbs_node_set_text(section, vmbus_desc(VMBUS_D_PROTOCOL), text);
	}
	/* vmbus_br.c: vmbus_br_sysctl_state(); before, hv_ring_buffer.c: hv_rbi_sysctl_stats(). */
	rbs_node_set_number(section, vmbus_desc(VMBUS_D_SYSCTL),
			    rbs_layout_has(&probe->layout, FB_PAGE_SIGNALS) ? 3
			    : fb_alternative(probe, FB_PAGE_WRITE) == 0	    ? 2
									    : 1);
}

static bool driver_known(struct rbs_symbols *symbols)
{
	uint64_t address;

	return rbs_symbols_find(symbols, NULL, "vmbus_sc", &address, NULL) == RBS_OK ||
	       rbs_symbols_find(symbols, NULL, "hv_vmbus_g_connection", &address, NULL) == RBS_OK;
}

enum rbs_code vmbus_freebsd_run(struct rbs_probe_context *context, bool *absent,
				struct rbs_error *err)
{
	struct vmbus_probe probe = {.context = context, .target = context->dump->target};
	const struct rbs_target_info *info = &context->dump->target->info;
	struct fb_channels channels = {0};
	uint64_t head = 0;
	enum rbs_code code;

	if (!driver_known(&context->dump->symbols)) {
		*absent = true;
		return rbs_error_set(err, RBS_NO_SYMBOL,
				     "no VMBus: the kernel has neither vmbus_sc nor "
				     "hv_vmbus_g_connection");
	}
	code = rbs_layout_init(&probe.layout, entries, FB_COUNT, &context->dump->types, "vmbus",
			       err);
	if (code == RBS_NO_TYPES)
		return rbs_error_set(err, code,
				     "no types for VMBus: give the kernel.debug, or a kernel with "
				     "CTF, of %.200s as the second file or by --debuginfo",
				     *info->version ? info->version : "this dump");
	if (code == RBS_OK)
		code = rbs_layout_init(&probe.bus_layout, bus_entries, BUS_COUNT,
				       &context->dump->types, BUS_FILE, err);
	if (code == RBS_OK)
		code = head_find(&probe, &head, absent, err);
	if (code == RBS_OK) {
		context->section->types = probe.layout.answered;
		section_read(&probe, head);
		code = fb_channels_init(&channels, &probe, head, err);
	}
	if (code == RBS_OK)
		devices_read(&probe, &channels);
	fb_channels_deinit(&channels);
	rbs_layout_deinit(&probe.bus_layout);
	rbs_layout_deinit(&probe.layout);
	return code;
}
