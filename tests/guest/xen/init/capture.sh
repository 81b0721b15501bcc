#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernel that runs after the crash of dom0, on the bare machine: writes
# /proc/vmcore to the second disk.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
dmesg -n 1
modprobe virtio_pci
modprobe virtio_blk
sleep 1
size=$(stat -c %s /proc/vmcore)
if dd if=/proc/vmcore of=/dev/vdb bs=1M 2> /dev/null; then
	sync
	echo "CAPTURED vmcore=$size"
else
	echo "FAILED: /proc/vmcore"
fi
poweroff -f
