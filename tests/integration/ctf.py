"""Traces that were extracted: their packets as bytes, and as babeltrace2 reads them."""

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


def babeltrace():
    path = shutil.which("babeltrace2")
    return path or common.skip_or_fail("babeltrace2 is not installed (make deps)", False)


def version():
    """Of babeltrace2, such as (2, 0)."""
    out = common.run([babeltrace(), "--version"]).out
    return tuple(int(part) for part in re.search(r"(\d+)\.(\d+)", out).groups())


def read(folder, *arguments):
    """A trace, or a folder of traces, read by babeltrace2, which must not complain."""
    ran = common.run([babeltrace(), "--clock-gmt", "--clock-date"] + list(arguments) + [folder])
    if ran.status or re.search("^(?!WARNING: Tracer|$)", ran.err, re.M):
        raise AssertionError(ran)
    return Read(ran.out, ran.err)


def read_stream(folder, name):
    """One stream of a trace."""
    with tempfile.TemporaryDirectory() as alone:
        for file in ("metadata", name):
            shutil.copy(os.path.join(folder, file), alone)
        return read(alone)
