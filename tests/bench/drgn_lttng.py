"""What 'rbstats show -f lttng -F flat' prints of channels and buffers, of LTTng 2.13 on a 6.1 kernel."""

from drgn import Object, cast
from drgn.helpers.linux.cpumask import for_each_possible_cpu
from drgn.helpers.linux.list import list_for_each_entry
from drgn.helpers.linux.percpu import per_cpu_ptr

RING = "struct lttng_kernel_ring_buffer *"


def buffer_lines(ring):
    yield "write_offset", ring.offset.a.counter.value_()
    yield "consumed", ring.consumed.counter.value_()
    yield "record_disabled", ring.record_disabled.counter.value_()
    yield "active_readers", ring.active_readers.counter.value_()
    for lost in ("full", "wrap", "big"):
        yield "records_lost_" + lost, getattr(ring, "records_lost_" + lost).a.counter.value_()


def channel_lines(prog, channel):
    backend = channel.backend
    yield "num_subbuf", backend.num_subbuf.value_()
    yield "subbuf_size", backend.subbuf_size.value_()
    yield "transport", backend.name.string_().decode()
    # RING_BUFFER_ALLOC_PER_CPU is 0.
    if cast("int", backend.config.alloc).value_() == 0:
        buffer = cast(RING, backend.buf)
        for cpu in for_each_possible_cpu(prog):
            for key, value in buffer_lines(per_cpu_ptr(buffer, cpu)):
                yield "cpu%d/%s" % (cpu, key), value
    else:
        for key, value in buffer_lines(cast(RING, backend.buf)):
            yield "global/" + key, value


def lines(prog):
    """(path, value) of everything."""
    for session in list_for_each_entry("struct lttng_kernel_session_private",
                                       prog.object("sessions", filename="lttng-events.c")
                                       .address_of_(), "list"):
        name = "lttng/%s/" % session.name.string_().decode()
        yield name + "active", "yes" if session.pub.active else "no"
        for channel in list_for_each_entry("struct lttng_kernel_channel_buffer_private",
                                           session.chan.address_of_(), "node"):
            for key, value in channel_lines(prog, channel.rb_chan):
                yield "%s%d/%s" % (name, channel.id.value_(), key), value
