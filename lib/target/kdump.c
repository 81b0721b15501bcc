/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/kdump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libkdumpfile/addrxlat.h>
#include <libkdumpfile/kdumpfile.h>

#include "lib/target/flattened.h"
#include "lib/target/header_check.h"
#include "lib/target/truncated.h"

/* Decompressed pages that libkdumpfile keeps: 16 MiB of 4 KiB pages. */
#define CACHE_PAGES 4096
/* Translations kept; a power of two. */
#define TLB_SIZE 1024

struct translation {
	uint64_t virtual_page; /* page number + 1; 0 is empty */
	addrxlat_fulladdr_t physical;
};

struct kdump_target {
	struct rbs_target target;
	kdump_ctx_t *context;
	addrxlat_ctx_t *kdump_xlat;   /* libkdumpfile's own context, for its callbacks */
	const addrxlat_cb_t *base;    /* those callbacks */
	addrxlat_ctx_t *xlat_context; /* ours, with the hook */
	addrxlat_sys_t *xlat_system;
	addrxlat_status table_status; /* why a page table could not be read */
	char *vmcoreinfo;
	int fd;
	kdump_bmp_t *page_map;	     /* which pages the file holds; NULL: not needed */
	bool recording;
	struct rbs_page_set pages;
	struct rbs_page_set missing; /* those of them that page_map lacks */
	struct translation tlb[TLB_SIZE];
};

static struct kdump_target *kdump_target_from(struct rbs_target *target)
{
	return (struct kdump_target *)target;
}

/*
 * Note that a page is about to be read; false when the dump lacks it. In ELF dumps libkdumpfile
 * (0.5.1 to 0.5.4) reads a missing page right before one that is there as zeros: its search for
 * the closest segment also takes the one that starts where the page ends. Its page map is right.
 */
static bool page_note(struct kdump_target *self, uint64_t physical)
{
	uint64_t pfn = physical / self->target.info.page_size;
	kdump_addr_t found = pfn;

	bool present;

	if (rbs_page_set_has(&self->pages, pfn))
		return !rbs_page_set_has(&self->missing, pfn);
	present = !self->page_map ||
		  (kdump_bmp_find_set(self->page_map, &found) == KDUMP_OK && found == pfn);
	if (!self->recording)
		return present;
	rbs_page_set_add(&self->pages, pfn);
	self->target.stats.pages_read++;
	if (!present)
		rbs_page_set_add(&self->missing, pfn);
	return present;
}

/* libaddrxlat reads page tables, and what it probes at start, through here. */
static addrxlat_status page_table_get(const addrxlat_cb_t *hook, addrxlat_buffer_t *buffer)
{
	struct kdump_target *self = kdump_target_from(hook->priv);
	addrxlat_status status;

	if (buffer->addr.as != ADDRXLAT_KVADDR && !page_note(self, buffer->addr.addr))
		status = addrxlat_ctx_err(self->xlat_context, ADDRXLAT_ERR_NODATA,
					  "physical page %" PRIx64 " was excluded",
					  (uint64_t)buffer->addr.addr);
	else
		status = self->base->get_page(self->base, buffer);
	if (status != ADDRXLAT_OK)
		self->table_status = status;
	return status;
}

static enum rbs_code code_from_kdump(kdump_status status)
{
	switch (status) {
	case KDUMP_OK:
		return RBS_OK;
	case KDUMP_ERR_NODATA:
		return RBS_EXCLUDED;
	case KDUMP_ERR_EOF:
		return RBS_TRUNCATED;
	case KDUMP_ERR_CORRUPT:
		return RBS_CORRUPT;
	case KDUMP_ERR_NOTIMPL:
		return RBS_UNSUPPORTED;
	case KDUMP_ERR_ADDRXLAT:
		return RBS_UNMAPPED;
	default:
		return RBS_IO;
	}
}

static enum rbs_code code_from_addrxlat(addrxlat_status status)
{
	switch (status) {
	case ADDRXLAT_OK:
		return RBS_OK;
	case ADDRXLAT_ERR_NODATA:
		return RBS_EXCLUDED;
	case ADDRXLAT_ERR_NOTPRESENT:
	case ADDRXLAT_ERR_INVALID:
	case ADDRXLAT_ERR_NOMETH:
		return RBS_UNMAPPED;
	case ADDRXLAT_ERR_NOMEM:
		return RBS_NOMEM;
	case ADDRXLAT_ERR_NOTIMPL:
		return RBS_UNSUPPORTED;
	default:
		/* A page table that could not be read: libkdumpfile's own status, negated. */
		return status < 0 ? code_from_kdump((kdump_status)-status) : RBS_IO;
	}
}

static enum rbs_code page_translate(struct kdump_target *self, uint64_t page,
				    addrxlat_fulladdr_t *physical, struct rbs_error *err)
{
	uint64_t number = page / self->target.info.page_size;
	struct translation *slot = &self->tlb[number % TLB_SIZE];
	addrxlat_fulladdr_t address = {.addr = page, .as = ADDRXLAT_KVADDR};
	addrxlat_status status;

	if (slot->virtual_page == number + 1) {
		*physical = slot->physical;
		return RBS_OK;
	}
	self->table_status = ADDRXLAT_OK;
	status = addrxlat_fulladdr_conv(&address, ADDRXLAT_MACHPHYSADDR, self->xlat_context,
					self->xlat_system);
	/* 'No way to translate' is what it says once all ways failed, for whatever reason. */
	if (status == ADDRXLAT_ERR_NOMETH && self->table_status != ADDRXLAT_OK)
		status = self->table_status;
	if (status != ADDRXLAT_OK) {
		enum rbs_code code = code_from_addrxlat(status);
		const char *detail = addrxlat_ctx_get_err(self->xlat_context);

		if (code == RBS_EXCLUDED || code == RBS_TRUNCATED)
			rbs_error_set_at(err, code, page,
					 "a page table of %" PRIx64 " is not in the dump: %s", page,
					 detail);
		else
			rbs_error_set_at(err, code, page, "%" PRIx64 " is not mapped: %s", page,
					 detail ? detail : "no translation");
		addrxlat_ctx_clear_err(self->xlat_context);
		return code;
	}
	slot->virtual_page = number + 1;
	slot->physical = address;
	*physical = address;
	return RBS_OK;
}

static enum rbs_code physical_read(struct kdump_target *self, addrxlat_fulladdr_t from,
				   uint64_t named, void *buffer, size_t length,
				   struct rbs_error *err)
{
	size_t got = length;
	kdump_status status = KDUMP_ERR_NODATA;
	enum rbs_code code;

	if (page_note(self, from.addr))
		status = kdump_read(self->context,
				    from.as == ADDRXLAT_MACHPHYSADDR ? KDUMP_MACHPHYSADDR
								     : KDUMP_KPHYSADDR,
				    from.addr, buffer, &got);
	if (status == KDUMP_OK)
		return RBS_OK;
	code = code_from_kdump(status);
	if (code == RBS_EXCLUDED)
		rbs_error_set_at(err, code, named,
				 "the page of %" PRIx64 " (physical %" PRIx64
				 ") was excluded from the dump",
				 named, (uint64_t)from.addr);
	else
		rbs_error_set_at(err, code, named, "%" PRIx64 " (physical %" PRIx64 "): %s", named,
				 (uint64_t)from.addr, kdump_get_err(self->context));
	kdump_clear_err(self->context);
	return code;
}

static enum rbs_code kdump_target_read(struct rbs_target *target, enum rbs_space space,
				       uint64_t address, void *buffer, size_t length,
				       struct rbs_error *err)
{
	struct kdump_target *self = kdump_target_from(target);
	uint64_t page_size = target->info.page_size;
	uint8_t *to = buffer;

	while (length) {
		uint64_t offset = address % page_size;
		size_t step = length < page_size - offset ? length : page_size - offset;
		addrxlat_fulladdr_t from = {.addr = address, .as = ADDRXLAT_MACHPHYSADDR};
		enum rbs_code code = RBS_OK;

		if (space == RBS_KERNEL_VIRTUAL && !self->xlat_context)
			return rbs_error_set_at(err, RBS_UNMAPPED, address,
						"%" PRIx64 ": no kernel's translation was set up",
						address);
		if (space == RBS_KERNEL_VIRTUAL) {
			code = page_translate(self, address - offset, &from, err);
			from.addr += offset;
		}
		if (code == RBS_OK)
			code = physical_read(self, from, address, to, step, err);
		if (code != RBS_OK)
			return code;
		to += step;
		address += step;
		length -= step;
	}
	return RBS_OK;
}

static const char *kdump_target_vmcoreinfo(struct rbs_target *target)
{
	return kdump_target_from(target)->vmcoreinfo;
}

static void kdump_target_destroy(struct rbs_target *target)
{
	struct kdump_target *self = kdump_target_from(target);

	if (self->page_map)
		kdump_bmp_decref(self->page_map);
	if (self->xlat_context)
		addrxlat_ctx_decref(self->xlat_context);
	if (self->kdump_xlat)
		addrxlat_ctx_decref(self->kdump_xlat);
	if (self->xlat_system)
		addrxlat_sys_decref(self->xlat_system);
	if (self->context)
		kdump_free(self->context);
	if (self->fd >= 0)
		close(self->fd);
	free(self->vmcoreinfo);
	rbs_page_set_deinit(&self->pages);
	rbs_page_set_deinit(&self->missing);
	free(self);
}

static const struct rbs_page_set *kdump_target_pages(const struct rbs_target *target)
{
	return &((const struct kdump_target *)target)->pages;
}

static void kdump_target_pages_record(struct rbs_target *target, bool on)
{
	kdump_target_from(target)->recording = on;
}

static const struct rbs_target_ops kdump_ops = {
	.read = kdump_target_read,
	.vmcoreinfo = kdump_target_vmcoreinfo,
	.pages = kdump_target_pages,
	.pages_record = kdump_target_pages_record,
	.destroy = kdump_target_destroy,
};

int rbs_kdump_fd(const struct rbs_target *target)
{
	return ((const struct kdump_target *)target)->fd;
}

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
	int rearranged;

	/* Some versions of libkdumpfile know the flattened form; none of them knows damaged ones. */
	if (rbs_flattened_detect(self->fd)) {
		code = rbs_flattened_rearrange(self->fd, path, &rearranged, err);
		if (code != RBS_OK)
			return code;
		close(self->fd);
		self->fd = rearranged;
	}
	code = rbs_truncated_check(self->fd, path, err);
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
	return rbs_error_set(err, code_from_kdump(status), "%s: cannot be opened as a dump: %s",
			     path, kdump_get_err(self->context));
}

static const char *attribute_string(struct kdump_target *self, const char *key)
{
	const char *value;

	if (kdump_get_string_attr(self->context, key, &value) == KDUMP_OK)
		return value;
	kdump_clear_err(self->context);
	return NULL;
}

static bool attribute_number(struct kdump_target *self, const char *key, uint64_t *value)
{
	kdump_num_t number;

	if (kdump_get_number_attr(self->context, key, &number) == KDUMP_OK) {
		*value = number;
		return true;
	}
	kdump_clear_err(self->context);
	return false;
}

/*
 * The machine's name out of a kdump header (makedumpfile's struct disk_dump_header: utsname at 12,
 * its fields of 65 bytes). libkdumpfile ignores the whole of utsname unless it holds a release,
 * which QEMU's kdump formats leave empty.
 */
static bool header_machine(int fd, char machine[16])
{
	char signature[8];

	if (pread(fd, signature, sizeof(signature), 0) != (ssize_t)sizeof(signature) ||
	    (memcmp(signature, "KDUMP   ", 8) && memcmp(signature, "DISKDUMP", 8)))
		return false;
	if (pread(fd, machine, 16, 12 + 4 * 65) != 16)
		return false;
	machine[15] = '\0';
	return *machine;
}

static enum rbs_code info_fill(struct kdump_target *self, const char *path, struct rbs_error *err)
{
	struct rbs_target_info *info = &self->target.info;
	const char *text = attribute_string(self, KDUMP_ATTR_ARCH_NAME);
	char machine[16];
	bool from_header = !text;
	uint64_t number;

	if (from_header && header_machine(self->fd, machine))
		text = machine;
	if (!text)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: the dump's header does not say which architecture it is "
				     "of",
				     path);
	snprintf(info->path, sizeof(info->path), "%s", path);
	snprintf(info->arch, sizeof(info->arch), "%s", text);
	if (strcmp(info->arch, "x86_64"))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: a dump of architecture %s; only x86_64 is supported yet",
				     path, info->arch);
	if (from_header &&
	    kdump_set_string_attr(self->context, KDUMP_ATTR_ARCH_NAME, text) != KDUMP_OK)
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: %s", path,
				     kdump_get_err(self->context));
	text = attribute_string(self, KDUMP_ATTR_FILE_FORMAT);
	snprintf(info->format, sizeof(info->format), "%s", text ? text : "unknown");
	info->byte_order = RBS_LITTLE_ENDIAN;
	if (attribute_number(self, KDUMP_ATTR_BYTE_ORDER, &number) && number == KDUMP_BIG_ENDIAN)
		info->byte_order = RBS_BIG_ENDIAN;
	if (!attribute_number(self, KDUMP_ATTR_PTR_SIZE, &number) || (number != 4 && number != 8))
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: unknown word size", path);
	info->word_size = (unsigned)number;
	if (!attribute_number(self, KDUMP_ATTR_PAGE_SIZE, &number) || number < 512 ||
	    number > 1 << 20 || (number & (number - 1)))
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s: unknown page size", path);
	info->page_size = number;
	return RBS_OK;
}

static addrxlat_status symbol_get(const addrxlat_cb_t *hook, const char *name,
				  addrxlat_addr_t *value)
{
	const addrxlat_cb_t *base = kdump_target_from(hook->priv)->base;

	return base->sym_value(base, name, value);
}

static addrxlat_status register_get(const addrxlat_cb_t *hook, const char *name,
				    addrxlat_addr_t *value)
{
	const addrxlat_cb_t *base = kdump_target_from(hook->priv)->base;

	return base->reg_value(base, name, value);
}

static addrxlat_status sizeof_get(const addrxlat_cb_t *hook, const char *name,
				  addrxlat_addr_t *value)
{
	const addrxlat_cb_t *base = kdump_target_from(hook->priv)->base;

	return base->sym_sizeof(base, name, value);
}

static addrxlat_status offsetof_get(const addrxlat_cb_t *hook, const char *object,
				    const char *member, addrxlat_addr_t *value)
{
	const addrxlat_cb_t *base = kdump_target_from(hook->priv)->base;

	return base->sym_offsetof(base, object, member, value);
}

static addrxlat_status number_get(const addrxlat_cb_t *hook, const char *name,
				  addrxlat_addr_t *value)
{
	const addrxlat_cb_t *base = kdump_target_from(hook->priv)->base;

	return base->num_value(base, name, value);
}

/*
 * ELF dumps can also be read by virtual address, as the root page table then is: by its physical
 * address the hook sees which page it is.
 */
static unsigned long capabilities_get(const addrxlat_cb_t *hook)
{
	const addrxlat_cb_t *base = kdump_target_from(hook->priv)->base;
	unsigned long capabilities = base->read_caps(base);
	unsigned long physical = capabilities & ~ADDRXLAT_CAPS(ADDRXLAT_KVADDR);

	return physical ? physical : capabilities;
}

/*
 * A context of our own beside libkdumpfile's: its page cache starts empty, so that the hook sees
 * every page table.
 */
static enum rbs_code context_hook(struct kdump_target *self, struct rbs_error *err)
{
	addrxlat_cb_t *hook;

	self->base = addrxlat_ctx_get_cb(self->kdump_xlat);
	self->xlat_context = addrxlat_ctx_new();
	hook = self->xlat_context ? addrxlat_ctx_add_cb(self->xlat_context) : NULL;
	if (!hook)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	hook->priv = &self->target;
	hook->get_page = page_table_get;
	hook->read_caps = capabilities_get;
	hook->reg_value = register_get;
	hook->sym_value = symbol_get;
	hook->sym_sizeof = sizeof_get;
	hook->sym_offsetof = offsetof_get;
	hook->num_value = number_get;
	return RBS_OK;
}

/*
 * Let libaddrxlat look at the kernel's mappings once more through the hook: the next one to open an
 * excerpt needs the pages that it looks at. What comes of it is not used.
 */
static void setup_pages_note(struct kdump_target *self)
{
	addrxlat_sys_t *scratch = addrxlat_sys_new();
	addrxlat_opt_t options[4];
	unsigned count = 0;
	uint64_t version = 0;
	int64_t phys_base;

	if (!scratch)
		return;
	attribute_number(self, KDUMP_ATTR_LINUX_VERSION_CODE, &version);
	addrxlat_opt_arch(&options[count++], self->target.info.arch);
	addrxlat_opt_os_type(&options[count++], "linux");
	addrxlat_opt_version_code(&options[count++], version);
	if (rbs_vmcoreinfo_number(&self->target, "phys_base", &phys_base))
		addrxlat_opt_phys_base(&options[count++], (addrxlat_addr_t)phys_base);
	addrxlat_sys_os_init(scratch, self->xlat_context, count, options);
	addrxlat_ctx_clear_err(self->xlat_context);
	addrxlat_sys_decref(scratch);
}

static void page_map_init(struct kdump_target *self)
{
	kdump_attr_t map;

	if (strcmp(self->target.info.format, "elf"))
		return;
	if (kdump_get_attr(self->context, KDUMP_ATTR_FILE_PAGEMAP, &map) == KDUMP_OK &&
	    map.type == KDUMP_BITMAP) {
		kdump_bmp_incref(map.val.bitmap);
		self->page_map = map.val.bitmap;
	}
	kdump_clear_err(self->context);
}

static enum rbs_code translation_init(struct kdump_target *self, struct rbs_error *err)
{
	const char *path = self->target.info.path;
	enum rbs_code code;
	kdump_status status;

	/* VMCOREINFO belongs to an operating system in libkdumpfile: name it first. */
	if (kdump_set_string_attr(self->context, KDUMP_ATTR_OSTYPE, "linux") != KDUMP_OK ||
	    kdump_vmcoreinfo_raw(self->context, &self->vmcoreinfo) != KDUMP_OK ||
	    !*self->vmcoreinfo) {
		free(self->vmcoreinfo);
		self->vmcoreinfo = NULL;
		kdump_clear_err(self->context);
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: the dump has no VMCOREINFO note, so the kernel's memory "
				     "cannot be mapped; take it with kdump, or give the guest "
				     "QEMU's vmcoreinfo device and the qemu_fw_cfg module",
				     path);
	}
	status = kdump_get_addrxlat(self->context, &self->kdump_xlat, &self->xlat_system);
	if (status != KDUMP_OK)
		return rbs_error_set(err, code_from_kdump(status),
				     "%s: the kernel's address translation cannot be set up: %s",
				     path, kdump_get_err(self->context));
	code = context_hook(self, err);
	if (code != RBS_OK)
		return code;
	setup_pages_note(self);
	rbs_vmcoreinfo_text(&self->target, "OSRELEASE", self->target.info.release,
			    sizeof(self->target.info.release));
	return RBS_OK;
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
		kdump_target_destroy(&self->target);
		return code;
	}
	page_map_init(self);
	*target = &self->target;
	return RBS_OK;
}

enum rbs_code rbs_kdump_linux_init(struct rbs_target *target, struct rbs_error *err)
{
	return translation_init(kdump_target_from(target), err);
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
