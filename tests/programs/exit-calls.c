// Every way to end the process with a status other than 0 is a bug, at the place of the call; 256 is 0 for who waits.
// EXPECT(sc -DHOW=exit(256)): safe
// EXPECT(sc -DHOW=exit(1)): exit at=here
// EXPECT(sc -DHOW=_exit(2)): exit at=here says=ends with status 2
// EXPECT(sc -DHOW=quick_exit(3)): exit at=here says=ends with status 3
// EXPECT(sc -DHOW=errx(4,"no")): exit at=here says=ends with status 4
// EXPECT(sc -DHOW=pthread_exit(0)): safe
// EXPECT(sc -DHOW=exit(-1)): exit at=here says=ends with status 255
#include "common.h"

#include <err.h>
#include <unistd.h>

static void *thread(void *_)
{
    HOW; /* here */
    return NULL;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    return 0;
}
