/* The heap of the program under test. Each test runs in a child of its own, as the heap has no
 * closing. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "resident.h"
#include "runtime/core/guard.h"
#include "runtime/core/heap.h"
#include "runtime/core/image.h"

static const int site_a, site_b;

/* Ends the child with a message. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void in_child(void (*test)(void))
{
    pid_t child = fork();
    int status;

    if (!child) {
        test();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define CHILD_TEST(name)                                                                           \
    static void name##_child(void);                                                                \
    static void name(void **unused)                                                                \
    {                                                                                              \
        (void)unused;                                                                              \
        in_child(name##_child);                                                                    \
    }                                                                                              \
    static void name##_child(void)

static bool is_zero(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i])
            return false;
    }
    return true;
}

CHILD_TEST(names_blocks)
{
    char *a = heap_alloc(3, 10, 1, &site_a);
    char *b = heap_alloc(3, 0, 1, &site_b);
    char *c = heap_alloc(4, 100, 1, &site_a);
    const struct heap_block *block = heap_find(b);

    EXPECT(a && b && c && a != b);
    EXPECT((uintptr_t)a % 16 == 0 && (uintptr_t)b % 16 == 0);
    EXPECT(block->start == b && block->size == 0 && block->thread == 3 && block->rank == 1);
    EXPECT(block->alloc_site == &site_b && block->state == HEAP_LIVE);
    EXPECT(heap_find(c + 99)->start == c && heap_find(c + 99)->rank == 0);
    EXPECT(heap_find(a + 9)->start == a);
    EXPECT(heap_find(a + 10)->start == a && heap_find(a + 31)->start == a); /* the red zone */
    EXPECT(heap_find(a - 16)->start == a && heap_find(b - 16)->start == b);
    EXPECT(!heap_find(a - 17) && !heap_find(c + 4096) && !heap_find(&a) && !heap_find(NULL));
    EXPECT(heap_usable(a) == 10 && heap_usable(a + 1) == 0 && heap_usable(&a) == 0);
}

CHILD_TEST(addresses_ignore_other_threads)
{
    void *first = heap_alloc(1, 40, 1, NULL), *second = heap_alloc(1, 300000, 1, NULL);

    heap_restart();
    heap_alloc(2, 1000, 1, NULL);
    EXPECT(heap_alloc(1, 40, 1, NULL) == first);
    heap_alloc(0, 300000, 1, NULL);
    EXPECT(heap_alloc(1, 300000, 1, NULL) == second);
}

CHILD_TEST(judges_frees)
{
    char *a = heap_alloc(0, 64, 1, &site_a);
    int local;

    EXPECT(heap_free(1, a + 8, NULL) == HEAP_INTERIOR);
    EXPECT(heap_free(1, a - 8, NULL) == HEAP_INTERIOR);
    EXPECT(heap_free(1, &local, NULL) == HEAP_NO_BLOCK);
    EXPECT(heap_free(1, a + 4096, NULL) == HEAP_NO_BLOCK);
    EXPECT(heap_free(5, a, &site_b) == HEAP_OK);
    EXPECT(heap_find(a)->state == HEAP_FREED && heap_find(a)->free_site == &site_b);
    EXPECT(heap_find(a)->free_thread == 5);
    EXPECT(heap_free(1, a, NULL) == HEAP_DOUBLE_FREE);
    EXPECT(heap_alloc(0, 64, 1, NULL) != a); /* not reused */
    heap_restart();
    EXPECT(heap_free(1, a, NULL) == HEAP_NO_BLOCK && !heap_find(a));
    EXPECT(heap_alloc(0, 64, 1, NULL) == a && heap_find(a)->state == HEAP_LIVE);
}

CHILD_TEST(reallocates)
{
    char *a = heap_alloc(0, 8, 1, &site_a), *b = NULL;
    void *out = NULL;

    memcpy(a, "1234567", 8);
    EXPECT(heap_realloc(0, a, 1000000, &site_b, &out) == HEAP_OK && out != a);
    b = out;
    EXPECT(!strcmp(b, "1234567") && is_zero(b + 8, 999992));
    EXPECT(heap_find(a)->state == HEAP_FREED);
    EXPECT(heap_realloc(0, a, 5, &site_b, &out) == HEAP_DOUBLE_FREE);
    EXPECT(heap_realloc(0, b + 1, 5, &site_b, &out) == HEAP_INTERIOR && out == b);
    EXPECT(heap_realloc(0, b, (size_t)1 << 40, &site_b, &out) == HEAP_NO_MEMORY);
    EXPECT(heap_find(b)->state == HEAP_LIVE);
    EXPECT(heap_realloc(0, b, 4, &site_b, &out) == HEAP_OK && !memcmp(out, "1234", 4));
}

CHILD_TEST(aligns)
{
    for (size_t align = 1; align <= 1 << 20; align *= 2) {
        char *small = heap_alloc(0, 24, align, NULL), *large = heap_alloc(0, 1 << 20, align, NULL);

        EXPECT((uintptr_t)small % align == 0 && (uintptr_t)large % align == 0);
        EXPECT(heap_find(small + 23)->start == small && heap_find(large + 5)->start == large);
        EXPECT((uintptr_t)heap_alloc(HEAP_OUTSIDE, 24, align, NULL) % align == 0);
    }
}

CHILD_TEST(new_memory_is_zero)
{
    static const size_t sizes[] = {1, 100, 5000, 200000, 256 << 10, 1 << 20, 9 << 20};

    for (int execution = 0; execution < 3; execution++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            char *p = heap_alloc(0, sizes[i], 1, NULL);

            EXPECT(is_zero(p, sizes[i]));
            memset(p, 0xaa, sizes[i]);
            EXPECT(heap_free(0, p, NULL) == HEAP_OK);
        }
        for (int i = 0; i < 60; i++) { /* beyond what is cleared by hand */
            char *p = heap_alloc(0, 200000, 1, NULL);

            EXPECT(is_zero(p, 200000));
            memset(p, 0xaa, 200000);
        }
        heap_restart();
    }
}

CHILD_TEST(refuses_what_is_absurd)
{
    errno = 0;
    EXPECT(!heap_alloc(0, HEAP_BLOCK_MAX + 1, 1, NULL) && errno == ENOMEM);
    EXPECT(!heap_alloc(0, SIZE_MAX, 1, NULL) && !heap_alloc(HEAP_OUTSIDE, SIZE_MAX, 1, NULL));
    EXPECT(heap_alloc(0, (size_t)15 << 30, 1, NULL));
    errno = 0;
    EXPECT(!heap_alloc(0, (size_t)15 << 30, 1, NULL) && errno == ENOMEM);
    EXPECT(heap_alloc(0, 100, 1, NULL) && heap_alloc(1, (size_t)15 << 30, 1, NULL));
    heap_restart();
    EXPECT(heap_alloc(0, (size_t)15 << 30, 1, NULL));
}

CHILD_TEST(serves_all_threads)
{
    for (int execution = 0; execution < 2; execution++) {
        for (uint32_t i = 0; i < RUNTIME_THREADS; i++) {
            char *p = heap_alloc(i, 100, 1, NULL);

            EXPECT(p && is_zero(p, 100) && heap_find(p)->thread == i);
            *p = 1;
        }
        heap_restart();
    }
}

CHILD_TEST(finds_among_many)
{
    enum { BLOCKS = 100000 };
    char **at = heap_alloc(HEAP_OUTSIDE, BLOCKS * sizeof *at, 16, NULL);

    for (size_t i = 0; i < BLOCKS; i++)
        at[i] = heap_alloc(9, i % 777, 1, NULL);
    for (size_t i = 0; i < BLOCKS; i++) {
        EXPECT(heap_find(at[i])->rank == i && heap_find(at[i] - 1)->rank == i);
        EXPECT(heap_find(at[i] + i % 777)->rank == i);
    }
}

static void count_block(void *context, const struct heap_block *block)
{
    *(size_t *)context += block->size;
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if (!image_fault(info->si_addr))
        _exit(2);
}

CHILD_TEST(restores_initial_blocks)
{
    struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
    char *small = heap_alloc(HEAP_INITIAL, 100, 1, NULL);
    char *large = heap_alloc(HEAP_INITIAL, 1 << 20, 1, NULL);
    char *gone = heap_alloc(HEAP_INITIAL, 10, 1, NULL);
    size_t live = 0;

    sigaction(SIGSEGV, &action, NULL);
    strcpy(small, "small");
    strcpy(large + 500000, "large");
    EXPECT(heap_free(HEAP_INITIAL, gone, NULL) == HEAP_OK);
    EXPECT(!heap_snapshot() && !image_save());
    for (int execution = 0; execution < 3; execution++) {
        EXPECT(!strcmp(small, "small") && !strcmp(large + 500000, "large") && !large[0]);
        EXPECT(heap_find(small)->state == HEAP_LIVE && heap_find(small)->rank == 0);
        live = 0;
        heap_alloc(0, 5, 1, NULL);
        heap_each_live(count_block, &live);
        EXPECT(live == 100 + (1 << 20) + 5);
        small[0] = large[500000] = large[0] = 'x';
        EXPECT(heap_free(0, small, NULL) == HEAP_OK && heap_free(0, large, NULL) == HEAP_OK);
        EXPECT(heap_free(0, small, NULL) == HEAP_DOUBLE_FREE);
        EXPECT(heap_free(0, gone, NULL) == HEAP_DOUBLE_FREE);
        heap_restart();
        image_restart();
    }
}

CHILD_TEST(reuses_outside)
{
    char *kept = heap_alloc(HEAP_OUTSIDE, 100, 1, NULL);
    char *p = heap_alloc(HEAP_OUTSIDE, 100, 1, NULL), *q;
    void *out;

    strcpy(kept, "kept");
    memset(p, 0xaa, 100);
    EXPECT(heap_usable(p) >= 100 && !heap_find(p));
    EXPECT(heap_free(HEAP_OUTSIDE, p, NULL) == HEAP_OK);
    EXPECT(heap_free(HEAP_OUTSIDE, p + 1, NULL) == HEAP_NO_BLOCK);
    q = heap_alloc(HEAP_OUTSIDE, 90, 1, NULL);
    EXPECT(q == p && is_zero(q, 90));
    heap_restart();
    EXPECT(!strcmp(kept, "kept"));
    EXPECT(heap_realloc(HEAP_OUTSIDE, kept, 1 << 20, NULL, &out) == HEAP_OK &&
           !strcmp(out, "kept"));
    for (int i = 0; i < 10000; i++) {
        p = heap_alloc(HEAP_OUTSIDE, 100000, 1, NULL);
        p[99999] = 1;
        EXPECT(heap_free(HEAP_OUTSIDE, p, NULL) == HEAP_OK);
    }
}

CHILD_TEST(stays_flat)
{
    size_t before = 0;

    for (int execution = 0; execution < 200; execution++) {
        if (execution == 10)
            before = resident_kib();
        for (uint32_t thread = 0; thread < 4; thread++) {
            for (int i = 0; i < 100; i++)
                memset(heap_alloc(thread, 100, 1, NULL), 1, 100);
            memset(heap_alloc(thread, 1 << 20, 1, NULL), 1, 1 << 20);
        }
        heap_restart();
    }
    EXPECT(before && resident_kib() < before + 1024);
}

/* ---- memory that is handed out again */

static int64_t ready = 7;

static int64_t now_ready(void)
{
    return ready;
}

/* Up to when the thread that allocates comes after what each of the others did. */
static uint32_t known[4];

static bool is_known(uint32_t thread, uint32_t when)
{
    return known[thread] >= when;
}

/* Makes and frees blocks until the thread gets the place of one of them again: how many it had before. 0: never. */
static size_t count_until_again(uint32_t thread, size_t size, size_t align, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        char *p = heap_alloc(thread, size, align, NULL);

        EXPECT(p && heap_find(p)->rank == i && (uintptr_t)p % align == 0);
        if (heap_find(p)->again)
            return i;
        memset(p, 0xaa, size < 4096 ? size : 4096);
        EXPECT(heap_free(thread, p, &site_b) == HEAP_OK);
        heap_retire(p, 7);
    }
    return 0;
}

CHILD_TEST(hands_out_again_late)
{
    static const size_t sizes[] = {0, 24, 1000, 1500, 100000, 300000, 1 << 20, (size_t)3 << 30};

    heap_reuse(now_ready, is_known);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t bound = sizes[i] < 256 << 10 ? HEAP_SMALL_BOUND : HEAP_LARGE_BOUND;
        size_t count = count_until_again(1, sizes[i], 16, 10000000);

        EXPECT(count > 0 && (count * (sizes[i] + 32) >= bound || count >= HEAP_LEAST));
        heap_restart();
        EXPECT(count_until_again(2, sizes[i], 16, 10000000) == count); /* nor does it matter who */
        heap_restart();
    }
    EXPECT(count_until_again(1, 100, 4096, 10000000));
    heap_restart();
    ready = 6;
    EXPECT(!count_until_again(1, 100000, 16, 1000));
}

CHILD_TEST(hands_out_the_oldest)
{
    enum { BLOCKS = 300, SIZE = 100000 };
    char *at[BLOCKS], *again;
    size_t first = 0;

    heap_reuse(now_ready, is_known);
    for (size_t i = 0; i < BLOCKS; i++)
        at[i] = heap_alloc(0, SIZE, 16, &site_a);
    while ((uintptr_t)at[first] - heap_of(0) < HEAP_SMALL_BOUND / 4)
        first++;
    for (size_t i = BLOCKS; i-- > 0;) { /* the last one first */
        memset(at[i], 0xaa, SIZE);
        EXPECT(heap_free(0, at[i], &site_a) == HEAP_OK);
        heap_retire(at[i], 7);
    }
    for (size_t i = BLOCKS - 1; i >= first + HEAP_LEAST; i--) {
        again = heap_alloc(0, SIZE - 10, 16, &site_b);
        EXPECT(again == at[i] && is_zero(again, SIZE - 10) && heap_find(again)->again);
        EXPECT(heap_find(again)->rank == 2 * BLOCKS - 1 - i &&
               heap_find(again)->state == HEAP_LIVE);
        EXPECT(heap_find(again)->alloc_site == &site_b && !heap_find(again)->free_site);
        EXPECT(guard_allows(again, SIZE - 10) && !guard_allows(again, SIZE - 9));
        EXPECT(heap_find(again + SIZE - 1)->start == again && heap_usable(again) == SIZE - 10);
        EXPECT(!guard_allows(at[i - 1], 1)); /* still waits */
    }
    for (size_t i = 0; i < first + HEAP_LEAST; i++)
        EXPECT(heap_free(0, at[i], NULL) == HEAP_DOUBLE_FREE);
}

/* What others have freed stays freed as long as the thread does not know of it, and what it freed itself gets no other address for that. */
CHILD_TEST(others_do_not_matter)
{
    enum { BLOCKS = 1000, SIZE = 100000 };
    char **at = heap_alloc(HEAP_OUTSIDE, BLOCKS * sizeof *at, 16, NULL);

    heap_reuse(now_ready, is_known);
    for (int execution = 0; execution < 4; execution++) {
        char *theirs[50];

        for (size_t i = 0; i < 50; i++)
            theirs[i] = heap_alloc(0, SIZE, 16, NULL);
        for (size_t i = 0; i < BLOCKS; i++) {
            char *p = heap_alloc(0, SIZE, 16, NULL);

            EXPECT(execution == 0 || at[i] == p);
            at[i] = p;
            if (i % 20 == 0 && i / 20 < 50 && execution == 1) { /* now or later, or never */
                EXPECT(heap_free(1, theirs[i / 20], NULL) == HEAP_OK);
                heap_return(theirs[i / 20], 7);
            }
            EXPECT(heap_free(0, p, NULL) == HEAP_OK);
            heap_retire(p, 7);
        }
        for (size_t i = 0; i < 50 && execution == 2; i++) {
            EXPECT(heap_free(1, theirs[i], NULL) == HEAP_OK);
            heap_return(theirs[i], 7);
        }
        EXPECT(heap_find(theirs[49])->state == (execution == 1 || execution == 2));
        heap_restart();
    }
}

/* What others freed comes behind what the thread has freed itself, by their numbers, whoever was first; and each one's in its order, as far as it is known. */
CHILD_TEST(others_give_back)
{
    enum { BLOCKS = 200, SIZE = 100000 };
    char *at[BLOCKS];
    size_t first = BLOCKS - 60;

    heap_reuse(now_ready, is_known);
    for (int execution = 0; execution < 2; execution++) {
        for (size_t i = 0; i < BLOCKS; i++)
            at[i] = heap_alloc(0, SIZE, 16, NULL);
        for (uint32_t k = 0; k < 40; k++) { /* in turn, or one after the other */
            uint32_t i = execution ? k : k % 2 * 20 + k / 2;
            uint32_t thread = i < 20 ? 3 : 1;

            EXPECT(heap_free(thread, at[first + i], NULL) == HEAP_OK);
            heap_return(at[first + i], 1 + i % 20);
        }
        known[1] = known[3] = 0;
        EXPECT(!heap_find(heap_alloc(0, SIZE, 16, NULL))->again);
        known[1] = 20;
        known[3] = 10;
        for (size_t i = 0; i < 15; i++) /* thirty, and the last fifteen have to wait */
            EXPECT(heap_alloc(0, SIZE, 16, NULL) == at[first + 20 + i]);
        EXPECT(!heap_find(heap_alloc(0, SIZE, 16, NULL))->again);
        known[3] = 20;
        for (size_t i = 15; i < 20; i++)
            EXPECT(heap_alloc(0, SIZE, 16, NULL) == at[first + 20 + i]);
        for (size_t i = 0; i < 5; i++)
            EXPECT(heap_alloc(0, SIZE, 16, NULL) == at[first + i]);
        EXPECT(heap_free(1, at[first + 19], NULL) == HEAP_DOUBLE_FREE);
        heap_restart();
    }
}

CHILD_TEST(keeps_places_of_objects)
{
    char *kept = NULL;

    heap_reuse(now_ready, is_known);
    for (size_t i = 0; i < 1000; i++) {
        char *p = heap_alloc(0, 100000, 16, NULL);

        EXPECT(p != kept);
        if (i == 100)
            kept = p;
        if (p == kept)
            heap_note_object(p + 40);
        EXPECT(heap_find(p)->has_object == (p == kept));
        EXPECT(heap_free(0, p, NULL) == HEAP_OK);
        heap_retire(p, 7);
    }
    heap_note_object(&kept);
    heap_note_object(kept);
    heap_note_object(NULL);
}

CHILD_TEST(stays_flat_in_one_execution)
{
    size_t before = 0;

    heap_reuse(now_ready, is_known);
    for (size_t i = 0; i < 3000000; i++) {
        size_t size = i % 50 ? i * 7919 % 2000 : i * 7919 % 2000000;
        char *p = heap_alloc(0, size, i % 30 ? 16 : 64, NULL);

        EXPECT(p);
        if (size) {
            EXPECT(!p[0] && !p[size - 1]);
            p[0] = p[size - 1] = 1;
        }
        EXPECT(heap_free(0, p, NULL) == HEAP_OK);
        heap_retire(p, 7);
        if (i == 2000000) /* rare sizes have come often enough, too */
            before = resident_kib();
    }
    EXPECT(before && resident_kib() < before + before / 10);
}

/* ---- which bytes may be accessed */

CHILD_TEST(test_guard_small)
{
    char *block = heap_alloc(3, 21, 16, NULL);

    for (size_t n = 1; n <= 24; n++)
        for (int offset = -16; offset <= 32; offset++)
            EXPECT(guard_allows(block + offset, n) == (offset >= 0 && (size_t)offset + n <= 21));
    EXPECT(guard_allows(block + 40, 0));
    EXPECT(guard_allows(&block, sizeof block)); /* no heap at all */
    EXPECT(heap_free(3, block, NULL) == HEAP_OK);
    EXPECT(!guard_allows(block, 1) && !guard_allows(block + 20, 1));
    heap_restart();
    block = heap_alloc(3, 5, 16, NULL);
    EXPECT(guard_allows(block, 5) && !guard_allows(block, 8) && !guard_allows(block + 16, 1));
    block = heap_alloc(3, 0, 16, NULL);
    EXPECT(!guard_allows(block, 1));
}

CHILD_TEST(test_guard_large)
{
    size_t size = ((size_t)1 << 20) + 3;
    char *block = heap_alloc(0, size, 16, NULL), *other = heap_alloc(0, size, 16, NULL);

    EXPECT(guard_allows(block, size) && guard_allows(block + size - 1, 1));
    EXPECT(!guard_allows(block + size - 1, 2) && !guard_allows(block - 1, 2));
    EXPECT(guard_allows(other, 8) && guard_allows(block, 8));
    EXPECT(heap_free(0, block, NULL) == HEAP_OK);
    EXPECT(!guard_allows(block, 8) && guard_allows(other, 8));
    heap_restart();
    EXPECT(!guard_allows(other, 1));
}

CHILD_TEST(test_guard_initial)
{
    char *block = heap_alloc(HEAP_INITIAL, 40, 16, NULL);

    EXPECT(heap_snapshot() == 0);
    EXPECT(guard_allows(block, 40) && !guard_allows(block, 41));
    EXPECT(heap_free(1, block, NULL) == HEAP_OK);
    EXPECT(!guard_allows(block, 1));
    heap_restart();
    EXPECT(guard_allows(block, 40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guard_small),
        cmocka_unit_test(test_guard_large),
        cmocka_unit_test(test_guard_initial),
        cmocka_unit_test(names_blocks),
        cmocka_unit_test(addresses_ignore_other_threads),
        cmocka_unit_test(judges_frees),
        cmocka_unit_test(reallocates),
        cmocka_unit_test(aligns),
        cmocka_unit_test(new_memory_is_zero),
        cmocka_unit_test(refuses_what_is_absurd),
        cmocka_unit_test(serves_all_threads),
        cmocka_unit_test(finds_among_many),
        cmocka_unit_test(restores_initial_blocks),
        cmocka_unit_test(reuses_outside),
        cmocka_unit_test(stays_flat),
        cmocka_unit_test(hands_out_again_late),
        cmocka_unit_test(hands_out_the_oldest),
        cmocka_unit_test(others_do_not_matter),
        cmocka_unit_test(others_give_back),
        cmocka_unit_test(keeps_places_of_objects),
        cmocka_unit_test(stays_flat_in_one_execution),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
