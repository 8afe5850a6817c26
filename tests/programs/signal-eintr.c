// The calls of signal-wait.c that a signal ends: without SA_RESTART, or always.
// EXPECT(sc -DSEM -DHANDED -DFLAGS=SA_RESTART): safe
// EXPECT(sc -DREAD -DHANDED -DFLAGS=SA_RESTART): safe
// EXPECT(sc -DSEM -DHANDED): assertion
// EXPECT(sc -DREAD -DHANDED): assertion
// EXPECT(sc -DWRITE -DHANDED): assertion
// EXPECT(sc -DPOLL -DHANDED): assertion
// EXPECT(sc -DPOLL -DHANDED -DFLAGS=SA_RESTART): assertion
// EXPECT(sc -DSELECT -DHANDED -DFLAGS=SA_RESTART): assertion
// EXPECT(sc -DEPOLL -DHANDED -DFLAGS=SA_RESTART): assertion
// EXPECT(sc -DSEM -DMAY_FAIL): safe
// EXPECT(sc -DREAD -DMAY_FAIL): safe
// EXPECT(sc -DWRITE -DMAY_FAIL): safe
// EXPECT(sc -DPOLL -DMAY_FAIL): safe
// EXPECT(sc -DSELECT -DMAY_FAIL): safe
// EXPECT(sc -DEPOLL -DMAY_FAIL): safe
// EXPECT(sc -DTIMED_SEM -DMAY_FAIL): safe
// EXPECT(sc -DTIMED_SEM): assertion
// EXPECT(sc -DTIMED_SEM -DFLAGS=SA_RESTART): safe
// EXPECT(sc -DTIMED_POLL -DMAY_FAIL): safe
// EXPECT(sc -DTIMED_POLL): assertion
// EXPECT(sc -DSLEEP -DMAY_FAIL): safe
// EXPECT(sc -DSLEEP): assertion
// EXPECT(sc -DNANOSLEEP -DMAY_FAIL): safe
// EXPECT(sc -DNANOSLEEP): assertion
#include "signal-wait.c"
