#!/usr/bin/env bash
# Row report: the HTML page of a run with 10,000 tests, out of the run folder, which is verified first.
. "$(dirname "$0")/setting.sh"
serve
work=$scratch/report
rm -rf "$work"
python3 "$bench/plans.py" cases "$work" "$url" 10000
run=$(make_run "$work")
cd "$work"
python3 - "$probity" "$run" >spec.json <<'SPEC'
import json, sys
probity, run = sys.argv[1:]
json.dump([
    {"name": "probity report --as html", "argv": [probity, "report", run, "--as", "html", "-o", "page.html"], "before": "rm -f page.html"},
    {"name": "probity verify", "argv": [probity, "verify", run]},
], sys.stdout)
SPEC
python3 "$bench/measure.py" "$rounds" spec.json
echo
echo "page.html: $(stat -c %s page.html) bytes for 10,000 tests"
echo "not run: the reporters of Playwright and Allure need a run of their own; their figures stand in bench/README.md"
