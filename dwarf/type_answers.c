/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/type_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool question_format(const struct rbs_type_question *question, char *text, size_t size)
{
	const char *kind = question->member ? "member" : question->size ? "size" : "value";
	int length = snprintf(
		text, size, "%s %s %s %s", kind, question->hint ? question->hint : "-",
		question->type ? question->type : "-", question->path ? question->path : "-");

	return length > 0 && (size_t)length < size;
}

static bool member_parse(const char *text, struct rbs_member *member)
{
	unsigned kind, is_signed, bit_offset, bit_size;
	int used = 0;

	if (sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %u %u %u %u%n",
		   &member->offset, &member->size, &member->count, &member->element_size, &kind,
		   &is_signed, &bit_offset, &bit_size, &used) != 8 ||
	    text[used] || kind > RBS_KIND_OTHER || bit_offset > 63 || bit_size > 64)
		return false;
	member->kind = (enum rbs_kind)kind;
	member->is_signed = is_signed;
	member->bit_offset = (uint8_t)bit_offset;
	member->bit_size = (uint8_t)bit_size;
	return true;
}

static bool positive_parse(const char *text, const struct rbs_type_question *question)
{
	int used = 0;

	if (question->member)
		return member_parse(text, question->member);
	if (question->size)
		return sscanf(text, "%" SCNu64 "%n", question->size, &used) == 1 && !text[used];
	return sscanf(text, "%" SCNd64 "%n", question->value, &used) == 1 && !text[used];
}

bool rbs_type_answer_get(struct rbs_shelf *shelf, const struct rbs_type_question *question,
			 enum rbs_code *code, struct rbs_error *err)
{
	char text[512], name[32];
	const char *answer;
	size_t length;

	if (!shelf || !question_format(question, text, sizeof(text)))
		return false;
	answer = rbs_shelf_get(shelf, text);
	if (!answer)
		return false;
	length = strcspn(answer, " ");
	if (!strncmp(answer, "ok ", 3)) {
		*code = RBS_OK;
		return positive_parse(answer + 3, question);
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, answer);
	if (!answer[length] || !rbs_code_parse(name, code))
		return false;
	rbs_error_set(err, *code, "%s", answer + length + 1);
	return true;
}

void rbs_type_answer_put(struct rbs_shelf *shelf, const struct rbs_type_question *question,
			 enum rbs_code code, const struct rbs_error *err)
{
	const struct rbs_member *member = question->member;
	char text[512], answer[sizeof(err->text) + 64];

	if (!shelf || !question_format(question, text, sizeof(text)))
		return;
	if (code == RBS_NO_TYPES || code == RBS_NO_MEMBER)
		snprintf(answer, sizeof(answer), "%s %s", rbs_code_name(code), err->text);
	else if (code != RBS_OK)
		return;
	else if (member)
		snprintf(answer, sizeof(answer),
			 "ok %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %u %u",
			 member->offset, member->size, member->count, member->element_size,
			 (int)member->kind, member->is_signed, member->bit_offset,
			 member->bit_size);
	else if (question->size)
		snprintf(answer, sizeof(answer), "ok %" PRIu64, *question->size);
	else
		snprintf(answer, sizeof(answer), "ok %" PRId64, *question->value);
	rbs_shelf_put(shelf, text, answer);
}
