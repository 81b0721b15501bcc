# SPDX-License-Identifier: GPL-3.0-or-later
from vmbus.guest import VmbusGuest

RECIPE = VmbusGuest("VMBus devices in trouble, 5.10: modules without BTF",
                    "bullseye", "linux-image-5.10.*-amd64")
