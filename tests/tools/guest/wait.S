/* As L1 word 0x16020 says: 1 waits for a mailbox that nobody fills, 2 polls the word `flag` until it is 1 and
 * returns 5, anything else counts for ever. */
    .globl main
    .type main, @function
main:
    li      t0, 0x16020
    lw      t1, 0(t0)
    li      t2, 1
    beq     t1, t2, mailbox
    li      t3, 2
    beq     t1, t3, poll
count:
    addi    a0, a0, 1
    sw      a0, 4(t0)
    j       count
mailbox:
    lui     a0, 0xFFEC1
    lw      a0, 0(a0)
    ret
poll:
    la      t0, flag
1:  lw      t1, 0(t0)
    bne     t1, t2, 1b
    li      a0, 5
    ret
    .size main, . - main

    .section .l1data, "aw"
    .globl flag
    .type flag, @object
flag:
    .word 0
    .size flag, 4
