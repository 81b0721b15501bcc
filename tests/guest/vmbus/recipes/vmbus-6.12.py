# SPDX-License-Identifier: GPL-3.0-or-later
from vmbus.guest import VmbusGuest

# Level 31 of makedumpfile 1.7.2 takes slab pages for user pages from 6.12 on:
# that dump shows what a reader makes of one whose types are gone.
RECIPE = VmbusGuest("VMBus devices in trouble, 6.12", "bookworm",
                    "linux-image-6.12.*-amd64", levels=(23, 31))
