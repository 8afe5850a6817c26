// What is another one each time that a program runs: raddle gives one, the same in all runs, and says that it is one of many.
// EXPECT(sc -DDEVICE): incomplete executions=2 says=random numbers of the system
// EXPECT(sc -DSTREAM): incomplete executions=2 says=random numbers of the system
// EXPECT(sc -DENTROPY): incomplete executions=2 says=random numbers of the system
// EXPECT(sc -DARC4): incomplete executions=2 says=random numbers of the system
// EXPECT(sc -DRDRAND -mrdrnd): incomplete executions=2 says=random numbers of the system
// EXPECT(sc -DRDSEED -mrdseed): incomplete executions=2 says=random numbers of the system
// EXPECT(sc -DCYCLES): incomplete executions=2 says=a counter of the processor
// EXPECT(sc -DASSEMBLY): incomplete executions=2 says=inline assembly
// EXPECT(sc -DPROCESS): incomplete says=getpid: it is another one
// EXPECT(sc -DPARENT): incomplete says=getppid: it is another one
// EXPECT(sc -DBY_NUMBER): incomplete says=getpid: it is another one
// EXPECT(sc -DCPU): incomplete executions=2 says=sched_getcpu: it is another one
// EXPECT(sc -DSTART): incomplete executions=2 says=AT_RANDOM
// EXPECT(sc -DFILE_NAME): incomplete executions=2 says=name of a temporary file
// EXPECT(sc -DDIRECTORY_NAME): incomplete executions=2 says=name of a temporary file
// EXPECT(sc -DONLY_NAME): incomplete executions=2 says=name of a temporary file
// EXPECT(sc -DOTHER_NAMES): incomplete executions=2 says=name of a temporary file
// EXPECT(sc -DTOLD_BACK): safe executions=2
// EXPECT(sc -DNO_NAME): safe executions=2
// EXPECT(sc -DPROCESS -DASSERTS -DPARITY=0): incomplete says=getpid
// EXPECT(sc -DPROCESS -DASSERTS -DPARITY=1): incomplete says=getpid
#define _GNU_SOURCE
#include "common.h"
#include <fcntl.h>
#include <immintrin.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int x;

static unsigned draw(void)
{
    unsigned number = 0;

#if defined DEVICE
    int fd = open("/dev/urandom", O_RDONLY);

    assert(read(fd, &number, sizeof number) == sizeof number);
#elif defined STREAM
    FILE *file = fopen("/dev/random", "r");

    assert(file && fread(&number, sizeof number, 1, file) == 1);
    fclose(file);
#elif defined ENTROPY
    assert(getentropy(&number, sizeof number) == 0);
#elif defined ARC4
    arc4random_buf(&number, sizeof number);
    number += arc4random() + arc4random_uniform(10);
#elif defined RDRAND
    _rdrand32_step(&number);
#elif defined RDSEED
    _rdseed32_step(&number);
#elif defined CYCLES
    unsigned processor;

    number = (unsigned)__builtin_ia32_rdtsc() + (unsigned)__builtin_ia32_rdtscp(&processor);
#elif defined ASSEMBLY
    __asm__ volatile("rdtsc" : "=a"(number) : : "edx");
#elif defined PROCESS
    number = (unsigned)getpid();
#elif defined PARENT
    number = (unsigned)getppid();
#elif defined BY_NUMBER
    number = (unsigned)syscall(SYS_getpid);
#elif defined CPU
    number = (unsigned)sched_getcpu();
#elif defined START
    memcpy(&number, (void *)getauxval(AT_RANDOM), sizeof number);
#elif defined FILE_NAME
    char name[] = "XXXXXX.end";
    int fd = mkstemps(name, 4);

    assert(fd >= 0 && access(name, F_OK) == 0);
    number = (unsigned)name[0];
#elif defined DIRECTORY_NAME
    char name[] = "XXXXXX";

    assert(mkdtemp(name) && access(name, F_OK) == 0);
    number = (unsigned)name[0];
#elif defined ONLY_NAME
    char name[L_tmpnam];

    assert(tmpnam(name) && access(name, F_OK) == -1);
    number = (unsigned)name[0];
#elif defined OTHER_NAMES
    char names[4][12] = {"1XXXXXX", "2XXXXXX.e", "3XXXXXX.e", "4XXXXXX.e"}, name[L_tmpnam], *made;

    assert(mkostemp64(names[0], O_CLOEXEC) >= 0 && mkstemps64(names[1], 2) >= 0);
    assert(mkostemps(names[2], 2, 0) >= 0 && mkostemps64(names[3], 2, O_APPEND) >= 0);
    assert(access(names[3], F_OK) == 0 && tmpnam_r(name) == name && tmpnam_r(NULL) == NULL);
    made = tempnam(".", "pre");
    assert(made && access(made, F_OK) == -1);
    free(made);
#elif defined TOLD_BACK
    pid_t process = getpid();

    assert(kill(process, 0) == 0);
#elif defined NO_NAME
    FILE *file = tmpfile();

    assert(file && fclose(file) == 0);
#endif
    return number;
}

static void *thread(void *arg)
{
    x = 1;
    return arg;
}

int main(void)
{
    static unsigned number;
    pthread_t t;

    number = draw();
    pthread_create(&t, NULL, thread, NULL);
#ifdef ASSERTS
    /* one of the two numbers, of the search and of its replay, is odd */
    assert(x == 0 || number % 2 == PARITY);
#else
    assert(x <= 1);
#endif
    pthread_join(t, NULL);
    return 0;
}
