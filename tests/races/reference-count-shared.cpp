// The library's counted pointers: atomic as soon as there may be threads, which it asks libc about.
// EXPECT: safe
// EXPECT(tso): safe
// EXPECT(sc -O2): safe
#include <cassert>
#include <memory>
#include <thread>

int main()
{
    int seen[2] = {0, 0};
    std::thread threads[2];

    {
        auto shared = std::make_shared<int>(42);

        for (int i = 0; i < 2; i++)
            threads[i] = std::thread([shared, &seen, i] { seen[i] = *shared; });
    }
    for (auto &thread : threads)
        thread.join();
    assert(seen[0] == 42 && seen[1] == 42);
    return 0;
}
