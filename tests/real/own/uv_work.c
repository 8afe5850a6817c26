/* Two pieces of work for a thread of the pool of libuv, and a loop that is told when they are done. */
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

static int squares[2], done;

static void work(uv_work_t *request)
{
    int *square = request->data;

    *square *= *square;
}

static void after(uv_work_t *request, int status)
{
    int *square = request->data;

    assert(status == 0 && *square == (square == squares ? 4 : 9));
    done++;
}

int main(void)
{
    uv_loop_t loop;
    uv_work_t requests[2];

    setenv("UV_THREADPOOL_SIZE", "1", 1);
    assert(uv_loop_init(&loop) == 0);
    for (int i = 0; i < 2; i++) {
        squares[i] = i + 2;
        requests[i].data = &squares[i];
        uv_queue_work(&loop, &requests[i], work, after);
    }
    assert(uv_run(&loop, UV_RUN_DEFAULT) == 0);
    assert(done == 2 && uv_loop_close(&loop) == 0);
    uv_library_shutdown(); /* joins the threads */
    return 0;
}
