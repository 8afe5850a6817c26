#!/bin/bash
# Help: a page of one screen for each command, all of one shape; slips of the finger get a hint.
. "$(dirname "$0")/common.bash"

run() {
    timeout 60 "$RADDLE" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
}

# NAME, lines at most: the page in $dir/out.
one_screen() {
    local name=$1 most=$2

    expect "$name: status" test "$status" -eq 0
    expect "$name: nothing on stderr" test ! -s "$dir/err"
    expect "$name: $(wc -l <"$dir/out") lines" test "$(wc -l <"$dir/out")" -le "$most"
    expect "$name: at most 80 columns" sh -c "! LC_ALL=C.UTF-8 grep -nE '.{81}' '$dir/out'"
    expect "$name: no blanks at the end of a line" sh -c "! grep -n ' \$' '$dir/out'"
}

run --help
one_screen raddle 30
expect "exit statuses" grep -q '70 raddle itself is wrong' "$dir/out"
commands=$(sed -n 's/^  \([a-z+]*\)  .*/\1/p' "$dir/out")
expect "commands are listed" test "$(echo "$commands" | wc -w)" -ge 7
cp "$dir/out" "$dir/all"
run help
expect "raddle help is raddle --help" cmp -s "$dir/out" "$dir/all"
run -h
expect "raddle -h is raddle --help" cmp -s "$dir/out" "$dir/all"

for command in $commands; do
    run help "$command"
    # check has the options of a search and its own
    most=30
    [ "$command" != check ] || most=56
    one_screen "$command" "$most"
    expect "$command: usage first" sh -c "head -n 1 '$dir/out' | grep -q '^usage: raddle $command'"
    expect "$command: its manual page" grep -q '^`man raddle' "$dir/out"
    case $command in
    cc | c++) ;; # clang's own
    *)
        cp "$dir/out" "$dir/page"
        run "$command" --help
        expect "$command --help is help $command" cmp -s "$dir/out" "$dir/page"
        expect "$command: --help is listed" grep -q '^  --help  *this page' "$dir/out"
        ;;
    esac
done
for command in completion manual; do
    run "$command" --help
    one_screen "$command" 24
done
run cc --help
expect "cc --help is clang's" grep -q -- '-fsyntax-only' "$dir/out"

run --version
expect "version" grep -qxE 'raddle [0-9]+\.[0-9]+\.[0-9]+' "$dir/out"

# ---- hints

# NAME, what is meant, or - if nothing is near; then the arguments of raddle.
hint() {
    local name=$1 meant=$2
    shift 2
    run "$@"
    expect "$name: status" test "$status" -eq 2
    expect "$name: one line" test "$(wc -l <"$dir/err")" -eq 1
    if [ "$meant" = - ]; then
        expect "$name: no hint" sh -c "! grep -q 'did you mean' '$dir/err'"
    else
        expect "$name: hint" grep -qF -- "did you mean $meant?" "$dir/err"
    fi
}

hint "a letter too few" check chek
hint "two letters swapped" replay repaly x.raddle
hint "another word" - frobnicate
hint "help for nothing" litmus help litmsu
hint "help for two" - help check show
hint "version without dashes" --version version
hint "an option" --model check --modle tso x.c
hint "an option with a value" --max-executions check --max-execution=3 x.c
hint "the beginning of an option" --keep-going check --keep x.c
hint "with one dash" --model litmus -model tso x.litmus
hint "with one dash, for check" --model check -model
hint "an option of another command" - show --reduction optimal x.raddle
hint "an option of show" --color show --colour x.raddle
hint "an option of replay" --verbose replay --verbos x.raddle
hint "nothing like it" - check --frobnicate x.c

finish
