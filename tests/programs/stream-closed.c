// EXPECT(sc -DV=0): bug
// EXPECT(sc -DV=1): bug
// EXPECT(sc -DV=2): bug
// EXPECT(sc -DV=3): bug
// EXPECT(sc -DV=4): bug
// EXPECT(sc -DV=5): memory
// EXPECT(sc -DV=6): memory
// EXPECT(sc -DV=7): safe
// EXPECT(sc -DV=8): safe

// A stream or directory that was closed is memory that was freed.

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
static DIR *directory;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *argument)
{
#if V == 0
    fputs("a", stream);
#elif V == 1
    readdir(directory);
#elif V == 2
    fprintf(stream, "%d", 1);
#elif V == 3
    (void)fileno(stream);
#elif V == 4
    rewinddir(directory);
#elif V == 7
    pthread_mutex_lock(&mutex);
    if (stream)
        fputs("a", stream);
    if (directory)
        readdir(directory);
    pthread_mutex_unlock(&mutex);
#endif
    return argument;
}

int main(void)
{
    pthread_t t;

    stream = fopen("stream-closed.tmp", "w");
    directory = opendir(".");
    pthread_create(&t, NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
#if V == 8
    pthread_join(t, NULL);
#endif
    fclose(stream);
    closedir(directory);
#if V == 5
    fputs("a", stream);
#elif V == 6
    readdir(directory);
#endif
    stream = NULL;
    directory = NULL;
    pthread_mutex_unlock(&mutex);
#if V != 8
    pthread_join(t, NULL);
#endif
    return 0;
}
