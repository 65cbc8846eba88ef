#!/usr/bin/env python3
"""get.py connection|urllib HOST:PORT COUNT: the row http as a Python client does it, with the same 7 checks and a digest."""
import hashlib
import http.client
import json
import sys
import urllib.request

how, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


def check(i, status, media, content):
    value = json.loads(content)
    hashlib.sha256(content).hexdigest()
    history = value["history"]
    fine = status == 200 and media == "application/json" and value["id"] == i and value["ok"] is True
    if not (fine and value["name"] == f"item-{i}" and len(history) == 3 and history[2]["state"] == "sent"):
        sys.exit(f"item {i} is not as expected")


if how == "connection":
    connection = http.client.HTTPConnection(address)
    for i in range(count):
        connection.request("GET", f"/api/item/{i}")
        answer = connection.getresponse()
        check(i, answer.status, answer.headers["content-type"], answer.read())
else:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for i in range(count):
        with opener.open(f"http://{address}/api/item/{i}") as answer:
            check(i, answer.status, answer.headers["content-type"], answer.read())
