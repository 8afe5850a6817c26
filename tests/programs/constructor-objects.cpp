// C++: static objects that have threads or take locks; those of templates and inline variables are made once.
// EXPECT: data-race
// EXPECT(sc -O2): data-race
// EXPECT(sc -DLOCKED): safe executions=2
// EXPECT(sc -DLOCKED -O2): safe executions=2
// EXPECT(sc -DHELD): deadlock
// EXPECT(sc -DPLAIN): safe executions=1
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static int x;

template <class T> struct counted {
    static std::vector<T> made;
};
template <class T> std::vector<T> counted<T>::made(3, 7);

inline std::string greeting = std::string("hello, ") + "world of static objects";

static void add()
{
#ifdef LOCKED
    std::lock_guard<std::mutex> guard(lock);
#endif
    x++;
}

#ifdef HELD
static std::unique_lock<std::mutex> held(lock);
#elif !defined PLAIN
struct pool {
    std::thread worker;

    pool() : worker(add) {}
    ~pool()
    {
        worker.join();
        assert(x == 2);
    }
};
static pool workers;
#endif

int main()
{
#ifdef HELD
    lock.lock();
#endif
    assert(counted<int>::made.size() == 3 && counted<int>::made[2] == 7);
    assert(greeting.size() == 30);
    add();
}
