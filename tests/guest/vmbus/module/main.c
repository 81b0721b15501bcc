// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entry point. Load this module before hv_vmbus: the latter asks for the
 * hypervisor once, while it initializes. Where hv_vmbus is linked into the
 * kernel, this module starts it. The module stays loaded for as long as the
 * kernel lives, since the kernel keeps pointers into it.
 */
#include "vmhost.h"
#include <linux/module.h>
#include <linux/vmalloc.h>

DEFINE_MUTEX(vmhost_lock);

static int __init vmhost_init(void)
{
	unsigned int i;
	int error;

	for (i = 0; i < vmhost_device_count; i++)
		if (vmhost_devices[i].class->setup)
			vmhost_devices[i].class->setup(&vmhost_devices[i]);
	error = vmhost_control_create();
	if (error)
		return error;
	error = vmhost_service_start();
	if (error)
		return error;
	error = vmhost_bootstrap();
	if (!error && IS_BUILTIN(CONFIG_HYPERV_VMBUS))
		error = vmhost_start_builtin();
	if (error)
		return error;
	pr_info("host ready\n");
	return 0;
}
module_init(vmhost_init);

MODULE_DESCRIPTION("Hyper-V host inside the guest, for tests of VMBus dumps");
MODULE_LICENSE("GPL");
