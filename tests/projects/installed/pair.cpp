// Two threads add to a counter under a lock.
#include <cassert>
#include <mutex>
#include <pthread.h>

static std::mutex lock;
static int counter;

static void *add(void *argument)
{
    std::lock_guard<std::mutex> guard(lock);
    counter += 1;
    return argument;
}

int main()
{
    pthread_t threads[2];

    for (pthread_t &thread : threads)
        pthread_create(&thread, nullptr, add, nullptr);
    for (pthread_t &thread : threads)
        pthread_join(thread, nullptr);
    assert(counter == 2);
    return 0;
}
