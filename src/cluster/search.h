#ifndef RADDLE_CLUSTER_SEARCH_H
#define RADDLE_CLUSTER_SEARCH_H

#include "cluster/coordinator.h"
#include "cluster/numbers.h"
#include "cluster/transport.h"

/* A search by a coordinator and the workers of a transport. */
struct search {
    struct coordinator *coordinator;
    struct transport *transport;
    struct numbers *numbers; /* of threads of a native program, or NULL */
    /* Called a few times a second, or after *pause seconds, if it has made that less; false ends the search: transport->hurry says how soon. NULL is fine. */
    bool (*tick)(void *context, struct coordinator *coordinator, double *pause);
    /* The search ended before its time, and all workers that could have told what is left of their items. NULL: nobody wants to know. */
    void (*stopped)(void *context, struct coordinator *coordinator);
    void *context;
};

/* Searches until all is explored or the search is stopped; then the workers are gone, and the transport is closed. */
void search_run(struct search *search);

#endif
