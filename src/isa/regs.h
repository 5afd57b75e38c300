/* The registers of regs.def: a number for each register, and how it behaves. */
#ifndef ISA_REGS_H
#define ISA_REGS_H

#include <stdint.h>

enum { REG_BLOCK_TDMA = (int)0xFFB11000, REG_BLOCK_CONTROL = (int)0xFFB12000 };

/* The behaviour of a register. Read-only registers discard writes, as on hardware. */
enum reg_class {
    REG_MODELLED, /* behaves as on hardware */
    REG_STORAGE,  /* returns the value last written; has no effect but what its row says */
    REG_SINK,     /* the same; it controls clocks or error correction, which software cannot observe */
    REG_ZERO,     /* reads as zero, which is correct here; writes are discarded */
    REG_OFF,      /* reads as zero; a write of zero (off) is accepted, any other faults */
    REG_CLEAR,    /* flags that nothing sets here: reads fault; a write, which clears them, is accepted */
    REG_FAULT,    /* reads and writes fault */
};

/* Addresses of the registers; (uint32_t)REG_AT_CONTROL_SOFT_RESET_0 is 0xFFB121B0. */
enum reg_address {
#define REG(block, offset, name, class, reset, meaning) REG_AT_##block##_##name = REG_BLOCK_##block + (offset),
#include "isa/regs.def"
};

/* Bits of SOFT_RESET_0 that hold blocks of the coprocessor and TDMA-RISC in reset (SoftReset.md). The bits of the cores
 * are in tile/reset.c. */
enum reg_hold {
    REG_HOLD_UNPACKERS = 1 << 0 | 1 << 1 | 1 << 7,
    REG_HOLD_PACKER = 1 << 2, /* and three more bits, of packers that Blackhole does not have */
    REG_HOLD_MOVER = 1 << 6,
    REG_HOLD_GLUE = 1 << 8,   /* also TDMA-RISC */
    REG_HOLD_SCALAR = 1 << 9, /* also the THCON words of Config */
    REG_HOLD_FPU = 1 << 10,   /* also the data of SrcA */
    REG_HOLD_T0 = 1 << 12,    /* and two more bits: the frontends of T0, T1, T2 */
    REG_HOLD_SRCA_CLIENT = 1 << 15,
    REG_HOLD_SRCB = 1 << 16,
    REG_HOLD_ZEROACC = 1 << 17,      /* also the packer's side of Dst */
    REG_HOLD_SRCA_COLUMNS = 1 << 19, /* and three more bits: four columns each */
    REG_HOLD_TTSYNC = 1 << 23,
};

enum reg_id {
#define REG(block, offset, name, class, reset, meaning) REG_##block##_##name,
#include "isa/regs.def"
    REG_COUNT
};

#endif
