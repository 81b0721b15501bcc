#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guest of the virtio-stats recipes: a virtio-net device whose control queue is made to stop in one state
# after the other. In each the host is told (HOLD name) and takes a dump; then it goes on.
# Kernel arguments: sd.packed=1, sd.indirect=1, sd.dma=1 are the module's parameters.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
# Nothing but panics on the console: the truth block must stay whole.
dmesg -n 1

DEVICE=/proc/statdev

say() {
	echo "## $(cut -d' ' -f1 /proc/uptime) $*"
}

fail() {
	dmesg | tail -n 40
	say "FAILED: $*"
	sleep 1
	poweroff -f
}

hold() {
	say "HOLD $1"
	read -r reply
}

device() {
	echo "$1" > $DEVICE || fail "statdev $1"
}

# ethtool in the background, stuck on what the device was told to do
ask() {
	ethtool -S eth0 > "/tmp/$1" &
	ASKER=$!
	sleep 3
}

# name=value lines of what ethtool said once it was let go
answer() {
	device release
	wait $ASKER || fail "ethtool $1"
	ANSWERS="$ANSWERS $1"
}

for m in qemu_fw_cfg virtio_net; do
	modprobe $m 2> /dev/null
done
# shellcheck disable=SC2046
modprobe statdev $(sed 's/ /\n/g' /proc/cmdline | sed -n 's/^sd\.//p') || fail "statdev"
sleep 1
ip link set eth0 up || fail "eth0"

ethtool -S eth0 > /tmp/completed || fail "ethtool"
hold completed
device hold
ask held
HELD_PID=$ASKER
hold held
answer held
device no-ack
ask no-ack
NO_ACK_PID=$ASKER
hold no-ack
answer no-ack
device ignore
ask ignored
IGNORED_PID=$ASKER
hold ignored
answer ignored
device draft
sleep 1
hold draft
device reap
device draft-ack-first
sleep 1
hold draft-ack-first
device reap

echo TRUTH-BEGIN
for state in completed $ANSWERS; do
	echo "[ethtool/$state]"
	sed -n 's/^ *\([a-z0-9_]*\): \([0-9]*\)$/\1=\2/p' "/tmp/$state"
done
echo "[asker]"
echo "held=$HELD_PID"
echo "no-ack=$NO_ACK_PID"
echo "ignored=$IGNORED_PID"
echo "[kernel]"
echo "release=$(uname -r)"
echo TRUTH-END
# The driver never comes back from this one.
device short
ethtool -S eth0 > /tmp/short &
sleep 4
hold short
say END
