#ifndef RADDLE_RUNTIME_PROGRAM_CONSTRUCTORS_H
#define RADDLE_RUNTIME_PROGRAM_CONSTRUCTORS_H

/* Functions of the program that run before main: marked as constructors, or making static objects of C++.
 *
 * Most of them only fill memory. They run once, before the start is saved, and each run finds what they have left. One that asks for
 * something that belongs to the search (a thread, a lock, a choice, the time, the end of the process…) cannot do so: then the
 * process starts anew, and all of them are the beginning of the main thread in every run. Which calls leave no more than
 * memory behind is known (constructors.c); any other that raddle has a function for belongs to the search.
 *
 * Constructors of libraries that raddle did not compile always run before the start. Their locks and the like succeed at once;
 * what they cannot have is named. */

#include <stdint.h>

/* How many of the program's constructors the process is inside of, before the start. */
extern uint32_t constructors_inside;

void constructors_start_anew(void);

/* Called where there is no program thread, before something that belongs to the search: does not return in a constructor of the
 * program. */
static inline void constructors_leave(void)
{
    if (__builtin_expect(constructors_inside, 0))
        constructors_start_anew();
}

/* A constructor calls a function that raddle interposes: the same, unless that leaves nothing behind but what each run finds. */
void constructors_call(const char *name);

/* Before the start a library was refused something: the verdict is incomplete, as soon as there can be one. `name` is kept. */
void constructors_refuse(const char *name);

/* The search can be told what was refused. */
void constructors_tell(void);

/* At the beginning of the main thread of each run: those that belong to it. */
void constructors_run(void);

#endif
