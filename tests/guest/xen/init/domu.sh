#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A guest of dom0. rb.role=load: works on its vCPUs in different measures;
# crash: panics; off: powers itself off.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
dmesg -n 1

# steps COUNT: some work
steps() {
	local n=$1
	while [ $n -gt 0 ]; do
		n=$((n - 1))
	done
}

case "$(cat /proc/cmdline)" in
*rb.role=load*)
	awk '$3 ~ /^(__per_cpu_offset|xen_runstate|_text)$/ {
		print "SYMBOL " $3 "=" $1; if (++found == 3) exit }' /proc/kallsyms
	taskset 1 sh -c 'while :; do :; done' &
	taskset 2 sh -c 'while :; do usleep 30000; steps=3000
		while [ $steps -gt 0 ]; do steps=$((steps - 1)); done; done' &
	taskset 4 sh -c 'while :; do usleep 300000; done' &
	echo WORKING
	;;
*rb.role=crash*)
	steps 3000
	echo 1 > /proc/sys/kernel/sysrq
	echo c > /proc/sysrq-trigger
	;;
*rb.role=off*)
	steps 1000
	poweroff -f
	;;
esac
while :; do
	sleep 1000
done
