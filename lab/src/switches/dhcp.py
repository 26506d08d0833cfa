#!/usr/bin/env python3
"""Answers those who ask for an address on one interface: an offer to a discover, an acknowledgement to a request.

It writes whole frames, so that it works before anybody has an address. The offer names a file to boot, because the
firmware of a machine takes no offer without one; nobody serves that file.
"""
import argparse
import json
import socket
import struct
import sys

IPV4, UDP, SERVER, CLIENT, ANSWERS = 0x0800, 17, 67, 68, {1: 2, 3: 5}
COOKIE, END = b"\x63\x82\x53\x63", b"\xff"


def options_in(text):
    found = {}
    while len(text) > 1 and text[0] != 255:
        if text[0] == 0:
            text = text[1:]
            continue
        found[text[0]] = text[2 : 2 + text[1]]
        text = text[2 + text[1] :]
    return found


def option(code, value):
    return struct.pack("BB", code, len(value)) + value


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def answer(asked, kind, offered, server):
    """The BOOTP message: what was asked, turned round."""
    head = struct.pack("!BBBB4sHH", 2, 1, 6, 0, asked[4:8], 0, 0x8000)
    head += bytes(4) + offered + server + bytes(4) + asked[28:44] + bytes(64) + b"corral.efi".ljust(128, b"\0")
    kind_of = option(53, struct.pack("B", kind)) + option(54, server) + option(51, struct.pack("!I", 3600))
    network = option(1, bytes([255, 255, 255, 0])) + option(3, server)
    # Boot from this server at once, without looking for others.
    boot = option(60, b"PXEClient") + option(43, b"\x06\x01\x08\xff")
    return head + COOKIE + kind_of + network + boot + END


def frame(source, destination, server, message):
    message += bytes(len(message) % 2)
    # Without a checksum: UDP over IPv4 can do without.
    udp = struct.pack("!HHHH", SERVER, CLIENT, 8 + len(message), 0) + message
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, UDP, 0, server, b"\xff" * 4)
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return destination + source + struct.pack("!H", IPV4) + head + udp


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interface")
    parser.add_argument("server", help="the address of this interface")
    parser.add_argument("offered", help="the address that everybody gets")
    arguments = parser.parse_args()
    server, offered = socket.inet_aton(arguments.server), socket.inet_aton(arguments.offered)
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(IPV4))
    link.bind((arguments.interface, IPV4))
    print(json.dumps({"ready": True}), flush=True)
    while True:
        data = link.recv(2048)
        packet = data[14:]
        header = (packet[0] & 15) * 4
        if packet[9] != UDP or struct.unpack("!HH", packet[header : header + 4]) != (CLIENT, SERVER):
            continue
        asked = packet[header + 8 :]
        kind = ANSWERS.get(options_in(asked[240:]).get(53, b"\0")[0])
        if kind is None:
            continue
        source = link.getsockname()[4]
        link.send(frame(source, b"\xff" * 6, server, answer(asked, kind, offered, server)))
        print(json.dumps({"answered": "offer" if kind == 2 else "acknowledgement", "to": data[6:12].hex(":")}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
