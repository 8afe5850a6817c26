#!/bin/bash
# Names in reports are those of the source: members, elements, blocks of the heap by type and place, local variables, enumerators. At each
# level of optimisation, in C++, and what is left without -g. Two cells never have one name. The programs are in tests/classic.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1
classic=$SOURCE_DIR/tests/classic

# FILE: no two addresses of one report have the same name, and no address two names.
unique() {
    python3 - "$1" <<'P'
import json, sys
report = json.load(open(sys.argv[1]))
cells = {}
for step in report["steps"]:
    if step.get("object") and step.get("cell"):
        cells.setdefault(step["object"], set()).add(step["cell"])
for variable in report["variables"]:
    if variable["kind"] == "cell":
        cells.setdefault(variable["name"], set()).add(variable["cell"])
twice = [name for name, at in cells.items() if len(at) > 1]
if twice or not cells:
    sys.exit("one name for several cells: %s" % twice)
P
}

# WHAT, patterns of lines of the report or of the lanes; what the last check has left is the trace
says() {
    local what=$1 pattern
    shift
    for pattern in "$@"; do
        expect "$what: $pattern" grep -qE -- "$pattern" report
    done
}

# NAME, STATUS, sources and flags: what check and show say is in `report`
checked() {
    local name=$1 want=$2
    shift 2
    rm -f ./*.raddle
    run "$RADDLE" check "$@"
    cp "$dir/out" report
    expect "$name: status" test $status -eq "$want"
    [ "$want" -eq 1 ] || return 0
    expect "$name: show" "$RADDLE" show --all --width 300 ./*.raddle >>report
    expect "$name: as JSON" "$RADDLE" show --json run.json ./*.raddle
    expect "$name: unique" unique run.json
}

for level in -O0 -O1 -O2; do
    for right in pool queue stack; do
        verdict "$right.c $level is right" 0 ': safe: ' "$RADDLE" check $level "$classic/$right.c"
    done
    checked "missing lock $level" 1 $level -DRACE "$classic/pool.c"
    says "missing lock $level" 'data-race: (read|write) of pool->stats\.done by T[12] \(worker\) races with' \
        'struct pool from pool_new, pool\.c:[0-9]+' 'lock pool->lock' 'load jobs\[0\]\.run -> square' \
        'store jobs\[[01]\]\.numbers\.output = [49]' 'store jobs\[0\]\.finished = true' 'load pool->stats\.done -> 0'
    checked "lost wake-up $level" 1 $level -DLATE "$classic/pool.c"
    says "lost wake-up $level" 'waits for a signal on pool->more' 'signal pool->more \(nobody waits\)' 'load pool->count -> 0'
    checked "use after free $level" 1 $level -DFREED --races=ignore "$classic/pool.c"
    says "use after free $level" 'use after free' 'join|exit'
    checked "free and use race $level" 1 $level -DFREED "$classic/pool.c"
    says "free and use race $level" 'of pool->lock by T[12] \(worker\) races with the free'
    checked "weak order $level" 1 $level -DWEAK "$classic/queue.c"
    says "weak order $level" 'data-race: read of queue\.slots\[2\]\.value\.number' 'store\.relaxed queue\.slots\[2\]\.seq = 1' \
        'store queue\.slots\[2\]\.value\.number = 7' 'load\.acquire queue\.slots\[2\]\.seq -> 1'
    checked "lock order $level" 1 $level -DORDER "$classic/queue.c"
    says "lock order $level" 'waits for lock accounts\[0\]\.lock, held by' 'waits for lock accounts\[1\]\.lock, held by' \
        'lock accounts\[1\]\.lock'
    checked "ABA $level" 1 $level -DABA "$classic/stack.c"
    says "ABA $level" 'load\.seq_cst top -> &nodes\[1\]' 'cas\.seq_cst top from &nodes\[1\] to &nodes\[2\]: succeeded' \
        'load\.seq_cst nodes\[2\]\.next -> NULL' 'add\.seq_cst holders\[2\], 1 -> 1'
done

# ---- locals, statics of one name, floats, flexible arrays, lists of equal blocks

cat >mixed.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct list { struct list *next; double weight; int tail[]; };
static struct list *head;
static int first(int n) { static int calls; return calls += n; }
static int second(int n) { static int calls; return calls += n; }
static void *thread(void *argument)
{
    int *results = argument;
    head->next->weight = 2.5;
    head->tail[1] = 3;
    first(1);
    second(2);
    results[2] = 4;
    return NULL;
}
static struct list *add(struct list *next)
{
    struct list *list = malloc(sizeof *list + 2 * sizeof(int));
    list->next = next;
    return list;
}
int main(void)
{
    pthread_t t;
    int results[3];
    head = add(add(NULL));
    pthread_create(&t, NULL, thread, results);
    head->next->weight = 1;
    pthread_join(t, NULL);
    return 0;
}
C
for level in -O0 -O2; do
    checked "mixed $level" 1 $level --keep-going mixed.c
    says "mixed $level" '= 2\.5' 'list(#2)?->weight' 'list(#2)?->tail\[1\] = 3' 'first:calls' 'second:calls' 'results\[2\] of T0 = 4' \
        'struct list from add, mixed\.c:19'
done

# ---- C++

cat >names.cpp <<'C'
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
namespace app {
enum class mode { off, on };
struct base { int tag = 0; };
struct queue : base {
    std::mutex m;
    std::atomic<int> head{0};
    mode state = mode::off;
    void set() { { std::lock_guard<std::mutex> guard(m); tag = 1; } head.store(2, std::memory_order_relaxed); state = mode::on; }
};
queue shared;
static int counter;
}
int main()
{
    auto own = std::make_unique<app::queue>();
    auto work = [&] { own->set(); app::shared.set(); app::counter++; };
    std::thread a(work), b(work);
    a.join();
    b.join();
    return 0;
}
C
for level in -O0 -O2; do
    checked "C++ $level" 1 $level names.cpp
    says "C++ $level" 'lock queue->m' 'store queue->tag = 1' 'store\.relaxed queue->head = 2' 'store queue->state = on' \
        'data-race: write of queue->state'
    expect "C++ $level: nothing is mangled" sh -c '! grep _ZN report'
done

# ---- without -g

expect "without -g: compiles" "$RADDLE" cc -DRACE -o pool "$classic/pool.c"
verdict "without -g" 1 'data-race: read of heap block 0 of T0 from pool\.c:[0-9]+\+152' "$RADDLE" check ./pool
expect "without -g: says that it would tell more" grep -q '^note: the program was built without -g' "$dir/out"
expect "without -g, C++: compiles" "$RADDLE" c++ -o names names.cpp
verdict "without -g, C++" 1 'data-race' "$RADDLE" check --keep-going ./names
expect "without -g, C++: demangled" sh -c "grep -q 'of app::counter by' '$dir/out' && ! grep -q _ZN '$dir/out'"
run "$RADDLE" check -DRACE "$classic/pool.c"
expect "with -g: nothing of that" sh -c "! grep -q 'without -g' '$dir/out'"

finish
