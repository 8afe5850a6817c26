#ifndef RADDLE_PLAIN_PLAIN_H
#define RADDLE_PLAIN_PLAIN_H

/* Ground rules of the room `plain`: it is the libraddle.so that a program built by `raddle cc` finds when it is started by itself. It
 * interposes nothing, and the program runs code without hooks: so it behaves as it would without raddle. What is here is for the few
 * functions that have no such code, and for annotations. `raddle check` puts the library of the runtime in its place (room `runtime`),
 * which says so in __raddle_checks. */

#define EXPORTED __attribute__((visibility("default")))

#endif
