// EXPECT(sc -DV=0): safe
// EXPECT(sc -DV=1): safe
// EXPECT(sc -DV=2): safe
// EXPECT(sc -DV=3): safe
// EXPECT(sc -DV=4): safe
// EXPECT(sc -DV=5): safe
// EXPECT(sc -DV=6): safe
// EXPECT(sc -DV=7): data-race
// EXPECT(sc -DV=8): safe

// Functions of the C library read and write no more than they must: the bytes behind are another thread's.

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static char text[16] = "aXc", room[16];
static wchar_t wide[16] = L"aXc", wide_room[16];
static volatile int sink;

static void *thread(void *argument)
{
#if V == 0
    sink = strcasecmp(text, "bbb");
#elif V == 1
    sink = strncasecmp(text, "Ax", 2);
#elif V == 2
    sink = wcscmp(wide, L"b");
#elif V == 3
    sink = wcschr(wide, L'X') != NULL;
#elif V == 4
    sink = (int)mbstowcs(wide_room, "a", 16);
#elif V == 5
    sink = (int)wcstombs(room, L"a", 16);
#elif V == 6
    sink = inet_pton(AF_INET, "1.2.3.4", room);
#elif V == 7
    sink = inet_pton(AF_INET6, "::1", room);
#else
    sink = strncmp(text, "aY", 3) + wcsncmp(wide, L"aXd", 2);
#endif
    return argument;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, thread, NULL);
    text[2] = 'd';
    wide[2] = L'd';
    wide_room[2] = L'd';
    room[8] = 'd';
    pthread_join(t, NULL);
    return 0;
}
