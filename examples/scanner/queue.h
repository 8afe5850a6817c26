#ifndef SCANNER_QUEUE_H
#define SCANNER_QUEUE_H

/* Paths still to be looked at. Whoever looks at a directory adds what is in it, so the queue may be empty while
 * work is still to come: it is finished when it is empty and nobody is busy. */

/* Adds a copy of the path. 0, or -1 if there is no memory. */
int queue_put(const char *path);

/* The next path, to be freed by the caller, who is busy with it until queue_done(); waits while there is none.
 * NULL when all is done. */
char *queue_take(void);

/* The caller is no longer busy with the path it took. */
void queue_done(void);

#endif
