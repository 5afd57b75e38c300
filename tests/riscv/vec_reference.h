/* A second, plain model of the integer, fixed-point, mask, permutation and reduction instructions, to compare with.
 *
 * It goes by the mnemonic, reads all operands into lists of numbers before it writes anything, and computes with
 * unbounded (128-bit) arithmetic and division where the unit shifts and masks. It knows nothing of what is reserved.
 */
#ifndef TESTS_RISCV_VEC_REFERENCE_H
#define TESTS_RISCV_VEC_REFERENCE_H

#include "vec_test.h"

/* The widths of an instruction's operands, from its mnemonic. Bits; 0: no vector operand, 1: mask. */
struct ref_widths {
    unsigned d, a, b;
    bool d_scalar, b_scalar; /* only element 0 */
};

struct ref_widths reference_widths(const char *name, unsigned sew);
/* Executes; vtype, vl, registers as in the machine. */
void reference_execute(struct machine *m, const char *name, uint32_t word, unsigned sew, uint32_t vlmax);

#endif
