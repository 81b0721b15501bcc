# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of any Debian suite, through an apt state of our own.

The mirror, its signing keys and proxy settings are those that the machine's
own apt is configured with; its sources, lists and dpkg status are not touched
and not used. State lives in CACHE/apt/SUITE-ARCH, packages in CACHE/debs.
"""

import fnmatch
import os
import re
import time

from . import host
from .errors import GuestError, NeedsTool, NotReachable

# Per suite: which kind of archive serves it, and the suite names there.
SUITES = {
    "bullseye": [("debian", "bullseye"), ("security", "bullseye-security")],
    "bookworm": [("debian", "bookworm"), ("security", "bookworm-security")],
    "trixie": [("debian", "trixie"), ("security", "trixie-security")],
    "trixie-backports": [("debian", "trixie"), ("debian", "trixie-backports"),
                         ("security", "trixie-security")],
    "sid": [("debian", "sid")],
}
# bullseye's archive is frozen: its Release files are no longer renewed. sid's
# expire after a week, and a mirror may be a snapshot.
FROZEN = {"bullseye", "sid"}

LISTS_MAX_AGE = 7 * 86400
DEFAULT_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def _signed_by(sourcesentry):
    """Signed-By of the entry FILE:LINE of the machine's sources, if a path."""
    name, _, line = sourcesentry.rpartition(":")
    try:
        with open(name) as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    if name.endswith(".sources"):
        at = max(int(line) - 1, 0)
        stanza = "\n".join(lines[at:]).split("\n\n")[0]
        found = re.search(r"^Signed-By:\s*(/\S+)\s*$", stanza, re.M | re.I)
    else:
        found = re.search(r"signed-by=(/[^\]\s]+)", lines[int(line) - 1])
    return found.group(1) if found else None


def mirrors():
    """{'debian': (uri, keyring), 'security': ...} of the machine's own apt."""
    text = host.run([host.tool("apt-get", "apt"), "indextargets",
                     "Created-By: Packages"])
    found = {}
    for stanza in text.split("\n\n"):
        field = dict(line.split(": ", 1) for line in stanza.splitlines()
                     if ": " in line)
        release = field.get("Release", "")
        base = re.match(r"(bullseye|bookworm|trixie)(-security|-updates"
                        r"|-backports)?$", release)
        if not base or field.get("Origin", "Debian") != "Debian":
            continue
        kind = "security" if base.group(2) == "-security" else "debian"
        if kind not in found:
            keyring = _signed_by(field.get("Sourcesentry", ":0"))
            found[kind] = (field["Repo-URI"], keyring or DEFAULT_KEYRING)
    if "debian" not in found:
        raise NotReachable("apt on this machine names no Debian mirror")
    return found


class Package:
    """One version of a package as the lists describe it."""

    def __init__(self, fields):
        self.name = fields["Package"]
        self.version = fields["Version"]
        self.filename = os.path.basename(fields["Filename"])
        self.size = int(fields["Size"])
        self.depends = ", ".join(filter(None, (fields.get("Pre-Depends"),
                                               fields.get("Depends"))))


class Archive:
    """The packages of one suite for one architecture."""

    def __init__(self, suite, arch="amd64"):
        if suite not in SUITES:
            raise GuestError("unknown suite %s" % suite)
        self.suite = suite
        self.arch = arch
        self.dir = host.cache("apt", "%s-%s" % (suite, arch))
        self._packages = None

    def _options(self):
        values = {
            "Dir::State": self.dir + "/state",
            "Dir::State::lists": self.dir + "/state/lists",
            "Dir::State::status": self.dir + "/status",
            "Dir::Cache": self.dir + "/cache",
            "Dir::Etc::sourcelist": self.dir + "/sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "APT::Architecture": self.arch,
            "APT::Architectures": self.arch,
            # _apt may not enter the home folder of the user.
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
            "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled": "false",
        }
        if self.suite in FROZEN:
            values["Acquire::Check-Valid-Until"] = "false"
        return [part for item in values.items() for part in ("-o", "%s=%s" % item)]

    def _configure(self, kinds=("debian", "security")):
        for sub in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.dir, sub), exist_ok=True)
        open(self.dir + "/status", "a").close()
        known = mirrors()
        lines = []
        for kind, name in SUITES[self.suite]:
            if kind in known and kind in kinds:
                lines.append("deb [signed-by=%s] %s %s main\n"
                             % (known[kind][1], known[kind][0], name))
        with open(self.dir + "/sources.list", "w") as file:
            file.writelines(lines)

    def _update(self):
        """Fetch the lists if they are missing or old; old ones will do."""
        with host.locked(self.dir + "/lock"):
            self._update_locked()

    def _update_locked(self):
        stamp = self.dir + "/updated"
        try:
            if time.time() - os.stat(stamp).st_mtime < LISTS_MAX_AGE:
                return
        except OSError:
            pass
        self._configure()
        try:
            self._fetch_lists()
        except NeedsTool:
            raise
        except GuestError as error:
            if os.path.exists(stamp):
                return
            self._fetch_release(error)
        open(stamp, "w").close()
        os.utime(stamp)

    def _fetch_lists(self):
        host.run([host.tool("apt-get", "apt")] + self._options() +
                 ["-q", "--error-on=any", "update"], timeout=400)

    def _fetch_release(self, error):
        """Without the security updates: a mirror may lag behind in those of one architecture."""
        try:
            self._configure(kinds=("debian",))
            self._fetch_lists()
        except GuestError:
            raise NotReachable("lists of %s: %s" % (self.suite,
                               str(error).splitlines()[-1][-200:]))

    def packages(self):
        """{name: newest Package} of the suite."""
        if self._packages is not None:
            return self._packages
        self._update()
        found = {}
        for package in self._stanzas("dumpavail"):
            found.setdefault(package.name, package)
        self._packages = found
        return found

    def newest(self, pattern, exclude=()):
        """The name that matches a shell pattern and has the highest version."""
        return self.matching(pattern, exclude)[0]

    def matching(self, pattern, exclude=()):
        """All names that match a shell pattern, the highest version first."""
        names = [name for name in fnmatch.filter(self.packages(), pattern)
                 if not any(fnmatch.fnmatch(name, bad) for bad in exclude)]
        if not names:
            raise NotReachable("%s has no package %s" % (self.suite, pattern))
        return sorted(names, reverse=True, key=lambda name: version_key(
            self.packages()[name].version) + (name,))

    def _stanzas(self, *arguments):
        """What apt-cache prints about packages, newest version first, as Packages."""
        text = host.run([host.tool("apt-cache", "apt")] + self._options() + list(arguments))
        for stanza in text.split("\n\n"):
            fields = {}
            for line in stanza.splitlines():
                key, colon, value = line.partition(": ")
                if colon and not key.startswith(" "):
                    fields[key] = value
            if "Filename" in fields:
                yield Package(fields)

    def fetch(self, name):
        """Download one package (apt checks its signature chain): its path.

        A mirror may lack what its lists name: the version before will do then.
        """
        if name not in self.packages():
            raise NotReachable("%s has no package %s" % (self.suite, name))
        try:
            return self._fetch(self.packages()[name])
        except NotReachable as error:
            for package in list(self._stanzas("show", name))[1:]:
                try:
                    return self._fetch(package)
                except NotReachable:
                    pass
            raise error

    def _fetch(self, package):
        path = os.path.join(host.cache("debs"), package.filename)
        if os.path.exists(path) and os.path.getsize(path) == package.size:
            return path
        part = host.cache("debs", "part-%d" % os.getpid())
        try:
            # An hour for the largest (debug) package on a slow line.
            host.run([host.tool("apt-get", "apt")] + self._options() +
                     ["-q", "download", "%s=%s" % (package.name, package.version)],
                     timeout=3600, cwd=part)
            got = os.listdir(part)
            if len(got) != 1:
                raise GuestError("apt left %s" % got)
            os.rename(os.path.join(part, got[0]), path)
        except NeedsTool:
            raise
        except GuestError as error:
            raise NotReachable("%s: %s" % (package.name,
                               str(error).splitlines()[-1][-200:]))
        finally:
            for left in os.listdir(part):
                os.unlink(os.path.join(part, left))
            os.rmdir(part)
        return path

    def closure(self, names, stop=()):
        """Names with all their dependencies (first alternatives)."""
        todo, found = list(names), []
        while todo:
            name = todo.pop()
            if name in found or name in stop:
                continue
            package = self.packages().get(name)
            if package is None:
                # A virtual name; the real provider is among the rest or
                # the program will say what it misses.
                continue
            found.append(name)
            for clause in filter(None, package.depends.split(",")):
                first = clause.split("|")[0].split()[0]
                todo.append(first.partition(":")[0])
        return found


class Sources(Archive):
    """The source packages of a suite, through a state folder of its own.

    Their lists are some 10 MB, which recipes that build nothing can do without.
    """

    def __init__(self, suite):
        super().__init__(suite)
        self.dir = host.cache("apt", suite + "-source")

    def _configure(self, *kinds, **named):
        super()._configure(*kinds, **named)
        path = self.dir + "/sources.list"
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(re.sub("^deb ", "deb-src ", text, flags=re.M))

    def versions(self, name):
        """All versions of a source package, highest first."""
        self._update()
        text = host.run([host.tool("apt-cache", "apt")] + self._options() +
                        ["--only-source", "showsrc", name])
        found = re.findall(r"^Version: (\S+)$", text, re.M)
        if not found:
            raise NotReachable("%s has no source %s" % (self.suite, name))
        return sorted(set(found), key=version_key, reverse=True)

    def unpack(self, name, version, folder):
        """Download one version and unpack it, patched, as folder/NAME-UPSTREAM.

        A mirror may lack a version that its lists name: NotReachable.
        """
        host.tool("dpkg-source", "dpkg-dev")
        try:
            host.run([host.tool("apt-get", "apt")] + self._options() +
                     ["-q", "source", "%s=%s" % (name, version)],
                     timeout=1800, cwd=folder)
        except GuestError as error:
            raise NotReachable("source of %s %s: %s" % (
                name, version, str(error).splitlines()[-1][-200:]))


def version_key(version):
    """Orders the versions of kernel packages: their numbers, in order."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def unpack(deb, folder, patterns=None, timeout=900):
    """Unpack a .deb's files; with patterns, only the members that match."""
    os.makedirs(folder, exist_ok=True)
    if not patterns:
        host.run([host.tool("dpkg-deb", "dpkg"), "-x", deb, folder], timeout)
        return
    script = ('dpkg-deb --fsys-tarfile "$1" | '
              'tar -x -C "$2" --wildcards --no-same-owner -f - "${@:3}"')
    host.run(["bash", "-o", "pipefail", "-c", script, "unpack", deb, folder] +
             list(patterns), timeout)
