#!/bin/bash
# The tools in examples/: they do their work, raddle finds nothing wrong with them, and finds the mistake of each twin.
. "$(dirname "$0")/common.bash"

server=
cleanup() { [ -z "$server" ] || kill "$server" 2>/dev/null; }
cd "$dir" || exit 1
examples="$SOURCE_DIR/examples"

# PROGRAM, then its sources in examples/: natively as native-PROGRAM, and by raddle cc.
build() {
    local program=$1 sources=() source
    shift
    for source in "$@"; do
        sources+=("$examples/$source")
    done
    expect "$program compiles" clang-19 -Wall -Wextra -Werror -O1 -pthread "${sources[@]}" -o "native-$program"
    expect "$program compiles for checking" "$RADDLE" cc -Wall -Wextra -Werror -O1 "${sources[@]}" -o "$program"
}

# NAME, exit status, pattern of a line of the report; then the arguments of raddle check.
verdict() {
    local name=$1 want=$2 pattern=$3
    shift 3
    timeout 120 "$RADDLE" check --timeout 60 "$@" >out 2>err </dev/null
    status=$?
    expect "$name: status $want, was $status" test "$status" -eq "$want"
    expect "$name: says" grep -qE -- "$pattern" out
}

# ---- scanner

mkdir in in/deeper
printf 'one\na needle in line two\n' >in/a
printf 'nothing\n' >in/b
printf 'needle\n\nneedle, and no end of line' >in/deeper/c
build scanner scanner/scanner.c scanner/queue.c
build scanner-buggy scanner/scanner.c scanner/queue-buggy.c
./native-scanner -j 3 needle in | sort >found
grep -rn needle in | sort >wanted
expect "scanner finds what grep finds" cmp found wanted
expect "the buggy scanner does, too" timeout 10 ./native-scanner-buggy needle in/a in/b
expect "scanner: nothing found" bash -c './native-scanner nowhere in; test $? -eq 1'
expect "scanner: no such file" bash -c './native-scanner x nothere; test $? -eq 2'
expect "scanner: usage" bash -c './native-scanner; test $? -eq 2'
verdict scanner 0 ': safe: ' ./scanner needle in/a in/b
verdict scanner-buggy 1 'queue-buggy\.c:[0-9]+: deadlock: ' ./scanner-buggy needle in/a in/b
expect "scanner-buggy: there is a trace" test -s scanner-buggy.raddle

# ---- downloader

mkdir srv
printf '0123456789abcdef' >srv/small
head -c 300000 "$RADDLE" >srv/large
expect "serve compiles" clang-19 -Wall -Wextra -Werror -O1 "$examples/downloader/serve.c" -o serve
./serve srv >port &
server=$!
for _ in $(seq 50); do
    [ -s port ] && break
    sleep 0.1
done
url="http://127.0.0.1:$(cat port)"
build downloader downloader/downloader.c downloader/http.c downloader/segments.c
build downloader-buggy downloader/downloader.c downloader/http.c downloader/segments-buggy.c
expect "downloader fetches" ./native-downloader -n 4 -s 10000 "$url/large" got
expect "downloader: all bytes are there" cmp got srv/large
expect "downloader: no state is left" test ! -e got.state
printf '%-23d %-23d\n##' 16 8 >resumed.state # all fetched, says the state: nothing is asked for
expect "downloader goes on" ./native-downloader -s 8 "$url/small" resumed
expect "downloader believes its state" cmp resumed <(head -c 16 /dev/zero)
expect "the buggy downloader fetches" ./native-downloader-buggy -f -s 8 "$url/small" got
expect "downloader: no such file" bash -c "./native-downloader $url/nothing got; test \$? -eq 1"
expect "downloader: usage" bash -c './native-downloader ftp://x/y z; test $? -eq 2'
verdict downloader 0 ': safe: ' ./downloader -f -s 8 "$url/small" got
verdict downloader-buggy 1 "segments-buggy\.c:[0-9]+: assertion: assertion 'segments.missing >= 0' fails" \
    ./downloader-buggy -f -s 8 "$url/small" got
expect "downloader-buggy: there is a trace" test -s downloader-buggy.raddle

# ---- compressor

sources=(compressor/compressor.c compressor/pack.c compressor/ring.c)
build compressor "${sources[@]}" compressor/writer.c
build compressor-buggy "${sources[@]}" compressor/writer-buggy.c
: >empty
for file in "$RADDLE" empty in/a; do
    for block in 65535 1000 7; do
        expect "compressor packs $file by $block" ./native-compressor -j 3 -b $block "$file" packed
        expect "compressor unpacks it" ./native-compressor -d packed unpacked
        expect "compressor: nothing changed" cmp "$file" unpacked
    done
done
printf 'aaaaaaaabbbbbbbbcccccccc' >blocks
expect "the buggy compressor packs" ./native-compressor-buggy -q 2 -b 8 blocks packed
expect "compressor: not its own" bash -c './native-compressor -d in/a unpacked; test $? -eq 1'
expect "compressor: damaged" bash -c "./native-compressor $RADDLE packed && printf xyz | dd of=packed bs=1 seek=5000 conv=notrunc &&
    ./native-compressor -d packed unpacked; test \$? -eq 1"
expect "compressor: usage" bash -c './native-compressor; test $? -eq 2'
expect "blocks are packed" ./native-compressor -b 8 blocks packed
verdict compressor 0 ': safe: ' ./compressor -q 2 -b 8 blocks -
verdict "compressor -d" 0 ': safe: ' ./compressor -q 2 -d packed -
verdict compressor-buggy 1 'data-race: .*writer-buggy\.c:18' ./compressor-buggy -q 2 -b 8 blocks -
expect "compressor-buggy: there is a trace" test -s compressor-buggy.raddle
printf xyz | dd of=packed bs=1 seek=20 conv=notrunc 2>/dev/null
verdict "compressor fails" 1 'ends with status 1' ./compressor -q 2 -d packed -
timeout 60 "$RADDLE" check --exit-ok ./compressor -q 2 -d packed - >out 2>err
expect "compressor fails well" test $? -eq 0

finish
