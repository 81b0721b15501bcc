"""rbstats extract: what is in the trace, against what the guest says was written."""

import json
import os
import re
import shutil
import struct
import tempfile

import common
import ctf

RECIPES = ("lttng-5.10", "lttng-6.1", "lttng-6.1-btf", "lttng-6.1-counting", "lttng-6.12",
           "lttng-6.12-newest", "lttng-7")
MARK = b"RBBSTATS"
# Sessions whose records are the guest module's own, under the name of another event.
MARKED = ("big", "drained", "frozen", "hole", "reading", "stopped", "wide")


def numbers(packets):
    """The numbers of the module's records (fault.c), in the order of the packets."""
    found = []
    for packet in packets:
        at = packet.content.find(MARK)
        while at >= 0:
            found.append(struct.unpack_from("<Q", packet.content, at + len(MARK))[0])
            at = packet.content.find(MARK, at + len(MARK))
    return found


class Extracted:
    """One run: traces {session: path}, streams {(session, channel, cpu): row of JSON}."""

    def __init__(self, test, dump, *options):
        self.folder = tempfile.TemporaryDirectory()
        test.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "out")
        ran = test.rbstats("extract", "-F", "json", "-o", self.path, dump, *options)
        test.assertEqual((ran.status, ran.err), (0, ""), ran)
        self.result = json.loads(ran.out)
        self.traces, self.streams = {}, {}
        for trace in self.result["traces"]:
            session = trace["path"].split("/")[0]
            self.traces[session] = os.path.join(self.path, trace["path"])
            for stream in trace["streams"]:
                channel, cpu = re.fullmatch(r"channel(\d+)_(\d+)", stream["file"]).groups()
                self.streams[session, channel, cpu] = stream

    def file(self, session, channel, cpu):
        return os.path.join(self.traces[session], "channel%s_%s" % (channel, cpu))

    def packets(self, *stream):
        return ctf.packets(self.file(*stream)) if self.streams[stream]["packets"] else []

    def events(self, session, channel, cpu):
        if not self.streams[session, channel, cpu]["packets"]:
            return []
        return ctf.read_stream(self.traces[session],
                               "channel%s_%s" % (channel, cpu)).events


def buffers(truth):
    """(session, channel, CPU), the channel and the buffer, of all that hold records."""
    for session, told in truth["lttng"].items():
        for channel, chan in told["channels"].items():
            if chan["type"] == "data":
                for cpu, buffer in chan["cpus"].items():
                    yield (session, channel, cpu), chan, buffer


def memories(chan, buffer):
    """
    What the memory of each packet says, by its sub-buffer. A reader takes a packet out of an
    overwrite ring: 'reader' is one to whose place the ring has come round since.
    """
    found = dict(buffer["subbufs"])
    if buffer["get_subbuf"] == "1" and chan["mode"] == "overwrite":
        packet, number = int(buffer["reader"]["packet"]["seq"]), int(chan["num_subbuf"])
        newest = (int(buffer["offset"]) - 1) // int(chan["subbuf_size"])
        found["reader" if newest >= packet + number else str(packet % number)] = buffer["reader"]
    return found


class Extract(common.GuestTest):
    def check_all(self, check):
        for recipe in RECIPES:
            with self.subTest(recipe=recipe):
                check(common.guest(recipe))

    def test_exact_events(self):
        """lttng-test's events by babeltrace2: each written one and its payload, and the lost."""
        self.check_all(self.check_exact)

    def check_exact(self, guest):
        run = Extracted(self, guest.dumps["elf"], "--partial", "-d", "counted")
        self.assertEqual(list(run.traces), ["counted"])
        lost_all = 0
        for (session, channel, cpu), _, buffer in buffers(guest.truth):
            if session != "counted":
                continue
            emitted = int(guest.truth["emitted"]["cpu" + cpu])
            lost = int(buffer["lost_full"])
            lost_all += lost
            stream = ctf.read_stream(run.traces[session], "channel%s_%s" % (channel, cpu))
            self.assertEqual(len(stream.events), emitted - lost)
            self.assertEqual(stream.discarded, lost)
            for number, event in enumerate(stream.events):
                self.assertRegex(
                    event, r"lttng_test_filter_event: \{ cpu_id = %s \}, \{ intfield = %d, "
                    r"intfield2 = 0x%X, longfield = %d, (?:signedfield = -1, )?netintfield = %d, .*"
                    r'arrfield2 = "test", .* seqfield2 = "test", .* stringfield = "test"' %
                    (cpu, number, number, number, number))
        self.assertEqual(ctf.read(run.traces["counted"]).discarded, lost_all)
        self.note("%s: %d lost" % (guest.name, lost_all))

    def test_records(self):
        """The module's records, each by its number, in all states of a buffer."""
        self.check_all(self.check_records)

    def check_records(self, guest):
        dump = guest.dumps["elf"]
        written = {}
        gaps = set()
        for fault in guest.truth["faults"].values():
            stream = fault["session"], fault["channel"], fault["cpu"]
            if fault["action"] == "hole":
                gaps.add((stream, len(written[stream])))
            elif fault["session"] in MARKED:
                written.setdefault(stream, []).extend(range(int(fault["written"])))
        everything = Extracted(self, dump, "--all", "--partial")
        unread = Extracted(self, dump, "--partial")
        whole = Extracted(self, dump)
        checked = 0
        for stream, chan, buffer in buffers(guest.truth):
            if stream[0] not in MARKED:
                continue
            wanted = written.get(stream, [])
            size = int(chan["subbuf_size"])
            self.check_gap(everything, stream, wanted, gaps, size)
            got = numbers(everything.packets(*stream))
            if stream not in {gap for gap, _ in gaps}:
                # Nothing was overwritten, and no reader took the pages themselves away.
                fits = int(buffer["offset"]) <= size * int(chan["num_subbuf"]) and \
                    (chan["transport"].endswith("-mmap") or buffer["consumed"] == "0")
                first = 0
                if "reader" in memories(chan, buffer):
                    # The packet that the reader keeps, and then what the ring has.
                    first = len(numbers(everything.packets(*stream)[:1]))
                    self.assertEqual(got[:first], wanted[:first], stream)
                    self.assertGreater(first, 0, stream)
                self.assertEqual(got[first:],
                                 wanted if fits else wanted[len(wanted) - len(got) + first:],
                                 stream)
                self.assertTrue(got or buffer["consumed"] == buffer["offset"] or not wanted,
                                stream)
            # Less is taken away from both ends only: what was consumed, and what is open.
            some, less = (numbers(run.packets(*stream)) for run in (unread, whole))
            self.assertEqual(some, got[len(got) - len(some):], stream)
            if stream not in {gap for gap, _ in gaps}:
                self.assertEqual(less, some[:len(less)], stream)
            checked += len(got)
        self.note("%s: %d records" % (guest.name, checked))

    def check_gap(self, run, stream, wanted, gaps, size):
        """Of a sub-buffer with a record that was never committed: just what stands before it."""
        for gap, before in gaps:
            if gap != stream:
                continue
            first, *others = run.packets(*stream)
            self.assertEqual(numbers([first]), wanted[:before], stream)
            after = wanted[before:]
            rest = numbers(others)
            self.assertEqual(rest, after[len(after) - len(rest):], stream)
            self.assertLess(first.size, size + 1)

    def test_counted_by_the_kernel(self):
        """A build of LTTng that counts the records of each sub-buffer: the same numbers."""
        guest = common.guest("lttng-6.1-counting")
        dump = guest.dumps["elf"]
        whole, partial = Extracted(self, dump), Extracted(self, dump, "--partial")
        total = 0
        for stream, chan, buffer in buffers(guest.truth):
            size, number = int(chan["subbuf_size"]), int(chan["num_subbuf"])
            now = str((int(buffer["offset"]) - 1) % (size * number) // size)
            offset = int(buffer["offset"]) % size
            closed = sum(int(subbuf["records_unread"])
                         for name, subbuf in memories(chan, buffer).items()
                         if name != now or not offset)
            self.assertEqual(self.count(whole, stream), closed, stream)
            now_open = int(buffer["subbufs"][now]["records_commit"]) if offset else 0
            if stream[0] != "hole":
                self.assertEqual(self.count(partial, stream), closed + now_open, stream)
            total += closed + now_open
        self.note("%d records" % total)

    @staticmethod
    def count(run, stream):
        if stream[0] in MARKED:
            return len(numbers(run.packets(*stream)))
        return len(run.events(*stream))

    def test_babeltrace_all_states(self):
        """babeltrace2 reads the module's records in holes, rings that came round, held packets."""
        self.check_all(self.check_states)

    def check_states(self, guest):
        run = Extracted(self, guest.dumps["elf"], "--partial")
        payloads = {(fault["session"], fault["channel"]): int(fault["payload"])
                    for fault in guest.truth["faults"].values()
                    if fault["action"] in ("emit", "lose") and int(fault["written"])}
        total = 0
        for stream, _, buffer in buffers(guest.truth):
            if stream[0] not in MARKED or not run.streams[stream]["packets"]:
                continue
            packets = run.packets(*stream)
            with tempfile.TemporaryDirectory() as folder:
                self.describe(run.traces[stream[0]], folder, payloads[stream[:2]])
                shutil.copy(run.file(*stream), folder)
                read = ctf.read(folder)
            got = [int(re.search(r"number = (\d+)", event).group(1)) for event in read.events]
            self.assertEqual(got, numbers(packets), stream)
            lost = sum(int(buffer["lost_" + why]) for why in ("full", "wrap", "big"))
            self.assertEqual(packets[-1].discarded, lost, stream)
            # Of what was lost before the first packet babeltrace2 can't say how much it was.
            self.assertEqual(read.discarded, lost - packets[0].discarded, stream)
            total += len(got)
        self.note("%s: %d events" % (guest.name, total))

    @staticmethod
    def describe(trace, folder, payload):
        """Metadata that says what the module wrote in the place of the event's own fields."""
        text = ctf.metadata(os.path.join(trace, "metadata"))
        fields = "fields := struct { uint64_t mark; uint64_t number; uint8_t rest[%d]; };\n};" % (
            payload - 16)
        text, found = re.subn(r'(name = "lttng_test_filter_event";.*?)fields := struct \{.*?\n\t?\};\n\};',
                              lambda match: match.group(1) + fields, text, flags=re.S)
        if not found:
            raise AssertionError("no event in the metadata of " + trace)
        with open(os.path.join(folder, "metadata"), "w") as file:
            file.write(text)

    def test_no_lttng(self):
        """A kernel without LTTng: one line says it of both tracers."""
        with tempfile.TemporaryDirectory() as folder:
            ran = self.rbstats("extract", common.guest("v61-split").dumps["elf"],
                               "-o", os.path.join(folder, "out"))
            self.assertOneLine(ran, "nothing was written: lttng: LTTng's tracer is not loaded; "
                               "lttng-ust: no process and no file")
            self.assertEqual(os.listdir(folder), [])

    def test_as_the_tracer_says(self):
        """Packets bear the headers that the guest saw; those that are closed, to the bit."""
        for recipe in RECIPES:
            guest = common.guest(recipe)
            dump = guest.dumps["elf"]
            run = Extracted(self, dump)
            for stream, chan, buffer in buffers(guest.truth):
                heads = {int(subbuf["packet"]["seq"]): subbuf["packet"]
                         for subbuf in memories(chan, buffer).values() if "packet" in subbuf}
                for packet in run.packets(*stream):
                    head = heads[packet.seq]
                    for name, got in (("timestamp_begin", packet.begin),
                                      ("timestamp_end", packet.end), ("stream", packet.stream),
                                      ("packet_bits", packet.size * 8), ("cpu", packet.cpu),
                                      ("events_discarded", packet.discarded)):
                        self.assertEqual(got, int(head[name]), (recipe, stream, name))


class CommandLine(common.Test):
    """On an excerpt: of trace buffers it holds first pages, and no metadata."""

    def setUp(self):
        super().setUp()
        self.dump = common.fixture("linux-6.1-virtio.elf")
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)
        self.out = os.path.join(self.work.name, "out")

    def files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.work.name)
                      for folder, _, names in os.walk(self.work.name) for name in names)

    def test_no_metadata(self):
        ran = self.rbstats("extract", self.dump, "-o", self.out, "-d", "snap")
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        self.assertRegex(ran.out, r"(?m)^NO METADATA  snap/kernel: .*excluded from the dump$")
        self.assertRegex(ran.out, r"(?m)^skipped  snap/kernel/channel0_0 sub-buffer \d+: .*excluded")
        self.assertEqual(self.files(), ["out/snap/kernel/" + name for name in (
            "NO-METADATA.txt", "channel1_0", "channel1_1")])
        with open(os.path.join(self.out, "snap/kernel/NO-METADATA.txt")) as file:
            self.assertIn("excluded from the dump", file.read())
        found = ctf.packets(os.path.join(self.out, "snap/kernel/channel1_0"))
        self.assertEqual([packet.seq for packet in found],
                         list(range(found[0].seq, found[0].seq + 7)))
        # It is memory of a kernel.
        for folder, folders, names in os.walk(self.out):
            for name in folders + names:
                self.assertEqual(os.stat(os.path.join(folder, name)).st_mode & 0o077, 0, name)

    def test_never_overwrites(self):
        os.mkdir(self.out)
        with open(os.path.join(self.out, "mine"), "w"):
            pass
        ran = self.rbstats("extract", self.dump, "-o", self.out)
        self.assertOneLine(ran, "out is not empty")
        self.assertEqual(self.files(), ["out/mine"])
        # An empty one will do, and what is in it stays as it is the second time.
        os.unlink(os.path.join(self.out, "mine"))
        self.assertEqual(self.rbstats("extract", self.dump, "-o", self.out).status, 0)
        before = self.files()
        self.assertOneLine(self.rbstats("extract", self.dump, "-o", self.out), "not empty")
        self.assertEqual(self.files(), before)

    def test_usage(self):
        for pattern, arguments in (
                ("-o DIR says where", [self.dump]),
                ("no dump given", ["-o", self.out]),
                ("too many files", [self.dump, self.dump, self.dump, "-o", self.out]),
                ("-F takes text or json", ["-F", "flat", self.dump, "-o", self.out]),
                ("virtio has no trace packets", ["-f", "virtio", self.dump, "-o", self.out]),
                ("nothing was written: no session's name fits 'none'", ["-d", "none", self.dump, "-o", self.out]),
                ("No such file", [self.dump, "-o", self.out + "/none/out"])):
            with self.subTest(arguments=arguments):
                self.assertOneLine(self.rbstats("extract", *arguments), pattern)
                self.assertEqual(self.files(), [])
                self.assertFalse(os.path.exists(self.out))
        for command in ("show", "excerpt", "report"):
            self.assertOneLine(self.rbstats(command, "--partial", self.dump, "-o", self.out),
                               "options of 'extract'")

    def test_not_known(self):
        """An excerpt without what leads to processes: that is said."""
        small = os.path.join(self.work.name, "small.elf")
        made = self.rbstats("excerpt", "-f", "virtio", common.fixture("linux-7.3-mix.elf"), "-o", small)
        self.assertEqual(made.status, 0, made)
        ran = self.rbstats("extract", small, "-o", self.out)
        self.assertOneLine(ran, "nothing was written: lttng-ust: not all buffers may have been found")

    def test_full_disk(self):
        """A limit on the size of files: an error, and no half of a packet."""
        ran = common.run(["sh", "-c", 'ulimit -f 20; exec "$0" "$@"', self.program, "extract",
                          self.dump, "-o", self.out, "-d", "snap"])
        self.assertOneLine(ran, "File too large")
        sizes = {name: os.path.getsize(os.path.join(self.work.name, name))
                 for name in self.files() if "channel" in name}
        self.assertTrue(sizes)
        for name, size in sizes.items():
            self.assertEqual(size % 4096, 0, name)


if __name__ == "__main__":
    import unittest
    unittest.main()
