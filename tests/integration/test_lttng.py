"""Every buffer of the LTTng guests, against what the kernel module said at the dump's instant."""

import collections
import importlib
import json
import os
import random
import re
import shutil
import struct
import tempfile
import unittest

import common

RECIPES = ("lttng-5.10", "lttng-6.1", "lttng-6.1-btf", "lttng-6.1-counting", "lttng-6.12",
           "lttng-6.12-newest", "lttng-7")

# Ours: the truth's name.
BUFFER = {"write_offset": "offset", "consumed": "consumed", "records_lost_full": "lost_full",
          "records_lost_wrap": "lost_wrap", "records_lost_big": "lost_big",
          "record_disabled": "record_disabled", "active_readers": "active_readers",
          "get_subbuf_consumed": "get_subbuf_consumed", "last_timestamp": "last_timestamp"}
BUFFER_IS = {"finalized": "finalized", "quiescent": "quiescent", "get_subbuf": "get_subbuf",
             "switch_timer_enabled": "switch_timer_enabled",
             "read_timer_enabled": "read_timer_enabled"}
COUNTED = {"records_count": "records_count", "records_overrun": "records_overrun"}
SUBBUF = {"commit_count": "cc", "commit_count_sb": "cc_sb", "commit_seq": "seq",
          "seq_cnt": "packets"}
SUBBUF_COUNTED = {"records_commit": "records_commit", "records_unread": "records_unread"}
PACKET = {"timestamp_begin": "timestamp_begin", "packet_seq": "seq", "stream_id": "stream"}
# Written when a packet is closed.
PACKET_CLOSED = {"timestamp_end": "timestamp_end", "content_size": "content_bits",
                 "packet_size": "packet_bits", "events_discarded": "events_discarded"}
PACKET_ALL = set(PACKET) | set(PACKET_CLOSED)
PACKET_OPEN = 2 ** 64 - 1

# In each event of lttng-test: two of its fields, and the length of the second.
EVENT = b"test" + struct.pack("<Q", 4) + b"test"


def values(node):
    return {**node.get("attributes", {}), **node.get("metrics", {})}


class Comparison:
    """
    One report against one truth. excluded: that pages may be missing from this dump; then a value
    may be absent for that reason, and for no other.
    """

    def __init__(self, test, report, truth, excluded=False):
        self.test, self.truth, self.excluded = test, truth, excluded
        self.count = self.missing = 0
        self.gone = {}  # buffers with a packet out of the ring: whether its place is taken again
        self.section = common.section(report, "lttng")
        devices = self.section["devices"]
        self.sessions = common.by_name(
            [device for device in devices if "kind" not in values(device)])
        self.groups = [device for device in devices
                       if values(device).get("kind") == "notifier-group"]
        test.assertEqual(len(self.sessions) + len(self.groups), len(devices))
        # Lists that a page left out of the dump cut off.
        self.cut = {problem["subject"] for problem in report["problems"]
                    if problem["code"] == "excluded"}

    def names(self, subject, got, wanted):
        """
        All of the names wanted are there; or the page of a name was left out, and its node is
        called after its place; or a list was cut off, and a problem tells of it.
        """
        got, wanted = set(got), set(wanted)
        unnamed = {name for name in got - wanted if re.match(r"(channel|session)-\d+$", name)}
        if self.excluded and (subject in self.cut or len(unnamed) == len(wanted - got)):
            self.missing += len(wanted - got)
            got, wanted = got - unnamed, wanted & got
        self.equal(sorted(got), sorted(wanted), subject)

    def equal(self, got, wanted, what):
        self.count += 1
        self.test.assertEqual(got, wanted, what)

    def value(self, node, name, wanted, what):
        got = values(node).get(name)
        if got is None and self.excluded and \
                (node.get("absent", {}).get(name) == "excluded" or
                 name in PACKET_ALL and node.get("absent", {}).get("packet_seq") == "excluded" or
                 name in PACKET_ALL and node.get("absent", {}).get("data_size") == "excluded"):
            self.missing += 1
            return
        self.equal(got, wanted, "%s %s" % (what, name))

    def absent(self, node, name, reason, what):
        self.equal(values(node).get(name), None, "%s %s" % (what, name))
        if self.excluded and "excluded" in (node.get("absent", {}).get(key)
                                            for key in (name, "packet_seq", "data_size")):
            return
        self.equal(node.get("absent", {}).get(name), reason, "%s %s" % (what, name))

    def all(self):
        self.names("lttng", self.sessions, self.truth["lttng"])
        for name, wanted in self.truth["lttng"].items():
            if name in self.sessions:
                self.session(name, self.sessions[name], wanted)
        self.notifiers()

    def notifiers(self):
        """Groups of event notifiers: a buffer each that is no session's."""
        told = self.truth.get("notifiers", {})
        if self.excluded and "lttng" in self.cut:
            self.missing += len(told) - len(self.groups)
        else:
            self.equal(len(self.groups), len(told), "event notifiers")
        for number, group in enumerate(self.groups):
            wanted, what = told[str(number)], group["name"]
            self.equal(what, "event-notifiers-%d" % number, "event notifiers")
            channel, = group["channels"]
            self.value(channel, "type", "notifications", what)
            self.events(what, channel, wanted.get("events", {}))
            known = self.events_known(channel, what)
            if known != int(wanted["notifiers"]) and self.excluded:
                self.missing += 1
            else:
                self.equal(known, int(wanted["notifiers"]), what)
            self.ring(what, channel, wanted["channel"])

    def session(self, name, session, wanted):
        self.value(session, "active", wanted["active"] == "1", name)
        self.value(session, "been_active", wanted["been_active"] == "1", name)
        channels = common.by_name(session.get("channels", []))
        self.names("lttng/" + name, channels, wanted["channels"])
        known = 0
        for number, told in wanted["channels"].items():
            if number not in channels:
                continue
            self.channel("%s/%s" % (name, number), channels[number], told)
            known += self.events_known(channels[number], what=name)
        if known != int(wanted["events"]) and self.excluded:
            self.missing += 1
        else:
            self.equal(known, int(wanted["events"]), name + " events")

    def events_known(self, channel, what):
        """How many events were found; none when the dump lacks what would tell."""
        count = values(channel)["event_count"]
        if count is None:
            self.test.assertTrue(self.excluded, what)
            self.equal(channel["absent"]["event_count"], "excluded", what + " event_count")
            self.missing += 1
        return count or 0

    def channel(self, what, channel, wanted):
        self.value(channel, "type", wanted["type"], what)
        self.value(channel, "enabled", wanted["enabled"] == "1", what)
        self.events(what, channel, wanted.get("events", {}))
        self.ring(what, channel, wanted)

    def ring(self, what, channel, wanted):
        """A channel's ring buffer and its buffers."""
        texts = {"transport": wanted["transport"], "mode": wanted["mode"],
                 "alloc": {"percpu": "per-cpu"}.get(wanted["alloc"], wanted["alloc"])}
        numbers = {"subbuf_size": "subbuf_size", "num_subbuf": "num_subbuf",
                   "record_disabled": "record_disabled",
                   "switch_timer_interval": "switch_timer_jiffies",
                   "read_timer_interval": "read_timer_jiffies"}
        for name, told in texts.items():
            self.value(channel, name, told, what)
        for name, theirs in numbers.items():
            self.value(channel, name, int(wanted[theirs]), what)
        self.value(channel, "finalized", wanted["finalized"] == "1", what)
        if "been_active" in wanted:
            self.value(channel, "been_active", wanted["been_active"] == "1", what)
        rings = common.by_name(channel.get("rings", []))
        names = {cpu if cpu == "global" else "cpu" + cpu for cpu in wanted["cpus"]}
        if not rings and self.excluded and channel.get("absent", {}):
            self.missing += len(names)
            return
        self.equal(sorted(rings), sorted(names), what)
        for cpu, told in wanted["cpus"].items():
            name = cpu if cpu == "global" else "cpu" + cpu
            self.buffer("%s/%s" % (what, name), channel, rings[name], told,
                        wanted["records_counted"] == "1")

    def events(self, what, channel, told):
        """The truth keeps 64 events of a session; where that is all of them, names must agree."""
        shown = values(channel).get("events", "")
        names = re.sub(r" ?and \d+ more$", "", shown).split(",") if shown else []
        wanted = [event["name"] for event in told.values() if event["enabled"] == "1"]
        lost = [name for name in wanted if name not in names]
        if lost and self.excluded:
            self.missing += len(lost)
            lost = []
        self.equal(lost, [], what + " events")
        if self.events_known(channel, what) <= len(told):
            self.equal([name for name in names if name and name not in wanted], [],
                       what + " events")
            if not self.excluded:
                self.equal(values(channel)["events_enabled"], len(wanted), what + " events")

    def buffer(self, what, channel, ring, wanted, counted):
        for name, theirs in BUFFER.items():
            self.value(ring, name, int(wanted[theirs]), what)
        for name, theirs in BUFFER_IS.items():
            self.value(ring, name, wanted[theirs] == "1", what)
        for name, theirs in COUNTED.items():
            self.counter(ring, name, wanted[theirs], counted, what)
        slots = common.by_name(ring.get("slots", []))
        if not slots and self.excluded and "write_offset" in ring.get("absent", {}):
            self.missing += len(wanted["subbufs"])
            return
        place, gone = self.taken(channel, wanted)
        if gone or place is not None:
            self.gone[what] = gone
        self.equal(sorted(slots), sorted(wanted["subbufs"]) + ["reader"] * gone, what)
        for number, told in wanted["subbufs"].items():
            if number == place:
                told = {**told, "packet": None, **wanted["reader"]}
            self.subbuf("%s/%s" % (what, number), slots[number], told, counted)
        if gone:
            self.memory(what + "/reader", slots["reader"], wanted["reader"], counted)
            self.equal(values(slots["reader"])["state"], "reading", what)
        self.states(what, channel, ring, slots, wanted)

    def taken(self, channel, wanted):
        """
        A reader of an overwrite ring takes a sub-buffer's memory out of it: the number of the one
        whose packet it is, or None; and whether the ring has since come round to its place.
        """
        if wanted["get_subbuf"] != "1" or values(channel)["mode"] != "overwrite":
            return None, False
        held, size = int(wanted["get_subbuf_consumed"]), values(channel)["subbuf_size"]
        # The truth is of the packet that the reader took: packets are numbered by their place.
        self.test.assertEqual(int(wanted["reader"]["packet"]["seq"]) * size, held)
        number = values(channel)["num_subbuf"]
        if int(wanted["offset"]) > held + size * number:
            return None, True
        return str(held // size % number), False

    def counter(self, node, name, told, counted, what):
        if counted:
            self.value(node, name, int(told), what)
        else:
            self.test.assertEqual(told, "0", "%s: the truth" % what)
            self.absent(node, name, "not-counted", what)

    def subbuf(self, what, slot, wanted, counted):
        for name, theirs in SUBBUF.items():
            self.value(slot, name, int(wanted[theirs]), what)
        self.memory(what, slot, wanted, counted)

    def memory(self, what, slot, wanted, counted):
        """What a sub-buffer's memory says of itself."""
        self.value(slot, "data_size", int(wanted["data_size"]), what)
        for name, theirs in SUBBUF_COUNTED.items():
            self.counter(slot, name, wanted[theirs], counted, what)
        packet = wanted.get("packet")
        if not packet or values(slot).get("state") == "free" and "packet_seq" not in values(slot):
            return
        for name, theirs in PACKET.items():
            self.value(slot, name, int(packet[theirs]), what)
        closed = int(packet["content_bits"]) != PACKET_OPEN
        for name, theirs in PACKET_CLOSED.items():
            if closed:
                self.value(slot, name, int(packet[theirs]), what)
            else:
                self.absent(slot, name, "not-counted", what)

    def states(self, what, channel, ring, slots, wanted):
        """What the positions and commit counters say of each sub-buffer, by counting it out."""
        size, number = values(channel)["subbuf_size"], values(channel)["num_subbuf"]
        offset, consumed = int(wanted["offset"]), int(wanted["consumed"])
        full = {}
        for index, told in wanted["subbufs"].items():
            # Pass k of a sub-buffer starts with k * size bytes committed.
            full[int(index)] = int(told["cc_sb"])
        states, readable, pending = {}, 0, 0
        begin = consumed - consumed % size
        for position in range(begin, begin + number * size, size):
            index, turn = position // size % number, position // size // number
            if position >= offset:
                written_before = position >= number * size
                states[index] = "passed" if written_before and \
                    values(channel)["mode"] == "overwrite" else "free"
                continue
            if position + size > offset:
                states[index] = "writing"
            elif full[index] == (turn + 1) * size:
                states[index] = "delivered"
            else:
                states[index] = "uncommitted"
            end = min(position + size, offset)
            pending += end - position - (int(wanted["subbufs"][str(index)]["cc"]) - turn * size)
        for position in range(begin, begin + number * size, size):
            if states[position // size % number] != "delivered":
                break
            readable += size
        if wanted["get_subbuf"] == "1" and not self.taken(channel, wanted)[1]:
            held = int(wanted["get_subbuf_consumed"])
            states[held // size % number] = "reading"
        for index, state in states.items():
            if self.excluded and state in ("delivered", "uncommitted") and \
                    slots[str(index)].get("absent", {}).get("visible") == "excluded":
                self.missing += 1
                state = "written"
            self.value(slots[str(index)], "state", state, "%s/%d" % (what, index))
        self.value(ring, "readable", readable, what)
        self.value(ring, "uncommitted", pending, what)

    def streams(self):
        """What the consumer's own files say; the session 'noisy' went on after they were asked."""
        told, ours = collections.Counter(), collections.Counter()
        for stream in self.truth["streams"].values():
            if "channel" in stream and "produced" in stream:
                told[tuple(int(stream[key]) for key in ("channel", "cpu", "subbuf_size", "produced",
                                                        "consumed"))] += 1
        for name, session in self.sessions.items():
            # Without streams that a consumer has open: it may not have read from them.
            if name in ("noisy", "frozen", "never", "snapshots"):
                continue
            for channel in session["channels"]:
                if values(channel)["type"] != "data":
                    continue
                for ring in channel["rings"]:
                    metrics = ring["metrics"]
                    ours[(int(channel["name"]), int(ring["name"][3:]),
                          values(channel)["subbuf_size"], metrics["write_offset"],
                          metrics["consumed"])] += 1
        for stream, number in ours.items():
            self.count += 4 * number
            self.test.assertGreaterEqual(told[stream], number, "%s: %s" % (stream, told))

    def faults(self):
        """What the guest's module did to buffers that nobody else writes to."""
        done = collections.defaultdict(list)
        for number in sorted(self.truth["faults"], key=int):
            fault = self.truth["faults"][number]
            done[fault["session"], fault["channel"], fault["cpu"]].append(fault)
        for (session, number, cpu), faults in done.items():
            if session in ("snapshots", "counted", "noisy"):
                continue
            what = "%s/%s/cpu%s" % (session, number, cpu)
            ring = common.by_name(common.by_name(self.sessions[session]["channels"])[number]
                                  ["rings"])["cpu" + cpu]
            for name, theirs in (("records_lost_full", "full"), ("records_lost_wrap", "wrap"),
                                 ("records_lost_big", "big")):
                self.value(ring, name, sum(int(fault[theirs]) for fault in faults), what)
            holes = sum(int(fault["slot"]) for fault in faults if fault["action"] == "hole")
            self.value(ring, "uncommitted", holes, what)
            last = faults[-1]
            if last["action"] in ("emit", "hole", "lose") and last["at"] != "0" and \
                    session != "stopped":
                self.value(ring, "write_offset", int(last["at"]) + int(last["slot"]), what)


class Memory:
    """Guest memory out of QEMU's ELF dump: pages by their address in the kernel's direct map."""

    GIB = 1 << 30

    def __init__(self, path):
        self.file = open(path, "rb")
        header = self.file.read(64)
        start, = struct.unpack_from("<Q", header, 32)
        count, = struct.unpack_from("<H", header, 56)
        self.file.seek(start)
        self.loads = []
        for _ in range(count):
            kind, _, offset, _, physical, size, _, _ = struct.unpack("<IIQQQQQQ",
                                                                     self.file.read(56))
            if kind == 1:
                self.loads.append((physical, offset, size))

    def page(self, address):
        # The map starts at a multiple of 1 GiB, and these guests have less memory than that.
        physical = address % self.GIB
        for start, offset, size in self.loads:
            if start <= physical < start + size:
                self.file.seek(offset + physical - start)
                return self.file.read(4096)
        raise AssertionError("%x is not in the dump" % address)

    def subbuf(self, slot):
        return b"".join(self.page(int(page, 16))
                        for page in slot["attributes"]["pages"].split(","))

    def close(self):
        self.file.close()


class Buffers(common.GuestTest):
    """Each guest's dumps, with each source of types that it has."""

    def sources(self, guest):
        """{label: options}; the assumed layout needs nothing."""
        debug = os.path.join(guest.folder, "debug")
        found = {"assumed": ["--types", "assumed,btf"],
                 "dwarf": ["--types", "dwarf,btf", "--debuginfo", debug]}
        if guest.truth.get("modules", {}).get("lttng_tracer", {}).get("btf_bytes", "0") != "0":
            found["btf"] = ["--types", "btf"]
        return found

    def compare(self, recipe, form):
        guest = common.guest(recipe)
        dump = guest.dumps[form]
        sources = self.sources(guest)
        if form == "":
            # What the dump left out may be the list of modules' BTF or a module's version: then
            # another source has to do.
            sources = {"any": [], "dwarf": sources["dwarf"]}
        for label, options in sources.items():
            with self.subTest(label):
                report = self.show("-v", "-f", "lttng", *options, dump)
                if label != "any":
                    self.assertEqual(common.section(report, "lttng")["types"], label)
                comparison = Comparison(self, report, guest.truth, excluded=form == "")
                # makedumpfile 1.7.2 loses slab pages of 6.12; what is left must be right.
                if form != "":
                    self.assertEqual(comparison.section["status"], "ok", report["problems"])
                comparison.all()
                if form != "":
                    # Rare states that the guest was brought into; the consumer may have been
                    # stopped in one of them as well.
                    self.assertEqual([comparison.gone["reading/%d/cpu0" % number]
                                      for number in (1, 2)], [False, True])
                    self.assertEqual(
                        len(comparison.groups),
                        0 if guest.truth["lttng_modules"].startswith("2.12.") else 2)
                if not comparison.missing:
                    comparison.streams()
                    comparison.faults()
        self.note("%d values by each of %s%s" % (
            comparison.count, ", ".join(sources),
            "; %d not in the dump" % comparison.missing if comparison.missing else ""))

    def flat(self, recipe):
        """All sources of types give the same text, to the byte."""
        guest = common.guest(recipe)
        found = {}
        for label, options in self.sources(guest).items():
            ran = self.rbstats("show", "-v", "-F", "flat", "-f", "lttng", *options,
                               guest.dumps["elf"])
            self.assertEqual((ran.status, ran.err), (0, ""), ran)
            found[label] = ran.out
        self.assertGreater(len(found["assumed"].splitlines()), 3000)
        for label, out in found.items():
            self.assertEqual(out, found["assumed"], label)
        # What a user gets who gives no options, and no debug information.
        report = self.show("-f", "lttng", guest.dumps["elf"])
        self.assertEqual(common.section(report, "lttng")["types"],
                         "btf" if "btf" in found else "assumed")
        self.note("%d lines by each of %s" % (len(found["assumed"].splitlines()),
                                              ", ".join(found)))

    def teardown(self, recipe):
        """The driver's own messages, which it printed after the dump about the same state."""
        guest = common.guest(recipe)
        told = collections.Counter(
            text.partition("|")[2].replace("\\x0a", "\n")
            for text in guest.truth["teardown"].values())
        self.assertGreater(sum(told.values()), 50)
        ran = self.rbstats("show", "-f", "lttng", "-F", "teardown", guest.dumps["elf"])
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        ours = collections.Counter(
            text.rstrip("\n") for text in
            re.split(r"^(?=(?:LTTng: )?ring buffer)", ran.out, flags=re.M) if text)
        if "LTTNG_RING_BUFFER_COUNT_EVENTS" in guest.truth["defines"]:
            # Of a buffer that was gone at the dump, of a recorded snapshot's metadata.
            told["LTTng: ring buffer relay-metadata-mmap, cpu -1: 2 records written, "
                 "0 records overrun"] -= 1
        self.assertEqual(ours - told, collections.Counter())
        self.assertEqual(told - ours, collections.Counter())
        self.note("%d messages" % sum(told.values()))

    def packets(self, recipe):
        """Count events in the memory that rbstats names as a sub-buffer's."""
        guest = common.guest(recipe)
        report = self.show("-v", "-f", "lttng", guest.dumps["elf"])
        sessions = common.by_name(common.section(report, "lttng")["devices"])
        memory = Memory(guest.dumps["elf"])
        self.addCleanup(memory.close)
        # lttng-test emitted so many; in the packets is what was not lost.
        channel = common.by_name(sessions["counted"]["channels"])["0"]
        for ring in channel["rings"]:
            emitted = int(guest.truth["emitted"][ring["name"]])
            written = sum(memory.subbuf(slot).count(EVENT) for slot in ring["slots"])
            self.assertEqual(written + ring["metrics"]["records_lost_full"], emitted)
            self.assertTrue(all(memory.subbuf(slot)[:4] == b"\xc1\x1f\xfc\xc1"
                                for slot in ring["slots"]), ring["name"])
            self.note("%s: %d written, %d lost" % (ring["name"], written, emitted - written))
        # The module's own records, in buffers that lost nothing to a reader or a later pass; the
        # one that was never committed is there as well.
        written = collections.Counter()
        for fault in guest.truth["faults"].values():
            written[fault["session"], fault["channel"], fault["cpu"]] += int(fault["written"])
        for session, number, cpu in (("hole", "0", "0"), ("hole", "0", "1"), ("hole", "1", "0"),
                                     ("big", "0", "0"), ("big", "0", "1"), ("frozen", "0", "0"),
                                     ("reading", "0", "0"), ("reading", "0", "1")):
            ring = common.by_name(common.by_name(sessions[session]["channels"])[number]
                                  ["rings"])["cpu" + cpu]
            wanted = written[session, number, cpu]
            self.assertGreater(wanted, 9)
            self.assertEqual(sum(memory.subbuf(slot).count(b"RBBSTATS")
                                 for slot in ring["slots"]), wanted, session)

    def table(self, recipe):
        """The shipped table is what the tool makes of the very modules that ran."""
        guest = common.guest(recipe)
        built = common.run(["make", "-s", "tools"], timeout=600)
        self.assertEqual(built.status, 0, built)
        debug = os.path.join(guest.folder, "debug")
        version = re.search(rb"(?<!src)version=([0-9.]+)\0", open(
            os.path.join(debug, "lttng-tracer.ko"), "rb").read()).group(1).decode()
        machine = {"amd64": "x86_64", "arm64": "aarch64"}[guest.truth["kernel"]["arch"]]
        name = "%s_%s" % (version.replace(".", "_"), machine)
        made = common.run([os.path.join(common.BUILD, "layout-table"), name, debug])
        self.assertEqual((made.status, made.err), (0, ""), made)
        with open(os.path.join(common.TOP, "dwarf", "tables", "lttng_%s.c" % name)) as file:
            shipped = file.read()
        # The kernel's release may be a newer one of the same suite than when it was made.
        texts = [re.sub(r"\s+|Linux [^,]*,|\.kernel = \S*", "", text)
                 for text in (made.out, shipped)]
        self.assertEqual(texts[0], texts[1])


def _add(name, method, *arguments):
    def test(self):
        getattr(self, method)(*arguments)
    test.__name__ = re.sub(r"\W", "_", name)
    setattr(Buffers, test.__name__, test)


# makedumpfile reads no dump of arm64 here.
for _what, _arguments in (("compare", ("elf",)), ("table", ())):
    _add("test_%s_arm64_lttng_6_12" % _what, _what, "arm64-lttng-6.12", *_arguments)

for _recipe in RECIPES:
    for _form, _word in (("elf", "elf"), ("", "d31")):
        _add("test_values_%s_%s" % (_recipe, _word), "compare", _recipe, _form)
    for _what in ("flat", "teardown", "packets", "table"):
        _add("test_%s_%s" % (_what, _recipe), _what, _recipe)


class Crash(common.GuestTest):
    """The extension says the same as the program; and crash reads where rbstats says data is."""

    def crash(self, suite, arch, release, dump, *commands):
        if not shutil.which("crash"):
            common.skip_or_fail("crash is not installed", False)
        kernels = importlib.import_module("toolkit.kernels")
        errors = importlib.import_module("toolkit.errors")
        try:
            vmlinux = kernels.Debug(suite, arch, release).files(vmlinux=True)["vmlinux"]
        except errors.Skip as error:
            common.skip_or_fail(str(error), True)
        with tempfile.NamedTemporaryFile("w") as script:
            script.write("\n".join(commands + ("quit", "")))
            script.flush()
            return common.run(["crash", "-s", "-i", script.name, vmlinux, dump], timeout=300)

    def folder(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def test_lttng_6_1(self):
        extension = os.path.join(common.BUILD, "rbstats.so")
        self.assertTrue(os.path.exists(extension), "the extension is not built")
        guest, folder = common.guest("lttng-6.1"), self.folder()
        kernel, dump = guest.truth["kernel"], guest.dumps["elf"]
        wanted = (("-v", "-F", "flat", "-f", "lttng"), ("-v", "-F", "flat", "-f", "ftrace"),
                  ("-F", "teardown", "-f", "lttng"))
        self.crash(kernel["suite"], kernel["arch"], kernel["release"], dump, "extend " + extension,
                   *["rbstats %s > %s/%d" % (" ".join(options), folder, number)
                     for number, options in enumerate(wanted)])
        for number, options in enumerate(wanted):
            ran = self.rbstats("show", *options, dump)
            with open("%s/%d" % (folder, number)) as file:
                self.assertEqual(file.read(), ran.out, options)
            self.assertGreater(len(ran.out.splitlines()), 100, options)

    def test_shared_packets(self):
        """The events in the dump beside the project's checkouts, counted in the packets."""
        dump, _ = common.shared_dump("linux-6.1-lttng-virtio")
        folder, report = self.folder(), self.show("-v", "-f", "lttng", dump)
        channel, = [channel for session in common.section(report, "lttng")["devices"]
                    for channel in session["channels"]
                    if values(channel).get("events") == "lttng_test_filter_event" and
                    values(channel)["mode"] == "discard"]
        pages = {ring["name"]: [page for slot in ring["slots"]
                                for page in slot["attributes"]["pages"].split(",")]
                 for ring in channel["rings"]}
        self.crash("bookworm", "amd64", report["dump"]["kernel_release"], dump,
                   *["rd -r %s/%s.%d %s 4096" % (folder, name, number, page)
                     for name, found in pages.items() for number, page in enumerate(found)])
        counts = {}
        for name, found in pages.items():
            data = b""
            for number in range(len(found)):
                with open("%s/%s.%d" % (folder, name, number), "rb") as file:
                    data += file.read()
            counts[name] = data.count(EVENT)
        self.assertEqual(counts, {"cpu0": 132, "cpu1": 123})


class Damaged(common.SanitizedTest):
    """Ring buffers' structures overwritten in a real excerpt: it costs their session."""

    NAMES = (b"relay-discard\0", b"relay-overwrite-mmap\0", b"relay-metadata-mmap\0")

    def sessions(self, path):
        ran = self.rbstats("show", "-v", "-f", "lttng", "-F", "json", path)
        self.assertIn(ran.status, (0, 1), ran)
        if ran.status:
            self.assertOneLine(ran)
            return {}
        section = common.section(json.loads(ran.out), "lttng")
        return common.by_name(section["devices"])

    def places(self, data):
        """Where a channel's name is: the last member of its struct channel_backend."""
        found = []
        for name in self.NAMES:
            at = data.find(name)
            while at >= 0:
                # The names' own constants have text before them; a channel has its mask of CPUs,
                # which is a kernel pointer.
                if data[at - 1] == 0xff:
                    found.append(at)
                at = data.find(name, at + 1)
        return sorted(found)

    def test_channels(self):
        with open(common.fixture("linux-6.1-virtio.elf"), "rb") as file:
            whole = file.read()
        sound = self.sessions(common.fixture("linux-6.1-virtio.elf"))
        self.assertGreaterEqual(len(sound), 3)
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "damaged.elf")
        random_source = random.Random(20111116)
        harmed = 0
        for at in self.places(whole):
            data = bytearray(whole)
            # Behind the start of the name is nothing that is read; 256 bytes before it are sizes,
            # the buffers' pointer, and the configuration.
            for word in range(at - 256 & ~7, at & ~7, 8):
                data[word:word + 8] = random_source.choice((
                    b"\xff" * 8, b"\0" * 8, b"\x6b" * 8, random_source.randbytes(8)))
            with open(path, "wb") as file:
                file.write(data)
            left = self.sessions(path)
            self.assertEqual(sorted(left), sorted(sound), hex(at))
            changed = [name for name in sound if left[name] != sound[name]]
            self.assertLessEqual(len(changed), 1, hex(at))
            harmed += len(changed)
        self.assertGreaterEqual(harmed, 4)
        self.note("%d channels overwritten one by one" % harmed)


class Shared(common.Test):
    """The dump that lies beside the project's own checkouts: stripped modules of 2.13.9."""

    def test_lttng_virtio(self):
        dump, folder = common.shared_dump("linux-6.1-lttng-virtio")
        report = self.show("-v", "-f", "lttng", dump)
        section = common.section(report, "lttng")
        self.assertEqual(section["types"], "assumed")
        channels = [(session["name"], channel) for session in section["devices"]
                    for channel in session["channels"]]
        lost = [{ring["name"]: ring["metrics"]["records_lost_full"] for ring in channel["rings"]}
                for _, channel in channels
                if values(channel).get("events") == "lttng_test_filter_event" and
                values(channel)["mode"] == "discard"]
        self.assertEqual(lost, [{"cpu0": 4868, "cpu1": 0}])
        ours = {(int(channel["name"]), int(ring["name"][3:]), values(channel)["subbuf_size"],
                 ring["metrics"]["write_offset"], ring["metrics"]["consumed"])
                for _, channel in channels for ring in channel["rings"]
                if ring["name"] != "global"}
        # The guest traced itself on when it had asked: 4 of its 8 buffers stood still.
        with open(os.path.join(folder, "console.log"), errors="replace") as file:
            told = {tuple(int(number) for number in match.groups()) for match in re.finditer(
                r"^LTTNGSTREAM .*produced=(\d+) consumed=(\d+) subbuf=(\d+) instance=(\d+)\(0\) "
                r"stream_id=(\d+)", file.read(), re.M)}
        told = {(stream, instance, size, produced, consumed)
                for produced, consumed, size, instance, stream in told}
        still = ours & told
        self.note("%d buffers of %d as the streams' files said" % (len(still), len(ours)))
        self.assertGreaterEqual(len(still), 6)
        self.assertIn((0, 0, 8192, 32547, 0), still)
        self.assertIn((0, 1, 8192, 30396, 0), still)


if __name__ == "__main__":
    unittest.main()
