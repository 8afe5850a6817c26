#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/files/files.h"
#include "runtime/library/library.h"
#include "runtime/sync/calls.h"

/* Locks of streams. To libc all our threads are one, so its own lock keeps nobody out: each stream has a recursive mutex of the model
 * at its address. Functions of libc do their work in one piece, so without flockfile nobody ever finds one held: only a
 * program that calls it pays for that its threads look. */

bool streams_locked; /* outlives a run: the program does not change */

static void open_locks(void)
{
    streams_locked = image_calls("flockfile") || image_calls("ftrylockfile");
}

/* The stream only names the mutex: its bytes are libc's, and of its macros. */
static uint64_t stream_ask(enum op_kind kind, const FILE *stream)
{
    return mutex_ask_at(kind, stream, MUTEX_RECURSIVE, OBJECT_APART);
}

void streams_await(const FILE *stream)
{
    if (!native.current || mutex_is_own(stream))
        return;
    stream_ask(OP_MUTEX_LOCK, stream);
    stream_ask(OP_MUTEX_UNLOCK, stream);
}

REAL_CALL(flockfile)
INTERPOSE void flockfile(FILE *stream)
{
    if (native.current)
        stream_ask(OP_MUTEX_LOCK, stream);
    else
        REAL(flockfile)(stream);
}

REAL_CALL(ftrylockfile)
INTERPOSE int ftrylockfile(FILE *stream)
{
    if (!native.current)
        return REAL(ftrylockfile)(stream);
    return stream_ask(OP_MUTEX_TRYLOCK, stream) == LOCK_GOT ? 0 : EBUSY;
}

/* Who does not hold it must not: as a normal mutex says. */
REAL_CALL(funlockfile)
INTERPOSE void funlockfile(FILE *stream)
{
    if (native.current)
        mutex_ask_at(OP_MUTEX_UNLOCK, stream, mutex_is_own(stream) ? MUTEX_RECURSIVE : MUTEX_NORMAL,
                     OBJECT_APART);
    else
        REAL(funlockfile)(stream);
}

const struct part stream_locks_part = {.name = "locks of streams", .open = open_locks};
