// Memory that is mapped where other memory was, unmapped, moved, or not to be used for a while: what was there before is not there again.
// EXPECT(all): safe
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define SIZE (16 * PAGE)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void step(void)
{
    pthread_mutex_lock(&lock);
    steps++;
    pthread_mutex_unlock(&lock);
}

static char *fresh(void *at, int flags)
{
    char *memory =
        mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

    assert(memory != MAP_FAILED);
    return memory;
}

static void all_are(const char *memory, size_t size, char value)
{
    for (size_t i = 0; i < size; i += PAGE / 8)
        assert(memory[i] == value);
}

static void *maps(void *unused)
{
    char *memory = fresh(NULL, 0), *other = fresh(NULL, 0);

    memset(memory, 1, SIZE);
    memset(other, 1, SIZE);
    step();
    munmap(memory, SIZE / 2);
    step();
    mprotect(memory + SIZE / 2, SIZE / 2, PROT_NONE);
    step();
    mprotect(memory + SIZE / 2, SIZE / 2, PROT_READ | PROT_WRITE);
    all_are(memory + SIZE / 2, SIZE / 2, 1);
    memory = mremap(memory + SIZE / 2, SIZE / 2, 4 * SIZE, MREMAP_MAYMOVE);
    assert(memory != MAP_FAILED);
    fresh(other, MAP_FIXED);
    /* from here on it stays as it is */
    step();
    step();
    all_are(other, SIZE, 0);
    memset(other, 2, SIZE);
    all_are(memory, SIZE / 2, 1);
    all_are(memory + SIZE / 2, 4 * SIZE - SIZE / 2, 0);
    memset(memory, 2, 4 * SIZE);
    step();
    all_are(other, SIZE, 2);
    all_are(memory, 4 * SIZE, 2);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, maps, NULL);
    for (int i = 0; i < 2; i++)
        step();
    pthread_join(thread, NULL);
    assert(steps == 8);
    return 0;
}
