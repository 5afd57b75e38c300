# The directive .ttinsn for an assembler that does not have it: `.ttinsn WORD` puts a Tensix instruction into the
# stream of RISC-V instructions, rotated left by two bits (BH page BabyRISCV/PushTensixInstruction). bhemu-cc gives
# this file to the assembler before every source, so that labels, comments, several statements a line and macros work
# as for every other directive.
#
# WORD is a constant expression below 0xC0000000; a compiler may print it as a negative number of 32 bits. The line
# marker makes messages say `<.ttinsn>:N: Error: ...`, with the line of the source in the next message. The factor of
# one turns an operand that is not complete from a warning into an error.
    .macro .ttinsn word:vararg
# 1 "<.ttinsn>"
    .ifb \word
    .error ".ttinsn wants an instruction word"
    .else
    .set .Lttinsn, \word * 1
    .if (.Lttinsn >= -0x80000000 && .Lttinsn < -0x40000000) || (.Lttinsn >= 0 && .Lttinsn < 0xC0000000)
    .word ((.Lttinsn << 2) & 0xFFFFFFFC) | ((.Lttinsn >> 30) & 3)
    .else
    .error ".ttinsn wants a constant below 0xC0000000, not \word"
    .set .Lttinsn, 0
    .endif
    .endif
    .endm
