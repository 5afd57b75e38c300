/* Reads where nothing is, two calls deep: the report must name function and line. In assembly, so that addresses do
 * not depend on the compiler. */
    .globl main
    .type main, @function
main:
    lui     a0, 0x10000
    call    read_far
    ret
    .size main, . - main

    .type read_far, @function
read_far:
    addi    sp, sp, -16
    lw      a0, 0(a0)
    addi    sp, sp, 16
    ret
    .size read_far, . - read_far
