#!/bin/bash
# What `raddle check` and `raddle show` print of the classic bugs (tests/classic), word for word: tests/reports/NAME.txt. Each text fits on
# a screen. "golden.sh --update" writes the files anew: then read them.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1
update=${1:-}
golden=$SOURCE_DIR/tests/reports
export LC_ALL=C.UTF-8
unset RADDLE_OPTIONS COLUMNS
cp "$SOURCE_DIR"/tests/classic/*.c .

# What differs from one run to the next.
normal() {
    sed -E -e 's/[0-9]+\.[0-9]+ s$/0.01 s/' -e "s,$dir/cache/raddle/[A-Za-z0-9]{6}/,~/.cache/raddle/wIhK4q/," -e 's/ +$//'
}

# COMMAND…: it, what it prints, and whether that fits on a screen
text() {
    run "$@"
    echo "\$ raddle ${*:2}"
    normal <"$dir/out"
    normal <"$dir/err"
    [ "$(cat "$dir/out" "$dir/err" | wc -l)" -le 50 ] || touch "$dir/long"
}

# NAME, arguments of check
bug() {
    local name=$1
    shift
    rm -f ./*.raddle "$dir/long"
    {
        text "$RADDLE" check "$@"
        echo
        text "$RADDLE" show --width 100 ./*.raddle
    } >"$name.txt"
    expect "$name: each text fits on a screen" test ! -e "$dir/long"
    if [ "$update" = --update ]; then
        cp "$name.txt" "$golden/$name.txt"
    else
        expect "$name: as in tests/reports/$name.txt" diff -u "$golden/$name.txt" "$name.txt"
    fi
    # two cells never have one name, and what JSON says is what the text says
    expect "$name: as JSON" "$RADDLE" show --json run.json ./*.raddle
    expect "$name: the same in JSON" python3 - run.json "$name.txt" <<'P'
import json, sys
trace, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
assert len(trace["sides"]) == (2 if trace["bug"]["kind"] == "data-race" else 0), trace["sides"]
flat = " ".join(text.split())
for side in trace["sides"]:
    assert side["step"] and " ".join(side["what"].split()) in flat, side
    assert trace["steps"][side["step"] - 1]["thread"] == side["thread"], side
for note in trace["notes"]:
    assert note["text"] in flat, note
for step in trace["steps"]:
    if step["flush"] and step["store"]:
        store = trace["steps"][step["store"] - 1]
        assert store["buffered"] and store["cell"] == step["cell"] and store["number"] < step["number"], step
    assert (step["order"] is None) or step["op"] in ("load", "store", "rmw", "cas", "fence"), step
P
}

bug missing-lock -DRACE pool.c
bug weak-order -DWEAK queue.c
bug aba -DABA stack.c
bug lost-wake-up -DLATE pool.c
bug lock-order -DORDER queue.c
bug use-after-free -DFREED pool.c
bug store-buffer --model tso -DBUFFER queue.c

# ---- a pair of places is told once, though `++` reads and writes; who holds a lock to read only

cat >hits.c <<'C'
#include <pthread.h>
static struct { pthread_rwlock_t lock; struct { int hits; } rows[4]; } table = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static void *count(void *_)
{
    pthread_rwlock_rdlock(&table.lock);
    table.rows[2].hits++;
    pthread_rwlock_unlock(&table.lock);
    return _;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, count, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
C
rm -f ./*.raddle
verdict "a pair of places" 1 'of table\.rows\[2\]\.hits \(4 bytes\) by T[12] \(count\), holding table\.lock \(to read\):$' "$RADDLE" check --keep-going hits.c
expect "a pair of places: once" test "$(grep -c ': data-race: ' "$dir/out")" -eq 1

# ---- a thread that waits at a barrier

cat >barrier.c <<'C'
#include <pthread.h>
static struct { int n; pthread_barrier_t meeting; } all;
int main(void) { pthread_barrier_init(&all.meeting, 0, 2); pthread_barrier_wait(&all.meeting); return 0; }
C
rm -f ./*.raddle
verdict "a barrier" 1 '^  T0 \(main\) waits for others to come to barrier all\.meeting, at barrier\.c:3$' "$RADDLE" check barrier.c
verdict "a barrier: show" 0 'T0 \(main\) waits for others to come to barrier all\.meeting, at barrier\.c:3' "$RADDLE" show barrier.raddle

# ---- start functions of C++ are not mangled, and stacks are without what the library does around them

cat >threads.cpp <<'C'
#include <pthread.h>
#include <thread>
namespace app {
static int counter;
void *work(void *_) { counter++; return _; }
}
int main()
{
    pthread_t t;
    pthread_create(&t, nullptr, app::work, nullptr);
    std::thread other([] { app::work(nullptr); });
    pthread_join(t, nullptr);
    other.join();
}
C
rm -f ./*.raddle
verdict "C++" 1 'by T1 \(app::work\)' "$RADDLE" check threads.cpp
expect "C++: nothing of the library" sh -c "! grep -q '/usr/' '$dir/out'"

finish
