#!/usr/bin/env python3
"""Damaged dumps: every page of every fixture taken away in turn, and thousands of altered images.

docs/robustness.md says what is promised. The work is done in C (tests/damage), because it is a run of
all probes for every page, and of one probe for every image.
"""

import os
import re
import shutil
import subprocess
import tempfile

import common
import freebsd_image as image

PAGES = os.path.join(common.BUILD, "pages")
MUTATE = os.path.join(common.BUILD, "san", "mutate")
CHANGE_TABLES = os.path.join(common.BUILD, "san", "tables")
# Every page, also each of those that hold symbols and types, takes ten minutes and more.
ALL = os.environ.get("RBSTATS_DAMAGE") == "all"
TIMEOUT = 7200 if ALL else 1500

# Of these a run prints tens of thousands of packets, or reads thousands of pages (those of LTTng's
# daemons): one page in eight is taken.
LONG = ("linux-5.10-vmbus", "linux-6.1-vmbus", "linux-6.12-vmbus", "linux-7.3-vmbus",
        "linux-5.10-lttng-ust", "linux-6.1-lttng-ust", "linux-7.3-lttng-ust")
# Of those that print thousands of figures, or are opened slowly, every second page.
SLOW = re.compile("lttng|arm64|s390x")

XEN = ["--xen-syms", "xen-4.17.syms", "--xen-guest", "xen-4.17.machine"]
XEN_V1 = ["--xen-syms", "xen-4.17-v1.syms", "xen-4.17-v1.machine"]
# A probe, and the dump that it is tried on.
PROBES = {
    "virtio": ["linux-6.1-packed.elf"],
    "ftrace": ["linux-6.12-virtio.elf"],
    "lttng": ["linux-6.12-lttng.elf"],
    "vmbus": ["--slots", "16", "linux-6.12-vmbus.elf"],
    "xen": XEN_V1,
    "xen-guest": XEN,
}
IMAGES = 20000
# Of each architecture's page tables; of pages of 16 KiB, and of 52 bits; of processes; of Xen.
TABLES = (("linux-6.1-packed", 500), ("linux-6.12-arm64", 500), ("linux-6.12-s390x", 500),
          ("linux-7.3-mix", 50), ("linux-6.12-arm64-16k", 50), ("linux-6.12-arm64-va52", 50),
          ("linux-7.2-s390x", 50), ("linux-6.1-lttng-ust", 100))


class Damage(common.Test):
    def count(self, program, arguments):
        """Run it; its line of counts as {word: number}. All that is wrong is in its output."""
        arguments = [common.fixture(argument) if re.search(r"\.(elf|machine|syms)$", argument)
                     else argument for argument in arguments]
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1")
        done = subprocess.run([program] + arguments, cwd=common.TOP, timeout=TIMEOUT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.assertEqual(done.returncode, 0, "%s %s\n%s\n%s" % (
            program, " ".join(arguments), done.stdout[-6000:], done.stderr[-6000:]))
        return {word: int(number) for number, word in re.findall(
            r"(\d+) (pages removed|pages zeroed|images of changed page tables|images|crashes|hangs|"
            r"wrong|values equal|absent|with damage|failed|all)\b", done.stdout.splitlines()[-1])}


class Pages(Damage):
    def remove(self, *options, sample=None, share=1):
        """Take pages away from each fixture, one in share of the usual ones; the sums."""
        sums = {}
        for name in common.fixtures():
            stem = name.rsplit(".", 1)[0]
            step = sample or (1 if ALL else 512 if stem in LONG else 64)
            nth = 1 if ALL else share * (8 if stem in LONG else 2 if SLOW.search(stem) else 1)
            with self.subTest(fixture=name):
                counted = self.count(PAGES, list(options) + ["--sample", str(step), "--nth", str(nth)] +
                                     common.fixture_options(stem) + [name])
                for word, number in counted.items():
                    sums[word] = sums.get(word, 0) + number
        for machine in (XEN, XEN_V1):
            with self.subTest(machine=machine[-1]):
                counted = self.count(PAGES, list(options) + ["--sample", str(sample or 64)] + machine)
                for word, number in counted.items():
                    sums[word] = sums.get(word, 0) + number
        self.note(", ".join("%d %s" % (number, word) for word, number in sums.items()))
        return sums

    def test_removed(self):
        """Every value equals the whole dump's, or is absent with a reason."""
        sums = self.remove()
        self.assertGreater(sums["pages removed"], 3000)
        self.assertGreater(sums["absent"], 100000)

    def test_zeroed(self):
        """Zeros look like idle rings and empty lists: no crash, no hang."""
        self.assertGreater(self.remove("--zero", sample=512, share=4)["pages zeroed"], 3000)


class Mutations(Damage):
    part = "san"

    def mutate(self, family, *arguments, images=IMAGES):
        counted = self.count(MUTATE, ["--family", family, "--images", str(images)] + list(arguments))
        self.assertEqual(counted["images"], images)
        self.assertGreater(counted["with damage"], 50)
        # Damage to a list's head costs a family; most costs a row.
        self.assertLess(counted["failed"], images / 2)
        return counted["images"]

    def test_every_probe(self):
        """No crash, no hang; and what is not read does not matter."""
        total = 0
        for family, arguments in PROBES.items():
            with self.subTest(family=family):
                total += self.mutate(family, *arguments)
        self.note("%d images, 0 crashes, 0 hangs" % total)

    def test_freebsd(self):
        """VMBus of FreeBSD, in the memory of a minidump."""
        folder = tempfile.mkdtemp(prefix="rbstats-damage-")
        self.addCleanup(shutil.rmtree, folder)
        kernel = image.compile_kernel(os.path.join(folder, "kernel"), image.AMD64, 2)
        dump = image.minidump(os.path.join(folder, "dump"), image.Memory(kernel, image.AMD64), 3)
        self.note("%d images, 0 crashes, 0 hangs" % self.mutate("vmbus", "--debuginfo", kernel, dump))

    def test_lttng_ust(self):
        """User space's buffers."""
        self.note("%d images, 0 crashes, 0 hangs" % self.mutate(
            "lttng-ust", "linux-6.1-lttng-ust.elf", images=2000))


class Tables(Damage):
    part = "san"

    def change(self, images, arguments):
        """Images, and values that are equal where what was changed can be told."""
        images *= 10 if ALL else 1
        counted = self.count(CHANGE_TABLES, ["--images", str(images)] + arguments)
        self.assertEqual(counted["images of changed page tables"], images)
        # Some of the figures are lost; where all are, there is nothing to be compared.
        self.assertGreater(counted["absent"], images)
        self.assertLess(counted["all"], 0.9 * images)
        return images, counted["values equal"]

    def test_changed(self):
        """Page tables that lead astray, in circles or nowhere: what can be told is told."""
        done = []
        for name, images in TABLES:
            with self.subTest(fixture=name):
                done.append(self.change(images, common.fixture_options(name) + [name + ".elf"]))
        for machine in (XEN, XEN_V1):
            with self.subTest(machine=machine[-1]):
                done.append(self.change(100, machine))
        self.note("%d images, %d values equal, 0 crashes, 0 hangs" % (
            sum(images for images, _ in done), sum(equal for _, equal in done)))
