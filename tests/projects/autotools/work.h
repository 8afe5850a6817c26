#ifndef WORK_H
#define WORK_H

/* Puts the numbers 1 to n into a queue, which n threads add up. */
int work_run(int n, int racy);

#endif
