#!/usr/bin/env bash
# Row hash: verify of a run with much evidence, against programs that only hash the same files.
. "$(dirname "$0")/setting.sh"
serve

measure() { # NAME COUNT KIB
    local work=$scratch/hash-$1 run
    rm -rf "$work"
    python3 "$bench/plans.py" body "$work" "$url" "$2" "$3"
    run=$(make_run "$work")
    find "$run/evidence" -type f -print0 >"$work/files"
    python3 - "$probity" "$run" "$work/files" >"$work/spec.json" <<'SPEC'
import json, shutil, sys
probity, run, files = sys.argv[1:]
specs = [{"name": "probity verify", "argv": [probity, "verify", "--integrity-only", run]}]
for name, argv in [("sha256sum", ["sha256sum"]), ("openssl", ["openssl", "dgst", "-sha256"])]:
    if shutil.which(argv[0]):
        specs.append({"name": name, "argv": ["xargs", "-0", "-a", files, *argv]})
json.dump(specs, sys.stdout)
SPEC
    echo
    echo "$1: $2 bodies of $3 KiB, $(du -sm "$run/evidence" | cut -f 1) MiB of evidence"
    python3 "$bench/measure.py" "$rounds" "$work/spec.json"
}

measure big 48 8192
measure small 2000 64
