#!/bin/bash
# --suppressions and --races: what they take, what they leave out, and that nothing is lost by it.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1
limit=${LIMIT:-240}

# NAME: a suppressions file from standard input, used on ./two.
suppressed() {
    cat >list
    verdict "$@" "$RADDLE" check --suppressions list ./two
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

verdict "a race" 1 "data-race" "$RADDLE" check ./two
verdict "ignored: every order is explored" 0 "safe: 4 executions" "$RADDLE" check --races=ignore ./two
echo race:benign >all
verdict "suppressed and let pass: not safe" 3 "race.? let pass, so that other orders" "$RADDLE" check --races=warn --suppressions all ./two
verdict "--races takes three words" 2 "report, warn or ignore" "$RADDLE" check --races=maybe ./two
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
verdict "no such file" 2 "nowhere" "$RADDLE" check --suppressions nowhere ./two
echo "race:benign" >list
verdict "another race is still one" 1 "data-race.* other " "$RADDLE" check --suppressions list ./more
verdict "its trace replays" 1 "data-race.* other " "$RADDLE" replay more.raddle
verdict "an assertion behind a suppressed race" 1 "assertion" "$RADDLE" check --suppressions list ./asserts
verdict "its trace replays, too" 1 "assertion" "$RADDLE" replay asserts.raddle
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
verdict "ignored: each element in both orders" 0 "safe: [0-9]+ executions" "$RADDLE" check --races=ignore ./array
executions=$(sed -n 's/.*safe: \([0-9]* executions\).*/\1/p' out)
verdict "suppressed: the same" 0 "safe: $executions, 1 race suppressed" "$RADDLE" check --suppressions list-array ./array

verdict "options of a program that checks itself" 0 "1 race suppressed|races suppressed" \
    env RADDLE_OPTIONS="--suppressions list" ./two
verdict "the same for --races" 0 "safe" env RADDLE_OPTIONS="--races=ignore" ./two
verdict "the count is in the JSON report" 0 '"suppressed": [1-9]' "$RADDLE" check --suppressions list --json - ./two

finish
