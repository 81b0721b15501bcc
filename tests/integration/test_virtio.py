"""Every virtqueue of every guest's dump, against what QEMU and the guest said of it."""

import ast
import re
import unittest

import common

# virtio device ids (virtio 1.2, section 5) that the guests have.
TYPES = {"0x0001": "net", "0x0002": "block", "0x0003": "console", "0x0004": "rng",
         "0x0005": "balloon"}

# A 4 KiB page of QEMU's ring addresses: what it calls the three parts.
ADDRESSES = {"desc_address": "vring-desc", "driver_address": "vring-avail",
             "device_address": "vring-used"}


def ring_slots(channel):
    return channel.get("slots", channel.get("rings", []))


class Comparison:
    """One dump's report against the truth of its moment; counts what it compared."""

    def __init__(self, test, report, truth, absent=None):
        self.test, self.truth, self.count = test, truth, 0
        self.absent = absent or {}  # of every queue, and why
        self.section = common.section(report, "virtio")
        self.devices = common.by_name(self.section["devices"])
        self.frozen = truth.get("qemu_truth", "at the dump") == "at the dump"

    def equal(self, got, wanted, what):
        self.count += 1
        self.test.assertEqual(got, wanted, what)

    def true(self, condition, what):
        self.count += 1
        self.test.assertTrue(condition, what)

    def all(self):
        self.test.assertEqual(sorted(self.devices), sorted(self.truth["virtio"]))
        for name, wanted in self.truth["virtio"].items():
            self.identity(self.devices[name], wanted)
            self.queues(self.devices[name], wanted)
        for name in self.truth.get("ethtool", {}):
            self.counters(self.net(name), name)

    def net(self, name):
        found = [device for device in self.devices.values()
                 if device["attributes"].get("netdev") == name]
        self.test.assertEqual(len(found), 1, name)
        return found[0]

    def identity(self, device, wanted):
        attributes = device["attributes"]
        self.equal(attributes["type"], TYPES[wanted["device"]], device["name"])
        self.equal(attributes["driver"], wanted["driver"], device["name"])
        self.equal(attributes["bus_address"], wanted["bus_address"], device["name"])
        self.equal(attributes.get("netdev"), wanted.get("netdev"), device["name"])
        self.equal(attributes.get("disk"), wanted.get("block"), device["name"])
        # sysfs prints bit 0 first; 7.x prints 128 bits, of which the last 64 are another word.
        bits = wanted["features"]
        self.equal(int(attributes["features"], 16),
                   sum(1 << bit for bit, digit in enumerate(bits) if digit == "1"),
                   "%s features" % device["name"])

    def queues(self, device, wanted):
        channels = {channel["attributes"]["index"]: channel for channel in device["channels"]}
        told = {queue["queue-index"]: queue for queue in wanted["qemu"]["queues"]}
        self.equal(len(channels), len(device["channels"]), device["name"])
        self.equal(sorted(channels), sorted(told), "%s queues" % device["name"])
        for index, queue in told.items():
            what = "%s queue %d" % (device["name"], index)
            self.queue(what, device, channels[index], queue)

    def queue(self, what, device, channel, told):
        attributes, metrics = channel["attributes"], channel["metrics"]
        self.equal(channel.get("absent", {}), self.absent, what)
        self.equal(attributes["size"], told["vring-num"], what)
        for ours, theirs in ADDRESSES.items():
            self.equal(int(attributes[ours], 16), told[theirs], what + " " + ours)
        self.equal(attributes["broken"], False, what)
        if not self.frozen and device["attributes"]["type"] == "rng":
            # The kernel's own thread asks for random bytes now and then, up to the crash itself.
            advanced = (metrics["used_idx"] - told["used-idx"]) % 65536
            self.true(advanced <= 4, what + " used_idx")
            told = dict(told, **{"used-idx": metrics["used_idx"],
                                 "last-avail-idx": told["last-avail-idx"] + advanced})
        self.equal(metrics["used_idx"], told["used-idx"], what + " used_idx")
        # Nothing is left to reap in a guest that sits still.
        self.equal(metrics["unreaped"], 0, what)
        self.equal(metrics["last_used_idx"], told["used-idx"], what + " last_used_idx")
        if attributes["layout"].startswith("split"):
            self.split(what, metrics, told)
        else:
            self.packed(what, metrics, told)
        self.in_flight(what, device, channel, told)

    def split(self, what, metrics, told):
        used, size = told["used-idx"], told["vring-num"]
        # QEMU against itself: what it has popped and not returned.
        self.equal((told["last-avail-idx"] - used) % 65536, told["inuse"], what + " (truth)")
        self.equal(metrics["avail_idx"], metrics["avail_idx_shadow"], what)
        self.equal(metrics["in_flight"], (metrics["avail_idx"] - used) % 65536, what)
        # The device's copy of the avail index may lag behind the guest's; it is never ahead, and
        # never behind what the device has popped.
        if self.frozen:
            seen = (told["shadow-avail-idx"] - used) % 65536
            self.true(told["inuse"] <= seen <= metrics["in_flight"] <= size,
                      "%s: %s, %s" % (what, metrics, told))

    def packed(self, what, metrics, told):
        size = told["vring-num"]
        self.true(metrics["avail_idx"] < size, what)
        self.true(told["inuse"] <= metrics["in_flight"] <= size, what)
        # Every chain of these guests takes one slot: num_free tells the same as the two positions.
        distance = (metrics["avail_idx"] - told["used-idx"]) % size
        wrapped = metrics["avail_wrap_counter"] != metrics["used_wrap_counter"]
        self.equal(size - metrics["num_free"], size if distance == 0 and wrapped else distance,
                   what + " num_free")

    def in_flight(self, what, device, channel, told):
        """Three records of the same thing: the indexes, the descriptors, and the free count."""
        metrics, slots = channel["metrics"], ring_slots(channel)
        kind, name = device["attributes"]["type"], channel["attributes"]["name"]
        listed = [slot for slot in slots if slot["attributes"]["state"] == "device"]
        if metrics["in_flight"] <= 1024:
            self.equal(len(listed), metrics["in_flight"], what + " chains")
            taken = sum(1 if slot["attributes"]["indirect"] else slot["metrics"]["descriptors"]
                        for slot in slots)
            self.equal(told["vring-num"] - metrics["num_free"], taken, what + " descriptors")
        # A device that never lets requests lie has all of them in its hands.
        prompt = kind in ("block", "rng", "balloon") or kind == "net" and not \
            name.startswith("input") or kind == "console" and name in ("control-o",)
        if prompt:
            self.equal(metrics["in_flight"], told["inuse"], what + " in_flight")

    def counters(self, device, netdev):
        """The driver's counters: all that ethtool -S told, and the interface's own sums."""
        # Since 6.10 packets and bytes are told by the netdev family instead.
        told = dict(self.truth["ethtool"][netdev], **self.truth.get("qstats", {}).get(netdev, {}))
        channels = {channel["attributes"]["name"]: channel["metrics"]
                    for channel in device["channels"]}
        seen = 0
        for key, value in told.items():
            # rx_queue_0_bytes until 6.8, rx0_kicks since; rx_kicks is the sum of all queues.
            match = re.match(r"(rx|tx)(?:_queue_)?(\d+)_(\w+)$", key)
            if not match:
                continue
            side, number, counter = match.groups()
            metrics = channels[("input." if side == "rx" else "output.") + number]
            self.equal(metrics[counter], int(value), "%s %s" % (netdev, key))
            seen += 1
        self.true(seen >= 8, "%s: ethtool told only %d counters" % (netdev, seen))
        for side, prefix in (("rx", "input."), ("tx", "output.")):
            for counter in ("packets", "bytes"):
                total = sum(metrics[counter] for name, metrics in channels.items()
                            if name.startswith(prefix))
                self.equal(total, int(self.truth["netdev"][netdev][side + "_" + counter]),
                           "%s %s_%s" % (netdev, side, counter))

    def held_disk(self):
        """
        The disk whose writes all fail: four writers of 256 KiB each, cut into requests of 64 KiB,
        behind one another from the disk's start; the header of each has 16 bytes, the status 1.
        """
        name = re.search(r"rb\.last=(\w+)", self.truth["guest"]["cmdline"]).group(1)
        device, = [device for device in self.devices.values()
                   if device["attributes"].get("disk") == name]
        channel, = device["channels"]
        slots = ring_slots(channel)
        self.equal(sorted(slot["attributes"]["request"] for slot in slots),
                   sorted("write sector %d" % (128 * number) for number in range(16)), name)
        for slot in slots:
            self.equal(slot["attributes"]["state"], "device", name)
            self.equal(slot["attributes"]["indirect"], True, name)
            self.equal(slot["metrics"]["out_bytes"], 16 + 65536, name)
            self.equal(slot["metrics"]["in_bytes"], 1, name)


class Dumps(common.GuestTest):
    """One test for each form of each recipe's dump."""

    def compare(self, recipe, form, *options):
        guest = common.guest(recipe)
        self.assertEqual(sorted(guest.dumps), sorted(common.recipe_forms(recipe)))
        report = self.show("-v", "-f", "virtio", *options, guest.dumps[form])
        comparison = Comparison(self, report, guest.truth)
        self.assertEqual(comparison.section["status"], "ok", report["problems"])
        self.assertEqual(report["dump"]["kernel_release"], guest.truth["kernel"]["release"])
        comparison.all()
        if comparison.frozen:
            comparison.held_disk()
        self.note("%d values" % comparison.count)
        return report

    def layouts(self, recipe, wanted):
        guest = common.guest(recipe)
        report = self.show("-f", "virtio", guest.dumps["elf"])
        found = {channel["attributes"]["layout"] for device in report["sections"][0]["devices"]
                 for channel in device["channels"]}
        self.assertEqual(found, wanted)

    def test_layouts_split(self):
        self.layouts("v61-split", {"split"})

    def test_layouts_packed(self):
        self.layouts("v61-packed", {"packed"})

    def test_layouts_mixed(self):
        for recipe in ("v73-mix", "s7-mix"):
            with self.subTest(recipe):
                self.layouts(recipe, {"split", "packed", "split-in-order", "packed-in-order"})


def _add(recipe, form):
    def test(self):
        self.compare(recipe, form)
    name = "test_%s_%s" % (recipe, form)
    test.__name__ = re.sub(r"\W", "_", name)
    setattr(Dumps, test.__name__, test)


# makedumpfile 1.7.2 at level 31 takes slab pages of these kernels for user pages: a test of its own.
LOSSY = {("v612-split", "zlib-d31"), ("v73-split", "zlib-d31")}

for _recipe in ("v61-split", "v61-packed", "v61-kexec", "v61-novmci", "v612-split", "v73-split",
                "v73-mix", "s612", "s612-legacy", "s7-mix", "arm64-6.12", "arm64-6.12-va52", "arm64-6.12-16k", "arm64-7"):
    for _form in common.recipe_forms(_recipe):
        if (_recipe, _form) not in LOSSY:
            _add(_recipe, _form)


class Lossy(common.GuestTest):
    """Dumps that lack pages which are needed: what is still shown is right, and nothing is 0."""

    def devices(self, out):
        """{device: {path below it: value}} of flat lines."""
        found = {}
        for line in out.splitlines():
            path, _, value = line.partition("=")
            _, device, below = path.split("/", 2)
            found.setdefault(device, {})[below] = value
        return found

    def wrong(self, shown, whole):
        """The values that are neither those of the whole dump nor absent."""
        return {path: value for path, value in shown.items()
                if value not in (whole.get(path), "null (excluded)")}

    def compare(self, recipe, form):
        guest = common.guest(recipe)
        options = ("-f", "virtio", "-F", "flat")
        whole = self.devices(self.rbstats(*options, guest.dumps["elf"]).out)
        ran = self.rbstats(*options, guest.dumps[form])
        if ran.status != 0:
            self.assertOneLine(ran, "was excluded from the dump")
            self.note("refused")
            return
        shown = self.devices(ran.out)
        for name, values in shown.items():
            if name in whole:
                self.assertEqual(self.wrong(values, whole[name]), {}, name)
            else:
                # One whose name is missing goes by its address: it must be one of them all the same.
                self.assertRegex(name, r"\A[0-9a-f]{16}\Z")
                self.assertIn({}, [self.wrong(values, known) for known in whole.values()], name)
        self.note("%d of %d devices" % (len(shown), len(whole)))

    def test_v612_split_zlib_d31(self):
        self.compare("v612-split", "zlib-d31")

    def test_v73_split_zlib_d31(self):
        self.compare("v73-split", "zlib-d31")


class OldKernel(common.GuestTest):
    """5.10: kallsyms is found by its shape; Debian's modules of then have no BTF, only DWARF."""

    def test_without_debuginfo(self):
        guest = common.guest("v510-split")
        for form, path in guest.dumps.items():
            with self.subTest(form):
                self.assertOneLine(self.rbstats("-f", "virtio", path),
                                   "virtio_ring.*vring_virtqueue")


    def test_with_debuginfo(self):
        guest = common.guest("v510-split")
        files = common.debug_files("bullseye", "linux-image-5.10.*-amd64",
                                   ["virtio", "virtio_ring", "virtio_net", "virtio_blk"])
        options = [word for file in files for word in ("--debuginfo", file)]
        count = 0
        for form, path in guest.dumps.items():
            with self.subTest(form):
                report = self.show("-v", "-f", "virtio", *options, path)
                # It came with 5.13.
                comparison = Comparison(self, report, guest.truth,
                                        {"event_triggered": "no-such-member"})
                self.assertEqual(comparison.section["types"], "dwarf")
                comparison.all()
                comparison.held_disk()
                count += comparison.count
        self.note("%d values" % count)


class Shared(common.Test):
    """A dump with a busier guest that lies beside the project's own checkouts."""

    def test_lttng_virtio(self):
        dump, folder = common.shared_dump("linux-6.1-lttng-virtio")
        devices = {}
        with open(folder + "/virtqueue-status.txt") as file:
            for line in file:
                if line.startswith("DEV "):
                    queues = devices.setdefault(line.split()[2], [])
                elif line.startswith("  VQ "):
                    queues.append(ast.literal_eval(line[line.index("{"):]))
        report = self.show("-v", "-f", "virtio", dump)
        ours = {device["attributes"]["type"]: device
                for device in common.section(report, "virtio")["devices"]}
        names = {"virtio-net": "net", "virtio-blk": "block", "virtio-serial": "console",
                 "virtio-rng": "rng", "virtio-balloon": "balloon"}
        self.assertEqual(sorted(names), sorted(devices))
        count = 0
        for name, queues in devices.items():
            channels = {channel["attributes"]["index"]: channel
                        for channel in ours[names[name]]["channels"]}
            for told in queues:
                channel = channels.pop(told["queue-index"], None)
                if channel is None:
                    self.assertEqual(int(told["vring-desc"], 16), 0, told)
                    continue
                attributes, metrics = channel["attributes"], channel["metrics"]
                self.assertEqual(attributes["size"], told["vring-num"])
                self.assertEqual(metrics["used_idx"], told["used-idx"])
                self.assertEqual(metrics["in_flight"],
                                 (metrics["avail_idx"] - told["used-idx"]) % 65536)
                self.assertGreaterEqual(metrics["in_flight"], told["inuse"])
                self.assertGreaterEqual(metrics["in_flight"],
                                        (told["shadow-avail-idx"] - told["used-idx"]) % 65536)
                for key, theirs in ADDRESSES.items():
                    self.assertEqual(int(attributes[key], 16), int(told[theirs], 16))
                count += 8
            self.assertEqual(channels, {})
        self.note("%d values" % count)


if __name__ == "__main__":
    unittest.main()
