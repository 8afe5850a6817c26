// The same when races are ignored: to take the memory is a step, with accesses before and after it.
// OPTIONS: --races=ignore
// EXPECT(sc -DUNMAP): bug
// EXPECT(sc -DUNMAP -DREADS): bug
// EXPECT(sc -DPROTECT): bug
// EXPECT(sc -DUNMAP -DJOINED): safe
#include "mapping-taken.c"
