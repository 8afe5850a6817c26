#!/bin/bash
# tests/conformance: each program says a line for each call that it makes (conform.h). It is built twice, by clang alone and by
# `raddle cc`. The bare run tells what must be said; under raddle every execution must say the same, and the verdict be
# safe. First lines of a program:
#
#   // EXPECT: misuse           a bug of this kind, or incomplete: not run bare
#   // NAMES: fork vfork        what the report must name, each as a whole word
#   // STATUS: 7                of the bare run; else 0
#   // CFLAGS: -O1              for both compilers
#   // OPTIONS: --model tso     for raddle check
#   // PENDING                  not yet modelled: left out, and counted
#
# After that the instrumented program is asked which functions it calls: docs/surface.md must not say more of it.
# RADDLE is the program, SOURCE_DIR the root of the repository. "conformance.sh FILE…" runs only these.
set -u
# the programs look at the numbers of descriptors
for fd in $(seq 3 30); do eval "exec $fd>&-"; done
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"

jobs=2
limit=${LIMIT:-240} # seconds for each command
bare=${BARE_CC:-clang-19}

fail() {
    echo "FAIL $name: $*"
    sed 's/^/  | /' "$dir/out" "$dir/err" 2>/dev/null | head -n 25
    good=no
}

field() { # NAME: what stands behind "// NAME:"
    sed -n "1,20s|^// $1: *||p" "$file" | head -n 1
}

# Both compilers at once, when they are to be compared.
build() {
    local status=0 job

    # shellcheck disable=SC2086
    {
        if [ -z "$expect" ]; then
            timeout -k 5 $limit $bare -pthread $flags -o bare "$file" -lm -lrt >bare.log 2>&1 </dev/null &
            job=$!
        fi
        timeout -k 5 $limit "$RADDLE" cc -g $flags -o "$name" "$file" -lm -lrt >out 2>err </dev/null || status=1
        [ -n "$expect" ] || wait $job || { cat bare.log >>err; status=1; }
    }
    return $status
}

check() { # the verdict, the end of each execution, what the report must name
    local status executions word

    # shellcheck disable=SC2086
    timeout -k 5 $limit "$RADDLE" check $options --json json "./$name" >out 2>err </dev/null
    status=$?
    case ${expect:-safe} in
    safe) [ $status -eq 0 ] || fail "status $status, not safe" ;;
    incomplete) [ $status -eq 3 ] || fail "status $status, not incomplete" ;;
    *) [ $status -eq 1 ] && grep -q "\"kind\": \"$expect\"" json || fail "status $status, not a bug of kind $expect" ;;
    esac
    if [ "${expect:-incomplete}" = incomplete ] && [ -s ended ] && [ $good = yes ]; then
        executions=$(sed -n 's/^  "executions": \([0-9]*\).*/\1/p' json)
        [ "$(od -An -tu4 ended)" -ge "${executions:?}" ] || fail "not every execution has come to conform_done"
    fi
    for word in $(field NAMES); do
        sed -n '/"reasons"/,/\]/p' json | grep -qw -- "$word" || fail "the report does not name $word"
    done
}

# What the page says of this program, it calls: by its own name, or by the one that the pass gave it; copies become hooks. A few functions of libc become part
# of the program itself (atexit, at_quick_exit).
check_page() {
    [ -f "$SOURCE_DIR/docs/surface.md" ] || return
    nm "$name" | awk '{ print $NF }' | sed -E 's/@.*//; s/^__(raddlestr|raddlelib|raddle|isoc99|isoc23)_//' | sort -u >calls
    while read -r function; do
        grep -qx -- "$function" calls || grep -qF "dlsym(RTLD_DEFAULT, \"$function\")" "$file" ||
            grep -qF "{\"$function\", COPY_" "$SOURCE_DIR/src/instrument/copy.c" ||
            fail "docs/surface.md names it for $function, which it does not call"
    done < <(grep -F "(../tests/conformance/$name.c)" "$SOURCE_DIR/docs/surface.md" | sed -E 's/^\| `(__isoc99_|__isoc23_)?([^`]*)`.*/\2/')
}

run_program() {
    local status wanted

    file=$(realpath "$1")
    name=$(basename "$file" .c)
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    cd "$dir" || exit 1
    good=yes
    [ "$(head -n 1 "$file")" != "// PENDING" ] || { echo "pending $name"; return; }
    expect=$(field EXPECT)
    flags=$(field CFLAGS)
    options=$(field OPTIONS)
    wanted=$(field STATUS)
    build || { fail "does not compile"; return; }
    if [ -z "$expect" ]; then
        CONFORM_WRITE=$dir/lines timeout -k 5 $limit ./bare >out 2>err </dev/null
        status=$?
        [ $status -eq "${wanted:-0}" ] || { fail "bare: status $status"; return; }
        [ -s lines ] || { fail "says nothing"; return; }
        export CONFORM_EXPECT=$dir/lines CONFORM_ENDED=$dir/ended
        : >ended # what a run makes is gone after it; what was there grows
    fi
    check
    check_page
    [ $good = no ] || echo "ok $name"
}

if [ "${1:-}" = --one ]; then
    run_program "$2"
    exit 0
fi

results=$(mktemp) || exit 1
trap 'rm -f "$results"' EXIT
[ $# -gt 0 ] || set -- "$SOURCE_DIR"/tests/conformance/*.c
# each program's lines in one piece, so that two jobs do not mix them
printf '%s\0' "$@" | xargs -0 -n 1 -P $jobs \
    bash -c 'text=$(bash "$0" --one "$1"); printf "%s\n" "$text"' "$0" >"$results"
grep -vE '^(ok |$)' "$results" >&2
passed=$(grep -c '^ok ' "$results")
failed=$(grep -c '^FAIL ' "$results")
echo "$passed passed, $failed failed, $(grep -c '^pending ' "$results") pending"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
