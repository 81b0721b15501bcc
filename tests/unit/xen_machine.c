/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "xen_machine.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096

struct machine {
	struct rbs_target target;
	uint8_t *memory;
	bool excluded[XEN_MACHINE_SIZE / PAGE];
	bool recorded[XEN_MACHINE_SIZE / PAGE];
	bool recording;
	size_t reads;
};

static struct machine *machine_of(struct rbs_target *target)
{
	return (struct machine *)target;
}

static enum rbs_code machine_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				  void *buffer, size_t length, struct rbs_error *err)
{
	struct machine *self = machine_of(target);

	self->reads++;
	if (space != RBS_PHYSICAL)
		abort();
	if (address >= XEN_MACHINE_SIZE || length > XEN_MACHINE_SIZE - address)
		return rbs_error_set_at(err, RBS_UNMAPPED, address, "no such memory");
	for (uint64_t page = address / PAGE; page <= (address + length - 1) / PAGE; page++) {
		if (self->excluded[page])
			return rbs_error_set_at(err, RBS_EXCLUDED, address, "excluded");
		self->recorded[page] = self->recorded[page] || self->recording;
	}
	memcpy(buffer, self->memory + address, length);
	return RBS_OK;
}

static const char *machine_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

static void machine_record(struct rbs_target *target, bool on)
{
	machine_of(target)->recording = on;
}

static void machine_destroy(struct rbs_target *target)
{
	free(machine_of(target)->memory);
	free(target);
}

static const struct rbs_target_ops machine_ops = {
	.read = machine_read,
	.vmcoreinfo = machine_vmcoreinfo,
	.pages_record = machine_record,
	.destroy = machine_destroy,
};

struct rbs_target *xen_machine_create(void)
{
	struct machine *self = calloc(1, sizeof(*self));

	if (!self || !(self->memory = calloc(1, XEN_MACHINE_SIZE)))
		abort();
	self->recording = true;
	self->target.ops = &machine_ops;
	self->target.info = (struct rbs_target_info){
		.path = "machine.elf", .arch = "x86_64", .word_size = 8, .page_size = PAGE};
	return &self->target;
}

void xen_machine_put(struct rbs_target *target, uint64_t address, const void *bytes, size_t size)
{
	if (address >= XEN_MACHINE_SIZE || size > XEN_MACHINE_SIZE - address)
		abort();
	memcpy(machine_of(target)->memory + address, bytes, size);
}

void xen_machine_put_number(struct rbs_target *target, uint64_t address, uint64_t value)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	xen_machine_put(target, address, bytes, sizeof(bytes));
}

void xen_machine_exclude(struct rbs_target *target, uint64_t address)
{
	machine_of(target)->excluded[address / PAGE] = true;
}

size_t xen_machine_reads(const struct rbs_target *target)
{
	return ((const struct machine *)target)->reads;
}

bool xen_machine_recorded(const struct rbs_target *target, uint64_t address)
{
	return ((const struct machine *)target)->recorded[address / PAGE];
}
