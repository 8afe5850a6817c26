#ifndef RADDLE_TESTS_ENGINE_KNOWN_H
#define RADDLE_TESTS_ENGINE_KNOWN_H

/* Judges the oracle itself by programs whose traces are known. Returns how many are wrong, after
 * saying which. */
unsigned known_check_all(void);

#endif
