# SPDX-License-Identifier: GPL-3.0-or-later
from vmbus.guest import VmbusGuest

RECIPE = VmbusGuest("VMBus devices in trouble, 6.1", "bookworm",
                    "linux-image-6.1.*-amd64", quick=True)
