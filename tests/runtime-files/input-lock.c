// EXPECT: bug: 
// INPUT: lines.txt
// A bug that needs the input: those who replay it get it, too.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line[100];

static void *reader(void *argument)
{
    pthread_mutex_lock(&lock);
    assert(fgets(line, sizeof line, stdin));
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, reader, NULL);
    pthread_mutex_lock(&lock);
    assert(strcmp(line, "one\n") != 0);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
