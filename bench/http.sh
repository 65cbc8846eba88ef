#!/usr/bin/env bash
# Row http: 1,000 GETs with 7 checks each, one connection.
. "$(dirname "$0")/setting.sh"
serve
work=$scratch/http
rm -rf "$work"
python3 "$bench/plans.py" http "$work" "$url" 1000
cd "$work"

hurl=$(command -v hurl || true)
[ -x "$bench/../.tools/bin/hurl" ] && hurl=$bench/../.tools/bin/hurl
if [ -z "$hurl" ] && [ "${BENCH_INSTALL:-0}" = 1 ]; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends libcurl4-openssl-dev libxml2-dev libclang-dev pkg-config
    fi
    (cd "$bench/.." && cargo install hurl --version 8.0.1 --locked --root .tools)
    hurl=$bench/../.tools/bin/hurl
fi

python3 - "$probity" "$bench" "$hurl" "${url#http://}" >spec.json <<'SPEC'
import json, sys
probity, bench, hurl, address = sys.argv[1:]
specs = [{"name": "probity run", "argv": [probity, "run", "--out", "probity-runs", "plan.probity.json"], "before": "rm -rf probity-runs"}]
if hurl:
    report = ["--report-json", "report"]
    specs.append({"name": "hurl", "argv": [hurl, "--test", "items.hurl"]})
    specs.append({"name": "hurl, JSON report", "argv": [hurl, "--test", *report, "items.hurl"], "before": "rm -rf report"})
for how in ["connection", "urllib"]:
    specs.append({"name": f"python {how}", "argv": ["python3", f"{bench}/get.py", how, address, "1000"]})
json.dump(specs, sys.stdout)
SPEC
[ -n "$hurl" ] || echo "not run: hurl is not installed (cargo xtask bench --install http)"
python3 "$bench/measure.py" "$rounds" spec.json
