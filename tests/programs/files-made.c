// Files that a run makes are gone in the next one; a file of another program stays. Two threads, so that there are several runs.
// EXPECT: safe
#include "common.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char file[64], other[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int fd;

    snprintf(file, sizeof file, "made-1");
    snprintf(other, sizeof other, "made-2");
    fd = open(file, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert(fd >= 0);
    assert(close(fd) == 0);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    fd = open(other, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert(fd >= 0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(access(file, F_OK) == 0 && access("/dev/null", F_OK) == 0);
    return 0;
}
