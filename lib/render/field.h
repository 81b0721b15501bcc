/* SPDX-License-Identifier: GPL-3.0-or-later */
/* field - one field as words, the same in every renderer of text. */
#ifndef RBS_RENDER_FIELD_H
#define RBS_RENDER_FIELD_H

#include "lib/result.h"

/* The value ("467960", "yes", "ff11000002a3c000"); only for a field that is there. */
const char *rbs_field_format(const struct rbs_field *field, char *buffer, size_t size);

/* The short word that stands in a table for a value that is absent ("excl"). */
const char *rbs_absent_word(enum rbs_code code);

#endif
