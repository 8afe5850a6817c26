/* The containers of src/base: blocks come back, arrays keep what they hold, maps find all their keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/map.h"
#include "base/vec.h"

#define RESERVE ((size_t)256 << 20)

static int open_arena(void **state)
{
    static struct arena arena;

    *state = &arena;
    return arena_open(&arena, RESERVE);
}

static int close_arena(void **state)
{
    arena_close(*state);
    return 0;
}

/* What a failed CHECK does to the process: run in a child, its complaint thrown away. */
static int status_of(void (*run)(struct arena *), struct arena *arena)
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        run(arena);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- arena */

static void arena_reuses_freed_blocks(void **state)
{
    struct arena *arena = *state;
    char *first = arena_alloc(arena, 100);
    char *second = arena_alloc(arena, 128); /* same class: both take 128 bytes */
    size_t used = arena->used;

    arena_free(arena, first, 100);
    arena_free(arena, second, 128);
    assert_ptr_equal(arena_alloc(arena, 65), second); /* the last one given back comes first */
    assert_ptr_equal(arena_alloc(arena, 128), first);
    assert_int_equal(arena->used, used);
    assert_true((char *)arena_alloc(arena, 100) >= first + 128);
    assert_int_equal(arena->used, used + 128);
}

static void arena_keeps_classes_apart(void **state)
{
    struct arena *arena = *state;
    char *small = arena_alloc(arena, 16);

    arena_free(arena, small, 16);
    assert_ptr_not_equal(arena_alloc(arena, 17), small);
    assert_ptr_equal(arena_alloc(arena, 1), small);
    arena_free(arena, NULL, 64); /* as vec_free of an empty vector does */
    assert_non_null(arena_alloc(arena, 64));
}

static void arena_blocks_are_aligned_and_disjoint(void **state)
{
    struct arena *arena = *state;
    unsigned char *blocks[200];

    for (size_t i = 0; i < 200; i++) {
        blocks[i] = arena_alloc(arena, i + 1);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        memset(blocks[i], (int)i, i + 1);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t k = 0; k <= i; k++)
            assert_int_equal(blocks[i][k], i);
}

static void alloc_all(struct arena *arena)
{
    arena_alloc(arena, RESERVE);
    arena_alloc(arena, 16);
}

static void arena_refuses_more_than_reserved(void **state)
{
    assert_int_equal(status_of(alloc_all, *state), EXIT_RADDLE_IS_WRONG);
}

static void arena_close_can_be_opened_again(void **state)
{
    struct arena *arena = *state;

    arena_close(arena);
    assert_null(arena->base);
    arena_close(arena); /* nothing to give back: harmless */
    assert_int_equal(arena_open(arena, RESERVE), 0);
    assert_int_equal(arena->used, 0);
    memset(arena_alloc(arena, 1000), 1, 1000);
}

/* ---- vec */

static void vec_grows_and_keeps_its_elements(void **state)
{
    struct arena *arena = *state;
    VEC(uint64_t) vec = {0};

    for (uint64_t i = 0; i < 100000; i++)
        vec_push(arena, &vec, i * i);
    assert_int_equal(vec.count, 100000);
    assert_true(vec.room >= vec.count);
    for (uint64_t i = 0; i < 100000; i++)
        assert_true(vec.at[i] == i * i);
    assert_true(vec_last(&vec) == (uint64_t)99999 * 99999);
    /* old arrays go back: all of them together are smaller than the last one */
    assert_true(arena->used <= 4 * vec.room * sizeof *vec.at);
}

static void vec_reserve_makes_room_once(void **state)
{
    struct arena *arena = *state;
    VEC(uint32_t) vec = {0};
    uint32_t *at, none = 0;

    vec_reserve(arena, &vec, 1000);
    at = vec.at;
    assert_true(vec.room >= 1000);
    assert_int_equal(vec.count, 0);
    for (uint32_t i = 0; i < 1000; i++)
        vec_push(arena, &vec, i);
    assert_ptr_equal(vec.at, at);
    vec_reserve(arena, &vec, none);
    assert_ptr_equal(vec.at, at);
}

static void vec_free_gives_the_array_back(void **state)
{
    struct arena *arena = *state;
    VEC(uint32_t) one = {0};
    VEC(uint32_t) other = {0};
    uint32_t *at;

    vec_reserve(arena, &one, 64);
    at = one.at;
    vec_free(arena, &one);
    assert_null(one.at);
    assert_int_equal(one.room, 0);
    vec_reserve(arena, &other, 64);
    assert_ptr_equal(other.at, at);
    vec_free(arena, &one); /* an empty one */
}

/* ---- map */

static void map_finds_many_keys(void **state)
{
    struct arena *arena = *state;
    struct map map;
    const uint32_t n = 200000;

    map_open(&map, arena);
    for (uint32_t i = 0; i < n; i++)
        map_add(&map, (uint64_t)i * 0x100000001u, i); /* close together in both halves */
    assert_int_equal(map.count, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(map_get(&map, (uint64_t)i * 0x100000001u), i);
    for (uint64_t i = n; i < 2 * (uint64_t)n; i++)
        assert_int_equal(map_get(&map, i * 0x100000001u), MAP_ABSENT);
}

static void map_takes_extreme_keys(void **state)
{
    struct map map;

    map_open(&map, *state);
    assert_int_equal(map_get(&map, 0), MAP_ABSENT);
    map_add(&map, 0, 7);
    map_add(&map, UINT64_MAX, MAP_ABSENT - 1);
    assert_int_equal(map_get(&map, 0), 7);
    assert_int_equal(map_get(&map, UINT64_MAX), MAP_ABSENT - 1);
    assert_int_equal(map_get(&map, 1), MAP_ABSENT);
}

/* Addresses are multiples of 8 in one page: they must not pile up in few slots. */
static void map_spreads_addresses(void **state)
{
    struct map map;
    uint32_t longest = 0, run = 0;

    map_open(&map, *state);
    for (uint32_t i = 0; i < 4096; i++)
        map_add(&map, 0x510000000000u + 8 * (uint64_t)i, i);
    for (uint32_t i = 0; i <= map.mask; i++) {
        run = map.slots[i].value == MAP_ABSENT ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < 100);
}

static void add_twice(struct arena *arena)
{
    struct map map;

    map_open(&map, arena);
    map_add(&map, 5, 1);
    map_add(&map, 5, 1);
}

static void map_refuses_a_key_twice(void **state)
{
    assert_int_equal(status_of(add_twice, *state), EXIT_RADDLE_IS_WRONG);
}

/* ---- check */

static void print_context(void *context, FILE *out)
{
    fprintf(out, "%s", (const char *)context);
    CHECK(0, "while printing"); /* must not come back here for ever */
}

static void fail_with_context(struct arena *arena)
{
    static char words[] = "the schedule";

    (void)arena;
    check_set_context(print_context, words);
    CHECK(1 + 1 == 3, "arithmetic %d", 1);
}

static void check_ends_even_if_its_context_fails(void **state)
{
    assert_int_equal(status_of(fail_with_context, *state), EXIT_RADDLE_IS_WRONG);
}

#define IN_ARENA(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ARENA(arena_reuses_freed_blocks),
        IN_ARENA(arena_keeps_classes_apart),
        IN_ARENA(arena_blocks_are_aligned_and_disjoint),
        IN_ARENA(arena_refuses_more_than_reserved),
        IN_ARENA(arena_close_can_be_opened_again),
        IN_ARENA(vec_grows_and_keeps_its_elements),
        IN_ARENA(vec_reserve_makes_room_once),
        IN_ARENA(vec_free_gives_the_array_back),
        IN_ARENA(map_finds_many_keys),
        IN_ARENA(map_takes_extreme_keys),
        IN_ARENA(map_spreads_addresses),
        IN_ARENA(map_refuses_a_key_twice),
        IN_ARENA(check_ends_even_if_its_context_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
