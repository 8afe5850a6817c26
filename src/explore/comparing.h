#ifndef RADDLE_EXPLORE_COMPARING_H
#define RADDLE_EXPLORE_COMPARING_H

#include "explore/explorer.h"

/* When a search keeps states (states.h): from the beginning; from when it has become large, as long as states come again (STATES_AUTO); or, for
 * threads that are interchangeable whatever they did (STATES_SUMMARIES), in trials. What may follow each state costs more than the search
 * itself, and is of no use where no two threads are ever alike. A trial that finds none is followed by a pause, in which only threads that have
 * done nothing yet are compared. What is kept of a state begins with the state: those that were entered in a pause have none. */

/* As the options say, before the search. */
void comparing_open(struct explorer *explorer);

/* Whether it begins now: states are not kept yet, or not in this pause. */
bool comparing_is_due(const struct explorer *explorer);

/* Begins in the middle of a search, and goes through the present execution once more. False as execution_replay. */
bool comparing_begin(struct explorer *explorer);

/* A run is over. */
void comparing_run_done(struct explorer *explorer);

#endif
