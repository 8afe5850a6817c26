// C++: threads, mutexes with guards, conditions, atomics, containers, exceptions, thread_local, futures.
// EXPECT: safe
// EXPECT(tso,pso): safe
// EXPECT(sc -O2): safe
// EXPECT(sc -DBROKEN): assertion at=lost
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex m;
static std::condition_variable not_empty;
static std::deque<std::string> queue;
static std::atomic<int> taken{0};
static thread_local int mine = 3;

static void producer()
{
    std::string item = "an item that is too long for the string itself";

    mine++;
    {
        std::lock_guard<std::mutex> guard(m);
        queue.push_back(item);
    }
    not_empty.notify_one();
    assert(mine == 4);
}

static void consumer()
{
    std::unique_lock<std::mutex> lock(m);

    not_empty.wait(lock, [] { return !queue.empty(); });
    assert(queue.front().size() > 20);
    queue.pop_front();
    lock.unlock();
    try {
        if (mine == 3)
            throw std::runtime_error("thrown and caught");
    } catch (const std::exception &e) {
        mine = 0;
    }
    assert(mine == 0);
#ifdef BROKEN
    taken.store(taken.load() + 1);
#else
    taken++;
#endif
}

int main()
{
#ifdef BROKEN
    std::thread other([] { taken.store(taken.load() + 1); });
#endif
    std::thread a(producer), b(consumer);

    a.join();
    b.join();
#ifdef BROKEN
    other.join();
    assert(taken == 2); /* lost */
#else
    assert(taken == 1);
#endif
    return 0;
}
