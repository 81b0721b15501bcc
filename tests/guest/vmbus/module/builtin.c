// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernels whose hv_vmbus is linked in ("Drivers: hv: Make CONFIG_HYPERV bool"
 * and CONFIG_HYPERV_VMBUS, 6.18; Debian's 7.x). Their hv_acpi_init() found no
 * Hyper-V at boot and is gone since: what it would have done is done again
 * here, by the kernel's own functions, in its order (drivers/hv/vmbus_drv.c,
 * hv_acpi_init(), vmbus_bus_init(), vmbus_alloc_synic_and_connect()).
 *
 * Left out, since no guest here needs it: CPUs that come and go, suspend, what
 * is registered for a panic or a kexec, debugfs.
 */
#include "vmhost.h"
#include <linux/cpu.h>
#include <linux/device/bus.h>
#include <linux/irq.h>
#include <linux/platform_device.h>
#include <asm/irq_vectors.h>

/* What is needed of the kernel; NULL where a name is gone. */
struct vmbus_parts {
	struct platform_driver *driver;		/* its probe() finds the ACPI device */
	void **root_device;			/* which it leaves here */
	struct bus_type *bus;
	int *irq, *interrupt;
	int (*init)(void);
	void (*setup_handler)(void (*handler)(void));
	void (*isr)(void);
	int (*synic_alloc)(void);
	int (*synic_init)(unsigned int cpu);
	int (*connect)(void);
	int (*request_offers)(void);
};

static int find_parts(struct vmbus_parts *parts)
{
	const struct {
		const char *name;
		void *to;
	} wanted[] = {
		{ "vmbus_platform_driver", &parts->driver },
		{ "vmbus_root_device", &parts->root_device },
		{ "hv_bus", &parts->bus },
		{ "vmbus_irq", &parts->irq },
		{ "vmbus_interrupt", &parts->interrupt },
		{ "hv_init", &parts->init },
		{ "hv_setup_vmbus_handler", &parts->setup_handler },
		{ "vmbus_isr", &parts->isr },
		{ "hv_synic_alloc", &parts->synic_alloc },
		{ "hv_synic_init", &parts->synic_init },
		{ "vmbus_connect", &parts->connect },
		{ "vmbus_request_offers", &parts->request_offers },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		void *symbol = vmhost_symbol(wanted[i].name);

		if (!symbol) {
			pr_err("this kernel has no %s\n", wanted[i].name);
			return -ENOENT;
		}
		memcpy(wanted[i].to, &symbol, sizeof(symbol));
	}
	return 0;
}

static long synic_init(void *parts)
{
	return ((struct vmbus_parts *)parts)->synic_init(smp_processor_id());
}

/* Each CPU sets up its own part of the synthetic interrupt controller. */
static int start_synic(struct vmbus_parts *parts)
{
	int error = parts->synic_alloc();
	unsigned int cpu;

	for_each_online_cpu(cpu)
		if (!error)
			error = work_on_cpu(cpu, synic_init, parts);
	return error;
}

/* Also returns when all devices are offered. 0 or a negative errno. */
int vmhost_start_builtin(void)
{
	struct vmbus_parts parts = {};
	int error = find_parts(&parts);

	if (!error)
		error = platform_driver_register(parts.driver);
	if (error)
		return error;
	if (!*parts.root_device) {
		pr_err("vmbus found no ACPI device\n");
		return -ENODEV;
	}
	*parts.interrupt = HYPERVISOR_CALLBACK_VECTOR;
	*parts.irq = -1;
	error = parts.init();
	if (!error)
		error = bus_register(parts.bus);
	if (error)
		return error;
	parts.setup_handler(parts.isr);
	error = start_synic(&parts);
	if (!error)
		error = parts.connect();
	if (!error)
		error = parts.request_offers();
	return error;
}
