"""
The buffers of LTTng's user space tracer: what the consumers wrote once the machine went on, and what
the guest said of processes and files, against what a dump of the moment before tells.
"""

import base64
import collections
import importlib
import json
import os
import re
import shutil
import struct
import tarfile
import tempfile
import unittest

import common
import ctf

FIXTURES = {"lttng-ust-6.1": "linux-6.1-lttng-ust", "lttng-ust-5.10": "linux-5.10-lttng-ust",
            "lttng-ust-7": "linux-7.3-lttng-ust"}
RECIPES = ("lttng-ust-6.1", "lttng-ust-6.12", "lttng-ust-6.12-newest", "lttng-ust-5.10",
           "lttng-ust-7")

MAGIC = bytes.fromhex("177bf177bf177bf177bf177bf177bf17")
SESSIONS = {"uid": "per-uid", "snap": "per-uid", "path": "per-uid", "quiet": "per-uid",
            "pid": "per-pid"}
# Which channels of the sessions an event goes to: session, how streams' files start.
EVENTS = {"disc": (("uid", "disc_"), ("pid", "disc_")),
          "over": (("uid", "stream_"), ("snap", "over_")), "path": (("path", "wide_"),)}


def values(node):
    return {**node.get("attributes", {}), **node.get("metrics", {})}


class Stream:
    """One stream as the consumer wrote it: file, packets, and what is in them."""

    def __init__(self, folder, path, size_before):
        self.folder, self.name = os.path.join(folder, os.path.dirname(path)), os.path.basename(path)
        self.path, self.session = path, path.split("/")[0]
        self.word = 4 if self.wide(path) == 32 else 8
        self.packets = ctf.packets(os.path.join(folder, path), self.word)
        self.uuid, self.stream = self.packets[0].uuid.hex(), self.packets[0].stream
        self.cpu = self.packets[0].cpu
        self.size_before = size_before
        # babeltrace2 2.0 reads no CTF 2, but then an empty stream needs no reader.
        self.events = 0
        if any(packet.content for packet in self.packets):
            self.events = len(ctf.read_stream(self.folder, self.name).events)

    @staticmethod
    def wide(path):
        """Bits, by the folder: of the programs of a user; else by the program's name."""
        found = re.search(r"/(32|64)-bit/", path)
        return int(found.group(1)) if found else 32 if "traced-i386" in path else 64

    @property
    def lost(self):
        return self.packets[-1].discarded

    def end(self, size):
        """The position up to which was written, in sub-buffers of size bytes."""
        last = self.packets[-1]
        return last.seq * size + ctf.HEADERS[self.word].size + len(last.content)


class Truth:
    """A guest's: the streams that the consumers wrote, the processes, the files."""

    def __init__(self, guest, folder):
        self.said = guest.truth
        with tarfile.open(os.path.join(guest.folder, "traces.tar.gz")) as archive:
            archive.extractall(folder)
        folder = os.path.join(folder, "trace")
        before = self.said["before"]
        self.streams = [Stream(folder, path, int(before.get(path, 0)))
                        for path in self.said["after"]]

    def processes(self, path, inode):
        """Numbers of the processes that map a file, by /proc/PID/maps."""
        found = set()
        for key, name in self.said["maps"].items():
            _, number, pid, _ = key.split("_")
            if int(number) == inode and name.replace("_(deleted)", "").endswith(path):
                found.add(int(pid))
        return found

    def objects(self):
        """The buffers among the files that were mapped: {(end of the path, inode): head}."""
        found = {}
        for key, told in self.said["objects"].items():
            head = base64.b64decode(told["head"])
            if head.startswith(MAGIC):
                name = told["name"].replace(" (deleted)", "")
                found[(name, int(key.split("-")[1]))] = head
        return found


class Found:
    """A report's buffers: rings with their channel and device."""

    Ring = collections.namedtuple("Ring", "values channel device node")

    def __init__(self, report):
        self.section = common.section(report, "lttng-ust")
        self.rings = []
        for device in self.section.get("devices", []):
            for channel in device.get("channels", []):
                for ring in channel.get("rings", []):
                    self.rings.append(self.Ring(
                        {**values(ring), "name": ring["name"]},
                        {**values(channel), "name": channel["name"]},
                        {**values(device), "name": device["name"]}, ring))

    def stream(self, stream):
        """The one that the consumer wrote the stream from."""
        name = "cpu%d" % stream.cpu
        found = [ring for ring in self.rings
                 if ring.channel.get("trace", "").replace("-", "") == stream.uuid and
                 ring.channel.get("id") == stream.stream and ring.values["name"] == name and
                 ring.device["kind"] != "unmapped"]
        if len(found) != 1:
            raise AssertionError("%s: %d buffers" % (stream.path, len(found)))
        return found[0]

    def untouched(self):
        """No packet was begun in them: since 2.15 they do not tell whose they are."""
        return [ring for ring in self.rings if "trace" not in ring.channel]


class Comparison:
    """guest(recipe): a guest, and its truth."""

    def found(self, dump, *options):
        return Found(self.show("-f", "lttng-ust", "-v", *options, dump))

    def streams(self, recipe):
        guest, truth = self.guest(recipe)
        found = self.found(guest.dumps["elf"])
        written = 0
        for stream in truth.streams:
            # Nothing was ever written to it; the consumer closed an empty packet.
            if not stream.events and found.untouched():
                continue
            self.stream(found.stream(stream), stream)
            written += stream.events
        self.note("%d streams, %d events written, %d lost" % (
            len(truth.streams), written, sum(stream.lost for stream in truth.streams)))
        return truth, found

    def stream(self, ring, stream):
        got, channel, what = ring.values, ring.channel, stream.path
        lost = [got["records_lost_" + kind] for kind in ("full", "wrap", "big")]
        self.assertEqual(sum(lost), stream.lost, what)
        self.assertEqual(got["write_offset"], stream.end(channel["subbuf_size"]), what)
        if channel["mode"] == "discard":
            self.assertEqual(got["consumed"], stream.size_before, what)
        else:
            # The writer moved it on, a whole sub-buffer at a time.
            self.assertEqual(got["consumed"] % channel["subbuf_size"], 0, what)
            self.assertEqual(got["consumed"], stream.packets[0].seq * channel["subbuf_size"], what)
        self.assertEqual(channel["word_size"], stream.word * 8, what)
        self.assertEqual(channel["byte_order"], "little", what)
        self.assertEqual((got["uncommitted"], got["record_disabled"]), (0, 0), what)
        for name in ("records_count", "records_overrun"):
            self.assertEqual((got[name], ring.node["absent"][name]), (None, "not-counted"), what)
        self.packets(ring, stream)

    def packets(self, ring, stream):
        """Packets that were whole at the dump, as they were written afterwards."""
        size = ring.channel["subbuf_size"]
        written = {packet.seq: packet for packet in stream.packets}
        compared = 0
        for slot in ring.node["slots"]:
            told = values(slot)
            if told["state"] != "delivered":
                continue
            packet = written[told["packet_seq"]]
            self.assertEqual(
                (told["timestamp_begin"], told["timestamp_end"], told["events_discarded"]),
                (packet.begin, packet.end, packet.discarded), stream.path)
            self.assertEqual(told["content_size"] // 8 - ctf.HEADERS[stream.word].size,
                             len(packet.content), stream.path)
            self.assertEqual((told["committed"], told["visible"]), (size, size), stream.path)
            compared += 1
        self.assertEqual(ring.values["readable"], compared * size, stream.path)

    def emitted(self, truth):
        """What the programs emitted is what was written and what was lost: all is accounted for."""
        told = collections.Counter()
        for line in truth.said["emitted"].values():
            program, event, cpu, count = line.split()[:4]
            for session, start in EVENTS[event]:
                told[session, start, int(cpu)] += int(count)
        for (session, start, cpu), count in told.items():
            streams = [stream for stream in truth.streams if stream.session == session and
                       stream.name == "%s%d" % (start, cpu)]
            if session in ("uid", "pid", "path") and start != "stream_":
                self.assertEqual(sum(stream.events + stream.lost for stream in streams), count,
                                 (session, start, cpu))

    def owners(self, truth, found):
        objects = truth.objects()
        seen = 0
        consumers = {int(pid) for pid in truth.said["processes"]["consumers"].split()}
        for (name, inode), head in objects.items():
            rings = [ring for ring in found.rings if ring.values["inode"] == inode and
                     name.endswith(ring.values["path"])]
            self.assertEqual(len(rings), 1, (name, inode))
            ring = rings[0]
            seen += 1
            self.positions(ring, head, (name, inode))
            self.assertEqual(ring.values["pages_present"], ring.values["pages"])
            self.assertEqual(ring.values["pages_differ"], 0)
            self.assertGreater(ring.values["pages_agreed"], 0)
            self.assertEqual(ring.values["found_by"], "processes,inodes")
            told = dict(re.findall(r"(\d+) (\S+ \(uid \d+\))", ring.channel["processes"]))
            mapped = truth.processes(ring.values["path"], inode)
            # A channel's processes are those of all of its buffers.
            self.assertEqual({int(pid) for pid in told}, mapped, (name, inode))
            for pid in mapped:
                process = truth.said["process"][str(pid)]
                self.assertEqual(told[str(pid)], "%s (uid %s)" % (process["comm"], process["uid"]))
            if ring.device["kind"] == "consumer":
                self.assertIn(ring.device["pid"], consumers & mapped)
            else:
                self.assertEqual(ring.device["kind"], "process")
                self.assertEqual({ring.device["pid"]}, mapped - consumers)
        # Beside those that are mapped: the copy, which nobody maps.
        rest = [ring for ring in found.rings if ring.device["kind"] == "unmapped"]
        self.assertEqual(len(found.rings), seen + 1)
        self.assertEqual([ring.values["inode"] for ring in rest],
                         [int(truth.said["evidence"]["inode"])])
        self.assertEqual((rest[0].channel["processes"], rest[0].values["found_by"]),
                         ("none", "inodes"))

    def positions(self, ring, head, what):
        """As the guest's kernel read them out of the file, by the table at its start."""
        word = head[30]
        number = {4: "<I", 8: "<Q"}[word]
        places = struct.unpack_from("<II", head, 32)
        told = tuple(struct.unpack_from(number, head, place)[0] for place in places)
        self.assertEqual((ring.values["write_offset"], ring.values["consumed"]), told, what)

    def schemes(self, truth, found):
        """Per user or per process, by the folder that the consumer writes to."""
        known = 0
        for stream in truth.streams:
            rings = [ring for ring in found.rings
                     if ring.channel.get("trace", "").replace("-", "") == stream.uuid]
            for ring in rings:
                self.assertIn(ring.channel["buffering"], (SESSIONS[stream.session], "unknown"))
                known += ring.channel["buffering"] != "unknown"
                if "session" in ring.channel:
                    self.assertEqual(ring.channel["session"], stream.session)
        return known

    def all(self, recipe):
        truth, found = self.streams(recipe)
        self.emitted(truth)
        self.owners(truth, found)
        self.assertGreater(self.schemes(truth, found), 0)
        for ring in found.rings:
            if ring.device["kind"] != "unmapped":
                self.assertEqual(ring.channel["buffering_by"], "metadata")
        listed = re.search(r"Discarded events: (\d+)",
                           "\n".join(truth.said["list"]["pid"].values())).group(1)
        lost = sum(ring.values["records_lost_" + kind] for ring in found.rings
                   for kind in ("full", "wrap", "big") if ring.channel.get("session") == "pid")
        self.assertEqual(lost, int(listed))
        return truth, found


class Fixture(Comparison, common.Test):
    """The excerpts that the repository carries, with what their machines said and wrote."""

    Guest = collections.namedtuple("Guest", "truth folder dumps")

    def guest(self, recipe):
        name = FIXTURES[recipe]
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        with tarfile.open(os.path.join(common.FIXTURES, name + ".machine.tar.xz")) as archive:
            archive.extractall(folder)
        with open(os.path.join(folder, "truth.json")) as file:
            truth = json.load(file)
        guest = self.Guest(truth, folder, {"elf": common.fixture(name + ".elf")})
        return guest, Truth(guest, folder)

    def test_6_1(self):
        self.all("lttng-ust-6.1")

    def test_5_10(self):
        self.all("lttng-ust-5.10")

    def test_7(self):
        self.all("lttng-ust-7")


class Buffers(Comparison, common.GuestTest):
    cache = {}

    def guest(self, recipe):
        if recipe not in self.cache:
            guest = common.guest(recipe)
            folder = tempfile.mkdtemp()
            unittest.addModuleCleanup(shutil.rmtree, folder)
            self.cache[recipe] = guest, Truth(guest, folder)
        return self.cache[recipe]

    def test_6_1(self):
        self.all(RECIPES[0])

    def test_6_12(self):
        truth, found = self.streams(RECIPES[1])
        self.emitted(truth)
        self.owners(truth, found)
        self.assertGreater(self.schemes(truth, found), 0)

    def test_6_12_newest(self):
        truth, found = self.streams(RECIPES[2])
        self.emitted(truth)
        self.owners(truth, found)
        self.schemes(truth, found)
        self.assertEqual({ring.channel["abi"] for ring in found.rings}, {"1.0"})
        self.assertEqual({ring.channel["release"] for ring in found.rings}, {"2.15 and 2.16"})

    def test_5_10(self):
        _, found = self.all(RECIPES[3])
        self.assertEqual({ring.channel["abi"] for ring in found.rings}, {"0.0"})
        self.assertEqual({ring.channel["release"] for ring in found.rings}, {"2.11 to 2.14"})

    def test_7(self):
        self.all(RECIPES[4])

    def test_dead_process(self):
        """The buffers of a program that was killed: its consumer still has them."""
        for recipe in RECIPES:
            guest, truth = self.guest(recipe)
            dead = truth.said["processes"][truth.said["processes"]["dead"]]
            streams = [stream for stream in truth.streams if "-%s-" % dead in stream.path]
            self.assertEqual(len(streams), 2)
            found = self.found(guest.dumps["elf"])
            for stream in streams:
                if not stream.events and found.untouched():
                    continue
                ring = found.stream(stream)
                self.assertEqual(ring.device["kind"], "consumer")
                self.assertNotIn(dead, ring.channel["processes"])

    def test_scan(self):
        """The descriptions of pages lead to the same buffers as processes and inodes do."""
        for recipe in RECIPES:
            guest, _ = self.guest(recipe)
            plain = self.found(guest.dumps["elf"])
            scanned = self.found(guest.dumps["elf"], "--scan")
            self.assertEqual(len(plain.rings), len(scanned.rings))
            for one, two in zip(plain.rings, scanned.rings):
                self.assertTrue(two.values.pop("found_by").endswith("pages"))
                del one.values["found_by"]
                self.assertEqual((one.values, one.channel), (two.values, two.channel))

    def test_levels(self):
        """Level 17 leaves the buffers alone, 31 drops them: then the reason is told."""
        for recipe in RECIPES:
            guest, truth = self.guest(recipe)
            whole = self.show("-f", "lttng-ust", "-v", guest.dumps["elf"])
            kept = self.show("-f", "lttng-ust", "-v", guest.dumps["d17"])
            self.assertEqual(kept["sections"], whole["sections"])
            report = self.show("-f", "lttng-ust", guest.dumps["d31"])
            section = common.section(report, "lttng-ust")
            self.assertEqual((section["status"], section.get("devices", [])), ("partial", []))
            # makedumpfile drops pages of tasks and inodes of 6.12 and later too: that is told as well.
            if recipe not in (RECIPES[0], RECIPES[3]):
                self.assertRegex(report["problems"][0]["reason"],
                                 r"\d+ buffers of \d+ pages excluded by dump level")
                self.assertEqual({problem["code"] for problem in report["problems"]},
                                 {"excluded"})
                continue
            pages = sum((int(told["size"]) + 4095) // 4096
                        for told in truth.said["objects"].values()
                        if base64.b64decode(told["head"]).startswith(MAGIC))
            problem, = report["problems"]
            self.assertEqual(problem["code"], "excluded")
            self.assertIn("%d buffers of %d pages excluded by dump level" % (
                len(truth.objects()), pages), problem["reason"])

    def test_absent(self):
        """A kernel on which nothing traces has none, and says so."""
        report = self.show("-f", "lttng-ust", common.guest("v61-split").dumps["elf"])
        self.assertEqual(common.section(report, "lttng-ust")["status"], "absent")


class Crash(common.GuestTest):
    def same_as_the_program(self, recipe):
        if not shutil.which("crash"):
            common.skip_or_fail("crash is not installed", False)
        kernels = importlib.import_module("toolkit.kernels")
        errors = importlib.import_module("toolkit.errors")
        guest = common.guest(recipe)
        kernel, dump = guest.truth["kernel"], guest.dumps["elf"]
        try:
            vmlinux = kernels.Debug(kernel["suite"], kernel["arch"],
                                    kernel["release"]).files(vmlinux=True)["vmlinux"]
        except errors.Skip as error:
            common.skip_or_fail(str(error), True)
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "commands")
            with open(script, "w") as file:
                file.write("extend %s/rbstats.so\n" % common.BUILD)
                file.write("rbstats -f lttng-ust -v -F json > %s/plain\n" % folder)
                file.write("rbstats -f lttng-ust --scan -v -F json > %s/scan\n" % folder)
                file.write("quit\n")
            ran = common.run(["crash", "-s", "-i", script, vmlinux, dump], timeout=500)
            for name, options in (("plain", ()), ("scan", ("--scan",))):
                wanted = self.show("-f", "lttng-ust", "-v", *options, dump)
                with open(os.path.join(folder, name)) as file:
                    got = json.load(file)
                self.assertEqual(got["sections"], wanted["sections"], ran)
                self.assertGreater(len(Found(got).rings), 50)

    def test_6_1(self):
        self.same_as_the_program(RECIPES[0])

    def test_5_10(self):
        self.same_as_the_program(RECIPES[3])
