"""What 'rbstats show -f vmbus -F flat' prints of channels and their rings, of a 6.1 kernel."""

import struct

from drgn import cast
from drgn.helpers.linux.list import list_for_each_entry


def guid(value):
    raw = bytes(value.b.value_())
    return "%08x-%04x-%04x-%02x%02x-%s" % (struct.unpack("<IHH", raw[:8]) +
                                          (raw[8], raw[9], raw[10:].hex()))


def ring_lines(ring):
    size = ring.ring_datasize.value_()
    page = ring.ring_buffer
    read, write = page.read_index.value_(), page.write_index.value_()
    free = size - (write - read) if write >= read else read - write
    yield "size", size
    yield "read_index", read
    yield "write_index", write
    # What a host wrote may be anything; from such indexes nothing follows.
    if read < size and write < size:
        yield "read_avail", size - free
        yield "write_avail", free
    yield "interrupt_mask", page.interrupt_mask.value_()
    yield "pending_send_size", page.pending_send_sz.value_()
    yield "feature_bits", "%x" % page.feature_bits.value.value_()


def channel_lines(channel):
    yield "target_cpu", channel.target_cpu.value_()
    yield "sub_channel", channel.offermsg.offer.sub_channel_index.value_()
    yield "state_number", cast("int", channel.state).value_()
    yield "rescinded", "yes" if channel.rescind else "no"
    for key, member in (("interrupts", "interrupts"), ("events", "sig_events"),
                        ("intr_in_full", "intr_in_full"), ("intr_out_empty", "intr_out_empty"),
                        ("out_full_first", "out_full_first"),
                        ("out_full_total", "out_full_total")):
        yield key, getattr(channel, member).value_()
    for key, ring in (("out", channel.outbound), ("in", channel.inbound)):
        if ring.ring_buffer:
            for name, value in ring_lines(ring):
                yield "%s/%s" % (key, name), value


def lines(prog):
    """(path, value) of everything."""
    connection = prog["vmbus_connection"]
    for primary in list_for_each_entry("struct vmbus_channel",
                                       connection.chn_list.address_of_(), "listentry"):
        name = "vmbus/%s/" % guid(primary.offermsg.offer.if_instance)
        channels = [primary] + list(list_for_each_entry(
            "struct vmbus_channel", primary.sc_list.address_of_(), "sc_list"))
        for channel in channels:
            for key, value in channel_lines(channel):
                yield "%s%d/%s" % (name, channel.offermsg.child_relid.value_(), key), value
