#!/bin/bash
# A program that does not come as far as main: raddle says why. Where there is no home, one is compiled elsewhere. RADDLE is the program.
set -u
: "${RADDLE:?the path of raddle}"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

expect() { # PATTERN COMMAND…: it fails with status 4, and says so
    local pattern=$1 status
    shift
    "$@" >out 2>&1 </dev/null
    status=$?
    if [ $status -eq 4 ] && grep -qE -- "$pattern" out; then
        echo "ok $pattern"
    else
        echo "FAIL $pattern: status $status"
        sed 's/^/  | /' out
        failed=1
    fi
}

cat >early.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static void early(int argc)
{
    fprintf(stderr, "no configuration\n");
    if (argc > 1)
        __builtin_trap();
    _Exit(3);
}
/* before constructors, which belong to the runs */
__attribute__((section(".preinit_array"), used)) static void (*const first)(int) = early;
int main(void)
{
    return 0;
}
C
echo 'int far(void) { return 0; }' >far.c
echo 'int far(void); int main(void) { return far(); }' >near.c
"$RADDLE" cc -o early early.c && "$RADDLE" cc -shared -fPIC -o libfar.so far.c && "$RADDLE" cc -o near near.c -L. -lfar || exit 1
rm libfar.so

expect 'ends with status 3 before main; it says: no configuration' "$RADDLE" check ./early
expect 'killed by signal [0-9]+ \(.*\) before main; it says: no configuration' "$RADDLE" check ./early -- dies
expect 'error while loading shared libraries: libfar.so' "$RADDLE" check ./near

homeless() { # VARIABLE=VALUE…: a source is checked all the same, and its program does not stay
    rm -f failed
    mkdir -p tmp
    env -u XDG_CACHE_HOME TMPDIR="$dir/tmp" "$@" "$RADDLE" check far.c safe.c >out 2>&1 </dev/null &&
        [ -z "$(find tmp -type f)" ] || touch failed
    if [ -e failed ]; then
        echo "FAIL $*"
        sed 's/^/  | /' out
        failed=1
    else
        echo "ok $*"
    fi
}

echo 'int main(void) { return 0; }' >safe.c
homeless HOME=/nonexistent
homeless HOME=/dev/null
homeless HOME=
homeless HOME=/nonexistent XDG_CACHE_HOME=/dev/null/cache
exit $failed
