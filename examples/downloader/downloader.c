/* Fetches a file by HTTP in pieces, over several connections at a time.
 *
 *     downloader [-f] [-n CONNECTIONS] [-s PIECE_BYTES] http://HOST[:PORT]/PATH OUTPUT
 *
 * What was fetched is noted in OUTPUT.state, so that the same command goes on after an interrupt or a failure; with -f
 * it begins anew. Exit status: 0 all is there, 1 it is not, 2 wrong usage. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http.h"
#include "segments.h"

#define CONNECTIONS_MAX 32

static struct http_place place;
static int output;
static atomic_bool interrupted;

static void interrupt(int signal)
{
    (void)signal;
    atomic_store(&interrupted, true);
}

/* One connection after the other, until nothing is left or something fails. */
static void *fetch(void *arg)
{
    struct segment segment;

    while (!atomic_load(&interrupted) && segments_take(&segment)) {
        if (http_fetch(&place, segment.first, segment.size, output) != 0) {
            segments_give_back(&segment);
            break;
        }
        segments_fetched(&segment);
    }
    return arg;
}

static int fetch_all(unsigned connections)
{
    pthread_t ids[CONNECTIONS_MAX];
    unsigned started = 0;

    while (started < connections && pthread_create(&ids[started], NULL, fetch, NULL) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    if (segments_missing() == 0)
        return 0;
    fprintf(stderr, "downloader: %lld bytes are missing; start it again to go on\n",
            segments_missing());
    return 1;
}

/* Opens the output and the state beside it. */
static int download(const char *name, bool anew, long long piece, unsigned connections)
{
    char state[4096];
    long long size = http_size(&place);
    int status = 1;

    if (size < 0)
        return 1;
    snprintf(state, sizeof state - 1, "%s.state", name);
    if (anew)
        unlink(state);
    output = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (output < 0 || ftruncate(output, size) != 0 || segments_open(state, size, piece) != 0) {
        fprintf(stderr, "downloader: %s: %s\n", name, strerror(errno));
        return 1;
    }
    status = fetch_all(connections);
    segments_close();
    if (close(output) != 0)
        status = 1;
    return status;
}

static int usage(void)
{
    fprintf(stderr, "usage: downloader [-f] [-n CONNECTIONS] [-s PIECE_BYTES] "
                    "http://HOST[:PORT]/PATH OUTPUT\n");
    return 2;
}

int main(int argc, char **argv)
{
    unsigned long connections = 2;
    long long piece = 1 << 20;
    struct sigaction action = {.sa_handler = interrupt};
    bool anew = false;
    int option, status;

    while ((option = getopt(argc, argv, "fn:s:")) != -1) {
        if (option == 'f')
            anew = true;
        else if (option == 'n')
            connections = strtoul(optarg, NULL, 10);
        else if (option == 's')
            piece = strtoll(optarg, NULL, 10);
        else
            return usage();
    }
    if (argc - optind != 2 || connections < 1 || connections > CONNECTIONS_MAX || piece < 1 ||
        strlen(argv[optind + 1]) > 4000 || http_parse(argv[optind], &place) != 0)
        return usage();
    sigaction(SIGINT, &action, NULL);
    if (http_find(&place) != 0)
        return 1;
    status = download(argv[optind + 1], anew, piece, (unsigned)connections);
    http_forget(&place);
    return status;
}
