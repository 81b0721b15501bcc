/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_source - the types that the kernel itself carries, as a source of types named "btf".
 *
 * The kernel's BTF lies between the symbols __start_BTF and __stop_BTF (CONFIG_DEBUG_INFO_BTF,
 * since 5.2), in read-only data that no dump level leaves out. About 10 ms and 7 MB for 150,000
 * types. Modules' BTF (since 5.11) is read when a module is first asked for; types are looked for
 * in the module, then in the kernel.
 *
 * libbpf prints nothing: its print function, which is one for the whole process, is replaced
 * while it parses.
 */
#ifndef RBS_BTF_SOURCE_H
#define RBS_BTF_SOURCE_H

#include "lib/cache.h"
#include "lib/symbols.h"
#include "lib/target/target.h"
#include "lib/types.h"

/*
 * target, symbols and cache (NULL: none) are borrowed and must outlive the source. RBS_NO_TYPES
 * when the kernel was built without BTF, RBS_CORRUPT when the BTF is damaged, or why it could not
 * be read.
 */
enum rbs_code rbs_btf_source_create(struct rbs_target *target, struct rbs_symbols *symbols,
				    struct rbs_cache *cache, struct rbs_type_source **source,
				    struct rbs_error *err);

#endif
