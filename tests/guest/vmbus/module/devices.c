// SPDX-License-Identifier: GPL-2.0-only
/*
 * The devices of this machine. What happens to each is the scenario's choice;
 * their names are how the scenario and the truth call them.
 *
 * Instance GUIDs are made up; the last byte numbers the device.
 */
#include "vmhost.h"

#define INSTANCE(n) GUID_INIT(0x7b5ca000 + (n), 0x2d6e, 0x4c91, 0x8f, 0x43, \
			      0x52, 0x42, 0x53, 0x54, 0x41, (n))
#define SUB_CHANNELS 3

const struct vmhost_class vmhost_keyboard = {
	.name = "keyboard",
	.type = GUID_INIT(0xf912ad6d, 0x2b17, 0x48ea, 0xbd, 0x65, 0xf9, 0x27,
			  0xa6, 0x1c, 0x76, 0x84),
};

/* A class that no driver and no table of names knows. */
const struct vmhost_class vmhost_unknown = {
	.name = "unknown",
	.type = GUID_INIT(0x0badc1a5, 0x0001, 0x4aaa, 0x9b, 0xbb, 0x6e, 0x6f,
			  0x6e, 0x61, 0x6d, 0x65),
};

struct vmhost_device vmhost_devices[] = {
	{ "disk0", &vmhost_storvsc, INSTANCE(1), SUB_CHANNELS },
	{ "disk1", &vmhost_storvsc, INSTANCE(2), SUB_CHANNELS },
	{ "net0", &vmhost_netvsc, INSTANCE(3), SUB_CHANNELS },
	{ "net1", &vmhost_netvsc, INSTANCE(4) },
	{ "heartbeat", &vmhost_heartbeat, INSTANCE(5) },
	{ "shutdown", &vmhost_shutdown, INSTANCE(6) },
	{ "timesync", &vmhost_timesync, INSTANCE(7) },
	{ "kvp", &vmhost_kvp, INSTANCE(8) },
	{ "vss", &vmhost_vss, INSTANCE(9) },
	{ "balloon", &vmhost_balloon, INSTANCE(10) },
	{ "keyboard", &vmhost_keyboard, INSTANCE(11) },
	{ "unknown", &vmhost_unknown, INSTANCE(12) },
	{ "sock0", &vmhost_sock, INSTANCE(13), .on_demand = true },
	{ "sock1", &vmhost_sock, INSTANCE(14), .on_demand = true },
	{ "sock2", &vmhost_sock, INSTANCE(15), .on_demand = true },
};

const unsigned int vmhost_device_count = ARRAY_SIZE(vmhost_devices);
