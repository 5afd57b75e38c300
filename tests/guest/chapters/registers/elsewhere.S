# What the program of BRISC starts on T0.
    .section .l1data.elsewhere, "aw"
    .globl elsewhere
    .balign 4
elsewhere:
    lui  a0, 0x16
    li   a1, 42
    sw   a1, 0x20(a0)
    li   a0, 0
    ebreak
