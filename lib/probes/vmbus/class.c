/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GUIDs, and the classes of devices that they name (include/linux/hyperv.h: HV_*_GUID). */
#include <stdio.h>
#include <string.h>

#include "lib/probes/vmbus/vmbus.h"

void vmbus_guid_format(const uint8_t *guid, char *text, size_t size)
{
	snprintf(text, size, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 guid[3], guid[2], guid[1], guid[0], guid[5], guid[4], guid[7], guid[6], guid[8],
		 guid[9], guid[10], guid[11], guid[12], guid[13], guid[14], guid[15]);
}

static const struct {
	const char *guid;
	const char *name;
	enum vmbus_class class;
} classes[] = {
	{"f8615163-df3e-46c5-913f-f2d2f965ed0e", "network", VMBUS_CLASS_NET},
	{"ba6163d9-04a1-4d29-b605-72e2ffb1dc7f", "SCSI", VMBUS_CLASS_STORAGE},
	{"32412632-86cb-44a2-9b5c-50d1417354f5", "IDE", VMBUS_CLASS_STORAGE},
	{"2f9bcc4a-0069-4af3-b76b-6fd0be528cda", "Fibre Channel", VMBUS_CLASS_STORAGE},
	{"0e0b6031-5213-4934-818b-38d90ced39db", "shutdown", VMBUS_CLASS_UTIL},
	{"9527e630-d0ae-497b-adce-e80ab0175caf", "time sync", VMBUS_CLASS_UTIL},
	{"57164f39-9115-4e78-ab55-382f3bd5422d", "heartbeat", VMBUS_CLASS_UTIL},
	{"a9a0f4e7-5a45-4d96-b827-8a841e8c03e6", "KVP", VMBUS_CLASS_UTIL},
	{"35fa2e29-ea23-4236-96ae-3a6ebacba440", "VSS", VMBUS_CLASS_UTIL},
	{"34d14be3-dee4-41c8-9ae7-6b174977c192", "file copy", VMBUS_CLASS_UTIL},
	{"525074dc-8985-46e2-8057-a307dc18a502", "dynamic memory", VMBUS_CLASS_OTHER},
	{"cfa8b69e-5b4a-4cc0-b98b-8ba1a1f3f95a", "mouse", VMBUS_CLASS_OTHER},
	{"f912ad6d-2b17-48ea-bd65-f927a61c7684", "keyboard", VMBUS_CLASS_OTHER},
	{"da0a7802-e377-4aac-8e77-0558eb1073f8", "framebuffer", VMBUS_CLASS_OTHER},
	{"44c4f61d-4444-4400-9d52-802e27ede19f", "PCI passthrough", VMBUS_CLASS_OTHER},
	{"8c2eaf3d-32a7-4b09-ab99-bd1f1c86b501", "network direct", VMBUS_CLASS_OTHER},
	{"3375baf4-9e15-4b30-b765-67acb10d607b", "automatic activation", VMBUS_CLASS_OTHER},
	{"276aacf4-ac15-426c-98dd-7521ad3f01fe", "remote desktop control", VMBUS_CLASS_OTHER},
	{"f8e65716-3cb3-4a06-9a60-1889c5cccab5", "remote desktop", VMBUS_CLASS_OTHER},
};

/* Services of hv_sock are numbered ports in this template (net/vmw_vsock/hyperv_transport.c). */
#define SOCKET_TEMPLATE "-facb-11e6-bd58-64006a7986d3"

const char *vmbus_class_name(const char *guid, enum vmbus_class *class)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (!strcmp(classes[i].guid, guid)) {
			*class = classes[i].class;
			return classes[i].name;
		}
	}
	if (strlen(guid) > 8 && !strcmp(guid + 8, SOCKET_TEMPLATE)) {
		*class = VMBUS_CLASS_SOCKET;
		return "socket";
	}
	*class = VMBUS_CLASS_OTHER;
	return NULL;
}
