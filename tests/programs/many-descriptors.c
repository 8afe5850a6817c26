// More descriptors at a time than have numbers of their own for each thread: the search may not find a run again, and says so.
// EXPECT: incomplete says=not modelled: so many descriptors
#include "common.h"
#include <fcntl.h>
#include <unistd.h>

enum { THREADS = 256 };

static void *use(void *arg)
{
    int fd = open("/dev/null", O_RDONLY);

    close(fd);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
