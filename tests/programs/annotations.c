// raddle_choose gives each number, raddle_assume gives up a run, raddle_assert fails even with NDEBUG.
// EXPECT: safe executions=3 blocked=2
// EXPECT(sc -DNDEBUG -DFAILS): assertion at=four
#include <raddle.h>

int main(void)
{
    unsigned n = raddle_choose(5);

    raddle_assert(n < 5);
#ifdef FAILS
    raddle_assert(n != 4); /* four */
#else
    raddle_assume(n % 2 == 0);
    raddle_assert(n == 0 || n == 2 || n == 4);
#endif
    return 0;
}
