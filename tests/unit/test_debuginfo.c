/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/debuginfo.h"
#include "dwarf/debuginfo_tree.h"
#include "scratch.h"

static const struct rbs_build_id id_a = {4, {0xaa, 0x01, 0x02, 0x03}};
static const struct rbs_build_id id_b = {4, {0xbb, 0x01, 0x02, 0x03}};
static const struct rbs_build_id unknown = {.size = 0};

/*
 * A folder with files of two builds (a and b), a stripped one and one without a build-id, to be
 * copied to where a test wants them.
 */
struct tree {
	struct scratch scratch;
	struct rbs_debuginfo *debuginfo;
	struct rbs_debuginfo_file file;
	struct rbs_error err;
};

static void tree_init(struct tree *tree, const char *commands)
{
	static const char text[] = "int x;\n";

	memset(tree, 0, sizeof(*tree));
	unsetenv("DEBUGINFOD_URLS");
	scratch_init(&tree->scratch);
	scratch_write(&tree->scratch, "x.c", text, sizeof(text) - 1);
	scratch_run(
		&tree->scratch,
		"LINK=\"$CC -shared -nostdlib x.c\" && $LINK -g -Wl,--build-id=0xaa010203 -o a && "
		"$LINK -g -Wl,--build-id=0xbb010203 -o b && $LINK -Wl,--build-id=0xaa010203 -o "
		"stripped && $LINK -g -Wl,--build-id=none -o noid");
	scratch_run(&tree->scratch, "mkdir root named");
	scratch_run(&tree->scratch, commands);
}

static void tree_open(struct tree *tree, const char *named, const char *release)
{
	char path[256], root[256];
	const char *paths[1] = {path};
	struct rbs_debuginfo_options options = {
		.paths = paths,
		.path_count = named ? 1 : 0,
		.release = release,
		.root = scratch_path(&tree->scratch, "root", root),
	};

	scratch_path(&tree->scratch, named ? named : "", path);
	cr_assert_eq(rbs_debuginfo_create(&options, &tree->debuginfo, &tree->err), RBS_OK, "%s",
		     tree->err.text);
}

static void tree_deinit(struct tree *tree)
{
	rbs_debuginfo_destroy(tree->debuginfo);
	scratch_deinit(&tree->scratch);
}

static enum rbs_code look(struct tree *tree, const char *module, const struct rbs_build_id *id)
{
	return rbs_debuginfo_find(tree->debuginfo, module, id, &tree->file, &tree->err);
}

static void expect_found(struct tree *tree, const char *module, const struct rbs_build_id *id,
			 const char *name, bool verified)
{
	char path[256];
	enum rbs_code code = look(tree, module, id);

	cr_assert_eq(code, RBS_OK, "%s", tree->err.text);
	cr_expect_str_eq(tree->file.path, scratch_path(&tree->scratch, name, path));
	cr_expect_eq(tree->file.verified, verified);
}

Test(debuginfo, named_file)
{
	struct tree tree;

	tree_init(&tree, "cp a named/my-kernel");
	tree_open(&tree, "named/my-kernel", "6.1.0");
	expect_found(&tree, NULL, &id_a, "named/my-kernel", true);
	cr_expect_str_eq(tree.file.how, "named by the user");
	expect_found(&tree, NULL, &unknown, "named/my-kernel", false);
	/* It is not the debug file of every module. */
	cr_expect_eq(look(&tree, "virtio", &id_a), RBS_NO_TYPES);
	tree_deinit(&tree);
}

Test(debuginfo, mismatch_names_both)
{
	struct tree tree;

	tree_init(&tree, "cp b named/vmlinux");
	tree_open(&tree, "named/vmlinux", "6.1.0");
	cr_expect_eq(look(&tree, NULL, &id_a), RBS_MISMATCH);
	cr_expect(strstr(tree.err.text, "aa010203"), "text: %s", tree.err.text);
	cr_expect(strstr(tree.err.text, "bb010203"), "text: %s", tree.err.text);
	cr_expect(strstr(tree.err.text, "named/vmlinux"), "text: %s", tree.err.text);
	expect_found(&tree, NULL, &id_b, "named/vmlinux", true);
	tree_deinit(&tree);
}

Test(debuginfo, named_folder)
{
	struct tree tree;

	tree_init(&tree, "mkdir -p named/x/y && cp b named/x/vmlinux-6.1.0 && "
			 "cp a named/x/y/vmlinux-6.1.0 && cp a named/x/y/virtio-net.ko.debug && "
			 "cp a named/x/net.ko");
	tree_open(&tree, "named", "6.1.0");
	expect_found(&tree, NULL, &id_a, "named/x/y/vmlinux-6.1.0", true);
	expect_found(&tree, NULL, &id_b, "named/x/vmlinux-6.1.0", true);
	expect_found(&tree, NULL, &unknown, "named/x/vmlinux-6.1.0", false);
	expect_found(&tree, "virtio_net", &id_a, "named/x/y/virtio-net.ko.debug", true);
	cr_expect_eq(look(&tree, "virtio_net", &id_b), RBS_MISMATCH);
	cr_expect_eq(look(&tree, "virtio", &id_a), RBS_NO_TYPES);
	tree_deinit(&tree);
}

/* Two kernels' modules in one folder: without build-ids, the release decides. */
Test(debuginfo, release_of_unverified_files)
{
	struct tree tree;

	tree_init(&tree,
		  "for r in 5.10.0 6.1.0; do mkdir -p named/lib/modules/$r/misc && "
		  "cp noid named/lib/modules/$r/misc/m.ko && cp noid named/vmlinux-$r; done");
	tree_open(&tree, "named", "6.1.0");
	expect_found(&tree, "m", &id_a, "named/lib/modules/6.1.0/misc/m.ko", false);
	expect_found(&tree, NULL, &unknown, "named/vmlinux-6.1.0", false);
	rbs_debuginfo_destroy(tree.debuginfo);
	tree_open(&tree, "named", "4.19.0");
	cr_expect_eq(look(&tree, "m", &unknown), RBS_NO_TYPES);
	cr_expect_eq(look(&tree, NULL, &unknown), RBS_NO_TYPES);
	tree_deinit(&tree);
}

Test(debuginfo, build_id_trees)
{
	struct tree tree;

	tree_init(&tree, "for f in named root/usr/lib/debug; do mkdir -p $f/.build-id/aa "
			 "$f/.build-id/bb; done; cp a named/.build-id/aa/010203.debug && "
			 "cp b root/usr/lib/debug/.build-id/bb/010203.debug");
	tree_open(&tree, "named", NULL);
	expect_found(&tree, NULL, &id_a, "named/.build-id/aa/010203.debug", true);
	expect_found(&tree, "any_module", &id_b, "root/usr/lib/debug/.build-id/bb/010203.debug",
		     true);
	tree_deinit(&tree);
}

Test(debuginfo, system_places)
{
	static const char *const places[] = {
		"root/usr/lib/debug/boot/vmlinux-6.1.0",
		"root/usr/lib/debug/lib/modules/6.1.0/vmlinux",
		"root/usr/lib/debug/usr/lib/modules/6.1.0/vmlinux",
		"root/lib/modules/6.1.0/build/vmlinux",
	};
	char command[512];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct tree tree;

		snprintf(command, sizeof(command), "mkdir -p $(dirname %s) && cp a %s", places[i],
			 places[i]);
		tree_init(&tree, command);
		tree_open(&tree, NULL, "6.1.0");
		expect_found(&tree, NULL, &id_a, places[i], true);
		cr_expect_eq(look(&tree, NULL, &id_b), RBS_MISMATCH);
		tree_deinit(&tree);
	}
}

Test(debuginfo, system_modules)
{
	struct tree tree;

	tree_init(&tree, "d=root/usr/lib/debug/lib/modules/6.1.0/kernel/drivers && mkdir -p $d && "
			 "cp a $d/virtio_ring.ko && e=root/lib/modules/6.1.0/updates && "
			 "mkdir -p $e && cp stripped $e/virtio_ring.ko && cp stripped $e/lttng.ko");
	tree_open(&tree, NULL, "6.1.0");
	expect_found(&tree, "virtio_ring", &id_a,
		     "root/usr/lib/debug/lib/modules/6.1.0/kernel/drivers/virtio_ring.ko", true);
	cr_expect_eq(look(&tree, "lttng", &id_a), RBS_NO_TYPES);
	cr_expect(strstr(tree.err.text, "lttng.ko has no DWARF"), "text: %s", tree.err.text);
	tree_deinit(&tree);
}

Test(debuginfo, message_names_the_places)
{
	struct tree tree;

	tree_init(&tree, "true");
	tree_open(&tree, "named", "6.1.0");
	cr_expect_eq(look(&tree, NULL, &id_a), RBS_NO_TYPES);
	cr_expect(strstr(tree.err.text, "/named, "), "text: %s", tree.err.text);
	cr_expect(strstr(tree.err.text, "/root/usr/lib/debug"), "text: %s", tree.err.text);
	tree_deinit(&tree);
}

/* The release comes out of the dump. */
Test(debuginfo, release_cannot_lead_elsewhere)
{
	struct tree tree;

	tree_init(&tree,
		  "mkdir -p root/usr/lib/debug/boot/vmlinux- root/secret && cp a root/secret/a");
	tree_open(&tree, NULL, "/../../../../../secret/a");
	cr_expect_eq(look(&tree, NULL, &unknown), RBS_NO_TYPES);
	tree_deinit(&tree);
}

Test(debuginfo, named_path_must_exist)
{
	const char *paths[] = {"/nonexistent/rbstats/vmlinux"};
	struct rbs_debuginfo_options options = {.paths = paths, .path_count = 1};
	struct rbs_debuginfo *debuginfo = NULL;
	struct rbs_error err;

	cr_expect_eq(rbs_debuginfo_create(&options, &debuginfo, &err), RBS_IO);
	cr_expect(strstr(err.text, paths[0]), "text: %s", err.text);
}

/* A link that leads back up must not make the walk endless. */
Test(debuginfo, circle_of_links, .timeout = 10)
{
	struct tree tree;

	tree_init(&tree, "mkdir named/d && ln -s .. named/d/up && ln -s . named/d/self && "
			 "mkfifo named/d/vmlinux && cp a named/d/vmlinux-6.1.0");
	tree_open(&tree, "named", "6.1.0");
	expect_found(&tree, NULL, &id_a, "named/d/vmlinux-6.1.0", true);
	tree_deinit(&tree);
}

Test(debuginfo, module_names)
{
	cr_expect(rbs_debuginfo_is_module("/a/virtio-net.ko", "virtio_net"));
	cr_expect(rbs_debuginfo_is_module("virtio_net.ko.xz", "virtio-net"));
	cr_expect(rbs_debuginfo_is_module("x.ko.debug", "x"));
	cr_expect_not(rbs_debuginfo_is_module("virtio_net.ko", "virtio"));
	cr_expect_not(rbs_debuginfo_is_module("virtio.ko", "virtio_net"));
	cr_expect_not(rbs_debuginfo_is_module("virtio.konfig", "virtio"));
	cr_expect_not(rbs_debuginfo_is_module("virtio", "virtio"));
	cr_expect_not(rbs_debuginfo_is_module("virtio.ko/readme", "virtio"));
}
