/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_blob.h"

#include <stdlib.h>

#include "dwarf/btf_parse.h"

#define REGION_NAME "btf"

static enum rbs_code blob_read(struct rbs_btf_blob *blob, struct rbs_error *err)
{
	struct rbs_shelf_region *region = blob->shelf ? &blob->region : NULL;
	enum rbs_code code = RBS_OK;
	void *data;

	if (!blob->size || blob->size > RBS_BTF_SIZE_LIMIT)
		return rbs_error_set_at(err, RBS_CORRUPT, blob->address,
					"BTF at %#llx: impossible size of %llu bytes",
					(unsigned long long)blob->address,
					(unsigned long long)blob->size);
	data = malloc(blob->size);
	if (!data)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for %llu bytes of BTF",
				     (unsigned long long)blob->size);
	code = rbs_target_read(blob->target, RBS_KERNEL_VIRTUAL, blob->address, data, blob->size,
			       err);
	if (!code)
		code = rbs_btf_create(data, blob->size, blob->base ? blob->base->btf : NULL,
				      blob->target->info.word_size, blob->target->info.byte_order,
				      region, &blob->btf, err);
	free(data);
	return code;
}

/* Read the blob, and first what it is based on, if that did not happen before. */
static enum rbs_code blob_ready(struct rbs_btf_blob *blob, struct rbs_error *err)
{
	if (blob->failure.code == RBS_INTERRUPTED)
		rbs_error_clear(&blob->failure); /* the user may ask again */
	if (!blob->btf && !blob->failure.code &&
	    (!blob->base || blob_ready(blob->base, &blob->failure) == RBS_OK))
		blob_read(blob, &blob->failure);
	if (blob->failure.code && err)
		*err = blob->failure;
	return blob->failure.code;
}

enum rbs_code rbs_btf_blob_init(struct rbs_btf_blob *blob, struct rbs_target *target,
				uint64_t address, uint64_t size, struct rbs_btf_blob *base,
				struct rbs_shelf *shelf, struct rbs_error *err)
{
	*blob = (struct rbs_btf_blob){
		.target = target, .address = address, .size = size, .base = base, .shelf = shelf};
	if (shelf && !rbs_shelf_region_init(&blob->region, target, address, size))
		blob->shelf = NULL;
	if (blob->shelf && rbs_shelf_region_fits(shelf, &blob->region, REGION_NAME))
		return RBS_OK;
	rbs_shelf_clear(blob->shelf);
	if (blob_ready(blob, err) == RBS_OK)
		return RBS_OK;
	rbs_shelf_region_deinit(&blob->region);
	return blob->failure.code;
}

void rbs_btf_blob_deinit(struct rbs_btf_blob *blob)
{
	if (blob->btf && blob->shelf)
		rbs_shelf_region_keep(blob->shelf, &blob->region, REGION_NAME);
	rbs_btf_destroy(blob->btf);
	rbs_shelf_region_deinit(&blob->region);
}

static enum rbs_code ask(struct rbs_btf *btf, const struct rbs_type_question *question,
			 struct rbs_error *err)
{
	if (question->member)
		return rbs_btf_find_member(btf, question->type, question->path, question->member,
					   err);
	if (question->size)
		return rbs_btf_find_size(btf, question->type, question->size, err);
	return rbs_btf_find_enumerator(btf, question->type, question->path, question->value, err);
}

enum rbs_code rbs_btf_blob_ask(struct rbs_btf_blob *blob, const struct rbs_type_question *question,
			       struct rbs_error *err)
{
	struct rbs_error got = {.code = RBS_OK};
	enum rbs_code code;

	if (rbs_type_answer_get(blob->shelf, question, &code, err))
		return code;
	code = blob_ready(blob, err);
	if (code)
		return code;
	code = ask(blob->btf, question, &got);
	if (code && err)
		*err = got;
	/* Which of several structures of a name is meant depends on what was asked before. */
	if (!question->type || !rbs_btf_is_ambiguous(blob->btf, question->type))
		rbs_type_answer_put(blob->shelf, question, code, &got);
	return code;
}
