// Mapped memory is taken away, or its protection changed, while another thread may use it: an access like any other.
// EXPECT(all -DUNMAP): bug
// EXPECT(sc -DUNMAP -DREADS): data-race says=munmap of .* \([0-9]+ bytes\) by T[0-9]
// EXPECT(sc -DUNMAP -DPART): data-race
// EXPECT(sc -DUNMAP -DATOMIC): bug
// EXPECT(tso -DUNMAP -DATOMIC -DSTORES): bug
// EXPECT(sc -DPROTECT -DATOMIC -DRIGHTS=PROT_READ): bug
// EXPECT(sc -DPROTECT): data-race says=mprotect of .* \([0-9]+ bytes\) by T[0-9]
// EXPECT(sc -DPROTECT -DRIGHTS=PROT_READ): data-race
// EXPECT(sc -DPROTECT -DRIGHTS=PROT_READ -DREADS): safe
// EXPECT(sc -DPROTECT -DRIGHTS=PROT_READ|PROT_WRITE): safe
// EXPECT(sc -DEMPTY): data-race says=madvise of .* \([0-9]+ bytes\) by T[0-9]
// EXPECT(sc -DEMPTY -DADVICE=MADV_FREE -DREADS): data-race
// EXPECT(sc -DEMPTY -DADVICE=MADV_WILLNEED): safe
// EXPECT(sc -DMOVE): data-race says=mremap of .* \([0-9]+ bytes\) by T[0-9]
// EXPECT(sc -DSHRINK): data-race
// EXPECT(sc -DAGAIN): data-race says=mmap of .* \([0-9]+ bytes\) by T[0-9]
// EXPECT(sc -DBY_NUMBER): data-race
// EXPECT(sc -DUNMAP -DJOINED): safe
// EXPECT(sc -DPROTECT -DJOINED): safe
// EXPECT(sc -DUNMAP -DAFTER): crash
// EXPECT(sc -DUNMAP -DOTHER_HALF): safe
#define _GNU_SOURCE
#include "common.h"
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RIGHTS
#define RIGHTS PROT_NONE
#endif
#ifndef ADVICE
#define ADVICE MADV_DONTNEED
#endif

#define SIZE 8192
#ifdef OTHER_HALF
#define LENGTH 4096
#else
#define LENGTH SIZE
#endif

static char *memory;
static char *place; /* that the other thread uses */
static sem_t gone;
static volatile int sink;

static void *uses(void *_)
{
#ifdef AFTER
    sem_wait(&gone);
#endif
#if defined STORES
    store(*(_Atomic char *)place, 1);
#elif defined ATOMIC
    atomic_fetch_add((_Atomic char *)place, 1);
#elif defined READS
    sink = *place;
#else
    *place = 1;
#endif
    return NULL;
}

static void take(void)
{
#if defined UNMAP && defined PART
    munmap(memory + 4096, 4096);
#elif defined UNMAP
    munmap(memory, LENGTH);
#elif defined PROTECT
    mprotect(memory, SIZE, RIGHTS);
#elif defined EMPTY
    madvise(memory, SIZE, ADVICE);
#elif defined MOVE
    mremap(memory, SIZE, 4 * SIZE, MREMAP_MAYMOVE);
#elif defined SHRINK
    mremap(memory, SIZE, 4096, 0);
#elif defined AGAIN
    mmap(memory, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#elif defined BY_NUMBER
    syscall(SYS_munmap, memory, SIZE);
#endif
}

int main(void)
{
    pthread_t thread;

    sem_init(&gone, 0, 0);
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    place = memory + 5000;
    *place = 5;
    pthread_create(&thread, NULL, uses, NULL);
#ifdef JOINED
    pthread_join(thread, NULL);
    take();
    return 0;
#endif
    take();
    sem_post(&gone);
    pthread_join(thread, NULL);
    return 0;
}
