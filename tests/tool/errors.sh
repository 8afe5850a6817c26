#!/bin/bash
# Whatever is wrong with the command line or the input: one line on stderr, exit status 2, soon.
. "$(dirname "$0")/common.bash"

script="$SOURCE_DIR/examples/scripts/sb.script"
litmus="$SOURCE_DIR/tests/litmus/SB.litmus"
SECONDS_MAX=20 # a sanitizer on a busy machine is slow; without, it takes less than two

# NAME, pattern of the one line on stderr; then the arguments of raddle.
refused() {
    local name=$1 pattern=$2 begin
    shift 2
    begin=$(date +%s%N)
    timeout 60 "$RADDLE" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    if [ "$status" -ne 2 ]; then
        fail "$name: exit status $status, not 2"
    elif [ "$(wc -l <"$dir/err")" -ne 1 ]; then
        fail "$name: $(wc -l <"$dir/err") lines on stderr"
    elif ! grep -qE -- "$pattern" "$dir/err"; then
        fail "$name: the message does not match '$pattern'"
    elif [ -s "$dir/out" ]; then
        fail "$name: something on stdout"
    elif ! iconv -f UTF-8 -t UTF-8 <"$dir/err" >/dev/null 2>&1 || LC_ALL=C grep -q '[[:cntrl:]]' "$dir/err"; then
        fail "$name: the message holds bytes that cannot be printed"
    elif [ $(($(date +%s%N) - begin)) -gt $((SECONDS_MAX * 1000000000)) ]; then
        fail "$name: took more than $SECONDS_MAX seconds"
    else
        ok
    fi
}

# ---- the command line

refused "no command" 'no command'
refused "unknown command" "unknown command 'frob'" frob
refused "empty command" "unknown command ''" ''
refused "check without a file" 'takes one program, not 0' check
refused "check with two files" 'takes one program, not 2' check "$script" "$script"
refused "litmus without a file" 'no litmus test given' litmus
refused "check: an option of the program" 'if it is for ./prog: raddle check ./prog -- --frob=1…' check ./prog --frob=1
for command in check litmus; do
    file=$script
    [ $command = litmus ] && file=$litmus
    refused "$command: unknown option" "unknown option '--frob'" $command --frob "$file"
    refused "$command: unknown short option" "unknown option '-x'" $command -x "$file"
    refused "$command: part of an option" "unknown option '--mod'" $command --mod tso "$file"
    refused "$command: unknown option with value" "unknown option '--frob=1'" $command --frob=1 "$file"
    refused "$command: value of a flag" "'--help' takes no value" $command --help=1 "$file"
    for option in model reduction buffer-bound preemption-bound max-steps max-executions timeout seed; do
        refused "$command: --$option without value" "'--$option' needs a value" $command "$file" --$option
        refused "$command: --$option with an empty value" "'--$option' takes .*, not ''" $command "--$option=" "$file"
        refused "$command: --$option with nonsense" "'--$option' takes .*, not 'x1'" $command --$option x1 "$file"
    done
    refused "$command: unknown model" "takes sc, tso or pso, not 'arm'" $command --model arm "$file"
    refused "$command: model in capitals" "takes sc, tso or pso, not 'TSO'" $command --model TSO "$file"
    refused "$command: negative bound" "takes a number" $command --buffer-bound -1 "$file"
    refused "$command: huge bound" "takes a number" $command --buffer-bound 99999999999999999999 "$file"
    refused "$command: no executions" "takes a number from 1" $command --max-executions 0 "$file"
    refused "$command: no time" "takes a number of seconds" $command --timeout 0 "$file"
    refused "$command: time backwards" "takes a number of seconds" $command --timeout -1 "$file"
    refused "$command: time that is no number" "takes a number of seconds" $command --timeout nan "$file"
    refused "$command: endless time" "takes a number of seconds" $command --timeout inf "$file"
    refused "$command: bound with optimal" 'goes with --reduction source, dpor or exhaustive' \
        $command --preemption-bound 1 --reduction optimal "$file"

    refused "$command: missing file" "none\.txt: No such file" $command "$dir/none.txt"
    refused "$command: directory" "$dir: Is a directory" $command "$dir"
    refused "$command: file name is empty" 'No such file' $command ''
done
refused "check: all dependent states with optimal" "'--backtrack=all' goes with --reduction dpor" check --backtrack all "$script"
refused "check: some dependent states" "takes latest or all, not 'some'" check --reduction dpor --backtrack some "$script"
refused "check: --json without value" "'--json' needs a value" check "$script" --json
refused "litmus has no --json" "unknown option '--json'" litmus --json - "$litmus"

# ---- the input

place='[^ ]*:[0-9]+:[0-9]+: ' # file:line:column:

# Every file for both readers; FILE without directory, then the arguments of refused but the first.
both() {
    refused "check: $1" "$2" check "$dir/$1"
    refused "litmus: $1" "$2" litmus "$dir/$1"
}

: >"$dir/empty"
both empty '/empty(:1:1)?: ' # nothing to point at
printf '\n\n\n' >"$dir/blank"
both blank '/blank(:[0-9]+:[0-9]+)?: '
printf '\0' >"$dir/zero"
both zero "^$place"

# The same bytes each time, all 256 values among them.
noise() {
    LC_ALL=C awk -v seed="$1" -v size="$2" 'BEGIN {
        x = seed
        for (i = 0; i < size; i++) { x = (x * 16807) % 2147483647; printf "%c", int(x / 8) % 256 }
    }'
}

for seed in 1 2 3 4 5; do
    noise $seed 3000 >"$dir/noise$seed"
    both noise$seed "^$place"
done
{ cat "$script"; noise 6 1000; } >"$dir/noise-behind-script"
refused "check: noise behind a script" "^$place" check "$dir/noise-behind-script"
{ cat "$litmus"; noise 6 1000; } >"$dir/noise-behind-litmus"
refused "litmus: noise behind a test" "^$place" litmus "$dir/noise-behind-litmus"

# Cut in the middle of a row, of a table, of the condition.
printf 'cell x\nthread A\n  r = load' >"$dir/cut1"
printf 'cell x\nthread A\n  if 1 goto' >"$dir/cut2"
printf 'cell a[' >"$dir/cut3"
for i in 1 2 3; do
    refused "check: truncated $i" "/cut$i:[0-9]+:[0-9]+: .*end of the input" check "$dir/cut$i"
done
# (At the end of a row it would be a shorter test: the condition may be missing.)
size=$(wc -c <"$litmus")
for cut in 1 10 40 60 90 $((size - 5)) $((size - 20)); do
    head -c "$cut" "$litmus" >"$dir/cut"
    refused "litmus: truncated after $cut" "^$place" litmus "$dir/cut"
done
printf 'cell x\nthread A\n  store y, 1\n' >"$dir/unknown"
refused "check: the place is exact" '/unknown:3:9: ' check "$dir/unknown"
printf 'X86 t\n{ }\n P0 ;\n FROB EAX ;\nexists (0:EAX=0)\n' >"$dir/unknown"
refused "litmus: the place is exact" '/unknown:4:2: ' litmus "$dir/unknown"
refused "check: a litmus test" 'is a litmus test: `raddle litmus ' check "$litmus"
refused "litmus: a script" "^$place" litmus "$script"
refused "check: itself" "was not built by raddle cc" check "$RADDLE"
refused "litmus: itself" "^$place" litmus "$RADDLE"

# ---- 10 MB

repeat() { # FILE, times
    for _ in $(seq "$2"); do cat "$1"; done
}

for _ in $(seq 5000); do echo 'It was a dark and stormy night; the rain fell in torrents.'; done >"$dir/part"
repeat "$dir/part" 35 >"$dir/prose"
noise 7 1000000 >"$dir/part"
repeat "$dir/part" 10 >"$dir/noise"
head -c 10000000 /dev/zero >"$dir/zeros"
head -c 10000000 /dev/zero | tr '\0' 'a' >"$dir/one-word"
head -c 10000000 /dev/zero | tr '\0' '(' >"$dir/parentheses"
head -c 10000000 /dev/zero | tr '\0' '\n' >"$dir/empty-lines"
for file in prose noise zeros one-word parentheses; do
    both $file "^$place"
done
both empty-lines '/empty-lines(:[0-9]+:[0-9]+)?: '

# Right up to the last line: the whole of it must be read, in linear time.
{ yes '# a comment' | head -n 800000; echo frob; } >"$dir/comments"
refused "check: an error behind 10 MB of comments" '/comments:800001:1: ' check "$dir/comments"
{ printf 'cell x\nthread A\n'; yes '  store x, 1' | head -n 800000; echo '  frob'; } >"$dir/rows"
refused "check: an error behind 10 MB of rows" '/rows:800003:3: ' check "$dir/rows"
awk 'BEGIN { for (i = 0; i < 700000; i++) printf "cell name%d\n", i }' >"$dir/cells"
refused "check: 10 MB of declarations" '/cells:[0-9]+(:[0-9]+)?: ' check "$dir/cells"
awk 'BEGIN { printf "cell x\n"; for (i = 0; i < 400000; i++) printf "thread T%d\n store x, 1\n", i }' >"$dir/threads"
refused "check: 10 MB of threads" '/threads:[0-9]+(:[0-9]+)?: ' check "$dir/threads"
awk 'BEGIN { printf "cell x\nthread A\n"; for (i = 0; i < 300000; i++) printf "L%d:\n if x goto L%d\n", i, i }' \
    >"$dir/labels"
refused "check: 10 MB of labels" '/labels:[0-9]+:[0-9]+: ' check "$dir/labels"
{ printf 'X86 t\n{ }\n P0 ;\n'; yes ' MOV [x],$1 ;' | head -n 800000; } >"$dir/instructions"
refused "litmus: 10 MB of instructions" '/instructions:[0-9]+:[0-9]+: ' litmus "$dir/instructions"
{ printf 'X86 t\n{ '; yes ' x=1;' | head -n 1800000; } >"$dir/values"
refused "litmus: 10 MB of initial values" '/values:[0-9]+:[0-9]+: ' litmus "$dir/values"
{ printf 'C t\n{ }\nP0(int *x) {\n'; yes '  *x = 1;' | head -n 1000000; } >"$dir/statements"
refused "litmus: 10 MB of statements" '/statements:[0-9]+:[0-9]+: ' litmus "$dir/statements"
{ head -n -1 "$litmus"; printf 'exists ('; head -c 10000000 /dev/zero | tr '\0' '('; } >"$dir/nesting"
refused "litmus: ten million parentheses in the condition" '/nesting:[0-9]+:[0-9]+: ' litmus "$dir/nesting"
{ printf 'C t\n{ }\nP0(int *x) {\n  *x = '; head -c 10000000 /dev/zero | tr '\0' '('; } >"$dir/expression"
refused "litmus: ten million parentheses in an expression" '/expression:[0-9]+:[0-9]+: ' litmus "$dir/expression"
head -c 70000000 /dev/zero >"$dir/huge"
both huge 'larger than|longer than|:1:1: '

finish
