#!/usr/bin/env python3
"""Joins each TCP connection to one address with a connection of its own to a Unix socket.

Unix sockets are found by path in every network namespace: so a process outside can serve those inside.
"""
import json
import socket
import sys
import threading


def pass_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        # One side has gone; the other is told.
        for end in (source, target):
            end.close()


def main():
    address, port, path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    server = socket.create_server((address, port))
    print(json.dumps({"ready": True}), flush=True)
    while True:
        caller, _ = server.accept()
        called = socket.socket(socket.AF_UNIX)
        called.connect(path)
        for ends in ((caller, called), (called, caller)):
            threading.Thread(target=pass_on, args=ends, daemon=True).start()


main()
