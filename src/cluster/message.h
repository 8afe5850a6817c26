#ifndef RADDLE_CLUSTER_MESSAGE_H
#define RADDLE_CLUSTER_MESSAGE_H

#include "base/bytes.h"

/* What workers and the coordinator tell each other. A message is its kind, the number of the item that it is about, and the rest. Messages from one to
 * another arrive in the order in which they were sent; nothing else is asked of what carries them. */
enum message_kind {
    /* to the coordinator */
    MESSAGE_READY,  /* identity: has nothing to do */
    MESSAGE_INSERT, /* names, count, reversals (twig.h): to be tried above the item */
    MESSAGE_PLAN, /* names, count, of each depth << 1 | urgent and a choice: the same without wakeup trees */
    MESSAGE_TOUCHED, /* names, count, of each the depth of the state before, the choice and accesses: what steps of the item's schedule turned out to be */
    MESSAGE_SPLIT, /* statistics, count, work: so many states from the item's root on are the coordinator's now (twig_split); work: what is left below them, if there is something */
    MESSAGE_NOTHING, /* to give away, yet */
    MESSAGE_DONE,    /* statistics, whether it was in vain: explored, and nothing is left */
    MESSAGE_BUG,     /* bytes that only those know who use the cluster */
    MESSAGE_STATS, /* statistics that do not count yet, and whether the worker gives up; to a worker: asks for them */
    MESSAGE_FAILED, /* text: the search cannot go on */
    MESSAGE_REST,   /* statistics, work: what is left of the item; the answer to MESSAGE_TELL */
    MESSAGE_NAME,   /* native programs: a thread, by parent and rank, that needs a number */

    /* to a worker */
    MESSAGE_ITEM, /* work to do */
    MESSAGE_KNOWN, /* names, count, of each a depth and branches: what comes behind the item's path there */
    MESSAGE_WANTED, /* somebody has nothing to do: give back some states, as soon as there are enough */
    MESSAGE_TELL,    /* after the present run, tell what is left of the item */
    MESSAGE_STOP,    /* the search is over */
    MESSAGE_NUMBERS, /* native programs: the threads that have a number (numbers.h) */
    MESSAGE_KINDS
};

/* A message that is to be sent. The bytes are good until the next call of who gave it. */
struct message {
    uint32_t worker; /* from or to whom */
    struct bytes bytes;
};

#endif
