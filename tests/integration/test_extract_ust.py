"""rbstats extract on user space buffers, against what the resumed consumer wrote to its files."""

import glob
import json
import os
import re
import tarfile
import tempfile

import common
import ctf
import test_lttng_ust

# The newest release describes its traces in CTF 2.
RECIPES = test_lttng_ust.RECIPES


def word(path):
    """Bytes of a word of the traced program, by the names of its trace's folders."""
    return 4 if "32-bit" in path or "i386" in path else 8


def events(folder):
    """What babeltrace2 prints, without the time since the event before."""
    return sorted(re.sub(r" \(\+[^)]*\)", "", line) for line in ctf.read(folder).events)


class Traces:
    """All traces below a folder: {(UUID, stream, CPU): path of the stream's file}."""

    def __init__(self, folder):
        self.folder, self.files = folder, {}
        for path in glob.glob(folder + "/**/*_[0-9]", recursive=True):
            if os.path.getsize(path):
                first = ctf.packets(path, word(path))[0]
                self.files[first.uuid, first.stream, first.cpu] = path


class UstExtract(common.GuestTest):
    def setUp(self):
        super().setUp()
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)

    def extract(self, dump, *options):
        """The traces, and the summary."""
        path = tempfile.mkdtemp(dir=self.work.name)
        ran = self.rbstats("extract", "-F", "json", "-o", path, dump, *options)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        return Traces(path), json.loads(ran.out)

    def consumer(self, guest):
        """What the consumer wrote, before the dump and after."""
        path = tempfile.mkdtemp(dir=self.work.name)
        with tarfile.open(os.path.join(guest.folder, "traces.tar.gz")) as archive:
            archive.extractall(path)
        return Traces(path)

    @staticmethod
    def before(guest, theirs, path):
        """Bytes of a file that the consumer had written before the dump."""
        name = os.path.relpath(path, os.path.join(theirs.folder, "trace"))
        return int(guest.truth["before"].get(name, 0))

    def test_consumer(self):
        """Each packet that the consumer wrote after the dump, and no other, byte for byte."""
        for recipe in RECIPES:
            self.check_consumer(common.guest(recipe))

    def check_consumer(self, guest):
        ours, summary = self.extract(guest.dumps["elf"], "--partial")
        theirs = self.consumer(guest)
        self.assertEqual(summary["skipped"], [])
        streams = packets = partial = 0
        for key, path in theirs.files.items():
            size = word(path)
            start = self.before(guest, theirs, path)
            wanted = {packet.seq: packet for packet in ctf.packets(path, size)
                      # A packet that is flushed without an event is made up for the file.
                      if packet.at >= start and (packet.content or packet.discarded)}
            got = {packet.seq: packet for packet in
                   (ctf.packets(ours.files[key], size) if key in ours.files else [])}
            self.assertEqual(sorted(got), sorted(wanted), path)
            for number, packet in got.items():
                told = wanted[number]
                self.assertEqual(packet.content, told.content, path)
                self.assertEqual((packet.begin, packet.discarded), (told.begin, told.discarded))
                # The newest was closed when the consumer went on, which was later.
                if number == max(got):
                    partial += packet.end != told.end
                    self.assertLessEqual(packet.end, told.end)
                    if packet.end != told.end:
                        self.assertEqual(packet.padding.strip(b"\0"), b"")
                else:
                    self.assertEqual((packet.end, packet.padding), (told.end, told.padding), path)
            streams += 1
            packets += len(got)
        self.assertEqual(set(ours.files) - set(theirs.files), set())
        self.assertTrue(packets > streams / 2 and partial)
        self.note("%s: %d streams, %d packets" % (guest.name, streams, packets))

    def test_events(self):
        """babeltrace2 prints the same events of both, as many as were written and not consumed."""
        for recipe in RECIPES:
            guest = common.guest(recipe)
            ours, _ = self.extract(guest.dumps["elf"], "--partial")
            theirs = self.consumer(guest)
            total = 0
            for key, path in ours.files.items():
                rest = tempfile.mkdtemp(dir=self.work.name)
                with open(theirs.files[key], "rb") as file:
                    file.seek(self.before(guest, theirs, theirs.files[key]))
                    self.keep(rest, "stream_0", file.read())
                alone = tempfile.mkdtemp(dir=self.work.name)
                with open(path, "rb") as file:
                    self.keep(alone, "stream_0", file.read())
                for folder, source in ((rest, theirs.files[key]), (alone, path)):
                    text = ctf.metadata(os.path.join(os.path.dirname(source), "metadata"))
                    self.keep(folder, "metadata", text.encode())
                got = events(alone)
                self.assertEqual(got, events(rest), path)
                total += len(got)
            self.assertGreater(total, 1000)
            self.note("%s: %d events" % (guest.name, total))

    @staticmethod
    def keep(folder, name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    def test_metadata(self):
        """The daemon's copy is the text that the consumer wrote, to the byte."""
        for recipe in RECIPES:
            guest = common.guest(recipe)
            ours, _ = self.extract(guest.dumps["elf"], "--partial")
            theirs = self.consumer(guest)
            for key, path in ours.files.items():
                texts = [ctf.metadata(os.path.join(os.path.dirname(file), "metadata"))
                         for file in (path, theirs.files[key])]
                self.assertEqual(texts[0].strip(), texts[1].strip(), path)

    def test_not_in_the_dump(self):
        """makedumpfile's bits 2 and 4 drop the pages: nothing is written, and that is said."""
        guest = common.guest("lttng-ust-6.1")
        ran = self.rbstats("extract", "-o", os.path.join(self.work.name, "none"),
                           guest.dumps["d31"])
        self.assertOneLine(ran, r"nothing was written: lttng-ust: \d+ buffers of \d+ pages excluded by dump level")
        self.assertFalse(os.path.exists(os.path.join(self.work.name, "none")))


if __name__ == "__main__":
    import unittest
    unittest.main()
