# Part of init: LTTng's sessions. In a session, (channel, sub-buffer size) is
# unique, so that a stream's ioctls tell where it belongs.
A=lttng_test_filter_event

make_sessions() {
	# Traces the guest itself and goes on until the dump; the ring is small
	# and loses; it has tracepoints, a system call and a probe.
	session noisy
	channel noisy disc sched_switch,sched_waking,timer_start,irq_handler_entry \
		--discard --subbuf-size=4096 --num-subbuf=2 --switch-timer=500000
	channel noisy over sched_switch,timer_expire_entry \
		--overwrite --subbuf-size=16384 --num-subbuf=4
	lttng enable-event -k -s noisy -c over --syscall openat || fail syscall
	lttng enable-event -k -s noisy -c over --probe=vfs_statx own_probe ||
		fail probe

	# An exact number of events from lttng-test.
	session counted
	channel counted testdisc $A --discard --subbuf-size=8192 --num-subbuf=4
	session snapshots --snapshot
	channel snapshots testovw $A --overwrite --subbuf-size=4096 --num-subbuf=8

	# Read to the end by the consumer before that is stopped.
	session drained
	channel drained data $A --discard --subbuf-size=16384 --num-subbuf=4
	channel drained mapped $A --discard --output=mmap --subbuf-size=4096 \
		--num-subbuf=16

	# For the module's faults.
	session hole
	channel hole disc $A --discard --subbuf-size=8192 --num-subbuf=4
	channel hole over $A --overwrite --subbuf-size=4096 --num-subbuf=4
	session big
	channel big data $A --discard --subbuf-size=4096 --num-subbuf=4
	session frozen
	channel frozen data $A --overwrite --subbuf-size=8192 --num-subbuf=2
	session reading
	channel reading disc $A --discard --subbuf-size=4096 --num-subbuf=8
	channel reading over $A --overwrite --subbuf-size=16384 --num-subbuf=2 \
		--output=mmap
	channel reading round $A --overwrite --subbuf-size=4096 --num-subbuf=4
	session wide
	channel wide data $A --discard --subbuf-size=1048576 --num-subbuf=2

	session stopped
	channel stopped data $A --discard --subbuf-size=8192 --num-subbuf=8
	session never
	channel never data $A --overwrite --subbuf-size=32768 --num-subbuf=4

	for s in noisy counted snapshots drained hole big frozen reading wide \
		stopped; do
		lttng start $s || fail "start $s"
	done
	# The exact events go to counted and snapshots alone. After the start:
	# LTTng 2.16 makes no event for a rule that was disabled before.
	for s in drained hole big frozen reading wide stopped; do
		for c in $(lttng list $s | sed -n 's/^- \([a-z]*\):.*/\1/p'); do
			lttng disable-event -k -s $s -c $c $A > /dev/null ||
				fail "disable $s $c"
		done
	done
}

# Event notifiers have a buffer of their own, in no session (since 2.13).
make_notifiers() {
	[ -d /sys/module/lttng_ring_buffer_event_notifier_client ] || return
	/probe notify $A sched_process_exit > /tmp/notify.log 2>&1 &
	NOTIFY=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		grep -q notifying /tmp/notify.log && return
		sleep 1
	done
	cat /tmp/notify.log
	fail "no event notifiers"
}

# While the consumer still reads.
before_stop() {
	fault drained 0 0 emit 1000 64
	fault drained 0 1 emit 700 64
	fault drained 1 0 emit 200 64
	fault snapshots 0 0 emit 40 200
	lttng snapshot record -s snapshots > /dev/null || fail snapshot
	fault stopped 0 0 emit 500 100
	fault stopped 0 1 emit 20 100
	lttng stop stopped || fail "stop stopped"
	# The read timer fires every 200 ms.
	sleep 3
	for s in noisy counted snapshots drained hole big frozen reading wide \
		stopped never; do
		lttng list $s | awk '{ printf "%03d=%s\n", NR, $0 }' > /tmp/list
		keep list/$s < /tmp/list
	done
}

after_stop() {
	taskset 1 sh -c "echo 5000 > $TEST"
	taskset 2 sh -c "echo 123 > $TEST"
	keep emitted <<-END
		cpu0=5000
		cpu1=123
	END
	fault drained 0 1 emit 5 64

	# A writer died on CPU 0: first in the ring, others wrote after it.
	fault hole 0 0 emit 10 100
	fault hole 0 0 hole 1 300
	fault hole 0 0 emit 100 100
	fault hole 0 1 emit 100 100
	# The same until the ring comes round to the hole and loses one record.
	fault hole 1 0 emit 7 50
	fault hole 1 0 hole 1 200
	fault hole 1 0 lose 1 50
	fault hole 1 1 emit 400 50

	fault big 0 0 emit 10 100
	fault big 0 0 emit 1 5000
	fault big 0 0 emit 3 100
	fault big 0 1 emit 2 4096
	fault big 0 1 lose 1 100

	fault frozen 0 0 emit 20 100
	fault frozen 0 1 emit 2 100
	fault frozen 0 0 freeze
	fault frozen 0 0 emit 3 100

	fault reading 0 0 emit 100 200
	fault reading 0 0 read
	fault reading 0 1 emit 10 200
	fault reading 0 1 switch
	fault reading 1 0 emit 400 200
	fault reading 1 0 read
	fault reading 1 1 emit 3 200
	# The writer comes round to the sub-buffer that the reader keeps.
	fault reading 2 0 emit 40 200
	fault reading 2 0 read
	fault reading 2 0 emit 100 200
	fault wide 0 0 emit 6000 300
	fault wide 0 1 emit 1 300
}
