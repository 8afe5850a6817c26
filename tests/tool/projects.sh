#!/bin/bash
# Whole projects built by `raddle cc` without touching their build files; then their program runs, checks itself if asked to, and is checked.
. "$(dirname "$0")/common.bash"

projects=$(realpath "$SOURCE_DIR/tests/projects")

# What a built program must do; the current directory is the one it was built in.
check_built() {
    local kind=$1

    expect "$kind: shared library" test -e libtotal.so
    expect "$kind: static library" test -e libqueue.a
    verdict "$kind, by itself" 0 '^adder: 3$' ./adder
    expect "$kind, by itself: no word of raddle" sh -c "! grep -i -e safe -e executions '$dir/out' '$dir/err'"
    verdict "$kind, checks itself" 0 'adder: safe: [0-9]+ executions, .*model sc' env RADDLE_OPTIONS= ./adder
    verdict "$kind, checks itself under tso" 0 'adder: safe: [0-9]+ executions, .*model tso' \
        env RADDLE_OPTIONS=--model=tso ./adder
    verdict "$kind, two options" 3 'incomplete .*2 executions, .*model pso' \
        env RADDLE_OPTIONS="--model pso --max-executions 2" ./adder
    verdict "$kind, checks itself, racy" 1 'main\.c:[0-9]+: assertion' env RADDLE_OPTIONS= ./adder racy
    verdict "$kind, elsewhere" 0 'safe' env -C / RADDLE_OPTIONS= "$PWD/adder"
    verdict "$kind, raddle check" 0 'adder: safe: ' "$RADDLE" check ./adder
    verdict "$kind, raddle check with an argument" 1 'main\.c:[0-9]+: assertion' "$RADDLE" check ./adder racy
    expect "$kind: trace" test -s adder.raddle
    # what the library does is seen: the racy load and store are in it
    verdict "$kind, show" 0 'total\.c:' "$RADDLE" show --width 200 adder.raddle
    verdict "$kind, replay" 1 'assertion' "$RADDLE" replay adder.raddle
    expect "$kind, replay: output of the program" grep -qE '^adder: [12]$' "$dir/out"
    verdict "$kind, arguments after --" 1 'assertion' "$RADDLE" check --model tso ./adder -- racy
}

# ---- configure and make

cp -R "$projects/autotools" "$dir/autotools"
cd "$dir/autotools" || exit 1
run env CC="$RADDLE cc" CFLAGS="-g -O1" ./configure
expect "configure" test $status -eq 0
expect "configure: finds threads" grep -q 'HAVE_PTHREAD_H 1' config.h
expect "configure: sizes" grep -q 'SIZEOF_LONG 8' config.h
expect "configure: sizes, twice" grep -q 'SIZEOF_VOID_P 8' config.h
expect "configure: runs programs with threads" grep -q 'HAVE_THREADS 1' config.h
expect "configure: what they print" grep -q 'PRINTED "word-2"' config.h
expect "configure: leaves nothing" sh -c '! ls -d conftest* 2>/dev/null'
run make
expect "make" test $status -eq 0
expect "make: what a generator wrote" grep -q '^static const int squares\[\] = {0, 1, 4, 9, };$' squares.h
expect "make: no warnings" test ! -s "$dir/err"
expect "make: dependency files" grep -q 'queue\.h' work.d
run make
expect "make again: nothing to do" sh -c "! grep -q raddle '$dir/out'"
touch lib/queue.h
run make
expect "make after a change" sh -c "grep -q 'work\.c' '$dir/out' && ! grep -q 'total\.c' '$dir/out'"
run make check
expect "make check" test $status -eq 0
expect "make check: it just runs" sh -c "grep -q '^adder: 3$' '$dir/out' && ! grep -q safe '$dir/out'"
run env RADDLE_OPTIONS= make check
expect "make check with RADDLE_OPTIONS" test $status -eq 0
expect "make check with RADDLE_OPTIONS: it checked itself" grep -q 'safe' "$dir/out"
check_built make

# out of tree, other flags, -j, given to make as make CC=…
mkdir "$dir/other tree" && cd "$dir/other tree" || exit 1
cp -R "$projects/autotools" src
run env CC="$RADDLE cc" CFLAGS=-O2 src/configure
run make -j 2 CC="$RADDLE cc"
expect "out of tree" test $status -eq 0
verdict "out of tree, path with a space" 0 'safe' env RADDLE_OPTIONS= ./adder
verdict "out of tree, path with a space, check" 1 'assertion' "$RADDLE" check ./adder racy

# ---- cmake

if command -v cmake >/dev/null; then
    cp -R "$projects/cmake" "$dir/cmake"
    cd "$dir/cmake" || exit 1
    run env CC="$RADDLE cc" cmake -S . -B build -DCMAKE_BUILD_TYPE=Debug
    expect "cmake: configures" test $status -eq 0
    expect "cmake: knows the compiler" grep -qE 'C compiler identification is Clang' "$dir/out"
    expect "cmake: finds threads" grep -q 'HAVE_PTHREAD_H 1' build/config.h
    run cmake --build build
    expect "cmake: builds" test $status -eq 0
    expect "cmake: no warnings" sh -c "! grep -i warning '$dir/out' '$dir/err'"
    cd build || exit 1
    check_built cmake
    run ctest
    expect "ctest" test $status -eq 0
    run env RADDLE_OPTIONS= ctest --verbose
    expect "ctest with RADDLE_OPTIONS" test $status -eq 0
    expect "ctest with RADDLE_OPTIONS: it checked itself" grep -q 'adder: safe' "$dir/out"
    run env RADDLE_OPTIONS="--max-executions 1" ctest
    expect "ctest fails if the check is incomplete" test $status -ne 0
else
    echo "no cmake: that project was not tried" >&2
fi

finish
