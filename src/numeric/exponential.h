/* The table behind SFPARECIP's exponential: the top seven bits of the fraction of exp(x), for the 896 patterns that the
 * upper half of an FP32 number can have from 1/64 up to 2. From e^x = 4 on, the next power of two, 128 more.
 *
 * Source: SFPARECIP.md (BH). */
#ifndef NUMERIC_EXPONENTIAL_H
#define NUMERIC_EXPONENTIAL_H

#include <stdint.h>

enum {
    EXPONENTIAL_FIRST = 0x3C80, /* the pattern of entry 0: 1/64 */
    EXPONENTIAL_TWO = 0x3F32,   /* the first one with e^x >= 2 */
    EXPONENTIAL_ENTRIES = 0x4000 - EXPONENTIAL_FIRST,
};

extern const uint8_t exponential_table[EXPONENTIAL_ENTRIES];

#endif
