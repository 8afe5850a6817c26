// Loops of plain accesses that are told as a whole: a race with exactly their first and last elements is found, and none beside them.
// EXPECT(sc -O2 -DAT=9): safe
// EXPECT(sc -O2 -DAT=10): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DAT=110): safe
// EXPECT(sc -O1 -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(sc -O3 -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(tso -O2 -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(pso -O2 -DAT=110): safe
// EXPECT(sc -O2 -DSTEP=3 -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DSTEP=3 -DAT=108): safe
// EXPECT(sc -O2 -DDOWN -DAT=10): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DDOWN -DAT=9): safe
// EXPECT(sc -O2 -DSTORES -DREADS -DAT=109): data-race at=look says=races with the write by T1
// EXPECT(sc -O2 -DSTORES -DREADS -DAT=110): safe
// EXPECT(sc -O2 -DSTORES -DREADS -DBYTE=3 -DAT=109): data-race at=look says=races with the write by T1
// EXPECT(sc -O2 -DCOUNT=512): memory at=sum says=0 bytes behind the end of a block
// EXPECT(sc -O2 -DSTORES -DCOUNT=512): memory at=stores says=a heap overflow: a write of 4 bytes, 0 bytes behind
// EXPECT(sc -O2 -DFREED): memory at=sum says=into a block that was freed
// EXPECT(sc -O2 -DCOUNT=0 -DAT=10): safe
// EXPECT(sc -O2 -DWRAPS -DAT=2): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DWRAPS -DAT=12): safe
// EXPECT(sc -O2 -DFIELDS -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DFIELDS -DAT=110): safe
// EXPECT(sc -O2 -DFIELDS -DWRITES_COUNT): data-race at=count says=races with the read by T1
// EXPECT(sc -O2 -DDEEP -DAT=10): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DDEEP -DAT=11): safe
// EXPECT(sc -O2 -DALIASED): safe
// EXPECT(sc -O2 -DINDIRECT -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DINDIRECT -DAT=110): safe
// EXPECT(sc -O2 -DINDIRECT -DAT=303): data-race at=touch says=races with the (read|write) by T1
// EXPECT(sc -O2 -DINDIRECT -DAT=304): safe
// EXPECT(all -O2 -DINDIRECT -DREADS -DAT=302): data-race at=look says=races with the write by T1
// EXPECT(sc -O2 -DINDIRECT -DREADS -DAT=109): safe
// EXPECT(sc -O2 -DINDIRECT -DTABLE=520): memory at=indirect says=a heap overflow
// EXPECT(sc -O2 -DINDIRECT -DWRITES_COUNT): safe
// EXPECT(sc -O2 -DINDIRECT -DFIELDS -DWRITES_COUNT): data-race at=count says=races with the read by T1
// EXPECT(sc -O2 -DINDIRECT -DONTO): safe
// EXPECT(sc -O2 -DINDIRECT -DONTO -DAT=109): data-race at=touch
// EXPECT(sc -O2 -DINDIRECT -DLOCKED -DAT=302): safe
// EXPECT(sc -O2 -DLOCKED -DAT=50): safe
// EXPECT(sc -O2 -DNESTED -DAT=109): data-race at=touch says=races with the read by T1
// EXPECT(sc -O2 -DNESTED -DAT=110): safe
#include "common.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define ROOM 521 /* elements: 10 before the first, and 511 from there on */
#ifndef COUNT
#define COUNT 100
#endif
#ifndef STEP
#define STEP 1
#endif
#ifndef BYTE
#define BYTE 0
#endif

#ifndef TABLE
#ifdef ONTO
#define TABLE 20 /* what it reads itself */
#else
#define TABLE 300
#endif
#endif

struct vector {
    int count;
    int *at;
};

struct chain {
    struct chain *next;
    int *at;
};

static int *block;
static struct chain chains[3];
static struct vector vector;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *walk(void *argument)
{
    int *a = block + 10, n = COUNT;
    long s = 0;

    (void)argument;
#if defined DOWN
    for (int i = n - 1; i >= 0; i--)
        s += a[i];
#elif defined STORES
    for (int *p = a; p != a + n; p++)
        *p = 7; /* stores */
#elif defined WRAPS
    /* 250 to 255, and 0 to 9: two pieces of memory */
    for (unsigned char i = 250; i != 10; i++)
        s += block[i];
#elif defined INDIRECT
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
#ifdef FIELDS
    n = 0;
    for (int i = 0; i < vector.count; i++)
        block[TABLE + (a[i] & 3)]++;
#else
    for (int i = 0; i < n; i++)
        block[TABLE + (a[i] & 3)]++; /* indirect */
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
#elif defined FIELDS
    for (int i = 0; i < vector.count; i++)
        s += vector.at[i];                
#elif defined DEEP
    /* more pointers than the runtime looks at before a loop */
    for (int i = 0; i < n; i++)
        s += *chains[0].next->next->next->at + *chains[1].next->next->next->at +
             *chains[2].next->next->next->at;
#elif defined ALIASED
    /* the loop changes how far it goes */
    vector.at = &vector.count;
    for (int i = 0; i < vector.count; i++)
        vector.at[0] = 9;
    assert(vector.count == 9);
#elif defined NESTED
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++)
            s += a[10 * i + j];
#else
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    for (int i = 0; i < n; i += STEP)
        s += a[i]; /* sum */
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
#endif
    return (void *)(intptr_t)(s & 1);
}

static void *touch(void *argument)
{
    (void)argument;
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
#ifdef WRITES_COUNT
    vector.count = 100; /* count */
#endif
#if defined AT && defined READS
    return (void *)(intptr_t)((char *)&block[AT])[BYTE]; /* look */
#elif defined AT
    ((char *)&block[AT])[BYTE] = 1; /* touch */
#endif
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    block = calloc(ROOM, sizeof *block);
    vector = (struct vector){100, block + 10};
    for (int i = 0; i < 3; i++)
        chains[i] = (struct chain){&chains[(i + 1) % 3], block + 10};
#ifdef INDIRECT
    for (int i = 0; i < 200; i++)
        block[10 + i] = i;
#endif
#ifdef FREED
    free(block);
#endif
    pthread_create(&a, NULL, walk, NULL);
    pthread_create(&b, NULL, touch, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
#ifndef FREED
    free(block);
#endif
    return 0;
}
