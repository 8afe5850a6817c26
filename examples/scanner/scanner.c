/* Looks for a string in files, and in all files of directories, with several threads.
 *
 *     scanner [-j THREADS] [-l] STRING PATH...
 *
 * Prints FILE:LINE:TEXT for each line that has it, or with -l the names of the files only, in the order in which the
 * threads come to them. Symbolic links in directories are not followed. Exit status as grep's: 0 if the string was
 * found, 1 if not, 2 if something could not be read. */
#define _GNU_SOURCE /* memmem */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "queue.h"

#define THREADS_MAX 64

static const char *wanted;
static bool names_only;

/* What all threads share besides the queue. */
static pthread_mutex_t result_lock =
    PTHREAD_MUTEX_INITIALIZER; /* also keeps lines of output whole */
static unsigned long lines_found;
static unsigned long problems;

static void problem(const char *path)
{
    int error = errno;

    pthread_mutex_lock(&result_lock);
    problems++;
    fprintf(stderr, "scanner: %s: %s\n", path, strerror(error));
    pthread_mutex_unlock(&result_lock);
}

/* ---- files */

static void found(const char *path, unsigned long line, const char *text, size_t length)
{
    pthread_mutex_lock(&result_lock);
    lines_found++;
    if (names_only)
        printf("%s\n", path);
    else
        printf("%s:%lu:%.*s\n", path, line, (int)length, text);
    pthread_mutex_unlock(&result_lock);
}

static void text_scan(const char *path, const char *text, size_t length)
{
    size_t wanted_length = strlen(wanted);
    unsigned long line = 1;

    for (size_t at = 0; at < length; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - (text + at)) : length - at;

        if (memmem(text + at, size, wanted, wanted_length)) {
            found(path, line, text + at, size);
            if (names_only)
                return;
        }
        at += size + 1;
    }
}

/* The whole file, or NULL with errno set. */
static char *file_read(const char *path, size_t size)
{
    char *text = malloc(size + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t at = 0;
    ssize_t got = -1;

    while (text && fd >= 0 && at < size && (got = read(fd, text + at, size - at)) > 0)
        at += (size_t)got;
    if (fd >= 0)
        close(fd);
    if (at == size)
        return text;
    if (got == 0)
        errno = EIO; /* it became shorter meanwhile */
    free(text);
    return NULL;
}

static void file_scan(const char *path, size_t size)
{
    char *text = file_read(path, size);

    if (!text) {
        problem(path);
        return;
    }
    text_scan(path, text, size);
    free(text);
}

/* ---- directories */

static void directory_scan(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;

    if (!directory) {
        problem(path);
        return;
    }
    while ((entry = readdir(directory))) {
        char *name = NULL;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            entry->d_type == DT_LNK)
            continue;
        if (asprintf(&name, "%s/%s", path, entry->d_name) < 0 || queue_put(name) != 0)
            problem(path);
        free(name);
    }
    closedir(directory);
}

static void path_scan(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0)
        problem(path);
    else if (S_ISDIR(status.st_mode))
        directory_scan(path);
    else if (S_ISREG(status.st_mode))
        file_scan(path, (size_t)status.st_size);
}

static void *work(void *arg)
{
    char *path;

    while ((path = queue_take())) {
        path_scan(path);
        free(path);
        queue_done();
    }
    return arg;
}

/* ---- the command line */

static int usage(void)
{
    fprintf(stderr, "usage: scanner [-j THREADS] [-l] STRING PATH...\n");
    return 2;
}

static int scan_all(unsigned threads)
{
    pthread_t ids[THREADS_MAX];
    unsigned started = 0;

    while (started < threads && pthread_create(&ids[started], NULL, work, NULL) == 0)
        started++;
    if (started == 0) {
        fprintf(stderr, "scanner: cannot start a thread\n");
        return 2;
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    if (fflush(stdout) != 0)
        problem("standard output");
    return problems ? 2 : lines_found ? 0 : 1;
}

int main(int argc, char **argv)
{
    unsigned long threads = 2;
    int option;

    while ((option = getopt(argc, argv, "j:l")) != -1) {
        if (option == 'j')
            threads = strtoul(optarg, NULL, 10);
        else if (option == 'l')
            names_only = true;
        else
            return usage();
    }
    if (argc - optind < 2 || threads < 1 || threads > THREADS_MAX)
        return usage();
    wanted = argv[optind++];
    for (; optind < argc; optind++)
        if (queue_put(argv[optind]) != 0)
            problem(argv[optind]);
    return scan_all((unsigned)threads);
}
