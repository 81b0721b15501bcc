/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/kallsyms.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dwarf/kallsyms_find.h"

#define NO_INDEX UINT32_MAX

/* Of all symbols with KALLSYMS_ALL about a third are data; without it a stray one may be. */
#define DATA_SHARE 100

struct kallsyms {
	struct rbs_symbol_source source;
	struct rbs_kallsyms_tables tables;
	uint32_t *heads; /* per bucket: its first symbol, or NO_INDEX */
	uint32_t mask;	 /* buckets - 1 */
	uint32_t *chain; /* per symbol: the next in its bucket, or NO_INDEX */
	uint32_t *order; /* indexes by address; NULL until name_at() needs it */
};

static const struct kallsyms *kallsyms_of(const struct rbs_symbol_source *source)
{
	return (const struct kallsyms *)source;
}

bool rbs_kallsyms_find_index(const struct rbs_symbol_source *source, const char *name,
			     uint32_t *index)
{
	const struct kallsyms *self = kallsyms_of(source);
	uint32_t i;

	/* Static names can be there many times; like the kernel, answer the first. */
	for (i = self->heads[rbs_kallsyms_hash(name) & self->mask]; i != NO_INDEX;
	     i = self->chain[i]) {
		struct rbs_kallsyms_entry entry;

		rbs_kallsyms_entry(&self->tables, i, &entry);
		if (rbs_kallsyms_entry_equals(&self->tables.codec, &entry, name)) {
			*index = i;
			return true;
		}
	}
	return false;
}

static enum rbs_code kallsyms_find(struct rbs_symbol_source *source, const char *module,
				   const char *name, uint64_t *address, struct rbs_error *err)
{
	uint32_t index;

	if (module)
		return rbs_error_set(err, RBS_NO_SYMBOL, "kallsyms has no module's symbols");
	if (!rbs_kallsyms_find_index(source, name, &index))
		return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s in kallsyms", name);
	*address = rbs_kallsyms_address(&kallsyms_of(source)->tables, index);
	return RBS_OK;
}

static int compare_addresses(const void *a, const void *b, void *context)
{
	const struct rbs_kallsyms_tables *tables = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	uint64_t at = rbs_kallsyms_address(tables, left);
	uint64_t other = rbs_kallsyms_address(tables, right);

	if (at != other)
		return at < other ? -1 : 1;
	return left < right ? -1 : left > right;
}

static bool build_order(struct kallsyms *self)
{
	uint32_t count = self->tables.count;
	bool sorted = true;

	self->order = malloc(sizeof(uint32_t) * count);
	if (!self->order)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		self->order[i] = i;
		sorted = sorted && (!i || rbs_kallsyms_address(&self->tables, i - 1) <=
						  rbs_kallsyms_address(&self->tables, i));
	}
	/* The kernel sorts them by link-time address, but that need not be how they ran. */
	if (!sorted)
		qsort_r(self->order, count, sizeof(uint32_t), compare_addresses, &self->tables);
	return true;
}

static enum rbs_code kallsyms_name_at(struct rbs_symbol_source *source, uint64_t address,
				      char *buffer, size_t size, struct rbs_error *err)
{
	struct kallsyms *self = (struct kallsyms *)source;
	const struct rbs_kallsyms_tables *tables = &self->tables;
	uint32_t low = 0, high = tables->count;
	struct rbs_kallsyms_entry entry;

	if (!self->order && !build_order(self))
		return rbs_error_set(err, RBS_NOMEM, "kallsyms: out of memory");
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (rbs_kallsyms_address(tables, self->order[middle]) < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == tables->count || rbs_kallsyms_address(tables, self->order[low]) != address)
		return rbs_error_set_at(err, RBS_NO_SYMBOL, address,
					"no symbol of kallsyms starts at %" PRIx64, address);
	rbs_kallsyms_entry(tables, self->order[low], &entry);
	rbs_kallsyms_entry_name(&tables->codec, &entry, buffer, size);
	return RBS_OK;
}

static void kallsyms_destroy(struct rbs_symbol_source *source)
{
	struct kallsyms *self = (struct kallsyms *)source;

	rbs_kallsyms_tables_deinit(&self->tables);
	free(self->heads);
	free(self->chain);
	free(self->order);
	free(self);
}

static const struct rbs_symbol_source_ops kallsyms_ops = {
	.name = "kallsyms",
	.find = kallsyms_find,
	.name_at = kallsyms_name_at,
	.destroy = kallsyms_destroy,
};

static bool build_index(struct kallsyms *self)
{
	struct rbs_kallsyms_tables *tables = &self->tables;
	uint32_t buckets = 1;

	while (buckets < tables->count)
		buckets *= 2;
	self->mask = buckets - 1;
	self->heads = malloc(sizeof(uint32_t) * buckets);
	if (!self->heads)
		return false;
	for (uint32_t i = 0; i < buckets; i++)
		self->heads[i] = NO_INDEX;
	/* Nothing else needs the hashes: their array becomes the chains. */
	self->chain = tables->hashes;
	tables->hashes = NULL;
	for (uint32_t i = tables->count; i-- > 0;) {
		uint32_t *head = &self->heads[self->chain[i] & self->mask];

		self->chain[i] = *head;
		*head = i;
	}
	return true;
}

/* What VMCOREINFO says; false when it does not name the tables. */
static bool read_layout(struct rbs_target *target, struct rbs_kallsyms_layout *layout)
{
	*layout = (struct rbs_kallsyms_layout){.num_syms = 0};
	/* A kernel has either; the place-relative ones have no base. */
	rbs_vmcoreinfo_symbol(target, "kallsyms_addresses", &layout->addresses);
	rbs_vmcoreinfo_symbol(target, "kallsyms_offsets", &layout->offsets);
	rbs_vmcoreinfo_symbol(target, "kallsyms_relative_base", &layout->relative_base);
	return rbs_vmcoreinfo_symbol(target, "kallsyms_num_syms", &layout->num_syms) &&
	       rbs_vmcoreinfo_symbol(target, "kallsyms_names", &layout->names) &&
	       rbs_vmcoreinfo_symbol(target, "kallsyms_token_table", &layout->token_table) &&
	       rbs_vmcoreinfo_symbol(target, "kallsyms_token_index", &layout->token_index);
}

enum rbs_code rbs_kallsyms_create(struct rbs_target *target, struct rbs_symbol_source **source,
				  struct rbs_error *err)
{
	struct rbs_kallsyms_layout layout;
	struct kallsyms *self;
	enum rbs_code code;
	uint64_t stext;

	if (!rbs_vmcoreinfo_symbol(target, "_stext", &stext))
		return rbs_error_set(err, RBS_NO_SYMBOL,
				     "the dump has no VMCOREINFO with the address of _stext, from "
				     "which the kernel's own symbol table is found");
	self = calloc(1, sizeof(*self));
	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "kallsyms: out of memory");
	self->source.ops = &kallsyms_ops;
	if (read_layout(target, &layout))
		code = rbs_kallsyms_tables_init(&self->tables, target, &layout, stext, err);
	else
		code = rbs_kallsyms_find(&self->tables, target, stext, err);
	if (code == RBS_OK && !build_index(self))
		code = rbs_error_set(err, RBS_NOMEM, "kallsyms: out of memory");
	if (code != RBS_OK) {
		kallsyms_destroy(&self->source);
		return code;
	}
	*source = &self->source;
	return RBS_OK;
}

bool rbs_kallsyms_has_data(const struct rbs_symbol_source *source)
{
	const struct kallsyms *self = kallsyms_of(source);

	return source->ops == &kallsyms_ops &&
	       self->tables.data_count > self->tables.count / DATA_SHARE;
}

uint32_t rbs_kallsyms_count(const struct rbs_symbol_source *source)
{
	return source->ops == &kallsyms_ops ? kallsyms_of(source)->tables.count : 0;
}

const struct rbs_kallsyms_tables *rbs_kallsyms_get_tables(const struct rbs_symbol_source *source)
{
	return source->ops == &kallsyms_ops ? &kallsyms_of(source)->tables : NULL;
}
