// EXPECT: safe: 40320 executions
// A file and memory mapped by each thread, and never unmapped: the same addresses each time, and no mapping left over.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "many.h"

static char *places[2];
static struct stat status;

static void *mapper(void *argument)
{
    long n = (long)argument;

    places[n] = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(places[n] != MAP_FAILED && places[n][9999] == 0);
    places[n][9999] = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    int fd = open(argv[0], O_RDONLY);
    pthread_t threads[2];
    char *text, *more;

    assert(argc == 1 && fd == 3 && fstat(fd, &status) == 0);
    text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    assert(text != MAP_FAILED && text[1] == 'E' && text[3] == 'F');
    more = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    more[5] = 5;
    more = mremap(more, 4096, 40960, MREMAP_MAYMOVE);
    assert(more != MAP_FAILED && more[5] == 5 && munmap(more, 4096) == 0);
    assert(mprotect(more + 4096, 4096, PROT_READ) == 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, mapper, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(places[0] != places[1]);
    many(8);
    return 0;
}
