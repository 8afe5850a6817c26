#!/usr/bin/env bash
# Speed of native programs: executions a second, and nanoseconds a step as a ratio to a bare fiber switch that is measured in
# the same run. A step is a transition, explored or done again to get back to a state; the JSON counts the explored ones.
# Usage: bench/native.sh BUILD_DIRECTORY
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

switch=$("$build/bench/bench_restart" | awk '/^fiber switch/ { print $3 }')
printf 'a bare fiber switch takes %s ns\n\n' "$switch"
printf '%-16s %10s %12s %10s %12s %14s %8s\n' program executions transitions seconds 'per second' 'ns/transition' ratio

field() { # of the JSON report
    sed -n "s/^  \"$1\": \([0-9.e+-]*\),\$/\1/p" report.json
}

run() { # name N expected-executions
    "$build/raddle" cc -O1 -w -I"$source/tests/programs" -DN="$2" "$source/tests/programs/$1.c" -o "$1"
    "$build/raddle" check --json report.json "./$1" >/dev/null
    [ "$(field executions)" = "$3" ] || { echo "$1($2): $(field executions) executions, not $3" >&2; exit 1; }
    awk -v name="$1($2)" -v e="$(field executions)" -v t="$(field transitions)" -v s="$(field seconds)" -v f="$switch" 'BEGIN {
        ns = s * 1e9 / t
        printf "%-16s %10d %12d %10.2f %12.0f %14.0f %8.1f\n", name, e, t, s, e / s, ns, ns / f }'
}

run locks 8 40320
run readers 16 65536
run lastzero 12 15360
run indexer 15 4096
run filesystem 26 8192
