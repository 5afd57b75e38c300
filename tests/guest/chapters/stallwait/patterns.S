# The waits that the chapter shows disassembled, with something for each to hold; nothing is in their way.
#include "tensix_asm.h"
    .text
    .globl listing_trisc0, listing_trisc1, listing_trisc2
listing_trisc0:
    ttstallwait  128, 1
    ttwrcfg      12, 0, 124
    ttstallwait  8, 1024
    ttstallwait  32, 6
    ttdmanop
    ret
listing_trisc1:
    ttstallwait  128, 16
    ttsetc16     1, 0
    ttstallwait  2, 2064
    ttsempost    2
    ttstallwait  128, 2064
    ttsemwait    322, 2, 2
    ttnop
    ret
listing_trisc2:
    ttsemwait    1, 2, 1
    ttstallwait  128, 1
    ttwrcfg      28, 0, 12
    ttstallwait  33, 8
    ttstallwait  128, 9
    ttstallwait  64, 8
    ttstallwait  32, 8
    ttsemget     2
    ret
