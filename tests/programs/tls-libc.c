// What libc keeps for each thread is each thread's own, also while the others run: texts, the locale, errno, the thread pointer.
// EXPECT(all): safe
// EXPECT(sc -DTEXTS=1): safe
// EXPECT(sc -DTEXTS=2): safe
// EXPECT(sc -DTEXTS=3): safe
// EXPECT(sc -DTEXTS=4): safe
// EXPECT(sc -DLOCALES): safe
// EXPECT(sc -DSHARED): data-race
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <netdb.h>
#include <string.h>

#include "common.h"

static atomic_int x;
static void *main_pointer;
static int *main_errno;

#ifdef TEXTS
static const char *text(int i)
{
    struct in_addr address = {htonl((uint32_t)i)};

    switch (TEXTS) {
    case 1:
        return strerror(1000 + i);
    case 2:
        return strsignal(1000 + i);
    case 3:
        return inet_ntoa(address);
    default:
        return strerror_l(2000 + i, (locale_t)LC_GLOBAL_LOCALE);
    }
}
#endif

static void use(int i)
{
#ifdef TEXTS
    const char *mine = text(i);

    x++;
    assert(mine[strlen(mine) - 1] == '0' + i);
    x++;
    assert(mine[strlen(mine) - 1] == '0' + i);
#elif defined LOCALES
    locale_t mine = newlocale(LC_ALL_MASK, "C", NULL);

    assert(uselocale(NULL) == LC_GLOBAL_LOCALE);
    uselocale(mine);
    x++;
    assert(uselocale(NULL) == mine && isalpha('a' + i) && toupper('b') == 'B');
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(mine);
#else
    assert(errno == 0);
    errno = i;
    h_errno = 10 + i;
    x++;
    assert(errno == i && h_errno == 10 + i);
    errno = 0;
#endif
}

static void *other(void *_)
{
    assert(__builtin_thread_pointer() != main_pointer && &errno != main_errno);
#ifdef SHARED
    *main_errno = 5;
#endif
    use(1);
    return _;
}

int main(void)
{
    pthread_t thread;

    main_pointer = __builtin_thread_pointer();
    main_errno = &errno;
    pthread_create(&thread, NULL, other, NULL);
    use(2);
    pthread_join(thread, NULL);
    assert(__builtin_thread_pointer() == main_pointer && &errno == main_errno);
    return 0;
}
