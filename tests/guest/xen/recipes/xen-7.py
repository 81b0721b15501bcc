# SPDX-License-Identifier: GPL-3.0-or-later
from xen.guest import XenDumps

RECIPE = XenDumps("dom0 and guests of 7.x, a stock hypervisor", "stock",
                  ("trixie-backports", "linux-image-7.*-amd64"))
