// A producer and a consumer on the lock-free queue of moodycamel: nothing is lost, doubled or made up.
#include <cassert>
#include <concurrentqueue.h>
#include <thread>

struct traits : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
};

static moodycamel::ConcurrentQueue<int, traits> queue(4);

int main()
{
    int got = 0, value, sum = 0;
    std::thread producer([] {
        assert(queue.enqueue(1));
        assert(queue.enqueue(2));
    });

    if (queue.try_dequeue(value)) {
        sum += value;
        got++;
    }
    producer.join();
    while (queue.try_dequeue(value)) {
        sum += value;
        got++;
    }
    assert(got == 2 && sum == 3);
}
