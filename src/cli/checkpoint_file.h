#ifndef RADDLE_CLI_CHECKPOINT_FILE_H
#define RADDLE_CLI_CHECKPOINT_FILE_H

#include "cli/cli.h"
#include "explore/checkpoint.h"

/* --checkpoint and --resume: what is left of a search, in a file. It is replaced as a whole, so that there is a good one at each moment. */

#define CHECKPOINT_SECONDS 60 /* from one to the next, unless told otherwise */

struct checkpoint_file {
    const struct settings *settings;
    struct checkpoint_identity identity;
    double started; /* by seconds_now */
    double before;  /* seconds that the search had taken when it was resumed */
    double next;    /* when the next one is due; 0: none is wanted */
    bool written;   /* some is in the file */
    bool failed;    /* some could not be written, which was said */
    char *loaded;   /* what --resume has read */
};

/* Whether the settings go together; if not, says so on stderr. */
bool checkpoint_settle(const struct settings *settings);

/* `program`: a hash of it and its arguments. False, after one line on stderr, if there cannot be such a file. */
bool checkpoint_file_open(struct checkpoint_file *file, const struct settings *settings,
                          uint64_t program);
void checkpoint_file_close(struct checkpoint_file *file);

/* Of the program's file or text, and its arguments, ending with NULL; NULL if there are none. */
uint64_t checkpoint_program(uint64_t fingerprint, char *const *arguments);

/* Of raddle itself, and of the options that decide which runs there are and what is a bug. */
uint64_t checkpoint_raddle(void);
uint64_t checkpoint_options(const struct settings *settings);

/* Reads the file of --resume into *inner. False, after one line on stderr, if it cannot be used. */
bool checkpoint_file_load(struct checkpoint_file *file, struct bytes_reader *inner);

/* Says that what was loaded cannot be used. */
void checkpoint_file_refuse(const struct checkpoint_file *file);

static inline bool checkpoint_file_is_due(const struct checkpoint_file *file)
{
    return file->next > 0 && seconds_now() >= file->next;
}

/* Replaces the file. After a failure, which is said once, it goes on trying. */
void checkpoint_file_write(struct checkpoint_file *file, const struct bytes *inner);

/* The file that holds what is left of a search that has ended, or NULL. */
const char *checkpoint_file_kept(const struct checkpoint_file *file, bool complete);

/* The search has ended. If nothing is left of it, removes the file; else says by which command it goes on. */
void checkpoint_file_end(struct checkpoint_file *file, bool complete);

#endif
