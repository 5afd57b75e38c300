/* Goes in front of the macros of riscv-tests: a case can be left out, and floating-point cases compare the
 * result only, as baby cores have no accrued exception flags.
 */
#ifndef ENV_TEST_MACROS_H
#define ENV_TEST_MACROS_H

#include_next "test_macros.h"

#undef TEST_CASE
#define TEST_CASE(number, reg, expected, code...) \
    judge_case number;                            \
    .if case_applies;                             \
    test_##number:                                \
    li TESTNUM, number;                           \
    code;                                         \
    li x7, MASK_XLEN(expected);                   \
    bne reg, x7, fail;                            \
    .endif

/* Operands in f10..f12, the result in a0; operands and expected result lie behind each other in .data. */
#undef TEST_FP_OP_S_INTERNAL
#define TEST_FP_OP_S_INTERNAL(number, flags, expected, in1, in2, in3, code...) \
    judge_case number;                                                         \
    .if case_applies;                                                          \
    .pushsection .data;                                                        \
    .balign 4;                                                                 \
    operands_##number:                                                         \
    .in1; .in2; .in3; .expected;                                               \
    .popsection;                                                               \
    li TESTNUM, number;                                                        \
    la t0, operands_##number;                                                  \
    flw f10, 0(t0);                                                            \
    flw f11, 4(t0);                                                            \
    flw f12, 8(t0);                                                            \
    code;                                                                      \
    la t0, operands_##number;                                                  \
    lw t0, 12(t0);                                                             \
    bne a0, t0, fail;                                                          \
    .endif

#endif
