#!/bin/bash
# How raddle fits in: its macro and header, what it says of files that it cannot check, old traces, names of barriers, packages.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1

# ---- __RADDLE__ and raddle.h

cat >annotated.c <<'C'
#include <raddle.h>
#include <stdio.h>
int main(void)
{
    int calls = 0;
    unsigned chosen = raddle_choose(3);
    raddle_assume(++calls > 0);
    raddle_atomic_begin();
    raddle_assert(++calls > 0);
    raddle_atomic_end();
#ifdef __RADDLE__
    printf("raddle %d\n", calls);
#else
    printf("without %u %d\n", chosen, calls);
#endif
    return (int)chosen > 5;
}
C
cp annotated.c annotated.cpp
for compiler in "clang-19 -std=c11" "clang-19 -std=gnu89" "clang++-19 -x c++"; do
    # shellcheck disable=SC2086
    expect "raddle.h with $compiler" $compiler -Wall -Wextra -Werror -pedantic -I"$SOURCE_DIR/include" -o other annotated.c
    verdict "raddle.h with $compiler is nothing" 0 '^without 0 0$' ./other
done
expect "raddle.h needs no library" sh -c '! ldd ./other | grep -q raddle'
for compiler in cc c++; do
    source=annotated.c
    [ $compiler = cc ] || source=annotated.cpp
    expect "__RADDLE__ by raddle $compiler" "$RADDLE" $compiler -o ours $source
    verdict "__RADDLE__ by raddle $compiler: runs" 0 '^raddle 2$' ./ours
    verdict "__RADDLE__ by raddle $compiler: checked" 0 'safe: 3 executions' "$RADDLE" check ./ours
done

# ---- files that cannot be checked

printf 'int x;\n' >some.h
printf 'hello\n' >some.txt
verdict "a header" 2 'some\.h: is a header' "$RADDLE" check some.h
verdict "a text" 2 'some\.txt: is text' "$RADDLE" check some.txt
cp some.txt some.html
verdict "a page" 2 'some\.html: is a page' "$RADDLE" check some.html
verdict "a litmus test" 2 'SB\.litmus: is a litmus test: `raddle litmus' "$RADDLE" check "$SOURCE_DIR/tests/litmus/SB.litmus"

# ---- objects that were not built by raddle cc: nothing is proved, and the first advice is to build them so

cat >start.c <<'C'
#include <pthread.h>
extern void *add(void *);
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
#ifdef TWICE
    pthread_create(&b, 0, add, 0);
    pthread_join(b, 0);
#else
    (void)b;
#endif
    pthread_join(a, 0);
    return 0;
}
C
printf 'int shared;\nvoid *add(void *a) { shared++; return a; }\n' >add.c
clang-19 -c add.c && clang-19 -c start.c -o start-plain.o
for twice in "" -DTWICE; do
    verdict "a thread that starts in such an object $twice" 3 'does not see into add: build its source by `raddle cc`, too' \
        "$RADDLE" check $twice start.c add.o
done
verdict "main in such an object" 3 'does not see into main: build its source by `raddle cc`, too' "$RADDLE" check add.c start-plain.o
verdict "all by raddle cc" 1 'data-race' "$RADDLE" check -DTWICE start.c add.c
clang-19 -o plain start.c add.c
verdict "a whole program" 2 'was not built by raddle cc; build it with' "$RADDLE" check ./plain

# ---- relaxed stores under sc: the weaker models are named, once, and only where they could show more

cat >relaxed.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *set(void *a) { atomic_store_explicit(&x, 1, ORDER); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); (void)atomic_load(&x); pthread_join(t, 0); return 0; }
C
verdict "relaxed stores under sc" 0 '^note: there are relaxed stores; .*`--model pso`' "$RADDLE" check -DORDER=memory_order_relaxed relaxed.c
run "$RADDLE" check --model pso -DORDER=memory_order_relaxed relaxed.c
expect "relaxed stores under pso" sh -c "! grep -q 'relaxed stores' '$dir/out'"
run "$RADDLE" check -DORDER=memory_order_seq_cst relaxed.c
expect "no relaxed stores" sh -c "! grep -q 'relaxed stores' '$dir/out'"
verdict "relaxed stores, several workers" 0 '^note: there are relaxed stores' "$RADDLE" check -j 2 -DORDER=memory_order_relaxed relaxed.c

# ---- traces of earlier checks

cat >fails.c <<'C'
int main(void) { return STATUS; }
C
verdict "a bug" 1 'exit: the program ends with status 1' "$RADDLE" check -DSTATUS=1 fails.c
expect "its trace" test -s fails.raddle
verdict "a recorded run" 2 'is a recorded run: `raddle show fails\.raddle`' "$RADDLE" check fails.raddle
verdict "a safe check tells of the old trace" 0 '^note: fails\.raddle is from an earlier check' "$RADDLE" check -DSTATUS=0 fails.c
rm fails.raddle
run "$RADDLE" check -DSTATUS=0 fails.c
expect "and only of one that is there" sh -c "! grep -q note '$dir/out'"

cat >perhaps.c <<'C'
#include <spawn.h>
int main(void) { return posix_spawn(0, "/bin/true", 0, 0, (char *[]){"true", 0}, 0) != 0; }
C
verdict "what may be no bug has a trace" 3 'trace: perhaps\.raddle' "$RADDLE" check perhaps.c
expect "which is not an old one" sh -c "! grep -q 'earlier check' '$dir/out'"

# ---- a failing run goes where the user wants it, further ones beside it

mkdir -p runs
verdict "--trace" 1 'trace: runs/first\.one\.raddle' "$RADDLE" check --trace runs/first.one.raddle -DSTATUS=1 fails.c
expect "--trace: there" test -s runs/first.one.raddle
expect "--trace: not elsewhere" test ! -e fails.raddle
verdict "--trace: of an earlier check" 0 '^note: runs/first\.one\.raddle is from an earlier check' \
    "$RADDLE" check --trace runs/first.one.raddle -DSTATUS=0 fails.c
cat >both.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *set(void *a) { x = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); return x ? 2 : 3; }
C
verdict "--trace: two bugs" 1 'trace: runs/first\.one-2\.raddle' "$RADDLE" check --keep-going --trace runs/first.one.raddle both.c
verdict "--trace: a script" 2 'raddle: --trace goes with programs' "$RADDLE" check --trace x "$SOURCE_DIR/examples/scripts/sb.script"

# ---- on a terminal: colours, and the line of the source

if command -v script >/dev/null; then
    run env TERM=xterm script -qec "$RADDLE check -DSTATUS=1 fails.c" /dev/null
    cat -v "$dir/out" >seen
    expect "a terminal: the kind is red" grep -qF '^[[1;31mexit:^[[0m' seen
    expect "a terminal: the line of the source" grep -qE '^ +1 \| int main\(void\) \{ return STATUS; \}' seen
    expect "a terminal: a mark below it" grep -qE '^ +\| +\^' seen
    run env TERM=xterm NO_COLOR=1 script -qec "$RADDLE check -DSTATUS=1 fails.c" /dev/null
    expect "NO_COLOR" sh -c "! grep -qF '[1;31m' '$dir/out'"
    rm -f fails.raddle
fi
run "$RADDLE" check -DSTATUS=1 fails.c
expect "no terminal: neither" sh -c "! grep -q -e '\[1m' -e 'return STATUS' '$dir/out'"
rm -f fails.raddle

# ---- barriers

cat >barrier.c <<'C'
#include <pthread.h>
static struct { int n; pthread_barrier_t meeting; } all;
int main(void) { pthread_barrier_init(&all.meeting, 0, 2); pthread_barrier_wait(&all.meeting); return 0; }
C
verdict "a barrier" 1 'waits for others to come to barrier all\.meeting' "$RADDLE" check barrier.c

# ---- a package leaves the list of what was installed alone

if command -v dpkg-deb >/dev/null; then
    cp -R "$SOURCE_DIR/Makefile" .
    mkdir -p fake bin
    printf '#!/bin/sh\necho from-cpack >install_manifest.txt\n' >bin/cpack
    chmod +x bin/cpack
    echo from-install >fake/install_manifest.txt
    # only the recipe of `package`: building is another matter
    run env PATH="$dir/bin:$PATH" make -o build -o setup-package BUILD=fake package
    expect "make package: the list stays" grep -q '^from-install$' fake/install_manifest.txt
    rm fake/install_manifest.txt
    run env PATH="$dir/bin:$PATH" make -o build -o setup-package BUILD=fake package
    expect "make package: no list of its own" test ! -e fake/install_manifest.txt
fi

finish
