/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a dump file, whatever its format. */
#include "lib/target/kdump_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/target/arch.h"
#include "lib/target/disk_machine.h"
#include "lib/target/elf_repair.h"
#include "lib/target/flattened.h"
#include "lib/target/header_check.h"
#include "lib/target/truncated.h"

/* Decompressed pages that libkdumpfile keeps: 16 MiB of 4 KiB pages. */
#define CACHE_PAGES 4096

static enum rbs_code file_open(struct kdump_target *self, const char *path, struct rbs_error *err)
{
	struct stat status;

	/* Opening a fifo would wait for its other end. */
	self->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (self->fd < 0 || fstat(self->fd, &status))
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: is a directory, not a dump", path);
	/* A dump may lie on a raw partition. */
	if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: is a fifo or another special file, not a dump", path);
	if (S_ISREG(status.st_mode) && status.st_size == 0)
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: the file is empty", path);
	return RBS_OK;
}

/* A fresh context for each try: a failed open leaves libkdumpfile's half set up. */
static kdump_status context_open(struct kdump_target *self)
{
	kdump_status status;

	if (self->context)
		kdump_free(self->context);
	self->context = kdump_new();
	if (!self->context)
		return KDUMP_ERR_SYSTEM;
	kdump_set_number_attr(self->context, "cache.size", CACHE_PAGES);
	/* Mapped files end a program by SIGBUS where a damaged dump points past their end. */
	kdump_set_number_attr(self->context, KDUMP_ATTR_FILE_MMAP_POLICY, KDUMP_MMAP_NEVER);
	status = kdump_open_fd(self->context, self->fd);
	return status;
}

static enum rbs_code dump_open(struct kdump_target *self, const char *path, struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;
	kdump_status status;
	int copy;

	/* Some versions of libkdumpfile know the flattened form; none of them knows damaged ones.
	 */
	if (rbs_flattened_detect(self->fd)) {
		code = rbs_flattened_rearrange(self->fd, path, &copy, err);
		if (code != RBS_OK)
			return code;
		close(self->fd);
		self->fd = copy;
	}
	if (rbs_elf_repair_needed(self->fd)) {
		code = rbs_elf_repair(self->fd, path, &copy, err);
		if (code != RBS_OK)
			return code;
		close(self->fd);
		self->fd = copy;
	}
	code = rbs_disk_map_init(&self->disk, self->fd, path, err);
	if (code == RBS_OK)
		code = rbs_truncated_check(self->fd, path, &self->disk, err);
	if (code == RBS_OK)
		code = rbs_header_check(self->fd, path, err);
	if (code != RBS_OK)
		return code;
	status = context_open(self);
	if (status == KDUMP_OK)
		return RBS_OK;
	if (!self->context)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (status == KDUMP_ERR_NOTIMPL)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: not a dump in a known format (%s); ELF, kdump-compressed "
				     "and flattened dumps are read",
				     path, kdump_get_err(self->context));
	return rbs_error_set(err, kdump_code(status), "%s: cannot be opened as a dump: %s", path,
			     kdump_get_err(self->context));
}

const char *kdump_attribute_string(struct kdump_target *self, const char *key)
{
	const char *value;

	if (kdump_get_string_attr(self->context, key, &value) == KDUMP_OK)
		return value;
	kdump_clear_err(self->context);
	return NULL;
}

bool kdump_attribute_number(struct kdump_target *self, const char *key, uint64_t *value)
{
	kdump_num_t number;

	if (kdump_get_number_attr(self->context, key, &number) == KDUMP_OK) {
		*value = number;
		return true;
	}
	kdump_clear_err(self->context);
	return false;
}

static enum rbs_code info_fill(struct kdump_target *self, const char *path, struct rbs_error *err)
{
	struct rbs_target_info *info = &self->target.info;
	const char *text = kdump_attribute_string(self, KDUMP_ATTR_ARCH_NAME);
	char machine[RBS_MACHINE_SIZE];
	bool from_header = !text;
	kdump_attr_t xen;
	uint64_t number;

	if (from_header && rbs_disk_machine(self->fd, machine))
		text = machine;
	/* makedumpfile leaves utsname empty in a hypervisor's dump; Xen's kexec is x86's. */
	if (!text && kdump_get_attr(self->context, "xen.vmcoreinfo.raw", &xen) == KDUMP_OK)
		text = "x86_64";
	kdump_clear_err(self->context);
	if (!text)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: the dump's header does not say which architecture it is "
				     "of",
				     path);
	snprintf(info->path, sizeof(info->path), "%s", path);
	snprintf(info->arch, sizeof(info->arch), "%s", text);
	/* ELF_MACHINE_UNAME of QEMU for all but x86 and s390x; arm64's blocks are of 64 KiB. */
	if (from_header && !strcmp(text, "Unknown"))
		return rbs_error_set(
			err, RBS_UNSUPPORTED,
			"%s: QEMU's kdump format does not fit this machine: it names no "
			"architecture, and its blocks are no pages; take the dump as "
			"ELF (dump-guest-memory without a format)",
			path);
	if (!rbs_arch_by_name(info->arch))
		return rbs_arch_refuse(path, info->arch, err);
	if (from_header &&
	    kdump_set_string_attr(self->context, KDUMP_ATTR_ARCH_NAME, text) != KDUMP_OK)
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: %s", path,
				     kdump_get_err(self->context));
	text = kdump_attribute_string(self, KDUMP_ATTR_FILE_FORMAT);
	snprintf(info->format, sizeof(info->format), "%s", text ? text : "unknown");
	info->byte_order = RBS_LITTLE_ENDIAN;
	if (kdump_attribute_number(self, KDUMP_ATTR_BYTE_ORDER, &number) &&
	    number == KDUMP_BIG_ENDIAN)
		info->byte_order = RBS_BIG_ENDIAN;
	if (!kdump_attribute_number(self, KDUMP_ATTR_PTR_SIZE, &number) ||
	    (number != 4 && number != 8))
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: unknown word size", path);
	info->word_size = (unsigned)number;
	/* Of arm64, which has several, libkdumpfile knows it from VMCOREINFO alone. */
	if (!kdump_attribute_number(self, KDUMP_ATTR_PAGE_SIZE, &number))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: the dump has no VMCOREINFO that says how large its pages "
				     "are; %s",
				     path, rbs_arch_by_name(info->arch)->vmcoreinfo_advice);
	if (number < 512 || number > 1 << 20 || (number & (number - 1)))
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: unknown page size", path);
	info->page_size = number;
	return RBS_OK;
}

/*
 * Which pages the dump has. libkdumpfile must not be asked for others: it reads holes of an ELF
 * dump as zeros, and after a failed read with a full cache it may write to address 0 (up to 0.5.4;
 * "cache: Get data buffer before adjusting ghost partition size" of January 2024). Of a Xen
 * domain's core (xc_core) its map is empty, since that has no segments; there a page that is
 * missing is refused before the cache is asked (xc_get_page() of elfdump.c).
 */
static void page_map_init(struct kdump_target *self)
{
	kdump_attr_t map;
	uint64_t type;

	if (kdump_attribute_number(self, KDUMP_ATTR_XEN_TYPE, &type) && type == KDUMP_XEN_DOMAIN)
		return;
	if (kdump_get_attr(self->context, KDUMP_ATTR_FILE_PAGEMAP, &map) == KDUMP_OK &&
	    map.type == KDUMP_BITMAP) {
		kdump_bmp_incref(map.val.bitmap);
		self->page_map = map.val.bitmap;
	}
	kdump_clear_err(self->context);
}

enum rbs_code rbs_kdump_open_file(const char *path, struct rbs_target **target,
				  struct rbs_error *err)
{
	struct kdump_target *self = calloc(1, sizeof(*self));
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->target.ops = &kdump_ops;
	self->fd = -1;
	self->recording = true;
	rbs_page_set_init(&self->pages);
	rbs_page_set_init(&self->missing);
	code = file_open(self, path, err);
	if (code == RBS_OK)
		code = dump_open(self, path, err);
	if (code == RBS_OK)
		code = info_fill(self, path, err);
	if (code != RBS_OK) {
		rbs_target_destroy(&self->target);
		return code;
	}
	page_map_init(self);
	*target = &self->target;
	return RBS_OK;
}

bool rbs_kdump_domain_root(struct rbs_target *target, unsigned cpu, uint64_t *root)
{
	struct kdump_target *self = kdump_target_from(target);
	uint64_t type;
	char key[64];

	snprintf(key, sizeof(key), "cpu.%u.reg.cr3", cpu);
	return kdump_attribute_number(self, KDUMP_ATTR_XEN_TYPE, &type) &&
	       type == KDUMP_XEN_DOMAIN && kdump_attribute_number(self, key, root) && *root;
}

enum rbs_code rbs_kdump_open(const char *path, struct rbs_target **target, struct rbs_error *err)
{
	enum rbs_code code = rbs_kdump_open_file(path, target, err);

	if (code == RBS_OK)
		code = rbs_kdump_linux_init(*target, err);
	else
		return code;
	if (code != RBS_OK)
		rbs_target_destroy(*target);
	return code;
}
