// Keys come from an unlimited supply, as long as they are deleted; a new one starts empty in every thread.
// EXPECT: safe
#include "common.h"

int main(void)
{
    pthread_key_t key;

    for (int i = 0; i < 3000; i++) {
        assert(pthread_key_create(&key, NULL) == 0);
        assert(pthread_getspecific(key) == NULL);
        assert(pthread_setspecific(key, &key) == 0);
        assert(pthread_key_delete(key) == 0);
    }
    return 0;
}
