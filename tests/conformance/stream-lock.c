// Streams that a thread has locked.
#include "conform.h"
#include <semaphore.h>

static FILE *stream;
static sem_t tried;

static void *tries(void *argument)
{
    NUM(ftrylockfile(stream) != 0);
    sem_post(&tried);
    fputs("second ", stream); /* waits */
    NUM(ftrylockfile(stream));
    funlockfile(stream);
    return argument;
}

static void program(void)
{
    pthread_t thread;
    char *text = NULL;
    size_t size = 0;

    sem_init(&tried, 0, 0);
    stream = open_memstream(&text, &size);
    flockfile(stream);
    NUM(ftrylockfile(stream));
    pthread_create(&thread, NULL, tries, NULL);
    sem_wait(&tried);
    funlockfile(stream);
    fputs("first ", stream);
    putc_unlocked('x', stream);
    funlockfile(stream);
    pthread_join(thread, NULL);
    fclose(stream);
    TEXT(text);
    free(text);
}
