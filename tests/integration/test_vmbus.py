"""Every VMBus device, channel, ring and packet of the guests, against sysfs, ethtool and the host."""

import re
import unittest

import common

# What the live tree has and a dump's does not: the CPU's node is not a channel's figure.
NOT_PRINTED = {"numa_node"}
SHARED = "vmbus-6.1"


def sysfs_tree(text):
    """{GUID: (attributes, {relid: attributes})} of -F sysfs; lines of one file joined by commas."""
    devices = {}
    for line in text.splitlines():
        path, _, value = line.partition(":")
        parts = path.split("/")[5:]
        device = devices.setdefault(parts[0], ({}, {}))
        where = device[0] if len(parts) == 2 else device[1].setdefault(parts[2], {})
        where.setdefault(parts[-1], []).append(value)
    return devices


class Comparison:
    def __init__(self, test, report, truth):
        self.test, self.truth, self.count = test, truth, 0
        self.section = common.section(report, "vmbus")
        self.devices = common.by_name(self.section["devices"])
        self.channels = {channel["name"]: channel for device in self.section["devices"]
                         for channel in device["channels"]}

    def equal(self, got, wanted, what):
        self.count += 1
        self.test.assertEqual(got, wanted, what)

    def sane(self, relid, side):
        ring = self.truth["host"].get(relid, {}).get(side)
        return ring is None or ring["sane"]

    def all(self, tree, problems):
        """tree: the output of -F sysfs."""
        attributes = self.section["attributes"]
        self.equal(attributes["protocol_version"], self.truth["connection"]["version"], "version")
        self.equal(attributes["connection_state"], "connected", "connection")
        self.host()
        self.sysfs(tree)
        self.ethtool()
        self.packets(problems)

    # -- the host's own view of each ring --

    def host(self):
        self.test.assertEqual(sorted(self.channels), sorted(
            relid for relid, told in self.truth["host"].items() if told["offered"]))
        for relid, channel in self.channels.items():
            told = self.truth["host"][relid]
            attributes = channel["attributes"]
            self.equal(attributes["sub_channel"], told["sub_channel"], relid)
            if told["opened"]: # the host learns it when the guest opens the channel
                self.equal(attributes["target_cpu"], told["target_cpu"], relid)
            self.equal(attributes["rescinded"], bool(told["rescinded"]), relid)
            self.equal(attributes["state"] == "opened", bool(told["opened"]), relid)
            rings = common.by_name(channel.get("rings", []))
            self.equal(sorted(rings), ["in", "out"] if told["opened"] else [], relid)
            for side, ring in rings.items():
                self.ring(relid + "/" + side, ring, told[side])

    def ring(self, what, ring, told):
        metrics = ring["metrics"]
        for name in ("size", "read_index", "write_index", "interrupt_mask", "pending_send_size"):
            self.equal(metrics[name], told[name], what + " " + name)
        self.equal(int(ring["attributes"]["feature_bits"], 16), told["feature_bits"], what)
        for name in ("read_avail", "write_avail"):
            self.equal(metrics[name], told[name] if told["sane"] else None, what + " " + name)
            if not told["sane"]:
                self.equal(ring["absent"][name], "corrupt", what)

    # -- sysfs, through the renderer that writes it --

    def sysfs(self, text):
        tree = sysfs_tree(text)
        self.test.assertEqual(sorted(tree), sorted(self.truth["sysfs"]))
        for guid, told in self.truth["sysfs"].items():
            attributes, channels = tree[guid]
            sane = {side: self.sane(str(told["attrs"]["id"]), side) for side in ("in", "out")}
            self.files(guid, attributes, {
                name: value for name, value in told["attrs"].items()
                if name not in NOT_PRINTED and sane.get(name.partition("_")[0], True)
                or name.endswith(("_index", "_mask"))})
            self.test.assertEqual(sorted(channels), sorted(told["channels"]), guid)
            for relid, values in told["channels"].items():
                self.files(relid, channels[relid], {
                    name: value for name, value in values.items()
                    if not (name == "read_avail" and not self.sane(relid, "in")) and
                    not (name == "write_avail" and not self.sane(relid, "out"))})
            self.links(guid, told["links"])

    def files(self, what, got, wanted):
        readable = {name: value for name, value in wanted.items() if value is not None}
        self.test.assertEqual(sorted(got), sorted(readable), what)
        for name, value in readable.items():
            # channel_vp_mapping is in the order of the list there and sorted here.
            self.equal(sorted(got[name]), sorted(str(value).split(",")), "%s %s" % (what, name))

    def links(self, guid, links):
        attributes = self.devices[guid]["attributes"]
        self.equal(attributes.get("driver"), links.get("driver"), guid)
        self.equal(attributes.get("netdev"), links.get("net"), guid)
        self.equal(attributes.get("scsi_host"), links.get("scsi_host"), guid)

    # -- ethtool -S --

    def ethtool(self):
        for netdev, told in self.truth["ethtool"].items():
            device, = [device for device in self.devices.values()
                       if device["attributes"].get("netdev") == netdev]
            queues = {channel["attributes"]["queue"]: channel for channel in device["channels"]
                      if "queue" in channel["attributes"]}
            cpus = {}
            for name, value in told.items():
                queue = re.match(r"(tx|rx)_queue_(\d+)_(\w+)", name)
                cpu = re.match(r"cpu(\d+)_((?:rx|tx)_\w+)", name)
                if queue:
                    got = queues[int(queue[2])]["metrics"]["%s_%s" % (queue[1], queue[3])]
                    self.equal(got, value, "%s %s" % (netdev, name))
                elif cpu:
                    # netvsc_get_pcpu_stats(): of the virtual function on that CPU, and of the
                    # channels that target it.
                    got = told["cpu%s_vf_%s" % (cpu[1], cpu[2])] + sum(channel["metrics"][cpu[2]] for channel in queues.values()
                              if channel["attributes"]["target_cpu"] == int(cpu[1]))
                    self.equal(got, value, "%s %s" % (netdev, name))
                elif not name.startswith("cpu"):
                    self.equal(device["metrics"][name], value, "%s %s" % (netdev, name))

    # -- packets --

    def packets(self, problems):
        for relid, sides in self.truth["packets"].items():
            rings = common.by_name(self.channels[relid]["rings"])
            for side, told in sides.items():
                self.ring_packets("%s/%s" % (relid, side), rings[side].get("slots", []), told,
                                  problems)

    def ring_packets(self, what, slots, told, problems):
        listed = min(told["count"], 4096)
        self.equal(len(slots), listed, what)
        if told["count"] == listed:
            self.equal(sum(slot["attributes"]["flags"] & 1 for slot in slots),
                       told["completions_wanted"], what)
        for index in range(min(listed, 32)):
            offset, kind, flags, header, total, transaction, _ = (
                told[str(index)].split() + [""])[:7]
            slot = slots[index]
            self.equal(slot["name"], offset, what)
            self.equal(slot["attributes"]["flags"], int(flags), what)
            self.equal(slot["metrics"]["header_bytes"], int(header), what)
            self.equal(slot["metrics"]["payload_bytes"], int(total) - int(header), what)
            self.equal(int(slot["attributes"]["transaction_id"], 16), int(transaction, 16), what)
            self.equal(slot["attributes"]["type"],
                       {6: "inband", 7: "xfer-pages", 9: "gpa-direct", 11: "completion"}[
                           int(kind)], what)
        if "broken_at" in told:
            texts = [problem["reason"] for problem in problems
                     if problem["subject"].endswith(what)]
            self.equal(len(texts), 1, what)
            self.test.assertRegex(texts[0], r"ends at offset %d:" % told["broken_at"])


class Guests(common.GuestTest):
    def compare(self, recipe, form, *options):
        guest = common.guest(recipe)
        dump = guest.dumps[form]
        report = self.show("-v", "-f", "vmbus", *options, dump)
        comparison = Comparison(self, report, guest.truth)
        tree = self.rbstats("-f", "vmbus", "-F", "sysfs", *options, dump)
        self.assertEqual(tree.status, 0, tree)
        comparison.all(tree.out, report["problems"])
        self.states(comparison)
        self.note("%d values" % comparison.count)

    def states(self, comparison):
        """What the recipe puts into words: the packets that the stopped services have."""
        whats = {}
        for relid, channel in comparison.channels.items():
            device = comparison.truth["host"][relid]["device"]
            for ring in channel.get("rings", []):
                texts = [slot["attributes"].get("what", "") for slot in ring.get("slots", [])]
                if texts:
                    whats.setdefault((device, ring["name"]), []).extend(texts)
        disk = whats[("disk1", "out")]
        self.assertTrue(all(re.match(r"(READ|WRITE|SYNC|TEST)\S* .*lun \d", text)
                            for text in disk), disk)
        self.assertTrue(any(text.startswith("WRITE(") for text in disk), disk)
        self.assertTrue(all(text.startswith("heartbeat response")
                            for text in whats[("heartbeat", "out")]))
        self.assertTrue(all(text.startswith("negotiate request")
                            for text in whats[("shutdown", "in")]))
        # The recipe's host sends every service the same message, a heartbeat.
        self.assertTrue(all(text.startswith("heartbeat request 40 bytes")
                            for text in whats[("timesync", "in")]))
        self.assertTrue(all(re.match(r"data \d+ bytes", text)
                            for text in whats[("sock0", "out")]))
        net = whats[("net0", "out")]
        self.assertTrue(any(re.match(r"rndis packet 202 bytes", text) for text in net), net[:5])

    def with_debug_info(self, form):
        """5.10 has BTF of the kernel, not of its modules: VMBus needs their DWARF."""
        files = common.debug_files("bullseye", "linux-image-5.10.*-amd64",
                                   ["hv_vmbus", "hv_netvsc", "hv_storvsc"])
        self.compare("vmbus-5.10", form,
                     *[word for path in files for word in ("--debuginfo", path)])

    def test_5_10_elf(self):
        self.with_debug_info("elf")

    def test_5_10_level_31(self):
        self.with_debug_info("zlib-d31")

    def test_5_10_without_debug_info(self):
        guest = common.guest("vmbus-5.10")
        self.assertOneLine(self.rbstats("-f", "vmbus", guest.dumps["elf"]),
                           "hv_vmbus's vmbus_connection.*--debuginfo")

    def test_6_1_elf(self):
        self.compare("vmbus-6.1", "elf")

    def test_6_1_level_31(self):
        self.compare("vmbus-6.1", "zlib-d31")

    def test_6_12_elf(self):
        self.compare("vmbus-6.12", "elf")

    def test_6_12_level_23(self):
        self.compare("vmbus-6.12", "zlib-d23")

    def test_7_elf(self):
        self.compare("vmbus-7", "elf")

    def test_7_level_23(self):
        self.compare("vmbus-7", "zlib-d23")

    def test_7_with_debug_info(self):
        """The bus' own types are vmlinux's there."""
        files = common.debug_files("trixie-backports", "linux-image-7.*-amd64",
                                   ["hv_netvsc", "hv_storvsc"])
        self.compare("vmbus-7", "elf", "--types", "dwarf",
                     *[word for path in files for word in ("--debuginfo", path)])


class Shared(common.Test):
    """The lines that a guest of another host module told, beside the project's own checkouts."""

    def test_truth_block(self):
        dump, folder = common.shared_dump(SHARED)
        with open(folder + "/console.log", errors="replace") as file:
            text = file.read().replace("\r", "")
        text = text[text.index("TRUTH-BEGIN"):text.index("TRUTH-END")]
        report = self.show("-f", "vmbus", dump)
        channels = {channel["name"]: channel
                    for device in common.section(report, "vmbus")["devices"]
                    for channel in device["channels"]}
        count = 0
        for line in text.splitlines():
            words = line.split()
            values = dict(word.split("=", 1) for word in words if "=" in word)
            if words[0] == "CHAN":
                count += self.channel(channels[values["relid"]], values)
            elif words[:1] == ["HOST"] and "relid" in values:
                count += self.host(channels[values["relid"]], values)
        self.assertGreaterEqual(count, 496)
        self.note("%d values" % count)

    def channel(self, channel, told):
        metrics = channel["metrics"]
        names = ("events", "interrupts", "intr_in_full", "intr_out_empty", "out_full_first",
                 "out_full_total")
        for name in names:
            self.assertEqual(metrics[name], int(told[name]), name)
        self.assertEqual(channel["attributes"]["target_cpu"], int(told["cpu"]))
        self.assertEqual(channel["attributes"]["sub_channel"], int(told["subchannel_id"]))
        if not told["out_mask"]:
            self.assertNotIn("rings", channel)
            return len(names) + 3
        rings = common.by_name(channel["rings"])
        self.assertEqual(rings["out"]["metrics"]["interrupt_mask"], int(told["out_mask"]))
        self.assertEqual(rings["in"]["metrics"]["interrupt_mask"], int(told["in_mask"]))
        self.assertEqual(rings["in"]["metrics"]["read_avail"], int(told["read_avail"]))
        self.assertEqual(rings["out"]["metrics"]["write_avail"], int(told["write_avail"]))
        return len(names) + 6

    def host(self, channel, told):
        names = {"r_idx": "read_index", "w_idx": "write_index", "int_mask": "interrupt_mask",
                 "r_avail": "read_avail", "w_avail": "write_avail", "pend": "pending_send_size"}
        self.assertEqual(channel["attributes"]["rescinded"], told["rescinded"] == "1")
        count = 1
        rings = common.by_name(channel.get("rings", []))
        for side in ("out", "in"):
            if side not in told:
                self.assertEqual(rings, {})
                continue
            for pair in told[side].split(","):
                name, value = pair.split(":")
                if name == "feat":
                    got = int(rings[side]["attributes"]["feature_bits"], 16)
                else:
                    got = rings[side]["metrics"][names[name]]
                self.assertEqual(got, int(value))
                count += 1
        return count

    def test_sysctl(self):
        dump, _ = common.shared_dump(SHARED)
        ran = self.rbstats("-f", "vmbus", "-F", "sysctl", dump)
        self.assertEqual(ran.status, 0, ran)
        lines = ran.out.splitlines()
        self.assertEqual(len(lines), 36)
        self.assertIn("dev.hn.0.channel.3.sub.2.out.ring_buffer_stats: r_idx:16400 w_idx:484360 "
                      "int_mask:1 r_avail:467960 w_avail:52232", lines)
        self.assertIn("dev.storvsc.1.channel.2.sub.1.in.ring_buffer_stats: r_idx:88 w_idx:88 "
                      "int_mask:0 r_avail:0 w_avail:126976", lines)
        self.assertIn("dev.hvheartbeat.0.channel.4.out.ring_buffer_stats: r_idx:11592 w_idx:456 "
                      "int_mask:0 r_avail:1152 w_avail:11136", lines)


if __name__ == "__main__":
    unittest.main()
