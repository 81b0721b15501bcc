/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

struct answer {
	struct answer *next; /* of its bucket */
	char *question;
	enum rbs_code code;
	struct rbs_member member;
	uint64_t size;
	int64_t value;
	struct rbs_error error;
};

struct memo {
	struct rbs_type_source source;
	struct rbs_type_source_ops ops;
	struct rbs_type_source *inner;
	struct answer *buckets[BUCKETS];
};

/* A test's tool: without memory there is no test. */
static void *checked(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* The place of the answer; *known: it is there already. */
static struct answer *answer_find(struct memo *self, char kind, const char *module,
				  const char *type, const char *name, bool *known)
{
	char question[512];
	struct answer **link, *answer;
	uint32_t hash = 5381;

	snprintf(question, sizeof(question), "%c %s %s %s", kind, module ? module : "",
		 type ? type : "", name ? name : "");
	for (const char *at = question; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	link = &self->buckets[hash % BUCKETS];
	for (answer = *link; answer; answer = answer->next) {
		if (!strcmp(answer->question, question)) {
			*known = true;
			return answer;
		}
	}
	*known = false;
	answer = checked(calloc(1, sizeof(*answer)));
	answer->question = checked(strdup(question));
	answer->next = *link;
	*link = answer;
	return answer;
}

static enum rbs_code answer_give(const struct answer *answer, struct rbs_error *err)
{
	if (answer->code != RBS_OK && err)
		*err = answer->error;
	return answer->code;
}

static enum rbs_code memo_member(struct rbs_type_source *source, const char *module,
				 const char *type, const char *path, struct rbs_member *member,
				 struct rbs_error *err)
{
	struct memo *self = (struct memo *)source;
	bool known;
	struct answer *answer = answer_find(self, 'm', module, type, path, &known);

	if (!known)
		answer->code = self->inner->ops->find_member(self->inner, module, type, path,
							     &answer->member, &answer->error);
	if (answer->code == RBS_OK)
		*member = answer->member;
	return answer_give(answer, err);
}

static enum rbs_code memo_size(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	struct memo *self = (struct memo *)source;
	bool known;
	struct answer *answer = answer_find(self, 's', module, type, NULL, &known);

	if (!known)
		answer->code = self->inner->ops->find_size(self->inner, module, type, &answer->size,
							   &answer->error);
	if (answer->code == RBS_OK)
		*size = answer->size;
	return answer_give(answer, err);
}

static enum rbs_code memo_enumerator(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	struct memo *self = (struct memo *)source;
	bool known;
	struct answer *answer = answer_find(self, 'e', module, type, name, &known);

	if (!known)
		answer->code = self->inner->ops->find_enumerator(self->inner, module, type, name,
								 &answer->value, &answer->error);
	if (answer->code == RBS_OK)
		*value = answer->value;
	return answer_give(answer, err);
}

static void memo_destroy(struct rbs_type_source *source)
{
	struct memo *self = (struct memo *)source;

	for (size_t i = 0; i < BUCKETS; i++) {
		while (self->buckets[i]) {
			struct answer *answer = self->buckets[i];

			self->buckets[i] = answer->next;
			free(answer->question);
			free(answer);
		}
	}
	self->inner->ops->destroy(self->inner);
	free(self);
}

void memo_attach(struct rbs_types *types)
{
	for (struct rbs_type_source **link = &types->first; *link; link = &(*link)->next) {
		struct memo *self;

		if ((*link)->ops->refuse || (*link)->ops->remark)
			continue;
		self = checked(calloc(1, sizeof(*self)));
		self->source = **link;
		self->source.ops = &self->ops;
		self->inner = *link;
		self->ops = (struct rbs_type_source_ops){
			.name = self->inner->ops->name,
			.find_member = memo_member,
			.find_size = memo_size,
			.find_enumerator = memo_enumerator,
			.destroy = memo_destroy,
		};
		*link = &self->source;
	}
}
