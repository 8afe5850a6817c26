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
verdict "a litmus test" 2 'SB\.litmus: is a litmus test: `raddle litmus' "$RADDLE" check "$SOURCE_DIR/tests/litmus/SB.litmus"

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
