"""Xen's vCPUs in a dump of a whole machine, against what the hypervisor's own calls said.

The machine ran Xen 4.17.5 with a stats_table of the third kind, a PV dom0 and a paused PV domain
u1, when QEMU dumped all of its memory. tests/fixtures/xen-4.17 is an excerpt of that dump; the dump
itself lies in ../shared of the project's workplace.
"""

import json
import os
import shutil
import struct
import subprocess
import tempfile

import common
import elfcore

SHARED = "xen-4.17-stats-table"
BUILD_ID = "fdbc6c55633454b7722cfaff2f5cf377c4cc8509"
LOADED = "4f800000"

# What a program in dom0 was told, after it paused u1: xc_vcpu_getinfo's cpu_time, and the record in
# the table that it had mapped (seq, running time; None: the counter's inactive bit was set).
U1 = {"vcpu0": (7908683837, 1102, 7908683837), "vcpu1": (3643355260, 748, 3643355260),
      "vcpu2": (334289281, 0, None), "vcpu3": (433489775, 0, None)}
# dom0 went on running until the dump, some seconds later.
DOM0 = {"vcpu0": 16966885649, "vcpu1": 7326840526}
DUMPED_WITHIN = 10 * 10**9

# Where this build of Xen keeps them: struct domain's vcpu and next_in_list (pahole).
DIRECT_MAP = 0xffff830000000000
DOMAIN_VCPU, DOMAIN_NEXT = 8, 136
MAGIC = 0xaabbccdd


class Memory:
    """The pages of an excerpt, to be altered by the addresses that rbstats shows."""

    def __init__(self, path):
        self.pages = {pfn: bytearray(page) for pfn, page in elfcore.Core(path).pages.items()}

    def at(self, address):
        machine = address - DIRECT_MAP if address >= DIRECT_MAP else address
        return self.pages[machine // elfcore.PAGE], machine % elfcore.PAGE

    def pointer(self, address):
        page, offset = self.at(address)
        return struct.unpack_from("<Q", page, offset)[0]

    def put(self, address, value):
        page, offset = self.at(address)
        struct.pack_into("<Q", page, offset, value)

    def table(self):
        """The frame of the stats_table."""
        found = [pfn for pfn, page in self.pages.items()
                 if struct.unpack_from("<IIII", page) == (MAGIC, 128, 16, 128)]
        assert len(found) == 1, found
        return found[0]

    def write(self, path):
        elfcore.write(path, self.pages, b"")


class XenChecks:
    """For dump and syms, whichever they are."""

    def domains(self, *options, dump=None):
        report = self.show("-f", "xen", *options, dump or self.dump, self.syms)
        self.report = report
        return common.by_name(common.section(report, "xen")["devices"])

    def check_truth(self):
        count = 0
        domains = self.domains()
        self.assertEqual(sorted(domains), ["d0", "d1"])
        self.assertEqual(self.report["problems"], [])
        for name, attributes in (
                ("d0", {"name": "Domain-0", "type": "pv", "max_vcpus": 2, "dying": "no",
                        "paused": False, "shutdown": "no", "stats_table": "unused"}),
                ("d1", {"type": "pv", "max_vcpus": 4, "dying": "no", "paused": True,
                        "shutdown": "no", "stats_table": "v3", "table_matches": 2,
                        "table_layout": "offset + stride * n"})):
            for key, value in attributes.items():
                self.assertEqual(domains[name]["attributes"][key], value, key)
                count += 1
        vcpus = common.by_name(domains["d1"]["channels"])
        self.assertEqual(sorted(vcpus), sorted(U1))
        for name, (cpu_time, seq, recorded) in U1.items():
            metrics = vcpus[name]["metrics"]
            self.assertEqual(metrics["time_running"], cpu_time, name)
            self.assertEqual(metrics["table_seq"], seq, name)
            self.assertEqual(metrics["table_running_time"], recorded, name)
            self.assertEqual(vcpus[name]["attributes"]["table_state"],
                             "inactive" if recorded is None else "ok", name)
            self.assertEqual(vcpus[name]["attributes"]["online"], name in ("vcpu0", "vcpu1"))
            count += 5
        for name, vcpu in common.by_name(domains["d0"]["channels"]).items():
            running = vcpu["metrics"]["time_running"]
            self.assertGreaterEqual(running, DOM0[name], name)
            self.assertLess(running, DOM0[name] + DUMPED_WITHIN, name)
            count += 1
        for domain in domains.values():
            # A domain's vCPUs are made within a moment; dom0's second one by dom0 itself.
            for vcpu in domain["channels"]:
                metrics = vcpu["metrics"]
                total = sum(metrics["time_" + name]
                            for name in ("running", "runnable", "blocked", "offline"))
                self.assertEqual(metrics["state_entry_time"] - total, metrics["creation_time"])
                self.assertGreater(metrics["creation_time"], 0)
                count += 2
        self.note("%d figures" % count)

    def check_guest(self):
        report = self.show("-f", "xen,xen-guest", "--xen-syms", self.syms, "--xen-guest", "0",
                           self.dump)
        self.assertEqual(report["dump"]["kernel_release"], "6.1.0-57-amd64")
        self.assertEqual(report["problems"], [])
        xen = common.by_name(common.section(report, "xen")["devices"])
        guest = common.section(report, "xen-guest")["devices"][0]
        self.assertEqual(guest["attributes"]["type"], "pv")
        self.assertTrue(guest["attributes"]["initial_domain"])
        self.assertEqual(guest["attributes"]["shared_info"], "mapped")
        self.assertEqual(guest["attributes"]["event_channels"], "fifo")
        hypervisor = common.by_name(xen["d0"]["channels"])
        copies = common.by_name(guest["channels"])
        self.assertEqual(sorted(copies), sorted(hypervisor))
        # Both vCPUs were blocked: the copy is complete.
        for name, copy in copies.items():
            self.assertEqual(hypervisor[name]["attributes"]["state"], "blocked")
            self.assertEqual(copy["attributes"]["state"], "blocked")
            self.assertEqual(copy["attributes"]["vcpu_info"], "registered")
            for key in ("state_entry_time", "time_running", "time_runnable", "time_blocked",
                        "time_offline", "creation_time", "steal", "percent_running"):
                self.assertEqual(copy["metrics"][key], hypervisor[name]["metrics"][key], key)
            # What the kernel's scheduler added up by itself.
            self.assertEqual(copy["metrics"]["steal_counted"],
                             hypervisor[name]["metrics"]["steal"])


class FixtureTest(common.Test, XenChecks):
    def setUp(self):
        super().setUp()
        self.dump = common.fixture("xen-4.17.machine")
        self.syms = common.fixture("xen-4.17.syms")
        self.folder = tempfile.mkdtemp(prefix="rbstats-xen-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def altered(self, alter):
        """The domains of the fixture after alter(memory, domains)."""
        memory = Memory(self.dump)
        alter(memory, self.domains())
        path = self.path("altered.elf")
        memory.write(path)
        return self.domains(dump=path)

    def problem(self, subject, reason):
        found = [problem for problem in self.report["problems"]
                 if problem["subject"] == subject and problem["reason"].find(reason) >= 0]
        self.assertEqual(len(found), 1, self.report["problems"])

    def test_truth(self):
        self.check_truth()

    def test_guest_copy_equals_the_hypervisors(self):
        self.check_guest()

    def test_golden(self):
        ran = self.rbstats("show", "-F", "flat", "-v", "-f", "xen,xen-guest", "--xen-syms",
                           self.syms, "--xen-guest", "0", self.dump)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        with open(os.path.join(common.FIXTURES, "xen-4.17.flat")) as file:
            self.assertEqual(ran.out, file.read())

    def test_syms_by_option_and_name(self):
        renamed = self.path("vmlinux-6.1")
        shutil.copy(self.syms, renamed)
        plain = self.show(self.dump, self.syms)
        self.assertEqual([section["family"] for section in plain["sections"]], ["xen"])
        for options in ([self.dump, renamed], ["--xen-syms", self.syms, self.dump],
                        ["--xen-phys-start", LOADED, self.dump, self.syms],
                        ["--xen-phys-start", "0x" + LOADED, self.dump, self.syms]):
            self.assertEqual(self.show(*options)["sections"], plain["sections"], options)

    def test_excerpt_of_the_hypervisor_alone(self):
        small = self.path("small.elf")
        ran = self.rbstats("excerpt", self.dump, self.syms, "-o", small)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        self.assertLess(os.path.getsize(small), 200000)
        notes = elfcore.Core(small).notes
        self.assertEqual(notes, [("VMCOREINFO_XEN",
                                  b"RBSTATS_XEN_PHYS_START=%s\n" % LOADED.encode())])
        self.assertEqual(self.domains(dump=small), self.domains())

    def test_other_build(self):
        other = self.path("xen-syms")
        with open(self.syms, "rb") as file:
            data = file.read()
        changed = "00" + BUILD_ID[2:]
        self.assertEqual(data.count(bytes.fromhex(BUILD_ID)), 1)
        with open(other, "wb") as file:
            file.write(data.replace(bytes.fromhex(BUILD_ID), bytes.fromhex(changed)))
        ran = self.rbstats("show", "--xen-phys-start", LOADED, self.dump, other)
        self.assertOneLine(ran, r"build-id %s\).*build-id %s\)" % (changed, BUILD_ID))

    def test_wrong_use(self):
        for options, pattern in (
                (["--xen-phys-start", "4fa00000", self.dump, self.syms], "is not at 4fa00000"),
                (["--xen-phys-start", "12q", self.dump, self.syms], "hexadecimal"),
                (["--xen-guest", "0", self.dump], "--xen-syms"),
                (["--xen-guest", "x", "--xen-syms", self.syms, self.dump], "number"),
                (["--xen-guest", "7", "--xen-syms", self.syms, self.dump], "no domain 7"),
                (["--xen-syms", common.PROGRAM, self.dump], "not a xen-syms"),
                (["--xen-syms", self.dump, self.dump], "no symbol table|not a xen-syms"),
                (["--xen-syms", self.path("none"), self.dump], "No such file"),
                (["-f", "xen,ftrace", "--xen-syms", self.syms, common.fixture(
                    "linux-6.1-packed.elf")], "no hypervisor of")):
            self.assertOneLine(self.rbstats("show", *options), pattern)

    def test_kernel_without_xen(self):
        report = self.show("-f", "xen,xen-guest", common.fixture("linux-6.1-packed.elf"))
        self.assertEqual([section["status"] for section in report["sections"]],
                         ["absent", "absent"])
        self.assertIn("--xen-syms", common.section(report, "xen")["reason"])
        self.assertIn("not on Xen", common.section(report, "xen-guest")["reason"])
        # Without being asked for, xen is not mentioned there.
        report = self.show(common.fixture("linux-6.1-packed.elf"))
        self.assertNotIn("xen", [section["family"] for section in report["sections"]])

    def test_families_of_a_kernel_in_a_hypervisor(self):
        report = self.show("-f", "xen,virtio", self.dump, self.syms)
        self.assertEqual(common.section(report, "virtio")["status"], "absent")
        self.assertEqual(common.section(report, "xen")["status"], "ok")

    def test_list_in_a_circle(self):
        def alter(memory, domains):
            first, last = (int(domains[name]["attributes"]["address"], 16) for name in ("d0", "d1"))
            self.assertEqual(memory.pointer(first + DOMAIN_NEXT), last)
            self.assertEqual(memory.pointer(last + DOMAIN_NEXT), 0)
            memory.put(last + DOMAIN_NEXT, first)

        domains = self.altered(alter)
        self.assertEqual(sorted(domains), ["d0", "d1"])
        self.problem("xen", "circle")
        self.assertEqual(domains["d1"]["channels"][0]["metrics"]["time_running"], 7908683837)

    def test_wild_vcpu_pointer(self):
        def alter(memory, domains):
            vcpus = memory.pointer(int(domains["d1"]["attributes"]["address"], 16) + DOMAIN_VCPU)
            memory.put(vcpus + 8, 0x123456789000)

        vcpus = common.by_name(self.altered(alter)["d1"]["channels"])
        self.problem("xen/d1/vcpu1", "123456789")
        self.assertEqual(vcpus["vcpu1"]["attributes"]["state"], None)
        self.assertNotIn("metrics", vcpus["vcpu1"])
        for name in ("vcpu0", "vcpu2", "vcpu3"):
            self.assertEqual(vcpus[name]["metrics"]["time_running"], U1[name][0])

    def test_excluded_table(self):
        def alter(memory, _):
            del memory.pages[memory.table()]

        domain = self.altered(alter)["d1"]
        self.problem("xen/d1", "excluded")
        self.assertEqual(domain["attributes"]["stats_table"], None)
        self.assertEqual(domain["absent"]["stats_table"], "excluded")
        for vcpu in domain["channels"]:
            self.assertEqual(vcpu["metrics"]["table_running_time"], None)
            self.assertEqual(vcpu["metrics"]["time_running"], U1[vcpu["name"]][0])

    def test_torn_record(self):
        def alter(memory, _):
            struct.pack_into("<I", memory.pages[memory.table()], 128 + 128, 749)

        vcpus = common.by_name(self.altered(alter)["d1"]["channels"])
        self.assertEqual(vcpus["vcpu1"]["attributes"]["table_state"], "torn")
        self.assertEqual(vcpus["vcpu1"]["metrics"]["table_running_time"], None)
        self.assertEqual(vcpus["vcpu1"]["metrics"]["table_seq"], 749)
        self.assertEqual(vcpus["vcpu0"]["metrics"]["table_running_time"], 7908683837)

    def test_every_page_missing_in_turn(self):
        """Whatever page is not in the dump: an answer or one line, never a crash or a wrong 0."""
        memory = Memory(self.dump)
        small = self.path("small.elf")
        ran = self.rbstats("excerpt", self.dump, self.syms, "-o", small)
        self.assertEqual(ran.status, 0, ran)
        pages = elfcore.Core(small).pages
        whole = self.domains()
        for gone in pages:
            path = self.path("hole.elf")
            elfcore.write(path, {pfn: memory.pages[pfn] for pfn in pages if pfn != gone}, b"")
            ran = self.rbstats("show", "-F", "json", path, self.syms)
            if ran.status:
                self.assertOneLine(ran)
                continue
            for domain in common.section(json.loads(ran.out), "xen")["devices"]:
                known = common.by_name(whole[domain["name"]].get("channels", []))
                for vcpu in domain.get("channels", []):
                    for key, value in vcpu.get("metrics", {}).items():
                        if value is not None:
                            self.assertEqual(value, known[vcpu["name"]]["metrics"][key])
        self.note("%d pages" % len(pages))


class SharedTest(common.Test, XenChecks):
    """The dump itself, 1.36 GB of which most are holes, with all of xen-syms."""

    def setUp(self):
        super().setUp()
        folder = os.path.join(common.SHARED, "dumps", SHARED)
        packed = os.path.join(folder, "machine.elf.zst")
        if not os.path.exists(packed):
            self.skipTest("there is no ../shared/dumps/%s beside this checkout" % SHARED)
        self.dump = os.path.join(common.BUILD, "fixtures", SHARED + ".elf")
        if not os.path.exists(self.dump):
            os.makedirs(os.path.dirname(self.dump), exist_ok=True)
            part = self.dump + ".part"
            subprocess.run(["zstd", "-q", "-d", "-f", "--long=31", "--sparse", packed, "-o", part],
                           check=True)
            os.rename(part, self.dump)
        self.syms = os.path.join(common.BUILD, "fixtures", SHARED + ".syms")
        common._unpack(os.path.join(folder, "xen-syms.xz"), self.syms)

    def test_truth(self):
        self.check_truth()

    def test_guest_copy_equals_the_hypervisors(self):
        self.check_guest()

    def test_paused_domain(self):
        """A paused domain's copy is that of when it last ran: never ahead, behind by a slice."""
        report = self.show("-f", "xen,xen-guest", "--xen-syms", self.syms, "--xen-guest", "1",
                           self.dump)
        guest = common.section(report, "xen-guest")["devices"][0]
        self.assertFalse(guest["attributes"]["initial_domain"])
        copies = common.by_name(guest["channels"])
        self.assertEqual(sorted(copies), sorted(U1))
        for name, copy in copies.items():
            running = copy["metrics"]["time_running"]
            self.assertLessEqual(running, U1[name][0])
            self.assertLess(U1[name][0] - running, 10**9)
        self.assertEqual(copies["vcpu0"]["metrics"]["time_running"], 7908683837)
        self.assertEqual(copies["vcpu2"]["metrics"]["time_running"], 334289281)
        self.assertEqual(copies["vcpu3"]["metrics"]["time_running"], 433489775)

    def test_without_xen_syms(self):
        """dom0's kernel, by the page tables that QEMU's notes say a CPU used."""
        report = self.show("-f", "xen-guest", self.dump)
        below = self.show("-f", "xen-guest", "--xen-syms", self.syms, "--xen-guest", "0",
                          self.dump)
        self.assertEqual(report["sections"], below["sections"])
        self.assertEqual(len(report["sections"][0]["devices"][0]["channels"]), 2)
