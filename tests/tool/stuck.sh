#!/bin/bash
# Programs that make no step any more: the report names thread, system call and place, and the search goes on.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1

# NAME, exit status, pattern of the report, options; the program is NAME.c.
stuck() {
    local name=$1 want=$2 pattern=$3
    shift 3
    verdict "$name" "$want" "$pattern" "$RADDLE" check "$@" "$name.c"
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

# a system call that has no row in syscalls.def
sleep_unseen='syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);'
program asleep "$sleep_unseen"
stuck asleep 3 'incomplete \(.*T1 \([a-z_0-9]+\) is stuck in the system call ppoll at asleep\.c:13, which raddle does not model.*2 executions' \
    --step-timeout 1
stuck asleep 3 'no step for 5 seconds; --step-timeout changes that' # without being told

program reads 'syscall(SYS_preadv2, pipes[0], (long[]){(long)pipes, 1}, 1, -1L, -1L, 0);'
stuck reads 3 'T1 \([a-z_0-9]+\) is stuck in the system call preadv2 \(descriptor [0-9]+\) at reads\.c:13' --step-timeout 1

program computes 'for (volatile unsigned i = 0;; i++) continue;'
stuck computes 3 'T1 \([a-z_0-9]+\) computed for 1 seconds without a step, last seen at computes\.c:1[0-3] ' --step-timeout 1

# A loop that comes to no step at all, from the beginning of its thread: the thread is named, and what others do is seen all the same.
cat >silent.c <<END
#include <assert.h>
#include <pthread.h>
static void *loops(void *arg) { for (volatile unsigned i = 0;; i++) continue; return arg; }
static void *fails(void *arg) { assert(0); return arg; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, loops, NULL);
    pthread_create(&b, NULL, fails, NULL);
    pthread_join(a, NULL);
    return pthread_join(b, NULL);
}
END
stuck silent 1 'silent\.c:4: assertion' --step-timeout 1
stuck silent 1 'bug \(T1 \(loops\) computed for 1 seconds without a step' --step-timeout 1
stuck silent 1 'silent\.c:4: assertion' --step-timeout 1 --search random
verdict "silent, again" 1 'assertion' "$RADDLE" replay silent.raddle

# slow, but not stuck
program slow 'for (volatile unsigned i = 0; i < 30000000; i++) continue;'
stuck slow 0 'safe: 2 executions'

# A loop around a timed wait with a limit far away: more timeouts are always possible.
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
    for (long rounds = 0; !done && rounds < 1000000000; rounds++) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&changed, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
END
stuck polls 3 'incomplete \(the maximum number of executions was reached\): 50 executions' --max-executions 50

# The end comes in the very run that shows that the program cancels threads, from where on cancellation points are steps.
cancels() {
    cat >"$1.c" <<END
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>
static sem_t never;
static void *waits(void *arg)
{
    sem_wait(&never);
    return arg;
}
int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, waits, NULL);
    pthread_cancel(thread);
    $2
    return 0;
}
END
}
cancels cancels-asleep "$sleep_unseen"
stuck cancels-asleep 3 'incomplete \(T0 \(main\) is stuck in the system call ppoll at cancels-asleep\.c:17.*; not seen: syscall\)' \
    --step-timeout 1
cancels cancels-dies 'asm volatile("syscall" : : "a"(SYS_exit_group), "D"(3) : "rcx", "r11", "memory");'
stuck cancels-dies 1 'trace: cancels-dies\.raddle'

# before there are threads, and before main
printf '#include <sys/syscall.h>\n#include <unistd.h>\nint main(void)\n{\n    return (int)syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);\n}\n' >alone.c
stuck alone 3 'T0 \(main\) is stuck in the system call ppoll at alone\.c:5' --step-timeout 1
sed 's/^int main(void)/__attribute__((constructor)) int early(void)/; $a int main(void) { return 0; }' alone.c >early.c
stuck early 3 'is stuck in the system call ppoll' --step-timeout 1

finish
