#!/bin/bash
# Programs that make no step any more: the report names thread, system call and place, and the search goes on.
# RADDLE is the program, SOURCE_DIR the root of the repository.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export XDG_CACHE_HOME=$dir/cache
passed=0
failed=0

# NAME, exit status, pattern of the report; the program is NAME.c.
verdict() {
    local name=$1 want=$2 pattern=$3 status
    shift 3
    timeout 120 "$RADDLE" check "$@" "$name.c" >out 2>err </dev/null
    status=$?
    if [ "$status" -eq "$want" ] && grep -qE -- "$pattern" out; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        { echo "FAIL $name: status $status, not $want, or no '$pattern'"; sed 's/^/  | /' out err; } >&2
    fi
}

# NAME, what a thread does if it comes second.
program() {
    cat >"$1.c" <<END
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int came;
static int pipes[2];
static void *sleeper(void *arg)
{
    pthread_mutex_lock(&lock);
    int before = came++;
    pthread_mutex_unlock(&lock);
    if (before == 1)
        $2
    return arg;
}
static void *other(void *arg)
{
    pthread_mutex_lock(&lock);
    came++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    if (pipe(pipes) != 0)
        return 1;
    pthread_create(&a, NULL, sleeper, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
}

program asleep 'syscall(SYS_pause);'
verdict asleep 3 'incomplete \(.*thread 1 is stuck in the system call pause at asleep\.c:13, which raddle does not model.*2 executions' \
    --step-timeout 1
verdict asleep 3 'no step for 5 seconds; --step-timeout changes that' # without being told

program reads 'syscall(SYS_read, pipes[0], pipes, 1);'
verdict reads 3 'thread 1 is stuck in the system call read \(descriptor [0-9]+\) at reads\.c:13' --step-timeout 1

program computes 'for (volatile unsigned i = 0;; i++) continue;'
verdict computes 3 'thread 1 computed for 1 seconds without a step, last seen at computes\.c:1[0-3] ' --step-timeout 1

# slow, but not stuck
program slow 'for (volatile unsigned i = 0; i < 30000000; i++) continue;'
verdict slow 0 'safe: 2 executions'

# A loop around a timed wait: a run need not take the timeout each time. More timeouts are always possible.
cat >polls.c <<END
#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done;
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    struct timespec until;
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (!done) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&changed, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
END
verdict polls 3 'incomplete \(the maximum number of executions was reached\): 50 executions' --max-executions 50

# before there are threads, and before main
printf '#include <sys/syscall.h>\n#include <unistd.h>\nint main(void)\n{\n    return (int)syscall(SYS_pause);\n}\n' >alone.c
verdict alone 3 'thread 0 is stuck in the system call pause at alone\.c:5' --step-timeout 1
sed 's/^int main(void)/__attribute__((constructor)) int early(void)/; $a int main(void) { return 0; }' alone.c >early.c
verdict early 3 'is stuck in the system call pause' --step-timeout 1

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
