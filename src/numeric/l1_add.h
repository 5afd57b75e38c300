/* The adder beside L1: what accumulates into memory, for NoC atomics and for packers.
 *
 * Sources: BlackholeA0/NoC/Atomics.md ("Parallel addition"): denormals are zeros going in and coming out. The rest is
 * what silicon is known to do when packers accumulate; that NoC requests use the same adder is assumed.
 *   FP32: to nearest even, every NaN result is FP32_NAN.
 *   BF16: to nearest even. A NaN in memory is a number too large for anything but infinity to matter beside; one that
 * is added is a number of exponent 255, so the sum may be finite. Only opposed infinities give a NaN. FP16: no
 * infinities or NaNs, exponent 31 is one more. The sum is rounded to FP32 first. Overflow saturates, and so do sums too
 * small for the exponents there are, and numbers of exponent 30 and 31 that cancel.
 */
#ifndef NUMERIC_L1_ADD_H
#define NUMERIC_L1_ADD_H

#include <stdint.h>

uint32_t l1_add_fp32(uint32_t memory, uint32_t addend);
uint16_t l1_add_bf16(uint16_t memory, uint16_t addend);
uint16_t l1_add_fp16(uint16_t memory, uint16_t addend);

#endif
