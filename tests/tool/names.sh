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

# ---- unions, bit-fields, arrays of arrays

cat >shapes.c <<'C'
#include <pthread.h>
#include <stdlib.h>
typedef struct { int x, y; } point;
struct cell { union { int number; struct { short low, high; }; point at; }; union { float weight; point to; } inner; unsigned ready : 1, state : 3; unsigned char flags : 2, : 0, a : 1, b : 1, c : 1; };
static point grid[2][3];
static struct cell *cells;
static void *thread(void *_)
{
    struct cell *c = &cells[1];
    c->high = 4;
    c->at.y = 5;
    c->inner.to.y = 6;
    c->state = 2;
    c->flags = 1;
    c->b = 1;
    grid[1][2].y = 7;
    return _;
}
int main(void)
{
    pthread_t t;
    cells = calloc(2, sizeof *cells);
    pthread_create(&t, 0, thread, 0);
    grid[1][2].y = 8;
    pthread_join(t, 0);
    free(cells);
    return 0;
}
C
for level in -O0 -O2; do
    checked "shapes $level" 1 $level shapes.c
    says "shapes $level" 'store cells\[1\]\.high = 4' 'store cells\[1\]\.at\.y = 5' 'store cells\[1\]\.inner\.to\.y = 6' \
        'store cells\[1\]\.\{ready … flags\} = 4' 'store cells\[1\]\.\{a … c\}' 'write of grid\[1\]\[2\]\.y'
done

# ---- each of several races is confirmed by a run that shows it, and not by one that shows another

cat >several.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static int first[2], second[2], third[2];
static atomic_int mark;
static void touch(int i)
{
    first[1]++;
    mark = 5;
    second[1] = i;
    third[0] = i;
}
static void *one(void *_) { touch(0); return _; }
static void *two(void *_) { touch(1); return _; }
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
C
run "$RADDLE" check --keep-going several.c
for name in 'first\[1\]' 'second\[1\]' 'third\[0\]'; do
    expect "several races: $name, once" test "$(grep -cE ": data-race: .* of $name by" "$dir/out")" -eq 1
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

# ---- what a std::thread runs: a function, a member, a lambda, an object; places are the user's own, not those of the library's headers

cat >starts.cpp <<'C'
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
namespace app {
struct pair {
    std::mutex left, right;
    void forward() { std::lock_guard<std::mutex> l(left); std::lock_guard<std::mutex> r(right); }
    void backward()
    {
        std::lock_guard<std::mutex> r(right);
        std::lock_guard<std::mutex> l(left);
    }
};
template <typename T> static void add(T &to, T what) { to += what; }
struct adder { long &to; void operator()(int n) const { to += n; } };
static void tuples(std::tuple<int, long> *t) { std::get<0>(*t) = 1; std::get<1>(*t) = 2; }
static std::tuple<int, long> both;
}
int main(int count, char **)
{
    long sum = 0;
#ifdef LOCKS
    auto own = std::make_unique<app::pair>();
    std::thread a(&app::pair::forward, own.get());
    std::thread b(&app::pair::backward, own.get());
#elif defined POINTER
    std::thread a(app::add<long>, std::ref(sum), 1), b(app::add<long>, std::ref(sum), 2);
#elif defined TUPLES
    std::thread a(app::tuples, &app::both), b(app::tuples, &app::both);
#else
    std::thread a(app::adder{sum}, 1), b([&] { sum += count; });
#endif
    a.join();
    b.join();
    return 0;
}
C
for level in -O0 -O1 -O2 '-O1 -g0'; do
    lines=':[0-9]+'
    [[ $level == *-g0 ]] && lines=
    checked "member functions $level" 1 $level -DLOCKS starts.cpp
    says "member functions $level" "^starts\.cpp$lines: deadlock" "T1 \(app::pair::forward\) waits for lock .*, held by T2 \(app::pair::backward\), at starts\.cpp" \
        "T2 \(app::pair::backward\) waits for .* at starts\.cpp" "T1 \(app::pair::forward\) was created by T0 at starts\.cpp$lines\$"
    expect "member functions $level: nothing of the library" sh -c '! grep -q -e /usr/ -e gthr -e _ZN report'
    checked "functions $level" 1 $level -DPOINTER starts.cpp
    says "functions $level" 'by T[12] \(app::add\) races with the write by T[12] \(app::add\) in app::add at starts\.cpp'
    checked "lambda and object $level" 1 $level starts.cpp
    says "lambda and object $level" 'T1 \(app::adder\)' 'T2 \(lambda in main\)' '#0 app::adder::operator\(\)' '#0 lambda in main'
done
checked "members of one name" 1 -DTUPLES starts.cpp
says "members of one name" 'of app::both\._Head_base::_M_head_impl' 'store app::both\._Tuple_impl::_M_head_impl = 2'

# ---- without any debug information there are no lines, and no line 0

expect "-g0: compiles" "$RADDLE" cc -g0 -DFREED -o freed "$classic/pool.c"
verdict "-g0" 1 '^[^ ]*pool\.c: data-race: use of heap block 0 of T0 from pool_new\(\) by' "$RADDLE" check --trace freed.raddle ./freed
expect "-g0: no line 0" sh -c "! grep -q ':0' '$dir/out'"
verdict "-g0: what is freed" 0 '✗ free heap block 0 of T0 from' "$RADDLE" show --width 200 freed.raddle
cat >sides.c <<'C'
#include <pthread.h>
static int shared, sum;
static void *looks(void *_) { sum = shared; return _; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, looks, 0);
    int before = shared;
    shared = before + 1;
    pthread_join(t, 0);
    return 0;
}
C
expect "-g0: compiles" "$RADDLE" cc -g0 -o sides sides.c
verdict "-g0: the step of a side" 1 'data-race' "$RADDLE" check --trace sides.raddle ./sides
expect "-g0: as JSON" "$RADDLE" show --json sides.json sides.raddle
expect "-g0: it does what the side says" python3 -c '
import json
trace = json.load(open("sides.json"))
for side in trace["sides"]:
    step = trace["steps"][side["step"] - 1]
    assert step["writes"] if side["what"].startswith("write") else step["reads"], (side, step)'

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
