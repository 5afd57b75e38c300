/* The mover copies L1, or writes zeros, in units of 16 bytes. TDMA-RISC is the queue of commands through which cores
 * control it, together with registers that show state of the packer and the unpackers.
 *
 *     direction          from    to
 *     0 MOVER_ZERO_L1    zero    L1
 *     1 MOVER_L1_OTHER   L1      below 0x10000: Config, as a core sees it from 0xFFEF0000 on
 *     2 MOVER_ZERO_OTHER zero    0x40000 to 0x4FFFF: NC's instruction RAM, which Blackhole does not have
 *     3 MOVER_L1_L1      L1      any other address: nowhere, in as many cycles
 *
 * The mover executes one task at a time. It copies eight units in eleven cycles, here three and then one for each;
 * zeros take one cycle a unit. Up to eight units are written to L1 together, in the last of their cycles. Each unit for
 * Config is written in its own cycle, in which it is in stage 0 of the Configuration Unit; it waits until that stage is
 * free.
 *
 * Inexact: contention for L1 costs nothing; the pages give no order in which the units of a task become visible; a task
 * begins in the cycle after its instruction or command. When the mover becomes free, commands go before instructions.
 * Sources: Mover.md, TDMA-RISC.md, XMOV.md (WH; there are none for BH), SoftReset.md, ConfigurationUnit.md (BH). */
#ifndef TENSIX_MOVER_MOVER_H
#define TENSIX_MOVER_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"
#include "isa/tensix.h"

struct tensix;

enum {
    MOVER_UNIT = 16, /* bytes */
    TDMA_COMMANDS = 4,
    TDMA_CREDITS = 2, /* the most commands with parameters that can be in the queue */
};

enum mover_direction { MOVER_ZERO_L1, MOVER_L1_OTHER, MOVER_ZERO_OTHER, MOVER_L1_L1 };

struct mover_task {
    uint32_t to, from; /* addresses in bytes */
    uint32_t units;    /* units left to write */
    uint8_t direction; /* enum mover_direction */
};

/* A command with bit 31 set has everything in its word:
 *
 *     opcode 7:0, source 15:8 (units, from the writer's base), target 23:16 (units), units 29:24, to L1 30
 *
 * Other commands use the four parameters: source, target, units 15:0, direction 1:0. */
struct tdma_command {
    uint32_t word;
    uint32_t parameter[4];
    struct mover_task task; /* of a command with opcode 0x40 */
};

struct tdma {
    uint32_t parameter[4];                    /* parameters of the next command */
    uint32_t base[4];                         /* bases of BRISC and TRISC0 to TRISC2, in units */
    struct tdma_command queue[TDMA_COMMANDS]; /* in the order of arrival */
    uint8_t commands;
    uint8_t credits_taken;
    uint64_t free_at;  /* first cycle in which TDMA-RISC can execute the next command */
    uint64_t write_at; /* cycle in which a command of opcode 0x66 writes L1; TENSIX_NEVER: there is none */
    uint32_t write_address, write_size, write_data[2];
    uint32_t unpack_address, scaler; /* CLK_GATE_EN and CLK_GATE_HYST, only the bits that are stored */
    uint32_t pack_address;           /* the value last written to FIFO_PACKED_TILE_STATUS */
    uint32_t set_reg_acc[2];         /* sum of each unpacker's UNPACR_NOPs, 17 bits */
};

struct mover {
    struct mover_task task; /* the running task; it has units while it runs */
    uint64_t busy_until;    /* first cycle in which the mover can accept a task, for condition C9 */
    uint64_t write_at;      /* cycle of the next write; TENSIX_NEVER: no task runs */
    uint8_t in_group;       /* for Config: units of the present group that have been written */
    uint8_t thread;         /* thread of the XMOV; TENSIX_THREADS for a command */
    struct tdma tdma;
    uint64_t due; /* next cycle in which mover_step has work; TENSIX_NEVER: none */
};

void mover_init(struct mover *mover);
/* Does the work that is due. Precondition: mover.due is `now`. */
void mover_step(struct tensix *x, uint64_t now);
/* Apply the soft resets of the mover and of TDMA-RISC, in cycle `now`. */
void mover_abort(struct tensix *x, uint64_t now);
void tdma_reset(struct tensix *x);

/* ---- For each other ---------------------------------------------------------------------------------------- */

/* Returns why the task cannot be executed, or NULL if it can. */
const char *mover_refuses(const struct mover_task *task);
/* Returns whether the mover is free from the next cycle on. */
bool mover_is_free(const struct tensix *x, uint64_t now);
/* Accepts a task in cycle `now`; it begins in the next. thread: TENSIX_THREADS for a command. Precondition:
 * mover_is_free, and mover_refuses returns NULL. */
void mover_start(struct tensix *x, const struct mover_task *task, unsigned thread, uint64_t now);
/* Recomputes mover.due. */
void mover_set_due(struct tensix *x);
/* Does TDMA-RISC's write that is due, and executes the first command if it can be executed in this cycle. */
void tdma_advance(struct tensix *x, uint64_t now);
/* Returns the next cycle in which TDMA-RISC has work of its own, apart from the end of the mover's task. */
uint64_t tdma_due(const struct tensix *x);

/* ---- Registers ---------------------------------------------------------------------------------------------- */

/* Read and write a register. offset: from 0xFFB11000. While the coprocessor runs, the access is its own, and `core` is
 * ignored. */
struct access tensix_tdma_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value);
struct access tensix_tdma_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value);
struct access tensix_tdma_peek(const struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time,
                               uint32_t *value);
/* Returns whether the port's event function is called for every change of the register, so that a core can sleep on
 * it. */
bool tensix_tdma_steady(uint32_t offset);

#endif
