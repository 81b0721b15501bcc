/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake_members - members of the fake types, by offset and size in bytes. */
#ifndef FAKE_MEMBERS_H
#define FAKE_MEMBERS_H

#include "lib/types.h"

#define FAKE_MEMBER(offset_, size_, kind_)                                                         \
	{                                                                                          \
		.offset = offset_, .size = size_, .element_size = size_, .count = 1, .kind = kind_ \
	}
#define INT(offset_, size_) FAKE_MEMBER(offset_, size_, RBS_KIND_INT)
#define POINTER(offset_) FAKE_MEMBER(offset_, 8, RBS_KIND_POINTER)
#define STRUCT(offset_, size_) FAKE_MEMBER(offset_, size_, RBS_KIND_STRUCT)
/* Of an entry that is the structure itself. */
#define STRUCT_SIZE(size_)                                                                         \
	{                                                                                          \
		.size = size_, .kind = RBS_KIND_STRUCT                                             \
	}

#endif
