#ifndef RADDLE_CLUSTER_TRANSPORT_H
#define RADDLE_CLUSTER_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

/* What carries messages between the coordinator and its workers, and looks after these: processes of this machine (local.h), or of several (remote.h). Messages
 * from one to another arrive in the order in which they were sent, or the one is told to be lost. */

struct transport;

struct transport_ops {
    const char *name;
    /* Starts the workers. False if that fails: result.why tells. */
    bool (*begin)(struct transport *transport);
    /* One message. It goes on its way by the next `take`. */
    void (*send)(struct transport *transport, uint32_t worker, const void *at, uint32_t size);
    /* Waits until there is something, but not longer than that, and tells the user. How many workers there are. */
    uint32_t (*take)(struct transport *transport, int milliseconds);
    /* The search is over: whoever is lost from now on is not replaced. */
    void (*ends)(struct transport *transport);
    /* Ends those that are still there, and gives everything back. */
    void (*close)(struct transport *transport);
};

/* Who is told. */
struct transport_user {
    void (*message)(void *context, uint32_t worker, const uint8_t *at, uint32_t size);
    void (*lost)(void *context, uint32_t worker);
    void *context;
};

/* How it went, besides what the coordinator says. */
struct transport_result {
    uint32_t lost;   /* workers that died */
    int status;      /* not 0: a worker ended with that status, and the search with it */
    const char *why; /* the environment failed, or NULL */
    int error;       /* an errno that tells more of it, or 0 */
};

struct transport {
    const struct transport_ops *ops;
    uint32_t workers;
    bool hurry; /* somebody wants the end, and will not wait */
    struct transport_user user;
    struct transport_result result;
};

#endif
