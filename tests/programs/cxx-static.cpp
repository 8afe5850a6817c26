// C++: a variable that is static in a function is made by one thread, and known to all that come after; also if the first try throws.
// EXPECT(all): safe
// EXPECT(all -O2): safe
// EXPECT(sc -DWRITES): data-race
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> tries{0};

struct thing {
    int value;

    thing() : value(7)
    {
        if (tries++ == 0)
            throw 1;
    }
};

static thing &get_static()
{
    static thing it;

    return it;
}

static void use()
{
    try {
        assert(get_static().value == 7);
#ifdef WRITES
        get_static().value = 7;
#endif
    } catch (int) {
        assert(get_static().value == 7);
    }
}

int main()
{
    std::thread other(use);

    use();
    other.join();
    assert(tries == 2);
}
