# SPDX-License-Identifier: GPL-3.0-or-later
from xen.guest import XenLive

RECIPE = XenLive("rbstats in dom0 on a stock hypervisor", "stock")
