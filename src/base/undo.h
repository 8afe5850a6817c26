#ifndef RADDLE_BASE_UNDO_H
#define RADDLE_BASE_UNDO_H

/* What was done outside the process, and how to take it back: names in the file system, and system calls to be made. Whoever
 * is about to change a name keeps it first; undo_all puts everything back, newest first. The journal lies in an arena that another
 * process may have mapped at the same place: then that process can put back what one that died has left.
 *
 * A name is kept with what it stands for at that moment: nothing, a file with its contents, a link, a directory… A file that was moved
 * goes back to where it was, and stays the same file; one that was removed or replaced is made anew, with the same contents, mode,
 * owner, times and attributes. Asks the kernel by syscall() only, as libraddle.so must. */

#include <stdbool.h>
#include <time.h>

#include "base/vec.h"

#define UNDO_FILE_MAX  ((size_t)16 << 20)  /* bytes of one file that are kept */
#define UNDO_TOTAL_MAX ((size_t)256 << 20) /* of all */
#define UNDO_ARGUMENTS 6

/* One name, and what it stood for. */
struct undo_name {
    char *path; /* absolute, without links on the way */
    bool was_there;
    uint32_t mode, user, group, links;
    uint64_t device, inode, special; /* `special`: of a device file */
    size_t size;
    struct timespec times[2], parent_times[2]; /* of access and of change, as utimensat has them */
    char *content;                             /* of a file or link, or NULL if it is not kept */
    size_t content_size;
    char *attributes; /* extended ones, each: name, 0, eight bytes of size, value */
    size_t attributes_size;
};

/* A system call that takes something back. */
struct undo_call {
    long number;
    long arguments[UNDO_ARGUMENTS];
    void *data; /* in the arena, if an argument points to it, or NULL */
    size_t data_size;
    bool outlives; /* what it takes back is not gone with the process */
};

struct undo {
    VEC(struct undo_name) names;
    VEC(struct undo_call) calls;
    uint32_t fence; /* names before it may stand for something else by now: a directory was moved */
    size_t kept;    /* bytes of contents */
    bool outside;   /* something was changed that other processes can see; stays set */
};

enum undo_how {
    UNDO_FOLLOW = 1, /* a link at the end is followed */
    UNDO_CONTENT =
        2,         /* what the file holds may change or be lost, not only what it says of itself */
    UNDO_NAME = 4, /* the name may come to stand for something else, or for nothing */
};

enum undo_result {
    UNDO_KEPT,      /* or the change will fail anyway */
    UNDO_TOO_LARGE, /* UNDO_FILE_MAX, UNDO_TOTAL_MAX */
    UNDO_LINKED,    /* one of several names of a file */
    UNDO_STRANGE, /* a device, or a file in which the kernel shows itself: a change there can do anything */
};

/* The name is about to be changed; relative to the directory `at`, or to where the process is if that is AT_FDCWD. */
enum undo_result undo_keep(struct undo *undo, struct arena *arena, int at, const char *path,
                           unsigned how);

/* The same for the file that `fd` has open. */
enum undo_result undo_keep_open(struct undo *undo, struct arena *arena, int fd, unsigned how);

/* The directory of that name is about to be moved: what its files are called changes. */
void undo_move_begins(struct undo *undo, int at, const char *path);

/* `call` has to be made. Its data are copied, and `pointer`, if it is not -1, is the number of the argument that becomes their address. */
void undo_call_add(struct undo *undo, struct arena *arena, const struct undo_call *call,
                   int pointer);

/* Makes the calls, then puts the names back. `died`: this is another process than the one whose journal it is. False if something
 * stays as it is. */
bool undo_all(struct undo *undo, struct arena *arena, bool died);

#endif
