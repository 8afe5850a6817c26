#!/bin/bash
# Native programs: bad input, and programs that do their worst. Each gives a bug or a clear message; nothing hangs, and
# neither processes nor files are left.
. "$(dirname "$0")/common.bash"

tag=$(basename "$dir" | tr -cd 'A-Za-z0-9') # in the names of our programs, so that what is left of them can be found
limit=${LIMIT:-120} # seconds

# NAME, exit status, pattern of a line on standard error; then the arguments of raddle.
refused() {
    local name=$1 want=$2 pattern=$3
    shift 3
    run "$RADDLE" "$@"
    expect "$name: status $want" test "$status" -eq "$want"
    expect "$name: says so" grep -qE -- "$pattern" "$dir/err"
}

no_processes() {
    ! pgrep -f "$tag" >"$dir/left" || { sleep 1; ! pgrep -f "$tag" >"$dir/left"; }
}

no_files() {
    ! ls -d /tmp/raddle-*/*"$tag"* 2>/dev/null
}

# NAME: a program of that name from standard input; $source and $program are its paths.
program() {
    source=$dir/$1-$tag.c
    program=$dir/$1-$tag
    cat >"$source"
    run "$RADDLE" cc -o "$program" "$source"
    expect "$1: compiles" test $status -eq 0
}

cd "$dir" || exit 1

# ---- bad input

refused "no such source" 2 "nowhere\.c" check nowhere.c
refused "no such program" 2 "nowhere: No such file" check ./nowhere
refused "no file at all" 2 "usage" check
refused "a directory" 2 "directory|neither a program" check "$dir"
refused "unknown option" 2 "no-such-option" check --no-such-option x.c
refused "unknown model" 2 "model" check --model weird x.c

echo 'int main(void) { return 0; }' >plain.c
clang-19 -o plain plain.c
refused "not built by raddle cc" 2 'not built by raddle cc.*raddle cc -o ./plain' check ./plain
printf 'text\n' >text
refused "neither program nor source" 2 "neither a program nor a source|text" check ./text

echo 'int main(void) { return undeclared; }' >broken.c
clang-19 -fsyntax-only broken.c 2>clang.err
refused "does not compile" 2 "undeclared" check broken.c
expect "does not compile: clang's message as it is" diff "$dir/err" clang.err
expect "does not compile: nothing else" test ! -s "$dir/out"
refused "does not compile, cc" 1 "undeclared" cc -c broken.c
echo 'int missing(void); int main(void) { return missing(); }' >unlinked.c
refused "does not link" 2 "undefined reference|undefined symbol" check unlinked.c

# ---- traces

program racy <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *a) { int n = x; x = n + 1; return a; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
C
cp "$program" kept
verdict "a bug" 1 'assertion' "$RADDLE" check "$program"
trace=racy-$tag.raddle
expect "a bug: its trace" test -s "$trace"
refused "trace: missing" 2 'nowhere\.raddle: No such file' replay nowhere.raddle
refused "trace: missing, show" 2 'nowhere\.raddle: No such file' show nowhere.raddle
head -c $(($(stat -c %s "$trace") / 2)) "$trace" >half.raddle
refused "trace: truncated" 2 'half\.raddle' replay half.raddle
refused "trace: truncated, show" 2 'half\.raddle' show half.raddle
: >empty.raddle
refused "trace: empty" 2 'empty\.raddle' replay empty.raddle
refused "trace: empty, show" 2 'empty\.raddle' show empty.raddle
sed 's/^step 1 /step 2 /' "$trace" >damaged.raddle
refused "trace: damaged" 2 'damaged\.raddle' replay damaged.raddle
refused "trace: damaged, show" 2 'damaged\.raddle' show damaged.raddle
head -c 3000 /dev/urandom >noise.raddle
refused "trace: noise" 2 'noise\.raddle' replay noise.raddle
refused "trace: noise, show" 2 'noise\.raddle' show noise.raddle
refused "trace: is a program" 2 'kept' show kept
run "$RADDLE" cc -O2 -o "$program" "$source"
refused "trace: of another build" 2 'another build' replay "$trace"
rm "$program"
refused "trace: program is gone" 2 'No such file' replay "$trace"
verdict "trace: program has moved" 1 'assertion' "$RADDLE" replay "$trace" ./kept
verdict "trace of a source: replay" 1 'assertion' "$RADDLE" check "$source"
verdict "trace of a source: replay, later" 1 'assertion' "$RADDLE" replay "$trace"

mkdir closed && cp kept closed && chmod a-w closed
if [ "$(id -u)" -ne 0 ]; then # root may write anywhere
    cd closed || exit 1
    verdict "no permission for the trace: still a bug" 1 'assertion' "$RADDLE" check ./kept
    expect "no permission for the trace: said" grep -qE 'kept\.raddle: Permission denied' "$dir/err"
    cd ..
fi
mkdir taken && cp kept taken && mkdir taken/kept.raddle && cd taken || exit 1
verdict "the trace cannot be written: still a bug" 1 'assertion' "$RADDLE" check ./kept
expect "the trace cannot be written: said" grep -qE 'kept\.raddle: Is a directory' "$dir/err"
cd ..

mkdir 'with spaces' && cp kept 'with spaces/a program'
verdict "path with spaces" 1 'assertion' "$RADDLE" check 'with spaces/a program'
verdict "path with spaces: replay" 1 'assertion' "$RADDLE" replay 'a program.raddle'
cp "$source" 'with spaces/a source.c'
verdict "source with spaces" 1 'a source\.c:[0-9]+: assertion' "$RADDLE" check 'with spaces/a source.c'
verdict "json cannot be written" 4 'cannot be written' "$RADDLE" check --json /nowhere/x.json ./kept

# ---- programs that do their worst. NAME, pattern of the report; a program from standard input. It is a bug, or at
# least not safe; and a trace, if there is one, ends in the bug.
worst() {
    local name=$1 pattern=$2

    program "$name"
    rm -f ./*"$tag".raddle
    run "$RADDLE" check --timeout 10 "$program"
    expect "$name: a bug" test $status -eq 1
    expect "$name: says" grep -qE -- "$pattern" "$dir/out" "$dir/err"
    expect "$name: no processes left" no_processes
    expect "$name: trace" test -s "$name-$tag.raddle"
    if [ -s "$name-$tag.raddle" ]; then
        verdict "$name: replay" 1 'crash|memory' "$RADDLE" replay "$name-$tag.raddle"
        verdict "$name: replay again" 1 'crash|memory' "$RADDLE" replay "$name-$tag.raddle"
    fi
    run "$RADDLE" check --timeout 10 --model tso "$program"
    expect "$name: a bug under tso" test $status -eq 1
    expect "$name: no processes left under tso" no_processes
}

threads='#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
static atomic_int x;
static void worst(void);
static void *bad(void *a) { if (x) worst(); return a; }
static void *good(void *a) { x = 1; return a; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, bad, 0);
    pthread_create(&b, 0, good, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
'
worst sigkill 'signal 9|[Kk]illed' <<<"$threads static void worst(void) { kill(getpid(), SIGKILL); }"
worst sigterm 'signal 15|[Tt]erminated' <<<"$threads static void worst(void) { raise(SIGTERM); }"
worst sigabrt 'signal 6|[Aa]bort' <<<"$threads static void worst(void) { raise(SIGABRT); }"
worst wild-up 'crash' <<<"$threads static char c[8]; static void worst(void) { volatile char *p = c; for (;;) *p++ = 1; }"
worst wild-memset 'crash' <<<"$threads static char c[8]; static void worst(void) { char *volatile p = c; memset(p, 85, 1ul << 40); }"
worst wild-heap 'crash|memory' <<<"$threads static void worst(void) { char *volatile p = malloc(8); memset(p, 85, 1ul << 40); }"
worst wild-stack 'crash' <<<"$threads static void worst(void) { char c[8], *volatile p = c; memset(p, 85, 1ul << 40); }"
worst wild-call 'crash' <<<"$threads static void worst(void) { void (*volatile f)(void) = (void (*)(void))16; f(); }"
worst bad-free 'crash|memory|free' <<<"$threads static void worst(void) { static char c[8]; char *volatile p = c; free(p); }"
worst trap 'crash' <<<"$threads static void worst(void) { __builtin_trap(); }"

# ---- the end of the process, in a thread: a bug if its status says so, and the user does not mind

program underscore-exit <<<"$threads
#include <stdio.h>
static void worst(void) { printf(\"out of luck\\n\"); fflush(stdout); _exit(5); }"
verdict "_exit(5) in a thread" 1 'exit: the program ends with status 5' "$RADDLE" check "$program"
expect "_exit(5) in a thread: its output" grep -q '^    out of luck$' "$dir/out"
verdict "_exit(5) in a thread, allowed" 0 'safe' "$RADDLE" check --exit-ok "$program"
program underscore-exit-0 <<<"$threads static void worst(void) { _exit(0); }"
verdict "_exit(0) in a thread" 0 'safe' "$RADDLE" check "$program"
program raw-exit <<<"$threads
#include <sys/syscall.h>
static void worst(void) { asm volatile(\"syscall\" : : \"a\"(SYS_exit_group), \"D\"(5) : \"rcx\", \"r11\", \"memory\"); }"
verdict "exit_group by an instruction" 1 'crash: .*ended by itself with status 5' "$RADDLE" check "$program"

# ---- C++ is compiled and linked as such

cat >twice.cpp <<'C'
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>
int main()
{
    std::vector<int> v;
    std::mutex m;
    auto add = [&] { std::lock_guard<std::mutex> guard(m); v.push_back(1); };
    std::thread a(add), b(add);
    a.join();
    b.join();
    assert(v.size() == 2);
}
C
verdict "a source of C++" 0 'safe' "$RADDLE" check twice.cpp

# ---- it takes away what raddle needs

program closes <<<"$threads static void worst(void) { for (int i = 0; i < 1024; i++) close(i); }"
verdict "closes all descriptors" 0 'safe' "$RADDLE" check "$program"
program closes-first <<'C'
#include <assert.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 1024; i++)
        close(i);
    printf("to nowhere\n");
    assert(0);
}
C
verdict "closes all descriptors, then fails" 1 'assertion' "$RADDLE" check "$program"
program ignores <<<"$threads static void worst(void) { signal(SIGSEGV, SIG_IGN); int *volatile p = 0; *p = 1; }"
verdict "ignores the signal of its crash" 1 'crash' "$RADDLE" check "$program"
program blocks <<<"$threads static void worst(void) { sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); int *volatile p = 0; *p = 1; }"
verdict "blocks the signal of its crash" 1 'crash' "$RADDLE" check "$program"
program reads <<<"$threads static void worst(void) { char c; while (read(0, &c, 1) > 0) ; }"
verdict "reads its input" 0 'safe' "$RADDLE" check --timeout 5 "$program"
program chdirs <<<"$threads static void worst(void) { if (chdir(\"/\")) abort(); } "
verdict "changes the directory" 0 'safe' "$RADDLE" check "$program"
program fails-elsewhere <<<"$threads
#include <assert.h>
static void worst(void) { if (chdir(\"/\")) abort(); assert(0); } "
verdict "fails in another directory" 1 'assertion' "$RADDLE" check "$program"
expect "fails in another directory: the trace is here" test -s "fails-elsewhere-$tag.raddle"
program many <<<"$threads static void *none(void *a) { return a; }
static void worst(void) { pthread_t t; for (int i = 0; i < 100000; i++) if (pthread_create(&t, 0, none, 0)) break; }"
run "$RADDLE" check --timeout 10 --max-executions 5 "$program"
expect "too many threads: not safe, not wrong" test $status -eq 3 -o $status -eq 1
program memory <<<"$threads static void worst(void) { for (int i = 0; i < 100000; i++) if (!malloc(1ul << 30)) break; }"
run "$RADDLE" check --timeout 10 "$program"
expect "too much memory: an answer" test $status -eq 0 -o $status -eq 1 -o $status -eq 3
program loops <<<"$threads static void worst(void) { for (unsigned i = 1; i; i |= 1) ; }"
run "$RADDLE" check --timeout 3 "$program"
expect "a loop without an end: told so, in time" test $status -eq 1 -o $status -eq 3
expect "a loop without an end: not a word about safe" sh -c "! grep -q ': safe' '$dir/out'"
program pauses <<<"$threads static void worst(void) { pause(); }"
run "$RADDLE" check --timeout 3 "$program"
expect "waits for a signal: told so, in time" test $status -eq 1 -o $status -eq 3

# ---- raddle itself is stopped: its child goes with it

program endless <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x[9];
static void *add(void *a) { for (int i = 0; i < 9; i++) if (x[i]++ > 99) return 0; return a; }
int main(void)
{
    pthread_t t[6];
    for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
    return 0;
}
C
verdict "time is up" 3 'incomplete' "$RADDLE" check --timeout 2 "$program"
for signal in TERM HUP KILL; do # not INT: a shell lets its background jobs ignore it
    "$RADDLE" check "$program" >out.stopped 2>&1 </dev/null &
    pid=$!
    sleep 0.5
    kill -$signal $pid
    wait $pid 2>/dev/null
    expect "stopped by SIG$signal: no processes left" no_processes
    "$RADDLE" check "$source" >out.stopped 2>&1 </dev/null &
    pid=$!
    sleep 1
    kill -$signal $pid
    wait $pid 2>/dev/null
    expect "source, stopped by SIG$signal: no processes left" no_processes
    [ $signal = KILL ] || expect "source, stopped by SIG$signal: no files left" no_files
    for left in $(pgrep -f "$tag"); do kill -KILL "$left"; done
    for left in /tmp/raddle-*/*"$tag"*; do [ ! -e "$left" ] || rm -r "$(dirname "$left")"; done
done
expect "no files left" no_files

finish
