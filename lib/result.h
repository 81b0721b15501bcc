/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result - what the probes found: report > section > device > channel > ring > slot.
 *
 * Probes build the tree, renderers and verdicts read it; neither knows the other. Every field has a
 * description from its family's table, which also feeds headers, the schema, 'explain' and the man
 * page. A field holds a value or the reason why there is none.
 *
 * Building never fails in the caller's face: when memory runs out the report remembers it
 * (report->code) and further calls do nothing; NULL nodes are ignored.
 */
#ifndef RBS_RESULT_H
#define RBS_RESULT_H

#include <stddef.h>

#include "lib/target/target.h"
#include "lib/value.h"

enum rbs_level {
	RBS_LEVEL_SECTION,
	RBS_LEVEL_DEVICE,
	RBS_LEVEL_CHANNEL,
	RBS_LEVEL_RING,
	RBS_LEVEL_SLOT,
	RBS_LEVEL_COUNT,
};

enum rbs_format {
	RBS_FORMAT_TEXT, /* a string */
	RBS_FORMAT_BOOL,
	RBS_FORMAT_DECIMAL, /* an exact integer */
	RBS_FORMAT_HEX,	    /* an integer that people read in hex (flags, features) */
	RBS_FORMAT_ADDRESS, /* an address: hex without 0x in tables, a string in JSON */
};

/* Where a field shows in text; JSON has all. */
enum rbs_place {
	RBS_PLACE_COLUMN,    /* a column of the table, under .header */
	RBS_PLACE_COLUMN_IF, /* the same, left out where every row has 0 or no such member */
	RBS_PLACE_TITLE,     /* in the line that introduces the device or channel */
	RBS_PLACE_TITLE_IF,  /* the same, only when it is not 0 */
	RBS_PLACE_COUNTER,   /* 'name value' in a line below the table */
	RBS_PLACE_VERBOSE,   /* only with -v */
	RBS_PLACE_HIDDEN,    /* not in text */
};

/* Where an index starts again: what a difference of two readings must know. */
enum rbs_wrap {
	RBS_WRAP_NONE,
	RBS_WRAP_U16,  /* a free-running 16-bit counter */
	RBS_WRAP_SIZE, /* at the node's field "size" */
};

struct rbs_desc {
	/*
	 * Stable: JSON, flat, explain. With one '*' it is a group's ("rx*_hw_packets"), whose
	 * members are as many as the machine has: a node's fields get theirs from
	 * rbs_report_member().
	 */
	const char *name;
	const char *header; /* of a column, or the label in a title; NULL: the name */
	enum rbs_level level;
	enum rbs_format format;
	enum rbs_place place;
	enum rbs_wrap wrap;  /* indexes; a packed virtqueue's "U16" ones wrap at its size */
	bool metric;	     /* counted or measured; else an attribute (identity or state) */
	const char *unit;    /* "bytes", "ns" ...; NULL for plain counts */
	const char *meaning; /* one line */
	const char *high;    /* what it means when it is high or set; NULL when nothing */
	bool member;	     /* of a group: made by rbs_report_member(), in no family's table */
};

/* Entries of a family's table: an attribute, and something counted or measured. */
#define RBS_IS(name_, level_, format_, place_, header_, meaning_)                                  \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_##level_,                     \
		.format = RBS_FORMAT_##format_, .place = RBS_PLACE_##place_, .meaning = meaning_   \
	}
#define RBS_COUNTS(name_, level_, format_, place_, header_, unit_, meaning_, high_)                \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_##level_,                     \
		.format = RBS_FORMAT_##format_, .place = RBS_PLACE_##place_, .metric = true,       \
		.unit = unit_, .meaning = meaning_, .high = high_                                  \
	}

struct rbs_family {
	const char *name;	/* "virtio" */
	const char *title;	/* "virtio queues" */
	enum rbs_level group;	/* the level that gets a title line of its own */
	enum rbs_level row;	/* the level whose nodes are rows of the tables */
	const char *group_noun; /* "device": for counts */
	/* Groups that have this field are counted apart, by this noun; or NULL. */
	const char *other_field, *other_noun;
	const char *row_noun; /* "queue" */
	/* Header of the column that holds the names of a level's nodes; NULL: no such column. */
	const char *name_header[RBS_LEVEL_COUNT];
	const struct rbs_desc *descs;
	size_t desc_count;
};

/* The description of a group's member, with its name. */
struct rbs_member_desc {
	struct rbs_desc desc;
	char name[];
};

struct rbs_field {
	const struct rbs_desc *desc; /* borrowed: of the family's table, or of report->members */
	enum rbs_code code;
	uint64_t number; /* also 0 or 1 of a bool */
	bool is_signed;
	char *text; /* owned; as in the dump: renderers make it printable */
};

struct rbs_report;

struct rbs_node {
	struct rbs_report *report;
	struct rbs_node *parent; /* NULL for a section */
	enum rbs_level level;
	char *name;
	struct rbs_field *fields;
	size_t field_count, field_room;
	struct rbs_node **children;
	size_t child_count, child_room;
	bool idle; /* nothing to see: text folds it */
};

enum rbs_status {
	RBS_STATUS_OK,
	RBS_STATUS_PARTIAL, /* something of it could not be read: see the problems */
	RBS_STATUS_ABSENT,  /* nothing of that kind in this kernel */
	RBS_STATUS_FAILED,
};

struct rbs_section {
	const struct rbs_family *family;
	enum rbs_status status;
	char reason[512];  /* why absent or failed; empty for ok */
	const char *types; /* where the layout came from ("btf", "dwarf" ...), or NULL */
	char remark[256];  /* what to know of types that were assumed; else empty */
	struct rbs_node *node;
};

struct rbs_problem {
	char *subject; /* path of the node, or the family */
	enum rbs_code code;
	bool has_address;
	uint64_t address;
	char *text;
};

enum rbs_severity {
	RBS_SEVERITY_INFO,
	RBS_SEVERITY_WARNING,
	RBS_SEVERITY_CRITICAL,
};

#define RBS_EVIDENCE_MAX 8

struct rbs_evidence {
	const char *name; /* of the field; borrowed */
	uint64_t number;
};

struct rbs_finding {
	const char *code; /* of the rule; borrowed */
	enum rbs_severity severity;
	size_t order;  /* in which it was found */
	char *subject; /* path of the node it rests on; owned */
	char *summary; /* owned; strings of the dump in it as they are */
	struct rbs_evidence evidence[RBS_EVIDENCE_MAX];
	size_t evidence_count;
};

struct rbs_report {
	enum rbs_code code; /* RBS_NOMEM once memory ran out */
	struct rbs_target_info dump;
	struct rbs_section *sections;
	size_t section_count, section_room;
	struct rbs_problem *problems;
	size_t problem_count, problem_room;
	struct rbs_finding *findings;
	size_t finding_count, finding_room;
	struct rbs_member_desc **members; /* owned: descriptions of groups' members */
	size_t member_count, member_room;
};

struct rbs_report *rbs_report_create(const struct rbs_target_info *dump);
void rbs_report_destroy(struct rbs_report *report);

/* The section stays valid until the next one is added; its node as long as the report. */
struct rbs_section *rbs_report_add_section(struct rbs_report *report,
					   const struct rbs_family *family);

/* Something that could not be read. subject may be NULL: then the section's family is named. */
void rbs_report_add_problem(struct rbs_report *report, const struct rbs_node *subject,
			    const struct rbs_error *problem);

void rbs_report_add_finding(struct rbs_report *report, const char *code, enum rbs_severity severity,
			    const char *subject, const char *summary,
			    const struct rbs_evidence *evidence, size_t evidence_count);

/*
 * The description of a group's member, with text in the place of the '*' (NULL when memory ran
 * out). The report owns it.
 */
const struct rbs_desc *rbs_report_member(struct rbs_report *report, const struct rbs_desc *group,
					 const char *text);

/*
 * Whether name is the description's own or, for a group, a member's. *text (may be NULL) gets what
 * stands in the place of the '*', *length its length; 0 for a description that is no group. It may
 * be empty: rx_hw_packets is the sum of rx*_hw_packets.
 */
bool rbs_desc_names(const struct rbs_desc *desc, const char *name, const char **text,
		    size_t *length);

/* "info", "warning", "critical" */
const char *rbs_severity_name(enum rbs_severity severity);

/* The same with the subject as a path. */
void rbs_report_add_problem_at(struct rbs_report *report, const char *subject,
			       const struct rbs_error *problem);

/* A child of parent; the name is printf's. NULL when memory ran out. */
struct rbs_node *rbs_node_add(struct rbs_node *parent, enum rbs_level level, const char *format,
			      ...) __attribute__((format(printf, 3, 4)));

/* Free a node and all below it; the caller takes it out of its parent's children. */
void rbs_node_destroy(struct rbs_node *node);

void rbs_node_set(struct rbs_node *node, const struct rbs_desc *desc, struct rbs_value value);
void rbs_node_set_number(struct rbs_node *node, const struct rbs_desc *desc, uint64_t number);
void rbs_node_set_text(struct rbs_node *node, const struct rbs_desc *desc, const char *text);
void rbs_node_set_absent(struct rbs_node *node, const struct rbs_desc *desc, enum rbs_code reason);

/* The field, or NULL when the node has none of that name. */
const struct rbs_field *rbs_node_find(const struct rbs_node *node, const char *name);

/* The number of a field that is there; false for one that is absent, or is a text. */
bool rbs_node_number(const struct rbs_node *node, const char *name, uint64_t *number);

/* The text of a field that is there, or NULL. */
const char *rbs_node_text(const struct rbs_node *node, const char *name);

/* The child of that name, or NULL. */
const struct rbs_node *rbs_node_child(const struct rbs_node *node, const char *name);

/* The section node of a family, or NULL when the report has none. */
const struct rbs_node *rbs_report_section(const struct rbs_report *report, const char *family);

/* "virtio/virtio0/3" into buffer; returns buffer. */
const char *rbs_node_path(const struct rbs_node *node, char *buffer, size_t size);

/* The JSON contract's word. */
const char *rbs_status_name(enum rbs_status status);

#endif
