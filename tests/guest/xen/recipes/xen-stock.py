# SPDX-License-Identifier: GPL-3.0-or-later
from xen.guest import XenDumps

RECIPE = XenDumps("Xen 4.17, a stock hypervisor: QEMU, kexec, xl dump-core", "stock")
