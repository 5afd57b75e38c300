/* The environment that riscv-tests expects, for a bare baby core: no traps, no privilege levels, no exit.
 * The program starts at the top of .text.init with all registers zero. It ends by storing its verdict to the L1
 * word RESULT and jumping to itself: 1 for pass, (case << 1) for a failed case.
 */
#ifndef ENV_RISCV_TEST_H
#define ENV_RISCV_TEST_H

#define RESULT 0x40
#define TESTNUM gp

#define RVTEST_RV32U
#define RVTEST_RV64U
#define RVTEST_RV32UF
#define RVTEST_RV64UF

#define RVTEST_CODE_BEGIN       \
    .section .text.init, "ax";  \
    .globl _start;              \
    _start:                     \
    li TESTNUM, 0
#define RVTEST_CODE_END

#define RVTEST_PASS             \
    li a0, 1;                   \
    sw a0, RESULT(x0);          \
    j .
#define RVTEST_FAIL             \
    slli a0, TESTNUM, 1;        \
    sw a0, RESULT(x0);          \
    j .

#define RVTEST_DATA_BEGIN .align 4
#define RVTEST_DATA_END
#define EXTRA_DATA

/* Sets case_applies to 0 for the cases named by -DSKIP_CASES=n,n,... (riscv_tests says why), else to 1. */
.macro judge_case number
    .set case_applies, 1
#ifdef SKIP_CASES
    .irp skipped, SKIP_CASES
        .if \number == \skipped
            .set case_applies, 0
        .endif
    .endr
#endif
.endm

/* Baby cores have no fflags: instructions that only fetch or clear it are left out. */
.macro fsflags registers:vararg
.endm

#endif
