/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_image - the memory of a real dump with the damage that the fuzzer's bytes describe
 * (tests/damage/mutation.h), and what reads it. From the environment:
 *
 *     RBSTATS_FUZZ_DUMP   an excerpt of tests/fixtures
 *     RBSTATS_FUZZ_WHAT   kallsyms, types, modules, or a probe's family
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/btf_source.h"
#include "dwarf/kallsyms.h"
#include "lib/session.h"
#include "tests/damage/memo.h"
#include "tests/damage/mutation.h"
#include "tests/damage/overlay.h"

#define READS 4000000

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* libFuzzer calls with bytes alone: what stays open between calls has to be somewhere. */
static struct {
	const char *what;
	struct rbs_dump dump;
	struct rbs_target *overlay; /* the dump's target */
} image;

static void kallsyms_read(void)
{
	struct rbs_symbol_source *source;
	uint64_t address;

	if (rbs_kallsyms_create(image.overlay, &source, NULL) != RBS_OK)
		return;
	source->ops->find(source, NULL, "modules", &address, NULL);
	source->ops->destroy(source);
}

static void types_read(void)
{
	struct rbs_type_source *source;
	struct rbs_member member;

	if (rbs_btf_source_create(image.overlay, &image.dump.symbols, NULL, &source, NULL) !=
	    RBS_OK)
		return;
	source->ops->find_member(source, NULL, "module", "list", &member, NULL);
	source->ops->find_member(source, NULL, "task_struct", "se.avg.load_avg", &member, NULL);
	source->ops->find_member(source, "virtio_ring", "vring_virtqueue", "split.vring.num",
				 &member, NULL);
	source->ops->destroy(source);
}

static void modules_read(void)
{
	struct rbs_modules modules;

	rbs_modules_init(&modules, image.overlay, &image.dump.symbols, &image.dump.types, NULL);
	rbs_modules_deinit(&modules);
}

static void family_read(void)
{
	const struct rbs_show_options options = {
		.families = &image.what, .family_count = 1, .verbose = true};
	struct rbs_report *report;

	if (rbs_session_show(&image.dump, &options, &report, NULL) == RBS_OK)
		rbs_report_destroy(report);
}

static void image_read(void)
{
	if (!strcmp(image.what, "kallsyms"))
		kallsyms_read();
	else if (!strcmp(image.what, "types"))
		types_read();
	else if (!strcmp(image.what, "modules"))
		modules_read();
	else
		family_read();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct rbs_session_options options = {0};
	const char *path = getenv("RBSTATS_FUZZ_DUMP");
	struct rbs_error error;

	(void)argc;
	(void)argv;
	image.what = getenv("RBSTATS_FUZZ_WHAT");
	if (!path || !image.what) {
		fprintf(stderr, "set RBSTATS_FUZZ_DUMP and RBSTATS_FUZZ_WHAT\n");
		exit(2);
	}
	if (rbs_session_open(&image.dump, path, &options, &error) != RBS_OK) {
		fprintf(stderr, "%s\n", error.text);
		exit(2);
	}
	image.overlay = overlay_create(image.dump.target);
	image.dump.target = image.overlay;
	memo_attach(&image.dump.types);
	overlay_record(image.overlay, true);
	image_read();
	overlay_record(image.overlay, false);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	mutation_apply_bytes(image.overlay, bytes, size);
	overlay_limit(image.overlay, READS);
	image_read();
	/* A walk without an end. */
	if (overlay_limit_reached(image.overlay))
		abort();
	overlay_limit(image.overlay, 0);
	overlay_restore(image.overlay);
	return 0;
}
