// Streams on pipes and sockets: a thread that reads a line waits for it.
// EXPECT: safe
// EXPECT(sc -DNO_FLUSH): deadlock says=T2 \([a-z_0-9]+\) waits to read from the socket pair .* at channel-stream.c:41
#include "common.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *answerer(void *_)
{
    FILE *in = fdopen(ends[1], "r");
    FILE *out = fdopen(dup(ends[1]), "w");
    char line[32];

    assert(in && out && fileno(in) == ends[1]);
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        fprintf(out, "%s, too\n", line);
        fflush(out);
    }
    assert(feof(in));
    fclose(in);
    fclose(out);
    return NULL;
}

static void *asker(void *_)
{
    FILE *out = fdopen(ends[0], "w");
    FILE *in = fdopen(dup(ends[0]), "r");
    char *line = NULL;
    size_t room = 0;

    for (int i = 0; i < 2; i++) {
        fprintf(out, "hello %d\n", i);
#ifndef NO_FLUSH
        fflush(out);
#endif
        assert(getline(&line, &room, in) == 13); /* line */
        assert(strcmp(line, i ? "hello 1, too\n" : "hello 0, too\n") == 0);
    }
    free(line);
    fclose(out);
    shutdown(fileno(in), SHUT_WR);
    fclose(in);
    return NULL;
}

int main(void)
{
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    run2(answerer, asker);
    return 0;
}
