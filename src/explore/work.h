#ifndef RADDLE_EXPLORE_WORK_H
#define RADDLE_EXPLORE_WORK_H

#include "base/bytes.h"
#include "explore/explorer.h"

/* A piece of a search that another process can go on with: what a worker is sent, and what a checkpoint holds. One format for both.
 *
 * It is the stack of an explorer: the schedule that leads to the present state, and for each state on the way what is done and what is planned there.
 * Sleep sets are not in it: they follow from what is done. Nothing in it means anything only in one process: agents and locations have names, by which the
 * world of another process finds its own numbers for them.
 *
 *     struct work work;
 *     work_open(&work, &arena);
 *     work_take(&work, &explorer);              the whole state of a search, between two runs
 *     work_write(&work, &identity, &bytes);     as bytes, with a header and a checksum
 *
 *     if (!work_read(&work, &arena, at, size, &identity, NULL, &error)) …says error.text
 *     explorer_open(&explorer, …);              with the same options
 *     explorer_adopt(&explorer, &work);         false: the program does not repeat the schedule
 *     explorer_restore(&explorer, &work);       counts go on where they were
 *     explorer_go_on(&explorer);                instead of explorer_run
 *
 * A native program also needs the names of its threads before it starts (work.threads). */

#define WORK_VERSION 4

/* What a work item belongs to. Others are refused. */
struct work_identity {
    uint64_t program; /* hash of the program and its arguments */
    uint64_t
        options; /* hash of all that decides which runs there are: work_options_hash, and what the caller adds */
};

/* Added to an address that is counted from where the target's memory begins (target.base). What is above ADDRESS_BITS in an address says which location of an object is
 * meant (model/object.h). */
#define WORK_RELATIVE     ((uint64_t)1 << 62)
#define WORK_ADDRESS_MASK (((uint64_t)1 << 48) - 1)

/* The name of an agent: the target's name for its thread, and which of its buffers. */
struct work_agent {
    uint64_t key;
    uint64_t addr;
    bool is_buffer;
};

/* The name of a location. Where the world has the number of an agent in the address, the name has the index of one. */
struct work_location {
    uint64_t addr;
    uint8_t kind;
};

/* Whether there is an agent in the address of a location, and how far from the low end its 32 bits are. */
bool location_has_agent(uint8_t kind, uint64_t addr, unsigned *shift);

static inline agent_id location_agent(uint64_t addr, unsigned shift)
{
    return (agent_id)(addr >> shift);
}

/* The address with another agent in it. */
static inline uint64_t location_with_agent(uint64_t addr, unsigned shift, agent_id agent)
{
    return (addr & ~((uint64_t)UINT32_MAX << shift)) | (uint64_t)agent << shift;
}

/* Threads of a native program as a session names them; in the order of their numbers. */
struct work_thread {
    uint32_t parent, rank;
};

struct work_step {
    struct choice choice;
    struct access *accesses; /* what it did touch, if that is known */
    uint32_t access_count;
    bool fatal;   /* the process died in it */
    bool inexact; /* whoever planned it does not know what it will touch, and wants to be told */
};

/* What is left to do in one state on the way, and what was done: as in struct node. The step of the schedule from there is under way. */
struct work_node {
    struct branch *planned, *done;
};

/* In all of it agent_id and loc_id are indices into `agents` and `locations`, and all memory comes from `arena`. */
struct work {
    struct arena *arena;
    VEC(struct work_agent) agents;
    VEC(struct work_location) locations;
    VEC(struct work_thread) threads;
    VEC(struct work_step) schedule;
    VEC(struct work_node) nodes; /* by depth, up to the last state: one more than steps */
    uint32_t
        root; /* the states before that depth belong to somebody else: what is said of them is only known */
    uint32_t seen; /* so many steps have been taken by somebody before; the others are new */
    bool
        fresh; /* nothing is known of the last state: what to try first there is still to be decided */
    bool under_way;              /* the search was stopped within a run, which goes on from there */
    struct explorer_stats stats; /* so far */
    uint64_t runs, max_steps, first_done, random; /* as in the explorer */
};

struct work_error {
    char text[200];
};

void work_open(struct work *work, struct arena *arena);

/* The state of a search between two runs. */
void work_take(struct work *work, const struct explorer *explorer);

/* Only how to get to the present state. */
void work_take_schedule(struct work *work, const struct explorer *explorer);

/* Goes to the state that the work describes, with all that is planned and done on the way. The explorer must be open, with the same options, and have no states
 * (new, or after explorer_reset). False if the target does not do what the schedule says: explorer->diverged tells where. False without that if the last, new step
 * is asleep: then there is nothing to do. Searches that compare states know only states that they have seen since they were opened. */
bool explorer_adopt(struct explorer *explorer, const struct work *work);

/* Goes on counting where the work says, for a search that is resumed. */
void explorer_restore(struct explorer *explorer, const struct work *work);

/* Another branch that is done there. */
void work_done_add(struct work_node *node, struct branch *branch);

/* Appends it to `out`. */
void work_write(const struct work *work, const struct work_identity *identity, struct bytes *out);

/* Reads one. False if it is not one, or damaged, or of another program, version or search than `wanted`: then error->text tells which. NULL for `wanted` takes
 * any; *identity, unless NULL, is what it says. */
bool work_read(struct work *work, struct arena *arena, const void *at, size_t size,
               const struct work_identity *wanted, struct work_identity *identity,
               struct work_error *error);

/* Without header and checksum, inside of a message that has its own. */
void work_write_inner(const struct work *work, struct bytes *out);
bool work_read_inner(struct work *work, struct arena *arena, struct bytes_reader *in);

/* Only agents, locations and threads. */
void work_write_names(const struct work *work, struct bytes *out);
void work_read_names(struct work *work, struct bytes_reader *in);

/* Parts of it. The readers take only agents and locations with smaller numbers. */
void branches_write(const struct branch *list, struct bytes *out);
struct branch *branches_read(struct arena *arena, struct bytes_reader *in, uint32_t agents,
                             uint32_t locations);
void accesses_write(const struct access *accesses, uint32_t count, struct bytes *out);
struct access *accesses_read(struct arena *arena, struct bytes_reader *in, uint32_t locations,
                             uint32_t *count);
void choice_write(struct choice choice, struct bytes *out);
struct choice choice_read(struct bytes_reader *in, uint32_t agents);

/* Of what in the options decides which runs there are. */
uint64_t work_options_hash(const struct explorer_options *options);

/* Numbers for names, and back. Either keeps a table, so that each is looked up once. */
struct work_names {
    struct work *work;               /* its agents and locations grow */
    VEC(uint32_t) agents, locations; /* by the number in the world: 1 + index, or 0 */
};

void names_open(struct work_names *names, struct work *work);
agent_id names_agent(struct work_names *names, const struct world *world, agent_id agent);
loc_id names_location(struct work_names *names, const struct world *world, loc_id loc);
struct choice names_choice_of(struct work_names *names, const struct world *world,
                              struct choice choice);
/* Event `id` as a step of a schedule. */
struct work_step work_step_of(struct work_names *names, const struct execution *x, event_id id);
/* What event `id` did touch. */
struct access *names_accesses(struct work_names *names, const struct execution *x, event_id id,
                              uint32_t *count);
/* A copy of the list, with all that follows. */
struct branch *names_branches(struct work_names *names, const struct world *world,
                              const struct branch *list);

/* The numbers that the world has for what `work` names; new ones if it has none yet. */
struct work_numbers {
    VEC(agent_id) agents;
    VEC(loc_id) locations;
};

void numbers_open(struct work_numbers *numbers, const struct work *work, struct world *world,
                  struct arena *arena);
void numbers_close(struct work_numbers *numbers, struct arena *arena);
struct choice numbers_choice(const struct work_numbers *numbers, struct choice choice);
struct branch *numbers_branches(const struct work_numbers *numbers, struct arena *arena,
                                const struct branch *list);

#endif
