#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs before the virtio recipes' script. The kernel would bring channel devices online beside one
# another, and name disks and nets as it comes: with virtio_ccw.no_auto it is done here, in order.
/bin/busybox mkdir -p /sys
/bin/busybox mount -t sysfs sys /sys
for device in /sys/bus/ccw/devices/*; do
	echo 1 > "$device/online"
done
exec /bin/busybox sh /virtio.sh
