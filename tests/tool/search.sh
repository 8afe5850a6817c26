#!/bin/bash
# --search: what samples find and say, for native programs, scripts and litmus tests; which options go with them.
. "$(dirname "$0")/common.bash"
programs=$SOURCE_DIR/tests/programs
scripts=$SOURCE_DIR/examples/scripts
cd "$dir" || exit 1

# STATUS PATTERN ARGUMENTS…: raddle ends so and says that
says() {
    local wanted=$1 pattern=$2
    shift 2
    run "$RADDLE" "$@"
    if [ $status -ne "$wanted" ]; then
        fail "$*: status $status, not $wanted"
    elif ! cat out err | grep -qE -- "$pattern"; then
        fail "$*: does not say $pattern"
    else
        ok
    fi
}

field() { sed -n "s/^ *\"$1\": \([^,]*\),\{0,1\}\$/\1/p" "${2:-json}" | head -n 1; }

# ---- what is found, and what is said where nothing was

for search in random pct pos; do
    says 1 "abba.c: bug \(.* sampled by $search" check --search $search "$programs/abba.c"
    says 1 'held by T[12] \(t[12]\)' check --search $search "$programs/abba.c"
    says 1 deadlock replay abba.raddle
    for model in sc tso pso; do
        says 3 "incomplete \(500 runs sampled by $search .*distinct traces" check --search $search --runs 500 \
            --model $model "$programs/peterson.c" -DFENCED
        says 3 "incomplete \(200 runs sampled by $search" check --search $search --runs 200 --model $model "$scripts/lastzero5.script"
    done
    says 3 "Observation SB Sometimes" litmus --search $search --model tso "$SOURCE_DIR/examples/litmus/SB.litmus"
    says 3 "Executions SB 10000 \(search $search, model sc\)" litmus --search $search "$SOURCE_DIR/examples/litmus/SB.litmus"
done
says 3 'a bug of depth 2 would have been found with probability at least 0\.[0-9]+ \([0-9]+ threads, [0-9]+ steps\)' \
    check --search pct --depth 2 --runs 100 "$scripts/lastzero5.script"

# the first bug is no reason to stop if the others are wanted
says 1 '1000 runs sampled' check --search random --runs 1000 --keep-going --minimise 0 "$programs/abba.c"
says 1 '[2-9][0-9] runs sampled|1[0-9][0-9] runs sampled|200 runs sampled' check --search random --runs 200 --keep-going \
    --minimise 0 "$programs/crash-null.c"

# ---- the same seed again

for search in random pct pos; do
    for seed in 5 5 6; do
        run "$RADDLE" check --search $search --seed $seed --runs 300 --json json.$seed "$programs/dekker.c"
        echo "$(field executions json.$seed) $(field transitions json.$seed)" >>sums.$search
    done
    [ "$(sed -n 1p sums.$search)" = "$(sed -n 2p sums.$search)" ] && ok || fail "$search: the same seed, other runs"
    [ "$(sed -n 1p sums.$search)" != "$(sed -n 3p sums.$search)" ] && ok || fail "$search: another seed, the same runs"
done

# ---- JSON

run "$RADDLE" check --search pct --depth 2 --runs 700 --seed 9 --json json "$programs/dekker.c"
[ "$(field search)" = '"pct"' ] && [ "$(field runs)" = 700 ] && [ "$(field seed)" = 9 ] && [ "$(field depth)" = 2 ] &&
    [ "$(field reduction)" = '"none"' ] && [ "$(field traces)" -gt 3 ] && [ -n "$(field promise)" ] && ok || fail "json of samples"
run "$RADDLE" check --json json "$programs/dekker.c"
[ "$(field search)" = '"explore"' ] && [ "$(field sampled)" = null ] && ok || fail "json without samples"

# ---- when to stop

run "$RADDLE" check --search random --timeout 1 --json json "$programs/dekker.c"
[ $status -eq 3 ] && [ "$(field runs)" -gt 300 ] && grep -q 'the time was up' out && ok || fail "until the time is up"
says 3 'explore|sampled' check --search pos --runs 100 --max-executions 10 "$programs/dekker.c"
[ "$(grep -c ' 10 executions' out)" = 1 ] && ok || fail "the maximum number of executions"
# one loop never ends: the others have their turn, and the loop is named
cat >endless.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *forever(void *a) { for (;;) atomic_fetch_add(&x, 1); return a; }
static void *fails(void *a) { atomic_store(&y, 1); assert(0); return a; }
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, forever, 0);
    pthread_create(&t[1], 0, fails, 0);
    pthread_join(t[0], 0);
}
END
for search in random pct pos; do
    says 1 'endless.c:6: assertion' check --search $search endless.c
done

# ---- all of them in turn

# a small program: nothing else than explore does
for program in dekker bbuf abba lost-wakeup; do
    for search in explore auto; do
        run "$RADDLE" check --search $search --json json.$search "$programs/$program.c"
        grep -vE '"(search|seconds|peak_rss_bytes)"' json.$search >told.$search
    done
    cmp -s told.explore told.auto && ok || fail "$program: auto is not what explore is"
done
# a larger one: each has its turn, all runs count, and the exploration comes to its end
"$RADDLE" cc -O1 -DKIND=0 -DT=4 -DK=2 "$SOURCE_DIR/bench/estimate.c" -o turns
run "$RADDLE" check --json json ./turns
alone=$(field executions)
run "$RADDLE" check --search auto --json json ./turns
[ $status -eq 0 ] && [ "$(field runs)" -gt 100 ] && [ "$(field executions)" -gt $((alone + $(field runs))) ] && ok ||
    fail "auto: safe, with the runs of all"
# one that is too large
"$RADDLE" cc -O1 -DKIND=0 -DT=4 -DK=6 "$SOURCE_DIR/bench/estimate.c" -o large
says 3 'maximum number of executions was reached; [0-9]+ runs sampled by auto with seed 1, .*probability at least .*preemptions? were made, and about' \
    check --search auto --max-executions 60000 --json json ./large
[ "$(field depth)" = 3 ] && [ "$(field reduction)" = '"optimal"' ] && grep -q '"total"' json && ok || fail "auto: json"
says 2 "'--jobs' goes with --search explore" check --search auto -j 2 "$programs/dekker.c"
says 2 "'--runs' goes with" check --search auto --runs 5 "$programs/dekker.c"
says 2 "'--stateful' goes with --search explore|'--preemption-bound' goes with --search explore" check --search auto --preemption-bound 1 "$programs/dekker.c"
says 2 "'--symmetry' goes with --search explore|goes with" check --search auto --symmetry "$programs/dekker.c"
says 2 "'--checkpoint' goes with" check --search auto --checkpoint x "$programs/dekker.c"
says 2 'litmus takes --search explore' litmus --search auto "$SOURCE_DIR/examples/litmus/SB.litmus"

# ---- bounds that grow

says 0 'safe: 40 executions' check --preemption-bound auto "$programs/dekker.c"
says 0 'safe: 643 executions' check --preemption-bound auto --reduction dpor "$programs/dekker.c"
says 0 'safe: ' check --preemption-bound auto --model tso "$scripts/sb.script"
says 1 'all runs with at most 0 preemptions were made, and some of those with 1' check --preemption-bound auto "$programs/bbuf-if.c"
cat >large.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *adds(void *a) { for (int i = 0; i < 15; i++) atomic_fetch_add(&x, 1); return a; }
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, adds, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
END
says 3 'the time was up; all runs with at most [0-9]+ preemptions? were made, and about [0-9]+ % of those with [0-9]+' \
    check --preemption-bound auto --timeout 3 large.c
# a loop that never ends starves nobody under a bound either, and is named
for bound in 0 1 auto; do
    says 1 'endless.c:6: assertion' check --preemption-bound $bound endless.c
    says 1 'T1 \(forever\) still goes round in forever at endless.c:5, [0-9]+ times so far' check --preemption-bound $bound endless.c
done
# what a switch costs does not hang on what counts as a step: main goes on, so leaving it is a preemption
cat >leaves.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
int plain;
static void *stores(void *a) { atomic_store(&x, 1); return a; }
int main(void)
{
    pthread_t t;
    plain = 7;
    pthread_create(&t, 0, stores, 0);
    assert(atomic_load(&x) == 0);
    return pthread_join(t, 0) || plain != 7;
}
END
for options in --races=report --races=ignore --races=warn --model=tso; do
    says 3 'incomplete \(the preemption bound was reached\): 1 executions' check $options --preemption-bound 0 leaves.c
    says 1 'leaves.c:12: assertion' check $options --preemption-bound 1 leaves.c
done
says 2 "takes a number from 0 to 1000000, or auto, not 'x'" check --preemption-bound x "$programs/dekker.c"

# ---- what does not go together

says 2 "'--runs' goes with --search random, pct or pos" check --runs 5 "$programs/dekker.c"
says 2 "'--depth' goes with --search pct or auto" check --depth 5 "$programs/dekker.c"
says 2 "'--depth' goes with --search pct" check --search pos --depth 5 "$programs/dekker.c"
says 2 "'--reduction' goes with --search explore" check --search pos --reduction dpor "$programs/dekker.c"
says 2 "'--preemption-bound' goes with --search explore" check --search pos --preemption-bound 1 "$programs/dekker.c"
says 2 "'--tree' goes with --search explore" check --search pos --tree x "$programs/dekker.c"
says 2 "'--search' takes explore, auto, random, pct or pos, not 'dfs'" check --search dfs "$programs/dekker.c"
says 2 "'--depth' takes a number from 1 to 100, not '0'" check --search pct --depth 0 "$programs/dekker.c"

# ---- many programs: nothing is wrong that is right, and each bug that is found has a run that can be done again

for search in random pct pos; do
    SEARCH=$search run bash "$SOURCE_DIR/tests/tool/programs.sh" "$programs"/{aba,bbuf,bbuf-if,cancel,channel-poll,choose-threads,crash-libc}.c \
        "$programs"/{double-free,file-lock,futex-mutex,lost-wakeup,memory-stack,philosophers,robust,spin,timedwait,virtual-time}.c
    [ $status -eq 0 ] && ok || fail "programs by $search"
done

finish
