# Sourced by run.sh if RADDLE is set: `raddle cc` as a compiler, in a tree laid out like the build directory, and one
# like an installation, with the stub as libraddle.so.
# shellcheck shell=bash disable=SC2154
mkdir -p "$work/build" "$work/usr/bin" "$work/usr/lib/raddle" "$work/usr/include" "$work/d"
"$CLANG" -shared -fPIC -O1 -w -DSTUB_SHARED -I"$root/src" "$here/stub_runtime.c" -o "$work/build/libraddle.so"
cp "$PASS" "$work/build/raddle_pass.so"
ar rcs "$work/build/libraddle_cxx.a"
cp "$RADDLE" "$work/build/raddle"
cp "$work/build"/*.so "$work/usr/lib/raddle/"
cp "$RADDLE" "$work/usr/bin/raddle"
echo '#define FROM_RADDLE 1' >"$work/usr/include/raddle.h"
cc=("$work/build/raddle" cc)
cd "$work/d" || exit 1
cat >a.c <<'EOF'
#include <stdio.h>
int shared;
int more(void);
int main(void) { shared = 4; printf("%d\n", more()); return 0; }
EOF
echo 'extern int shared; int more(void) { return shared + 1; }' >b.c

# name, then a command that must succeed and print nothing on standard error
quiet() {
    local name=$1
    shift
    "$@" >out 2>err
    verdict $? "cc: $name"
    [ ! -s err ]
    verdict $? "cc: $name prints: $(head -3 err)"
}
prints() { # name, text, command
    local name=$1 text=$2
    shift 2
    [ "$("$@" 2>&1)" = "$text" ]
    verdict $? "cc: $name"
}
hooked() { # name, file
    grep -q __raddle_write4 "$2"
    verdict $? "cc: $1 is instrumented"
}

quiet "two sources" "${cc[@]}" -Werror -Wall a.c b.c -o both
prints "run" 5 ./both
hooked "the program" both
quiet "compile" "${cc[@]}" -Werror -O2 -MD -MF a.d -c a.c -o a.o
[ -s a.d ]
verdict $? "cc: -MD"
hooked "the object" a.o
quiet "compile without a name" "${cc[@]}" -Werror -c b.c
quiet "link" "${cc[@]}" -Werror a.o b.o -o linked -lm -lpthread
prints "run linked" 5 ./linked
LD_BIND_NOW=1 readelf -d linked | awk '/NEEDED/ { print $NF; exit }' | grep -q libraddle
verdict $? "cc: libraddle comes first"
quiet "preprocess" "${cc[@]}" -E a.c -o a.i
quiet "macros" "${cc[@]}" -dM -E -x c /dev/null
quiet "syntax" "${cc[@]}" -Werror -fsyntax-only a.c
quiet "dependencies" "${cc[@]}" -MM a.c
quiet "assembly" "${cc[@]}" -Werror -S a.c -o a.s
hooked "the assembly" a.s
quiet "assemble and link" "${cc[@]}" -Werror a.s b.c -o from_s
quiet "version" "${cc[@]}" --version
quiet "print" "${cc[@]}" -print-search-dirs
quiet "target" "${cc[@]}" -dumpmachine
echo '-c a.c -o response.o' >args
quiet "response file" "${cc[@]}" -Werror @args
hooked "from the response file" response.o
"${cc[@]}" -x c - -o piped <<<'int x; int main(void) { x = 3; return x - 3; }' && ./piped
verdict $? "cc: standard input"
quiet "shared library" "${cc[@]}" -Werror -shared -fPIC b.c -Wl,-z,defs -Wl,--unresolved-symbols=ignore-in-object-files -o libb.so
quiet "program with it" "${cc[@]}" -Werror a.c -L. -lb -Wl,-rpath,. -o with_shared
prints "run with it" 5 ./with_shared
quiet "relocatable" "${cc[@]}" -Werror -r -nostdlib a.o b.o -o ab.o
quiet "after --" "${cc[@]}" -Werror -o dashes -- a.c b.c
prints "static" "raddle: -static: a checked program must be linked dynamically" "${cc[@]}" -static a.c b.c
quiet "c++" "$work/build/raddle" c++ -Werror "$here/exceptions.cc" -o cxx
quiet "driver mode" "${cc[@]}" --driver-mode=g++ -Werror "$here/exceptions.cc" -o cxx
echo "-c $here/exceptions.cc -o response_cxx.o" >args
quiet "response file, c++" "$work/build/raddle" c++ -Werror @args
./cxx | grep -q bottom
verdict $? "cc: run c++"
echo '#include <raddle.h>
int main(void) { return 1 - FROM_RADDLE; }' >header.c
quiet "installed" "$work/usr/bin/raddle" cc -Werror header.c -o installed
quiet "run installed" ./installed
"${cc[@]}" broken.c 2>/dev/null
[ $? -eq 1 ]
verdict $? "cc: clang's exit status"
cd "$here" || exit 1
