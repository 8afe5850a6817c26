/* What the lower half of the runtime costs: fiber switches, restarts in place, the heap. Times are
 * given for the reader; what counts are the ratios, which compare two figures of the same run. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/core/fiber.h"
#include "runtime/core/heap.h"
#include "runtime/core/image.h"

#define PAGE    4096
#define BEST_OF 7

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Nanoseconds for one call of `body`: the best of a few rounds, as noise only adds. */
static double measure(void (*body)(void), int times)
{
    double best = 1e18;

    for (int round = 0; round < BEST_OF; round++) {
        double start = now_ns(), each;

        for (int i = 0; i < times; i++)
            body();
        each = (now_ns() - start) / times;
        best = each < best ? each : best;
    }
    return best;
}

/* ---- fibers */

static struct fiber engine, fiber;

static void fiber_answer(void *arg)
{
    (void)arg;
    for (;;)
        fiber_switch(&fiber, &engine);
}

static void round_trip(void)
{
    fiber_switch(&engine, &fiber);
}

static void nothing(void)
{
    __asm__ volatile("");
}

static void prepare(void)
{
    struct stack stack = stack_get(0);

    fiber_prepare(&fiber, stack.low, stack.size, fiber_answer, NULL);
}

static void bench_fibers(void)
{
    double call = measure(nothing, 1000000);

    prepare();
    printf("fiber switch                    %8.1f ns\n", (measure(round_trip, 1000000) - call) / 2);
    printf("stack_get and fiber_prepare     %8.1f ns\n", measure(prepare, 1000000) - call);
}

/* ---- image */

static char *globals;
static size_t globals_size;
static unsigned dirty_pages; /* how many, spread evenly */
static char *copy_to, *copy_from;

static void on_segv(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if (!image_fault(info->si_addr))
        _exit(2);
}

static void dirty(void)
{
    size_t step = globals_size / PAGE / dirty_pages * PAGE;

    for (size_t i = 0; i < dirty_pages; i++)
        globals[i * step + 64]++;
}

static void dirty_and_restart(void)
{
    dirty();
    image_restart();
}

static void copy_dirtied(void)
{
    memcpy(copy_to, copy_from, dirty_pages * PAGE);
    __asm__ volatile("" : : : "memory");
}

static char *pages(size_t size, int byte)
{
    char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED)
        exit(1);
    memset(at, byte, size);
    return at;
}

/* An image is saved once in a process. */
static void bench_image(const char *name, size_t size, unsigned dirtied)
{
    struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
    double restart, copy, first;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child) {
        waitpid(child, NULL, 0);
        return;
    }
    globals = pages(size, 1);
    globals_size = size;
    dirty_pages = dirtied;
    copy_to = pages(dirtied * PAGE, 1);
    copy_from = pages(dirtied * PAGE, 2);
    sigaction(SIGSEGV, &action, NULL);
    if (image_add_range(globals, size) || image_save())
        _exit(1);
    first = now_ns();
    dirty();
    first = (now_ns() - first) / dirtied;
    restart = measure(dirty_and_restart, 20000) - measure(dirty, 20000);
    copy = measure(copy_dirtied, 20000);
    printf("restart %-8s %5u dirty      %8.1f ns  %5.2f of a memcpy of as much;"
           " first write %.0f ns a page\n",
           name, dirtied, restart, restart / copy, first);
    fflush(stdout);
    _exit(0);
}

/* ---- heap */

static uint32_t blocks;   /* of 64 bytes, in each execution */
static double heap_ns[3]; /* summed: alloc, free, restart */

static void heap_execution(void)
{
    static void *at[10000];
    double t0 = now_ns(), t1, t2, t3;

    for (uint32_t i = 0; i < blocks; i++)
        at[i] = heap_alloc(i % 4, 64, 16, NULL);
    t1 = now_ns();
    for (uint32_t i = 0; i < blocks; i++)
        heap_free(0, at[i], NULL);
    t2 = now_ns();
    heap_restart();
    t3 = now_ns();
    heap_ns[0] += t1 - t0;
    heap_ns[1] += t2 - t1;
    heap_ns[2] += t3 - t2;
}

static void heap_large(void)
{
    *(char *)heap_alloc(0, 1 << 20, 16, NULL) = 1;
    heap_restart();
}

static void bench_heap(void)
{
    static const uint32_t counts[] = {10, 100, 10000};
    double call = measure(nothing, 1000000);

    for (size_t i = 0; i < 3; i++) {
        int times = (int)(1000000 / counts[i]);

        blocks = counts[i];
        heap_execution();
        memset(heap_ns, 0, sizeof heap_ns);
        for (int j = 0; j < times; j++)
            heap_execution();
        printf(
            "heap, %5u blocks of 64 bytes  %8.1f ns an alloc, %.1f ns a free, %.1f ns a restart\n",
            blocks, heap_ns[0] / times / blocks, heap_ns[1] / times / blocks, heap_ns[2] / times);
    }
    printf("heap_restart, nothing used      %8.1f ns\n", measure(heap_restart, 100000) - call);
    printf("heap, 1 MiB, one page touched   %8.1f ns with its restart\n",
           measure(heap_large, 10000));
}

int main(void)
{
    bench_fibers();
    bench_image("64 KiB", 64 << 10, 1);
    bench_image("64 KiB", 64 << 10, 4);
    bench_image("64 KiB", 64 << 10, 16);
    bench_image("1 MiB", 1 << 20, 16);
    bench_image("1 MiB", 1 << 20, 256);
    bench_image("64 MiB", 64 << 20, 1);
    bench_image("64 MiB", 64 << 20, 16);
    bench_heap();
    return 0;
}
