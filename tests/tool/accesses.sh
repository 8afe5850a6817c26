#!/bin/bash
# Each access in the rows of src/runtime/library/library.def is seen: accesses.py makes a program with a variant for each, in which another thread
# makes a plain access that conflicts with it, and raddle must find the data race. So it must if the function is called through a pointer.
# RADDLE is the program, SOURCE_DIR the root of the repository. "accesses.sh NAME…" tries only the rows of these functions.
. "$(dirname "$0")/common.bash"

cd "$dir" || exit 1
here=$SOURCE_DIR/tests/tool
jobs=2

"$RADDLE" cc -w -I"$here" -x c -fsyntax-only -Xclang -ast-dump "$here/accesses.h" >prototypes 2>err ||
    { cat err >&2; exit 1; }
python3 "$here/accesses.py" "$SOURCE_DIR/src/runtime/library/library.def" "$here/accesses.def" prototypes >program.c 2>list ||
    { cat list >&2; exit 1; }
"$RADDLE" cc -w -I"$here" -o program program.c -lm 2>err || { cat err >&2; exit 1; }

found() { # NUMBER, by name or through a pointer
    timeout 120 "$RADDLE" check ../program "$1" ${2:+"$2"} >out 2>&1 </dev/null
    [ $? -eq 1 ] && grep -q data-race out
}

# Twice, if need be: a port that the system chose for a run may be somebody else's when that is made again.
one() { # NUMBER, NAME, WHAT, by name or through a pointer
    local in
    in=$(mktemp -d "$PWD/XXXXXX") && cd "$in" && printf '7\n7\n' >file && ln -s file link || exit 1
    found "$1" "$4" || found "$1" "$4" && echo "ok" || { echo "FAIL $1 $2: $3${4:+ through a pointer}"; sed 's/^/  | /' out | head -n 6; }
    rm -rf "$in"
}
export -f one found
export RADDLE

# all by name; through a pointer one access of each function
wanted=$(IFS='|'; echo "$*")
{
    awk -F '\t' -v wanted="^($wanted)$" '(wanted == "^()$" || $2 ~ wanted) { print }' list
    awk -F '\t' -v wanted="^($wanted)$" '(wanted == "^()$" || $2 ~ wanted) && !seen[$2]++ { print $0 "\tpointer" }' list
} | tr '\t\n' '\0\1' | sed 's/\x01/\x00\x01/g' >calls
python3 - <<'END' | xargs -0 -n 4 -P $jobs bash -c 'text=$(one "$@"); printf "%s\n" "$text"' one >results
import sys
for line in open('calls', 'rb').read().decode().replace('\0\1', '\n').splitlines():
    fields = line.split('\0')
    sys.stdout.write('\0'.join((fields + [''] * 4)[:4]) + '\0')
END
grep -v '^ok' results >&2
echo "$(grep -c '^ok' results) passed, $(grep -c '^FAIL' results) failed"
! grep -q '^FAIL' results && grep -q '^ok' results
