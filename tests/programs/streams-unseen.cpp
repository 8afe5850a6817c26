// Streams of C++ are not seen, and named as the source has them, each name once.
// EXPECT: incomplete executions=2 says=not seen: std::operator<<, std::ostream::operator<<\)
#include <iostream>
#include <mutex>
#include <thread>

static std::mutex m;
static int n;

static void work(int i)
{
    std::lock_guard<std::mutex> guard(m);

    n++;
    std::cout << "thread " << i << std::endl;
}

int main()
{
    std::thread a(work, 1), b(work, 2);

    a.join();
    b.join();
    return n != 2;
}
