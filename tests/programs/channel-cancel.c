// A thread that waits for a descriptor is cancelled there, and its handlers run.
// EXPECT: safe
// EXPECT(sc -DPOLL): safe
// EXPECT(sc -DACCEPT): safe
#include "common.h"
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int ends[2], listener;
static atomic_int cleaned;

static void clean(void *_)
{
    atomic_store(&cleaned, 1);
}

static void *waiter(void *_)
{
    char c;

    pthread_cleanup_push(clean, NULL);
#ifdef POLL
    struct pollfd p = {.fd = ends[0], .events = POLLIN};

    poll(&p, 1, -1);
#elif defined ACCEPT
    accept(listener, NULL, NULL);
#else
    read(ends[0], &c, 1);
#endif
    (void)c;
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0raddle-channel-cancel"};
    pthread_t thread;
    void *result;

    assert(pipe(ends) == 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 1) == 0);
    assert(pthread_create(&thread, NULL, waiter, NULL) == 0);
    if (pthread_cancel(thread) != 0) /* then the report says so */
        return 0;
    assert(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    assert(cleaned);
    return 0;
}
