#!/usr/bin/env python3
"""plans.py KIND FOLDER URL COUNT [KIB]: writes a plan (JSON) for one row, and what its peers need.

KIND is http (GETs with 7 checks, and a Hurl file of the same), dealt (the same GETs, dealt out to 8 cases), body (GETs of KIB
large bodies), spawn, or cases (a test for each of COUNT small cases)."""
import json
import os
import sys

kind, folder, url = sys.argv[1:4]
count = int(sys.argv[4])
kib = int(sys.argv[5]) if len(sys.argv) > 5 else 0


def get(i):
    """One GET: status, content type and five values of the answer."""
    values = {"id": i, "ok": True, "name": f"item-{i}", "history": {"length": 3}, "history[2].state": "sent"}
    return {"http": f"GET /api/item/{i}", "expect": {"status": 200, "headers": {"content-type": "application/json"}, "json": values}}


def body(i):
    """One GET of a large body, told from the others by a header."""
    return {"http": f"GET /body/{i}/{kib}", "expect": {"status": 200, "headers": {"x-body": f"{i}"}, "size": f"{kib}KiB"}}


def spawn(i):
    """One command that reads nothing and prints its number."""
    return {"run": ["echo", f"hi {i}"], "expect": {"exit": 0, "text": f"hi {i}"}}


HURL = """GET {url}/api/item/{i}
HTTP 200
[Asserts]
header "content-type" == "application/json"
jsonpath "$.id" == {i}
jsonpath "$.ok" == true
jsonpath "$.name" == "item-{i}"
jsonpath "$.history" count == 3
jsonpath "$.history[2].state" == "sent"

"""

def case(i):
    """One case with one GET and so with one test of its own."""
    step = {"http": f"GET /api/item/{i}", "expect": {"status": 200, "json": {"id": i}}}
    return {"id": f"B-{i}", "title": f"item {i}", "covers": ["B-1"], "steps": [step]}


step, needs = {"http": (get, "api"), "dealt": (get, "api"), "body": (body, "api"), "spawn": (spawn, "command"), "cases": (None, "api")}[kind]
if step:
    steps = [step(i) for i in range(count)]
    hands = min(count, 8) if kind == "dealt" else 1
    cases = [{"id": f"B-{i + 1:03}", "title": "one after another", "covers": ["B-1"], "steps": steps[i::hands]} for i in range(hands)]
else:
    cases = [case(i) for i in range(count)]
text = f"Each of the {count} answers is the one that was asked for."
plan = {
    "schemaVersion": 2,
    "requirement": {"title": f"Benchmark {kind}", "criteria": [{"id": "B-1", "needs": needs, "text": text}]},
    "environment": {"name": "bench", "kind": "local", "url": url, "data": "disposable"},
    "cases": cases,
}
os.makedirs(folder, exist_ok=True)
with open(f"{folder}/plan.probity.json", "w", encoding="utf-8") as file:
    json.dump(plan, file, separators=(",", ":"))  # a plan has 4 MiB at most
if kind == "http":
    with open(f"{folder}/items.hurl", "w", encoding="utf-8") as file:
        file.write("".join(HURL.format(url=url, i=i) for i in range(count)))
