// C++: an exception that nobody catches ends the program.
// EXPECT: crash
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> x{0};

int main()
{
    std::thread t([] {
        if (x.load())
            throw std::runtime_error("too late");
    });

    x = 1;
    t.join();
}
