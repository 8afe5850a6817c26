#ifndef RADDLE_RUNTIME_PROGRAM_STREAMS_H
#define RADDLE_RUNTIME_PROGRAM_STREAMS_H

/* Streams of libc that were open at the start. libc reads for them by calls that nobody can interpose, so they are compared with what
 * they were. */

/* After image_save: what they look like at the start. */
void streams_saved(void);

/* The program ends as by exit: what it wrote to streams of its own goes to their files. */
void streams_flush(void);

/* The program reads from `fd` or seeks on it: says so if the next execution will find something else. */
void streams_moving(int fd);

#endif
