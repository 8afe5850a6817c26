/* A thread pool with its structs on the heap. RACE: a counter without its lock. LATE: a lost wake-up. FREED: used after it was freed, at
 * shutdown. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum state { IDLE, RUNNING, STOPPED };

struct job {
    void (*run)(struct job *job);
    struct {
        int input, output;
    } numbers;
    bool finished;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t more;
    enum state state;
    struct job *jobs; /* a ring */
    int first, count;
    struct {
        pthread_mutex_t lock;
        long done;
    } stats;
    pthread_t threads[2];
};

static void square(struct job *job)
{
    job->numbers.output = job->numbers.input * job->numbers.input;
    job->finished = true;
}

static void count_one(struct pool *pool)
{
#ifdef RACE
    pool->stats.done++;
#else
    pthread_mutex_lock(&pool->stats.lock);
    pool->stats.done++;
    pthread_mutex_unlock(&pool->stats.lock);
#endif
}

static void *worker(void *argument)
{
    struct pool *pool = argument;
    struct job *job;

    pthread_mutex_lock(&pool->lock);
#ifdef LATE
    if (pool->count == 0) {
        pthread_mutex_unlock(&pool->lock);
        pthread_mutex_lock(&pool->lock);
        pthread_cond_wait(&pool->more, &pool->lock);
    }
#endif
    while (pool->count == 0 && pool->state != STOPPED)
        pthread_cond_wait(&pool->more, &pool->lock);
    if (pool->count > 0) {
        job = &pool->jobs[pool->first++];
        pool->count--;
        pthread_mutex_unlock(&pool->lock);
        job->run(job);
        count_one(pool);
    } else {
        pthread_mutex_unlock(&pool->lock);
    }
    return NULL;
}

static struct pool *pool_new(int jobs)
{
    struct pool *p = calloc(1, sizeof *p);

    p->jobs = calloc((size_t)jobs, sizeof *p->jobs);
    p->state = RUNNING;
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->stats.lock, NULL);
    pthread_cond_init(&p->more, NULL);
    return p;
}

static void pool_add(struct pool *pool, int input)
{
    struct job *job;

    pthread_mutex_lock(&pool->lock);
    job = &pool->jobs[pool->count++];
    job->run = square;
    job->numbers.input = input;
    pthread_cond_signal(&pool->more);
    pthread_mutex_unlock(&pool->lock);
}

int main(void)
{
    struct pool *pool = pool_new(3);

#ifdef LATE
    pthread_create(&pool->threads[0], NULL, worker, pool);
    pool_add(pool, 2);
    pthread_join(pool->threads[0], NULL);
#else
    pool_add(pool, 2);
    pool_add(pool, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&pool->threads[i], NULL, worker, pool);
#ifdef FREED
    pthread_join(pool->threads[0], NULL);
    free(pool->jobs);
    free(pool);
    return 0;
#endif
    for (int i = 0; i < 2; i++)
        pthread_join(pool->threads[i], NULL);
#endif
    free(pool->jobs);
    free(pool);
    return 0;
}
