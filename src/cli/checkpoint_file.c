#include "cli/checkpoint_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/check.h"
#include "cli/driver.h"
#include "cli/places.h"
#include "cli/report.h"

/* ---- what goes together */

static bool refused(const char *option, const char *why)
{
    fprintf(stderr, "raddle: option '--%s' goes with %s\n", option, why);
    return false;
}

bool checkpoint_settle(const struct settings *settings)
{
    const char *option = settings->checkpoint ? "checkpoint" : "resume";
    const struct explorer_options *search = &settings->search;

    if (settings->checkpoint_seconds > 0 && !settings->checkpoint)
        return refused("checkpoint-interval", "--checkpoint");
    if (!settings->checkpoint && !settings->resume)
        return true;
    if (search->search != &search_explore)
        return refused(option, "--search explore; another --seed makes other samples");
    if (search->states == STATES_AUTO || search->states == STATES_DELTA)
        return refused(option, "--stateful=exact or off");
    if (settings->resume && settings->tree)
        return refused("tree", "a search from its beginning, not with --resume");
    return true;
}

/* ---- what it belongs to */

static uint64_t hash_add(uint64_t hash, const void *at, size_t size)
{
    return XXH3_64bits_withSeed(at, size, hash);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_add(hash, text, strlen(text) + 1);
}

uint64_t checkpoint_program(uint64_t fingerprint, char *const *arguments)
{
    for (; arguments && *arguments; arguments++)
        fingerprint = hash_text(fingerprint, *arguments);
    return fingerprint;
}

/* Driver and runtime. */
uint64_t checkpoint_raddle(void)
{
    char path[PATH_MAX + 64];
    struct places places;
    uint64_t hash = driver_fingerprint("/proc/self/exe");

    if (!places_find(&places))
        return hash;
    snprintf(path, sizeof path, "%s/" PLACES_CHECKING "/libraddle.so", places.libraries);
    return hash ^ driver_fingerprint(path) * 3;
}

uint64_t checkpoint_options(const struct settings *settings)
{
    const uint8_t flags[] = {settings->keep_going, settings->exit_is_bug, settings->leaks,
                             settings->races,      settings->races_warn,  settings->rounds};
    uint64_t hash = work_options_hash(&settings->search);

    hash = hash_add(hash, flags, sizeof flags);
    hash = hash_add(hash, &settings->nondet_max, sizeof settings->nondet_max);
    for (size_t i = 0; i < settings->trust_count; i++)
        hash = hash_text(hash, settings->trust[i]);
    if (settings->suppressions)
        hash ^= driver_fingerprint(settings->suppressions);
    return hash;
}

/* ---- the file */

static bool file_complain(const char *path, const char *what, int error)
{
    fprintf(stderr, "raddle: %s: %s: %s\n", path, what, strerror(error));
    return false;
}

/* A new file beside it. */
static int beside_open(const char *path, char *name, size_t size)
{
    snprintf(name, size, "%s.XXXXXX", path);
    return mkostemp(name, O_CLOEXEC);
}

bool checkpoint_file_open(struct checkpoint_file *file, const struct settings *settings,
                          uint64_t program)
{
    char name[PATH_MAX];
    int fd;

    *file = (struct checkpoint_file){.settings = settings, .started = seconds_now()};
    if (!settings->checkpoint && !settings->resume)
        return true;
    file->identity = (struct checkpoint_identity){
        .raddle = checkpoint_raddle(), .program = program, .options = checkpoint_options(settings)};
    if (!settings->checkpoint)
        return true;
    fd = beside_open(settings->checkpoint, name, sizeof name);
    if (fd < 0)
        return file_complain(settings->checkpoint, "no checkpoint can be written", errno);
    close(fd);
    unlink(name);
    file->next = file->started + settings->checkpoint_seconds;
    return true;
}

void checkpoint_file_close(struct checkpoint_file *file)
{
    free(file->loaded);
    file->loaded = NULL;
}

static bool bytes_put(int fd, const struct bytes *bytes)
{
    size_t done = 0;

    while (done < bytes->data.count) {
        ssize_t got = write(fd, bytes->data.at + done, bytes->data.count - done);

        if (got < 0 && errno != EINTR)
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return fsync(fd) == 0;
}

/* So that the new name lasts, too. */
static void directory_sync(const char *path)
{
    char copy[PATH_MAX];
    int fd;

    snprintf(copy, sizeof copy, "%s", path);
    fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static bool file_replace(const char *path, const struct bytes *bytes)
{
    char name[PATH_MAX];
    int fd = beside_open(path, name, sizeof name), problem;

    if (fd < 0)
        return false;
    if (bytes_put(fd, bytes) && close(fd) == 0 && rename(name, path) == 0) {
        directory_sync(path);
        return true;
    }
    problem = errno;
    unlink(name);
    errno = problem;
    return false;
}

void checkpoint_file_write(struct checkpoint_file *file, const struct bytes *inner)
{
    double seconds = file->before + seconds_now() - file->started;
    struct bytes whole, sealed;
    struct arena arena;

    CHECK(arena_open(&arena, (size_t)1 << 36) == 0, "out of memory");
    bytes_open(&whole, &arena);
    bytes_open(&sealed, &arena);
    bytes_number(&whole, (uint64_t)(seconds * 1e6));
    bytes_add(&whole, inner->data.at, inner->data.count);
    checkpoint_seal(&file->identity, &whole, &sealed);
    if (file_replace(file->settings->checkpoint, &sealed)) {
        file->written = true;
        file->failed = false;
    } else if (!file->failed) {
        file_complain(file->settings->checkpoint, "the checkpoint cannot be written", errno);
        file->failed = true;
    }
    arena_close(&arena);
    file->next = seconds_now() + file->settings->checkpoint_seconds;
}

bool checkpoint_file_load(struct checkpoint_file *file, struct bytes_reader *inner)
{
    const char *path = file->settings->resume;
    struct work_error error;
    size_t length;

    file->loaded = input_read(path, &length);
    if (!file->loaded)
        return false;
    if (!checkpoint_unseal(file->loaded, length, &file->identity, inner, &error)) {
        fprintf(stderr, "raddle: %s: %s\n", path, error.text);
        return false;
    }
    file->before = (double)bytes_read_number(inner) / 1e6;
    /* when all is done it is of no use any more */
    file->written = file->settings->checkpoint && strcmp(path, file->settings->checkpoint) == 0;
    return true;
}

void checkpoint_file_refuse(const struct checkpoint_file *file)
{
    fprintf(stderr, "raddle: %s: is damaged: it does not hold together\n", file->settings->resume);
}

/* ---- its end */

/* In quotes if a shell would not take it as it is. */
static void word_print(FILE *out, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

    if (*word && strspn(word, plain) == strlen(word)) {
        fprintf(out, " %s", word);
        return;
    }
    fputs(" '", out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static bool option_is(const char *word, const char *name)
{
    size_t length = strlen(name);

    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

/* As it was given, but for where it goes on from. */
static void command_print(FILE *out, const struct settings *settings)
{
    char *const *word = settings->command;

    if (settings->mpi)
        fprintf(out, "mpirun -n %u ", settings->jobs + 1);
    fputs("raddle check --resume", out);
    word_print(out, settings->checkpoint);
    for (word++; *word && strcmp(*word, "--") != 0; word++)
        if (!option_is(*word, "--resume"))
            word_print(out, *word);
        else if (!strchr(*word, '=') && word[1])
            word++;
    for (; *word; word++)
        word_print(out, *word);
}

const char *checkpoint_file_kept(const struct checkpoint_file *file, bool complete)
{
    return !complete && file->written && !file->failed ? file->settings->checkpoint : NULL;
}

void checkpoint_file_end(struct checkpoint_file *file, bool complete)
{
    FILE *out = report_stream(file->settings);

    if (!file->settings->checkpoint)
        return;
    if (complete) {
        if (file->written)
            unlink(file->settings->checkpoint);
    } else if (checkpoint_file_kept(file, complete)) {
        fprintf(out, "note: what is left is in %s: `", file->settings->checkpoint);
        command_print(out, file->settings);
        fputs("` goes on\n", out);
    } else {
        fprintf(out, "note: there is no checkpoint of this search\n");
    }
}
