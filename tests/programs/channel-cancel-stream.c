// A thread is cancelled while libc reads from a pipe for it: the functions of libc between are left, too.
// EXPECT: safe
#include "common.h"
#include <unistd.h>

static int ends[2];
static atomic_int cleaned;

static void cleanup(void *argument)
{
    (void)argument;
    atomic_fetch_add(&cleaned, 1);
}

static void *reads(void *stream)
{
    char line[20];

    pthread_cleanup_push(cleanup, NULL);
    fgets(line, sizeof line, stream);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *result;
    FILE *stream;

    assert(pipe(ends) == 0);
    stream = fdopen(ends[0], "r");
    assert(stream);
    pthread_create(&thread, NULL, reads, stream);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED && cleaned == 1);
    return 0;
}
