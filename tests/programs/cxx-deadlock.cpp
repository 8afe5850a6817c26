// C++: two mutexes in opposite order.
// EXPECT: deadlock
#include <mutex>
#include <thread>

static std::mutex a, b;

static void both(std::mutex &first, std::mutex &second)
{
    std::lock_guard<std::mutex> one(first), two(second);
}

int main()
{
    std::thread t([] { both(a, b); }), u([] { both(b, a); });

    t.join();
    u.join();
}
