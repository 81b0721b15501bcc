# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian kernels: image and modules, headers to build against, debug files."""

import fnmatch
import glob
import os
import re
import shutil

from . import apt, host
from .errors import GuestError, NotReachable

# Flavours that a pattern such as linux-image-6.1.*-amd64 also matches.
_OTHERS = ("*-dbg", "*-unsigned*", "*cloud*", "*-rt-*")


class Kernel:
    """An unpacked kernel. Paths are of files that exist.

    release   what uname -r says in the guest
    vmlinuz   the image for qemu -kernel
    modules   its modules folder (…/lib/modules/RELEASE)
    """

    def __init__(self, suite, arch, root):
        self.suite, self.arch, self.root = suite, arch, root
        images = glob.glob(root + "/boot/vmlinuz-*") + \
            glob.glob(root + "/usr/lib/modules/*/vmlinuz")
        folders = [folder for folder in glob.glob(root + "/lib/modules/*") +
                   glob.glob(root + "/usr/lib/modules/*")
                   if os.path.exists(folder + "/modules.builtin")]
        if len(images) != 1 or len(folders) != 1:
            raise GuestError("%s: not one kernel: %s %s" % (root, images, folders))
        self.vmlinuz, self.modules = images[0], folders[0]
        self.release = os.path.basename(self.modules)

    def module_file(self, name):
        """Path of a module's file in the image package (NAME or NAME.ko)."""
        want = name.removesuffix(".ko").replace("-", "_")
        for folder, _, files in os.walk(self.modules + "/kernel"):
            for file in files:
                if file.partition(".ko")[0].replace("-", "_") == want:
                    return os.path.join(folder, file)
        raise GuestError("%s has no module %s" % (self.release, name))

    def builtin(self, name):
        """True if a module of this name is linked into the image."""
        want = name.replace("-", "_")
        with open(self.modules + "/modules.builtin") as file:
            return any(os.path.basename(line.strip())[:-3].replace("-", "_") ==
                       want for line in file)


def kernel(suite, pattern, arch="amd64"):
    """The newest kernel of a suite whose image package matches a pattern.

    kernel("bookworm", "linux-image-6.1.*-amd64"). Without a network the
    newest one already unpacked is used.
    """
    store = host.cache("kernels", "%s-%s" % (suite, arch))
    try:
        root = _newest(apt.Archive(suite, arch), pattern, store)
    except NotReachable:
        have = [entry for entry in fnmatch.filter(os.listdir(store), pattern)
                if ".part." not in entry]
        if not have:
            raise
        root = os.path.join(store, max(have, key=apt.version_key))
    return Kernel(suite, arch, root)


def _newest(archive, pattern, store):
    """Its folder; a mirror may lack what its lists name: the one before will do then."""
    failure = None
    for name in archive.matching(pattern, _OTHERS):
        root = os.path.join(store, name)
        try:
            if not os.path.isdir(root):
                host.replace_tree(lambda part: _unpack_image(archive, name, part), root)
            return root
        except NotReachable as error:
            failure = failure or error
    raise failure


def _unpack_image(archive, name, folder):
    apt.unpack(archive.fetch(name), folder)
    if not glob.glob(folder + "/boot/vmlinuz-*"):
        # In 7.x linux-image-V only depends on the packages with the files.
        release = name.removeprefix("linux-image-")
        for part in ("linux-binary-", "linux-modules-", "linux-base-"):
            apt.unpack(archive.fetch(part + release), folder)


def headers(kern):
    """A header tree for `make -C TREE M=$PWD modules`: its path.

    The package's absolute /usr/src paths are changed to the tree's own. A
    kernel of a newer suite than the machine needs that suite's compiler and
    kbuild programs: run make through foreign.Root of that suite.
    """
    archive = apt.Archive(kern.suite, kern.arch)
    top = os.path.join(host.cache("headers"), kern.release)
    tree = "%s/usr/src/linux-headers-%s" % (top, kern.release)
    if not os.path.isdir(tree):
        host.replace_tree(lambda part: unpack_headers(archive, kern, part, top), top)
    return tree


def unpack_headers(archive, kern, folder, final):
    todo, done = ["linux-headers-" + kern.release], set()
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        apt.unpack(archive.fetch(name), folder)
        for wanted in re.findall(r"linux-(?:headers|kbuild)-[^\s,]+",
                                 archive.packages()[name].depends):
            todo.append(wanted.partition(":")[0])
    tree = "%s/usr/src/linux-headers-%s" % (folder, kern.release)
    for file in glob.glob(tree + "/Makefile") + glob.glob(tree + "/.kernelvariables"):
        with open(file) as stream:
            text = stream.read()
        with open(file, "w") as stream:
            stream.write(re.sub(r"(?<![\w.)}/])/usr/(src|lib)/linux-",
                                final + r"/usr/\1/linux-", text))
    for path, folders, files in os.walk(folder):
        for entry in folders + files:
            link = os.path.join(path, entry)
            if os.path.islink(link) and os.readlink(link).startswith("/usr/"):
                target = final + os.readlink(link)
                os.unlink(link)
                os.symlink(target, link)


class Debug:
    """Debug files of one kernel, extracted from its -dbg package on demand.

    The package is about 900 MB: ask in one call for all that is needed.
    """

    def __init__(self, suite, arch, release):
        self.suite, self.arch, self.release = suite, arch, release
        self.top = os.path.join(host.cache("debug"), release)

    def _path(self, member):
        for lib in ("/usr/lib/debug/boot/", "/usr/lib/debug/lib/modules/%s/"
                    % self.release, "/usr/lib/debug/usr/lib/modules/%s/"
                    % self.release):
            if os.path.exists(self.top + lib + member):
                return self.top + lib + member
        return None

    def _module(self, name):
        want = name.replace("-", "_")
        for folder, _, files in os.walk(self.top):
            for file in files:
                if file.endswith(".ko") and file[:-3].replace("-", "_") == want:
                    return os.path.join(folder, file)
        return None

    def files(self, vmlinux=True, modules=()):
        """{'vmlinux': path, module name: path ...} of what is asked."""
        boot = self._path("vmlinux-" + self.release) or \
            self._path("vmlinux")
        missing = [name for name in modules if self._module(name) is None]
        if missing or (vmlinux and boot is None):
            patterns = ["*/" + re.sub("[-_]", "[-_]", name) + ".ko"
                        for name in missing]
            if vmlinux and boot is None:
                patterns.append("*/vmlinux*")
            archive = apt.Archive(self.suite, self.arch)
            deb = archive.fetch("linux-image-%s-dbg" % self.release)
            part = self.top + ".part"
            shutil.rmtree(part, ignore_errors=True)
            apt.unpack(deb, part, patterns, timeout=1800)
            shutil.copytree(part, self.top, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(part)
            boot = self._path("vmlinux-" + self.release) or \
                self._path("vmlinux")
        found = {name: self._module(name) for name in modules}
        if vmlinux:
            found["vmlinux"] = boot
        absent = [name for name, path in found.items() if path is None]
        if absent:
            raise GuestError("no debug file for %s" % ", ".join(absent))
        return found


def debug(kern):
    """Debug files of a kernel: debug(k).files(modules=["virtio_ring"])."""
    return Debug(kern.suite, kern.arch, kern.release)
