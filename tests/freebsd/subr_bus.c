/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel under the name of the file that defines FreeBSD's own struct device. */
#include "kernel.c"
