/* Annotations for programs that raddle checks. `raddle cc` and `raddle c++` define __RADDLE__; with any other compiler the
 * annotations are nothing, and the program needs no library. */
#ifndef RADDLE_H
#define RADDLE_H

#ifdef __RADDLE__

#ifdef __cplusplus
extern "C" {
#endif

/* A bug if `condition` is false, whatever NDEBUG says. */
#define raddle_assert(condition)                                                                   \
    ((condition) ? (void)0 : raddle_fail(#condition, __FILE__, __LINE__))

/* Gives up the run if `condition` is 0. */
void raddle_assume(int condition);

/* A number from 0 to n - 1; all of them are explored. */
unsigned raddle_choose(unsigned n);

/* Between the two, no other thread does anything. What is inside must not wait, and must not choose. */
void raddle_atomic_begin(void);
void raddle_atomic_end(void);

/* Reports a failed assertion. */
void raddle_fail(const char *expression, const char *file, unsigned line) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#else /* their arguments are compiled, and not evaluated */

#define raddle_assert(condition) ((void)sizeof((condition) ? 1 : 0))
#define raddle_assume(condition) ((void)sizeof((condition) ? 1 : 0))
#define raddle_choose(n)         ((void)sizeof(n), 0u)
#define raddle_atomic_begin()    ((void)0)
#define raddle_atomic_end()      ((void)0)
#define raddle_fail(expression, file, line)                                                        \
    ((void)sizeof(expression), (void)sizeof(file), (void)sizeof(line))

#endif

#endif
