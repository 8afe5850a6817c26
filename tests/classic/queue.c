/* A queue of slots, each with a sequence number. WEAK: the number is stored with a relaxed order, which publishes nothing. ORDER: two
 * accounts are locked in two orders. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct slot {
    atomic_uint seq;
    struct {
        int number;
        const char *text;
    } value;
};

static struct {
    struct slot slots[3];
    unsigned tail;
} queue;

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 10}, {PTHREAD_MUTEX_INITIALIZER, 20}};

#ifdef WEAK
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

static void *put(void *_)
{
    struct slot *slot = &queue.slots[2];

    slot->value.number = 7;
    slot->value.text = "seven";
    atomic_store_explicit(&slot->seq, 1, PUBLISH);
    return _;
}

static void *take(void *_)
{
    struct slot *slot = &queue.slots[2];

    if (atomic_load_explicit(&slot->seq, memory_order_acquire) == 1)
        assert(slot->value.number == 7);
    return _;
}

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *_)
{
    transfer(&accounts[0], &accounts[1], 1);
    return _;
}

static void *back(void *_)
{
#ifdef ORDER
    transfer(&accounts[1], &accounts[0], 1);
#else
    transfer(&accounts[0], &accounts[1], -1);
#endif
    return _;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, put, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_create(&a, NULL, there, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(accounts[0].balance + accounts[1].balance == 30);
    return 0;
}
