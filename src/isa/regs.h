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

enum reg_id {
#define REG(block, offset, name, class, reset, meaning) REG_##block##_##name,
#include "isa/regs.def"
    REG_COUNT
};

#endif
