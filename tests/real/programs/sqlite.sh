# SQLite: one connection that two threads of a program of our own use. The amalgamation is made first, by programs that are not to be checked; compiling that one file takes a minute.
source=sqlite3

program_build() {
    CC=cc ./configure --disable-tcl && make CC=cc sqlite3.c &&
        $CC -O1 -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION -I. "$here/own/sqlite_pair.c" sqlite3.c -o sqlite_pair
}

program_checks() {
    check 'incomplete; not modelled: getpid: .*; not modelled: random numbers of the system: .*' -- ./sqlite_pair
}
