# pbzip2: bzip2 with a queue of blocks and threads; C++ of before 2011. libbz2 is trusted to touch only what it is given.
source=pbzip2

program_build() {
    make -j "$jobs" CC="$CC" CXX="$RADDLE c++ -std=gnu++98" pbzip2
}

program_checks() {
    check 'safe' --trust 'libbz2.so*' -- ./pbzip2 -p2 -c "$real/input/tiny"
}
