#!/bin/bash
# Files of the user are after a check, a replay, a crash, a timeout or an interrupt what they were before.
. "$(dirname "$0")/common.bash"

mkdir "$dir/work" && cd "$dir/work" || exit 1

# NAME, what the program does behind its changes.
program() {
    cat >"$dir/$1.c" <<END
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *thread(void *arg)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t t;
    FILE *file = fopen("kept", "a");
    fprintf(file, "more");
    fclose(file);
    unlink("removed");
    rename("renamed", "target");
    chmod("mode", 0);
    mkdir("made", 0700);
    close(open("made/inner", O_CREAT | O_WRONLY, 0600));
    pthread_create(&t, NULL, thread, NULL);
    pthread_mutex_lock(&lock);
    int before = count;
    pthread_mutex_unlock(&lock);
    (void)before;
    $2
    pthread_join(t, NULL);
    return 0;
}
END
    run "$RADDLE" cc -g -o "$dir/$1" "$dir/$1.c"
}

files() {
    rm -rf "$dir/work"/* "$dir/before"
    for name in kept removed renamed target mode; do echo "this is $name" >$name; done
    touch -d 2001-02-03 kept removed renamed target mode
    chmod 640 mode
    cp -a "$dir/work" "$dir/before"
    look >"$dir/list"
}

look() { find . -type f ! -name '*.raddle' -printf '%p %m %s %T@\n' | sort; }

as_before() { # NAME
    look >"$dir/now"
    expect "$1: names, modes, times" cmp -s "$dir/list" "$dir/now"
    rm -f ./*.raddle
    expect "$1: contents" diff -r "$dir/before" "$dir/work"
}

# ---- each kind of change: the next run does not find it, nor does the user

source=$SOURCE_DIR/tests/left/files.c

prepare() { # VARIANT
    rm -rf "$dir/work" "$dir/before"
    mkdir -p "$dir/work/there" "$dir/work/empty" && cd "$dir/work" || exit 1
    printf one >there/one
    printf two >two
    ln -s two way
    case $1 in
    *HARD*) ln two other ;;
    *LARGE*) truncate -s 100M two ;;
    esac
    chmod 640 two
    touch -d @2000000 two
    cp -a "$dir/work" "$dir/before"
    look >"$dir/list"
}

while read -r line; do
    flags=$(sed 's|// EXPECT(\([^)]*\)).*|\1|' <<<"$line")
    want=${line#*: }
    says=.
    case $want in *says=*) says=${want#*says=} want=${want%% *} ;; esac
    # shellcheck disable=SC2086
    run "$RADDLE" cc $flags -o "$dir/changes" "$source"
    prepare "$flags"
    case $want in
    safe*) verdict "$flags" 0 'safe: 2 executions' "$RADDLE" check "$dir/changes" ;;
    incomplete*) verdict "$flags" 3 "$says" "$RADDLE" check "$dir/changes" ;;
    *) verdict "$flags" 1 "$want" "$RADDLE" check "$dir/changes" ;;
    esac
    case $flags in *HARD* | *LARGE*) ;; *) as_before "$flags" ;; esac
done < <(grep '^// EXPECT' "$source")
cd "$dir/work" || exit 1

# ---- however the process ends

program ends ""
files
verdict ends 0 'safe' "$RADDLE" check "$dir/ends"
as_before ends

program asserts "assert(before == 0);"
files
verdict asserts 1 'assertion' "$RADDLE" check "$dir/asserts"
cp asserts.raddle "$dir"
as_before asserts
verdict replayed 1 'assertion' "$RADDLE" replay "$dir/asserts.raddle"
as_before replayed

program dies "if (before) { char *args[] = {0}; (void)args; __builtin_trap(); }"
files
verdict dies 1 'crash' "$RADDLE" check "$dir/dies"
as_before dies

program killed "if (before) __asm__ volatile(\"syscall\" :: \"a\"(231), \"D\"(3));" # exit_group
files
verdict killed 1 'ended by itself' "$RADDLE" check "$dir/killed"
as_before killed

program hangs "for (;;) before++;"
files
run "$RADDLE" check --timeout 0.2 "$dir/hangs"
as_before timeout
"$RADDLE" check "$dir/hangs" >"$dir/out" 2>&1 &
sleep 0.3
kill -TERM $!
wait $!
expect "interrupt: status" test $? -eq 3
as_before interrupt

finish
