#!/bin/bash
# A search that is kept in a file and gone on with finds what it finds in one go; files that do not fit are refused.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

cat >adds.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x;
static int guarded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *adds(void *arg)
{
    int *block = malloc(sizeof *block);
    for (int i = 0; i < ROUNDS - (arg != NULL); i++) /* the first thread has one more */
        if (atomic_fetch_add(&x, 1) > 1000) /* what nobody looks at may come in any order */
            abort();
    pthread_mutex_lock(&lock);
    *block = guarded++;
    pthread_mutex_unlock(&lock);
#ifdef FAILS
    assert(arg || *block != 1);
    assert(!arg || *block != 2);
#endif
    free(block);
    return arg;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, adds, i ? &x : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
#ifdef WORK /* so that there is time to stop it */
    for (unsigned i = 0; i < WORK; i++)
        guarded += guarded < 0;
#endif
    return 0;
}
END
cat >adds.script <<'END'
cell x
cell y
mutex m
thread A
  r = add x, 1
  lock m
  r = add y, 1
  unlock m
  r = add x, 1
thread B
  r = add x, 1
  lock m
  r = add y, 1
  unlock m
  r = load x
  assert r != 3
thread C
  r = add y, 1
  r = add x, 1
  r = load y
  assert r != 1
END
run "$RADDLE" cc -g -DROUNDS=3 -o adds adds.c
run "$RADDLE" cc -g -DROUNDS=2 -DFAILS -o fails adds.c
run "$RADDLE" cc -g -DROUNDS=4 -DWORK=1500 -o many adds.c
run "$RADDLE" cc -g -DEDGE -o epoll "$SOURCE_DIR/tests/programs/channel-epoll.c"

# What must be the same: verdict, counts, bugs.
figures() { # FILE
    grep -E '^ *"(verdict|executions|blocked|transitions|threads|kind|message|file|line)":' "$1"
}

# In parts of a few executions each; $parts is how many it took.
in_parts() { # RUNS, arguments of raddle check
    local runs=$1
    shift
    rm -f kept
    parts=0
    set -- "$@" --checkpoint kept --json parts.json
    run "$RADDLE" check --max-executions "$runs" "$@"
    while [ -e kept ] && [ $parts -lt 300 ]; do
        parts=$((parts + 1))
        run "$RADDLE" check --resume kept --max-executions $((runs + parts)) "$@"
    done
}

same() { # NAME, RUNS, arguments of raddle check
    local name=$1 runs=$2
    shift 2
    run "$RADDLE" check --json once.json "$@"
    local want=$status
    figures once.json >once
    in_parts "$runs" "$@"
    figures parts.json >parts
    expect "$name: status" test "$status" -eq "$want"
    expect "$name: several parts" test "$parts" -ge "${least:-3}"
    expect "$name: the same as in one go" cmp -s once parts
}

# ---- the same as in one go

same "native" 200 ./adds
same "native, tso, source" 300 --model tso --reduction source ./adds
same "native, dpor" 400 --reduction dpor ./adds
same "native, bound" 200 --preemption-bound auto ./adds
same "native, failing" 3 --keep-going --minimise 0 ./fails
# what states were seen, and what is known of threads, is not kept: then other runs may be made, but the same is found
counts() { grep -vE '^ *"(executions|blocked|transitions)":'; }
alike() { # NAME, RUNS, arguments of raddle check
    run "$RADDLE" check --json once.json "${@:3}"
    local want=$status
    figures once.json | counts >once
    in_parts "${@:2}"
    figures parts.json | counts >parts
    expect "$1: status" test "$status" -eq "$want"
    expect "$1: several parts" test "$parts" -ge 1
    expect "$1: the same as in one go" cmp -s once parts
}
alike "native, states" 1 --stateful=exact ./adds
alike "native, states, failing" 1 --stateful=exact --keep-going --minimise 0 ./fails
alike "script, states" 1 --stateful=exact --keep-going adds.script
alike "native, symmetry" 100 --symmetry=new ./adds
alike "native, any symmetry" 100 --symmetry=all ./adds
alike "native, any symmetry, failing" 3 --symmetry=all --keep-going --minimise 0 ./fails
# a bug found before the checkpoint is replayed with the joins that were steps then
least=1 same "native, joins" 1 --races=ignore --keep-going --minimise 0 ./epoll
for reduction in optimal source dpor sharing; do
    same "script, $reduction" 20 --keep-going --reduction $reduction --model pso adds.script
done
same "script, bound" 20 --keep-going --preemption-bound auto adds.script

# ---- interrupted, and gone on with by the command that it tells

run "$RADDLE" check --json once.json ./many
figures once.json >once
set -m
"$RADDLE" check --checkpoint "it's kept" --json parts.json ./many >out 2>err &
set +m
sleep 0.3
kill -INT $!
wait $!
status=$?
expect "interrupted: status" test $status -eq 3
expect "interrupted: tells how to go on" grep -q '^note: what is left is in .*goes on$' out
command=$(sed -n 's/^note: what is left.*: `raddle \(.*\)` goes on$/\1/p' out)
eval "$RADDLE $command" >out 2>err
status=$?
figures parts.json >parts
expect "gone on with: status" test $status -eq 0
expect "gone on with: the same" cmp -s once parts
expect "gone on with: the file is gone" test ! -e "it's kept"

# killed when there is a checkpoint, gone on with, and killed again
rm -f kept
set -m
"$RADDLE" check --checkpoint kept --checkpoint-interval 0.1 ./many >out 2>err &
set +m
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ -s kept ] || sleep 0.1; done
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
set -m
"$RADDLE" check --checkpoint kept --checkpoint-interval 0.1 --resume kept ./many >out 2>err &
set +m
sleep 0.1
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
expect "killed: there is a checkpoint" test -s kept
run "$RADDLE" check --resume kept --json parts.json ./many
figures parts.json >parts
expect "killed: the same" cmp -s once parts
expect "killed: what was read stays, if it is not to be written" test -s kept

# ---- what is refused, in words

refused() { # NAME, pattern, arguments
    local name=$1 pattern=$2
    shift 2
    run "$RADDLE" check "$@"
    expect "$name: status" test $status -eq 2
    expect "$name: says" grep -qE -- "$pattern" "$dir/err"
}

"$RADDLE" check --checkpoint kept --max-executions 10 ./adds >/dev/null 2>&1
cp kept good
refused "another program" 'kept: is of another program' --resume kept ./many
refused "other arguments" 'kept: is of another program' --resume kept ./adds more
refused "a script" 'kept: is of another program' --resume kept adds.script
refused "another model" 'kept: is of a search with other options' --resume kept --model tso ./adds
refused "another reduction" 'kept: is of a search with other options' --resume kept --reduction source ./adds
refused "to stop at bugs or not" 'kept: is of a search with other options' --resume kept --keep-going ./adds
head -c 200 good >kept
refused "truncated" 'kept: is truncated' --resume kept ./adds
: >kept
refused "empty" 'kept: is not a checkpoint' --resume kept ./adds
{ head -c 150 good; printf x; tail -c +152 good; } >kept
refused "damaged" 'kept: is damaged' --resume kept ./adds
{ cat good; printf x; } >kept
refused "longer" 'kept: has something behind its end' --resume kept ./adds
{ head -c 8 good; printf '\377'; tail -c +10 good; } >kept
refused "another version" 'kept: was written by another version' --resume kept ./adds
refused "no checkpoint at all" 'adds.c: is not a checkpoint' --resume adds.c ./adds
refused "missing" 'nothing: No such file' --resume nothing ./adds
refused "nowhere to write" 'no/where: no checkpoint can be written' --checkpoint no/where ./adds
refused "samples" 'goes with --search explore' --checkpoint kept --search pct ./adds
refused "states, later" 'goes with --stateful=exact or off' --checkpoint kept --stateful=auto ./adds
refused "symmetry or not" 'good: is of a search with other options' --resume good --symmetry=new ./adds
refused "tree" 'not with --resume' --resume good --tree tree ./adds
refused "interval alone" 'goes with --checkpoint' --checkpoint-interval 3 ./adds
refused "no interval" 'takes a number of seconds' --checkpoint kept --checkpoint-interval 0 ./adds
run "$RADDLE" check --resume good ./adds
expect "the good one still is" test $status -eq 0

finish
