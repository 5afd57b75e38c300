/* A fast hash for state and checksums. Its values are comparable within one version of the library only. */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Adds a value to a hash. */
static inline uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* Adds bytes to a hash in four lanes, so that the multiplications overlap. The bytes after the last full 32 follow one
 * by one. */
static inline uint64_t mix_bytes(uint64_t hash, const void *data, size_t size) {
    const uint8_t *at = data;
    uint64_t lane[4] = { hash, hash + 1, hash + 2, hash + 3 };
    for (; size >= sizeof lane; at += sizeof lane, size -= sizeof lane) {
        uint64_t word[4];
        memcpy(word, at, sizeof word);
        for (unsigned i = 0; i < 4; i++)
            lane[i] = mix(lane[i], word[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        hash = mix(hash, lane[i]);
    for (; size; at++, size--)
        hash = mix(hash, *at);
    return hash;
}

#endif
