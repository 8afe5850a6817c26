// The same with plain accesses as steps of their own.
// OPTIONS: --races=ignore
// EXPECT(sc -DOTHER): assertion
// EXPECT(sc -DOTHER -DMASKED): safe
// EXPECT(sc -DSUSPEND): safe
// EXPECT(sc -DTIMED): assertion
// EXPECT(sc -DPROCESS): assertion
#include "signal-send.c"
