# SPDX-License-Identifier: GPL-3.0-or-later
from xen.guest import XenDumps

RECIPE = XenDumps("dom0 and guests of 6.12, a stock hypervisor", "stock",
                  ("trixie", "linux-image-6.12.*-amd64"))
