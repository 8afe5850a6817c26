#!/bin/bash
# Interchangeable threads of native programs: tests/symmetry/pairs.c has pairs that are, and pairs that are not.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

# NAME: a number of the JSON report
number() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" json | head -n 1; }

# KIND, how many transitions were left out
as_wanted() { if [ "$1" = alike ]; then [ "$2" -gt 0 ]; else [ "$2" -eq 0 ]; fi; }

sed -nE 's/^ +(ALIKE|OTHER)\(([a-z0-9_]+),.*/\L\1\E \2/p' "$SOURCE_DIR/tests/symmetry/pairs.c" >cases
expect "there are pairs" test -s cases

for flags in ${LEVELS:--O0 -O2}; do
    run "$RADDLE" cc "$flags" -o pairs "$SOURCE_DIR/tests/symmetry/pairs.c"
    expect "$flags: compiles" test "$status" -eq 0
    while read -r kind name; do
        run "$RADDLE" check --symmetry --json json ./pairs "$name"
        expect "$flags: $name goes through" test "$status" -eq 0
        expect "$flags: $name is $kind" as_wanted "$kind" "$(number saved)"
    done <cases
done

run "$RADDLE" check --symmetry=new --json json ./pairs begun_apart
expect "threads with another past are not new" as_wanted other "$(number saved)"
run "$RADDLE" check --symmetry=new --json json ./pairs r13_same
expect "nor are those that began otherwise" as_wanted other "$(number saved)"
run "$RADDLE" check --symmetry=new --json json ./pairs r0_same_function
expect "but those that began alike are" as_wanted alike "$(number saved)"
run "$RADDLE" check --symmetry --model tso --json json ./pairs atomic
expect "under tso, too" as_wanted alike "$(number saved)"
run "$RADDLE" check --json json ./pairs atomic
expect "off if not asked for" test "$(number checks)" -eq 0

# what does not go together is refused
for options in "--stateful=auto" "--stateful=delta" "--preemption-bound 1" "--search pct" "--races=warn" "--reduction sharing"; do
    # shellcheck disable=SC2086
    run "$RADDLE" check --symmetry $options ./pairs atomic
    expect "$options is refused" test "$status" -eq 2
    expect "$options: says why" grep -q "option '--symmetry' goes with" "$dir/err"
done
for count in 12 16 40; do # what stands for others shows late: in the first runs only the last of them change places
    run "$RADDLE" check --symmetry --json json -I"$SOURCE_DIR/tests/programs" -DN=$count "$SOURCE_DIR/tests/programs/readers.c"
    expect "$count readers: one more run than readers" grep -q "\"executions\": $((count + 1))," json
done
for count in 2 5 12; do
    cat >same.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
    for options in --symmetry --symmetry=new "--symmetry --stateful=exact"; do
        # shellcheck disable=SC2086
        run "$RADDLE" check $options --json json -DN=$count same.c
        expect "$count that do the same, $options: one run" grep -q '"executions": 1,' json
    done
done
run "$RADDLE" check --symmetry=some ./pairs atomic
expect "an unknown kind is refused" test "$status" -eq 2

# why two threads are not interchangeable
cat >ids.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg)
{
    int id = (int)(long)arg;

    pthread_mutex_lock(&m);
    x += id;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    assert(x < 3);
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[2];

    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
run "$RADDLE" check --symmetry ids.c
expect "a bug among near-twins is found" test "$status" -eq 1
run "$RADDLE" show --why-symmetric 1,2 ids.raddle
expect "show tells" test "$status" -eq 0
expect "what differs at first" grep -q "before step 1: id in work (.*ids.c:[0-9]*) is still needed, and is 1 in the one and 2 in the other" "$dir/out"
expect "and when nothing does any more" grep -q ": interchangeable" "$dir/out"
run "$RADDLE" show --why-symmetric 1,7 ids.raddle
expect "a thread that is not there" test "$status" -eq 2
expect "is told so" grep -q "has threads 0 to 2, and no thread 7" "$dir/err"
run "$RADDLE" show --why-symmetric 1,1 ids.raddle
expect "a thread is not compared with itself" test "$status" -eq 2

finish
