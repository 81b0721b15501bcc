// SPDX-License-Identifier: GPL-2.0-only
/*
 * The synthetic interrupt controller, seen from the host: one message slot and
 * one page of event flags for each virtual processor, and an interrupt on
 * HYPERVISOR_CALLBACK_VECTOR, sent as an ordinary IPI.
 *
 * Where the pages are is told to a real hypervisor by MSR writes, which go
 * nowhere here: they are read from hv_vmbus' own bookkeeping instead.
 */
#include "vmhost.h"
#include <linux/delay.h>
#include <linux/percpu.h>
#include <asm/apic.h>
#include <asm/mshyperv.h>
#include <asm/sync_bitops.h>

/*
 * The heads of struct hv_per_cpu_context and struct hv_context, the same from
 * 5.10 to 7.3 (drivers/hv/hyperv_vmbus.h).
 */
struct synic_pages {
	struct hv_message *message;
	union hv_synic_event_flags *event;
};

struct synic_context {
	u64 guest_id;
	struct synic_pages __percpu *pages;
};

atomic64_t vmhost_interrupts;

static struct synic_pages *pages_of(u32 cpu)
{
	static struct synic_context *context;

	if (!context)
		context = vmhost_symbol("hv_context");
	return context ? per_cpu_ptr(context->pages, cpu) : NULL;
}

static void interrupt(u32 cpu)
{
	atomic64_inc(&vmhost_interrupts);
	preempt_disable();
	apic->send_IPI(cpu, HYPERVISOR_CALLBACK_VECTOR);
	preempt_enable();
}

/*
 * Puts a channel message into the slot as soon as the guest has emptied it.
 * Returns -EBUSY when the guest leaves the slot full for about a second.
 */
int vmhost_post(const void *payload, u32 size)
{
	struct synic_pages *pages = pages_of(VMHOST_MESSAGE_CPU);
	struct hv_message *slot;
	unsigned int tries;

	if (!pages || size > VMHOST_PAYLOAD_MAX)
		return -EINVAL;
	slot = &pages->message[VMHOST_SINT];
	for (tries = 0; READ_ONCE(slot->header.message_type) != HVMSG_NONE;
	     tries++) {
		if (tries == 5000) {
			pr_err("the guest doesn't take its messages\n");
			return -EBUSY;
		}
		if (tries % 200 == 199)
			interrupt(VMHOST_MESSAGE_CPU);
		usleep_range(100, 200);
	}
	memcpy(slot->u.payload, payload, size);
	slot->header.payload_size = size;
	slot->header.message_flags.asu8 = 0;
	smp_wmb();
	WRITE_ONCE(slot->header.message_type, 1);
	interrupt(VMHOST_MESSAGE_CPU);
	return 0;
}

void vmhost_interrupt(const struct vmhost_channel *channel)
{
	struct synic_pages *pages = pages_of(channel->vp);

	if (!pages)
		return;
	sync_set_bit(channel->relid, pages->event[VMHOST_SINT].flags);
	interrupt(channel->vp);
}
