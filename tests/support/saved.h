/* Saved chips as bytes, for tests that change them (chip/save.h). */
#ifndef SUPPORT_SAVED_H
#define SUPPORT_SAVED_H

#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "chip/chip.h"
#include "chip/save.h"

/* magic, version, size, checksum; then seven words of configuration and two of layouts */
enum { SAVED_VERSION_AT = 8, SAVED_SIZE_AT = 16, SAVED_CHECKSUM_AT = 24, SAVED_HEAD = 32, SAVED_LAYOUT_AT = 88 };
enum { SAVED_STATE_AT = 104 };

/* Loads a copy of the bytes. */
static inline bh_status saved_restore(bh_chip *chip, const uint8_t *bytes, size_t size) {
    struct save_bytes copy;
    if (!save_bytes_make(&copy, size ? size : 1))
        return BH_ERR_MEMORY;
    copy.size = size;
    if (size)
        memcpy(copy.at, bytes, size);
    return save_restore(chip, &copy);
}

/* Makes size and checksum right. */
static inline void saved_seal(uint8_t *bytes, size_t size) {
    uint64_t left = size - SAVED_HEAD, version;
    memcpy(&version, bytes + SAVED_VERSION_AT, sizeof version);
    uint64_t checksum = mix_bytes(version, bytes + SAVED_HEAD, left);
    memcpy(bytes + SAVED_SIZE_AT, &left, sizeof left);
    memcpy(bytes + SAVED_CHECKSUM_AT, &checksum, sizeof checksum);
}

#endif
