#!/bin/bash
# Fingerprints of states of a native program: equal where the way there cannot matter any more, and else not. tests/states/ways.c has the cases.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

# NAME: a number of the JSON report
number() { sed -n "s/^  \"$1\": \([0-9]*\).*/\1/p" json | head -n 1; }

# KIND, how often a run stopped at a known state
as_wanted() { if [ "$1" = same ]; then [ "$2" -gt 0 ]; else [ "$2" -eq 0 ]; fi; }

sed -nE 's/^ +(SAME|OTHER)\(([a-z_]+)\).*/\L\1\E \2/p' "$SOURCE_DIR/tests/states/ways.c" >cases
expect "there are cases" test -s cases

for flags in ${LEVELS:--O0 -O1 -O2}; do
    run "$RADDLE" cc "$flags" -o ways "$SOURCE_DIR/tests/states/ways.c"
    expect "$flags: compiles" test "$status" -eq 0
    while read -r kind name; do
        for options in --stateful=exact "--stateful=exact --model tso"; do
            # shellcheck disable=SC2086
            run "$RADDLE" check $options --reduction dpor --json json ./ways "$name"
            expect "$flags $options: $name goes through" test "$status" -eq 0 -o "$status" -eq 3
            expect "$flags $options: $name is $kind" as_wanted "$kind" "$(number revisited)"
        done
    done <cases
done

finish
