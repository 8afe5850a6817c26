// EXPECT(sc): honest

// Random numbers of C++.

#include <random>
#include <thread>

int main()
{
    unsigned number = 0;
    std::thread thread([&] { number = std::random_device()(); });

    thread.join();
    return number == 1;
}
