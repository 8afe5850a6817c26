// C++: destructors of thread-local variables run when their thread ends, before those of keys; of others at exit, the last
// one first, after the handlers of main, and then what is marked as a destructor of the module.
// EXPECT(all): safe
// EXPECT(sc -O2): safe
// EXPECT(sc -DFAILS): assertion at=last
// EXPECT(sc -DFAILS_THREAD): assertion at=gone
#include <cassert>
#include <cstdlib>
#include <pthread.h>
#include <thread>

static int calls;
static pthread_key_t key;

struct thing {
    int place;

    explicit thing(int place) : place(place) {}
    ~thing() { assert(calls++ == place); }
};

static thing second(4), first(3);

struct local {
    int *made;

    local() : made(new int(1)) {}
    ~local()
    {
#ifdef FAILS_THREAD
        assert(*made == 1 && pthread_getspecific(key) == NULL); /* gone */
#endif
        assert(pthread_getspecific(key));
        delete made;
    }
};

static thread_local local mine;

static int get_local()
{
    return *mine.made;
}

static void key_gone(void *count)
{
    ++*static_cast<int *>(count);
}

static void at_exit()
{
    assert(calls++ == 2);
}

static void at_exit_status(int status, void *argument)
{
    assert(calls++ == 1 && status == 0 && argument == &calls);
}

__attribute__((destructor)) static void module_gone()
{
    assert(calls == 5);
#ifdef FAILS
    assert(0); /* last */
#endif
}

int main()
{
    int count = 0;

    atexit(at_exit);
    on_exit(at_exit_status, &calls);
    pthread_key_create(&key, key_gone);
    for (int i = 0; i < 2; i++)
        std::thread([&] {
            pthread_setspecific(key, &count);
            assert(get_local() == 1);
        }).join();
    assert(count == 2);
    pthread_setspecific(key, &count);
    assert(get_local() == 1);
    calls++;
    return 0;
}
