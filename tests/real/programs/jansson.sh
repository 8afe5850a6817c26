# jansson: JSON documents with atomic reference counts, shared by two threads of a program of our own.
source=jansson

program_build() {
    cmake -S . -B build -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF && cmake --build build -j "$jobs" &&
        $CC -O1 -Isrc -Ibuild/include "$here/own/jansson_shared.c" build/lib/libjansson.a -o jansson_shared
}

program_checks() {
    check 'incomplete; not modelled: random numbers of the system: .*' -- ./jansson_shared
}
