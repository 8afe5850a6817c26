#!/bin/bash
# --suppressions and --races: what they take, what they leave out, and that nothing is lost by it.
# RADDLE is the program.
set -u
: "${RADDLE:?the path of raddle}"

RADDLE=$(realpath "$RADDLE")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
passed=0
failed=0
limit=${LIMIT:-60}

# NAME, exit status, pattern of a line that is printed; then the command.
expect() {
    local name=$1 want=$2 pattern=$3 status
    shift 3
    timeout -k 2 "$limit" "$@" >out 2>&1 </dev/null
    status=$?
    if [ $status -eq "$want" ] && grep -qE -- "$pattern" out; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "FAIL $name: status $status, not $want, or no line '$pattern'"; sed 's/^/  | /' out | head -20; } >&2
    fi
}

# NAME: a suppressions file from standard input, used on ./two.
suppressed() {
    cat >list
    expect "$@" "$RADDLE" check --suppressions list ./two
}

cat >two.c <<'END'
#include <assert.h>
#include <pthread.h>

int benign, other;

static void bump(int *number)
{
    ++*number;
}

static void *work(void *_)
{
    bump(&benign);
#ifdef OTHER
    other = 1;
#endif
    return _;
}

static void *watch(void *_)
{
    bump(&benign);
#ifdef OTHER
    other = 2;
#endif
    return _;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, watch, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifdef ASSERTS
    assert(benign == 2);
#endif
    return 0;
}
END
"$RADDLE" cc -o two two.c || exit 1
"$RADDLE" cc -DOTHER -o more two.c || exit 1
"$RADDLE" cc -DASSERTS -o asserts two.c || exit 1

expect "a race" 1 "data-race" "$RADDLE" check ./two
expect "ignored: every order is explored" 0 "safe: 4 executions" "$RADDLE" check --races=ignore ./two
expect "--races takes two words" 2 "report or ignore" "$RADDLE" check --races=maybe ./two
suppressed "by the variable, and every order is explored" 0 "safe: 4 executions, .* suppressed" <<<"race:benign"
suppressed "by a function of one stack" 0 "race(s)? suppressed" <<<"race:^work$"
suppressed "by a pattern" 0 "suppressed" <<<"race:bu*p"
suppressed "by the file" 0 "suppressed" <<<"race:two.c"
suppressed "by the innermost function" 0 "suppressed" <<<"race_top:bump"
suppressed "not by another one" 1 "data-race" <<<"race_top:work"
suppressed "by nothing" 1 "data-race" <<<"race:nothing"
suppressed "with other lines" 0 "suppressed" < <(printf '# comment\n\n  thread:work\nmutex:x\r\nrace:benign\n')
suppressed "a malformed line" 2 "list:2: " < <(printf 'race:x\nwhatever\n')
suppressed "a pattern must be there" 2 "list:1: " < <(printf 'race:')
suppressed "an empty file" 1 "data-race" </dev/null
expect "no such file" 2 "nowhere" "$RADDLE" check --suppressions nowhere ./two
echo "race:benign" >list
expect "another race is still one" 1 "data-race.* other " "$RADDLE" check --suppressions list ./more
expect "its trace replays" 1 "data-race.* other " "$RADDLE" replay more.raddle
expect "an assertion behind a suppressed race" 1 "assertion" "$RADDLE" check --suppressions list ./asserts
expect "its trace replays, too" 1 "assertion" "$RADDLE" replay asserts.raddle
# One pair of places, but several bytes: all of them are explored.
cat >array.c <<'END'
#include <assert.h>
#include <pthread.h>

long numbers[3];

static void *work(void *value)
{
    for (int i = 0; i < 3; i++)
        numbers[i] = (long)value;
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, work, (void *)1);
    pthread_create(&b, NULL, work, (void *)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
"$RADDLE" cc -o array array.c || exit 1
echo "race:numbers" >list-array
expect "ignored: each element in both orders" 0 "safe: [0-9]+ executions" "$RADDLE" check --races=ignore ./array
executions=$(sed -n 's/.*safe: \([0-9]* executions\).*/\1/p' out)
expect "suppressed: the same" 0 "safe: $executions, 1 race suppressed" "$RADDLE" check --suppressions list-array ./array

expect "options of a program that checks itself" 0 "1 race suppressed|races suppressed" \
    env RADDLE_OPTIONS="--suppressions list" ./two
expect "the same for --races" 0 "safe" env RADDLE_OPTIONS="--races=ignore" ./two
expect "the count is in the JSON report" 0 '"suppressed": [1-9]' "$RADDLE" check --suppressions list --json - ./two

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
