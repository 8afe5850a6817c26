#!/bin/bash
# "raddle check" and "raddle litmus" as a user meets them: verdicts, exit statuses, JSON.
. "$(dirname "$0")/common.bash"

scripts="$SOURCE_DIR/examples/scripts"

# Runs raddle; what it said is in $dir/out and $dir/err.
run() {
    "$RADDLE" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
}

# NAME, exit status, pattern of a line on standard output; then the arguments of raddle.
verdict() {
    local name=$1 want=$2 pattern=$3
    shift 3
    run "$@"
    expect "$name: status" test "$status" -eq "$want"
    expect "$name: says" grep -qE -- "$pattern" "$dir/out"
    expect "$name: nothing on stderr" test ! -s "$dir/err"
}

# ---- verdicts

verdict safe 0 'sb\.script: safe: 3 executions, .*model sc, reduction optimal' check "$scripts/sb.script"
verdict "safe under tso" 0 'safe: 4 executions, .*model tso' check --model tso "$scripts/sb.script"
verdict "option with =" 0 'safe: 4 executions, .*model pso' check --model=pso "$scripts/sb.script"
verdict "option behind the file" 0 'model tso' check "$scripts/sb.script" --model tso
verdict "file after --" 0 'safe' check -- "$scripts/sb.script"
verdict deadlock 1 'deadlock\.script: bug: ' check "$scripts/deadlock.script"
expect "deadlock: its place" grep -qE '^[^ ]*deadlock\.script:[0-9]+: deadlock: ' "$dir/out"
expect "deadlock: who waits for whom" grep -q 'T0 waits for: lock b, held by T1' "$dir/out"
expect "deadlock: the run" grep -q 'the run that shows it' "$dir/out"
verdict "dekker is safe under sc" 0 ': safe: ' check "$scripts/dekker.script"
verdict "dekker breaks under tso" 1 'dekker\.script:[0-9]+: assertion: ' check --model tso "$scripts/dekker.script"
verdict "executions limited" 3 'incomplete \(the maximum number of executions was reached\): 2 executions' \
    check --max-executions 2 "$scripts/sb.script"
verdict "steps limited" 3 'incomplete \(.*maximum number of steps' check --max-steps 3 "$scripts/sb.script"
verdict "buffer bound" 3 'incomplete \(the buffer bound was reached\): 3 executions' \
    check --model tso --buffer-bound 0 "$scripts/sb.script"
verdict "buffer bound not met" 0 'safe: ' check --model tso --buffer-bound 9 "$scripts/sb.script"
verdict "preemption bound" 3 'incomplete \(the preemption bound was reached\).*reduction source' \
    check --preemption-bound 0 "$scripts/sb.script"
verdict "a bug outweighs a bound" 1 ': bug \(the preemption bound was reached\)|: bug: ' \
    check --preemption-bound 1 "$scripts/deadlock.script"

for reduction in optimal source dpor sharing exhaustive; do
    verdict "reduction $reduction" 0 "safe: .*reduction $reduction" \
        check --reduction "$reduction" "$scripts/mp-dep.script"
done
verdict "lastzero" 0 'safe: 64 executions' check "$scripts/lastzero5.script"
verdict "locks" 0 'safe: 6 executions' check "$scripts/locks3.script"
verdict "a seed changes nothing" 0 'safe: 64 executions' check --seed 5 "$scripts/lastzero5.script"

# Ten threads that lock: 3,628,800 executions, more than a moment allows.
{
    echo 'mutex m'
    for i in 0 1 2 3 4 5 6 7 8 9; do printf 'thread T%s\n lock m\n unlock m\n' "$i"; done
} >"$dir/locks.script"
verdict "time limited" 3 'incomplete \(the time was up\)' check --timeout 0.1 "$dir/locks.script"

# Two bugs that no run has together: the first one only, or both.
cat >"$dir/two.script" <<'END'
cell x
thread A
  store x, 1
thread B
  r = load x
  if r goto ONE
  assert r == 1
ONE:
  assert r == 0
END
verdict "stops at the first bug" 1 ': bug: ' check "$dir/two.script"
expect "one bug" test "$(grep -c ': assertion: ' "$dir/out")" -eq 1
verdict "keeps going" 1 ': bug: ' check --keep-going "$dir/two.script"
expect "two bugs" test "$(grep -c ': assertion: ' "$dir/out")" -eq 2
printf 'mutex m\nthread A\n  unlock m\n' >"$dir/misuse.script"
verdict "misuse" 1 'misuse\.script:3: misuse: .*does not hold' check "$dir/misuse.script"

verdict help 0 'usage: raddle COMMAND' --help
verdict "check --help" 0 'usage: raddle check' check --help
verdict "litmus --help" 0 'usage: raddle litmus' litmus --help
verdict version 0 '^raddle [0-9]' --version

# ---- JSON

fields="verdict reasons model reduction executions blocked transitions states revisited symmetric threads seconds
        peak_rss_bytes bugs"
bug_fields="kind message file line thread trace"

# FILE: every field of the contract is there, and it is one JSON object if jq can tell.
is_report() {
    local field
    for field in $fields; do
        grep -q "\"$field\":" "$1" || return 1
    done
    ! command -v jq >/dev/null || jq -se 'length == 1 and (.[0] | type == "object")' "$1" >/dev/null
}

# FILE, jq filter, pattern that does instead where there is no jq.
report_says() {
    if command -v jq >/dev/null; then
        jq -e "$2" "$1" >/dev/null
    else
        tr -d '\n ' <"$1" | grep -qE -- "$3"
    fi
}

run check --json "$dir/report.json" "$scripts/sb.script"
expect "json: status" test "$status" -eq 0
expect "json: a whole report" is_report "$dir/report.json"
expect "json: the line for people stays" grep -q ': safe: 3 executions' "$dir/out"
expect "json: safe" report_says "$dir/report.json" \
    '.verdict == "safe" and .reasons == [] and .model == "sc" and .reduction == "optimal" and .executions == 3
     and .blocked == 0 and .threads == 2 and .bugs == [] and .seconds >= 0 and .peak_rss_bytes > 0' \
    '"verdict":"safe","reasons":\[\],"model":"sc","reduction":"optimal","executions":3,"blocked":0'

run check --json - "$scripts/deadlock.script"
expect "json on stdout: status" test "$status" -eq 1
expect "json on stdout: nothing else there" is_report "$dir/out"
expect "json on stdout: the rest on stderr" grep -q ': bug: ' "$dir/err"
for field in $bug_fields; do
    expect "json: bug has $field" grep -q "\"$field\":" "$dir/out"
done
expect "json: deadlock" report_says "$dir/out" \
    '.verdict == "bug" and (.bugs | length == 1) and .bugs[0].kind == "deadlock" and .bugs[0].line > 0
     and (.bugs[0].file | endswith("deadlock.script"))' \
    '"verdict":"bug".*"kind":"deadlock"'

run check --json - --max-executions 1 --model pso "$scripts/sb.script"
expect "json: incomplete" report_says "$dir/out" \
    '.verdict == "incomplete" and (.reasons | length == 1) and .model == "pso" and .executions == 1' \
    '"verdict":"incomplete","reasons":\["[^]]+"\],"model":"pso"'
expect "json: incomplete status" test "$status" -eq 3

run check --json - --reduction source --keep-going "$scripts/dekker.script"
expect "json: blocked counts failed assumes" report_says "$dir/out" '.blocked > 0' '"blocked":[1-9]'

run check --json "$dir/none/report.json" "$scripts/sb.script"
expect "json: cannot be written" test "$status" -eq 4
expect "json: says so in one line" test "$(wc -l <"$dir/err")" -eq 1

if [ -w /dev/full ]; then
    "$RADDLE" check "$scripts/sb.script" >/dev/full 2>"$dir/err"
    status=$?
    expect "full disk: status" test "$status" -eq 4
fi

# ---- litmus

verdict "litmus sc" 0 '^Observation SB Never 0 3$' litmus "$SOURCE_DIR/tests/litmus/SB.litmus"
verdict "litmus tso" 0 '^Observation SB Sometimes 1 3$' litmus --model tso "$SOURCE_DIR/tests/litmus/SB.litmus"
verdict "litmus incomplete" 3 '^Test SB ' litmus --max-executions 1 "$SOURCE_DIR/tests/litmus/SB.litmus"
verdict "two litmus tests" 0 '^Test MP ' \
    litmus "$SOURCE_DIR/tests/litmus/SB.litmus" "$SOURCE_DIR/tests/litmus/MP.litmus"
run litmus "$dir/none.litmus" "$SOURCE_DIR/tests/litmus/SB.litmus"
expect "one litmus test missing: status" test "$status" -eq 2
expect "one litmus test missing: the other is run" grep -q '^Test SB ' "$dir/out"

finish
