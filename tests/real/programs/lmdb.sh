# LMDB: a database in a mapped file; a robust mutex for writers, lock-free readers. It reads the flags of the one transaction for writing before it
# has the mutex: a data race that does no harm, and is passed over in the other rows.
source=lmdb

program_build() {
    make -j "$jobs" -C libraries/liblmdb CC="$CC" liblmdb.a &&
        $CC -O1 -Ilibraries/liblmdb "$here/own/lmdb_pair.c" libraries/liblmdb/liblmdb.a -o lmdb_pair &&
        echo 'race:mdb_txn_renew0' >suppressions
}

program_checks() {
    check 'bug; data-race at mdb.c; not modelled: getpid: .*' -- ./lmdb_pair writemap
    check 'incomplete; not modelled: getpid: .*; not modelled: a file that is mapped, and changed, and used otherwise, too' --suppressions "$PWD/suppressions" -- ./lmdb_pair
    check 'incomplete; not modelled: getpid: .*' --suppressions "$PWD/suppressions" -- ./lmdb_pair writemap
}
