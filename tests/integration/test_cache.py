"""The cache of layouts and symbols: what is printed never depends on it."""

import glob
import os
import shutil
import subprocess
import tempfile

import common

# One fixture for each way that the kernel's tables are found and encoded.
FIXTURES = ["linux-6.1-packed.elf", "linux-7.3-mix.elf", "linux-6.12-s390x.elf"]


class CacheTest(common.Test):
    """Helpers: a cache folder of the test's own."""

    def setUp(self):
        super().setUp()
        self.home = tempfile.mkdtemp(prefix="rbstats-cache-")
        self.addCleanup(shutil.rmtree, self.home)
        self.folder = os.path.join(self.home, "rbstats", "layouts")

    def shelves(self):
        return sorted(glob.glob(os.path.join(self.folder, "*")))

    def output(self, *arguments, cache=True, command="show"):
        """What a run that must succeed prints."""
        env = {"XDG_CACHE_HOME": self.home, "RBSTATS_NO_CACHE": ""}
        ran = self.rbstats(command, *(() if cache else ("--no-cache",)), *arguments, env=env)
        self.assertEqual(ran.status, 0, ran)
        return ran.out, ran.err

    def assertSame(self, *arguments):
        """Cold, warm, without a cache and with damaged shelves: the same to the byte."""
        plain = self.output(*arguments, cache=False)
        self.assertEqual(self.shelves(), [])
        self.assertEqual(self.output(*arguments), plain, "cold")
        shelves = self.shelves()
        self.assertNotEqual(shelves, [], "nothing was kept")
        kept = {path: open(path, "rb").read() for path in shelves}
        self.assertEqual(self.output(*arguments), plain, "warm")
        self.assertEqual({path: open(path, "rb").read() for path in shelves}, kept)
        for damage in (b"", kept[shelves[0]][:-1], b"\0" * 100):
            for path in shelves:
                with open(path, "wb") as file:
                    file.write(damage)
            self.assertEqual(self.output(*arguments), plain, "damaged")
            self.assertEqual({path: open(path, "rb").read() for path in shelves}, kept,
                             "damaged shelves are written anew")
        for path in shelves:
            text = bytearray(kept[path])
            text[len(text) // 2] ^= 1
            with open(path, "wb") as file:
                file.write(text)
        self.assertEqual(self.output(*arguments), plain, "one bit changed")
        return plain


class SmallTest(CacheTest):
    def test_same_output(self):
        for name in FIXTURES:
            with self.subTest(name):
                shutil.rmtree(os.path.join(self.home, "rbstats"), ignore_errors=True)
                self.assertSame("-v", "-F", "json", common.fixture(name))

    def test_families_one_by_one(self):
        """What one run asked and kept is completed by the next."""
        dump = common.fixture("linux-7.3-mix.elf")
        plain = self.output("-F", "flat", dump, cache=False)
        for family in ("ftrace", "virtio"):
            self.output("-f", family, dump)
        self.assertEqual(self.output("-F", "flat", dump), plain)
        self.assertEqual(self.output("-F", "flat", dump), plain)

    def test_excerpt_needs_all_pages(self):
        dump = common.fixture("linux-6.1-packed.elf")
        paths = [os.path.join(self.home, name) for name in ("cold.elf", "warm.elf")]
        self.output("-o", paths[0], dump, command="excerpt", cache=False)
        self.output(dump)
        self.output("-o", paths[1], dump, command="excerpt")
        cold, warm = (open(path, "rb").read() for path in paths)
        self.assertEqual(cold, warm)

    def test_other_contents_under_the_same_build_id(self):
        """Whatever page of the dump differs: the answers are the dump's, not the cache's."""
        dump = common.fixture("linux-6.1-packed.elf")
        changed = os.path.join(self.home, "changed.elf")
        with open(dump, "rb") as file:
            whole = file.read()
        # A member's name in BTF's strings, and a function's in BTF's and kallsyms' reach.
        at = whole.index(b"\0last_used_idx\0")
        with open(changed, "wb") as file:
            file.write(whole[:at] + b"\0last_used_idy\0" + whole[at + 15:])
        plain = self.output("-F", "flat", changed, cache=False)
        honest = self.output("-F", "flat", dump)
        self.assertNotEqual(plain, honest)
        self.assertEqual(self.output("-F", "flat", changed), plain, "a cache of the other dump")
        self.assertEqual(self.output("-F", "flat", dump), honest, "and the other way round")

    def test_folder_that_others_can_write(self):
        dump = common.fixture("linux-6.1-packed.elf")
        os.makedirs(self.folder)
        for mode in (0o777, 0o720):
            os.chmod(self.folder, mode)
            self.output(dump)
            self.assertEqual(self.shelves(), [])
        os.chmod(self.folder, 0o700)
        elsewhere = os.path.join(self.home, "elsewhere")
        os.rename(self.folder, elsewhere)
        os.symlink(elsewhere, self.folder)
        self.output(dump)
        self.assertEqual(os.listdir(elsewhere), [])
        os.unlink(self.folder)
        self.output(dump)
        self.assertNotEqual(self.shelves(), [])
        self.assertEqual(os.stat(self.folder).st_mode & 0o777, 0o700)
        for path in self.shelves():
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertEqual([name for name in os.listdir(self.folder) if name[0] == "."], [])

    def test_changed_debug_file(self):
        """Another file of the same build-id, size and sections is another file."""
        dump = common.fixture("linux-5.10-virtio.elf")
        folder = os.path.join(self.home, "debug")
        shutil.copytree(common.fixture_options("linux-5.10-virtio")[1], folder)
        arguments = ("-F", "flat", "--debuginfo", folder, dump)
        whole = self.output(*arguments)
        self.assertEqual(self.output(*arguments), whole, "warm")
        path = os.path.join(folder, "virtio_ring.ko")
        with open(path, "rb") as file:
            text = file.read()
        self.assertIn(b"\0num_added\0", text)
        with open(path, "wb") as file:
            file.write(text.replace(b"\0num_added\0", b"\0num_other\0"))
        changed = self.output(*arguments, cache=False)
        self.assertNotEqual(changed[0], whole[0])
        self.assertEqual(self.output(*arguments), changed)

    def test_no_home(self):
        dump = common.fixture("linux-6.1-packed.elf")
        plain = self.output(dump, cache=False)
        for env in ({"HOME": "", "XDG_CACHE_HOME": ""}, {"XDG_CACHE_HOME": "/dev/null"},
                    {"XDG_CACHE_HOME": "relative", "HOME": "/nonexistent"}):
            ran = self.rbstats("show", dump, env=dict(env, RBSTATS_NO_CACHE=""))
            self.assertEqual((ran.out, ran.err), plain)

    def test_no_cache(self):
        dump = common.fixture("linux-6.1-packed.elf")
        self.output(dump, cache=False)
        self.rbstats("show", dump, env={"XDG_CACHE_HOME": self.home, "RBSTATS_NO_CACHE": "1"})
        self.assertEqual(os.listdir(self.home), [])


class GuestCacheTest(CacheTest, common.GuestTest):
    def test_forms_share_a_shelf(self):
        """All dumps of one machine, whatever their form, and with KASLR another machine's too."""
        made = common.guest("v61-split")
        for form, dump in sorted(made.dumps.items()):
            arguments = ("-v", "-F", "flat", dump)
            self.assertEqual(self.output(*arguments), self.output(*arguments, cache=False), form)

    def test_kernels(self):
        for name in ("v510-split", "lttng-6.1", "vmbus-6.1", "v612-split"):
            for dump in sorted(common.guest(name).dumps.values()):
                with self.subTest(os.path.basename(dump), guest=name):
                    arguments = ("-v", "-F", "json", dump)
                    plain = self.output(*arguments, cache=False)
                    self.assertEqual(self.output(*arguments), plain)
                    self.assertEqual(self.output(*arguments), plain)

    def test_dwarf(self):
        files = common.debug_files("bookworm", "linux-image-6.1.*-amd64",
                                   ["virtio", "virtio_ring", "virtio_net"])
        dump = common.guest("v61-split").dumps["lzo-d31"]
        options = [word for path in files for word in ("--debuginfo", path)]
        self.assertSame("--types", "dwarf", "-F", "flat", *options, dump)

    def test_faster(self):
        """A second dump of the same kernel takes at most two thirds of the instructions' time."""
        dump = common.guest("v61-split").dumps["zlib-d31"]
        self.output(dump)
        env = dict(os.environ, XDG_CACHE_HOME=self.home)
        seconds = {}
        for option in ("--no-cache", "-v"):
            before = os.times()
            for _ in range(10):
                subprocess.run([self.program, "show", "-F", "flat", option, dump], env=env,
                               check=True, stdout=subprocess.DEVNULL)
            after = os.times()
            seconds[option] = (after.children_user + after.children_system -
                               before.children_user - before.children_system)
        self.note("%.0f ms of CPU cold, %.0f ms warm" % (100 * seconds["--no-cache"],
                                                         100 * seconds["-v"]))
        self.assertLess(seconds["-v"], seconds["--no-cache"] * 2 / 3)
