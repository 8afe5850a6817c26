#ifndef RADDLE_CLI_MPI_H
#define RADDLE_CLI_MPI_H

#include "cli/cli.h"
#include "cluster/remote.h"

/* --mpi: this raddle is one of several that mpirun has started. The first one does all that the user sees, and the others search for it. */

/* What they search: they must have the same. */
struct subject {
    enum subject_kind { SUBJECT_PROGRAM, SUBJECT_SCRIPT, SUBJECT_KINDS } kind;
    const char *file;
    uint64_t fingerprint; /* of the file */
    char *const *argv;    /* of a program; argv[0] included, ending with NULL */
    struct work_identity identity;
};

/* Becomes a rank: this process goes on in a child of it, and settings->jobs is how many others there are. 0, or the exit status after one line on stderr. */
int mpi_enter(struct settings *settings);

uint32_t mpi_rank(void);

/* In the first rank: to the workers of the others. There is one at a time. */
struct transport *mpi_transport(const struct settings *settings, const struct subject *subject,
                                const struct bytes *session);

/* In the others: works until the first one has ended. The exit status. */
int mpi_serve(const struct settings *settings);

/* In a new process of one of them, which ends: is a worker. */
_Noreturn void check_program_work(const struct subject *subject, const struct settings *settings,
                                  const struct bytes *known, struct link *link, int mail_fd);
_Noreturn void check_script_work(const struct subject *subject, const struct settings *settings,
                                 struct link *link, int mail_fd);

#endif
