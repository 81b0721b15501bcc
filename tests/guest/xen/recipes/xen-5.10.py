# SPDX-License-Identifier: GPL-3.0-or-later
from xen.guest import XenDumps

RECIPE = XenDumps("dom0 and guests of 5.10, a stock hypervisor", "stock",
                  ("bullseye", "linux-image-5.10.*-amd64"))
