#!/bin/sh
# Guest of the LTTng-UST recipes: sessions with buffers for each user and for
# each process, programs of both word sizes that fill them while the consumers
# are stopped, then the dump; afterwards the consumers go on and write what the
# buffers held.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
export LTTNG_UST_REGISTER_TIMEOUT=20000
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /shm
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /shm
mount -t tmpfs tmpfs /tmp
ln -s /proc/self/fd /dev/fd
# Nothing but panics on the console: the truth block must stay whole.
dmesg -n 1
modprobe qemu_fw_cfg	# without it QEMU's dump has no VMCOREINFO note
ifconfig lo 127.0.0.1 up
echo 'root:x:0:0:root:/root:/bin/sh' > /etc/passwd
echo 'user:x:1000:1000:user:/tmp:/bin/sh' >> /etc/passwd
printf 'root:x:0:\nuser:x:1000:\ntracing:x:999:user\n' > /etc/group

say() {
	echo "## $(cut -d' ' -f1 /proc/uptime) $*"
}

fail() {
	grep -hE "rror|arning|ailed" /tmp/*.log | tail -n 20
	say "FAILED: $*"
	sleep 1
	poweroff -f
}

# session NAME CREATE-OPTIONS
session() {
	name=$1
	shift
	lttng create $name "$@" || fail "create $name"
	SESSIONS="$SESSIONS $name"
}

# channel SESSION NAME EVENT OPTIONS
channel() {
	s=$1 c=$2 e=$3
	shift 3
	lttng enable-channel -u -s $s $c "$@" || fail "channel $s $c"
	lttng enable-event -u -s $s -c $c rbstats_ust:$e || fail "event $s $c $e"
}

# traced NAME PROGRAM USER: start one; its commands come through a FIFO.
traced() {
	mkfifo /tmp/$1.in /tmp/$1.out
	chown $3 /tmp/$1.in /tmp/$1.out
	su -s /bin/sh $3 -c "echo \$\$ > /tmp/$1.pid.$3; exec /bin/$2 /tmp/$1.in /tmp/$1.out" \
		> /tmp/$1.log 2>&1 &
	PROGRAMS="$PROGRAMS $1"
}

# emit NAME EVENT CPU COUNT [BYTES]
emit() {
	n=$1
	shift
	echo "$*" > /tmp/$n.in
	[ "$(cat /tmp/$n.out)" = DONE ] || fail "emit $n $*"
	echo "$n $*" >> /tmp/emitted
}

start_daemons() {
	mkdir -p /tmp/trace
	lttng-sessiond --no-kernel -v \
		--consumerd64-path=/usr/lib/x86_64-linux-gnu/lttng/libexec/lttng-consumerd \
		--consumerd32-path=/usr/lib/i386-linux-gnu/lttng/libexec/lttng-consumerd \
		> /tmp/sessiond.log 2>&1 &
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		lttng list > /dev/null 2>&1 && return
		sleep 1
	done
	fail "no session daemon"
}

make_sessions() {
	# Since 2.16 traces are CTF 2, which babeltrace2 of Debian 12 can't read: one stays so.
	minor=$(lttng --version | sed -n 's/.* 2\.\([0-9]*\).*/\1/p')
	[ "${minor:-0}" -lt 16 ] || FORMAT=--trace-format=ctf-1.8
	session uid $FORMAT --output=/tmp/trace/uid
	channel uid disc disc --discard --subbuf-size=4096 --num-subbuf=4 --buffers-uid
	channel uid stream over --overwrite --subbuf-size=4096 --num-subbuf=8 --buffers-uid
	session snap --snapshot $FORMAT --output=/tmp/trace/snap
	channel snap over over --overwrite --subbuf-size=8192 --num-subbuf=4 --buffers-uid
	session pid $FORMAT --output=/tmp/trace/pid
	channel pid disc disc --discard --subbuf-size=4096 --num-subbuf=2 --buffers-pid
	session path --shm-path=/shm/path $FORMAT --output=/tmp/trace/path
	channel path wide path --discard --subbuf-size=16384 --num-subbuf=4 --buffers-uid
	session quiet --output=/tmp/trace/quiet
	channel quiet none quiet --discard --subbuf-size=4096 --num-subbuf=2 --buffers-uid
	for s in $SESSIONS; do
		lttng start $s || fail "start $s"
	done
}

# Which processes map an object, by its inode: "PID:COMM" separated by blanks.
keep_owners() {
	echo "[maps]"
	for p in /proc/[0-9]*; do
		pid=${p#/proc/}
		grep ' rw-s ' $p/maps 2>/dev/null | awk -v pid=$pid '$5 != 0 {
			split($5, d, ":"); name = $6; for (i = 7; i <= NF; i++) name = name " " $i
			print $4 "_" $5 "_" pid "_" $3 "=" name }'
	done | tr ' ' '_'
}

# The objects as the kernel reads them out: through a process that maps them.
keep_objects() {
	for p in $PIDS; do
		for f in /proc/$p/map_files/*; do
			name=$(readlink $f)
			case "$name" in
			*shm-ust*|*ust-shm*|*memfd:*|/shm/*) ;;
			*) continue ;;
			esac
			set -- $(stat -L -c '%d %i %s' $f)
			[ -e /tmp/object.$1.$2.$3 ] && continue
			: > /tmp/object.$1.$2.$3
			echo "[objects/$1-$2-$3]"
			echo "name=$name"
			echo "size=$3"
			echo "md5=$(md5sum < $f | cut -d' ' -f1)"
			echo "head=$(head -c 1024 $f | base64 -w 0)"
		done
	done
}

keep_files() {
	echo "[$1]"
	(cd /tmp/trace && find . -type f ! -name metadata ! -name '*.idx' -exec stat -c '%n=%s' {} \; | sed 's/^\.\///')
}

say LTTNG
start_daemons
make_sessions > /tmp/lttng.log 2>&1 || fail sessions
traced A traced-amd64 root
traced B traced-amd64 root
traced C traced-i386 root
traced D traced-amd64 user
traced E traced-amd64 root
sleep 10
for p in $PROGRAMS; do
	emit $p disc 0 3
	emit $p over 1 2
done
# Enough for the consumers to take some of it.
emit A disc 1 300
emit C disc 1 300
emit A path 1 1500 50
sleep 3
CONSUMERS=$(pidof lttng-consumerd)
say CONSUMERS $CONSUMERS
kill -STOP $CONSUMERS
sleep 1
emit A disc 0 1000
emit A disc 1 50
emit A disc 1 7 20000
emit B disc 0 200
emit C disc 0 700
emit C disc 1 30
emit C disc 1 4 9000
emit A over 0 5000
emit A over 1 33
emit B over 0 111
emit C over 0 2000
emit A path 0 700 50
emit B path 1 40 50
emit C path 0 10 50
emit D disc 1 600 10
emit D path 0 2000 100
emit E disc 0 100
# A traced program that died: only the consumer still maps its buffers.
kill -KILL $(cat /tmp/E.pid.*)
sleep 1
# A copy of a buffer that no process maps.
cp $(find /shm/path -name 'wide_0' -path '*/uid/0/64-bit/*') /shm/evidence || fail evidence
PIDS="$CONSUMERS $(cat /tmp/*.pid.*)"
echo TRUTH-BEGIN
echo "[processes]"
for p in $PROGRAMS; do echo "$p=$(cat /tmp/$p.pid.*)"; done
echo "dead=E"
echo "consumers=$CONSUMERS"
echo "sessiond=$(pidof lttng-sessiond)"
for p in /proc/[0-9]*; do
	echo "[process/${p#/proc/}]"
	echo "comm=$(cat $p/comm 2>/dev/null)"
	echo "uid=$(awk '$1 == "Uid:" { print $2 }' $p/status 2>/dev/null)"
done
echo "[emitted]"
awk '{ printf "%03d=%s\n", NR, $0 }' /tmp/emitted
echo "[evidence]"
stat -c 'inode=%i' /shm/evidence
stat -c 'size=%s' /shm/evidence
keep_owners
keep_objects
keep_files before
echo TRUTH-END
echo HELD
read line
kill -CONT $CONSUMERS
sleep 2
lttng snapshot record -s snap > /tmp/snapshot.log 2>&1 || fail snapshot
for s in $SESSIONS; do
	lttng stop $s > /tmp/stop.log 2>&1 || fail "stop $s"
done
sleep 2
echo TRUTH-BEGIN
for s in $SESSIONS; do
	echo "[list/$s]"
	lttng list $s | awk '{ printf "%03d=%s\n", NR, $0 }'
done
keep_files after
echo TRUTH-END
echo TRACES-BEGIN
tar -C /tmp -c -z -f - trace | base64
echo TRACES-END
while :; do
	sleep 1000
done
