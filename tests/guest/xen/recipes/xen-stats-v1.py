# SPDX-License-Identifier: GPL-3.0-or-later
from xen.guest import XenDumps

RECIPE = XenDumps("Xen 4.17, a hypervisor with stats_table v1: QEMU, kexec, xl dump-core", "stats-v1")
