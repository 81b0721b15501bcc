/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_die.h"

#include <string.h>

enum rbs_code rbs_die_at(struct rbs_dwarf_object *object, uint64_t offset, Dwarf_Die *die,
			 struct rbs_error *err)
{
	Dwarf_Error error = NULL;

	if (dwarf_offdie_b(object->debug, offset, 1, die, &error) == DW_DLV_OK)
		return RBS_OK;
	*die = NULL;
	return rbs_dwarf_error(object, error, "reading an entry of its DWARF", err);
}

void rbs_die_free(struct rbs_dwarf_object *object, Dwarf_Die die)
{
	if (die)
		dwarf_dealloc(object->debug, die, DW_DLA_DIE);
}

void rbs_children_init(struct rbs_children *children, struct rbs_dwarf_object *object,
		       Dwarf_Die parent)
{
	memset(children, 0, sizeof(*children));
	children->object = object;
	children->parent = parent;
}

static bool children_fail(struct rbs_children *children, Dwarf_Error error)
{
	rbs_dwarf_error(children->object, error, "reading a list of entries of its DWARF",
			&children->error);
	return false;
}

bool rbs_children_next(struct rbs_children *children)
{
	struct rbs_dwarf_object *object = children->object;
	Dwarf_Error error = NULL;
	Dwarf_Die next = NULL;
	Dwarf_Off offset;
	int ret;

	if (children->die)
		ret = dwarf_siblingof_b(object->debug, children->die, 1, &next, &error);
	else
		ret = dwarf_child(children->parent, &next, &error);
	rbs_die_free(object, children->die);
	children->die = ret == DW_DLV_OK ? next : NULL;
	if (ret == DW_DLV_NO_ENTRY)
		return false;
	if (ret != DW_DLV_OK || dwarf_dieoffset(next, &offset, &error) != DW_DLV_OK ||
	    dwarf_tag(next, &children->tag, &error) != DW_DLV_OK || offset <= children->offset)
		return children_fail(children, error);
	children->offset = offset;
	return true;
}

void rbs_children_deinit(struct rbs_children *children)
{
	rbs_die_free(children->object, children->die);
	children->die = NULL;
}

const char *rbs_die_name(struct rbs_dwarf_object *object, Dwarf_Die die)
{
	Dwarf_Error error = NULL;
	char *name = NULL;

	if (dwarf_diename(die, &name, &error) == DW_DLV_OK)
		return name;
	rbs_dwarf_forget(object, error);
	return NULL;
}

bool rbs_die_has(struct rbs_dwarf_object *object, Dwarf_Die die, Dwarf_Half attribute)
{
	Dwarf_Error error = NULL;
	Dwarf_Bool has = 0;

	if (dwarf_hasattr(die, attribute, &has, &error) != DW_DLV_OK)
		rbs_dwarf_forget(object, error);
	return has;
}

static Dwarf_Attribute get_attribute(struct rbs_dwarf_object *object, Dwarf_Die die,
				     Dwarf_Half number)
{
	Dwarf_Attribute attribute = NULL;
	Dwarf_Error error = NULL;

	if (dwarf_attr(die, number, &attribute, &error) == DW_DLV_OK)
		return attribute;
	rbs_dwarf_forget(object, error);
	return NULL;
}

static bool get_number(struct rbs_dwarf_object *object, Dwarf_Attribute attribute, uint64_t *value)
{
	Dwarf_Error error = NULL;
	Dwarf_Unsigned plain;
	Dwarf_Signed with_sign;
	Dwarf_Half form;

	if (dwarf_whatform(attribute, &form, &error) != DW_DLV_OK) {
		rbs_dwarf_forget(object, error);
		return false;
	}
	/* The fixed sizes are read as unsigned: whoever knows better extends the sign. */
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(attribute, &with_sign, &error) == DW_DLV_OK) {
			*value = (uint64_t)with_sign;
			return true;
		}
	} else if (dwarf_formudata(attribute, &plain, &error) == DW_DLV_OK) {
		*value = plain;
		return true;
	}
	rbs_dwarf_forget(object, error);
	return false;
}

bool rbs_die_number(struct rbs_dwarf_object *object, Dwarf_Die die, Dwarf_Half number,
		    uint64_t *value)
{
	Dwarf_Attribute attribute = get_attribute(object, die, number);
	bool found;

	if (!attribute)
		return false;
	found = get_number(object, attribute, value);
	dwarf_dealloc(object->debug, attribute, DW_DLA_ATTR);
	return found;
}

/* DW_OP_plus_uconst with its operand, and nothing else. */
static bool decode_plus_uconst(const unsigned char *bytes, uint64_t size, uint64_t *value)
{
	unsigned shift = 0;

	if (size < 2 || bytes[0] != DW_OP_plus_uconst)
		return false;
	*value = 0;
	for (uint64_t i = 1; i < size && shift < 63; i++, shift += 7) {
		*value |= (uint64_t)(bytes[i] & 0x7f) << shift;
		if (!(bytes[i] & 0x80))
			return i == size - 1;
	}
	return false;
}

static bool get_expression(struct rbs_dwarf_object *object, Dwarf_Attribute attribute,
			   uint64_t *value)
{
	Dwarf_Error error = NULL;
	Dwarf_Block *block = NULL;
	Dwarf_Unsigned size = 0;
	Dwarf_Ptr bytes = NULL;
	bool found = false;

	if (dwarf_formexprloc(attribute, &size, &bytes, &error) == DW_DLV_OK)
		return decode_plus_uconst(bytes, size, value);
	rbs_dwarf_forget(object, error);
	error = NULL;
	if (dwarf_formblock(attribute, &block, &error) == DW_DLV_OK) {
		found = decode_plus_uconst(block->bl_data, block->bl_len, value);
		dwarf_dealloc(object->debug, block, DW_DLA_BLOCK);
	}
	rbs_dwarf_forget(object, error);
	return found;
}

bool rbs_die_location(struct rbs_dwarf_object *object, Dwarf_Die die, uint64_t *value)
{
	Dwarf_Attribute attribute = get_attribute(object, die, DW_AT_data_member_location);
	bool found;

	if (!attribute)
		return false;
	found = get_number(object, attribute, value) || get_expression(object, attribute, value);
	dwarf_dealloc(object->debug, attribute, DW_DLA_ATTR);
	return found;
}

enum rbs_code rbs_die_type(struct rbs_dwarf_object *object, Dwarf_Die die, uint64_t *offset,
			   struct rbs_error *err)
{
	Dwarf_Attribute attribute = get_attribute(object, die, DW_AT_type);
	enum rbs_code code = RBS_OK;
	Dwarf_Error error = NULL;
	Dwarf_Half form = 0;
	Dwarf_Off global = 0;

	*offset = 0;
	if (!attribute)
		return RBS_OK;
	if (dwarf_whatform(attribute, &form, &error) == DW_DLV_OK &&
	    (form == DW_FORM_ref_sig8 || form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 ||
	     form == DW_FORM_ref_sup8))
		code = rbs_error_set(err, RBS_UNSUPPORTED,
				     "its DWARF refers to types in another file or in type units");
	else if (error || dwarf_global_formref(attribute, &global, &error) != DW_DLV_OK)
		code = rbs_dwarf_error(object, error, "following a reference of its DWARF", err);
	*offset = global;
	dwarf_dealloc(object->debug, attribute, DW_DLA_ATTR);
	return code;
}
