#!/bin/bash
# Runs every row of tests/litmus/expected.tsv (file, model, number of states, observation, states) through
# "raddle litmus" and compares.
. "$(dirname "$0")/common.bash"

table="$SOURCE_DIR/tests/litmus/expected.tsv"

# The report of one test on standard input, as "states<TAB>observation<TAB>state | state…".
summary() {
    awk '
        left > 0 { all = all (all == "" ? "" : " | ") $0; left--; next }
        $1 == "States" { left = count = $2; next }
        $1 == "Observation" { seen = $3 }
        $1 == "Incomplete" { seen = seen " incomplete" }
        END { printf "%s\t%s\t%s\n", count, seen, all }'
}

check() {
    local file=$1 model=$2 want=$3 output got
    output=$("$RADDLE" litmus --model "$model" "$SOURCE_DIR/tests/litmus/$file" 2>&1)
    status=$?
    got=$(summary <<<"$output")
    if [ "$status" -gt 1 ]; then
        fail "$file $model: exit status $status: $output"
    elif [ "$got" != "$want" ]; then
        fail "$file $model:"$'\n'"  expected $want"$'\n'"  got      $got"
    else
        ok
    fi
}

while IFS=$'\t' read -r file model states observation all; do
    case $file in '#'* | '') continue ;; esac
    check "$file" "$model" "$states"$'\t'"$observation"$'\t'"$all"
done <"$table"

# A test without a row would be a test that nobody runs.
for path in "$SOURCE_DIR"/tests/litmus/*.litmus; do
    cut -f1 "$table" | grep -qxF "$(basename "$path")" ||
        fail "$(basename "$path") has no row in expected.tsv"
done

# What cannot be read: status 2, and the place in the message.
bad=$(mktemp)
trap 'rm -f "$bad"' EXIT
printf 'X86 bad\n{ }\n P0 ;\n FROB EAX ;\nexists (0:EAX=0)\n' >"$bad"
output=$("$RADDLE" litmus "$bad" 2>&1)
status=$?
if [ "$status" -eq 2 ] && grep -q ':4:2: ' <<<"$output"; then
    ok
else
    fail "an unknown instruction: status $status, $output"
fi

finish
