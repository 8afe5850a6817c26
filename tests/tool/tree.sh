#!/bin/bash
# --tree: GraphViz that `dot` takes, with a leaf for each run; the limit is told; the verdict is what it is without.
. "$(dirname "$0")/common.bash"
cd "$dir" || exit 1
programs=$SOURCE_DIR/tests/programs

# NAME, exit status, arguments of check: leaves and marks must be the runs that the JSON counts
tree() {
    local name=$1 status=$2 runs leaves
    shift 2
    timeout 100 "$RADDLE" check --minimise 0 --tree "$name.dot" --json "$name.json" "$@" >out 2>err
    local got=$?
    [ $got -eq "$status" ] && ok || fail "$name: status $got, not $status: $(cat err)"
    runs=$(awk -F'[:,]' '/^ *"(executions|blocked)":/ {n += $2} END {print n}' "$name.json")
    leaves=$(grep -c 'label="run [0-9]' "$name.dot")
    [ "$leaves" -eq "$runs" ] && ok || fail "$name: $leaves leaves, $runs runs"
    if command -v dot >/dev/null; then
        timeout 60 dot -Tsvg "$name.dot" >"$name.svg" 2>err && [ ! -s err ] && grep -q '</svg>' "$name.svg" && ok ||
            fail "$name: dot: $(cat err)"
    fi
}

tree safe 0 "$programs/dekker.c"
! grep -q 'bug\|redundant' safe.dot && ok || fail "safe: marks"
tree deadlock 1 "$programs/abba.c"
grep -q 'label="run 2\\nbug"' deadlock.dot && grep -q 'label="T2 lock b\\nabba.c:10"' deadlock.dot && ok || fail "deadlock: marks"
tree all-bugs 1 --keep-going "$programs/abba.c"
tree exhaustive 0 --reduction exhaustive "$SOURCE_DIR/examples/scripts/sb.script"
tree dpor 0 --reduction dpor "$programs/dekker.c"
tree script 0 "$SOURCE_DIR/examples/scripts/sb.script"
grep -q 'T0 store x, 1' script.dot && ok || fail "script: labels"
tree tso 1 --model tso "$programs/sb.c"
grep -q 'style=dashed' tso.dot && ok || fail "tso: flushes are dashed"
tree race 1 "$SOURCE_DIR/examples/counter.c"
grep -q 'bug' race.dot && ok || fail "race: marks"

# a process that dies is a bug there, too
cat >dies.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int x;
static void *bad(void *a) { if (x) kill(getpid(), SIGKILL); return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, bad, 0);
    x = 1;
    pthread_join(t, 0);
}
END
timeout 100 "$RADDLE" check --tree dies.dot dies.c >out 2>&1
[ $? -eq 1 ] && grep -q '\\nbug"' dies.dot && ok || fail "dies: $(cat out)"

# the limit
timeout 100 "$RADDLE" check --tree big.dot --reduction exhaustive "$programs/bakery.c" >out 2>err
[ $? -eq 0 ] && grep -q 'raddle: the search has more than 2000 states: big.dot shows the first ones' err && ok || fail "big: $(cat err)"
[ "$(grep -c -- '->' big.dot)" -lt 2000 ] && grep -q 'only the first states are shown' big.dot && ok || fail "big: size"

# errors
"$RADDLE" check --tree nope/x "$programs/abba.c" >out 2>err
[ $? -eq 4 ] && grep -q 'raddle: nope/x: cannot be written: No such file' err && ok || fail "no such directory: $(cat err)"
"$RADDLE" check --tree - --json - "$programs/abba.c" >out 2>err
[ $? -eq 2 ] && grep -q -- '--json and --tree cannot both write to standard output' err && ok || fail "two to standard output"
"$RADDLE" check --tree - "$programs/abba.c" 2>err | head -1 | grep -q '^digraph raddle {' && ok || fail "standard output"

finish
