/* Two threads insert through one connection of SQLite, which has a mutex for that, into a table in memory. */
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

static sqlite3 *db;

static void *insert(void *text)
{
    assert(sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK);
    return NULL;
}

static int count(void *sum, int columns, char **values, char **names)
{
    (void)columns;
    (void)names;
    *(char *)sum = values[0][0];
    return 0;
}

int main(void)
{
    pthread_t other;
    char sum = 0;

    assert(sqlite3_open(":memory:", &db) == SQLITE_OK);
    assert(sqlite3_exec(db, "CREATE TABLE t(x)", NULL, NULL, NULL) == SQLITE_OK);
    pthread_create(&other, NULL, insert, "INSERT INTO t VALUES(1)");
    insert("INSERT INTO t VALUES(2)");
    pthread_join(other, NULL);
    assert(sqlite3_exec(db, "SELECT sum(x) FROM t", count, &sum, NULL) == SQLITE_OK && sum == '3');
    sqlite3_close(db);
    return 0;
}
