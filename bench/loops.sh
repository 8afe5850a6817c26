#!/usr/bin/env bash
# Cost of loops of plain accesses, one thread in them and a second one beside: processor time of `raddle check` as a multiple of that of the program that clang
# makes, each from the difference between a long and a short run, best of three. They are made with each of the levels given, or -O2.
# Usage: bench/loops.sh BUILD_DIRECTORY [-O1|-O2|-O3]...
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
clang=$(command -v clang-19 || command -v clang)
python3 - "$build/raddle" "$clang" "$here/loops/loops.c" "${@:--O2}" <<'END'
import json, resource, subprocess, sys

raddle, clang, source = sys.argv[1:4]
names = ["sum", "copy", "copy by pointers", "saxpy", "histogram", "end of a string", "product of matrices", "crc by a table", "maximum", "through fields"]


def cpu(command):
    best = None
    for _ in range(3):
        a = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        b = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = b.ru_utime + b.ru_stime - a.ru_utime - a.ru_stime
        best = took if best is None else min(best, took)
    return best


def cost(compiler, run, which, level, short, long):
    took = []
    for scale in short, long:
        subprocess.run([*compiler, "-DWHICH=%d" % which, "-DSCALE=%d" % scale, level, "-w", "-pthread", source, "-o", "program"], check=True)
        took.append(cpu([*run, "./program"]))
    return (took[1] - took[0]) / (long - short) * 1e6


for level in sys.argv[4:]:
    for which, name in enumerate(names):
        bare = cost([clang], [], which, level, 10, 210)
        checked = cost([raddle, "cc"], [raddle, "check", "--max-executions", "1"], which, level, 1, 6)
        print("%-20s %s bare %8.1f us, checked %8.1f us: %6.1f" % (name, level, bare, checked, checked / bare), flush=True)
END
