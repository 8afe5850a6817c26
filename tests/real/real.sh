#!/bin/bash
# usage: real.sh BUILD_DIRECTORY [PROGRAM...]
# Real programs under raddle: fetches their sources, builds them with CC="raddle cc", unpatched, and checks each on a small
# input; then the examples. Prints a table and writes it to BUILD_DIRECTORY/real/report.md. Exit status 0 only if
# every check came to the outcome that is expected of it. With names, only those.
# A program is a file in tests/real/programs, which is read here; see there.
set -u
unset MAKEFLAGS MFLAGS MAKEOVERRIDES # those of "make real" are not for the programs
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
real="$build/real"
export RADDLE="$build/raddle"
export CC="$RADDLE cc"
export XDG_CACHE_HOME="$real/cache"
jobs=$(nproc)
rows="$real/rows.md"
failures=0
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null' EXIT
mkdir -p "$real/log" "$real/input" "$real/run" "$real/cache"
: >"$rows"

fail() {
    failures=$((failures + 1))
    echo "real: FAIL: $*" >&2
}

# ---- what all have

# Text that packs well, of so many bytes.
input_text() {
    seq 1 200000 | head -c "$1"
}

inputs_make() {
    input_text 20 >"$real/input/tiny"
    input_text 140000 >"$real/input/two-blocks"
    input_text 6000 >"$real/input/small"
    head -c 40000 /dev/zero >"$real/input/zeros"
    { # a picture with transparency
        printf 'P7\nWIDTH 48\nHEIGHT 48\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n'
        input_text 9216
    } >"$real/input/picture"
}

server_start() {
    clang-19 -O1 "$root/examples/downloader/serve.c" -o "$real/serve" || return 1
    "$real/serve" "$real/input" >"$real/port" &
    server=$!
    for _ in $(seq 50); do
        [ -s "$real/port" ] && break
        sleep 0.1
    done
    url="http://127.0.0.1:$(cat "$real/port")"
}

# ---- the table

# A field of the last result.
field() {
    jq -r "$1" "$real/result.json"
}

# Reasons as the report has them, in one line that a table can hold.
reasons() {
    field '[.bugs[] | "\(.kind) at \(.file // "?" | sub(".*/"; "")):\(.line)"] + .reasons | join("; ")' |
        sed -e 's/|/\\|/g' -e "s#$real/##g" -e 's/ (--step-timeout changes that)//; s/; --step-timeout changes that//' | cut -c 1-400
}

row_head() {
    echo "| program | version | checked | bounds | threads | executions | transitions | verdict | seconds | what stood in the way |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
}

row_add() {
    echo "| $1 | $version | \`$2\` | ${3:-none} | $(field .threads) | $(field .executions) | $(field .transitions) | $(field .verdict) | $(field '.seconds * 10 | round / 10') | $(reasons) |" |
        tee -a "$rows"
}

# The verdict, bugs and reasons of the last result: "bug; data-race at ck_ring.h", "incomplete; the time was up".
outcome() {
    field '[.verdict] + ([.bugs[] | "\(.kind) at \(.file // "?" | sub(".*/"; ""))"] | unique) + .reasons | join("; ")'
}

# OUTCOME, OPTIONS of raddle check, "--", a command: one row, which fails if its outcome is another one. OUTCOME is an extended pattern for all
# of what outcome() prints. The name of the row in the table is $program.
check() {
    local options=() status shown command expected=$1
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    command=$(realpath "$2")
    shift 2
    rm -f "$real/result.json"
    shown="$(basename "$command") $*"
    shown=${shown//$real\/input\//}
    shown=${shown//$url/http:\/\/HOST}
    rm -rf "$real/run/$program.d"
    mkdir "$real/run/$program.d" # for files that it makes, and traces
    (cd "$real/run/$program.d" && timeout -k 5 400 "$RADDLE" check --json "$real/result.json" "${options[@]}" -- "$command" "$@") \
        >>"$real/log/$program.log" 2>&1 </dev/null
    status=$?
    case $status in
    0 | 1 | 3) row_add "$program" "$shown" "$(bounds "${options[*]}")" ;;
    *)
        fail "$program: $shown: no verdict, status $status; see $real/log/$program.log"
        return
        ;;
    esac
    [[ "$(outcome)" =~ ^($expected)$ ]] ||
        fail "$program: $shown: '$(outcome)', wanted '$expected'; see $real/log/$program.log"
}

# Options, as a table can hold them.
bounds() {
    local text=${1//|/\\|}
    echo "${text//$PWD\//}"
}

# ---- programs

# A program of tests/real/programs: its file defines
#   source    the name of the source package
#   program_build   called in its source directory; builds it with $CC
#   program_checks  called there; calls check, and planted
program_run() {
    program=$1
    # shellcheck source=/dev/null
    . "$here/programs/$program.sh"
    if ! version=$("$here/fetch.sh" "$real" "$source"); then
        fail "$program: its source could not be fetched"
        return
    fi
    : >"$real/log/$program.log"
    echo "real: building $program $version" >&2
    (cd "$real/src/$source" && program_build) >"$real/log/$program-build.log" 2>&1 </dev/null || {
        fail "$program: does not build; see $real/log/$program-build.log"
        return
    }
    cd "$real/src/$source" && program_checks
    cd "$root" || exit 1
}

# FILE SCRIPT COMMAND...: the program once more, with a mistake that the sed script plants in a file of its source, built by the command.
# From then on the source directory is that of the copy.
planted() {
    local file=$1 script=$2 copy="$real/src/$source-planted"
    shift 2
    rm -rf "$copy"
    cp -a "$real/src/$source" "$copy"
    cd "$copy" || return
    sed -i -E "$script" "$file"
    ! cmp -s "$file" "$real/src/$source/$file" || { fail "$program: nothing was planted in $file"; return 1; }
    "$@" >"$real/log/$program-planted.log" 2>&1 </dev/null || { fail "$program: does not build with what was planted"; return 1; }
    program="$program, planted"
}

# NAME, sources in examples/; the program is $real/run/NAME.
example_build() {
    local name=$1 sources=() file
    shift
    for file in "$@"; do
        sources+=("$root/examples/$file")
    done
    $CC -O1 "${sources[@]}" -o "$real/run/$name" >"$real/log/$name-build.log" 2>&1 || fail "$name does not build"
    program=$name
    : >"$real/log/$name.log"
}

examples_run() {
    local pack="compressor/compressor.c compressor/pack.c compressor/ring.c"
    local load="downloader/downloader.c downloader/http.c"
    version=own
    mkdir -p "$real/input/tree"
    echo 'a needle' >"$real/input/tree/a"
    echo 'nothing' >"$real/input/tree/b"
    printf 'aaaaaaaabbbbbbbbcccccccc' >"$real/input/blocks"
    example_build scanner scanner/scanner.c scanner/queue.c
    check safe -- "$real/run/scanner" needle "$real/input/tree"
    example_build downloader $load downloader/segments.c
    check safe -- "$real/run/downloader" -f -s 8 "$url/blocks" out
    example_build compressor $pack compressor/writer.c
    check safe -- "$real/run/compressor" -q 2 -b 8 "$real/input/blocks" -
    example_build scanner-buggy scanner/scanner.c scanner/queue-buggy.c
    check 'bug; deadlock at queue-buggy.c' -- "$real/run/scanner-buggy" needle "$real/input/tree"
    example_build downloader-buggy $load downloader/segments-buggy.c
    check 'bug; assertion at segments-buggy.c' -- "$real/run/downloader-buggy" -f -s 8 "$url/blocks" out
    example_build compressor-buggy $pack compressor/writer-buggy.c
    check 'bug; data-race at compressor.c' -- "$real/run/compressor-buggy" -q 2 -b 8 "$real/input/blocks" -
}

inputs_make
server_start || { echo "real: the server does not start" >&2; exit 1; }
row_head
if [ $# -gt 0 ]; then
    for name in "$@"; do
        if [ "$name" = examples ]; then examples_run; else program_run "$name"; fi
    done
else
    examples_run
    for file in "$here"/programs/*.sh; do
        program_run "$(basename "$file" .sh)"
    done
fi
{ row_head; cat "$rows"; } >"$real/report.md"
echo "real: the table is in $real/report.md; $failures failed" >&2
[ "$failures" -eq 0 ]
