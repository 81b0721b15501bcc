/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/arch.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define QEMU_ADVICE                                                                                \
	"take it with kdump, or give the guest QEMU's vmcoreinfo device and the qemu_fw_cfg "      \
	"module"

static const struct rbs_arch known[] = {
	{"x86_64", EM_X86_64, 8, RBS_LITTLE_ENDIAN, QEMU_ADVICE},
	{"aarch64", EM_AARCH64, 8, RBS_LITTLE_ENDIAN, QEMU_ADVICE},
	/* QEMU has no such device there; the kernel says it in the lowcore (docs/s390x.md). */
	{"s390x", EM_S390, 8, RBS_BIG_ENDIAN,
	 "take it with kdump, or so that it has the machine's first page, which leads to it"},
};

/* uname's words for others: a refusal names them. */
static const struct {
	const char *name;
	unsigned elf_machine;
} others[] = {
	{"ppc64", EM_PPC64}, {"riscv64", EM_RISCV}, {"i686", EM_386},
	{"arm", EM_ARM},     {"ppc", EM_PPC},	    {"mips", EM_MIPS},
};

const struct rbs_arch *rbs_arch_by_name(const char *name)
{
	for (size_t i = 0; i < COUNT(known); i++) {
		if (!strcmp(known[i].name, name))
			return &known[i];
	}
	return NULL;
}

const struct rbs_arch *rbs_arch_by_elf(unsigned elf_machine)
{
	for (size_t i = 0; i < COUNT(known); i++) {
		if (known[i].elf_machine == elf_machine)
			return &known[i];
	}
	return NULL;
}

enum rbs_code rbs_arch_refuse(const char *path, const char *name, struct rbs_error *err)
{
	char read[128] = "";
	size_t length = 0;

	for (size_t i = 0; i < COUNT(known) && length < sizeof(read); i++)
		length += (size_t)snprintf(read + length, sizeof(read) - length, "%s%s",
					   i ? ", " : "", known[i].name);
	return rbs_error_set(err, RBS_UNSUPPORTED,
			     "%s: a dump of architecture %s; those of %s are read", path, name,
			     read);
}

enum rbs_code rbs_arch_refuse_elf(const char *path, uint64_t elf_machine, struct rbs_error *err)
{
	char number[32];

	for (size_t i = 0; i < COUNT(others); i++) {
		if (others[i].elf_machine == elf_machine)
			return rbs_arch_refuse(path, others[i].name, err);
	}
	snprintf(number, sizeof(number), "number %" PRIu64, elf_machine);
	return rbs_arch_refuse(path, number, err);
}
