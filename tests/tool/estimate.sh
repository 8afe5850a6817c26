#!/bin/bash
# A search that is cut short says how large all of it is, what made it so, and what to try next.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

run bash "$SOURCE_DIR/bench/estimate.sh" "$(dirname "$RADDLE")" few
expect "the truth is within what is said" test $status -eq 0
expect "… of ten searches" grep -q 'of 10 within' out

# four threads add eight times: 10^17 orders; three times: 369,600 runs at most
for rounds in 2 8; do
    {
        echo 'cell x'
        for thread in A B C; do printf 'thread %s\n' $thread && yes '    r = add x, 1' | head -n $rounds; done
    } >add$rounds.script
done
run "$RADDLE" check --json json add2.script
expect "explored: safe" test $status -eq 0
expect "explored: nothing to guess" grep -q '"estimate": null' json
expect "explored: nothing is said" test -z "$(grep 'whole search' out)"
run "$RADDLE" check --max-executions 30 --json json add2.script
expect "cut: incomplete" test $status -eq 3
expect "cut: says it" grep -qE '^note: the whole search has about [0-9]+ executions, give or take a factor of [0-9.]+: 1 second more at this rate$' out
expect "cut: JSON" grep -q '"factor"' json
run "$RADDLE" check --max-executions 300 add8.script
expect "large: says that most is unknown" grep -qE '^note: the whole search has at least about .* executions, perhaps 10\^[0-9]+ times as many: at least ' out
run "$RADDLE" check --max-executions 300 --preemption-bound auto --json json add8.script
expect "growing bound: no guess" grep -q '"estimate": null' json
run "$RADDLE" check --search random --runs 300 --seed 1 --json json add8.script
expect "samples: no guess" grep -q '"estimate": null' json
run "$RADDLE" check -j 2 --max-executions 300 --json json add8.script
expect "several processes: no guess" grep -q '"estimate": null' json


# ---- what made it large, and what to try

cat >pool.c <<'END'
#include <pthread.h>
static struct { pthread_mutex_t lock; int jobs; } pool = {PTHREAD_MUTEX_INITIALIZER, 0};
static void *work(void *arg)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&pool.lock);
        pool.jobs++;
        pthread_mutex_unlock(&pool.lock);
    }
    return arg;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
run "$RADDLE" cc -g -o pool pool.c
run "$RADDLE" check --max-executions 500 ./pool
expect "native: names the place" grep -q '^note: it went back most often before: lock pool.lock at pool.c:6 (100 %)$' out
for hint in '--preemption-bound auto' '--search pct' '--stateful=exact' '--symmetry'; do
    expect "native: hint $hint" grep -qE -- "^  $hint  +[a-z]" out
done
run "$RADDLE" check --max-executions 500 --symmetry=new --preemption-bound 1 ./pool
expect "refused as before" test $status -eq 2
run "$RADDLE" check --max-executions 50 --reduction dpor --preemption-bound 1 ./pool
expect "bounded: no hint that does not go with it" test -z "$(grep -E -- '--(stateful|symmetry|preemption-bound)' out)"
run "$RADDLE" check --max-executions 30 add8.script
expect "script: names the place" grep -qE '^note: it went back most often before: add x, 1 of [ABC], line [0-9]+ \([0-9]+ %\)' out
run "$RADDLE" check add2.script
expect "explored: no advice" test -z "$(grep note out)"
printf 'cell x\nthread A\n    r = load x\n    assume r == 1\n' >assumes.script
run "$RADDLE" check assumes.script
expect "no complete run: says so" grep -q '^note: no run came to its end: each failed an assumption' out
expect "… and counts them" grep -q '1 given up (1 for a failed assumption)' out

# ---- long runs: more runs than a number can say are still a number in the report

cat >turns.script <<'END'
mutex m
cond c
cell turn
thread A
    let i = 5000 + 0
L:
    lock m
W:
    t = load turn
    if t == 0 goto G
    wait c, m
    if t != 0 goto W
G:
    store turn, 1
    signal c
    unlock m
    let i = i - 1
    if i > 0 goto L
thread B
    let i = 5000 + 0
L:
    lock m
W:
    t = load turn
    if t == 1 goto G
    wait c, m
    if t != 1 goto W
G:
    store turn, 0
    signal c
    unlock m
    let i = i - 1
    if i > 0 goto L
END
run "$RADDLE" check --max-executions 20 --json json turns.script
expect "very large: incomplete" test $status -eq 3
expect "… and the report has a number" grep -q '"total": 1\.[0-9]*e+*300' json

finish
