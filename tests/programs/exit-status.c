// A status other than 0 is a bug; it depends on who was first.
// EXPECT: exit at=here says=the program ends with status 1
// EXPECT(sc -O2): exit at=here
// EXPECT(sc -DOTHER): exit at=other says=the program ends with status 3
// EXPECT(sc -DOTHER -O2): exit at=other
// EXPECT(sc -DRIGHT): safe
#include "common.h"

static atomic_int x;

static void *thread(void *_)
{
    store(x, 1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int seen;

    pthread_create(&t, NULL, thread, NULL);
#ifdef RIGHT
    pthread_join(t, NULL);
    seen = load(x);
#else
    seen = load(x);
    pthread_join(t, NULL);
#endif
#ifdef OTHER
    if (!seen)
        return 3; /* other */
#endif
    return !seen; /* here */
}
