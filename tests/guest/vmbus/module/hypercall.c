// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the guest calls through hv_hypercall_pg, or as a C function where the
 * call is a static one ("x86/hyperv: Use direct call to hypercall-page", 6.18).
 * The convention of the former (Hyper-V TLFS,
 * "Hypercall interface"): control word in rcx, input in rdx, output in r8,
 * status in rax. The callers in asm/mshyperv.h declare r8 to r11 clobbered but
 * neither rdi nor rsi, which a C function may change: the stub saves them.
 *
 * May be called with interrupts off and spinlocks held.
 */
#include "vmhost.h"
#include <linux/bitmap.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/version.h>
#include <linux/wait.h>
#include <asm/linkage.h>
#include <asm/mshyperv.h>

/* Layout of the input of HVCALL_POST_MESSAGE: drivers/hv/hyperv_vmbus.h */
struct post_message_input {
	u32 connection_id;
	u32 reserved;
	u32 message_type;
	u32 payload_bytes;
	u8 payload[VMHOST_PAYLOAD_MAX];
};

DECLARE_WAIT_QUEUE_HEAD(vmhost_wake);
atomic64_t vmhost_posts, vmhost_signals;

static LIST_HEAD(queue);
static DEFINE_SPINLOCK(queue_lock);
static DECLARE_BITMAP(signalled, VMHOST_CHANNELS);

static u64 post_message(const struct post_message_input *input)
{
	struct vmhost_message *message = kzalloc(sizeof(*message), GFP_ATOMIC);
	unsigned long flags;

	if (!message)
		return HV_STATUS_INSUFFICIENT_MEMORY;
	message->size = min_t(u32, input->payload_bytes, VMHOST_PAYLOAD_MAX);
	memcpy(message->payload, input->payload, message->size);
	spin_lock_irqsave(&queue_lock, flags);
	list_add_tail(&message->node, &queue);
	spin_unlock_irqrestore(&queue_lock, flags);
	atomic64_inc(&vmhost_posts);
	wake_up(&vmhost_wake);
	return HV_STATUS_SUCCESS;
}

static u64 signal_event(u64 connection_id)
{
	atomic64_inc(&vmhost_signals);
	vmhost_signal_set((u32)connection_id - VMHOST_CONNECTION_BASE);
	return HV_STATUS_SUCCESS;
}

/* Called by the stub below and, from 6.18 on, by the kernel's static call. */
__visible u64 vmhost_hypercall(u64 control, u64 input, u64 output)
{
	switch (control & 0xffff) {
	case HVCALL_POST_MESSAGE:
		return post_message(phys_to_virt(input));
	case HVCALL_SIGNAL_EVENT:
		return signal_event(input);
	}
	pr_err_ratelimited("hypercall %llx is not served\n", control);
	return HV_STATUS_INVALID_HYPERCALL_CODE;
}

asm(".pushsection .text\n"
    ".globl vmhost_hypercall_entry\n"
    ".type vmhost_hypercall_entry, @function\n"
    "vmhost_hypercall_entry:\n"
    "	endbr64\n"
    "	push %rdi\n"
    "	push %rsi\n"
    "	mov %rcx, %rdi\n"
    "	mov %rdx, %rsi\n"
    "	mov %r8, %rdx\n"
    "	call vmhost_hypercall\n"
    "	pop %rsi\n"
    "	pop %rdi\n"
    ASM_RET
    ".size vmhost_hypercall_entry, . - vmhost_hypercall_entry\n"
    ".popsection\n");

/* Takes the oldest message, which the caller frees; NULL if there is none. */
struct vmhost_message *vmhost_message_take(void)
{
	struct vmhost_message *message;
	unsigned long flags;

	spin_lock_irqsave(&queue_lock, flags);
	message = list_first_entry_or_null(&queue, struct vmhost_message, node);
	if (message)
		list_del(&message->node);
	spin_unlock_irqrestore(&queue_lock, flags);
	return message;
}

bool vmhost_work_pending(void)
{
	return !list_empty(&queue) || !bitmap_empty(signalled, VMHOST_CHANNELS);
}

bool vmhost_signal_take(u32 relid)
{
	return test_and_clear_bit(relid, signalled);
}

void vmhost_signal_set(u32 relid)
{
	if (relid >= VMHOST_CHANNELS)
		return;
	set_bit(relid, signalled);
	wake_up(&vmhost_wake);
}
