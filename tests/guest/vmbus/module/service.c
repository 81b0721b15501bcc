// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's one thread: handles channel messages in order, then drains each
 * channel that the guest has signalled. It wakes at every tick as well, for
 * signals that came through the monitor page.
 */
#include "vmhost.h"
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/wait.h>

static void serve(void)
{
	struct vmhost_message *message;
	u32 relid;

	mutex_lock(&vmhost_lock);
	while ((message = vmhost_message_take())) {
		vmhost_message_handle(message);
		kfree(message);
	}
	vmhost_monitor_poll();
	for (relid = 1; relid < VMHOST_CHANNELS; relid++)
		if (vmhost_signal_take(relid) && vmhost_channel_at(relid))
			vmhost_ring_drain(vmhost_channel_at(relid));
	mutex_unlock(&vmhost_lock);
}

static int host_thread(void *unused)
{
	while (!kthread_should_stop()) {
		wait_event_interruptible_timeout(vmhost_wake,
						 vmhost_work_pending(), 1);
		serve();
	}
	return 0;
}

int vmhost_service_start(void)
{
	return PTR_ERR_OR_ZERO(kthread_run(host_thread, NULL, "vmhost"));
}
