// Sorting and searching with functions of the program.
#include "conform.h"
#include <stdlib.h>
#include <string.h>

struct pair {
    int key, place;
    char more[40];
};

static int by_key(const void *a, const void *b)
{
    return ((const struct pair *)a)->key - ((const struct pair *)b)->key;
}

static int by_sign(const void *a, const void *b, void *sign)
{
    return *(int *)sign * (*(const int *)a - *(const int *)b);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void program(void)
{
    static struct pair pairs[60];
    static char *words[] = {"weft", "warp", "heddle", "raddle", "reed"};
    static int numbers[500];
    struct pair wanted = {.key = 3};
    struct pair *found;
    int sign = -1, ordered = 1;

    for (int i = 0; i < 60; i++)
        pairs[i] = (struct pair){.key = i * 7 % 10, .place = i};
    qsort(pairs, 60, sizeof *pairs, by_key);
    for (int i = 0; i < 60; i++)
        NUM(pairs[i].key * 100 + pairs[i].place);
    found = bsearch(&wanted, pairs, 60, sizeof *pairs, by_key);
    NUM(found != NULL);
    NUM(found->key);
    wanted.key = 11;
    NUM(bsearch(&wanted, pairs, 60, sizeof *pairs, by_key) == NULL);
    NUM(bsearch(&wanted, pairs, 0, sizeof *pairs, by_key) == NULL);
    for (int i = 0; i < 500; i++)
        numbers[i] = i * 37 % 499;
    qsort_r(numbers, 500, sizeof *numbers, by_sign, &sign);
    for (int i = 1; i < 500; i++)
        ordered &= numbers[i - 1] >= numbers[i];
    NUM(ordered);
    qsort(words, 5, sizeof *words, by_text);
    for (int i = 0; i < 5; i++)
        NUM(words[i][0] * 256 + words[i][1]);
    qsort(numbers, 1, sizeof *numbers, NULL);
}
