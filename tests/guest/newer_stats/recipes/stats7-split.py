from newer_stats.guest import NewerStatsGuest

RECIPE = NewerStatsGuest("virtio-net device statistics on 7.x, split ring")
