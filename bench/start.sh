#!/usr/bin/env bash
# How long `raddle check` takes for programs that do nothing, or next to nothing, and were compiled before: wall time from its start to the
# verdict, and the processor time of both processes, beside those of the program by itself and of `raddle --version`, which is a start and no
# more. All by turns, ROUNDS=50 times. With OLD, an older build beside it.
# Usage: [ROUNDS=n] [OLD=directory] bench/start.sh BUILD_DIRECTORY
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >nothing.c <<'END'
int main(void)
{
    return 0;
}
END
cat >threads.c <<'END'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *count(void *unused)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return n != 2;
}
END
number=0
for from in "$build" ${OLD:+"$OLD"}; do
    for name in nothing threads; do
        "$from/raddle" cc -g -O1 "$name.c" -o "$name.$number"
    done
    number=$((number + 1))
done
python3 - "${ROUNDS:-50}" "$build" ${OLD:+"$OLD"} <<'END'
import resource, subprocess, sys, time

rounds, builds = int(sys.argv[1]), sys.argv[2:]
commands = []
for name in "nothing", "threads":
    for number, build in enumerate(builds):
        program = "./%s.%d" % (name, number)
        commands += [("%s, by itself" % name, build, [program]), ("%s, checked" % name, build, [build + "/raddle", "check", program])]
commands += [("raddle --version", build, [build + "/raddle", "--version"]) for build in builds]


def once(command):
    a, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall, b = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1e3, (b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime) * 1e3


times = [[] for _ in commands]
for _ in range(rounds):
    for i, (_, _, command) in enumerate(commands):
        times[i].append(once(command))
for (name, build, _), took in zip(commands, times):
    wall, cpu = sorted(t[0] for t in took), sum(t[1] for t in took) / rounds
    where = " (%s)" % build if len(builds) > 1 else ""
    print("%-20s least %5.1f ms, median %5.1f ms, processor %5.1f ms%s" % (name, wall[0], wall[len(wall) // 2], cpu, where))
END
