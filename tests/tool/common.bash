# What the scripts here share; each sources it first. RADDLE is the program, SOURCE_DIR the root of the repository.
# A script has a directory of its own, $dir, with the last command's output in $dir/out and $dir/err, counts what it
# expects, and ends with "finish".
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"
RADDLE=$(realpath "$RADDLE")
SOURCE_DIR=$(realpath "$SOURCE_DIR")

dir=$(mktemp -d) || exit 1
export XDG_CACHE_HOME=$dir/cache
passed=0
failed=0
status=0
limit=${LIMIT:-100} # seconds for a command: a sanitizer on a busy machine is slow

cleanup() { :; } # a script that starts processes has one of its own

leave() {
    cleanup
    cd / || return
    chmod -R u+w "$dir"
    rm -rf "$dir"
}
trap leave EXIT

# COMMAND: $status, $dir/out and $dir/err tell what became of it.
run() {
    timeout -k 5 "$limit" "$@" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
}

ok() { passed=$((passed + 1)); }

# WHAT: it, and both ends of what the last command said
fail() {
    failed=$((failed + 1))
    {
        echo "FAIL $*"
        echo "  status $status"
        for said in out err; do
            [ -s "$dir/$said" ] || continue
            { head -n 20 "$dir/$said"; tail -n +21 "$dir/$said" | tail -n 20; } | cut -c1-300 | sed 's/^/  | /'
        done
    } >&2
}

# NAME, then a command that must succeed.
expect() {
    local name=$1
    shift
    if "$@"; then ok; else fail "$name: $*"; fi
}

# NAME, exit status, pattern of a line of the output; then the command.
verdict() {
    local name=$1 want=$2 pattern=$3
    shift 3
    run "$@"
    expect "$name: status" test "$status" -eq "$want"
    expect "$name: says" grep -qE -- "$pattern" "$dir/out" "$dir/err"
}

# Fails if nothing was tested, too.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
    exit
}
