#include "cycles_make.h"

#include <stdio.h>

#include "script/text.h"

#define TEXT_MAX 4096

/* Makes a program in the text form, from a number. */
struct maker {
    uint64_t random;
    char text[TEXT_MAX];
    size_t length;
    unsigned labels;
};

static unsigned below(struct maker *maker, unsigned n)
{
    maker->random += 0x9e3779b97f4a7c15u;
    uint64_t x = maker->random;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((x ^ (x >> 31)) % n);
}

static void say(struct maker *maker, const char *format, unsigned a, unsigned b)
{
    maker->length +=
        (size_t)snprintf(maker->text + maker->length, TEXT_MAX - maker->length, format, a, b);
}

/* One row, or a few that belong together. All values are small, so that there are few states. */
static void row_make(struct maker *maker)
{
    static const char *const rows[] = {
        "  store v%u, %u\n",
        "  r = load v%u\n  let r = r & %u\n",
        "  r = cas v%u, %u, 1\n  let r = r & 1\n",
        "  lock m%u\n  store v%u, 1\n  unlock m0\n  unlock m1\n",
        "  lock m0\n  r = load v%u\n  let r = r ^ %u\n  let r = r & 3\n  store v1, r\n  unlock m0\n",
        "  lock m1\n  lock m0\n  store v%u, %u\n  unlock m0\n  unlock m1\n",
        "  xor v%u, %u\n",
        "  sempost s\n  semwait s\n",
        "  q = trylock m%u\n  if q == 0 goto T%u\n  unlock m0\nT%u:\n",
        "  r = choose 2\n",
        "  lock m0\n  unlock m0\n",
        "  lock m1\n  store v0, %u\n  unlock m1\n",
        "  assert r != %u\n",
    };
    unsigned kind = below(maker, sizeof rows / sizeof *rows);

    switch (kind) {
    case 3: /* always the same mutex */
        say(maker, "  lock m%u\n  store v%u, 2\n", 0, below(maker, 2));
        say(maker, "  unlock m%u\n", 0, 0);
        break;
    case 8:
        maker->labels++;
        say(maker, "  q = trylock m0\n  if q == 0 goto T%u\n  unlock m0\nT%u:\n", maker->labels,
            maker->labels);
        break;
    case 12:
        if (below(maker, 4) == 0)
            say(maker, rows[kind], 2 + below(maker, 2), 0);
        break;
    default:
        say(maker, rows[kind], below(maker, 2), below(maker, 4));
    }
}

/* Rows, of which some last ones are done again and again: for ever, or until a register says otherwise. */
static void thread_make(struct maker *maker, unsigned number)
{
    unsigned before = below(maker, 3), inside = 1 + below(maker, 3), after = below(maker, 2);
    unsigned how = below(maker, 4);

    say(maker, "thread T%u_%u\n", number, 0);
    say(maker, "  reg r = %u\n  reg q = %u\n", 0, 0);
    for (unsigned i = 0; i < before; i++)
        row_make(maker);
    say(maker, "L%u:\n", number, 0);
    for (unsigned i = 0; i < inside; i++)
        row_make(maker);
    if (how == 0)
        say(maker, "  goto L%u\n", number, 0);
    else if (how < 3)
        say(maker, "  if r == %u goto L%u\n", below(maker, 2), number);
    for (unsigned i = 0; i < after && how != 0; i++)
        row_make(maker);
}

/* ---- threads that all go round the same way, after something of their own: what follows the cycle conflicts with what came before it */

static void plain_row_make(struct maker *maker)
{
    switch (below(maker, 7)) {
    case 0:
        say(maker, "  store v%u, %u\n", below(maker, 2), below(maker, 3));
        break;
    case 1:
        say(maker, "  r = load v%u\n", below(maker, 2), 0);
        break;
    case 2:
        say(maker, "  q = load v%u\n", below(maker, 2), 0);
        break;
    case 3:
        say(maker, "  r = cas v%u, %u, 1\n", below(maker, 2), below(maker, 2));
        break;
    case 4:
        say(maker, "  xor v%u, 1\n", below(maker, 2), 0);
        break;
    case 5:
        say(maker, "  lock m0\n  store v%u, %u\n  unlock m0\n", below(maker, 2), below(maker, 3));
        break;
    default:
        say(maker, "  r = choose 2\n", 0, 0);
    }
}

static void rows_make(struct maker *maker, unsigned count)
{
    while (count-- > 0)
        plain_row_make(maker);
}

static void alike_make(struct maker *maker)
{
    unsigned threads = 2 + (below(maker, 4) == 0), rounds = 1 + below(maker, 2);
    unsigned after = below(maker, 3), until = below(maker, 2);
    uint64_t common = maker->random, rest = common;

    for (unsigned i = 0; i < threads; i++) {
        maker->random = rest;
        say(maker, "thread T%u_%u\n  reg r = 0\n  reg q = 0\n", i, 0);
        rows_make(maker, below(maker, 2));
        rest = maker->random;
        maker->random = common + 1;
        say(maker, "L%u:\n", i, 0);
        rows_make(maker, rounds);
        say(maker, "  r = load v1\n  if r == %u goto L%u\n", until, i);
        rows_make(maker, after);
    }
    maker->random = rest;
    if (below(maker, 2)) {
        say(maker, "thread O%u\n  reg r = %u\n  reg q = 0\n", 0, 0);
        rows_make(maker, 1 + below(maker, 2));
    }
}

bool cycles_make(uint64_t seed, struct program *program)
{
    struct maker maker = {.random = seed};
    struct read_error error;
    unsigned threads = 2 + below(&maker, 2);

    say(&maker, "cell v0\ncell v1 = %u\nmutex m0\nmutex m1\nsem s = %u\n", below(&maker, 2), 0);
    if (seed % 2)
        alike_make(&maker);
    for (unsigned i = 0; i < threads && seed % 2 == 0; i++)
        thread_make(&maker, i);
    return text_read(maker.text, maker.length, "cycles", program, &error);
}
