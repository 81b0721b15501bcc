#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guest of the VMBus recipes: loads a Hyper-V host (vmhost) and then the stock
# drivers, gives every device some traffic, leaves each in the state that the
# recipe is about, tells the truth twice and holds still for the dump.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
# Nothing but panics on the console: the truth block must stay whole.
dmesg -n 1

DEVICES=/sys/bus/vmbus/devices
HOST=/proc/vmhost
CPUS="0 1 2 3"
PEER=10.77.0.1
# Not 0, which keeps the time and takes the messages of the host.
STARVED=3

say() {
	echo "## $(cut -d' ' -f1 /proc/uptime) $*"
}

fail() {
	dmesg | tail -n 60
	say "FAILED: $*"
	sleep 1
	poweroff -f
}

# host COMMAND...: see module/control.c
host() {
	echo "$*" > $HOST/control || fail "host $*"
}

# await SECONDS COMMAND...: until the command succeeds
await() {
	local tenths=$(($1 * 10))
	shift
	until "$@" > /dev/null 2>&1; do
		tenths=$((tenths - 1))
		[ $tenths -gt 0 ] || fail "never: $*"
		usleep 100000
	done
}

# field DEVICE SUB-CHANNEL NAME: a value of the host's latest such channel
field() {
	awk -F= -v device="$1" -v sub_channel="$2" -v name="$3" '
		/^\[host\/[0-9]+\]$/ { split("", v); v["relid"] = $0
			gsub(/[^0-9]/, "", v["relid"]); next }
		/^\[/ { next }
		{ v[$1] = $2 }
		v["device"] == device && name in v &&
			v["sub_channel"] "" == sub_channel "" { found = v[name] }
		END { print found }' $HOST/truth
}

relid() {
	field $1 ${2:-0} relid
}

is_open() {
	[ "$(field $1 ${2:-0} opened)" = 1 ]
}

# folder DEVICE: its folder in sysfs
folder() {
	echo $DEVICES/$(field $1 0 instance)
}

# netdev DEVICE, block DEVICE LUN: names of the kernel's
netdev() {
	ls $(folder $1)/net
}

block() {
	basename $(folder $1)/host*/target*/*:$2/block/*
}

load_drivers() {
	modprobe qemu_fw_cfg
	modprobe vmhost || fail "vmhost"
	# Where it is part of the kernel, vmhost has started it.
	[ -d /sys/bus/vmbus ] || modprobe hv_vmbus || fail "hv_vmbus"
	modprobe sd_mod
	modprobe hv_storvsc
	modprobe hv_utils
	modprobe hv_netvsc
	# The first report of memory pressure comes at once, then every second.
	modprobe hv_balloon pressure_report_delay=0 hot_add=0
	modprobe hv_sock
	for device in disk0 disk1 net0; do
		for sub in 0 1 2 3; do
			await 30 is_open $device $sub
		done
	done
	for device in net1 heartbeat shutdown timesync kvp vss balloon; do
		await 30 is_open $device
	done
	for device in disk0 disk1; do
		await 30 block $device 0
		await 30 block $device 1
	done
	await 30 netdev net0
	await 30 netdev net1
}

# A sub-channel that the host refuses to open, and one that no driver wanted.
odd_sub_channels() {
	host refuse disk0 4
	host extra net0 4
	sleep 1
}

# Both rings wrap and empty again.
heartbeats() {
	local id=$(relid heartbeat)
	host negotiate $id
	sleep 1
	host heartbeat $id 60
	sleep 1
	host heartbeat $id 60
	sleep 1
}

disk_traffic() {
	for lun in 0 1; do
		disk=/dev/$(block disk0 $lun)
		for cpu in $CPUS; do
			taskset $((1 << cpu)) dd if=/dev/zero of=$disk bs=64k \
				count=4 seek=$((cpu * 4)) 2> /dev/null
		done
	done
	sync
	echo 3 > /proc/sys/vm/drop_caches
	for lun in 0 1; do
		disk=/dev/$(block disk0 $lun)
		for cpu in $CPUS; do
			taskset $((1 << cpu)) dd if=$disk of=/dev/null bs=64k \
				count=4 skip=$((cpu * 4)) 2> /dev/null
		done
	done
}

# Static neighbours: a late ARP probe would change counters after the freeze.
net_traffic() {
	ifconfig lo 127.0.0.1 up
	ifconfig $(netdev net0) 10.77.0.2 netmask 255.255.255.0 up
	arp -s $PEER 02:00:00:00:01:00
	sleep 1
	load udp $PEER 32 20 100
	for sub in 0 1 2; do
		host frames $(relid net0 $sub) $((100 * (sub + 1)))
	done
	# A queue that stops and is woken again.
	host stall $(relid net0 1) 1
	load udp $PEER 160 250 100
	host stall $(relid net0 1) 0
	sleep 1
}

# The host finds its ring full and waits; the guest tells it about the room.
full_ring_recovers() {
	host starve $STARVED 3
	sleep 1
	host frames $(relid net0 3) 20000
	sleep 4
}

# A NIC of QEMU's with the second device's address takes over its traffic.
virtual_function() {
	for slot in /sys/bus/pci/slots/*; do
		[ "$(cat $slot/address)" = 0000:00:05 ] &&
			host vf $(relid net1) $(basename $slot)
	done
	modprobe e1000
	sleep 1
	ifconfig $(netdev net1) 10.77.1.2 netmask 255.255.255.0 up
	arp -s 10.77.1.1 02:00:00:00:01:01
	sleep 3
	load udp 10.77.1.1 4 10 100
}

# One whose out ring the host no longer reads; one whose reader has consumed a
# packet but not yet given its room back; one that the host takes back while the
# application holds it.
sockets() {
	load listen &
	sleep 1
	host offer sock0
	await 10 is_open sock0
	host stall $(relid sock0) 1
	sleep 5
	host offer sock1
	await 10 is_open sock1
	for bytes in 100 1000 200; do
		host send $(relid sock1) $bytes
	done
	sleep 4
	host offer sock2
	await 10 is_open sock2
	sleep 1
	host rescind $(relid sock2)
	sleep 1
}

# Requests that never come back, on every channel and both units.
hung_disk() {
	local cpu k
	for lun in 0 1; do
		dd if=/dev/$(block disk1 $lun) of=/dev/null bs=4k count=1 2> /dev/null
	done
	for sub in 0 1 2 3; do
		host stall $(relid disk1 $sub) 1
	done
	for cpu in $CPUS; do
		k=0
		while [ $k -le $cpu ]; do
			taskset $((1 << cpu)) load read \
				/dev/$(block disk1 $((k % 2))) \
				$((cpu * 524288 + k * 16384)) 8192 &
			k=$((k + 1))
		done
	done
	load write /dev/$(block disk1 1) 2097152 4096 &
	sleep 1
}

# The host stops in the middle of reading: the guest sends until it stops its
# queue. Then the rest of the ring fills with completions of received frames,
# and those that find no room wait in the driver.
stuck_queue() {
	local id=$(relid net0 2)
	host stall $id 1
	host mask $id 1
	load udp $PEER 160 250 100
	host frames $id 2500
	sleep 2
	# A few packets on a channel that signals through the monitor page, where
	# the bit stays set.
	host stall $(relid net0) 1
	load udp $PEER 32 1 100
}

# The heartbeat's replies are no longer read and wrap around the ring's end.
unread_heartbeats() {
	host stall $(relid heartbeat) 1
	host heartbeat $(relid heartbeat) 12
	sleep 1
}

# Channels whose in ring nobody empties, since their CPU does nothing else.
starve() {
	local others=$(printf '%x' $((15 & ~(1 << STARVED))))
	taskset -p $others $$ > /dev/null
	taskset -p $others $(pidof vmhost) > /dev/null
	host starve $STARVED 36000
	sleep 1
	host frames $(relid net0 3) 20000
	host negotiate $(relid shutdown)
	host heartbeat $(relid timesync) 40
	host heartbeat $(relid vss) 6
	host spoil $(relid vss) in 4
	sleep 1
}

# move_channel DEVICE SUB-CHANNEL: to the CPU that will starve
move_channel() {
	local file=$(folder $1)/channels/$(relid $1 $2)/cpu
	[ "$(cat $file)" = $STARVED ] || echo $STARVED > $file ||
		fail "moving $1"
}

tell() {
	echo TRUTH-BEGIN
	tell-sysfs
	cat $HOST/truth $HOST/packets
	for device in net0 net1; do
		name=$(netdev $device)
		echo "[ethtool/$name]"
		ethtool -S $name | sed -n 's/^ *\(.*\): \([0-9]*\)$/\1=\2/p'
	done
	echo "[proc]"
	grep HYP: /proc/interrupts | sed 's/^ *HYP: */callback_interrupts=/'
	echo TRUTH-END
}

say drivers
load_drivers
say sub-channels
odd_sub_channels
say heartbeats
heartbeats
say disks
disk_traffic
say network
net_traffic
say "virtual function"
virtual_function
say "moving channels"
for device in shutdown timesync vss; do
	move_channel $device
done
move_channel net0 2
move_channel net0 3
host heartbeat $(relid timesync) 100
full_ring_recovers
# No more reports of memory pressure.
echo 4000000000 > /sys/module/hv_balloon/parameters/pressure_report_delay
say sockets
sockets
say "a hung disk"
hung_disk
say "a stuck queue"
stuck_queue
say "unread heartbeats"
unread_heartbeats
say "a starved CPU"
starve
host poke $(relid kvp) in 0 3735928559
sleep 1
dmesg > /tmp/dmesg
say truth
tell > /tmp/first
sleep 2
tell > /tmp/second
cat /tmp/first /tmp/second
say HELD
while :; do
	sleep 1000
done
