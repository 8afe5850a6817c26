// N threads give an inode a block each; from 14 threads on two of them want the same block.
// EXPECT(all -DN=13): safe executions=1
// EXPECT(all -DN=14): safe executions=2
// EXPECT(sc -DN=14 -O2): safe executions=2
// EXPECT(all -DN=16): safe executions=8
// EXPECT(all -DN=18 -O1): safe executions=32
#include "common.h"

#define INODES 32
#define BLOCKS 26

static atomic_int inode[INODES], busy[BLOCKS];
static pthread_mutex_t inode_lock[INODES], busy_lock[BLOCKS];

static void *thread(void *id)
{
    int i = (int)(intptr_t)id % INODES;

    pthread_mutex_lock(&inode_lock[i]);
    if (load(inode[i]) == 0) {
        for (int b = 2 * i % BLOCKS;; b = (b + 1) % BLOCKS) {
            pthread_mutex_lock(&busy_lock[b]);
            if (!load(busy[b])) {
                store(busy[b], 1);
                store(inode[i], b + 1);
                pthread_mutex_unlock(&busy_lock[b]);
                break;
            }
            pthread_mutex_unlock(&busy_lock[b]);
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void)
{
    run(N, thread);
    return 0;
}
