#ifndef RADDLE_EXPLORE_CHECKPOINT_H
#define RADDLE_EXPLORE_CHECKPOINT_H

#include "explore/reduction_sharing.h"
#include "explore/work.h"

/* A search in a file, to go on with later: what work.h says of its stack, how far it came, and what whoever runs it adds (bugs, what is known of the
 * program). A file has a header and a checksum, and belongs to one program, one raddle and one set of options. */

#define CHECKPOINT_VERSION 4

/* Hashes of what it belongs to. Others are refused. */
struct checkpoint_identity {
    uint64_t raddle;  /* raddle itself: another build may make other steps of the same program */
    uint64_t program; /* with its arguments */
    uint64_t options; /* all that decides which runs there are, and what is a bug */
};

/* Appends what a file holds: `inner` behind a header. */
void checkpoint_seal(const struct checkpoint_identity *identity, const struct bytes *inner,
                     struct bytes *out);

/* Sets *inner to what the file holds. False if it is none, or damaged, or of something else than `wanted`: then error->text tells which. */
bool checkpoint_unseal(const void *at, size_t size, const struct checkpoint_identity *wanted,
                       struct bytes_reader *inner, struct work_error *error);

/* What the search in a file is: the stack of one, or the tree of many workers (cluster/coordinator.h). Its first byte. */
enum checkpoint_kind { CHECKPOINT_STACK, CHECKPOINT_TREE, CHECKPOINT_KINDS };

static inline bool checkpoint_is_tree(const struct bytes_reader *in)
{
    return in->at < in->end && *in->at == CHECKPOINT_TREE;
}

/* The search itself, if it is a stack. */
struct checkpoint_search {
    uint32_t bound;  /* options.preemption_bound, which may have grown */
    uint32_t bounds; /* stats.bounds */
    struct work work;
    VEC(uint64_t) steps; /* what each step of the schedule was: execution_op_sum */
    sharing_owner_vec owners;
};

/* Whether there is something left to go on with: the search was stopped by a limit, and is not at its end. */
bool checkpoint_is_due(const struct explorer *explorer);

/* Appends it: between two runs, or where the brake stopped it. `scratch` is for what is needed meanwhile. */
void checkpoint_write(struct explorer *explorer, struct arena *scratch, struct bytes *out);

/* Reads a stack; all memory comes from `arena`. False if it is damaged. */
bool checkpoint_read(struct checkpoint_search *search, struct arena *arena,
                     struct bytes_reader *in);

/* Goes on with the search: instead of explorer_open and explorer_run, and with the same options. options->max_executions counts from here. False
 * if the target is not deterministic: explorer->diverged tells where, and explorer->adopting if it was on the way to where the search was. */
bool checkpoint_go_on(struct explorer *explorer, struct arena *arena, struct target *target,
                      const struct explorer_options *options,
                      const struct checkpoint_search *search);

/* ---- small things of a file */

void bytes_text(struct bytes *out, const char *text); /* NULL is fine */
/* In the arena; NULL if it was that. */
const char *bytes_read_text(struct bytes_reader *in, struct arena *arena);

#endif
