#!/usr/bin/env python3
"""Random loops of plain accesses: told as a whole (instrument/span.c) or one by one, the same must be found.

Each program has a thread that runs a loop over a block of the heap or a variable, and a second one that accesses some bytes there, often at the first or last
ones of the loop or beside them. Built twice, it must get the same verdict, and the same bug, at the same bytes; and it must compute what clang alone makes of it.
Usage: spans.py RADDLE CLANG DIRECTORY SEED PROGRAMS
"""
import json
import os
import random
import re
import subprocess
import sys

HEAD = """#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ROOM %(room)d
typedef %(type)s T;
struct box { long before; %(itype)s count; T *at; T small[64]; };
static T variable[ROOM + 1]; /* one too many hits nothing else */
static struct box boxed;
static T *block;
static long result;
"""

TAIL = """
static void *runs(void *argument)
{
    (void)argument;
    result = loop(block + %(base)d, &boxed, %(n)d);
    return NULL;
}

static void *other(void *argument)
{
    volatile char sink = 0;
    (void)argument;
    (void)sink;
#ifndef ALONE
    %(other)s
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    block = %(memory)s;
    boxed.count = (%(itype)s)%(n)d;
    boxed.at = block + %(base)d;
    for (int i = 0; i < ROOM; i++)
        block[i] = (T)(i * 7 %% 23);
    pthread_create(&a, NULL, runs, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < ROOM; i++)
        result = result * 3 + (long)block[i];
    if (block != variable)
        free(block);
#ifdef EXPECTED
    if (result != EXPECTED)
        abort();
#else
    printf("%%ld\\n", result);
#endif
    return 0;
}
"""


def program(r):
    kind = r.choice(["char", "short", "int", "long", "float", "double", "unsigned char"])
    size = {"char": 1, "unsigned char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}[kind]
    room = r.choice([40, 70, 300, 600])
    itype = r.choice(["int", "unsigned", "long", "size_t", "unsigned char", "short"])
    base = r.choice([0, 3, 8])
    n = r.choice([0, 1, 7, 8, 9, 16, 23, room - base, room - base, room - base - 1])
    if r.random() < 0.12:
        n = room - base + 1  # one too many
    if itype == "unsigned char":
        n = min(n, 255)
    step = r.choice([1, 1, 1, 2, 3, 5])
    what = r.choice(["s += a[i];", "a[i] = (T)(i + 3);", "a[i] = (T)(a[i] * 2);", "s = s * 5 + (long)a[i];",
                     "if (a[i] > 11) s += i;", "if (a[i] > 11) s += (long)a[i];", "s += (long)a[i] + (long)a[0];",
                     "a[i] = a[0];", "a[0] = a[i];", "if (a[i] > 11) a[i] = 3;",
                     "s += (long)x->at[i];", "x->at[i] = 1;", "x->small[i & 31] = (T)i; s += (long)a[i];",
                     "a[i] = a[(%s)(%d - 1 - i)];" % (itype, max(n, 1)),
                     # some accesses are known before, and others lead on from there
                     "x->small[(long)a[i] & 31] += 1;", "s += (long)x->small[(long)a[i] & 31];", "a[(long)a[i] & 31] = (T)i;",
                     "if (a[i] > 11) x->small[i & 31] = a[i];", "if (a[i] > 11) s += (long)x->at[(long)a[i] & 15];",
                     "x->at[(long)a[i] & 31] = x->small[i & 15];", "if (a[i] > 15) x->count = x->count; s += (long)a[i];",
                     "if (a[i] > 20) x->at = x->at; s += (long)x->at[i];", "variable[(long)a[i] & 31] += a[i];"])
    form = r.randrange(8)
    bound = r.choice(["n", "n", "x->count"])
    I = itype
    loops = [
        "for (%(I)s i = 0; i < %(bound)s; i += %(step)d) { %(what)s }",
        "for (%(I)s i = (%(I)s)(%(bound)s - 1); i + 1 > 0 && i < %(bound)s; i -= %(step)d) { %(what)s }",
        "long i = %(bound)s; while (--i >= 0) { %(what)s }",
        "for (%(I)s i = 0; i != %(bound)s; i++) { %(what)s }",
        "if (n > 0) { %(I)s i = 0; do { %(what)s i += %(step)d; } while (i < %(bound)s); }",
        "for (T *p = a, *end = a + %(bound)s; p != end; p++) { long i = p - a; %(what)s *p += 1; }",
        "for (int i = n - 1; i >= 0; i -= %(step)d) { %(what)s }",
        "for (int j = 0; j < 3; j++) for (%(I)s i = 0; i < %(bound)s; i += %(step)d) { %(what)s }",
    ]
    text = loops[form] % {"I": I, "bound": bound, "step": step, "what": what}
    loop = "__attribute__((noinline)) static long loop(T *a, struct box *x, %s n)\n{\n    long s = 0;\n    (void)x;\n    %s\n    return s;\n}\n" % (I, text)
    at = r.choice([base, base - 1, base + n, base + n - 1, base + (n - 1) // step * step if n else base, r.randrange(room),
                   base + 1, base + step])
    at = max(0, min(room - 1, at))
    byte = r.randrange(size)
    access = r.choice(["((char *)&block[%d])[%d] = 1;", "sink = ((char *)&block[%d])[%d];"]) % (at, byte)
    if r.random() < 0.1:
        access = r.choice(["boxed.count = boxed.count;", "boxed.before = 1;", "sink = (char)boxed.count;", ""])
    if r.random() < 0.25:
        access = r.choice(["((char *)boxed.small)[%d] = 1;", "sink = ((char *)boxed.small)[%d];", "((char *)variable)[%d] = 1;"]) % r.randrange(32 * size)
    memory = "malloc(ROOM * sizeof(T))" if r.random() < 0.7 else "variable"
    return (HEAD + loop + TAIL) % {"room": room, "type": kind, "itype": I, "n": n, "base": base, "other": access, "memory": memory}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


def verdict(raddle, directory, source, flags, options, name):
    environment = dict(os.environ, RADDLE_PASS_OPTIONS="verify=1," + options)
    path = os.path.join(directory, name)
    built = run([raddle, "cc", "-w", *flags, source, "-o", path], env=environment)
    if built.returncode:
        return "does not compile: " + built.stderr
    report = run([raddle, "check", "--json", "-", "--timeout", "20", path], cwd=directory)
    try:
        found = json.loads(report.stdout)
    except ValueError:
        return "no report: " + report.stdout + report.stderr
    # which of several accesses of the loop to the same bytes is named, the read or the write, depends on which was told last
    bugs = [(b["kind"], re.sub("with the (read|write) by", "with the access by", b["message"].replace(path, ""))) for b in found["bugs"]]
    return found["verdict"], found["executions"], bugs


def main():
    raddle, clang, directory, seed, programs = sys.argv[1:6]
    counts = {}
    for i in range(int(programs)):
        r = random.Random("%s.%d" % (seed, i))
        source = os.path.join(directory, "loop.c")
        with open(source, "w") as f:
            f.write(program(r))
        level = r.choice(["-O1", "-O2", "-O3"])
        plain = os.path.join(directory, "plain")
        run([clang, "-w", "-DALONE", level, "-pthread", source, "-o", plain])
        flags = [level]
        if r.random() < 0.5:
            flags += ["-DALONE", "-DEXPECTED=" + run([plain]).stdout.strip() + "L"]
        told = verdict(raddle, directory, source, flags, "spans=1", "told")
        single = verdict(raddle, directory, source, flags, "spans=0", "single")
        if told != single:
            print("seed %s, program %d, %s: told as a whole %s, one by one %s" % (seed, i, " ".join(flags), told, single))
            os.rename(source, os.path.join(directory, "differs.c"))
            sys.exit(1)
        key = told[0] if told[0] != "bug" else told[2][0][0]
        counts[key] = counts.get(key, 0) + 1
    print("%s programs agree: %s" % (programs, counts))


main()
