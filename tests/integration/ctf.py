"""Traces that were extracted: their packets as bytes, and as babeltrace2 reads them."""

import glob
import importlib
import os
import re
import shutil
import struct
import tempfile

import common

MAGIC = 0xC1FC1FC1
# struct packet_header of lttng-modules' and lttng-ust's ring buffer clients, by bytes of a word.
HEADERS = {8: struct.Struct("<I16sIQQQQQQQI"), 4: struct.Struct("<I16sIQQQQQQII")}
# struct metadata_packet_header, packed: where content_size and packet_size are, and the text.
METADATA_MAGIC, METADATA_SIZES, METADATA_TEXT = 0x75D11D57, 24, 37


class Packet:
    """
    One packet of a stream's file, at a place in it; content is without the header and the padding.
    """

    def __init__(self, data, at, word):
        self.at, header = at, HEADERS[word]
        data = data[at:]
        (self.magic, self.uuid, self.stream, self.instance, self.begin, self.end, content, size,
         self.seq, self.discarded, self.cpu) = header.unpack_from(data)
        self.size = size // 8
        self.content = data[header.size:content // 8]
        self.padding = data[content // 8:self.size]


def packets(path, word=8):
    """The packets of a stream's file, to its last byte."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        packet = Packet(data, at, word)
        if packet.magic != MAGIC or not HEADERS[word].size <= packet.size <= len(data) - at:
            raise AssertionError("%s: no packet at %d" % (path, at))
        found.append(packet)
        at += packet.size
    return found


def metadata(path):
    """The text of a file of metadata, plain or in packets."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != struct.pack("<I", METADATA_MAGIC):
        return data.decode()
    text, at = b"", 0
    while at < len(data):
        content, size = struct.unpack_from("<II", data, at + METADATA_SIZES)
        text += data[at + METADATA_TEXT:at + content // 8]
        at += size // 8
    return text.decode()


class Read:
    """What babeltrace2 says of a trace: events (its lines), discarded (events, packets)."""

    def __init__(self, out, err):
        self.events = out.splitlines()
        self.warnings = err.splitlines()
        self.discarded = sum(int(number) for number in
                             re.findall(r"discarded (\d+) events?\b", err))
        self.lost_packets = sum(int(number) for number in
                                re.findall(r"discarded (\d+) packets?\b", err))


def babeltrace(ctf2=False):
    """
    The command, and what its environment needs. CTF 2 takes 2.1: where the machine's is older,
    Debian 13's is unpacked beside it.
    """
    path = shutil.which("babeltrace2") or \
        common.skip_or_fail("babeltrace2 is not installed (make deps)", False)
    out = common.run([path, "--version"]).out
    if not ctf2 or [int(part) for part in re.search(r"(\d+)\.(\d+)", out).groups()] >= [2, 1]:
        return [path], {}
    apt, errors, host = (importlib.import_module("toolkit." + name)
                         for name in ("apt", "errors", "host"))
    root = os.path.join(host.cache("babeltrace2"), "trixie")

    def unpack(folder):
        archive = apt.Archive("trixie")
        for name in archive.closure(["babeltrace2"]):
            apt.unpack(archive.fetch(name), folder)

    try:
        if not os.path.isdir(root):
            host.replace_tree(unpack, root)
    except errors.NotReachable as error:
        common.skip_or_fail("babeltrace2 2.1 cannot be downloaded now: %s" % error, True)
    libraries, = glob.glob(root + "/usr/lib/*-linux-gnu")
    loader, = glob.glob(libraries + "/ld-linux-*.so.*")
    return [loader, "--library-path", libraries, root + "/usr/bin/babeltrace2"], {
        "BABELTRACE_PLUGIN_PATH": libraries + "/babeltrace2/plugins",
        "LIBBABELTRACE2_PLUGIN_PROVIDER_DIR": libraries + "/babeltrace2/plugin-providers"}


def read(folder, *arguments):
    """A trace, read by babeltrace2, which must not complain."""
    command, environment = babeltrace(metadata(os.path.join(folder, "metadata"))[0] == "\x1e")
    ran = common.run(command + ["--clock-gmt", "--clock-date"] + list(arguments) + [folder],
                     env=environment)
    if ran.status or re.search("^(?!WARNING: Tracer|$)", ran.err, re.M):
        raise AssertionError(ran)
    return Read(ran.out, ran.err)


def read_stream(folder, name):
    """One stream of a trace."""
    with tempfile.TemporaryDirectory() as alone:
        for file in ("metadata", name):
            shutil.copy(os.path.join(folder, file), alone)
        return read(alone)
