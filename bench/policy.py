#!/usr/bin/env python3
"""policy.py sqlite|duckdb CSV ROUNDS: the peers of the row `policy`. Prints, for each round, how many requirements are
satisfied and the seconds that the query took, loading left out.

policy.py lines FILE: reads JSON lines one by one and counts verdicts, as a script would."""
import collections
import csv
import json
import sqlite3
import sys
import time

QUERY = """select count(*) from (
    select requirement, sum(verdict = 0) as passed, sum(verdict in (0, 1, 3)) as judged from runs group by requirement)
    where judged >= 20 and cast(passed as double) / judged >= 0.9"""


def rounds(ask, count):
    for _ in range(count):
        start = time.perf_counter()
        found = ask()
        print(found, f"{time.perf_counter() - start:.4f}")


def sqlite(path, count):
    db = sqlite3.connect(":memory:")
    db.execute("create table runs (requirement integer, verdict integer)")
    with open(path) as file:
        rows = csv.reader(file)
        next(rows)
        db.executemany("insert into runs values (?, ?)", rows)
    db.execute("create index covering on runs (requirement, verdict)")
    rounds(lambda: db.execute(QUERY).fetchone()[0], count)


def duck(path, count):
    import duckdb
    db = duckdb.connect()
    db.execute("set threads = 1")
    db.execute("create table runs as select requirement::integer as requirement, verdict::tinyint as verdict from read_csv(?)", [path])
    query = QUERY.replace("sum(verdict = 0)", "count(*) filter (verdict = 0)")
    query = query.replace("sum(verdict in (0, 1, 3))", "count(*) filter (verdict in (0, 1, 3))")
    rounds(lambda: db.execute(query).fetchone()[0], count)


def lines(path):
    with open(path) as file:
        print(collections.Counter(json.loads(line)["verdict"] for line in file))


if __name__ == "__main__":
    what, path = sys.argv[1], sys.argv[2]
    if what == "lines":
        lines(path)
    else:
        {"sqlite": sqlite, "duckdb": duck}[what](path, int(sys.argv[3]))
