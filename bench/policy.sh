#!/usr/bin/env bash
# Row policy: success policies over many runs, in memory and out of JSON lines. BENCH_RUNS and BENCH_REQUIREMENTS make it
# smaller, for a try.
. "$(dirname "$0")/setting.sh"
runs=${BENCH_RUNS:-10000000} requirements=${BENCH_REQUIREMENTS:-100000}
work=$scratch/policy
rm -rf "$work"
mkdir -p "$work"
cargo build --quiet --release --locked --package probity-testkit --example bench-policy
mine=$PWD/target/release/examples/bench-policy
python=python3
if [ -x .tools/duckdb/bin/python3 ]; then
    python=$PWD/.tools/duckdb/bin/python3
elif [ "${BENCH_INSTALL:-0}" = 1 ]; then
    python3 -m venv .tools/duckdb && .tools/duckdb/bin/pip install --quiet duckdb
    python=$PWD/.tools/duckdb/bin/python3
fi

"$mine" csv "$work/runs.csv" "$runs" "$requirements"
for _ in $(seq "$rounds"); do "$mine" count "$runs" "$requirements"; done >"$work/probity"
"$python" "$bench/policy.py" sqlite "$work/runs.csv" "$rounds" >"$work/sqlite"
if "$python" -c 'import duckdb' 2>/dev/null; then
    "$python" "$bench/policy.py" duckdb "$work/runs.csv" "$rounds" >"$work/duckdb"
else
    echo "not run: DuckDB; --install brings it into .tools"
fi
python3 - "$work" "$runs" "$requirements" <<'TABLE'
import os, statistics, sys
work, runs, requirements = sys.argv[1], int(sys.argv[2]), sys.argv[3]
print(f"{runs} runs of {requirements} requirements, in memory; medians of the judging alone, one thread\n")
print("| what | s | ratio | satisfied |\n|---|---|---|---|")
first, counts = None, set()
for name, title in [("probity", "probity's counts"), ("sqlite", "SQLite, covering index"), ("duckdb", "DuckDB, 1 thread")]:
    if not os.path.exists(f"{work}/{name}"):
        continue
    rows = [line.split() for line in open(f"{work}/{name}")]
    seconds = statistics.median(float(row[1]) for row in rows)
    counts |= {row[0] for row in rows}
    first = first or seconds
    print(f"| {title} | {seconds:.4f} | {seconds / first:.2f} | {rows[0][0]} |")
if len(counts) != 1:
    sys.exit(f"error: the counts differ: {sorted(counts)}")
TABLE

lines=$((runs / 5))
"$mine" lines "$work/runs.jsonl" "$lines"
echo '{"type": "statistical", "min_runs": 20, "min_pass_rate": 0.9}' >"$work/policy.json"
python3 - "$probity" "$python" "$bench" "$work" >"$work/spec.json" <<'SPEC'
import json, sys
probity, python, bench, work = sys.argv[1:]
json.dump([
    {"name": "probity policy eval", "argv": [probity, "policy", "eval", "--policy", f"{work}/policy.json", "--runs", f"{work}/runs.jsonl"]},
    {"name": "Python json", "argv": [python, f"{bench}/policy.py", "lines", f"{work}/runs.jsonl"]},
], sys.stdout)
SPEC
echo
echo "$lines JSON lines, $(stat -c %s "$work/runs.jsonl") bytes"
python3 "$bench/measure.py" "$rounds" "$work/spec.json"
