# SPDX-License-Identifier: GPL-3.0-or-later
from vmbus.guest import VmbusGuest

RECIPE = VmbusGuest("VMBus devices in trouble, 7.x: hv_vmbus is part of the kernel",
                    "trixie-backports", "linux-image-7.*-amd64", levels=(23,))
