// N threads insert 4 messages each into a hash table with a mutex for each entry; from 12 threads on they meet.
// EXPECT(all -DN=11): safe executions=1
// EXPECT(all -DN=12): safe executions=8
// EXPECT(sc -DN=12 -O2): safe executions=8
// EXPECT(all -DN=13 -O1): safe executions=64
// EXPECT(sc -DN=14): safe executions=512
#include "common.h"

#define SIZE 128

static atomic_int table[SIZE];
static pthread_mutex_t locks[SIZE];

static void insert(int w)
{
    for (int h = w * 7 % SIZE, done = 0; !done; h = (h + 1) % SIZE) {
        pthread_mutex_lock(&locks[h]);
        if (load(table[h]) == 0) {
            store(table[h], w);
            done = 1;
        }
        pthread_mutex_unlock(&locks[h]);
    }
}

static void *thread(void *id)
{
    for (int k = 1; k <= 4; k++)
        insert(11 * k + (int)(intptr_t)id);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&locks[i], NULL);
    run(N, thread);
    return 0;
}
