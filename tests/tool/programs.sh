#!/bin/bash
# tests/programs: each file says in its first lines what raddle must find in it.
# RADDLE is the program, SOURCE_DIR the root of the repository.
#
#   // EXPECT: safe executions=6            under MODEL, or sc
#   // EXPECT(tso): assertion at=here       under tso; the report names the line with the comment "here"
#   // EXPECT(all -DN=3 -O1): safe          under sc, tso and pso, with these options for the compiler, too
#   // MODEL: tso
#   // OPTIONS: --keep-going                options for raddle check
#   // CFLAGS: -DN=4                        options for the compiler, always
#
# What is expected: safe, incomplete, honest (one of these two), bug, or the kind of the bug. Then, as wanted: kind=K, executions=N, blocked=N,
# threads=N, bugs=N, at=WORD, and, last, says=PATTERN (an extended one) of a line of the report.
# Every bug must leave a trace that `raddle show` shows and that `raddle replay` ends in, twice.
#
# "programs.sh FILE…" runs only these; FLAGS are more options for the compiler. With SEARCH=pct (random, pos) runs are sampled: then nothing is
# safe, what has no bug must not get one, and it is counted how often samples did not show one that there is. With STATEFUL=exact (delta, auto) states are
# compared, with SYMMETRY=all (new) interchangeable threads are looked for: then numbers of runs are not looked at.
# With JOBS=3 three processes search together (RADDLE_PILOT=1: from the second run on).
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"

jobs=2
limit=${LIMIT:-240} # seconds for each command

# ---- one program: prints a line "ok …" or "FAIL …" for each expectation

field() { # NAME: a number of the JSON report
    sed -n "s/^  \"$1\": \"\{0,1\}\([a-z0-9]*\).*/\1/p" "$dir/json" | head -n 1
}

first_bug() { # NAME: a value of its first bug
    sed -n "/\"bugs\"/,\$s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p" "$dir/json" | head -n 1
}

fail() {
    echo "FAIL $what: $*"
    sed 's/^/  | /' "$dir/out" "$dir/err" 2>/dev/null | head -n 15
    good=no
}

build() { # compiles with $flags, once for each set of them
    local compiler=cc

    program=$dir/$name
    [ "${built:-none}" != "$flags" ] || return 0
    case $file in *.cpp) compiler=c++ ;; esac
    # shellcheck disable=SC2086
    timeout -k 5 $limit "$RADDLE" $compiler $flags -o "$program" "$file" >"$dir/out" 2>"$dir/err" </dev/null ||
        { fail "does not compile"; return 1; }
    built=$flags
}

check_trace() { # of the first bug
    local trace

    trace=$(first_bug trace)
    [ -n "$trace" ] && [ "$trace" != null ] && [ -s "$dir/$trace" ] || { fail "no trace"; return; }
    (cd "$dir" && timeout -k 5 $limit "$RADDLE" show "$trace") >"$dir/out" 2>"$dir/err" </dev/null ||
        { fail "raddle show: status $?"; return; }
    [ -s "$dir/out" ] || { fail "raddle show shows nothing"; return; }
    for time in first second; do
        (cd "$dir" && timeout -k 5 $limit "$RADDLE" replay "$trace") >"$dir/out" 2>"$dir/err" </dev/null
        [ $? -eq 1 ] || { fail "the $time replay does not end in the bug"; return; }
        grep -q "$(first_bug kind)" "$dir/out" || fail "the $time replay does not name the bug"
    done
}

check_words() { # the rest of an expectation
    local word value

    for word in "$@"; do
        value=${word#*=}
        case $word in
        kind=*) [ "$(first_bug kind)" = "$value" ] || fail "a bug of kind '$(first_bug kind)', not '$value'" ;;
        executions=* | blocked=* | threads=*)
            [ "$(field "${word%%=*}")" = "$value" ] || fail "${word%%=*}=$(field "${word%%=*}"), not $value" ;;
        bugs=*) [ "$(grep -c '^      "kind"' "$dir/json")" = "$value" ] ||
            fail "$(grep -c '^      "kind"' "$dir/json") bugs, not $value" ;;
        at=*)
            value=$(grep -nF "/* $value */" "$file" | cut -d : -f 1 | head -n 1)
            [ -n "$value" ] && [ "$(first_bug line)" = "$value" ] ||
                fail "the bug is at line '$(first_bug line)', not '$value'" ;;
        *) fail "what does '$word' mean?" ;;
        esac
    done
}

sampled() { # MODEL VERDICT…: what samples may say
    local status

    # shellcheck disable=SC2086
    (cd "$dir" && exec timeout -k 5 $limit "$RADDLE" check --model $1 $options --search $SEARCH --runs ${RUNS:-300} \
        --timeout 10 --minimise 1 --json json "./$name") >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ -s "$dir/json" ] || { fail "no report, status $status"; return; }
    case $2/$status in
    safe/3 | incomplete/3 | honest/3) ;;
    bug/1 | nondeterminism/1) ;;
    safe/* | incomplete/* | honest/* | */[!13]) fail "status $status, but it is $2" ;;
    */3) echo "missed $what" ;;
    */1) [ "$(first_bug kind)" = "$2" ] || echo "other $what: $(first_bug kind), not $2 first"
         check_trace ;;
    esac
    [ $good = no ] || echo "ok $what"
}

stateful() { # the option, unless the program has one that does not go with it
    case "${STATEFUL:-} $options" in
    " "* | *--stateful* | *--preemption-bound* | *sharing* | *--search*) ;;
    *) echo "--stateful=$STATEFUL" ;;
    esac
}

symmetry() { # the same
    case "${SYMMETRY:-} $options" in
    " "* | *--stateful* | *--preemption-bound* | *sharing* | *--search* | *--races=warn* | *--symmetry*) ;;
    *) echo "--symmetry=$SYMMETRY" ;;
    esac
}

together() { # the same for several processes
    case "${JOBS:-} $options" in
    " "* | *--stateful* | *--symmetry* | *sharing* | *--search* | *auto* | *--tree* | *--races=warn*) ;;
    *) echo "-j $JOBS" ;;
    esac
}

counts_dropped() { # EXPECTATION…: those that do not tell how many runs there are
    local word

    for word; do
        case $word in executions=* | blocked=* | bugs=*) ;; *) printf '%s ' "$word" ;; esac
    done
}

expect_one() { # MODEL EXPECTATION…
    local model=$1 verdict=$2 status
    shift 2

    what="$name${flags:+ $flags} ($model)"
    good=yes
    build || return
    rm -f "$dir"/*.raddle "$dir/json"
    [ -z "${SEARCH:-}" ] || { sampled "$model" "$verdict"; return; }
    # shellcheck disable=SC2086
    (cd "$dir" && exec timeout -k 5 $limit "$RADDLE" check --model $model $options $(stateful) $(symmetry) $(together) --json json "./$name") \
        >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ -s "$dir/json" ] || { fail "no report, status $status"; return; }
    case $verdict in
    safe) [ $status -eq 0 ] || fail "status $status, not safe" ;;
    incomplete) [ $status -eq 3 ] || fail "status $status, not incomplete" ;;
    honest)
        [ $status -eq 0 ] || [ $status -eq 3 ] || fail "status $status, neither safe nor incomplete"
        verdict=$(field verdict) ;;
    bug) [ $status -eq 1 ] || fail "status $status, not a bug" ;;
    *) [ $status -eq 1 ] || fail "status $status, not a bug"
       set -- "kind=$verdict" "$@"
       verdict=bug ;;
    esac
    [ $good = no ] || [ "$(field verdict)" = "$verdict" ] || fail "verdict $(field verdict)"
    # shellcheck disable=SC2046
    [ -z "$(stateful)$(symmetry)" ] || set -- $(counts_dropped "$@")
    [ $good = no ] || check_words "$@"
    [ -z "$says" ] || grep -qE -- "$says" "$dir/out" || fail "no line says: $says"
    # a program that goes another way each time has no run that could be done again
    [ $verdict != bug ] || [ $status -ne 1 ] || [ "$(first_bug kind)" = nondeterminism ] || check_trace
    [ $good = no ] || echo "ok $what"
}

run_program() {
    local line where models model rest all_flags default

    file=$1
    name=$(basename "$file")
    name=${name%.*}
    dir=$(mktemp -d) || exit 1
    trap 'rm -rf "$dir"' EXIT
    head -n 60 "$file" | grep '^// [A-Z]' >"$dir/head"
    options=$(sed -n 's/^\/\/ OPTIONS: *//p' "$dir/head")
    all_flags=$(sed -n 's/^\/\/ CFLAGS: *//p' "$dir/head")
    all_flags=$all_flags${FLAGS:+ $FLAGS}
    default=$(sed -n 's/^\/\/ MODEL: *//p' "$dir/head")
    what=$name
    grep -q '^// EXPECT' "$dir/head" || fail "says not what to expect"
    while read -r line; do
        rest=${line#*: }
        where=${line%%:*}
        where=${where#EXPECT}
        where=${where#(}
        where=${where%)}
        models=${where%% *}
        flags=$all_flags
        [ "$where" = "$models" ] || flags="$flags${flags:+ }${where#* }"
        says=
        case $rest in *says=*) says=${rest#*says=} rest=${rest%%says=*} ;; esac
        models=${models:-${default:-sc}}
        [ "$models" != all ] || models=sc,tso,pso
        for model in ${models//,/ }; do
            # shellcheck disable=SC2086
            expect_one "$model" $rest
        done
    done < <(sed -n 's/^\/\/ \(EXPECT.*\)/\1/p' "$dir/head")
}

if [ "${1:-}" = --one ]; then
    run_program "$2"
    exit 0
fi

# ---- all of them

results=$(mktemp) || exit 1
trap 'rm -f "$results"' EXIT
[ $# -gt 0 ] || set -- "$SOURCE_DIR"/tests/programs/*.c "$SOURCE_DIR"/tests/programs/*.cpp
if [ -n "${SHARE:-}" ]; then # only every so many of them
    every=()
    for ((i = 1; i <= $#; i += SHARE)); do every+=("${!i}"); done
    set -- "${every[@]}"
fi
# each program's lines in one piece, so that two jobs do not mix them
printf '%s\0' "$@" | xargs -0 -n 1 -P $jobs \
    bash -c 'text=$(bash "$0" --one "$1"); printf "%s\n" "$text"' "$0" >"$results"
grep -vE '^(ok |missed |other |$)' "$results" >&2
passed=$(grep -c '^ok ' "$results")
failed=$(grep -c '^FAIL ' "$results")
echo "$passed passed, $failed failed${SEARCH:+, $(grep -c '^missed ' "$results") missed by $SEARCH}"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
