# Part of init: ftrace instances, all frozen before their figures are read.
T=/sys/kernel/tracing

instance() {
	mkdir $T/instances/$1 || fail "instance $1"
	echo $2 > $T/instances/$1/buffer_size_kb
}

make_ftrace() {
	echo 8 > $T/buffer_size_kb
	for e in sched timer irq; do
		echo 1 > $T/events/$e/enable
	done

	# Keeps the oldest events and drops the new ones.
	instance dropping 4
	echo 0 > $T/instances/dropping/options/overwrite
	echo 1 > $T/instances/dropping/events/sched/enable

	# An exact number of markers, on one CPU each, with losses on CPU 0.
	instance markers 8
	taskset 1 /probe mark $T/instances/markers/trace_marker 2000
	taskset 2 /probe mark $T/instances/markers/trace_marker 50

	# Some of them read.
	instance reading 64
	taskset 1 /probe mark $T/instances/reading/trace_marker 300
	taskset 2 /probe mark $T/instances/reading/trace_marker 100
	timeout 2 head -n 120 $T/instances/reading/trace_pipe > /tmp/read
	timeout 2 head -n 10 $T/instances/reading/per_cpu/cpu1/trace_pipe \
		>> /tmp/read

	# A snapshot, then other events.
	instance snapped 64
	taskset 1 /probe mark $T/instances/snapped/trace_marker 70
	taskset 2 /probe mark $T/instances/snapped/trace_marker 30
	echo 1 > $T/instances/snapped/snapshot
	taskset 1 /probe mark $T/instances/snapped/trace_marker 11

	# On, with nothing to trace.
	instance idle 16

	# Sub-buffers of several pages (6.8) and a mapping (6.10).
	if [ -f $T/buffer_subbuf_size_kb ]; then
		mkdir $T/instances/large
		echo 16 > $T/instances/large/buffer_subbuf_size_kb
		echo 64 > $T/instances/large/buffer_size_kb
		taskset 1 /probe mark $T/instances/large/trace_marker 3000
		taskset 2 /probe mark $T/instances/large/trace_marker 5
		instance mapped 32
		taskset 1 /probe mark $T/instances/mapped/trace_marker 90
		/probe map $T/instances/mapped/per_cpu/cpu0/trace_pipe_raw \
			> /tmp/mapped 2>&1 &
		sleep 1
		say "ftrace: $(cat /tmp/mapped)"
	fi
}

# stats has lines such as 'dropped events: 0'.
stats() {
	sed 's/:  */=/; s/^\([^=]*\) \([^=]*=\)/\1_\2/; s/^\([^=]*\) \([^=]*=\)/\1_\2/' \
		$1/per_cpu/$2/stats
	# The snapshot buffer has no such file, but it can be listed.
	[ ! -f $1/per_cpu/$2/snapshot ] ||
		echo "snapshot_entries=$(grep -vc '^#' $1/per_cpu/$2/snapshot)"
}

keep_ftrace() {
	for dir in $T $T/instances/*; do
		[ $dir = $T/instances/idle ] || echo 0 > $dir/tracing_on
	done
	sleep 1
	for dir in $T $T/instances/*; do
		name=global
		[ $dir = $T ] || name=$(basename $dir)
		{
			echo "tracing_on=$(cat $dir/tracing_on)"
			echo "overwrite=$(cat $dir/options/overwrite)"
			echo "buffer_size_kb=$(cat $dir/buffer_size_kb)"
			[ ! -f $dir/buffer_subbuf_size_kb ] ||
				echo "buffer_subbuf_size_kb=$(cat $dir/buffer_subbuf_size_kb)"
		} > /tmp/instance
		keep ftrace/$name < /tmp/instance
		for cpu in cpu0 cpu1; do
			stats $dir $cpu > /tmp/stats
			keep ftrace/$name/$cpu < /tmp/stats
		done
	done
}
