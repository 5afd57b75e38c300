# Assembler examples of the chapter on GPRs, as functions.
#include "tensix_asm.h"
    .text
    .globl example_zero_gprs, example_sequence, example_direct_write

# The loop that clears the 64 GPRs of the core's thread.
example_zero_gprs:
    lui  a5, 0xffe00
    addi a4, a5, 256
zero_gprs:
    sw   zero, 0(a5)
    addi a5, a5, 4
    bne  a5, a4, zero_gprs
    ret

# SETDMAREG made with lui and addi, pushed by stores to the address in a0; then words of the stream.
example_sequence:
    lui  a4, 0x45000
    addi a4, a4, 56
    sw   a4, 0(a0)
    lui  a4, 0x45002
    addi a4, a4, 57
    sw   a4, 0(a0)
    lui  a4, 0x45020
    addi a4, a4, 58
    sw   a4, 0(a0)
    lui  a4, 0x45080
    addi a4, a4, 59
    sw   a4, 0(a0)
    TT_STALLWAIT 0x400001
    TT_WRCFG 0x1c000c
    TT_WRCFG 0x1d000d
    TT_NOP
    TT_NOP
    ret

# GPRs 16 to 19 by stores, with a load back.
example_direct_write:
    lui  a3, 0xffe00
    lui  a4, 0x1
    addi a4, a4, -2048
    sw   a4, 64(a3)
    sw   zero, 68(a3)
    sw   zero, 72(a3)
    sw   zero, 76(a3)
    lw   a4, 76(a3)
    sw   a4, 76(a3)
    ret
