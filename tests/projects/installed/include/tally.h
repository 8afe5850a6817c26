#ifndef TALLY_H
#define TALLY_H

/* Counts votes of several threads. */
void tally_add(int votes);
void tally_add_unlocked(int votes);
int tally_total(void);

/* Moves one vote between two drawers, each with a lock of its own. */
void tally_move(int from, int to);

#endif
