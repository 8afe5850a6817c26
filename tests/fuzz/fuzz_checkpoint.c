/* Any bytes: the reader of checkpoints refuses them with a reason, or gives a search and a session whose indices are in range. Chance does not find checksums, so
 * each input is also tried as what is behind a good header. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/coordinator.h"
#include "explore/checkpoint.h"
#include "explore/session.h"

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_checkpoint: %s\n", what);
        abort();
    }
}

static void session_check(const struct session *session)
{
    for (uint32_t i = 0; i < session->threads.count; i++)
        require(session->threads.at[i].parent < session->threads.count, "no such thread");
    for (uint32_t i = 0; i < session->bugs.count; i++) {
        const struct session_bug *bug = &session->bugs.at[i];

        require(bug->message &&
                    bug->schedule_first + bug->schedule_count <= session->schedules.count,
                "no such schedule");
        require(bug->exposed <= session->exposed.count && bug->facts <= session->facts.count,
                "a bug that knows too much");
    }
}

/* Each twig knows how much is open below it. */
static uint32_t tree_check(const struct twig *twig)
{
    uint32_t open = twig->state == TWIG_LEAF;

    require(!twig->rest || twig->rest->root == twig->depth, "a rest of something else");
    for (const struct twig *child = twig->first; child; child = child->sibling)
        open += tree_check(child);
    require(open == twig->open, "open parts are lost");
    return open;
}

/* The tree of a search with workers. */
static void coordinator_try(const uint8_t *data, size_t size)
{
    struct coordinator_options options = {.reduction = reductions[0], .workers = 1};
    struct bytes_reader in = {.at = data, .end = data + size};
    struct coordinator coordinator;
    struct arena arena;

    require(arena_open(&arena, (size_t)1 << 36) == 0, "no memory");
    require(coordinator_open(&coordinator, &arena, &options) == 0, "no memory");
    if (coordinator_read(&coordinator, &in) &&
        size < 4096) /* deep ones would need a deep stack here */
        tree_check(coordinator.twigs.root);
    coordinator_close(&coordinator);
    arena_close(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct checkpoint_identity identity = {1, 2, 3};
    static struct session session;
    struct bytes_reader in = {.at = data, .end = data + size}, inner;
    struct checkpoint_search search;
    struct work_error error = {""};
    struct arena arena;

    require(arena_open(&arena, (size_t)1 << 36) == 0, "no memory");
    if (!checkpoint_unseal(data, size, &identity, &inner, &error))
        require(error.text[0] != '\0', "refused without a reason");
    if (checkpoint_read(&search, &arena, &in))
        require(search.work.nodes.count == search.steps.count + 1, "states and steps differ");
    arena_close(&arena);
    memset(&session, 0, sizeof session);
    require(arena_open(&session.arena, (size_t)1 << 36) == 0, "no memory");
    bytes_open(&session.checkpoint.from, &session.arena);
    in = (struct bytes_reader){.at = data, .end = data + size};
    if (session_checkpoint_give(&session, &in))
        session_check(&session);
    arena_close(&session.arena);
    coordinator_try(data, size);
    return 0;
}
