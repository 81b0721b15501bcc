# SPDX-License-Identifier: GPL-3.0-or-later
from s390x_stats.guest import S390xStatsGuest

RECIPE = S390xStatsGuest("s390x: virtio-net device statistics, split ring")
