// C++: exceptions in flight, and what std::call_once, promises and tasks keep, belong to their thread.
// EXPECT(all): safe
// EXPECT(sc -O2): safe
// EXPECT(sc -DPOINTERS): safe
// EXPECT(sc -DONCE): safe
// EXPECT(sc -DPROMISE): safe
// EXPECT(sc -DASYNC): safe
// EXPECT(sc -DLOCAL): safe
#include <atomic>
#include <cassert>
#include <exception>
#include <future>
#include <mutex>
#include <string>
#include <thread>

static std::atomic<int> x;

struct counted {
    static std::atomic<int> alive;

    std::string name;

    counted(const char *text) : name(text) { alive++; }
    ~counted() { alive--; }
};
std::atomic<int> counted::alive{0};

#ifdef ONCE
static std::once_flag flag;
static int made;
#elif defined LOCAL
static thread_local counted variable("a thread-local object");
#endif

static void use(int i)
{
#ifdef POINTERS
    std::exception_ptr kept;

    try {
        throw i;
    } catch (...) {
        x++;
        kept = std::current_exception();
    }
    assert(!std::uncaught_exceptions() && !std::current_exception());
    try {
        std::rethrow_exception(kept);
    } catch (int j) {
        x++;
        assert(i == j);
    }
#elif defined ONCE
    x++;
    std::call_once(flag, [] { made++; });
    assert(made == 1);
    (void)i;
#elif defined LOCAL
    assert(variable.name == "a thread-local object");
    x++;
    variable.name += std::to_string(i);
    assert(variable.name.back() == '0' + i);
#else
    try {
        throw i;
    } catch (int) {
        x++;
        try {
            throw;
        } catch (int j) {
            x++;
            assert(i == j);
        }
    }
#endif
}

int main()
{
#ifdef PROMISE
    std::promise<int> promise;
    std::thread other([&] { promise.set_value(3); });

    x++;
    assert(promise.get_future().get() == 3);
    other.join();
#elif defined ASYNC
    std::future<int> future = std::async(std::launch::async, [] {
        if (x++ > 0)
            throw 5;
        return 4;
    });

    x++;
    try {
        assert(future.get() == 4);
    } catch (int i) {
        assert(i == 5);
    }
#else
    std::thread other(use, 1);

    use(2);
    other.join();
#endif
#ifdef LOCAL
    assert(counted::alive == 1);
#endif
}
