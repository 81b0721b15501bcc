/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "dwarf/system_map.h"
#include "fake_target.h"
#include "temp_file.h"

/* x86-64: per-CPU variables from 0, then the image. */
static const char map[] = "0000000000000000 D __per_cpu_start\n"
			  "00000000000199e8 D this_cpu_off\n"
			  "0000000000400000 A absolute\n"
			  "ffffffff81000000 T _stext\n"
			  "ffffffff81000000 T _text\n"
			  "ffffffff81200000 a absolute_too\n"
			  "ffffffff81f61900 R linux_banner\n"
			  "ffffffff82b292a0 D modules\n";

#define KASLR                                                                                      \
	"OSRELEASE=6.1.0\n"                                                                        \
	"SYMBOL(_stext)=ffffffff83200000\n"                                                        \
	"KERNELOFFSET=2200000\n"

struct opened {
	struct rbs_target *target;
	struct rbs_symbol_source *source;
	struct rbs_error error;
	enum rbs_code code;
};

static void opened_init(struct opened *opened, const char *vmcoreinfo)
{
	*opened = (struct opened){.target = fake_target_create(RBS_LITTLE_ENDIAN, 8)};
	if (vmcoreinfo)
		fake_target_vmcoreinfo(opened->target, vmcoreinfo);
	fake_target_map(opened->target, 0xffffffff84161900, "Linux version 6.1.0", 20);
}

static void open_text(struct opened *opened, const char *text, size_t size)
{
	struct temp_file file;

	temp_file_init(&file, text, size);
	opened->code =
		rbs_symbol_file_create(file.path, opened->target, &opened->source, &opened->error);
	temp_file_deinit(&file);
}

static void opened_deinit(struct opened *opened)
{
	if (opened->source)
		opened->source->ops->destroy(opened->source);
	rbs_target_destroy(opened->target);
}

static void assert_symbol(struct opened *opened, const char *name, uint64_t expected)
{
	uint64_t address = 0;

	cr_assert_eq(opened->code, RBS_OK, "%s", opened->error.text);
	cr_assert_eq(
		opened->source->ops->find(opened->source, NULL, name, &address, &opened->error),
		RBS_OK, "%s", opened->error.text);
	cr_assert_eq(address, expected, "%s is at %llx", name, (unsigned long long)address);
}

static void assert_unknown(struct opened *opened, const char *module, const char *name)
{
	uint64_t address;

	cr_assert_eq(opened->source->ops->find(opened->source, module, name, &address, NULL),
		     RBS_NO_SYMBOL);
}

static void assert_refused(const char *vmcoreinfo, const char *text, size_t size,
			   enum rbs_code code, const char *message)
{
	struct opened opened;

	opened_init(&opened, vmcoreinfo);
	open_text(&opened, text, size);
	cr_assert_eq(opened.code, code, "%s (%s)", rbs_code_name(opened.code), opened.error.text);
	cr_assert_null(opened.source);
	cr_assert_not_null(strstr(opened.error.text, message), "%s", opened.error.text);
	opened_deinit(&opened);
}

Test(system_map, moved_with_the_image)
{
	struct opened opened;
	char name[32];

	opened_init(&opened, KASLR);
	open_text(&opened, map, sizeof(map) - 1);
	assert_symbol(&opened, "_stext", 0xffffffff83200000);
	assert_symbol(&opened, "modules", 0xffffffff84d292a0);
	assert_symbol(&opened, "this_cpu_off", 0x199e8);
	assert_symbol(&opened, "absolute", 0x400000);
	assert_symbol(&opened, "absolute_too", 0xffffffff81200000);
	assert_unknown(&opened, NULL, "module");
	assert_unknown(&opened, "virtio", "modules");
	cr_assert_eq(opened.source->ops->name_at(opened.source, 0xffffffff84d292a0, name,
						 sizeof(name), NULL),
		     RBS_OK);
	cr_assert_str_eq(name, "modules");
	cr_assert_eq(opened.source->ops->name_at(opened.source, 0xffffffff82b292a0, name,
						 sizeof(name), NULL),
		     RBS_NO_SYMBOL);
	opened_deinit(&opened);
}

Test(system_map, kernel_offset_alone)
{
	struct opened opened;

	opened_init(&opened, "KERNELOFFSET=2200000\n");
	open_text(&opened, map, sizeof(map) - 1);
	assert_symbol(&opened, "modules", 0xffffffff84d292a0);
	opened_deinit(&opened);
}

/* Nothing says that anything moved. */
Test(system_map, without_vmcoreinfo)
{
	struct opened opened;

	opened_init(&opened, NULL);
	open_text(&opened, map, sizeof(map) - 1);
	assert_symbol(&opened, "modules", 0xffffffff82b292a0);
	opened_deinit(&opened);
}

/* /proc/kallsyms: run-time addresses, tabs, modules, and here a last line without its end. */
Test(system_map, copy_of_proc_kallsyms)
{
	static const char text[] = "ffffffff83200000 T _stext\n"
				   "ffffffff84d292a0 d modules\n"
				   "ffffffffc0312000 t modules\t[ext4]\n"
				   "ffffffffc093c350 d sessions\t[lttng_tracer]\n"
				   "ffffffff84d00000 d last";
	struct opened opened;

	opened_init(&opened, KASLR);
	open_text(&opened, text, sizeof(text) - 1);
	assert_symbol(&opened, "modules", 0xffffffff84d292a0);
	assert_symbol(&opened, "last", 0xffffffff84d00000);
	assert_unknown(&opened, NULL, "sessions");
	opened_deinit(&opened);
}

Test(system_map, bad_lines_are_skipped)
{
	static const char text[] = "\n"
				   "ffffffff81000000 T _stext\r\n"
				   "ffffffff81000010 T\n"
				   "ffffffff81000020 TT two\n"
				   "fffffffff81000030 T long\n"
				   " ffffffff81000040 T space\n"
				   "ffffffff81000050 T one more\n"
				   "ffffffff81000060 T good1\n"
				   "ffffffff81000070 T good2\n"
				   "ffffffff81000080 W good3\n"
				   "ffffffff81000090 ? good4\n"
				   "10a0 T good5\n";
	static const char *const bad[] = {"two", "long", "space", "one", "one more", ""};
	struct opened opened;

	opened_init(&opened, "SYMBOL(_stext)=ffffffff81000000\n");
	open_text(&opened, text, sizeof(text) - 1);
	assert_symbol(&opened, "_stext", 0xffffffff81000000);
	assert_symbol(&opened, "good3", 0xffffffff81000080);
	assert_symbol(&opened, "good5", 0x10a0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_unknown(&opened, NULL, bad[i]);
	opened_deinit(&opened);
}

Test(system_map, lowest_of_equal_names)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000090 d __key.0\n"
				   "ffffffff81000050 d __key.0\n"
				   "ffffffff81000070 d __key.0\n";
	struct opened opened;

	opened_init(&opened, KASLR);
	open_text(&opened, text, sizeof(text) - 1);
	assert_symbol(&opened, "__key.0", 0xffffffff83200050);
	opened_deinit(&opened);
}

Test(system_map, no_map)
{
	static const char debian[] = "ffffffffffffffff B The real System.map is in the "
				     "linux-image-<version>-dbg package\n";
	static const char binary[] = "\x01\x02\0\0ffffffff81000000 T _stext\n\0\0\0\xff\n\n\x7f";

	assert_refused(KASLR, "", 0, RBS_UNSUPPORTED, "is empty");
	assert_refused(KASLR, "\n\n\n", 3, RBS_UNSUPPORTED, "is empty");
	assert_refused(KASLR, debian, sizeof(debian) - 1, RBS_UNSUPPORTED, "is not a System.map");
	assert_refused(KASLR, binary, sizeof(binary) - 1, RBS_UNSUPPORTED, "is not a System.map");
	assert_refused(KASLR, "hello\nworld\n", 12, RBS_UNSUPPORTED, "2 of its 2 lines");
}

Test(system_map, of_another_kernel)
{
	static const char other[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81f61908 R linux_banner\n";
	static const char elsewhere[] = "ffffffff81000000 T _stext\n"
					"ffffffff91f61900 R linux_banner\n";
	static const char hidden[] = "0000000000000000 T _stext\n"
				     "0000000000000000 D modules\n";
	static const char strange[] = "ffffffff81000000 T btext\n";

	assert_refused(KASLR, other, sizeof(other) - 1, RBS_MISMATCH,
		       "is not of the kernel in this dump");
	assert_refused(KASLR, elsewhere, sizeof(elsewhere) - 1, RBS_MISMATCH,
		       "is not of the kernel in this dump");
	assert_refused(KASLR, hidden, sizeof(hidden) - 1, RBS_MISMATCH, "only zeros");
	assert_refused(KASLR, strange, sizeof(strange) - 1, RBS_MISMATCH, "no symbol _stext");
}

/* A dump without the banner's page says nothing against the map. */
Test(system_map, excluded_banner)
{
	struct opened opened;

	opened_init(&opened, KASLR);
	fake_target_hole(opened.target, 0xffffffff84161000, 4096, RBS_EXCLUDED);
	open_text(&opened, map, sizeof(map) - 1);
	assert_symbol(&opened, "modules", 0xffffffff84d292a0);
	opened_deinit(&opened);
}

Test(system_map, no_file)
{
	struct opened opened;

	opened_init(&opened, KASLR);
	cr_assert_eq(rbs_system_map_create("/nonexistent/System.map", opened.target, &opened.source,
					   &opened.error),
		     RBS_IO);
	cr_assert_str_eq(opened.error.text, "/nonexistent/System.map: No such file or directory");
	cr_assert_eq(rbs_symbol_file_create("/", opened.target, &opened.source, &opened.error),
		     RBS_IO);
	opened_deinit(&opened);
}
