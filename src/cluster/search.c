#include "cluster/search.h"

#include <stdio.h>
#include <time.h>

#define TICK_SECONDS 0.1
#define END_SECONDS  2.0 /* that workers have to say their last words */
#define TELL_SECONDS 0.4 /* and to tell what is left, if somebody wants to know */
#define HURRY_SECONDS                                                                              \
    0.1 /* for the former, if somebody will not wait: mpirun kills after a second */

static double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void search_message(void *context, uint32_t worker, const uint8_t *at, uint32_t size)
{
    struct search *search = context;
    struct coordinator *coordinator = search->coordinator;
    struct bytes answer;
    bool failed = false;

    bytes_open(&answer, coordinator->arena);
    if (!search->numbers || !numbers_answer(search->numbers, at, size, &answer, &failed)) {
        coordinator_receive(coordinator, worker, at, size);
    } else if (failed) {
        coordinator_fail(coordinator, "a message cannot be read");
    } else {
        search->transport->ops->send(search->transport, worker, answer.data.at, answer.data.count);
    }
    vec_free(answer.arena, &answer.data);
}

static void search_lost(void *context, uint32_t worker)
{
    struct search *search = context;

    coordinator_lost(search->coordinator, worker);
}

/* What the coordinator has to say goes on its way. */
static void messages_send(struct search *search)
{
    struct coordinator *coordinator = search->coordinator;

    for (uint32_t i = 0; i < coordinator->out.count; i++) {
        const struct message *message = &coordinator->out.at[i];

        search->transport->ops->send(search->transport, message->worker, message->bytes.data.at,
                                     message->bytes.data.count);
    }
    coordinator_sent(coordinator);
}

static uint32_t messages_exchange(struct search *search, double seconds)
{
    messages_send(search);
    return search->transport->ops->take(search->transport, (int)(seconds * 1e3) + 1);
}

static bool is_over(const struct search *search)
{
    const struct transport_result *result = &search->transport->result;

    return coordinator_is_done(search->coordinator) || search->coordinator->stopped ||
           result->why || result->status;
}

static void search_on(struct search *search)
{
    double next = clock_now(), now = next, pause;

    while (!is_over(search)) {
        messages_exchange(search, next > now ? next - now : 0);
        now = clock_now();
        if (now < next)
            continue;
        coordinator_ask_stats(search->coordinator);
        pause = TICK_SECONDS;
        if (search->tick && !search->tick(search->context, search->coordinator, &pause))
            coordinator_stop(search->coordinator);
        next = now + pause;
    }
}

/* Workers tell what they have done so far, and go. */
static void search_end(struct search *search)
{
    struct coordinator *coordinator = search->coordinator;
    bool tells = search->stopped && coordinator->stopped && !coordinator->failed;
    double end = clock_now() + TELL_SECONDS;

    search->transport->ops->ends(search->transport);
    if (tells)
        coordinator_ask_rest(coordinator);
    coordinator_dismiss(coordinator);
    while (tells && !coordinator_has_rest(coordinator) && clock_now() < end &&
           messages_exchange(search, TICK_SECONDS) > 0)
        continue;
    if (tells)
        search->stopped(search->context, coordinator);
    end = clock_now() + (search->transport->hurry ? HURRY_SECONDS : END_SECONDS);
    while (messages_exchange(search, TICK_SECONDS) > 0 && clock_now() < end)
        continue;
}

void search_run(struct search *search)
{
    struct transport *transport = search->transport;

    transport->user =
        (struct transport_user){.message = search_message, .lost = search_lost, .context = search};
    if (transport->ops->begin(transport))
        search_on(search);
    search_end(search);
    transport->ops->close(transport);
}
