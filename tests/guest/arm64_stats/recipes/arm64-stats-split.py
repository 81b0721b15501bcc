# SPDX-License-Identifier: GPL-3.0-or-later
from arm64_stats.guest import Arm64StatsGuest

RECIPE = Arm64StatsGuest("arm64, device statistics on split rings, 6.12")
