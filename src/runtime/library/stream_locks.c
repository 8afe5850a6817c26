#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/files/files.h"
#include "runtime/hooks/plain.h"
#include "runtime/library/state.h"
#include "runtime/program/memory_bug.h"
#include "runtime/sync/calls.h"

/* Locks of streams. Who waited for one of libc's would stop the process, so it is told not to lock: each stream has a recursive mutex of
 * the model at its address. Functions of libc do their work in one piece, so without flockfile nobody ever finds one held: only a
 * program that calls it pays for that its threads look. */

static bool streams_locked; /* outlives a run: the program does not change */

/* Bytes of a stream that stand for all of it; all that macros of the headers use, if the program has any of them. */
static size_t stream_bytes = 8; /* outlives a run: the program does not change */

void streams_unlock(FILE *stream)
{
    if (!(stream->_flags & _IO_USER_LOCK))
        stream->_flags |= _IO_USER_LOCK;
}

static void open_locks(void)
{
    streams_unlock(stdin);
    streams_unlock(stdout);
    streams_unlock(stderr);
    streams_locked = image_calls("flockfile") || image_calls("ftrylockfile");
    if (image_calls("__overflow") || image_calls("__uflow"))
        stream_bytes = offsetof(FILE, _IO_buf_end) + sizeof(char *);
}

/* The stream only names the mutex: its bytes are libc's, and of its macros. */
static uint64_t stream_ask(enum op_kind kind, const FILE *stream)
{
    return mutex_ask_at(kind, stream, MUTEX_RECURSIVE, OBJECT_APART);
}

/* Those that take the lock do not race with each other, so for the detector their accesses are atomic ones. */
static void locked_touch(const void *stream, bool writes)
{
    memory_check_object(stream, stream_bytes, writes);
    if (native.detects && !native.alone && !native.current->sections)
        detect_atomic(detector.thread, (uint64_t)(uintptr_t)stream, stream_bytes, writes);
}

void library_stream_touch(const void *stream, bool locked, bool writes)
{
    bool waits = locked && streams_locked && !native.alone && !mutex_is_own(stream);

    if (waits)
        stream_ask(OP_MUTEX_LOCK, stream);
    if (locked)
        locked_touch(stream, writes);
    else
        native_touches(&(struct native_range){stream, stream_bytes, writes}, 1);
    if (waits)
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

const struct part stream_locks_part = {
    .name = "locks of streams", .open = open_locks, .stateless = true};
