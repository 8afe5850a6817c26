#ifndef RADDLE_BASE_CHECK_H
#define RADDLE_BASE_CHECK_H

/* Ground rules of the room `base`: containers, memory and complaints. It knows nothing of checking
 * programs, and includes no other room. */

#include <stdio.h>

#define EXIT_RADDLE_IS_WRONG 70

/* Stops the process with status 70 when raddle is wrong about itself. Always on: a checker that goes
 * on after a broken invariant may say `safe` for no reason. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            check_fail(__FILE__, __LINE__, #condition, __VA_ARGS__);                               \
    } while (0)

/* The same where the condition costs as much as what was saved by not asking: in builds with sanitizers only. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW_CHECK CHECK
#endif
#endif
#if !defined(SLOW_CHECK) && defined(__SANITIZE_ADDRESS__)
#define SLOW_CHECK CHECK
#endif
#ifndef SLOW_CHECK
#define SLOW_CHECK(...)                                                                            \
    do {                                                                                           \
    } while (0)
#endif

_Noreturn void check_fail(const char *file, int line, const char *condition, const char *format,
                          ...) __attribute__((format(printf, 4, 5)));

/* Registers what a failed CHECK prints besides its own message (the schedule that led there). One at
 * a time; NULL to remove. */
void check_set_context(void (*print)(void *context, FILE *out), void *context);

#endif
