#!/bin/bash
# Programs that use files, and all that the kernel keeps for a process: each execution must find the state of the start.
# The first lines of tests/runtime-files/*.c tell what must come out: "// EXPECT: <what the verdict says>",
# "// ARGS:", "// INPUT: <file>" (standard input), "// PIPE: <file>" (the same through a pipe).
. "$(dirname "$0")/common.bash"
# the programs look at the numbers of descriptors: none but the first three may come from whoever runs this
for fd in $(seq 3 30); do eval "exec $fd>&-"; done

programs="$SOURCE_DIR/tests/runtime-files"
# A locale of its own makes setlocale map files; a path makes getenv find one.
export LC_ALL=C.UTF-8 PATH

# FILE, name: what stands behind "// NAME:".
field() {
    sed -n "s|^// $2: *||p" "$1" | head -1
}

# Runs the program at $dir/program under raddle, with what $1, its source, asks for.
run() {
    local source=$1 input pipe args
    input=$(field "$source" INPUT)
    pipe=$(field "$source" PIPE)
    args=$(field "$source" ARGS)
    args=${args//OUTPUT/$dir/output}
    set -- timeout 120 "$RADDLE" check "$dir/program" -- $args
    if [ -n "$pipe" ]; then
        cat "$programs/$pipe" | "$@"
    else
        "$@" <"${input:+$programs/}${input:-/dev/null}"
    fi >"$dir/out" 2>"$dir/err"
}

for source in "$programs"/*.c; do
    expect=$(field "$source" EXPECT)
    rm -f "$dir/output"
    if ! "$RADDLE" cc -O1 -g "$source" -o "$dir/program" >"$dir/out" 2>"$dir/err"; then
        result="does not compile"
    else
        (cd "$dir" && run "$source")
        if grep -qE "program: $expect" "$dir/out" && [ ! -s "$dir/err" ]; then
            ok
            continue
        fi
        result="is not '$expect'"
    fi
    fail "$(basename "$source"): $result"
done

finish
