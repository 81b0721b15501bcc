/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module_info - what a kernel module's file says of itself.
 */
#ifndef RBS_TOOLS_MODULE_INFO_H
#define RBS_TOOLS_MODULE_INFO_H

#include <stdbool.h>

struct module_info {
	char version[64]; /* MODULE_VERSION */
	char kernel[128]; /* release that it was built for, out of vermagic */
	char arch[16];	  /* as uname -m prints it */
};

/* False when it is no ELF file, or one of the three is not known. */
bool module_info_read(const char *path, struct module_info *info);

#endif
