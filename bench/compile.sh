#!/usr/bin/env bash
# How long `raddle cc` takes: user time of compiling a file, as a multiple of what clang takes for it with the same options, both by turns, best of three. The files
# are some of the project's own, or those that are given; what they include must be found with the options in FLAGS.
# Usage: [LEVELS="-O0 -O1 -O2"] [FLAGS=…] bench/compile.sh BUILD_DIRECTORY [FILE…]
set -euo pipefail
build=$(cd "${1:?the build directory}" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
shift
clang=$(command -v clang-19 || command -v clang)
if [ $# -eq 0 ]; then
    set -- "$source"/src/explore/{explorer,races,notdep}.c "$source"/src/model/{effect,touch}.c "$source"/src/trace/report_json.c "$source"/src/cli/cc.c \
        "$source"/tests/programs/{increment-races,signal-wait}.c "$source"/bench/loops/loops.c
    FLAGS="-std=gnu11 -I$source/src -I$source/include -DWHICH=0 -DSCALE=1 ${FLAGS:-}"
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 - "$build/raddle" "$clang" "$dir/out.o" "${LEVELS:--O0 -O1 -O2}" "${FLAGS:-}" "$@" <<'END'
import math, os, resource, subprocess, sys

raddle, clang, out, levels, flags = sys.argv[1:6]


def user(compiler, level, file):
    a = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*compiler, level, "-w", *flags.split(), "-c", file, "-o", out], check=True)
    b = resource.getrusage(resource.RUSAGE_CHILDREN)
    return b.ru_utime - a.ru_utime


for level in levels.split():
    ratios = []
    for file in sys.argv[6:]:
        times = [(user([clang], level, file), user([raddle, "cc"], level, file)) for _ in range(3)]
        bare, ours = min(t[0] for t in times), min(t[1] for t in times)
        ratios.append(ours / bare)
        print("%-24s %s clang %6.3f s, raddle cc %6.3f s: %5.2f" % (os.path.basename(file), level, bare, ours, ratios[-1]), flush=True)
    print("%-24s %s geometric mean of the ratios: %5.2f\n" % ("", level, math.exp(sum(map(math.log, ratios)) / len(ratios))), flush=True)
END
