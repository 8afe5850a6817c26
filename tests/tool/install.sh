#!/bin/bash
# An installation: in a prefix, moved, through a link, in a Debian package; used by a CMake project elsewhere and by
# pkg-config; and removed again.
. "$(dirname "$0")/common.bash"

build=$(dirname "$(realpath "$RADDLE")")
source=$(realpath "$SOURCE_DIR")
unset DESTDIR

if ! command -v cmake >/dev/null || [ ! -e "$build/cmake_install.cmake" ]; then
    echo "SKIP: no cmake, or raddle is not in its build tree" >&2
    exit 0
fi

# ---- into a prefix

first=$dir/first
run cmake --install "$build" --prefix "$first"
expect "install" test $status -eq 0
for file in bin/raddle include/raddle.h lib/raddle/libraddle.so lib/raddle/checking/libraddle.so lib/raddle/libraddle_cxx.a lib/raddle/raddle_pass.so lib/raddle/raddle_gdb.py \
    lib/cmake/raddle/raddleConfig.cmake lib/cmake/raddle/raddleConfigVersion.cmake lib/pkgconfig/raddle.pc \
    share/man/man1/raddle.1 share/man/man1/raddle-check.1 share/man/man1/raddle-c++.1 \
    share/bash-completion/completions/raddle share/zsh/site-functions/_raddle \
    share/fish/vendor_completions.d/raddle.fish share/doc/raddle/README.md share/doc/raddle/copyright \
    share/doc/raddle/docs/native.md share/doc/raddle/examples/counter.c; do
    expect "there is $file" test -s "$first/$file"
done
for command in $("$RADDLE" --help | sed -n 's/^  \([a-z+]*\)  .*/\1/p' | grep -vx help); do
    expect "manual page of $command" test -s "$first/share/man/man1/raddle-$command.1"
done
expect "nothing of the build tree in the text files" \
    sh -c "! grep -rlI -e '$build' -e '$source' '$first'"

# ---- moved, and through a link: the build tree must play no part

prefix="$dir/moved here"
mv "$first" "$prefix"
mkdir "$dir/bin" "$dir/work"
ln -s "$prefix/bin/raddle" "$dir/bin/raddle"
cp "$source/examples/counter.c" "$dir/work"
printf '#include <raddle.h>\nint main(void) { raddle_assert(raddle_choose(2) < 2); return 0; }\n' >"$dir/work/choose.c"
cd "$dir/work" || exit 1
export PATH="$dir/bin:$PATH"
run raddle check counter.c
expect "moved: finds the bug" test $status -eq 1
run raddle replay counter.raddle
expect "moved: replays it" test $status -eq 1
run raddle check choose.c
expect "moved: finds raddle.h" test $status -eq 0
run raddle cc -o choose choose.c
expect "moved: raddle cc" test $status -eq 0
expect "moved: links the library from there" sh -c "ldd ./choose | grep -q 'moved here/lib/raddle/libraddle.so'"
run env RADDLE_OPTIONS="--model tso" ./choose
expect "moved: checks itself" sh -c "test $status -eq 0 && grep -q 'safe: .*model tso' '$dir/out'"
run raddle --version
version=$(sed 's/raddle //' "$dir/out")

# ---- pkg-config

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
if command -v pkg-config >/dev/null; then
    run pkg-config --modversion raddle
    expect "pkg-config: version" grep -qxF "$version" "$dir/out"
    eval "flags=($(pkg-config --cflags raddle))"
    # shellcheck disable=SC2154  # eval sets it
    expect "pkg-config: cflags" test -e "${flags[0]#-I}/raddle.h"
    eval "compiler=$(pkg-config --variable=raddle raddle)" # blanks have a backslash before them
    expect "pkg-config: the program" test -x "$compiler"
else
    echo "no pkg-config: raddle.pc was not tried" >&2
fi

# ---- a CMake project

cp -R "$source/tests/projects/installed" "$dir/project"
cd "$dir/project" || exit 1
compiler=$(command -v clang-19 || command -v cc)
make_program=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[^=]*=//p' "$build/CMakeCache.txt")
configure() {
    run cmake -S . -G "$(sed -n 's/^CMAKE_GENERATOR:[^=]*=//p' "$build/CMakeCache.txt")" \
        -DCMAKE_MAKE_PROGRAM="$make_program" "$@"
}
configure -B build -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS=-DFROM_FLAGS=1
expect "project: configures" test $status -eq 0
run cmake --build build
expect "project: builds" test $status -eq 0
expect "project: no warnings" sh -c "! grep -i warning '$dir/out' '$dir/err'"
run cmake --build build
expect "project: nothing to do the second time" sh -c "! grep -qE 'raddle c|raddle_test_' '$dir/out'"
touch include/tally.h
run cmake --build build
expect "project: knows its headers" grep -q 'raddle_test_tally_safe' "$dir/out"

# NAME, word: what ctest must say of it
says() {
    expect "project: $1 $2" grep -qE "Test +#[0-9]+: $1 \.+\** *$2" "$dir/tests"
}
cd build || exit 1
run ctest --output-on-failure -j 2
cp "$dir/out" "$dir/tests"
expect "project: ctest fails" test $status -ne 0
says tally Passed
says tally.safe Passed
says tally.tso Passed
says tally.racy Failed
says tally.known Passed
says tally.any Passed
says tally.other Failed
says tally.none Failed
says tally.bound Failed
says pair Passed
says tally.target Passed
says tally.directory Passed
says counting.target Passed
says counting.racy Failed
expect "project: the model counts" grep -qE 'tally_bound: incomplete' "$dir/tests"
expect "project: another kind is named" grep -q 'found deadlock, but misuse was expected' "$dir/tests"
expect "project: no bug is named" grep -q 'no bug was found, but bug was expected' "$dir/tests"
expect "project: the trace has the name of the test" test -s tally.racy.raddle
expect "project: that of a target, too" test -s counting.racy.raddle
expect "project: no other trace" sh -c "! ls | grep -E 'raddle$' | grep -vE '^(tally\.(racy|known|any|other)|counting\.racy)\.raddle$|^raddle$'"
run raddle show tally.racy.raddle
expect "project: the trace is shown" sh -c "test $status -eq 0 && grep -q 'tally\.c:' '$dir/out'"
run ctest -L raddle -N
expect "project: label" grep -q 'Total Tests: 13' "$dir/out"
cd ..

configure -B wrong -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" -DWRONG=1
expect "project: a target that is not there" sh -c \
    "test $status -ne 0 && grep -q 'there is no target nothing' '$dir/err'"
configure -B release -DCMAKE_C_COMPILER="$(command -v gcc || command -v cc)" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS="-DFROM_FLAGS=1" -DCMAKE_BUILD_TYPE=Debug
expect "project, by another compiler: configures" test $status -eq 0
run cmake --build release --target raddle_test_counting_racy
expect "project, by another compiler: builds" test $status -eq 0
run cmake -E chdir release ctest -R 'counting\.racy'
expect "project, by another compiler: finds the bug" grep -q 'counting.racy .*Failed' "$dir/out"
CC="raddle cc" configure -B whole -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS=-DFROM_FLAGS=1
expect "project, by raddle cc: configures" test $status -eq 0
run cmake --build whole
expect "project, by raddle cc: builds" test $status -eq 0
cd whole || exit 1
run ctest -R 'tally\.target|^tally$'
expect "project, by raddle cc: tests pass" test $status -eq 0
cd ..
sed -i 's/raddle 0.1 REQUIRED/raddle 99 REQUIRED/' CMakeLists.txt
configure -B newer -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix"
expect "project: a newer version is not found" test $status -ne 0

# ---- DESTDIR, and away again

cd "$dir" || exit 1
export DESTDIR="$dir/stage"
run cmake --install "$build" --prefix /opt/raddle
expect "DESTDIR" test -x "$dir/stage/opt/raddle/bin/raddle"
touch "$dir/stage/opt/raddle/share/doc/raddle/mine"
run cmake -DMANIFEST="$build/install_manifest.txt" -P "$source/cmake/uninstall.cmake"
expect "uninstall" test $status -eq 0
expect "uninstall: only what is not ours is left" \
    test "$(find "$dir/stage" ! -type d)" = "$dir/stage/opt/raddle/share/doc/raddle/mine"
expect "uninstall: no directories of ours" test ! -e "$dir/stage/opt/raddle/lib/raddle"
unset DESTDIR

# ---- a Debian package

if command -v dpkg-shlibdeps >/dev/null && command -v file >/dev/null; then
    run cpack --config "$build/CPackConfig.cmake" -B "$dir/packages"
    expect "package: made" test $status -eq 0
    package=$(ls "$dir"/packages/raddle_"$version"_*.deb 2>/dev/null)
    expect "package: its name" test -n "$package"
    run dpkg-deb -I "$package"
    expect "package: needs clang-19" grep -qE '^ Depends: .*clang-19' "$dir/out"
    expect "package: needs libc and jansson" grep -qE '^ Depends: .*libc6 .*libjansson4' "$dir/out"
    run dpkg -x "$package" "$dir/root"
    expect "package: zsh" test -s "$dir/root/usr/share/zsh/vendor-completions/_raddle"
    cd "$dir/work" || exit 1
    run "$dir/root/usr/bin/raddle" check counter.c
    expect "package: works" test $status -eq 1
else
    echo "no dpkg-shlibdeps or no file: the package was not tried" >&2
fi

finish
