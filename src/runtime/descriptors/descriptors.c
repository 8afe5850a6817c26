#include "runtime/descriptors/descriptors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fingerprint.h"
#include "model/object.h"
#include "runtime/core/kernel.h"
#include "runtime/core/state_fork.h"
#include "runtime/ending/ending.h"
#include "runtime/program/spin.h"
#include "runtime/report/names.h"
#include "runtime/signals/signals.h"

/* Which description a descriptor stands for, and what is in channels. */

#define ARENA_RESERVE ((size_t)64 << 30)
#define NUMBERS       (CHANNELS_BY_DESCRIPTOR | (uint64_t)1 << 32) /* the table of all of them */
#define NUMBERS_MANY  (CHANNELS_BY_DESCRIPTOR | (uint64_t)2 << 32) /* that it is large */

/* A descriptor number, and who used it while several threads ran. */
struct slot {
    struct description *description;
    struct users users; /* a change: it was closed, or made to stand for something else */
    uint32_t version;   /* how often */
};

static struct {
    struct arena arena; /* of this execution */
    VEC(struct slot) slots;
    VEC(uint32_t) ranks; /* by thread: channels it has made */
    struct channel *all;
    struct users numbers;               /* of the table: who has opened and closed */
    void (*gone)(struct description *); /* who wants to know; set once */
} descriptors;

/* ---- memory */

void *channels_alloc(size_t size)
{
    return memset(arena_alloc(&descriptors.arena, size), 0, size);
}

void channels_free(void *block, size_t size)
{
    arena_free(&descriptors.arena, block, size);
}

void channels_on_gone(void (*gone)(struct description *))
{
    descriptors.gone = gone;
}

static size_t channels_describe(uint64_t name, char *text, size_t size);

static bool is_modelled_pipe(int fd)
{
    const struct description *d = channels_find(fd);

    return d && d->kind == DESCRIPTION_PIPE && !d->outside;
}

static void open_arena(void)
{
    state_fork_models = is_modelled_pipe;
    names_tellers.channel = channels_describe;
    CHECK(arena_open(&descriptors.arena, ARENA_RESERVE) == 0, "no address space for channels");
}

static void restart(void)
{
    descriptors.arena.used = 0;
    memset(descriptors.arena.free, 0, sizeof descriptors.arena.free);
    memset(&descriptors.slots, 0, sizeof descriptors.slots);
    memset(&descriptors.ranks, 0, sizeof descriptors.ranks);
    descriptors.all = NULL;
    memset(&descriptors.numbers, 0, sizeof descriptors.numbers);
}

uint64_t channels_name(void)
{
    uint32_t thread = native.current->number;

    while (descriptors.ranks.count <= thread)
        vec_push(&descriptors.arena, &descriptors.ranks, 0u);
    return ((uint64_t)thread + 1) << 24 | ++descriptors.ranks.at[thread];
}

static struct channel *channel_new(const char *what, uint64_t name, int fd)
{
    struct channel *channel = channels_alloc(sizeof *channel);

    channel->name = name;
    channel->made = native_site();
    channel->what = what;
    channel->fd = fd;
    channel->next = descriptors.all;
    descriptors.all = channel;
    return channel;
}

struct channel *channels_channel(const char *what, int fd)
{
    return channel_new(what, channels_name(), fd);
}

struct channel *channels_named(const char *what, uint64_t name, int fd)
{
    struct channel *channel = descriptors.all;

    while (channel && channel->name != name)
        channel = channel->next;
    return channel ? channel : channel_new(what, name, fd);
}

struct channel *channels_queue(uint64_t name, int fd)
{
    return channels_named("queue of connections", name, fd);
}

/* ---- what outlives an execution */

/* The facts, ready to be looked up; some may have come from a trace. */
static struct map *facts(void)
{
    struct session *session = native.session;
    struct map *map = &session->fact_values;

    if (!map->arena)
        map_open(map, &session->arena);
    for (uint32_t i = map->count; i < session->facts.count; i++)
        map_add(map, session->facts.at[i].key, session->facts.at[i].value);
    return map;
}

uint32_t channels_recall(uint64_t key)
{
    return map_get(facts(), key);
}

void channels_remember(uint64_t key, uint32_t value)
{
    if (channels_recall(key) != MAP_ABSENT)
        return;
    vec_push(&native.session->arena, &native.session->facts, (struct session_fact){key, value});
    native.session->outside = true;
}

/* ---- descriptors */

static struct slot *slot_of(int fd)
{
    while (descriptors.slots.count <= (uint32_t)fd)
        vec_push(&descriptors.arena, &descriptors.slots, (struct slot){0});
    return &descriptors.slots.at[fd];
}

struct description *channels_find(int fd)
{
    return fd >= 0 && (uint32_t)fd < descriptors.slots.count ? descriptors.slots.at[fd].description
                                                             : NULL;
}

static uint64_t contest_key(uint64_t name)
{
    return mix64((uint64_t)'c' << 56 | name);
}

/* One thread changes what another uses: from now on both are scheduling points, from the beginning of the search. */
static void contest(uint64_t name)
{
    if (channels_recall(contest_key(name)) != MAP_ABSENT)
        return;
    channels_remember(contest_key(name), 1);
    if (name &
        CHANNELS_BY_DESCRIPTOR) /* who opens something then may change what it stands for, too */
        channels_remember(contest_key(NUMBERS), 1);
    native.session->begin_anew = true;
}

enum numbers_by channels_numbers_by(void)
{
    if (channels_recall(contest_key(NUMBERS)) == MAP_ABSENT)
        return NUMBERS_BY_KERNEL;
    return channels_recall(contest_key(NUMBERS_MANY)) == MAP_ABSENT ? NUMBERS_BY_MODEL
                                                                    : NUMBERS_BY_THREAD;
}

void channels_numbers_are_many(void)
{
    contest(NUMBERS_MANY);
}

/* The running thread uses or changes the object of that name. Users are those of one time during which several threads run. True if it
 * must be a step. */
static bool users_note(struct users *users, uint64_t name, bool changes)
{
    if (native.alone)
        return false;
    if (users->phase != native.phase)
        *users = (struct users){.phase = native.phase, .first = native.current->number};
    users->several |= users->first != native.current->number;
    users->changed |= changes;
    if (users->several && users->changed)
        contest(name);
    return channels_recall(contest_key(name)) != MAP_ABSENT;
}

static void users_add(struct users *users, uint64_t name, bool changes)
{
    if (users_note(users, name, changes))
        channels_ask(changes ? OP_CHANNEL_USE : OP_CHANNEL_LOOK, name, 0, 0, 0);
}

static void slot_used(int fd)
{
    if (!native.alone)
        users_add(&slot_of(fd)->users, channels_number_name(fd), false);
}

/* A number that was never closed in this execution is news: nobody can have used it for something else. */
void channels_numbered(int fd)
{
    struct slot *slot = slot_of(fd);

    users_note(&descriptors.numbers, NUMBERS, true);
    if (slot->version)
        users_note(&slot->users, channels_number_name(fd), true);
    slot->version++;
}

/* The number becomes free, or stands for something else. */
static void slot_changes(int fd, bool replaces)
{
    users_note(&descriptors.numbers, NUMBERS, replaces);
    if (!numbers_set(fd, replaces))
        users_add(&slot_of(fd)->users, channels_number_name(fd), true);
    else
        users_note(&slot_of(fd)->users, channels_number_name(fd), true);
    slot_of(fd)->version++;
}

static bool is_number(int fd)
{
    return fd >= 0 && fd < CHANNELS_DESCRIPTORS;
}

static struct description *use(int fd, bool changes)
{
    struct description *d;

    if (!is_number(fd))
        return NULL;
    slot_used(fd);
    d = channels_find(fd);
    if (d)
        users_add(&d->users, d->name, changes);
    return channels_find(fd);
}

struct description *channels_use(int fd)
{
    return use(fd, false);
}

struct description *channels_or_file(int fd)
{
    return channels_find(fd) ? channels_use(fd) : NULL;
}

uint64_t channels_number(int fd)
{
    uint64_t name = channels_number_name(fd);

    if (!is_number(fd) || native.alone || !users_note(&slot_of(fd)->users, name, false))
        return 0;
    return name;
}

uint32_t channels_version(int fd)
{
    return fd >= 0 && (uint32_t)fd < descriptors.slots.count ? descriptors.slots.at[fd].version : 0;
}

struct description *channels_change(int fd)
{
    return use(fd, true);
}

struct description *channels_new(enum description_kind kind)
{
    struct description *d = channels_alloc(sizeof *d);

    d->kind = (uint8_t)kind;
    d->name = channels_name();
    return d;
}

void channels_add(int fd, struct description *description)
{
    slot_of(fd)->description = description;
    description->descriptors++;
}

/* The ends that a description holds, as the operation has it. */
static void ask_ends(const struct description *d, enum op_kind kind, unsigned flags)
{
    struct op op = native_op(kind, NULL);

    if (!d->in && !d->out)
        return;
    if (d->kind == DESCRIPTION_COUNTER || d->kind == DESCRIPTION_SET ||
        d->kind == DESCRIPTION_OTHER)
        return;
    op.addr = d->out ? d->out->name : d->in->name;
    op.mutex = d->out && d->in ? d->in->name : 0;
    op.variant = (uint8_t)(flags | (d->out ? CHANNEL_WRITER : 0) |
                           (op.mutex && d->type != SOCK_DGRAM ? CHANNEL_RESETS : 0) |
                           (d->kind == DESCRIPTION_LISTENER ? CHANNEL_QUEUE : 0));
    native_ask(&op);
}

void channels_drop(struct description *d)
{
    ask_ends(d, OP_CHANNEL_CLOSE, CHANNEL_ABORTS);
}

bool channels_close(int fd, bool replaces, struct description **rest)
{
    bool was = channels_find(fd);
    struct description *d;

    *rest = NULL;
    if (!is_number(fd))
        return true;
    slot_changes(fd, replaces);
    d = channels_find(fd);
    if (!d)
        return !was;
    if (d->busy > 0)
        native_unsupported("a descriptor that one thread closes while another waits on it");
    descriptors.slots.at[fd].description = NULL;
    *rest = d;
    return true;
}

void channels_let_go(struct description *rest)
{
    if (!rest)
        return;
    if (--rest->descriptors == 0) {
        descriptors.gone(rest);
        if (rest->gone)
            rest->gone(rest);
    }
    ask_ends(rest, OP_CHANNEL_CLOSE, 0);
}

struct description *channels_hold(int fd)
{
    struct description *d = channels_find(fd);

    if (!d)
        return NULL;
    d->descriptors++;
    ask_ends(d, OP_CHANNEL_DUP, 0);
    return d;
}

void channels_held(int fd, struct description *held)
{
    if (held)
        slot_of(fd)->description = held;
}

void channels_duplicate(int from, int to)
{
    struct description *d = channels_find(from);

    if (!d)
        return;
    channels_add(to, d);
    ask_ends(d, OP_CHANNEL_DUP, 0);
}

/* ---- operations */

int64_t channels_ask(enum op_kind kind, uint64_t name, uint64_t value, uint64_t room,
                     unsigned flags)
{
    struct op op = native_op(kind, NULL);
    cell_value result;

    op.addr = name;
    op.value = value;
    op.expect = room;
    op.variant = (uint8_t)flags;
    if (kind == OP_CHANNEL_TRYGET || kind == OP_CHANNEL_TRYPUT || kind == OP_CHANNEL_TRYPOLL ||
        kind == OP_FILE_TRYLOCK)
        spin_before(native_site());
    if (!(op_infos[kind].flags & OP_BLOCK))
        return (int64_t)native_ask(&op);
    result = signals_ask(&op, kind == OP_CHANNEL_POLL ? SIGNALS_ENDS : SIGNALS_RESTARTS);
    return result == WAIT_INTERRUPTED ? -EINTR : (int64_t)result;
}

int64_t channels_ask_timed(enum op_kind kind, uint64_t name, uint64_t value, uint64_t room,
                           unsigned flags)
{
    int64_t got = channels_ask(kind, name, value, room, flags);

    return got == -EAGAIN && signals_meanwhile(SIGNALS_ENDS) == SIGNALS_INTERRUPTED ? -EINTR : got;
}

unsigned channels_cancellable(void)
{
    return native_cancellable() ? CHANNEL_CANCELLED : 0;
}

/* Whoever waits already does not look again, or does if he is woken in vain: that depends on what it is. */
void channels_flagging(const struct description *d, bool nonblocking)
{
    if (d->busy && d->nonblocking != nonblocking)
        native_unsupported("O_NONBLOCK set while another thread waits");
}

void channels_unknown(const struct description *d)
{
    char text[64];

    snprintf(text, sizeof text, "waiting for a %s", d->in->what);
    native_unsupported(text);
}

int channels_fail(int error)
{
    errno = error;
    return -1;
}

/* ---- contents */

static void bytes_grow(struct channel *channel, size_t size)
{
    size_t room = channel->room ? channel->room : 256;
    char *bytes;

    if (channel->first + channel->used + size <= channel->room)
        return;
    while (room < channel->used + size)
        room *= 2;
    bytes = room == channel->room ? channel->bytes : channels_alloc(room);
    memmove(bytes, channel->bytes + channel->first, channel->used);
    if (bytes != channel->bytes)
        arena_free(&descriptors.arena, channel->bytes, channel->room);
    channel->bytes = bytes;
    channel->room = room;
    channel->first = 0;
}

void channels_put(struct channel *channel, const void *from, size_t size)
{
    if (size == 0)
        return;
    bytes_grow(channel, size);
    memcpy(channel->bytes + channel->first + channel->used, from, size);
    channel->used += size;
}

void channels_get(struct channel *channel, void *to, size_t size)
{
    if (size)
        memcpy(to, channel->bytes + channel->first, size);
}

void channels_skip(struct channel *channel, size_t size)
{
    CHECK(size <= channel->used, "a channel gives more than it holds");
    channel->first += size;
    channel->used -= size;
}

void channels_message(struct channel *channel, const struct message *message)
{
    vec_push(&descriptors.arena, &channel->messages, *message);
}

void channels_connection(struct channel *queue, struct description *end)
{
    vec_push(&descriptors.arena, &queue->connections, end);
}

/* ---- words */

/* In words: "the pipe (fd 3) made at x.c:12". Returns the length, 0 if the name is of no channel. */
static size_t channels_describe(uint64_t name, char *text, size_t size)
{
    int used = 0;

    if (name & CHANNELS_BY_DESCRIPTOR)
        return (size_t)snprintf(text, size, "descriptor %u", (unsigned)name);
    for (const struct channel *channel = descriptors.all; channel; channel = channel->next) {
        const char *slash;

        if (channel->name != name)
            continue;
        used = snprintf(text, size, "the %s (fd %d)", channel->what, channel->fd);
        if (!channel->made || !channel->made->file || used < 0 || (size_t)used >= size)
            break;
        slash = strrchr(channel->made->file, '/');
        used += snprintf(text + used, size - (size_t)used, " made at %s:%u",
                         slash ? slash + 1 : channel->made->file, channel->made->line);
        break;
    }
    return used > 0 ? (size_t)used : 0;
}

/* ---- the part */

/* What is behind them is not told: pipes and sockets with what is in them, offsets of files. */
static bool fingerprint(struct fingerprint *into)
{
    (void)into;
    return descriptors.slots.count == 0 && descriptors.ranks.count == 0 && !descriptors.all;
}

const struct part descriptors_part = {.name = "descriptors",
                                      .state = &descriptors,
                                      .size = sizeof descriptors,
                                      .open = open_arena,
                                      .restart = restart,
                                      .fingerprint = fingerprint};
