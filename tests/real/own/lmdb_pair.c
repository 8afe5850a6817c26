/* Two threads on one environment of LMDB: each adds a number to the same key, in a transaction of its own.
 * With an argument the file is written in memory, else by write. */
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static MDB_env *env;
static MDB_dbi dbi;
static char name[] = "sum";

static int sum_read(MDB_txn *txn)
{
    MDB_val key = {sizeof name, name}, value;
    int sum = 0;

    if (mdb_get(txn, dbi, &key, &value) == 0)
        memcpy(&sum, value.mv_data, sizeof sum);
    return sum;
}

static void *add(void *arg)
{
    MDB_val key = {sizeof name, name}, value;
    MDB_txn *txn;
    int sum;

    assert(mdb_txn_begin(env, NULL, 0, &txn) == 0);
    sum = sum_read(txn) + *(int *)arg;
    value = (MDB_val){sizeof sum, &sum};
    assert(mdb_put(txn, dbi, &key, &value, 0) == 0);
    assert(mdb_txn_commit(txn) == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    MDB_txn *txn;
    int one = 1, two = 2;
    unsigned flags = MDB_NOSUBDIR | MDB_NOSYNC | (argc > 1 ? MDB_WRITEMAP : 0);

    (void)argv;
    assert(mdb_env_create(&env) == 0);
    assert(mdb_env_open(env, "sums", flags, 0600) == 0);
    assert(mdb_txn_begin(env, NULL, 0, &txn) == 0);
    assert(mdb_dbi_open(txn, NULL, 0, &dbi) == 0);
    assert(mdb_txn_commit(txn) == 0);
    pthread_create(&other, NULL, add, &one);
    add(&two);
    pthread_join(other, NULL);
    assert(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == 0);
    assert(sum_read(txn) == 3);
    mdb_txn_abort(txn);
    mdb_env_close(env);
    return 0;
}
