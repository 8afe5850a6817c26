// The destructor of a key runs in its thread, before the end that a join waits for.
// EXPECT(all): safe
// EXPECT(all -DEARLY): data-race
#include "races.h"

static int x;
static pthread_key_t key;

static void last(void *value)
{
    (void)value;
    x = 1;
}

static void *work(void *_)
{
    pthread_setspecific(key, &x);
    return _;
}

int main(void)
{
    pthread_t t;

    pthread_key_create(&key, last);
    pthread_create(&t, NULL, work, NULL);
#ifdef EARLY
    x = 2;
#endif
    pthread_join(t, NULL);
    return x != 1 && x != 2;
}
