/* The adder next to L1, which accumulates into memory for NoC atomics and packers. memory: the value in L1.
 *
 * Sources: BlackholeA0/NoC/Atomics.md ("Parallel addition"): denormal operands and results are zeros. The rest is the
 * known behaviour of silicon when packers accumulate; that NoC requests use the same adder is assumed.
 *   FP32: rounds to nearest even; every NaN result is FP32_NAN.
 *   BF16: rounds to nearest even. A NaN in memory acts as a number so large that only infinity matters beside it; a
 *   NaN as the addend acts as a number of exponent 255, so the sum may be finite. Only opposed infinities give a NaN.
 *   FP16: has no infinities or NaNs; exponent 31 is an exponent like any other. The sum is first rounded to FP32.
 *   Overflow saturates, and so do sums too small for the available exponents, and numbers of exponent 30 and 31 that
 *   cancel. */
#ifndef NUMERIC_L1_ADD_H
#define NUMERIC_L1_ADD_H

#include <stdint.h>

uint32_t l1_add_fp32(uint32_t memory, uint32_t addend);
uint16_t l1_add_bf16(uint16_t memory, uint16_t addend);
uint16_t l1_add_fp16(uint16_t memory, uint16_t addend);

#endif
