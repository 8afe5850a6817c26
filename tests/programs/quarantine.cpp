// The same for new and delete, and for containers.
// EXPECT: safe executions=2
// EXPECT(sc -DLATE): memory at=late says=use after free
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> turn;

struct item {
    int value = 7;
    char rest[5000];
};

static void worker()
{
    item *place = nullptr;
    bool again = false;

    turn.store(1, std::memory_order_relaxed);
    for (int i = 0; i < 9000; i++) {
        auto block = std::make_unique<item>();

        assert(block->value == 7);
        block->value = i;
        if (i == 2000)
            place = block.get();
        else
            again |= block.get() == place;
    }
    assert(again);
    for (int i = 0; i < 1000; i++) {
        std::vector<int> numbers;
        std::vector<std::string> words;

        for (int j = 0; j < 100; j++)
            numbers.push_back(j);
        for (int j = 0; j < 10; j++)
            words.push_back(std::string(100, 'x'));
        assert(numbers[99] == 99 && words.back()[99] == 'x');
    }
#ifdef LATE
    item *old = new item;

    delete old;
    delete new item;
    assert(old->value == 7); /* late */
#endif
}

int main()
{
    std::thread a(worker), b([] { turn.load(std::memory_order_relaxed); });

    a.join();
    b.join();
    return 0;
}
