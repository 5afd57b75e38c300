/* Functions that read long runs of bytes: a fast hash for state and checksums, whose values are comparable within one
 * version of the library only, and a search for bytes that are not zero. */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The thread sanitizer does not watch what these functions read, which would take most of the time of many tests. Only
 * one host thread is in a chip that is hashed or saved. */
#define MIX_UNWATCHED __attribute__((no_sanitize("thread")))

/* Adds a value to a hash. */
MIX_UNWATCHED static inline uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* Adds bytes to a hash in four lanes, so that the multiplications overlap. The bytes after the last full 32 follow one
 * by one. */
MIX_UNWATCHED static inline uint64_t mix_bytes(uint64_t hash, const void *data, size_t size) {
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

MIX_UNWATCHED static inline bool bytes_are_zero(const void *data, size_t size) {
    const uint8_t *at = data;
    uint8_t any = 0;
    for (uint64_t word[4]; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(word, at, sizeof word);
        if (word[0] | word[1] | word[2] | word[3])
            return false;
    }
    for (size_t i = 0; i < size; i++)
        any |= at[i];
    return !any;
}

#endif
