#include "base/fingerprint.h"

#include <xxhash.h>

/* What was added before becomes part of what is hashed. */
void fingerprint_bytes(struct fingerprint *f, const void *bytes, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, f->low);

    f->low = hash.low64 + f->high;
    f->high = hash.high64 ^ (f->high * 0x9e3779b97f4a7c15u + size);
}

/* Two rounds of multiplying to 128 bits and folding, with odd constants of high weight: the pattern of wyhash. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

void fingerprint_word(struct fingerprint *f, uint64_t word)
{
    uint64_t low = fold(f->low ^ word ^ 0xa0761d6478bd642fu, f->high ^ 0xe7037ed1a0b428dbu);

    f->high = fold(f->high ^ word ^ 0x8ebc6af09c88c6e3u, f->low ^ 0x589965cc75374cc3u) + word;
    f->low = low;
}

struct fingerprint fingerprint_at(uint64_t place, uint64_t value)
{
    struct fingerprint f = {place, 0};

    fingerprint_word(&f, value);
    fingerprint_word(&f, place);
    return f;
}
