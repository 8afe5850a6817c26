#ifndef RADDLE_BASE_VEC_H
#define RADDLE_BASE_VEC_H

#include <stdint.h>

#include "base/arena.h"

/* A growing array of T in an arena. Its elements move when it grows: keep indices, not pointers. */
#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        uint32_t count;                                                                            \
        uint32_t room;                                                                             \
    }

/* Makes room for `n` more elements. */
#define vec_reserve(arena, vec, n)                                                                 \
    do {                                                                                           \
        if (__builtin_expect((vec)->room - (vec)->count < (uint32_t)(n), 0))                       \
            (vec)->at = vec_enlarge((arena), (vec)->at, sizeof *(vec)->at, (vec)->count,           \
                                    &(vec)->room, (uint32_t)(n));                                  \
    } while (0)

/* Appends one element, given as an expression. */
#define vec_push(arena, vec, ...)                                                                  \
    do {                                                                                           \
        vec_reserve((arena), (vec), 1);                                                            \
        (vec)->at[(vec)->count++] = (__VA_ARGS__);                                                 \
    } while (0)

/* The last element; there must be one. */
#define vec_last(vec) ((vec)->at[(vec)->count - 1])

/* Gives the array back to the arena. */
#define vec_free(arena, vec)                                                                       \
    do {                                                                                           \
        arena_free((arena), (vec)->at, (vec)->room * sizeof *(vec)->at);                           \
        (vec)->at = NULL;                                                                          \
        (vec)->count = (vec)->room = 0;                                                            \
    } while (0)

/* What vec_reserve calls when the array is full. */
void *vec_enlarge(struct arena *arena, void *at, size_t element, uint32_t count, uint32_t *room,
                  uint32_t more);

#endif
