# Part of init: the order of it all.
modprobe qemu_fw_cfg	# without it QEMU's dump has no VMCOREINFO note
say LTTNG
start_daemons
make_sessions > /tmp/lttng.log 2>&1 || fail sessions
before_stop
make_notifiers
say STOP-CONSUMER
CONSUMER=$(pidof lttng-consumerd)
kill -STOP $CONSUMER
sleep 1
make_ftrace
after_stop
keep_ftrace
/probe streams $CONSUMER > /tmp/streams || fail streams
dd if=/tmp/streams of=$OWN bs=64k 2>/dev/null || fail "keep streams"
for dir in /sys/module/lttng_*; do
	name=$(basename $dir)
	{
		echo "version=$(cat $dir/version 2>/dev/null)"
		echo "srcversion=$(cat $dir/srcversion 2>/dev/null)"
		echo "btf_bytes=$(cat /sys/kernel/btf/$name 2>/dev/null | wc -c)"
	} > /tmp/module
	keep modules/$name < /tmp/module
done
say HOLDING
sleep 1
echo hold > $OWN
say RELEASED
kill -KILL $(pidof lttng-sessiond) $(pidof lttng-consumerd) $NOTIFY
# Sessions end one after another; until then their channels hold their module.
i=0
while [ $i -lt 100 ] && cat /sys/module/lttng_ring_buffer_client_*/refcnt \
	/sys/module/lttng_ring_buffer_metadata_*/refcnt \
	/sys/module/lttng_ring_buffer_event_*/refcnt 2> /dev/null | grep -qv '^0$'; do
	sleep 1
	i=$((i + 1))
done
sleep 1
echo TRUTH-BEGIN
echo "[teardown]"
/probe driver
echo TRUTH-END
# Not poweroff: its message would cut into the lines that wait in the UART.
while :; do
	sleep 1000
done
