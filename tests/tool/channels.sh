#!/bin/bash
# Programs that talk to another process: tests/channels. RADDLE is the program, SOURCE_DIR the root of the repository.
set -u
: "${RADDLE:?the path of raddle}" "${SOURCE_DIR:?the root of the repository}"

dir=$(mktemp -d) || exit 1
peers=()
# shellcheck disable=SC2317
finish() {
    for peer in "${peers[@]}"; do kill "$peer" 2>/dev/null; done
    rm -rf "$dir"
}
trap finish EXIT
cd "$dir" || exit 1
passed=0 failed=0

expect() { # STATUS PATTERN NAME COMMAND…: the status, and a line of the output
    local wanted=$1 pattern=$2 name=$3 status
    shift 3

    timeout -k 5 100 "$@" >out 2>err </dev/null
    status=$?
    if [ $status -eq "$wanted" ] && grep -qE -- "$pattern" out; then
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "FAIL $name: status $status, not $wanted, or no line with: $pattern" >&2
    sed 's/^/  | /' out err | head -n 12 >&2
}

python3 "$SOURCE_DIR/tests/channels/peer.py" serve >port &
peers+=($!)
for _ in $(seq 100); do [ -s port ] || sleep 0.05; done
port=$(cat port)

for program in fetch silent serve; do
    "$RADDLE" cc -g -o $program "$SOURCE_DIR/tests/channels/$program.c" || exit 1
done
"$RADDLE" cc -g -DUNLOCKED -o racy "$SOURCE_DIR/tests/channels/fetch.c" || exit 1

# Two threads, one mutex: two orders, however the network cuts the answers.
for time in 1 2 3; do
    expect 0 'safe: 2 executions' "fetch, time $time" "$RADDLE" check ./fetch -- "$port"
done
expect 1 'data-race' racy "$RADDLE" check ./racy -- "$port"
expect 1 'data-race' 'racy again' "$RADDLE" replay racy.raddle
expect 3 'waits? for another process' silent "$RADDLE" check ./silent -- "$port"

# Connections that come from outside. The port must be free: the system says which is.
free=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
python3 "$SOURCE_DIR/tests/channels/peer.py" ask "$free" &
peers+=($!)
expect 0 'safe: [0-9]+ executions' serve "$RADDLE" check ./serve -- "$free"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
