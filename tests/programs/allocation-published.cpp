// EXPECT(sc -DV=0): data-race
// EXPECT(sc -DV=1): data-race
// EXPECT(sc -DV=2): data-race
// EXPECT(sc -DV=3): safe

// The same of new; and functions that write for their caller, called from C++.

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

static std::atomic<int *> published;
static volatile int sink;
static void *pointer;

int main()
{
#if V == 0 || V == 3
    auto order = V == 3 ? std::memory_order_seq_cst : std::memory_order_relaxed;
    std::thread maker([=] { published.store(new int, order); });
    std::thread user([=] {
        if (int *p = published.load(order))
            sink = *p;
    });
#elif V == 1
    std::thread maker([] { posix_memalign(&pointer, 64, 10); });
    std::thread user([] { sink = pointer != nullptr; });
#else
    static sigset_t set;
    std::thread maker([] {
        auto f = [](auto call) { call(SIG_BLOCK, nullptr, &set); };
        f(pthread_sigmask);
    });
    std::thread user([] { sink = *reinterpret_cast<char *>(&set); });
#endif
    maker.join();
    user.join();
    delete published.load();
    return 0;
}
