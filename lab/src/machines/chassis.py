"""What a BMC runs to drive the machine it belongs to: hands the order on to the lab, which has the machine.

Called as ipmi_sim does it: SOCKET MC get|set|check PARAMETER [VALUE] ...
"""
import json
import socket
import sys

link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
link.sendall(json.dumps(sys.argv[3:]).encode() + b"\n")
answer = json.loads(link.makefile().readline())
print(answer["text"])
sys.exit(0 if answer["done"] else 1)
