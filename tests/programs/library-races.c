// What functions of the C library read and write is seen: one thread writes by a function and the other one looks, or the other way round. With
// LOCKED there is a mutex around both. Each number is another function.
// EXPECT(sc -DCASE=1): data-race
// EXPECT(sc -DCASE=2): data-race
// EXPECT(sc -DCASE=3): data-race
// EXPECT(sc -DCASE=4): data-race
// EXPECT(sc -DCASE=5): data-race
// EXPECT(sc -DCASE=6): data-race
// EXPECT(sc -DCASE=7): data-race
// EXPECT(sc -DCASE=8): data-race
// EXPECT(sc -DCASE=9): data-race
// EXPECT(sc -DCASE=10): data-race
// EXPECT(sc -DCASE=11): data-race
// EXPECT(sc -DCASE=12): data-race
// EXPECT(sc -DCASE=13): data-race
// EXPECT(sc -DCASE=14): data-race
// EXPECT(sc -DCASE=15): data-race
// EXPECT(sc -DCASE=16): data-race
// EXPECT(sc -DCASE=17): data-race
// EXPECT(sc -DCASE=18): data-race
// EXPECT(sc -DCASE=19): data-race
// EXPECT(sc -DCASE=20): data-race
// EXPECT(sc -DCASE=4 -D_FORTIFY_SOURCE=2 -O2): data-race
// EXPECT(sc -DCASE=2 -D_FORTIFY_SOURCE=2 -O2): data-race
// EXPECT(sc -DCASE=4 -DLOCKED -D_FORTIFY_SOURCE=2 -O2): safe
// EXPECT(all -DCASE=0 -DLOCKED): safe
#include "library.h"
