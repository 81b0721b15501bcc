#!/bin/sh
# Guest of the LTTng recipes. Makes sessions in every mode and state, then
# ftrace instances, gathers what user space can tell, and lets the module
# rbstats-lttng say the rest and hold the machine for the dump. Afterwards the
# daemons die and LTTng's own teardown messages are printed.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
mount -t tracefs tracefs /sys/kernel/tracing
# Nothing but panics on the console: the truth block must stay whole.
dmesg -n 1

OWN=/proc/rbstats-lttng
TEST=/proc/lttng-test-filter-event

say() {
	echo "## $(cut -d' ' -f1 /proc/uptime) $*"
}

fail() {
	grep -E "rror|arning|ailed" /tmp/*.log | tail -n 20 > /dev/console 2>&1
	say "FAILED: $*" > /dev/console
	sleep 1
	poweroff -f
}

# fault SESSION CHANNEL CPU ACTION [COUNT [SIZE]]: see module/fault.c
fault() {
	echo "$*" > $OWN || fail "fault $*"
}

# keep SECTION: the lines on standard input become a section of the truth.
keep() {
	{ echo "[$1]"; cat; } > /tmp/section
	dd if=/tmp/section of=$OWN bs=64k 2>/dev/null || fail "keep $1"
}

# session NAME CREATE-OPTIONS
session() {
	name=$1
	shift
	lttng create $name --output=/tmp/trace/$name "$@" || fail "create $name"
}

# channel SESSION NAME EVENTS ENABLE-OPTIONS
channel() {
	s=$1 c=$2 e=$3
	shift 3
	lttng enable-channel -k -s $s $c "$@" || fail "channel $s $c"
	lttng enable-event -k -s $s -c $c $e || fail "events $s $c"
}

start_daemons() {
	mkdir -p /tmp/trace
	echo 'root:x:0:0:root:/root:/bin/sh' > /etc/passwd
	echo 'root:x:0:' > /etc/group
	# rb.modules names all of them, dependencies before their users.
	for m in $(sed -n 's/.*rb.modules=\([^ ]*\).*/\1/p' /proc/cmdline |
		tr , ' '); do
		modprobe $m > /tmp/modprobe.log 2>&1 || fail "modprobe $m"
	done
	lttng-sessiond -v --kmod-probes=sched,timer,irq > /tmp/sessiond.log 2>&1 &
	for i in 1 2 3 4 5 6 7 8 9 10; do
		lttng list > /dev/null 2>&1 && return
		sleep 1
	done
	cat /tmp/sessiond.log
	fail "no session daemon"
}
