#!/usr/bin/env python3
"""Answers those who ask for an address on one interface: an offer to a discover, an acknowledgement to a request.

It writes whole frames, so that it works before anybody has an address. The offer names a file to boot, because the
firmware of a machine takes no offer without one. Where that is a URL, those who look for a router of IPv6 hear that there
are no addresses to be had: iPXE does not boot before it knows.
"""
import argparse
import json
import select
import socket
import struct
import sys

IPV4, UDP, SERVER, CLIENT, ANSWERS = 0x0800, 17, 67, 68, {1: 2, 3: 5}
IPV6, ICMPV6, ROUTER_SOLICITATION, ROUTER_ADVERTISEMENT = 0x86DD, 58, 133, 134
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


def answer(asked, kind, offered, server, file):
    """The BOOTP message: what was asked, turned round."""
    head = struct.pack("!BBBB4sHH", 2, 1, 6, 0, asked[4:8], 0, 0x8000)
    head += bytes(4) + offered + server + bytes(4) + asked[28:44] + bytes(64) + file.ljust(128, b"\0")
    kind_of = option(53, struct.pack("B", kind)) + option(54, server) + option(51, struct.pack("!I", 3600))
    network = option(1, bytes([255, 255, 255, 0])) + option(3, server)
    # Boot from this server at once, without looking for others. iPXE, which takes URLs, would ask once more for that.
    boot = b"" if b"://" in file else option(60, b"PXEClient") + option(43, b"\x06\x01\x08\xff")
    return head + COOKIE + kind_of + network + boot + END


def frame(source, destination, server, message):
    message += bytes(len(message) % 2)
    # Without a checksum: UDP over IPv4 can do without.
    udp = struct.pack("!HHHH", SERVER, CLIENT, 8 + len(message), 0) + message
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, UDP, 0, server, b"\xff" * 4)
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return destination + source + struct.pack("!H", IPV4) + head + udp


def advertisement(source):
    """No router, no prefix, no addresses from elsewhere: to all, from a local address."""
    ends = b"\xfe\x80" + bytes(13) + b"\x01" + b"\xff\x02" + bytes(13) + b"\x01"
    body = struct.pack("!BBHBBHII", ROUTER_ADVERTISEMENT, 0, 0, 64, 0, 0, 0, 0) + b"\x01\x01" + source
    total = checksum(ends + struct.pack("!II", len(body), ICMPV6) + body)
    body = body[:2] + struct.pack("!H", total) + body[4:]
    head = struct.pack("!IHBB", 6 << 28, len(body), ICMPV6, 255) + ends
    return b"\x33\x33\0\0\0\x01" + source + struct.pack("!H", IPV6) + head + body


def opened(interface, protocol):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    link.bind((interface, protocol))
    return link


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interface")
    parser.add_argument("server", help="the address of this interface")
    parser.add_argument("offered", help="the address that everybody gets")
    parser.add_argument("file", help="what to boot, with the MAC address of the asker for {mac}")
    arguments = parser.parse_args()
    server, offered = socket.inet_aton(arguments.server), socket.inet_aton(arguments.offered)
    link = opened(arguments.interface, IPV4)
    links = [link] + ([opened(arguments.interface, IPV6)] if "://" in arguments.file else [])
    print(json.dumps({"ready": True}), flush=True)
    while True:
        heard = select.select(links, [], [])[0][0]
        data, sender = heard.recvfrom(2048)
        packet = data[14:]
        if heard is not link:
            if sender[2] != socket.PACKET_OUTGOING and packet[6] == ICMPV6 and packet[40] == ROUTER_SOLICITATION:
                heard.send(advertisement(heard.getsockname()[4]))
            continue
        header = (packet[0] & 15) * 4
        if packet[9] != UDP or struct.unpack("!HH", packet[header : header + 4]) != (CLIENT, SERVER):
            continue
        asked = packet[header + 8 :]
        kind = ANSWERS.get(options_in(asked[240:]).get(53, b"\0")[0])
        if kind is None:
            continue
        source, asker = link.getsockname()[4], asked[28:34]
        file = arguments.file.replace("{mac}", asker.hex("-")).encode()
        link.send(frame(source, b"\xff" * 6, server, answer(asked, kind, offered, server, file)))
        print(json.dumps({"answered": "offer" if kind == 2 else "acknowledgement", "to": asker.hex(":")}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
