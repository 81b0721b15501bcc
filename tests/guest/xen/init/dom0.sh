#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# dom0 of the Xen recipes: starts three guests, brings each into its state,
# says what the hypervisor answers twice, and holds still for the dump.
# Kernel arguments:
#	rb.table=none|v1|v3	the form of the hypervisor's stats_table
#	rb.live=1		run rbstats --xen-live and end; no dumps
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
dmesg -n 1

LOGS=/var/log/xen/console
OUT=/tmp/out
rmdir /var/run
ln -s /run /var/run
mkdir -p /dev/pts /run/xenstored /run/xen /run/lock $LOGS $OUT \
	/var/lib/xen/dump /etc/xen
mount -t devpts pts /dev/pts

say() {
	echo "## $(cut -d' ' -f1 /proc/uptime) $*"
}

fail() {
	tail -n 20 $LOGS/*.log /tmp/*.log
	xl list
	say "FAILED: $*"
	sleep 1
	poweroff -f
}

arg() {
	sed -n "s/.*\<$1=\([^ ]*\).*/\1/p" /proc/cmdline
}

# Since the boot.
seconds() {
	cut -d. -f1 /proc/uptime
}

# await SECONDS COMMAND...: until the command succeeds
await() {
	local end=$(($(seconds) + $1))
	shift
	until "$@" > /dev/null 2>&1; do
		[ $(seconds) -lt $end ] || fail "never: $*"
		usleep 300000
	done
}

start_toolstack() {
	for m in xen-privcmd xenfs xen-evtchn xen-gntdev xen-gntalloc \
		virtio_pci virtio_blk; do
		modprobe $m || fail "module $m"
	done
	mount -t xenfs xenfs /proc/xen
	await 10 test -e /dev/xen/privcmd
	echo 'autoballoon=0' > /etc/xen/xl.conf
	echo 'lockfile="/run/xl.lock"' >> /etc/xen/xl.conf
	xenstored || fail xenstored
	await 30 xenstore-exists /
	xen-init-dom0 > /tmp/init-dom0.log 2>&1 || fail xen-init-dom0
	xenconsoled --log=guest --log-dir=$LOGS || fail xenconsoled
}

# create NAME ROLE VCPUS MAXVCPUS MEMORY
create() {
	cat > /etc/xen/$1 <<-END
	name="$1"
	type="pv"
	kernel="/boot/guest"
	ramdisk="/boot/domu.gz"
	extra="console=hvc0 nokaslr rdinit=/init quiet cryptomgr.notests ipv6.disable=1 rb.role=$2"
	vcpus=$3
	maxvcpus=$4
	memory=$5
	on_crash="preserve"
	on_poweroff="preserve"
	END
	# libxl gives others 10 s to answer, which a busy host doesn't hold.
	for try in 1 2 3 4; do
		xl create /etc/xen/$1 > /tmp/create-$1.log 2>&1 && break
		[ $try -lt 4 ] || fail "xl create $1"
	done
	eval "$1=$(xl domid $1)"
	say "CREATED $1 as domain $(xl domid $1)"
}

# symbol NAME: an address that the working guest has said
symbol() {
	sed -n "s/.*SYMBOL $1=\([0-9a-f]*\).*/\1/p" $LOGS/guest-worker.log
}

# has_flag NAME LETTER: what xl list shows as the domain's state
has_flag() {
	xl list "$1" | awk -v flag="$2" 'NR == 2 && index($5, flag) { found = 1 }
		END { exit !found }'
}

# The worker comes last: it leaves little of the machine to others.
bring_into_states() {
	create crashed crash 2 2 128
	create gone off 1 1 128
	await 300 has_flag crashed c
	await 300 has_flag gone s
	create worker load 3 4 128
	await 300 grep -q WORKING $LOGS/guest-worker.log
	# Now, so that it counts; the others' tables are made when nothing of
	# them runs any more, and stay unwritten.
	if [ "$(arg rb.table)" != none ]; then
		xenfacts table $worker || fail "stats_table"
	fi
	sleep 8
	xl pause worker || fail "xl pause"
	xenfacts hold $gone $(symbol _text) > /tmp/hold.log &
	await 20 grep -q holding /tmp/hold.log
	xl destroy $gone > /tmp/destroy.log 2>&1
	await 60 has_flag $gone d
}

numbered() {
	echo "[xl/$1]"
	shift
	"$@" | awk '{ print NR - 1 "=" $0 }'
}

tell() {
	echo "[dom0]"
	echo "release=$(uname -r)"
	echo "cmdline=$(cat /proc/cmdline)"
	# Stolen time in ticks of 10 ms, as its scheduler has accounted it.
	echo "[dom0/steal]"
	awk '/^cpu[0-9]/ { print substr($1, 4) "=" $9 }' /proc/stat
	echo "[hypervisor]"
	for f in version/major version/minor version/extra properties/features; do
		echo "$(basename $f)=$(cat /sys/hypervisor/$f)"
	done
	# As bytes: the kernel doesn't print it.
	echo "buildid=$(od -An -v -t x1 /sys/hypervisor/properties/buildid | tr -d ' \n')"
	echo "cmdline=$(xl info xen_commandline)"
	echo "[names]"
	echo "worker=$worker"
	echo "crashed=$crashed"
	echo "gone=$gone"
	echo "[symbols]"
	for s in __per_cpu_offset xen_runstate _text; do
		echo "$s=$(symbol $s)"
	done
	numbered list xl list
	numbered vcpu-list xl vcpu-list
	xenfacts tell $(arg rb.table)
	xenfacts guest $worker $(symbol __per_cpu_offset) $(symbol xen_runstate) 3
}

# In one go: a console that takes it line by line would let others in between.
tell_all() {
	tell > /tmp/truth 2>&1
	echo TRUTH-BEGIN
	cat /tmp/truth
	echo TRUTH-END
}

# rbstats and the libraries that it was built with, apart from dom0's own.
run_rbstats() {
	/opt/rbstats/lib/ld-linux-x86-64.so.2 --library-path \
		/opt/rbstats/lib:/lib/x86_64-linux-gnu /opt/rbstats/rbstats "$@"
}

# live NAME ARGUMENTS...: its output, messages and exit status
live() {
	local name=$1
	shift
	run_rbstats show --xen-live "$@" > $OUT/$name.out 2> $OUT/$name.err
	echo $? > $OUT/$name.status
	say "LIVE $name $(cat $OUT/$name.status)"
}

# The files of $OUT go to the host on the first disk.
send_files() {
	(cd $OUT && tar cf /dev/vda *) || fail tar
	sync
}

say BOOT $(uname -r)
start_toolstack
bring_into_states
say TRUTH
tell_all
if [ -n "$(arg rb.live)" ]; then
	live all -F json
	live worker -F json $worker
	live text
	live nobody -F json 77
	sleep 1
	tell_all
	send_files
	say HELD
	sleep 1
	poweroff -f
fi
xl dump-core worker $OUT/worker.core > /tmp/core.log 2>&1 || fail "dump-core"
send_files
rm -r $OUT
sleep 1
tell_all
kexec -p /boot/vmlinuz --initrd=/boot/capture.gz --append="console=ttyS0 \
	irqpoll nr_cpus=1 reset_devices rdinit=/init" > /tmp/kexec.log 2>&1 ||
	fail kexec
say HELD
read word
say CRASH
echo 1 > /proc/sys/kernel/sysrq
echo c > /proc/sysrq-trigger
