#!/bin/bash
# Programs that talk to another process: tests/channels.
. "$(dirname "$0")/common.bash"

peers=()
cleanup() {
    for peer in "${peers[@]}"; do kill "$peer" 2>/dev/null; done
}
cd "$dir" || exit 1

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
    # two orders of the lock, each with four of who gets which number for its socket
    verdict "fetch, time $time" 0 'safe: 8 executions' "$RADDLE" check ./fetch -- "$port"
done
verdict racy 1 'data-race' "$RADDLE" check ./racy -- "$port"
verdict "racy, again" 1 data-race "$RADDLE" replay racy.raddle
verdict silent 3 'waits? for another process' "$RADDLE" check ./silent -- "$port"

# Connections that come from outside. The port must be free: the system says which is.
free=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
python3 "$SOURCE_DIR/tests/channels/peer.py" ask "$free" &
peers+=($!)
verdict serve 0 'safe: [0-9]+ executions' "$RADDLE" check ./serve -- "$free"

finish
