// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starves a CPU: a thread that spins with softirqs off. Interrupts still come,
 * so the host's signals are seen and counted, but no tasklet and no NAPI poll
 * of that CPU runs any more, as on a vCPU that the hypervisor hardly schedules.
 */
#include "vmhost.h"
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/nmi.h>
#include <linux/sched.h>

static int spin(void *seconds)
{
	unsigned long end = jiffies + (unsigned long)seconds * HZ;

	local_bh_disable();
	while (time_before(jiffies, end)) {
		touch_softlockup_watchdog();
		cpu_relax();
	}
	local_bh_enable();
	return 0;
}

int vmhost_starve_cpu(u32 cpu, u32 seconds)
{
	struct task_struct *task;

	if (cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	task = kthread_create(spin, (void *)(unsigned long)seconds,
			      "starve/%u", cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	wake_up_process(task);
	return 0;
}
