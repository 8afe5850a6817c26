#!/bin/bash
# Tests of the pass: each program here is built by clang alone, and with the plugin and stub_runtime.c, at several
# levels; both must print the same, and the hooks called must be those of its "// HOOKS:" line.
# CLANG is the compiler (clang-19), PASS the plugin, RADDLE (optional) the program, for `raddle cc`.
set -u
: "${PASS:?the path of raddle_pass.so}"
CLANG=${CLANG:-clang-19}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

verdict() { # 0 or not, name
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $2" >&2
    fi
}

plugin=(-fpass-plugin="$PASS" -Xclang -disable-O0-optnone -fno-discard-value-names -w)

compiler() { # source
    case $1 in
    *.cc) echo "${CLANG/clang/clang++}" ;;
    *) echo "$CLANG" ;;
    esac
}

hooks_are() { # source, which line of it: those called are those
    local wanted got
    wanted=$(sed -n "s|^// $2: ||p" "$1" | tr ' ' '\n' | sort)
    [ -n "$wanted" ] || return 0
    got=$(tr ' ' '\n' <"$work/stats" | grep . | sort)
    diff <(echo "$wanted") <(echo "$got")
}

# A program that is not checked does the same, and calls hooks only where a function has no other code. $1 source, $2 flags, then what was
# built before: expected status
compare_plain() {
    local source=$1 cc status
    cc=$(compiler "$source")
    # shellcheck disable=SC2086
    RADDLE_PASS_OPTIONS=verify=1 "$cc" $2 "${plugin[@]}" -DINSTRUMENTED -I"$root/src" "$source" $4 -x none "$work/plain.o" \
        -o "$work/plain" -lm -latomic || return 1
    STUB_STATS=$work/stats "$work/plain" >"$work/plain.out"
    status=$?
    [ $status -eq "$3" ] || { echo "  plain: exit status $status, not $3"; return 1; }
    diff "$work/native.out" "$work/plain.out" || return 1
    grep -q '// PLAIN: hooks' "$source" || ! grep . "$work/stats" || { echo "  plain: hooks are called"; return 1; }
}

# Builds both, runs both, compares. $1 source, $2 flags, $3 options of the pass
compare() {
    local source=$1 flags=$2 options=$3 more='' cc stem status expected known frames=1
    stem=$(basename "${source%.*}")
    cc=$(compiler "$source")
    [ -e "$here/${stem}_other.c" ] && more=$here/${stem}_other.c
    case $options in *frames=0*) frames=0 ;; esac
    # shellcheck disable=SC2086
    "$cc" -w $flags -I"$root/src" "$source" $more -o "$work/native" -lm -latomic || return 1
    # shellcheck disable=SC2086
    RADDLE_PASS_OPTIONS=verify=1,$options "$cc" $flags "${plugin[@]}" -DINSTRUMENTED -I"$root/src" \
        "$source" $more -x none "$work/stub.o" -o "$work/checked" -lm -latomic || return 1
    "$work/native" >"$work/native.out"
    expected=$?
    STUB_FRAMES=$frames STUB_STATS=$work/stats "$work/checked" >"$work/checked.out"
    status=$?
    [ $status -eq $expected ] || { echo "  exit status $status, not $expected"; return 1; }
    diff "$work/native.out" "$work/checked.out" || return 1
    hooks_are "$source" HOOKS || return 1
    [ "$options" != live=1 ] || compare_plain "$source" "$flags" $expected "$more" || return 1
    [[ $flags == *-O[12]* ]] && [ $frames = 1 ] || return 0
    if grep -q '^// HOOKS(bare):' "$source"; then # loops that are told as a whole
        STUB_BARE=1 STUB_FRAMES=$frames STUB_STATS=$work/stats "$work/checked" >"$work/checked.out"
        status=$?
        [ $status -eq $expected ] || { echo "  bare: exit status $status, not $expected"; return 1; }
        diff "$work/native.out" "$work/checked.out" || return 1
        hooks_are "$source" "HOOKS(bare)" || return 1
    fi
    for known in written read many; do # what the cells of all memory say
        grep -q "^// HOOKS($known):" "$source" || continue
        STUB_KNOWN=$known STUB_FRAMES=$frames STUB_STATS=$work/stats "$work/checked" >"$work/checked.out"
        status=$?
        [ $status -eq $expected ] || { echo "  $known: exit status $status, not $expected"; return 1; }
        diff "$work/native.out" "$work/checked.out" || return 1
        hooks_are "$source" "HOOKS($known)" || return 1
    done
}

"$CLANG" -O1 -g -I"$root/src" -c "$here/stub_runtime.c" -o "$work/stub.o" || exit 1
"$CLANG" -O1 -g -DSTUB_PLAIN -I"$root/src" -c "$here/stub_runtime.c" -o "$work/plain.o" || exit 1
for source in "$here"/*.c "$here"/*.cc; do
    case $source in */stub_runtime.c | */*_other.c | */live.c) continue ;; esac
    while read -r flags options; do
        compare "$source" "${flags//,/ }" "${options:-live=1}"
        verdict $? "$(basename "$source") $flags $options"
    done <<EOF
-O0
-O0,-g
-O1
-O2,-g
-O2 live=0
-O2 frames=0
-O2,-fno-pie,-no-pie residual=0
EOF
done

for level in -O0 -O1 -O2; do
    RADDLE_PASS_OPTIONS=verify=1 "$CLANG" $level -g "${plugin[@]}" "$here/live.c" "$work/stub.o" -o "$work/live" &&
        STUB_LIVE=$work/live.log "$work/live" && diff "$here/live.expected" "$work/live.log"
    verdict $? "live.c $level"
done

# shellcheck source=/dev/null
[ -e "$here/driver.sh" ] && [ -n "${RADDLE:-}" ] && . "$here/driver.sh"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
