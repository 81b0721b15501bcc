/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_bytes - a fuzzer's bytes as a file that can be opened by its path. */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_PATH_SIZE 32

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A descriptor, which the caller closes; path gets FUZZ_PATH_SIZE bytes. */
int fuzz_file(const uint8_t *bytes, size_t size, char *path);

#endif
