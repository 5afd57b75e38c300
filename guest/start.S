/* Start-up of a baby core: registers and local memory are zero, pc is at the reset address.
 * Turns the L0 data cache off, as the vendor's firmware does: otherwise, until a fence, a core may read old values of
 * words of L1 that others have written. Sets gp and sp, copies .data from L1 to local memory, clears .bss (again, because
 * DISABLE_RESET may have kept it), calls main, stores its result at __result, and pauses the core. */
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    li      t0, 8                   /* cfg0.DisLowCash; the official simulator lacks csrsi */
    csrs    0x7c0, t0
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    la      sp, __stack_top

    la      a0, __data_load         /* .data: a0 from, a1 to, a2 end */
    la      a1, __data_start
    la      a2, __data_end
    beq     a0, a1, 2f
1:  bgeu    a1, a2, 2f
    lw      t0, 0(a0)
    sw      t0, 0(a1)
    addi    a0, a0, 4
    addi    a1, a1, 4
    j       1b

2:  la      a1, __bss_start
    la      a2, __bss_end
3:  bgeu    a1, a2, 4f
    sw      zero, 0(a1)
    addi    a1, a1, 4
    j       3b

4:  li      a0, 0
    li      a1, 0
    call    main
    la      t0, __result
    sw      a0, 0(t0)
    fence
    .size _start, . - _start

    .globl _exit
    .type _exit, @function
_exit:
    ebreak
    j       _exit
    .size _exit, . - _exit
