// What runs at the end of the process races with threads that are still there.
// EXPECT(all): data-race
// EXPECT(sc -DFREED): data-race
// EXPECT(sc -DMODULE): data-race
// EXPECT(sc -DSTATUS): data-race
// EXPECT(sc -DJOINED): safe
// EXPECT(sc -DJOINED -DFREED): safe
// EXPECT(sc -DJOINED -DMODULE): safe
#include <cstdlib>
#include <memory>
#include <pthread.h>

static long x;

#ifdef FREED
static std::unique_ptr<long> owner(new long(1));
#define TOUCH() (*owner = 2)
#else
#define TOUCH() (x = 2)
#endif

#ifdef MODULE
__attribute__((destructor)) static void gone()
{
    x = 3;
}
#elif defined STATUS
static void gone(int, void *)
{
    x = 3;
}
#elif !defined FREED
struct thing {
    ~thing() { x = 3; }
};

static thing it;
#endif

static void *work(void *argument)
{
    TOUCH();
    return argument;
}

int main()
{
    pthread_t t;

#ifdef STATUS
    on_exit(gone, nullptr);
#endif
    pthread_create(&t, nullptr, work, nullptr);
#ifdef JOINED
    pthread_join(t, nullptr);
#endif
    return 0;
}
