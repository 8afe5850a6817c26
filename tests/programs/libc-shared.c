// A shared text is written with strcpy and read with strcmp, under a mutex or, wrongly, without. (Plain memory that the
// library touches is shared memory, too: never `safe`.)
// EXPECT(sc -DLOCKED): safe
// EXPECT: bug
#include "common.h"
#include <string.h>

static char text[8] = "old";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *_)
{
#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    strcpy(text, "new");
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    return NULL;
}

static void *reader(void *_)
{
    int same, again;

#ifdef LOCKED
    pthread_mutex_lock(&m);
#endif
    same = strcmp(text, "old");
    again = strcmp(text, "old");
#ifdef LOCKED
    pthread_mutex_unlock(&m);
#endif
    assert(same == again);
    return NULL;
}

int main(void)
{
    run2(writer, reader);
    return 0;
}
