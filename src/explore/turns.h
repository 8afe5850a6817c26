#ifndef RADDLE_EXPLORE_TURNS_H
#define RADDLE_EXPLORE_TURNS_H

#include <stdbool.h>

/* `--search auto`: three searches of one program take turns. The first explores everything, the second samples by all samplers in turn (search_mixed.c),
 * the third explores within preemption bounds that grow. Each goes on where it was. A turn is a number of steps, the same for all
 * three, and twice as many from round to round. So
 * - a search that ends within its first turn is what it would have been without the others: a small program sees no difference;
 * - whichever of the three finds a bug first, all of it takes at most six times as many steps as that one alone, and three first turns.
 * The end of the first, or of the third without a run that its bound forbade, is the end of all: everything was explored. */

struct explorer;

/* Steps of a turn in the first round, done again or new: less than half a second. */
#define TURN_STEPS 300000u

/* As explorer_run and explorer_resume, if options.search is search_auto. */
bool turns_run(struct explorer *explorer);
bool turns_resume(struct explorer *explorer);

#endif
