// C++: exceptions across frames, destructors, std::atomic, virtual calls, inline thread_local.
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static std::atomic<int> counter{0};
static std::atomic<long> big{5};
inline thread_local int per_thread = 3;
static int alive;

struct guard {
    int n;
    explicit guard(int m) : n(m)
    {
        alive++;
    }
    ~guard()
    {
        alive--;
        counter.fetch_add(n, std::memory_order_relaxed);
    }
};

struct shape {
    virtual ~shape() = default;
    virtual int area() const = 0;
};

struct square : shape {
    int side;
    explicit square(int s) : side(s)
    {
    }
    int area() const override
    {
        return side * side;
    }
};

static int deep(int n)
{
    guard g(n);

    if (n == 0)
        throw std::runtime_error("bottom");
    return deep(n - 1) + 1;
}

static int through(int n) // no landing pad here: its frame is left by the exception
{
    if (n > 0)
        return through(n - 1) + counter.load();
    throw 42;
}

static int middle(int n)
{
    try {
        return deep(n);
    } catch (const std::logic_error &) {
        return -1;
    }
}

int main()
{
    std::vector<shape *> shapes;
    int expected = 7, sum = 0;

    try {
        middle(6);
    } catch (const std::exception &e) {
        std::printf("%s %d %d\n", e.what(), alive, counter.load());
    }
    try {
        through(5);
    } catch (int n) {
        std::printf("%d\n", n);
    }
    counter = 7;
    bool ok = counter.compare_exchange_strong(expected, 9);
    big.fetch_or(10);
    for (int i = 0; i < 4; i++)
        shapes.push_back(new square(i));
    for (shape *s : shapes) {
        sum += s->area();
        delete s;
    }
    per_thread += sum;
    std::string text = "long enough to be on the heap " + std::to_string(per_thread);
    std::printf("%d %d %ld %d %s\n", ok, counter.load(), big.load(), sum, text.c_str());
    try {
        std::vector<int>().at(3);
    } catch (...) {
        std::puts("caught");
    }
    return 0;
}
