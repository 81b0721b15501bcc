# SPDX-License-Identifier: GPL-3.0-or-later
from virtio_stats.guest import StatsGuest

RECIPE = StatsGuest("virtio-net device statistics, split ring", quick=True)
