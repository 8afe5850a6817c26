// Named semaphores.
#include "conform.h"
#include <semaphore.h>

#define SEM(call) conform_sem(#call, (errno = 0, call))

static sem_t *conform_sem(const char *call, sem_t *sem)
{
    say("%s: %s", call, sem == SEM_FAILED ? error_name(errno) : "a semaphore");
    return sem;
}

static void *posts(void *sem)
{
    SYS(sem_post(sem));
    return NULL;
}

static void program(void)
{
    sem_t *a, *b;
    int value = -1;

    sem_unlink("/conform-sem");
    SEM(sem_open("/conform-sem", 0));
    a = SEM(sem_open("/conform-sem", O_CREAT | O_EXCL, 0600, 1));
    SEM(sem_open("/conform-sem", O_CREAT | O_EXCL, 0600, 1));
    b = SEM(sem_open("/conform-sem", O_CREAT, 0600, 5)); /* the value does not count */
    NUM(a == b);
    SYS(sem_getvalue(b, &value));
    NUM(value);
    SYS(sem_wait(a));
    SYS(sem_trywait(b));
    in_thread(posts, a);
    SYS(sem_getvalue(b, &value));
    NUM(value);
    SYS(sem_close(b));
    SYS(sem_trywait(a)); /* still open */
    SYS(sem_unlink("/conform-sem"));
    SYS(sem_unlink("/conform-sem"));
    SEM(sem_open("/conform-sem", 0));
    b = SEM(sem_open("/conform-sem", O_CREAT, 0600, 3)); /* another one */
    NUM(a == b);
    SYS(sem_close(a));
    SYS(sem_close(b));
    SYS(sem_unlink("/conform-sem"));
    SEM(sem_open("/a/b", O_CREAT, 0600, 1));
    SEM(sem_open("/", O_CREAT, 0600, 1));
}
