#ifndef RADDLE_BASE_DEMANGLED_H
#define RADDLE_BASE_DEMANGLED_H

#include "base/text.h"

/* Short names of what C++ compilers say at length. What comes in is as __cxa_demangle has it. */

/* Adds a function without its parameters, its result and the arguments of templates: "app::queue::put" of "void app::queue<int>::put<long>(int)
 * const"; "lambda in app::start" of "app::start(int)::{lambda()#1}::operator()() const", and "lambda #2 in app::start" of the next one. */
void demangled_function(struct text *t, const char *name);

/* What a std::thread runs is a pointer: only the thread's state has it, at its end. */
#define DEMANGLED_POINTER        "*"
#define DEMANGLED_MEMBER_POINTER "::*"

/* Adds what a std::thread runs, by the name of a function of its state ("std::thread::_State_impl<…>::_M_run()"): the class of an object, a lambda, or
 * one of the two above. Nothing if it is no such function. */
void demangled_callable(struct text *t, const char *state);

#endif
