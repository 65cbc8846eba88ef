#!/usr/bin/env bash
# Row many: 20,000 GETs with 7 checks each, first in one case on one connection, then dealt out to 8 cases that are run side by
# side; what counts beside time is memory.
. "$(dirname "$0")/setting.sh"
serve
work=$scratch/many count=${BENCH_COUNT:-20000}
rm -rf "$work"
python3 "$bench/plans.py" http "$work" "$url" "$count"
python3 "$bench/plans.py" dealt "$work/dealt" "$url" "$count"
cd "$work"

hurl=$(command -v hurl || true)
[ -x "$bench/../.tools/bin/hurl" ] && hurl=$bench/../.tools/bin/hurl
python3 - "$probity" "$hurl" >spec.json <<'SPEC'
import json, sys
probity, hurl = sys.argv[1:]
specs = [{"name": "probity run", "argv": [probity, "run", "--out", "probity-runs", "plan.probity.json"], "before": "rm -rf probity-runs"},
         {"name": "probity run --jobs 8, 8 cases", "before": "rm -rf probity-runs",
          "argv": [probity, "run", "--out", "probity-runs", "--jobs", "8", "dealt/plan.probity.json"]}]
if hurl:
    specs.append({"name": "hurl", "argv": [hurl, "--test", "items.hurl"]})
    specs.append({"name": "hurl, JSON report", "argv": [hurl, "--test", "--report-json", "report", "items.hurl"], "before": "rm -rf report"})
json.dump(specs, sys.stdout)
SPEC
[ -n "$hurl" ] || echo "not run: hurl is not installed (cargo xtask bench --install http)"
echo "$count requests"
python3 "$bench/measure.py" "$rounds" spec.json
