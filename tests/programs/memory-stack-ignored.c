// The same when races are ignored: plain accesses are steps then.
// OPTIONS: --races=ignore
// EXPECT(all): memory says=the stack of T1 \([a-z_0-9]+\), which has ended
// EXPECT(sc -DWRITES): memory
// EXPECT(sc -DVARIABLE): memory
// EXPECT(sc -DCOPIES): memory
// EXPECT(sc -DBEFORE): safe
#include "memory-stack-alone.c"
