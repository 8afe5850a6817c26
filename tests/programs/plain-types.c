// Bit-fields, vectors, long doubles, structs and unions under a mutex: plain accesses of every shape.
// EXPECT: safe executions=2
// EXPECT(sc -O1): safe executions=2
// EXPECT(sc -O2): safe executions=2
// EXPECT(tso,pso -DONE_ROUND): safe
#include "common.h"
#include <string.h>

typedef int four __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));

static struct {
    unsigned low : 3, middle : 7, high : 22;
    signed long wide : 40;
} bits;
static four v;
static eight e;
static long double precise = 1;
static struct {
    char name[24];
    double values[5];
} record;
static union {
    float f;
    uint32_t i;
} pun;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *_)
{
    pthread_mutex_lock(&m);
    bits.low++;
    bits.middle += 2;
    bits.wide -= 1;
#ifndef ONE_ROUND
    v += (four){1, 2, 3, 4};
    e[3] += 0.5f;
    precise *= 3;
    memcpy(record.name, "record", 7);
    record.values[4] += 1.25;
    pun.f = 1.0f;
#endif
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    run(2, thread);
    assert(bits.low == 2 && bits.middle == 4 && bits.high == 0 && bits.wide == -2);
#ifndef ONE_ROUND
    assert(v[0] == 2 && v[3] == 8 && e[3] == 1.0f && e[0] == 0 && precise == 9);
    assert(strcmp(record.name, "record") == 0 && record.values[4] == 2.5);
    assert(pun.i == 0x3f800000);
#endif
    return 0;
}
