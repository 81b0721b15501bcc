/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lttng_image.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/assumed_types.h"
#include "fake_sources.h"

/*
 * Members by the letter of their kind: p pointer or long, s signed long, i int, u unsigned int,
 * q 64 bits, l list_head, n name.
 */
static const struct row {
	const char *type, *path;
	uint64_t offset;
	char kind;
} rows[] = {
	{"lttng_session", "active", 0x00, 'i'},
	{"lttng_session", "chan", IMAGE_CHANNELS, 'l'},
	{"lttng_session", "list", IMAGE_LIST, 'l'},
	{"lttng_session", "name", 0x40, 'n'},
	{"lttng_channel", "id", 0x00, 'i'},
	{"lttng_channel", "list", 0x08, 'l'},
	{"lttng_channel", "chan", 0x18, 'p'},
	{"channel", "record_disabled", 0x00, 'i'},
	{"channel", "commit_count_mask", 0x08, 'p'},
	{"channel", "backend.buf_size", 0x10, 'p'},
	{"channel", "backend.subbuf_size", 0x18, 'p'},
	{"channel", "backend.num_subbuf_order", 0x20, 'i'},
	{"channel", "backend.num_subbuf", IMAGE_RING_NUM, 'p'},
	{"channel", "backend.buf", 0x30, 'p'},
	{"channel", "backend.config.alloc", 0x38, 'i'},
	{"channel", "backend.config.mode", IMAGE_RING_MODE, 'i'},
	{"lib_ring_buffer", "offset", IMAGE_BUFFER_OFFSET, 's'},
	{"lib_ring_buffer", "commit_hot", 0x08, 'p'},
	{"lib_ring_buffer", "consumed", IMAGE_BUFFER_CONSUMED, 's'},
	{"lib_ring_buffer", "record_disabled", IMAGE_BUFFER_DISABLED, 'i'},
	{"lib_ring_buffer", "backend.buf_cnt", 0x28, 'p'},
	{"lib_ring_buffer", "backend.buf_wsb", 0x58, 'p'},
	{"lib_ring_buffer", "backend.buf_rsb.id", IMAGE_BUFFER_READER, 'p'},
	{"lib_ring_buffer", "backend.array", 0x68, 'p'},
	{"lib_ring_buffer", "get_subbuf", IMAGE_BUFFER_HELD, 'i'},
	{"lib_ring_buffer", "get_subbuf_consumed", IMAGE_BUFFER_HELD_AT, 'p'},
	{"lib_ring_buffer", "backend.chan", IMAGE_BUFFER_CHAN, 'p'},
	{"lib_ring_buffer", "backend.cpu", 0x38, 'i'},
	{"lib_ring_buffer", "commit_cold", 0x40, 'p'},
	{"lib_ring_buffer", "records_lost_full", IMAGE_BUFFER_LOST, 's'},
	{"commit_counters_hot", NULL, 16, ' '},
	{"commit_counters_hot", "cc", 0, 's'},
	{"commit_counters_hot", "seq", 8, 's'},
	{"commit_counters_cold", NULL, 8, ' '},
	{"commit_counters_cold", "cc_sb", 0, 's'},
	{"lib_ring_buffer_backend_counts", NULL, 8, ' '},
	{"lib_ring_buffer_backend_counts", "seq_cnt", 0, 'q'},
	{"lib_ring_buffer_backend_subbuffer", NULL, 8, ' '},
	{"lib_ring_buffer_backend_subbuffer", "id", 0, 'p'},
	{"lib_ring_buffer_backend_pages", "data_size", 0, 'p'},
	{"lib_ring_buffer_backend_pages", "p", 8, 'p'},
	{"lib_ring_buffer_backend_page", NULL, 8, ' '},
	{"lib_ring_buffer_backend_page", "virt", 0, 'p'},
	{"packet_header", "magic", 0, 'u'},
	{"packet_header", "ctx.packet_seq_num", 8, 'q'},
	{"lttng_event_notifier_group", "node", 0x00, 'l'},
	{"lttng_event_notifier_group", "chan", IMAGE_GROUP_RING, 'p'},
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static const struct fake_enumerator enumerators[] = {
	{NULL, "RING_BUFFER_ALLOC_GLOBAL", 1},
	{NULL, "RING_BUFFER_OVERWRITE", 0},
	{NULL, NULL, 0},
};

static const struct fake_symbol symbols[] = {
	{"lttng_tracer", "sessions", IMAGE_SESSIONS},
	{"lttng_tracer", "event_notifier_groups", IMAGE_GROUPS},
	{NULL, NULL, 0},
};

static struct rbs_member member_of(const struct row *row, unsigned word)
{
	struct rbs_member member = {.offset = row->offset, .count = 1};

	member.is_signed = row->kind == 's' || row->kind == 'i';
	member.size = row->kind == 'i'	 ? 4
		      : row->kind == 'u' ? 4
		      : row->kind == 'q' ? 8
		      : row->kind == 'l' ? 2 * word
		      : row->kind == 'n' ? 32
					 : word;
	if (!row->path)
		member = (struct rbs_member){.size = row->offset};
	member.element_size = member.size;
	return member;
}

static void types_create(struct lttng_image *image)
{
	struct fake_type *types = calloc(ROW_COUNT + 1, sizeof(*types));

	if (!types)
		abort();
	for (size_t i = 0; i < ROW_COUNT; i++) {
		types[i].type = rows[i].type;
		types[i].path = rows[i].path;
		types[i].member = member_of(&rows[i], image->word);
	}
	image->types = types;
	rbs_types_add(&image->dump.types, fake_types_create(types, enumerators));
}

void lttng_image_put(struct lttng_image *image, uint64_t address, uint64_t value)
{
	fake_target_put(image->dump.target, address, image->word, value);
}

static void int_put(struct lttng_image *image, uint64_t address, uint32_t value)
{
	fake_target_put(image->dump.target, address, 4, value);
}

static void list_put(struct lttng_image *image, uint64_t address, uint64_t next, uint64_t prev)
{
	lttng_image_put(image, address, next);
	lttng_image_put(image, address + image->word, prev);
}

static void session_put(struct lttng_image *image, uint64_t session, const char *name)
{
	uint64_t channel = session + IMAGE_CHANNEL, ring = session + IMAGE_RING;
	uint64_t buffer = session + IMAGE_BUFFER;
	uint64_t all = image->word == 8 ? UINT64_MAX : UINT32_MAX;

	fake_target_map_zeros(image->dump.target, session, 0x6000);
	int_put(image, session, 1);
	list_put(image, session + IMAGE_CHANNELS, channel + 8, channel + 8);
	fake_target_put_string(image->dump.target, session + 0x40, name);
	int_put(image, channel, 7);
	list_put(image, channel + 8, session + IMAGE_CHANNELS, session + IMAGE_CHANNELS);
	lttng_image_put(image, channel + 0x18, ring);
	lttng_image_put(image, ring + 0x08, all >> 2);
	lttng_image_put(image, ring + 0x10, 0x4000);
	lttng_image_put(image, ring + 0x18, 0x1000);
	int_put(image, ring + 0x20, 2);
	lttng_image_put(image, ring + IMAGE_RING_NUM, 4);
	lttng_image_put(image, ring + 0x30, buffer);
	int_put(image, ring + 0x38, 1);
	int_put(image, ring + IMAGE_RING_MODE, 1);
	lttng_image_put(image, buffer + 0x08, session + IMAGE_HOT);
	lttng_image_put(image, buffer + 0x28, session + IMAGE_COUNTS);
	lttng_image_put(image, buffer + IMAGE_BUFFER_CHAN, ring);
	int_put(image, buffer + 0x38, UINT32_MAX);
	lttng_image_put(image, buffer + 0x40, session + IMAGE_COLD);
	lttng_image_put(image, buffer + 0x58, session + IMAGE_WSB);
	lttng_image_put(image, buffer + IMAGE_BUFFER_READER, 4);
	lttng_image_put(image, buffer + 0x68, session + IMAGE_ARRAY);
	for (unsigned i = 0; i <= IMAGE_NUM_SUBBUF; i++) {
		uint64_t pages = session + IMAGE_PAGES + i * IMAGE_PAGES_STEP;
		uint64_t page = 0x10000000 + session + i * 0x1000;

		lttng_image_put(image, session + IMAGE_ARRAY + i * image->word, pages);
		lttng_image_put(image, pages, 100 + i);
		lttng_image_put(image, pages + 8, page);
		fake_target_map_zeros(image->dump.target, page, 16);
		int_put(image, page, 0xC1FC1FC1);
		fake_target_put(image->dump.target, page + 8, 8, 40 + i);
		if (i < IMAGE_NUM_SUBBUF)
			lttng_image_put(image, session + IMAGE_WSB + i * 8, i);
	}
}

void lttng_image_init(struct lttng_image *image, enum rbs_byte_order order, unsigned word_size)
{
	*image = (struct lttng_image){.word = word_size};
	rbs_dump_init(&image->dump, fake_target_create(order, word_size));
	rbs_symbols_add(&image->dump.symbols, fake_symbols_create(symbols));
	types_create(image);
	fake_target_map_zeros(image->dump.target, IMAGE_SESSIONS, 0x300);
	list_put(image, IMAGE_GROUPS, IMAGE_GROUPS, IMAGE_GROUPS);
	session_put(image, IMAGE_FIRST, "first");
	session_put(image, IMAGE_SECOND, "second");
	list_put(image, IMAGE_SESSIONS, IMAGE_FIRST + IMAGE_LIST, IMAGE_SECOND + IMAGE_LIST);
	list_put(image, IMAGE_FIRST + IMAGE_LIST, IMAGE_SECOND + IMAGE_LIST, IMAGE_SESSIONS);
	list_put(image, IMAGE_SECOND + IMAGE_LIST, IMAGE_SESSIONS, IMAGE_FIRST + IMAGE_LIST);
}

#define GUESS_LIMIT 4

/* What a table is made of; one for both modules. */
struct lttng_image_guess {
	struct rbs_assumed_member members[ROW_COUNT];
	struct rbs_assumed_size sizes[ROW_COUNT];
	struct rbs_assumed_enumerator enumerators[2];
	struct rbs_assumed_module modules[3];
	struct rbs_assumed_table table;
};

static void guess_fill(struct lttng_image_guess *guess, const struct lttng_image_wrong *wrong,
		       unsigned word)
{
	size_t members = 0, sizes = 0;

	for (size_t i = 0; i < ROW_COUNT; i++) {
		const struct row *row = &rows[i];
		struct rbs_member member = member_of(row, word);

		if (!row->path) {
			guess->sizes[sizes++] = (struct rbs_assumed_size){row->type, member.size};
			continue;
		}
		if (wrong->moved && !strcmp(wrong->moved, row->path))
			member.offset += wrong->by;
		guess->members[members++] =
			(struct rbs_assumed_member){row->type, row->path, member};
	}
	for (size_t i = 0; i < 2; i++)
		guess->enumerators[i] = (struct rbs_assumed_enumerator){NULL, enumerators[i].name,
									enumerators[i].value};
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = {"lttng_tracer", "lttng_lib_ring_buffer",
						    "lttng_ring_buffer_client_discard"};

		guess->modules[i] = (struct rbs_assumed_module){
			.name = names[i],
			.members = guess->members,
			.member_count = members,
			.sizes = guess->sizes,
			.size_count = sizes,
			.enumerators = guess->enumerators,
			.enumerator_count = 2,
		};
	}
	guess->table = (struct rbs_assumed_table){
		.product = "LTTng",
		.version = wrong->version,
		.arch = "x86_64",
		.kernel = "4.4",
		.modules = guess->modules,
		.module_count = 3,
	};
}

void lttng_image_assume(struct lttng_image *image, const struct lttng_image_wrong *wrongs,
			size_t count)
{
	struct rbs_assumed_options options = {
		.types = &image->dump.types,
		.modules = &image->dump.modules,
		.arch = "x86_64",
		.table_count = count,
	};
	const struct rbs_assumed_table **tables = calloc(GUESS_LIMIT, sizeof(*tables));
	struct rbs_module *module = calloc(1, sizeof(*module));
	struct rbs_type_source *source;

	image->guesses = calloc(GUESS_LIMIT, sizeof(*image->guesses));
	if (!tables || !module || !image->guesses || count > GUESS_LIMIT)
		abort();
	for (size_t i = 0; i < count; i++) {
		guess_fill(&image->guesses[i], &wrongs[i], image->word);
		tables[i] = &image->guesses[i].table;
	}
	strcpy(module->name, "lttng_tracer");
	strcpy(module->version, "2.8.1");
	image->dump.modules = (struct rbs_modules){.modules = module, .count = 1};
	rbs_types_deinit(&image->dump.types);
	rbs_types_init(&image->dump.types);
	options.tables = tables;
	if (rbs_assumed_types_create(&options, &source, NULL) != RBS_OK)
		abort();
	rbs_types_add(&image->dump.types, source);
	image->tables = tables;
}

void lttng_image_deinit(struct lttng_image *image)
{
	free(image->guesses);
	rbs_report_destroy(image->report);
	rbs_dump_deinit(&image->dump);
	free(image->types);
	free(image->tables);
}

void lttng_image_group(struct lttng_image *image, uint64_t ring)
{
	list_put(image, IMAGE_GROUPS, IMAGE_GROUP, IMAGE_GROUP);
	list_put(image, IMAGE_GROUP, IMAGE_GROUPS, IMAGE_GROUPS);
	lttng_image_put(image, IMAGE_GROUP + IMAGE_GROUP_RING, ring);
}

void lttng_image_reader(struct lttng_image *image, uint64_t session, uint64_t consumed)
{
	uint64_t buffer = session + IMAGE_BUFFER;
	uint64_t index = consumed / IMAGE_SUBBUF_SIZE % IMAGE_NUM_SUBBUF;

	int_put(image, session + IMAGE_RING + IMAGE_RING_MODE, 0);
	int_put(image, buffer + IMAGE_BUFFER_HELD, 1);
	lttng_image_put(image, buffer + IMAGE_BUFFER_HELD_AT, consumed);
	lttng_image_put(image, buffer + IMAGE_BUFFER_READER, index);
	lttng_image_put(image, session + IMAGE_WSB + index * 8, IMAGE_NUM_SUBBUF);
}

void lttng_image_positions(struct lttng_image *image, uint64_t session, uint64_t offset,
			   uint64_t consumed)
{
	lttng_image_put(image, session + IMAGE_BUFFER + IMAGE_BUFFER_OFFSET, offset);
	lttng_image_put(image, session + IMAGE_BUFFER + IMAGE_BUFFER_CONSUMED, consumed);
}

void lttng_image_committed(struct lttng_image *image, uint64_t session, unsigned subbuf,
			   uint64_t cc, uint64_t cc_sb)
{
	lttng_image_put(image, session + IMAGE_HOT + subbuf * 16, cc);
	lttng_image_put(image, session + IMAGE_HOT + subbuf * 16 + 8, cc);
	lttng_image_put(image, session + IMAGE_COLD + subbuf * 8, cc_sb);
}

enum rbs_code lttng_image_ask(struct lttng_image *image, bool *absent)
{
	const struct rbs_probe *probe = rbs_probe_find("lttng");
	struct rbs_probe_context context = {.dump = &image->dump, .verbose = true};

	*absent = false;
	rbs_report_destroy(image->report);
	image->report = rbs_report_create(&image->dump.target->info);
	image->section = rbs_report_add_section(image->report, probe->family);
	context.section = image->section;
	return probe->run(&context, absent, &image->error);
}

enum rbs_code lttng_image_run(struct lttng_image *image)
{
	bool absent;

	return lttng_image_ask(image, &absent);
}

static const struct rbs_node *child(const struct rbs_node *node, const char *name)
{
	for (size_t i = 0; node && i < node->child_count; i++) {
		if (!strcmp(node->children[i]->name, name))
			return node->children[i];
	}
	return NULL;
}

const struct rbs_node *lttng_image_node(const struct lttng_image *image, const char *session,
					const char *ring, const char *slot)
{
	const struct rbs_node *node = child(image->section->node, session);

	if (ring)
		node = child(child(node, "7"), ring);
	return slot ? child(node, slot) : node;
}
