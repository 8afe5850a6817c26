// Memory blocks: sizes, alignment, contents, errors.
#include "conform.h"
#include <malloc.h>

static int aligned(const void *p, size_t align)
{
    return p && (uintptr_t)p % align == 0;
}

static int zeros(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return 0;
    return 1;
}

static volatile size_t huge = SIZE_MAX / 2, overflow = SIZE_MAX / 4;

static void program(void)
{
    char *a, *b = NULL;
    void *p = NULL;

    a = PTR(malloc(10));
    NUM(aligned(a, 16));
    NUM(malloc_usable_size(a) >= 10);
    memcpy(a, "abcdefghi", 10);
    a = PTR(realloc(a, 5000));
    TEXT(a);
    a = PTR(realloc(a, 4));
    NUM(memcmp(a, "abcd", 4));
    free(a);
    free(NULL);
    a = PTR(calloc(30, 3));
    NUM(zeros(a, 90));
    free(a);
    PTR(malloc(huge));
    PTR(calloc(overflow, 8));
    PTR(reallocarray(NULL, overflow, 8));
    b = PTR(reallocarray(NULL, 10, 8));
    free(b);
    p = PTR(realloc(NULL, 8));
    PTR(realloc(p, 0));
    a = PTR(malloc(0));
    free(a);
    CODE(posix_memalign(&p, 64, 100));
    NUM(aligned(p, 64));
    free(p);
    CODE(posix_memalign(&p, 3, 100));
    CODE(posix_memalign(&p, 4, 100));
    p = PTR(aligned_alloc(128, 256));
    NUM(aligned(p, 128));
    free(p);
    p = PTR(memalign(4096, 10));
    NUM(aligned(p, 4096));
    free(p);
    p = PTR(valloc(10));
    NUM(aligned(p, 4096));
    free(p);
    NUM(malloc_usable_size(NULL));
    p = PTR(sbrk(0));
}
