#!/usr/bin/env bash
# Measures which ways through libraddle.so are busy, and has the build compile it for them: searches are a quarter faster for it.
# Usage: tools/profile.sh BUILD_DIRECTORY, which is configured. What it measures stays there, and is not measured anew when sources change
# ("make profile" does that). Without what it needs it says so, and the build goes on without a profile.
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
merge=$(command -v llvm-profdata-19 || command -v llvm-profdata || true)

without() {
    echo "profile: $*; libraddle.so is built without a profile" >&2
    exit 0
}

[ -n "$merge" ] || without "no llvm-profdata"
# all of it is read: else cmake would fail at a closed pipe
cmake --build "$build" --target help | grep raddle_so_counting >/dev/null || without "this compiler cannot count"
cmake --build "$build" --target raddle raddle_pass raddle_so_counting >"$build/counting.log" 2>&1 ||
    without "what counts does not build (see $build/counting.log)"

# a raddle of its own, beside the library that counts
here=$build/counting
rm -rf "$here/raw"
mkdir -p "$here/raw"
cp "$build/raddle" "$build/raddle_pass.so" "$here"
cp "$here/checking/libraddle.so" "$here" # programs are linked with the one, and find the other
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# FILE FLAGS OPTIONS…: short searches of programs of each kind
count() {
    local file=$1 flags=$2
    shift 2
    # shellcheck disable=SC2086
    "$here/raddle" cc -O1 -w -I"$source/tests/programs" -I"$source/include" $flags "$source/$file" -o program || without "$file does not compile"
    LLVM_PROFILE_FILE="$here/raw/%p.profraw" timeout 60 "$here/raddle" check --max-executions 1000 --timeout 5 "$@" ./program >/dev/null 2>&1 || true
}

for model in sc tso pso; do
    count bench/native/forget.c "" --model $model
    count bench/native/fib.c -DN=5 --model $model
    count bench/native/lamport.c -DN=3 --model $model
done
count bench/native/casw.c -DN=5
count tests/programs/locks.c -DN=8
count tests/programs/readers.c -DN=12
count tests/programs/lastzero.c -DN=10
count tests/programs/indexer.c -DN=13
count tests/programs/filesystem.c -DN=18
for program in bbuf-if barrier rwlock semaphore channel-pingpong keys; do
    count "tests/programs/$program.c" "" --keep-going
done
count bench/native/fib.c -DN=5 --stateful=exact
count tests/programs/locks.c -DN=6 --symmetry=all
count bench/native/fib.c -DN=5 --search pct --runs 300

[ -n "$(ls "$here/raw")" ] || without "nothing was counted"
"$merge" merge -o "$here/merged" "$here"/raw/*.profraw || without "$merge fails"
rm -rf "$here/raw" "$here"/*.profdata
# a name of its own for each: objects that were compiled with another one do not link with those of this one, so all must be compiled anew
profile=$here/raddle-$(cksum <"$here/merged" | cut -d' ' -f1).profdata
mv "$here/merged" "$profile"
cmake -DRADDLE_PROFILE="$profile" "$build" >/dev/null
