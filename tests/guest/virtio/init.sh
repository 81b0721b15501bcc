#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guest of the virtio recipes: makes traffic on every device, freezes it, says
# what the kernel counted, then waits for the host to take the dump.
# Kernel arguments: rb.dump=kexec crashes into a capture kernel at the end.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tracefs tracefs /sys/kernel/tracing
# Nothing but panics on the console: the truth block must stay whole.
dmesg -n 1

T=/sys/kernel/tracing
SHOW=/tmp/truth

say() {
	echo "## $(cut -d' ' -f1 /proc/uptime) $*"
}

arg() {
	sed -n "s/.*\<$1=\([^ ]*\).*/\1/p" /proc/cmdline
}

load_drivers() {
	# Without qemu_fw_cfg the dump of QEMU has no VMCOREINFO note.
	for m in qemu_fw_cfg virtio_pci virtio_net virtio_blk virtio_console \
		virtio_rng virtio_balloon; do
		[ -n "$(arg rb.skip)" ] && [ "$(arg rb.skip)" = $m ] && continue
		modprobe $m 2>/dev/null
	done
	sleep 1
}

# Static neighbours: a late ARP probe would change counters after the freeze.
start_net() {
	ifconfig lo 127.0.0.1 up
	n=0
	while [ -d /sys/class/net/eth$n ]; do
		ifconfig eth$n 10.77.$n.2 netmask 255.255.255.0 up
		ethtool -L eth$n combined 2 2>/dev/null
		arp -s 10.77.$n.1 02:00:00:00:01:0$n
		n=$((n + 1))
	done
}

# Shapes that differ: wrapped, full and no-overwrite buffers, one never used,
# one with big sub-buffers where the kernel has them (6.8), one left running.
start_ftrace() {
	cd $T
	echo 8 > buffer_size_kb
	echo 1 > events/sched/enable
	echo 1 > events/timer/enable
	for i in full mark idle live; do
		mkdir instances/$i
	done
	echo 4 > instances/full/buffer_size_kb
	echo 0 > instances/full/options/overwrite
	echo 1 > instances/full/events/irq/enable
	echo 1 > instances/full/events/sched/enable
	echo 8 > instances/mark/buffer_size_kb
	echo 64 > instances/live/buffer_size_kb
	echo 1 > instances/live/events/sched/sched_switch/enable
	if [ -f instances/live/buffer_subbuf_size_kb ]; then
		mkdir instances/big
		echo 16 > instances/big/buffer_subbuf_size_kb
		echo 64 > instances/big/buffer_size_kb
		echo 1 > instances/big/events/sched/enable
		echo 1 > instances/big/events/timer/enable
	fi
	# A boot-time instance in reserved memory, if the command line asks.
	if [ -d instances/bootmap ]; then
		echo 1 > instances/bootmap/events/sched/enable
		echo 1 > instances/bootmap/tracing_on
	fi
	cd /
}

traffic() {
	n=0
	while [ -d /sys/class/net/eth$n ]; do
		for i in 1 2 3; do
			wget -q -O /dev/null http://10.77.$n.1:18080/ &
		done
		wait
		ping -c 3 10.77.$n.1 > /dev/null || say no answer on eth$n
		n=$((n + 1))
	done
	# The last disk is the one that fails writes, or takes the vmcore.
	for d in vda vdb vdc vdd; do
		[ -b /dev/$d ] && [ $d != "$(arg rb.last)" ] || continue
		taskset 1 dd if=/dev/$d of=/dev/null bs=4k count=500 iflag=direct
		taskset 2 dd if=/dev/$d of=/dev/null bs=4k count=300 skip=600 \
			iflag=direct
		dd if=/dev/zero of=/dev/$d bs=64k count=40 oflag=direct
	done 2>/dev/null
	dd if=/dev/hwrng of=/dev/null bs=64 count=10 2>/dev/null
	echo "hello from the guest" > /dev/hvc0
	for i in $(seq 700); do
		echo "mark $i" > $T/instances/mark/trace_marker
	done
	taskset 2 sh -c "for i in \$(seq 20); do
		echo mark cpu1 \$i > $T/instances/mark/trace_marker; done"
	# Some of the events read, so that 'read events' is not 0.
	echo 0 > $T/instances/full/tracing_on
	head -c 1500 $T/instances/full/trace_pipe > /dev/null
	sleep 2
}

# A port whose host end doesn't read: its chains stay in flight for good.
fill_port() {
	for p in /dev/vport*; do
		cat /dev/zero > $p &
	done
	sleep 1
}

freeze() {
	# The kernel draws on its random source now and then; a crash that comes
	# later than QEMU's truth must find that ring as it was.
	[ "$(arg rb.dump)" = kexec ] &&
		echo none > /sys/class/misc/hw_random/rng_current
	for i in $T $T/instances/*; do
		[ $i = $T/instances/live ] || echo 0 > $i/tracing_on
	done
}

all_ethtool() {
	n=0
	while [ -d /sys/class/net/eth$n ]; do
		echo "[ethtool/eth$n]"
		ethtool -S eth$n | sed -n 's/^ *\([^ ]*\): \([0-9]*\)$/\1=\2/p'
		# Where a queue's packets and bytes are since 6.10.
		echo "[qstats/eth$n]"
		qstats eth$n
		n=$((n + 1))
	done
}

# The counters must stand still before they can be the dump's truth.
quiet_ethtool() {
	for i in 1 2 3 4 5 6; do
		all_ethtool > /tmp/before
		sleep 3
		all_ethtool > /tmp/after
		if cmp -s /tmp/before /tmp/after; then
			cat /tmp/after
			return
		fi
	done
	echo "network is not quiet"
}

say_virtio() {
	for d in /sys/bus/virtio/devices/*; do
		echo "[virtio/$(basename $d)]"
		echo "device=$(cat $d/device)"
		echo "status=$(cat $d/status)"
		echo "features=$(cat $d/features)"
		echo "driver=$(basename $(readlink $d/driver))"
		echo "bus_address=$(basename $(readlink -f $d/..))"
		[ -d $d/net ] && echo "netdev=$(ls $d/net)"
		[ -d $d/block ] && echo "block=$(ls $d/block)"
	done
	for n in /sys/class/net/eth*; do
		echo "[netdev/$(basename $n)]"
		for s in rx_packets tx_packets rx_bytes tx_bytes; do
			echo "$s=$(cat $n/statistics/$s)"
		done
	done
}

say_ftrace_buffer() {
	echo "[ftrace/$1]"
	for f in tracing_on buffer_size_kb buffer_total_size_kb \
		buffer_subbuf_size_kb trace_clock; do
		[ -f $2/$f ] && echo "$f=$(cat $2/$f)"
	done
	echo "overwrite=$(cat $2/options/overwrite)"
	for c in 0 1; do
		echo "[ftrace/$1/cpu$c]"
		# 'commit overrun: 0' becomes commit_overrun=0
		sed -n 's/^\([^:]*\): *\(.*\)$/\1=\2/p' $2/per_cpu/cpu$c/stats |
			awk -F= '{gsub(" ", "_", $1); print $1 "=" $2}'
	done
}

say_kernel() {
	echo "[guest]"
	echo "release=$(uname -r)"
	echo "version=$(uname -v)"
	echo "machine=$(uname -m)"
	echo "cmdline=$(cat /proc/cmdline)"
	echo "modules=$(lsmod | awk 'NR > 1 {print $1}' | sort | xargs)"
	echo "vmcoreinfo_note=$(cat /sys/kernel/vmcoreinfo 2>/dev/null)"
	echo "[kallsyms]"
	awk '$3 ~ /^(sessions|ftrace_trace_arrays|init_task|kallsyms_[a-z_]*|__start_BTF|__stop_BTF|_stext|_text|_end|virtio_bus|bus_kset|page_offset_base|vmemmap_base|__per_cpu_offset|init_top_pgt|modules|btf_modules|virtnet_netdev|__cpu_online_mask|nr_cpu_ids)$/ {
		if (!($3 in seen)) print $3 "=" $1; seen[$3] = 1 }' /proc/kallsyms
}

capture_kernel() {
	modprobe virtio_pci
	modprobe virtio_blk
	sleep 1
	out=/dev/$(arg rb.last)
	say CAPTURE
	size=$(stat -c %s /proc/vmcore)
	dd if=/proc/vmcore of=$out bs=1M 2>/dev/null || say vmcore failed
	# A flattened dump starts at 2 GiB. Its length is known only when it is
	# written, and busybox's dd doesn't say it.
	mkfifo /tmp/count /tmp/sum
	wc -c < /tmp/count > /tmp/flat_size &
	md5sum < /tmp/sum > /tmp/flat_sum &
	makedumpfile -F -l -d 31 --message-level 4 /proc/vmcore |
		tee /tmp/count /tmp/sum | dd of=$out bs=64k seek=32768 2>/dev/null ||
		say flattened dump failed
	wait
	sync
	echo "CAPTURED vmcore=$size flat=$(cat /tmp/flat_size)" \
		"md5=$(cut -d' ' -f1 /tmp/flat_sum)"
	poweroff -f
}

[ "$(arg rb.dump)" = capture ] && capture_kernel

say BOOT $(uname -r)
load_drivers
start_net
start_ftrace
say TRAFFIC
traffic
fill_port
freeze
say TRUTH
{
	say_kernel
	say_virtio
	quiet_ethtool
	say_ftrace_buffer global $T
	for i in $T/instances/*; do
		[ $i = $T/instances/live ] || say_ftrace_buffer $(basename $i) $i
	done
	echo "[ftrace/live]"
	echo "tracing_on=$(cat $T/instances/live/tracing_on)"
} > $SHOW 2>&1
echo TRUTH-BEGIN
cat $SHOW
echo TRUTH-END
echo READY
read word
if [ "$(arg rb.dump)" = kexec ]; then
	kexec -p /boot/vmlinuz --initrd=/boot/initrd --append="console=ttyS0 \
		irqpoll nr_cpus=1 reset_devices rdinit=/init rb.dump=capture \
		rb.last=$(arg rb.last)"
	[ "$(cat /sys/kernel/kexec_crash_loaded)" = 1 ] || say kexec failed
	say CRASH
	sync
	echo c > /proc/sysrq-trigger
fi
# Every write to this disk fails and halts the machine with the requests in
# flight (werror=stop). The disk takes two requests a second: the first write
# waits behind this read, and all the others arrive meanwhile. Nothing of this
# touches what the truth has counted.
last=$(arg rb.last)
echo none > /sys/block/$last/queue/scheduler
echo 64 > /sys/block/$last/queue/max_sectors_kb
dd if=/dev/$last of=/dev/null bs=4k count=2 iflag=direct 2>/dev/null
for i in 0 1 2 3; do
	dd if=/dev/zero of=/dev/$last bs=256k seek=$i count=1 oflag=direct \
		2>/dev/null &
done
sleep 100000
