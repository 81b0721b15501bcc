/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kernel with Linux's drivers has Linux's struct device as well, and there it comes first. */
struct device {
	struct device *parent;
	char *init_name;
	int unit;
};
__attribute__((used)) static struct device linux_root_device;
