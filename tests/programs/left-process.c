// What a run does to its process, and to objects in the kernel, the next one does not find. What cannot be put back is named.
// EXPECT(sc -DPRIORITY): honest
// EXPECT(sc -DNICE): honest
// EXPECT(sc -DLIMIT): safe executions=2
// EXPECT(sc -DPRLIMIT): safe executions=2
// EXPECT(sc -DAFFINITY): honest
// EXPECT(sc -DSCHEDULER): honest
// EXPECT(sc -DPERSONALITY): safe executions=2
// EXPECT(sc -DDUMPABLE): safe executions=2
// EXPECT(sc -DDEATH_SIGNAL): safe executions=2
// EXPECT(sc -DTHREAD_NAME): safe executions=2
// EXPECT(sc -DMASK): safe executions=2
// EXPECT(sc -DDIRECTORY): safe executions=2
// EXPECT(sc -DLOCK): safe executions=2
// EXPECT(sc -DLOCK_ALL): safe executions=2
// EXPECT(sc -DSEMAPHORES): safe executions=2
// EXPECT(sc -DSEGMENT): safe executions=2
// EXPECT(sc -DMESSAGES): safe executions=2
// EXPECT(sc -DQUEUE): honest
// EXPECT(sc -DIDS): honest
// EXPECT(sc -DPRIVILEGES): incomplete says=what prctl 38 leaves behind.*left-process.c
// EXPECT(sc -DASSEMBLY): incomplete executions=2
#define _GNU_SOURCE
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEY 0x7261646c

static atomic_int x;

/* Fails if an earlier run has been here. */
static void change(void)
{
#if defined PRIORITY
    assert(getpriority(PRIO_PROCESS, 0) < 15 && setpriority(PRIO_PROCESS, 0, 15) == 0);
#elif defined NICE
    assert(getpriority(PRIO_PROCESS, 0) < 15 && nice(15) >= 15);
#elif defined LIMIT
    struct rlimit limit;

    assert(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur != 12288);
    limit.rlim_cur = 12288;
    setrlimit(RLIMIT_CORE, &limit);
#elif defined PRLIMIT
    struct rlimit limit, old;

    assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != 200);
    limit.rlim_cur = 200;
    assert(prlimit(0, RLIMIT_NOFILE, &limit, &old) == 0);
#elif defined AFFINITY
    cpu_set_t set, one;

    assert(sched_getaffinity(0, sizeof set, &set) == 0);
    assert(CPU_COUNT(&set) == sysconf(_SC_NPROCESSORS_ONLN));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &set))
            CPU_SET(i, &one);
    assert(sched_setaffinity(0, sizeof one, &one) == 0);
#elif defined SCHEDULER
    struct sched_param param = {0};

    assert(sched_getscheduler(0) == SCHED_OTHER);
    assert(sched_setscheduler(0, SCHED_BATCH, &param) == 0);
#elif defined PERSONALITY
    int before = personality(0xffffffff);

    assert(!(before & SHORT_INODE) && personality((unsigned long)before | SHORT_INODE) != -1);
#elif defined DUMPABLE
    assert(prctl(PR_GET_DUMPABLE) == 1 && prctl(PR_SET_DUMPABLE, 0) == 0);
#elif defined DEATH_SIGNAL
    int number = 0;

    assert(prctl(PR_GET_PDEATHSIG, &number) == 0 && number != 10 && prctl(PR_SET_PDEATHSIG, 10) == 0);
#elif defined THREAD_NAME
    char name[16] = "";

    assert(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "other") && prctl(PR_SET_NAME, "other") == 0);
    assert(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "other") == 0);
#elif defined MASK
    assert(umask(0777) != 0777);
#elif defined DIRECTORY
    assert(mkdir("inner", 0700) == 0 && chdir("inner") == 0);
#elif defined LOCK
    static char memory[8192];

    assert(mlock(memory, sizeof memory) == 0 || errno == ENOMEM || errno == EPERM);
#elif defined LOCK_ALL
    assert(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && mlockall(0x100) == -1 && errno == EINVAL);
#elif defined SEMAPHORES
    int id = semget(KEY, 1, IPC_CREAT | IPC_EXCL | 0600);

    assert(id >= 0 && semctl(id, 0, SETVAL, 3) == 0 && semctl(id, 0, GETVAL) == 3);
#elif defined SEGMENT
    assert(shmget(KEY, 100, IPC_CREAT | IPC_EXCL | 0600) >= 0);
#elif defined MESSAGES
    struct {
        long type;
        char text[4];
    } message = {1, "abc"};
    int id = msgget(KEY, IPC_CREAT | IPC_EXCL | 0600);

    assert(id >= 0 && msgsnd(id, &message, 4, 0) == 0);
#elif defined QUEUE
    mqd_t queue = mq_open("/raddle-left-process", O_CREAT | O_EXCL | O_RDWR, 0600, NULL);

    assert(queue != (mqd_t)-1 || errno != EEXIST);
#elif defined IDS
    assert(geteuid() != 4321);
    if (geteuid() == 0)
        assert(seteuid(4321) == 0);
#elif defined PRIVILEGES
    assert(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
#elif defined ASSEMBLY
    long result;
    static const char path[] = "by-assembly";

    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_mkdir), "D"(path), "S"(0700) : "rcx", "r11", "memory");
    assert(result == 0);
#endif
}

static void *thread(void *arg)
{
    x = 1;
    return arg;
}

int main(void)
{
    pthread_t t;

    change();
    pthread_create(&t, NULL, thread, NULL);
    assert(x <= 1);
    pthread_join(t, NULL);
    return 0;
}
