/* A critical section that notices when it is not alone. */
#include "common.h"

static atomic_int inside;

static inline void critical_section(void)
{
    assert(atomic_fetch_add(&inside, 1) == 0); /* alone */
    atomic_fetch_sub(&inside, 1);
}
