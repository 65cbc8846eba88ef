# Sourced by each row: builds the program once, makes a scratch folder, starts and stops the server.
set -euo pipefail
cd "$(dirname "$0")/.."
bench=$PWD/bench scratch=$PWD/target/bench rounds=${BENCH_ROUNDS:-7}
probity=$PWD/target/release/probity
mkdir -p "$scratch"
command -v python3 >/dev/null || { echo "error: python3 is not installed"; exit 1; }
cargo build --quiet --release --locked --package probity
case "$("$probity" --version 2>/dev/null || true)" in
probity*) ;;
*) echo "error: $probity does not answer --version: the command line is not there yet"; exit 1 ;;
esac

serve() { # starts the server; sets url. It ends when its standard input does.
    cargo build --quiet --release --locked --package probity-testkit --example bench-server
    coproc SERVER { exec target/release/examples/bench-server; }
    local server=${SERVER[1]}
    read -r -t 10 url <&"${SERVER[0]}" || { echo "error: the server did not start"; exit 1; }
    # Kept open on purpose: closing it ends the server, and so does the end of this script.
    keep=$server
}

make_run() { # FOLDER: runs the plan there once, and says where the run is
    (cd "$1" && rm -rf probity-runs && "$probity" run --out probity-runs plan.probity.json >run.log 2>&1) || {
        echo "error: the plan of $1 did not pass:" >&2
        tail -n 20 "$1/run.log" >&2
        return 1
    }
    dirname "$(find "$1/probity-runs" -name journal.jsonl | head -n 1)"
}
