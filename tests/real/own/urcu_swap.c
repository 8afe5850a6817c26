/* A reader and a writer of userspace RCU: what the reader sees is never given back under it. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>

struct pair {
    int a, b;
};

static struct pair *current;

static struct pair *pair_new(int value)
{
    struct pair *pair = malloc(sizeof *pair);

    *pair = (struct pair){value, value};
    return pair;
}

static void *reader(void *arg)
{
    struct pair *pair;

    (void)arg;
    rcu_register_thread();
    rcu_read_lock();
    pair = rcu_dereference(current);
    assert(pair->a == pair->b);
    rcu_read_unlock();
    rcu_unregister_thread();
    return NULL;
}

int main(void)
{
    pthread_t other;
    struct pair *old;

    current = pair_new(1);
    pthread_create(&other, NULL, reader, NULL);
    old = rcu_xchg_pointer(&current, pair_new(2));
    synchronize_rcu();
    free(old);
    pthread_join(other, NULL);
    free(current);
    return 0;
}
