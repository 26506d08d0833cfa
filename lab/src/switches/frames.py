#!/usr/bin/env python3
"""Sends and captures Ethernet frames with any 802.1Q tags on one interface.

The kernel may have no VLAN devices, so the tags are written and read here. A capture needs PACKET_AUXDATA: the
kernel takes the outer tag off a frame and only mentions it beside.
"""
import argparse
import json
import os
import signal
import socket
import struct
import sys
import time

ALL_PROTOCOLS, OURS, TAGS = 3, 0x88B5, (0x8100, 0x88A8, 0x9100)
IPV4, UDP, DHCP_PORTS, DHCP_KINDS = 0x0800, 17, (68, 67), {1: "discover", 3: "request"}
SOL_PACKET, PACKET_AUXDATA, PACKET_OUTGOING, TAG_IS_BESIDE = 263, 8, 4, 1 << 4
SO_RCVBUFFORCE, SO_TIMESTAMPNS, RECEIVE_BYTES = 33, 35, 32 << 20


def stacks(text):
    """`untagged,5,10-12,20.30`: a frame without a tag, one tagged 5, three more, one tagged 20 outside and 30 inside."""
    for part in text.split(","):
        if part == "untagged":
            yield ()
        elif "-" in part:
            first, last = part.split("-")
            yield from ((vlan,) for vlan in range(int(first), int(last) + 1))
        else:
            yield tuple(int(vlan) for vlan in part.split("."))


def open_link(interface):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    link.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    link.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BYTES)
    link.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    link.bind((interface, 0))
    return link


def frame(options, source, tags):
    head = bytes.fromhex(options.to.replace(":", "")) + source
    for place, vlan in enumerate(tags):
        head += struct.pack("!HH", int(options.tpid, 16) if place == 0 else 0x8100, vlan)
    return head + struct.pack("!H", OURS) + options.marker.encode().ljust(46, b"\0")


def send(link, options):
    source = link.getsockname()[4]
    frames = [frame(options, source, tags) for tags in stacks(options.tags)]
    ends = time.monotonic() + options.seconds
    while True:
        # A switch in user space loses what arrives faster than it can think about new VLANs.
        for start in range(0, len(frames), options.burst):
            for data in frames[start : start + options.burst]:
                link.send(data if options.sources == "own" else data[:6] + b"\x02" + os.urandom(5) + data[12:])
            time.sleep(options.pause / 1000)
        if time.monotonic() >= ends:
            return


def capture(link, machine):
    # Asked to stop, it first tells what has arrived until then.
    signal.signal(signal.SIGTERM, lambda *_: link.setblocking(False))
    say({"ready": True})
    while True:
        try:
            data, extras, _, sender = link.recvmsg(2048, 256)
        except BlockingIOError:
            return
        if sender[2] != PACKET_OUTGOING:
            tell(data, extras, machine)


def tell(data, extras, machine):
    tags, rest, at = [], data[12:], time.time()
    for level, kind, extra in extras:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            # When it arrived, not when there was time to look at it.
            seconds, nanoseconds = struct.unpack("ll", extra[:16])
            at = seconds + nanoseconds / 1e9
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, tag, _ = struct.unpack("IIIHHHH", extra[:20])
            if status & TAG_IS_BESIDE:
                tags.append(tag & 0xFFF)
    while struct.unpack("!H", rest[:2])[0] in TAGS:
        tags.append(struct.unpack("!H", rest[2:4])[0] & 0xFFF)
        rest = rest[4:]
    kind, payload = struct.unpack("!H", rest[:2])[0], rest[2:]
    ends = {"source": data[6:12].hex(":"), "destination": data[:6].hex(":")}
    if kind == OURS:
        say({"at": at * 1000, "tags": tags, "marker": payload.split(b"\0")[0].decode("ascii", "replace"), **ends})
    elif machine in ("any", ends["source"]):
        say({"at": at * 1000, "tags": tags, "marker": dhcp(kind, payload) or f"type {kind:04x}", **ends})


def dhcp(kind, packet):
    """What a client asks a DHCP server for, or nothing if this is something else."""
    header = (packet[0] & 15) * 4
    if kind != IPV4 or packet[9] != UDP or struct.unpack("!HH", packet[header : header + 4]) != DHCP_PORTS:
        return None
    options = packet[header + 8 + 240 :]
    while len(options) > 2 and options[0] != 255:
        if options[0] == 53:
            return f"dhcp {DHCP_KINDS.get(options[2], options[2])}"
        options = options[1:] if options[0] == 0 else options[2 + options[1] :]
    return "bootp"


def say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interface")
    actions = parser.add_subparsers(dest="action", required=True)
    watcher = actions.add_parser("capture")
    watcher.add_argument("--machine", help="a MAC address, or any: tell of all frames from there too")
    sender = actions.add_parser("send")
    sender.add_argument("--tags", default="untagged")
    sender.add_argument("--sources", choices=("own", "new"), default="own", help="new: an unknown one each time")
    sender.add_argument("--tpid", default="8100", help="of the outer tag, in hexadecimal")
    sender.add_argument("--to", default="ff:ff:ff:ff:ff:ff")
    sender.add_argument("--marker", default="corral")
    sender.add_argument("--seconds", type=float, default=0, help="go on for this long")
    sender.add_argument("--burst", type=int, default=16, help="frames between two pauses")
    sender.add_argument("--pause", type=float, default=2, help="milliseconds")
    options = parser.parse_args()
    link = open_link(options.interface)
    if options.action == "capture":
        capture(link, options.machine)
    else:
        send(link, options)


main()
