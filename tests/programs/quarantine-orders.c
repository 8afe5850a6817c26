// Memory that is handed out again adds no run, and takes none away: neither atomic variables in it, nor what threads write there, are those of the old block.
// EXPECT: safe executions=20
// EXPECT(tso): safe executions=20
// EXPECT(sc -DCALM): safe executions=20
// EXPECT(tso -DCALM): safe executions=20
// EXPECT(sc -DWRONG): assertion at=sum
// EXPECT(sc -DWRONG -DCALM): assertion at=sum
#include "common.h"

#ifdef CALM
enum { SIZE = 100000, ROUNDS = 1 };
#else
enum { SIZE = 100000, ROUNDS = 250 };
#endif

struct box {
    atomic_int count;
    int value;
    char rest[SIZE];
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *argument)
{
    for (int part = 0; part < 3; part++) {
        struct box *box = NULL;
        int seen;

        for (int i = 0; i < ROUNDS; i++) {
            box = malloc(sizeof *box);
            assert(box->value == 0); /* raddle's are zeros */
            if (i == ROUNDS - 1) {
                assert(load(box->count) == 0);
                store(box->count, 1);
            }
            box->value = i + 1;
            if (i < ROUNDS - 1)
                free(box);
        }
        pthread_mutex_lock(&m);
        seen = sum;
#ifdef WRONG
        pthread_mutex_unlock(&m);
        pthread_mutex_lock(&m);
#endif
        sum = seen + (box->value == ROUNDS);
        pthread_mutex_unlock(&m);
        free(box);
    }
    return NULL;
}

int main(void)
{
    run(2, worker);
    assert(sum == 6); /* sum */
    return 0;
}
