#!/usr/bin/env bash
# Row spawn: 1,000 command steps, one after another.
. "$(dirname "$0")/setting.sh"
serve # for the connection before the first step; no step uses it
work=$scratch/spawn
rm -rf "$work"
python3 "$bench/plans.py" spawn "$work" "$url" 1000
cd "$work"
cc -O2 -o floor "$bench/spawn.c"

python3 - "$probity" "$bench" >spec.json <<'SPEC'
import json, sys
probity, bench = sys.argv[1:]
json.dump([
    {"name": "bare C loop", "argv": ["./floor", "1000"]},
    {"name": "probity run", "argv": [probity, "run", "--out", "probity-runs", "plan.probity.json"], "before": "rm -rf probity-runs"},
    {"name": "python subprocess", "argv": ["python3", f"{bench}/spawn.py", "1000"]},
    {"name": "bash", "argv": ["bash", "-c", "for i in $(seq 1000); do /bin/echo hi $i >/dev/null; done"]},
], sys.stdout)
SPEC
python3 "$bench/measure.py" "$rounds" spec.json
