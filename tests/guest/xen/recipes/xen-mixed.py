# SPDX-License-Identifier: GPL-3.0-or-later
from xen.guest import XenDumps

RECIPE = XenDumps("dom0 of 5.10, its guests of 7.x, a stock hypervisor", "stock",
                  ("bullseye", "linux-image-5.10.*-amd64"),
                  ("trixie-backports", "linux-image-7.*-amd64"))
