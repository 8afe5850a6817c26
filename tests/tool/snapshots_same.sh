#!/bin/bash
# A search with a snapshot at every state that has more than one way on is the same search: the same executions, transitions, verdict, reports and traces as
# one without.
# RADDLE is the program, SOURCE_DIR the root of the repository.
#
# "snapshots_same.sh FILE…" compares these programs; "snapshots_same.sh --all" all of tests/programs; without arguments a few. MODELS (all three), EXECUTIONS
# (at most so many, 25) and MODE (each, which is in place where the kernel can do that, and each:fork) can be set.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"
RADDLE=$(realpath "$RADDLE")
models=${MODELS:-sc tso pso}
executions=${EXECUTIONS:-25}
modes=${MODE:-each each:fork}
limit=${LIMIT:-100} # seconds for a search
few="annotations barrier bbuf-if cancel channel-pingpong constructor-state crash-null cxx-static file-offset futex-mutex keys mapped-again memory-use-after-free
     readers robust signal-send thread-local timedwait virtual-time"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
made=0
compared=0

one_line() { # FILE KEY: what the lines "// KEY: …" say
    sed -n "s|^// $2: *||p" "$1" | tr '\n' ' '
}

flags() { # FILE: for the compiler, as the first expectation with any has them
    one_line "$1" CFLAGS
    sed -n 's|^// EXPECT([a-z,]* \(.*\)):.*|\1|p' "$1" | head -n 1
}

run() { # DIRECTORY MODE MODEL PROGRAM OPTION…: a check, there
    local directory=$1 how=$2 model=$3 program=$4

    shift 4
    mkdir -p "$directory"
    (cd "$directory" && timeout -k 5 "$limit" "$RADDLE" check --snapshots "$how" --model "$model" --max-executions "$executions" \
        --minimise 0 --json json "$@" "$program" </dev/null >out 2>err)
    echo "status $?" >>"$directory/out"
    # what may differ: time, memory, and the snapshots themselves
    sed -E -i 's/, [0-9.]+ s(,|$)/\1/; s/\([0-9.]+ s\)//; s/: [^:]* more at this rate$//' "$directory/out"
    [ -f "$directory/json" ] || { echo "no report" >>"$directory/out"; return; }
    made=$((made + $(jq '.snapshots.made' "$directory/json")))
    jq 'del(.seconds, .peak_rss_bytes, .snapshots, .estimate)' "$directory/json" >"$directory/report.json"
    rm "$directory/json"
}

compare() { # FILE
    local file=$1 name compiler=cc options model mode

    name=$(basename "${file%.*}")
    case $file in *.cpp) compiler=c++ ;; esac
    # shellcheck disable=SC2046
    "$RADDLE" $compiler $(flags "$file") -o "$work/$name" "$file" >/dev/null 2>&1 </dev/null ||
        { echo "FAIL $name: does not compile"; status=1; return; }
    options=$(one_line "$file" OPTIONS)
    case $options in *--stateful* | *--symmetry* | *--search*) return ;; esac
    for model in $models; do for mode in $modes; do
        compared=$((compared + 1))
        # shellcheck disable=SC2086
        run "$work/a" off "$model" "$work/$name" $options
        # shellcheck disable=SC2086
        run "$work/b" "$mode" "$model" "$work/$name" $options
        if grep -q '^status 124' "$work/a/out" "$work/b/out"; then
            echo "$name under $model takes too long, and is not compared"
        elif ! diff -r "$work/a" "$work/b" >"$work/diff"; then
            # numbers of files, which programs make, are others each time
            # shellcheck disable=SC2086
            run "$work/c" off "$model" "$work/$name" $options
            diff -r "$work/a" "$work/c" >/dev/null || rm -f "$work"/[ab]/*.raddle
            diff -r "$work/a" "$work/b" >/dev/null || { echo "FAIL $name under $model, $mode:"; head -n 20 "$work/diff"; status=1; }
        fi
        rm -rf "$work/a" "$work/b" "$work/c"
    done; done
    rm -f "$work/$name"
}

case ${1:-} in
--all) set -- "$SOURCE_DIR"/tests/programs/*.c "$SOURCE_DIR"/tests/programs/*.cpp ;;
"") for name in $few; do set -- "$@" "$(ls "$SOURCE_DIR/tests/programs/$name".c*)"; done ;;
esac
for file in "$@"; do compare "$file"; done
[ "$compared" -gt 0 ] && [ "$made" -gt 0 ] || { echo "FAIL: $compared comparisons, $made snapshots"; status=1; }
echo "$compared searches compared, $made snapshots"
exit $status
