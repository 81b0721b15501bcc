"""What 'rbstats show -f virtio -F flat' prints of queues: split and packed rings, bus_type.p."""

from drgn import Object, container_of
from drgn.helpers.linux.list import list_for_each_entry


def u16(value):
    return value & 0xffff


def split_lines(prog, vring):
    split = vring.split
    num = split.vring.num.value_()
    avail, used = split.vring.avail, split.vring.used
    avail_idx, used_idx = avail.idx.value_(), used.idx.value_()
    last_used = vring.last_used_idx.value_()
    ring = split.queue_dma_addr.value_()
    start = split.vring.desc.value_()
    yield "size", num
    yield "avail_idx", avail_idx
    yield "avail_idx_shadow", split.avail_idx_shadow.value_()
    yield "used_idx", used_idx
    yield "last_used_idx", last_used
    yield "in_flight", u16(avail_idx - used_idx)
    yield "unreaped", u16(used_idx - last_used)
    yield "avail_flags", avail.flags.value_()
    yield "used_flags", used.flags.value_()
    yield "used_event", Object(prog, "unsigned short",
                               address=avail.ring.address_ + 2 * num).value_()
    yield "avail_event", Object(prog, "unsigned short",
                                address=used.ring.address_ + 8 * num).value_()
    yield "desc_address", "%x" % ring
    yield "driver_address", "%x" % (ring + avail.value_() - start)
    yield "device_address", "%x" % (ring + used.value_() - start)


def queue_lines(prog, queue):
    vring = container_of(queue, "struct vring_virtqueue", "vq")
    yield "name", queue.name.string_().decode()
    yield "num_free", queue.num_free.value_()
    yield "num_added", vring.num_added.value_()
    yield "broken", "yes" if vring.broken else "no"
    if vring.packed_ring:
        yield "layout", "packed"
        yield "size", vring.packed.vring.num.value_()
        yield "avail_idx", vring.packed.next_avail_idx.value_()
    else:
        yield "layout", "split"
        yield from split_lines(prog, vring)


def device_lines(prog, device):
    yield "features", "%x" % device.features.value_()
    if device.dev.driver:
        yield "driver", device.dev.driver.name.string_().decode()
    if device.id.device.value_() != 1:
        return
    info = Object(prog, "struct virtnet_info *", value=device.priv.value_())
    yield "netdev", info.dev.name.string_().decode()
    for pair in range(info.max_queue_pairs.value_()):
        for queue, kind in ((info.rq[pair], "rx"), (info.sq[pair], "tx")):
            path = "%d/" % queue.vq.index.value_()
            yield path + "packets", queue.stats.packets.value_()
            yield path + "bytes", queue.stats.bytes.value_()
            yield path + "kicks", queue.stats.kicks.value_()


def lines(prog):
    """(path, value) of everything."""
    bus = prog.object("virtio_bus")
    for private in list_for_each_entry("struct device_private",
                                       bus.p.klist_devices.k_list.address_of_(),
                                       "knode_bus.n_node"):
        device = container_of(private.device, "struct virtio_device", "dev")
        name = "virtio/%s/" % device.dev.kobj.name.string_().decode()
        for key, value in device_lines(prog, device):
            yield name + key, value
        for queue in list_for_each_entry("struct virtqueue", device.vqs.address_of_(), "list"):
            for key, value in queue_lines(prog, queue):
                yield "%s%d/%s" % (name, queue.index.value_(), key), value
