#include <stdint.h>
#include <string.h>

#include "runtime/program/native.h"

/* Sorting and searching with functions of the program: libc's own would access memory unseen, and keep its locks while
 * other threads run. */

#define SMALL 1024 /* bytes: sorted on the stack of the thread, which is its own */

typedef int compare_plain(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

/* Not by stdlib.h, which has a bsearch of its own to inline. */
void *malloc(size_t size);
void free(void *block);
void qsort(void *base, size_t n, size_t size, compare_plain *function);
void qsort_r(void *base, size_t n, size_t size, compare_with *function, void *context);
void *bsearch(const void *key, const void *base, size_t n, size_t size, compare_plain *function);

struct order {
    compare_plain *plain; /* one of the two */
    compare_with *with_context;
    void *context;
};

/* The function may be one of libc's, strcmp for instance: then the hooks see what it reads. */
static int compare(const struct order *order, const void *a, const void *b)
{
    const void *function =
        order->plain ? (const void *)order->plain : (const void *)order->with_context;
    uint64_t arguments[3] = {(uintptr_t)a, (uintptr_t)b, (uintptr_t)order->context};
    uint32_t count = order->plain ? 2 : 3;
    int result;

    __raddle_indirect(function, arguments, count, native_site());
    a = (const void *)(uintptr_t)arguments[0];
    b = (const void *)(uintptr_t)arguments[1];
    result = order->plain ? order->plain(a, b)
                          : order->with_context(a, b, (void *)(uintptr_t)arguments[2]);
    __raddle_indirected(function, arguments, count, (uint64_t)result, native_site());
    return result;
}

/* Sorts `n` elements, with as much space behind `space`. Equal ones stay in their order, as with libc. */
static void merge_sort(char *at, size_t n, size_t size, char *space, const struct order *order)
{
    size_t half = n / 2, i = 0, k = half, out = 0;

    if (n < 2)
        return;
    merge_sort(at, half, size, space, order);
    merge_sort(at + half * size, n - half, size, space, order);
    while (i < half && k < n) {
        bool first = compare(order, at + i * size, at + k * size) <= 0;

        memcpy(space + out++ * size, at + (first ? i++ : k++) * size, size);
    }
    memcpy(space + out * size, at + i * size, (half - i) * size);
    memcpy(at, space, (out + half - i) * size);
}

static void sort(void *base, size_t n, size_t size, const struct order *order)
{
    char small[2 * SMALL] __attribute__((aligned(16)));
    size_t bytes;
    char *copy;

    if (n < 2 || size == 0 || __builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
        return;
    copy = bytes <= SMALL ? small : malloc(2 * bytes);
    if (!copy)
        return;
    __raddle_memcpy(copy, base, bytes, native_site());
    merge_sort(copy, n, size, copy + bytes, order);
    __raddle_memcpy(base, copy, bytes, native_site());
    if (copy != small)
        free(copy);
}

INTERPOSE void qsort(void *base, size_t n, size_t size, compare_plain *function)
{
    sort(base, n, size, &(struct order){.plain = function});
}

INTERPOSE void qsort_r(void *base, size_t n, size_t size, compare_with *function, void *context)
{
    sort(base, n, size, &(struct order){.with_context = function, .context = context});
}

INTERPOSE void *bsearch(const void *key, const void *base, size_t n, size_t size,
                        compare_plain *function)
{
    struct order order = {.plain = function};
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)base + middle * size;
        int sign = compare(&order, key, at);

        if (sign == 0)
            return (void *)at;
        if (sign < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
