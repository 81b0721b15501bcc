/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_btf - types as a dump holds them: loading, and layouts of what they describe. */
#include <stdlib.h>
#include <string.h>

#include "dwarf/btf_types.h"
#include "tests/fuzz/fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const paths[] = {"list", "mkobj.kobj.name", "state", "a.b.c", ""};
	void *copy = malloc(size ? size : 1);
	struct rbs_btf *btf;
	struct rbs_member member;
	uint64_t number;
	int64_t value;

	if (!copy)
		return 0;
	memcpy(copy, bytes, size);
	if (rbs_btf_create(copy, size, NULL, 8, RBS_LITTLE_ENDIAN, NULL, &btf, NULL) != RBS_OK) {
		free(copy);
		return 0;
	}
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		rbs_btf_find_member(btf, "module", paths[i], &member, NULL);
		rbs_btf_find_member(btf, "s", paths[i], &member, NULL);
	}
	rbs_btf_find_size(btf, "module", &number, NULL);
	rbs_btf_find_enumerator(btf, NULL, "MOD_TEXT", &value, NULL);
	rbs_btf_destroy(btf);
	free(copy);
	return 0;
}
