"""What 'rbstats show -f ftrace -F flat' prints of buffers, of a 6.1 kernel."""

from drgn.helpers.linux.cpumask import for_each_possible_cpu
from drgn.helpers.linux.list import list_for_each_entry


def lines(prog):
    """(path, value) of everything."""
    for array in list_for_each_entry("struct trace_array",
                                     prog["ftrace_trace_arrays"].address_of_(), "list"):
        name = array.name.string_().decode() if array.name else "global"
        buffer = array.array_buffer.buffer
        for cpu in for_each_possible_cpu(prog):
            ring = buffer.buffers[cpu]
            if not ring:
                continue
            path = "ftrace/%s/events/cpu%d/" % (name, cpu)
            entries = ring.entries.a.counter.value_() - ring.overrun.a.counter.value_() - \
                ring.read.value_()
            yield path + "entries", entries
            yield path + "overrun", ring.overrun.a.counter.value_()
            yield path + "commit_overrun", ring.commit_overrun.a.counter.value_()
            yield path + "dropped_events", ring.dropped_events.a.counter.value_()
            yield path + "read_events", ring.read.value_()
            yield path + "bytes", (ring.entries_bytes.a.counter - ring.read_bytes).value_()
            yield path + "nr_pages", ring.nr_pages.value_()
