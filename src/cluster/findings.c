#include "cluster/findings.h"

#include "cluster/link.h"
#include "cluster/message.h"

void findings_tell(struct session *session, struct bytes *out)
{
    uint64_t sum = session_sum(session);
    uint32_t start = out->data.count, size;

    if (sum == session->work_told)
        return;
    session->work_told = sum;
    session->outside |= session->undo.outside;
    link_length(out, 0);
    bytes_number(out, MESSAGE_BUG);
    bytes_number(out, 0); /* no item */
    bytes_number(out, session->begin_anew);
    session_write(session, out);
    size = out->data.count - start - 4;
    for (unsigned i = 0; i < 4; i++)
        out->data.at[start + i] = (uint8_t)(size >> (8 * i));
}

bool findings_read(struct session *session, const void *at, size_t size)
{
    struct bytes_reader in = {.at = at, .end = (const uint8_t *)at + size};

    session->begin_anew = bytes_read_below(&in, 2) != 0;
    return session_read(session, &in) && in.at == in.end;
}
