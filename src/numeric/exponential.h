/* The table for SFPARECIP's exponential. An FP32 number from 1/64 up to 2 has one of 896 patterns in its upper half;
 * for each, the table holds the top seven bits of the fraction of e^x. From e^x = 4 on an entry has 128 added, for the
 * next power of two.
 *
 * Source: SFPARECIP.md (BH). */
#ifndef NUMERIC_EXPONENTIAL_H
#define NUMERIC_EXPONENTIAL_H

#include <stdint.h>

enum {
    EXPONENTIAL_FIRST = 0x3C80, /* pattern of entry 0: 1/64 */
    EXPONENTIAL_TWO = 0x3F32,   /* first pattern with e^x >= 2 */
    EXPONENTIAL_ENTRIES = 0x4000 - EXPONENTIAL_FIRST,
};

extern const uint8_t exponential_table[EXPONENTIAL_ENTRIES];

#endif
