// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ms_hyperv_init_platform() and hyperv_init() would have set up at boot
 * had CPUID shown Hyper-V: the hypervisor's type, the interrupt gate of
 * HYPERVISOR_CALLBACK_VECTOR, virtual processor numbers and the hypercall page.
 *
 * Most of these variables are read-only after init; they are written through
 * a second, writable mapping of their pages. The enlightenment for hypercall
 * input pages is asked for since 6.6 (hv_post_message() uses
 * hyperv_pcpu_input_arg there).
 */
#include "vmhost.h"
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
#include <asm/desc.h>
#include <asm/hypervisor.h>
#include <asm/irq_vectors.h>
#include <asm/mshyperv.h>

static unsigned long (*lookup_name)(const char *name);

/* Returns NULL for a name that this kernel doesn't have. */
void *vmhost_symbol(const char *name)
{
	return (void *)lookup_name(name);
}

/* kallsyms_lookup_name() is no longer exported (5.7); a kprobe can find it. */
static int find_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int error = register_kprobe(&probe);

	if (error)
		return error;
	lookup_name = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int write_read_only(void *to, const void *from, size_t bytes)
{
	size_t offset = offset_in_page(to);
	struct page *page[2];
	u8 *alias;

	page[0] = virt_to_page(to);
	page[1] = virt_to_page((u8 *)to + bytes - 1);
	alias = vmap(page, offset + bytes > PAGE_SIZE ? 2 : 1, VM_MAP,
		     PAGE_KERNEL);
	if (!alias)
		return -ENOMEM;
	memcpy(alias + offset, from, bytes);
	vunmap(alias);
	return 0;
}

/* The hypercall MSR reads as disabled, so the kernel's own check must be overruled. */
static int say_initialized(struct kretprobe_instance *instance,
			   struct pt_regs *regs)
{
	regs_set_return_value(regs, 1);
	return 0;
}

static struct kretprobe initialized_probe = {
	.handler = say_initialized,
	.kp.symbol_name = "hv_is_hyperv_initialized",
	.maxactive = 16,
};

static int install_gate(void)
{
	gate_desc *table = vmhost_symbol("idt_table");
	void *entry = vmhost_symbol("asm_sysvec_hyperv_callback");
	unsigned long *vectors = vmhost_symbol("system_vectors");
	struct idt_data data = {};
	gate_desc gate;
	int error;

	if (!table || !entry) {
		pr_err("this kernel has no Hyper-V interrupt entry\n");
		return -ENOENT;
	}
	init_idt_data(&data, HYPERVISOR_CALLBACK_VECTOR, entry);
	idt_init_desc(&gate, &data);
	error = write_read_only(&table[HYPERVISOR_CALLBACK_VECTOR], &gate,
				sizeof(gate));
	if (!error && vectors) {
		unsigned long *word = vectors + BIT_WORD(HYPERVISOR_CALLBACK_VECTOR);
		unsigned long bits = *word | BIT_MASK(HYPERVISOR_CALLBACK_VECTOR);

		error = write_read_only(word, &bits, sizeof(bits));
	}
	return error;
}

static int number_processors(void)
{
	u32 *numbers = kmalloc_array(nr_cpu_ids, sizeof(*numbers), GFP_KERNEL);
	unsigned int cpu;

	if (!numbers)
		return -ENOMEM;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		numbers[cpu] = cpu;
	hv_vp_index = numbers;
	hv_max_vp_index = nr_cpu_ids;
	return 0;
}

static int give_input_pages(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	unsigned int cpu;

	hyperv_pcpu_input_arg = alloc_percpu(void *);
	if (!hyperv_pcpu_input_arg)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		void *page = (void *)get_zeroed_page(GFP_KERNEL);

		if (!page)
			return -ENOMEM;
		*(void **)per_cpu_ptr(hyperv_pcpu_input_arg, cpu) = page;
	}
#endif
	return 0;
}

/* The partition's reference time, in units of 100 ns. */
static u64 read_reference(void)
{
	return ktime_get_ns() / 100;
}

/* The time synchronization of 5.10 doesn't start without this clock. */
static int give_reference_time(void)
{
	u64 (*function)(void) = read_reference;
	void *variable = vmhost_symbol("hv_read_reference_counter");

	if (!variable)
		return 0;
	return write_read_only(variable, &function, sizeof(function));
}

/*
 * Since "x86/hyperv: Use direct call to hypercall-page" (6.18) the kernel calls
 * through a static call; before, through the pointer.
 */
static int give_hypercall(void)
{
	void *entry = vmhost_hypercall_entry;
	void *key = vmhost_symbol("__SCK__hv_hypercall");
	void *trampoline = vmhost_symbol("__SCT__hv_hypercall");
	void *page = vmhost_symbol("hv_hypercall_pg");

	if (key && trampoline) {
		__static_call_update(key, trampoline, vmhost_hypercall);
		return 0;
	}
	if (!page)
		return -ENOENT;
	return write_read_only(page, &entry, sizeof(entry));
}

int vmhost_bootstrap(void)
{
	/* Ask the kernel to write the APIC's EOI itself. */
	u32 hints = HV_DEPRECATING_AEOI_RECOMMENDED;
	enum x86_hypervisor_type type = X86_HYPER_MS_HYPERV;
	void *type_variable;
	int error = find_lookup();

	if (!error)
		error = register_kretprobe(&initialized_probe);
	if (!error)
		error = install_gate();
	if (!error)
		error = number_processors();
	if (!error)
		error = give_input_pages();
	if (!error)
		error = give_reference_time();
	if (error)
		return error;
	type_variable = vmhost_symbol("x86_hyper_type");
	if (!type_variable)
		return -ENOENT;
	error = write_read_only(&ms_hyperv.hints, &hints, sizeof(hints));
	if (!error)
		error = give_hypercall();
	if (!error)
		error = write_read_only(type_variable, &type, sizeof(type));
	return error;
}
