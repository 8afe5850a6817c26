#!/bin/bash
# A program built by `raddle cc` and started by itself is an ordinary program: real threads, its own output and exit status, full speed.
# It checks itself if RADDLE_OPTIONS is set, even to nothing. And the hints for what clang refuses and gcc takes.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1
unset RADDLE_OPTIONS

# ---- threads, output, exit status

cat >program.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int here, wide;
static _Atomic __int128 large;
static int tasks;

static void *meet(void *argument) /* needs the other to run at the same time, in the kernel's eyes, too */
{
    char path[64];
    here++;
    while (here < 2)
        ;
    snprintf(path, sizeof path, "ls /proc/%d/task | wc -l", (int)getpid());
    if (argument) {
        FILE *f = popen(path, "r");
        if (!f || fscanf(f, "%d", &tasks) != 1)
            abort();
        pclose(f);
    }
    for (int i = 0; i < 100000; i++)
        wide++;
    while (here < 3)
        if (argument)
            here = 3;
    return argument;
}

static int jump(int i) /* has no code without hooks */
{
    static void *const to[] = {&&a, &&b};
    goto *to[i & 1];
a:
    return large++ == 0 ? 10 : 20;
b:
    return atomic_fetch_add(&wide, 1) + 1;
}

int main(int argc, char **argv, char **environment)
{
    pthread_t t[2];
    int raddle = 0;

    pthread_create(&t[0], NULL, meet, NULL);
    pthread_create(&t[1], NULL, meet, argv);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    for (; *environment; environment++)
        raddle += strncmp(*environment, "RADDLE_", 7) == 0 || strncmp(*environment, "LD_", 3) == 0;
    printf("%d tasks, %d, %d %d, %d words, %d of raddle\n", tasks, wide, jump(0), jump(1), argc, raddle);
    fprintf(stderr, "to stderr\n");
    return argc > 1 ? atoi(argv[1]) : 0;
}
C
for level in -O0 -O2; do
    expect "compiles $level" "$RADDLE" cc $level -mcx16 -w -o program program.c
    verdict "runs $level" 0 '^3 tasks, 200000, 10 200001, 1 words, 0 of raddle$' ./program
    expect "stderr $level" grep -q '^to stderr$' "$dir/err"
    verdict "exit status $level" 42 '3 words' ./program 42 x
done
expect "leaves no trace" sh -c '! ls *.raddle 2>/dev/null'

cat >wide.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
struct pair { long a, b; };
static _Atomic struct pair x;
static void *add(void *argument) /* without -latomic, hooks do it */
{
    for (int i = 0; i < 100000; i++) {
        struct pair old = x, new;
        do
            new = (struct pair){old.a + 1, old.b + 2};
        while (!atomic_compare_exchange_weak(&x, &old, new));
    }
    return argument;
}
int main(void)
{
    pthread_t t;
    struct pair seen;
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    seen = x;
    printf("%ld %ld\n", seen.a, seen.b);
    return 0;
}
C
expect "atomics of 16 bytes compile" "$RADDLE" cc -w -o wide wide.c
verdict "atomics of 16 bytes" 0 "^200000 400000$" ./wide

cat >signal.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) { puts("before"); fflush(stdout); abort(); }
C
expect "compiles a program that dies" "$RADDLE" cc -o dies signal.c
run sh -c './dies; echo $?' 2>/dev/null
expect "dies of its signal" grep -q '^134$' "$dir/out"
expect "what it wrote before" grep -q '^before$' "$dir/out"

# ---- C++: exceptions, static objects, destructors, a library

cat >library.cpp <<'C'
#include <cstdio>
struct said { said() { std::puts("library begins"); } ~said() { std::puts("library ends"); } };
static said it;
int thrower(int x) { if (x) throw x; return 0; }
C
cat >main.cpp <<'C'
#include <cstdio>
#include <string>
#include <thread>
#include <vector>
int thrower(int);
int main()
{
    std::vector<std::string> words;
    std::thread t([&] { try { thrower(7); } catch (int x) { words.push_back(std::to_string(x)); } });
    t.join();
    std::printf("%s\n", words.at(0).c_str());
    return 0;
}
C
expect "a library" "$RADDLE" c++ -O1 -shared -fPIC -o liblibrary.so library.cpp
expect "a program of C++" "$RADDLE" c++ -O1 -o cxx main.cpp -L. -llibrary -Wl,-rpath,"$dir"
run ./cxx
expect "C++: status" test $status -eq 0
expect "C++: output" test "$(tr '\n' ' ' <"$dir/out")" = "library begins 7 library ends "
verdict "C++: checks itself" 0 'cxx: (safe|incomplete)' sh -c 'RADDLE_OPTIONS= ./cxx || test $? -eq 3'

# ---- C++: what several files have, and the linker takes from one of them

cat >shared.h <<'C'
#include <mutex>
#include <string>
#include <vector>
struct base {
    virtual ~base() {} /* in a group with others */
    virtual int twice(int x) { return 2 * x; }
};
struct other {
    virtual ~other() = default;
    virtual int thrice(int x) { return 3 * x; }
};
struct derived : virtual base, virtual other {
    std::vector<int> seen;
    static int &total() { static int sum; return sum; }
    ~derived() override { total() += (int)seen.size(); }
    int twice(int x) override { seen.push_back(x); return base::twice(x); }
    int thrice(int x) override { seen.push_back(x); return other::thrice(x) + (int)seen.size(); }
};
inline int deep(int x)
{
    if (x > 100)
        throw x;
    return x == 0 ? derived::total() : deep(x - 1) + 1;
}
template <typename T> struct table { /* its variables begin in groups of their own */
    static std::mutex lock;
    static std::vector<T> rows;
    static thread_local std::string name;
    static void add(T x)
    {
        std::lock_guard<std::mutex> hold(lock);
        rows.push_back(x);
        name += std::to_string(x);
    }
};
template <typename T> std::mutex table<T>::lock;
template <typename T> std::vector<T> table<T>::rows(1, T(7));
template <typename T> thread_local std::string table<T>::name = std::string(20, '-');
inline std::vector<std::string> words{"a", "b"};
static int use(base &b, other &o) { return b.twice(4) + o.thrice(5); }
int from_other(int);
C
cat >one.cpp <<'C'
#include <cstdio>
#include <thread>
#include "shared.h"
int main()
{
    int sum, caught = 0, last;
    std::thread t([] { table<int>::add(from_other(1)); });
    table<int>::add(3);
    t.join();
    {
        derived d;
        sum = use(d, d) + deep(3);
    }
    try { deep(1000); } catch (int x) { caught = x; }
    last = from_other(2);
    std::printf("%d %d %d, %zu %s %zu\n", sum, caught, last, table<int>::rows.size(), table<int>::name.c_str(), words.size());
    return 0;
}
C
cat >two.cpp <<'C'
#include "shared.h"
int from_other(int x)
{
    derived d;
    table<long>::add(x);
    words.push_back("c" + std::to_string(x));
    try { deep(500); } catch (int) { x++; }
    return use(d, d) + deep(x);
}
C
for level in -O0 -O1 -O2; do
    for file in one two; do
        expect "$file.cpp compiles $level" "$RADDLE" c++ $level -c $file.cpp -o $file$level.o
    done
    for order in "one$level.o two$level.o" "two$level.o one$level.o"; do
        run "$RADDLE" c++ $order -o shared
        expect "links: $order" test $status -eq 0
        verdict "runs: $order" 0 '^30 1000 32, 3 -{20}3 4$' ./shared
        verdict "is checked: $order" 0 'shared: safe: ' "$RADDLE" check ./shared
    done
done
run "$RADDLE" c++ one-O0.o two-O2.o -o shared
verdict "links whatever they were optimised for" 0 '^30 1000 32, 3 -{20}3 4$' ./shared
clang++-19 -O1 -c two.cpp -o two-native.o
for order in "one-O2.o two-native.o" "two-native.o one-O2.o"; do
    run "$RADDLE" c++ $order -o shared
    verdict "links with code of others: $order" 0 '^30 1000 32, 3 -{20}3 4$' ./shared
done
expect "a library of it" "$RADDLE" c++ -O1 -fPIC -shared -Wl,-z,defs -o libtwo.so two.cpp
expect "the library exports no copies" sh -c '! nm -D libtwo.so | grep plain'

# A group with members that only the others in it can name, and a function that is not the same in all files.
for file in a b; do
    cat >$file.ll <<LL
target triple = "x86_64-pc-linux-gnu"
\$group = comdat any
@sum = internal global i32 5, comdat(\$group)
define internal i32 @add(i32 %x) comdat(\$group) {
  %old = load i32, ptr @sum
  %new = add i32 %old, %x
  store i32 %new, ptr @sum
  ret i32 %new
}
define linkonce_odr i32 @group(i32 %x) noinline comdat {
  %new = call i32 @add(i32 %x)
  ret i32 %new
}
define i32 @from_$file(i32 %x) {
  %new = call i32 @group(i32 %x)
  ret i32 %new
}
LL
    echo "__attribute__((weak)) int which(void) { return '$file'; } int which_$file(void) { return which(); }" >which_$file.c
done
cat >ab.c <<'C'
#include <stdio.h>
int from_a(int), from_b(int), which_a(void), which_b(void);
int main(void)
{
    int a = from_a(1), b = from_b(2);
    printf("%d %d %c %c\n", a, b, which_a(), which_b());
    return 0;
}
C
for level in -O0 -O2; do
    expect "groups that keep to themselves link $level" "$RADDLE" cc -w $level -o ab ab.c a.ll b.ll which_a.c which_b.c
    verdict "groups that keep to themselves $level" 0 '^6 8 a a$' ./ab
done

# ---- when it checks itself

cat >counter.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <raddle.h>
static atomic_int x;
static void *add(void *a) { raddle_atomic_begin(); x = x + 1; raddle_atomic_end(); return a; }
int main(void)
{
    pthread_t t;
    raddle_assume(raddle_choose(3) != 1);
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    raddle_assert(x == 2);
    printf("%d\n", x);
    return 0;
}
C
expect "annotations compile" "$RADDLE" cc -o counter counter.c
verdict "annotations, by itself" 0 '^2$' ./counter
verdict "RADDLE_OPTIONS, empty" 0 'counter: safe: ' env RADDLE_OPTIONS= ./counter
verdict "RADDLE_OPTIONS, blank" 0 'counter: safe: ' env RADDLE_OPTIONS=' ' ./counter
verdict "RADDLE_OPTIONS, some" 0 'counter: safe: .*model pso' env RADDLE_OPTIONS='--model pso' ./counter
verdict "RADDLE_OPTIONS, wrong" 2 "unknown option '--modell'" env RADDLE_OPTIONS='--modell pso' ./counter
verdict "raddle check" 0 'counter: safe: ' "$RADDLE" check ./counter
sed 's/x == 2/x == 3/' counter.c >wrong.c
expect "a wrong assertion compiles" "$RADDLE" cc -o wrong wrong.c
run sh -c './wrong; echo $?'
expect "a wrong assertion aborts" grep -q '^134$' "$dir/out"
expect "a wrong assertion says so" grep -q "assertion 'x == 3' fails" "$dir/err"
verdict "LD_LIBRARY_PATH stays the user's" 0 'safe' env LD_LIBRARY_PATH=/nowhere "$RADDLE" check ./counter

# ---- speed: as a ratio within this run, and generous, for a busy machine

cat >speed.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int shared[1 << 16];
static int next(int i) { return shared[i & 0xffff] += i; }
int main(void)
{
    unsigned sum = 0;
    for (int round = 0; round < 400; round++)
        for (int i = 0; i < 1 << 16; i++)
            sum += (unsigned)next(i);
    printf("%u\n", sum);
    return 0;
}
C
seconds() { # COMMAND: the best of five
    for _ in 1 2 3 4 5; do
        local before=${EPOCHREALTIME/./}
        "$@" >/dev/null
        echo $((${EPOCHREALTIME/./} - before))
    done | sort -n | head -n 1
}
for level in -O0 -O2; do
    expect "native $level" clang-19 $level -o speed-native speed.c
    expect "checked $level" "$RADDLE" cc $level -o speed speed.c
    native=1000000000 ours=1000000000
    for _ in 1 2 3; do # in turn: a busy moment slows both
        once=$(seconds ./speed-native)
        [ "$once" -ge "$native" ] || native=$once
        once=$(seconds ./speed)
        [ "$once" -ge "$ours" ] || ours=$once
    done
    echo "speed $level: $ours us, native $native us"
    expect "as fast as without raddle $level: $ours, $native" test $((ours * 2)) -lt $((native * 3 + 20000))
done

# ---- hints

printf 'f() { return g(1); }\n' >old.c
verdict "old C: a hint" 1 'hint: .*-Wno-error=implicit-function-declaration -Wno-error=implicit-int$' "$RADDLE" cc -c old.c
run "$RADDLE" cc -c -Wno-error=implicit-function-declaration -Wno-error=implicit-int old.c
expect "old C: with the options" test $status -eq 0
expect "old C: no hint then" sh -c "! grep -q hint '$dir/err'"
printf 'int f(void) { return nothing; }\n' >bad.c
run "$RADDLE" cc -c bad.c
expect "wrong C: status" test $status -eq 1
expect "wrong C: no hint" sh -c "! grep -q hint '$dir/err'"
printf 'int f(int x) { if (x) return 1; }\n' >noreturn.cpp
verdict "C++ without return: a hint" 0 'hint: .*-fno-strict-return' "$RADDLE" c++ -c noreturn.cpp
run "$RADDLE" c++ -c -fno-strict-return noreturn.cpp
expect "C++ without return: no hint then" sh -c "! grep -q hint '$dir/err'"
run env TMPDIR="$dir" "$RADDLE" cc -c bad.c
expect "nothing is left in TMPDIR" sh -c "! ls '$dir'/raddle-* 2>/dev/null"

finish
