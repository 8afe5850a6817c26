// EXPECT(sc): honest
// CFLAGS: -w

// Names of temporary files, and random numbers: all that make them.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *thread(void *argument)
{
    char names[4][40] = {"/tmp/raddle-XXXXXX", "/tmp/raddle-XXXXXX.c", "/tmp/raddle-XXXXXX.c",
                         "/tmp/raddle-XXXXXX.c"};
    char name[L_tmpnam];
    int fds[4] = {mkostemp64(names[0], 0), mkstemps64(names[1], 2), mkostemps(names[2], 2, 0),
                  mkostemps64(names[3], 2, 0)};

    for (int i = 0; i < 4; i++) {
        close(fds[i]);
        unlink(names[i]);
    }
    tmpnam_r(name);
    free(tempnam("/tmp", "a"));
    return argument;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
