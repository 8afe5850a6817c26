/* A queue of slots, each with a sequence number. WEAK: the number is stored with a relaxed order, which publishes nothing. ORDER: two
 * accounts are locked in two orders. BUFFER: each of two threads says that it is there, and looks for the other one: a store may wait in a buffer
 * meanwhile. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

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

#ifdef BUFFER
static struct {
    atomic_bool there[2];
    atomic_int alone;
} desk;

/* Whoever sees nobody goes on; with sequential consistency one at most does. */
static void meet(int self)
{
    atomic_store_explicit(&desk.there[self], true, memory_order_relaxed);
    if (!atomic_load_explicit(&desk.there[1 - self], memory_order_relaxed))
        assert(atomic_fetch_add_explicit(&desk.alone, 1, memory_order_relaxed) == 0);
}
#endif

static void *there(void *_)
{
#ifdef BUFFER
    meet(0);
#endif
    transfer(&accounts[0], &accounts[1], 1);
    return _;
}

static void *back(void *_)
{
#ifdef BUFFER
    meet(1);
#endif
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
