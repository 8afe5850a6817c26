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

bool cycles_make(uint64_t seed, struct program *program)
{
    struct maker maker = {.random = seed};
    struct read_error error;
    unsigned threads = 2 + below(&maker, 2);

    say(&maker, "cell v0\ncell v1 = %u\nmutex m0\nmutex m1\nsem s = %u\n", below(&maker, 2), 0);
    for (unsigned i = 0; i < threads; i++)
        thread_make(&maker, i);
    return text_read(maker.text, maker.length, "cycles", program, &error);
}
