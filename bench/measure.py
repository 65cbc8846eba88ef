#!/usr/bin/env python3
"""measure.py ROUNDS SPEC.json: runs the commands of SPEC in turn, ROUNDS times, and prints medians and ratios.

SPEC is a list of {"name", "argv", "before"?, "exit"?}. "before" is a shell line run before each round of the
command, unmeasured. A command that ends with another exit code than "exit" (0) ends the measurement."""
import json
import os
import statistics
import subprocess
import sys
import time


def once(spec):
    """Wall and CPU seconds, peak MiB of one command, its children included."""
    if spec.get("before"):
        subprocess.run(spec["before"], shell=True, check=True, stdout=subprocess.DEVNULL)
    with open(os.devnull, "r+b") as null:
        start = time.perf_counter()
        child = subprocess.Popen(spec["argv"], stdin=null, stdout=null, stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    if code != spec.get("exit", 0):
        tail = said.decode("utf-8", "replace")[-600:]
        sys.exit(f"error: {spec['name']} ended with {code}, not {spec.get('exit', 0)}: {' '.join(spec['argv'])[:200]}\n{tail}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def main():
    rounds, specs = int(sys.argv[1]), json.load(open(sys.argv[2]))
    seen = {spec["name"]: [] for spec in specs}
    for _ in range(rounds):
        for spec in specs:
            seen[spec["name"]].append(once(spec))
    medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in seen.items()}
    first = medians[specs[0]["name"]]
    print(f"medians of {rounds} rounds; ratios to {specs[0]['name']}\n")
    print("| what | CPU s | ratio | wall s | ratio | peak MiB |\n|---|---|---|---|---|---|")
    for name, (cpu, wall, memory) in medians.items():
        print(f"| {name} | {cpu:.3f} | {cpu / max(first[0], 1e-9):.2f} | {wall:.3f} | {wall / first[1]:.2f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
