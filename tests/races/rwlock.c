// Readers beside each other, a writer alone.
// EXPECT(all): safe
// EXPECT(all -DWRITING_READER): data-race
#include "races.h"

static int x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *_)
{
    pthread_rwlock_rdlock(&lock);
#ifdef WRITING_READER
    x++;
#else
    assert(x >= 0);
#endif
    pthread_rwlock_unlock(&lock);
    return _;
}

static void *writer(void *_)
{
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
    return _;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, writer, NULL);
    run2(reader, reader);
    pthread_join(t, NULL);
    return 0;
}
