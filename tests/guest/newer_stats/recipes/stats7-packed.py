from newer_stats.guest import NewerStatsGuest

RECIPE = NewerStatsGuest("virtio-net device statistics on 7.x, packed ring, indirect descriptors",
                         "sd.packed=1 sd.indirect=1")
