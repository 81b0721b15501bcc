/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Linux kernel in the dump: VMCOREINFO and the translation of its virtual addresses. */
#include "lib/target/kdump_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/target/arch.h"

/* libaddrxlat reads page tables, and what it probes at start, through here. */
static addrxlat_status page_table_get(const addrxlat_cb_t *hook, addrxlat_buffer_t *buffer)
{
	struct kdump_target *self = kdump_target_from(hook->priv);
	addrxlat_status status;
	enum rbs_code code = RBS_OK;

	if (buffer->addr.as != ADDRXLAT_KVADDR)
		code = kdump_page_note(self, buffer->addr.addr);
	if (code != RBS_OK)
		status = addrxlat_ctx_err(
			self->xlat_context,
			code == RBS_EXCLUDED ? ADDRXLAT_ERR_NODATA
					     : -(addrxlat_status)KDUMP_ERR_CORRUPT,
			"physical page %" PRIx64 " %s", (uint64_t)buffer->addr.addr,
			code == RBS_EXCLUDED ? "was excluded" : "is damaged");
	else
		status = self->base->get_page(self->base, buffer);
	if (status != ADDRXLAT_OK)
		self->table_status = status;
	return status;
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
 * Where the kernel's own page tables start, where virtual and physical addresses of the kernel's
 * image are unrelated and VMCOREINFO says how far they are apart. False: libaddrxlat finds them by
 * itself. It does not on
 *   - s390x since 6.10 ("s390/kdump: Store virtual memory layout in vmcoreinfo"): it takes
 *     swapper_pg_dir's address for a physical one (0.5.1 to 0.5.4);
 *   - arm64, where an ELF dump has virtual addresses (/proc/vmcore): it keeps that address as a
 *     virtual one, by which the hook reads nothing. VMCOREINFO has how far they are apart
 *     (arch/arm64/kernel/vmcore_info.c: kimage_voffset).
 */
static bool root_find(struct kdump_target *self, addrxlat_fulladdr_t *root)
{
	uint64_t symbol, virtual_offset, physical_offset;
	int64_t image_offset;

	if (!rbs_vmcoreinfo_symbol(&self->target, "swapper_pg_dir", &symbol))
		return false;
	root->as = ADDRXLAT_MACHPHYSADDR;
	if (rbs_vmcoreinfo_number(&self->target, "kimage_voffset", &image_offset)) {
		root->addr = symbol - (uint64_t)image_offset;
		return true;
	}
	if (!rbs_vmcoreinfo_hex(&self->target, "KERNELOFFSET", &virtual_offset) ||
	    !rbs_vmcoreinfo_hex(&self->target, "KERNELOFFPHYS", &physical_offset))
		return false;
	root->addr = symbol - virtual_offset + physical_offset;
	return true;
}

/*
 * Tell libkdumpfile before it sets up translation: it would fail. That it did so earlier, when the
 * operating system was named, does not make it try again (0.5.1).
 */
static void root_force(struct kdump_target *self, const addrxlat_fulladdr_t *root)
{
	kdump_set_number_attr(self->context, "addrxlat.force.rootpgt.as", root->as);
	kdump_set_address_attr(self->context, "addrxlat.force.rootpgt.addr", root->addr);
	kdump_clear_err(self->context);
}

/*
 * Let libaddrxlat look at the kernel's mappings once more through the hook: the next one to open an
 * excerpt needs the pages that it looks at. What comes of it is used where the root was found here.
 */
static enum rbs_code mappings_find(struct kdump_target *self, const addrxlat_fulladdr_t *root,
				   struct rbs_error *err)
{
	addrxlat_sys_t *system = addrxlat_sys_new();
	addrxlat_opt_t options[6];
	enum rbs_code code = RBS_OK;
	unsigned count = 0;
	uint64_t version = 0;
	int64_t phys_base;

	if (!system)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	kdump_attribute_number(self, KDUMP_ATTR_LINUX_VERSION_CODE, &version);
	addrxlat_opt_arch(&options[count++], self->target.info.arch);
	addrxlat_opt_os_type(&options[count++], "linux");
	addrxlat_opt_version_code(&options[count++], version);
	/* arm64 has several page sizes. */
	addrxlat_opt_page_shift(&options[count++],
				(unsigned long)__builtin_ctzll(self->target.info.page_size));
	if (rbs_vmcoreinfo_number(&self->target, "phys_base", &phys_base))
		addrxlat_opt_phys_base(&options[count++], (addrxlat_addr_t)phys_base);
	if (root)
		addrxlat_opt_rootpgt(&options[count++], root);
	if (addrxlat_sys_os_init(system, self->xlat_context, count, options) != ADDRXLAT_OK && root)
		code = rbs_error_set(err, RBS_UNMAPPED,
				     "%s: the kernel's page tables at physical %" PRIx64
				     " cannot be used: %s",
				     self->target.info.path, (uint64_t)root->addr,
				     addrxlat_ctx_get_err(self->xlat_context));
	addrxlat_ctx_clear_err(self->xlat_context);
	if (root) {
		addrxlat_sys_decref(self->xlat_system);
		self->xlat_system = system;
	} else {
		addrxlat_sys_decref(system);
	}
	return code;
}

/*
 * VMCOREINFO belongs to an operating system in libkdumpfile: it is named first. On s390x that looks
 * for the note in memory too, through the machine's first page, and fails where an excerpt lacks
 * it.
 */
static bool vmcoreinfo_get(struct kdump_target *self)
{
	if (self->vmcoreinfo)
		return true;
	kdump_set_string_attr(self->context, KDUMP_ATTR_OSTYPE, "linux");
	kdump_clear_err(self->context);
	if (kdump_vmcoreinfo_raw(self->context, &self->vmcoreinfo) == KDUMP_OK && *self->vmcoreinfo)
		return true;
	kdump_clear_err(self->context);
	free(self->vmcoreinfo);
	self->vmcoreinfo = NULL;
	return false;
}

bool rbs_kdump_excerpt_root(struct rbs_target *target, uint64_t *root, bool *five)
{
	int64_t enabled = 0;

	if (!vmcoreinfo_get(kdump_target_from(target)) ||
	    !rbs_vmcoreinfo_hex(target, RBS_KDUMP_ROOT_KEY, root))
		return false;
	rbs_vmcoreinfo_number(target, "pgtable_l5_enabled", &enabled);
	*five = enabled != 0;
	return true;
}

enum rbs_code rbs_kdump_linux_init(struct rbs_target *target, struct rbs_error *err)
{
	struct kdump_target *self = kdump_target_from(target);
	const char *path = self->target.info.path;
	addrxlat_fulladdr_t root;
	enum rbs_code code;
	kdump_status status;
	bool forced;

	if (!vmcoreinfo_get(self))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: the dump has no VMCOREINFO, so the kernel's memory "
				     "cannot be mapped; %s",
				     path,
				     rbs_arch_by_name(self->target.info.arch)->vmcoreinfo_advice);
	forced = root_find(self, &root);
	if (forced)
		root_force(self, &root);
	status = kdump_get_addrxlat(self->context, &self->kdump_xlat, &self->xlat_system);
	if (status != KDUMP_OK)
		return rbs_error_set(err, kdump_code(status),
				     "%s: the kernel's address translation cannot be set up: %s",
				     path, kdump_get_err(self->context));
	code = context_hook(self, err);
	if (code == RBS_OK)
		code = mappings_find(self, forced ? &root : NULL, err);
	if (code != RBS_OK)
		return code;
	rbs_vmcoreinfo_text(&self->target, "OSRELEASE", self->target.info.release,
			    sizeof(self->target.info.release));
	return RBS_OK;
}
