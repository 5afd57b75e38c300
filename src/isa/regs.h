/* The registers of regs.def: one number a register, and how each behaves. */
#ifndef ISA_REGS_H
#define ISA_REGS_H

#include <stdint.h>

enum { REG_BLOCK_TDMA = (int)0xFFB11000, REG_BLOCK_CONTROL = (int)0xFFB12000 };

/* Read-only registers discard what is written to them, as the hardware does. */
enum reg_class {
    REG_MODELLED, /* acts as on hardware */
    REG_STORAGE,  /* gives back what was written; what it steers is not modelled */
    REG_SINK,     /* the same; it steers clocks or error correction, of which software sees nothing */
    REG_ZERO,     /* reads zero, which is the truth here; writes are discarded */
    REG_OFF,      /* reads zero; writing zero (off) is accepted, all else faults: not modelled */
    REG_FAULT,    /* reads and writes fault: not modelled */
};

/* Addresses; (uint32_t)REG_AT_CONTROL_SOFT_RESET_0 is 0xFFB121B0. */
enum reg_address {
#define REG(block, offset, name, class, reset, meaning) REG_AT_##block##_##name = REG_BLOCK_##block + (offset),
#include "isa/regs.def"
};

/* Bits of SOFT_RESET_0 that hold blocks of the coprocessor and of TDMA-RISC (SoftReset.md); those of the cores are in
 * tile/reset.c. */
enum reg_hold {
    REG_HOLD_UNPACKERS = 1 << 0 | 1 << 1 | 1 << 7,
    REG_HOLD_PACKER = 1 << 2, /* and three more, of packers that Blackhole does not have */
    REG_HOLD_MOVER = 1 << 6,
    REG_HOLD_GLUE = 1 << 8,   /* and TDMA-RISC */
    REG_HOLD_SCALAR = 1 << 9, /* and the THCON words of Config */
    REG_HOLD_FPU = 1 << 10,   /* and SrcA's data */
    REG_HOLD_T0 = 1 << 12,    /* and two more: their frontends */
    REG_HOLD_SRCA_CLIENT = 1 << 15,
    REG_HOLD_SRCB = 1 << 16,
    REG_HOLD_ZEROACC = 1 << 17,      /* and the packer's side of Dst */
    REG_HOLD_SRCA_COLUMNS = 1 << 19, /* four columns each, and three more */
    REG_HOLD_TTSYNC = 1 << 23,
};

enum reg_id {
#define REG(block, offset, name, class, reset, meaning) REG_##block##_##name,
#include "isa/regs.def"
    REG_COUNT
};

#endif
