// std::random_device draws by instructions of the processor, in a library that raddle did not compile: it gets the same numbers in each run.
// EXPECT: incomplete executions=2 says=random numbers of the system
#include <atomic>
#include <cassert>
#include <random>
#include <thread>

static std::atomic<unsigned> x;

static unsigned random_device_draw()
{
    static std::random_device device;

    return device();
}

int main()
{
    unsigned first = random_device_draw(), second = random_device_draw();

    assert(first != second);
    std::thread thread([first] { x = first; });

    assert(x == 0 || x == first);
    thread.join();
}
