// Each thread with a cleanup handler has a place to jump to, and there may be more of them than of threads that save masks.
// EXPECT: incomplete says=the maximum number of executions was reached[):]
// OPTIONS: --max-executions 20
#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int cleaned;

static void cleanup(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    cleaned++;
    pthread_mutex_unlock(&lock);
}

static void *ends(void *argument)
{
    pthread_cleanup_push(cleanup, NULL);
    pthread_exit(argument);
    pthread_cleanup_pop(0);
    return argument;
}

int main(void)
{
    run(100, ends);
    assert(cleaned == 100);
    return 0;
}
