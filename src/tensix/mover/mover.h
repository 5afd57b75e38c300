/* The mover copies L1, or writes zeros, in units of 16 bytes; TDMA-RISC is the queue of commands through which cores
 * instruct it, and registers that show state of the packer and the unpackers.
 *
 *     direction          from    to
 *     0 MOVER_ZERO_L1    zero    L1
 *     1 MOVER_L1_OTHER   L1      below 0x10000: Config, as a core sees it from 0xFFEF0000 on
 *     2 MOVER_ZERO_OTHER zero    0x40000 to 0x4FFFF: NC's instruction RAM, which Blackhole does not have
 *     3 MOVER_L1_L1      L1      any other address: nowhere, in as many cycles
 *
 * One task at a time. Eight units are copied in eleven cycles, here three and then one for each; zeros take one cycle a
 * unit. Up to eight units are written to L1 together, in the last of their cycles; each unit for Config is written in
 * its own cycle, when it is in stage 0 of the Configuration Unit, for which it waits.
 *
 * Inexact: contention for L1 costs nothing; the pages give no order in which the units of a task become visible; a task
 * begins in the cycle after its instruction or command. When the mover becomes free, commands go before instructions.
 * Sources: Mover.md, TDMA-RISC.md, XMOV.md (WH; there are none for BH), SoftReset.md, ConfigurationUnit.md (BH).
 */
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
    TDMA_CREDITS = 2, /* most commands with parameters in the queue */
};

enum mover_direction { MOVER_ZERO_L1, MOVER_L1_OTHER, MOVER_ZERO_OTHER, MOVER_L1_L1 };

struct mover_task {
    uint32_t to, from; /* bytes */
    uint32_t units;    /* that are left */
    uint8_t direction; /* enum mover_direction */
};

/* A command with bit 31 set is complete in its word:
 *
 *     opcode 7:0, source 15:8 (units, from the writer's base), target 23:16 (units), units 29:24, to L1 30
 *
 * Other commands use the four parameters: source, target, units 15:0, direction 1:0. */
struct tdma_command {
    uint32_t word;
    uint32_t parameter[4];
    struct mover_task task; /* of opcode 0x40 */
};

struct tdma {
    uint32_t parameter[4];                    /* for the next command */
    uint32_t base[4];                         /* B, T0 to T2: units */
    struct tdma_command queue[TDMA_COMMANDS]; /* in order */
    uint8_t commands;
    uint8_t credits_taken;
    uint64_t free_at;  /* first cycle in which it can take the next command */
    uint64_t write_at; /* cycle in which a command of opcode 0x66 writes L1; TENSIX_NEVER: there is none */
    uint32_t write_address, write_size, write_data[2];
    uint32_t unpack_address, scaler; /* CLK_GATE_EN and CLK_GATE_HYST, without bits that do not store */
    uint32_t pack_address;           /* FIFO_PACKED_TILE_STATUS as it was written */
    uint32_t set_reg_acc[2];         /* of each unpacker's UNPACR_NOP, 17 bits */
};

struct mover {
    struct mover_task task; /* under way if it has units */
    uint64_t busy_until;    /* first cycle in which it can take a task: condition C9 */
    uint64_t write_at;      /* cycle of the next write; TENSIX_NEVER: there is no task */
    uint8_t in_group;       /* units of a group that have been written to Config */
    uint8_t thread;         /* thread of the XMOV; TENSIX_THREADS: a command */
    struct tdma tdma;
    uint64_t due; /* next cycle in which mover_step has work; TENSIX_NEVER: none */
};

void mover_init(struct mover *mover);
/* Does the work of cycle mover->due. */
void mover_step(struct tensix *x, uint64_t now);
/* Soft resets, in cycle `now`, of the mover and of TDMA-RISC. */
void mover_abort(struct tensix *x, uint64_t now);
void tdma_reset(struct tensix *x);

/* ---- For each other ---------------------------------------------------------------------------------------- */

/* Returns why the task cannot be executed, or NULL. */
const char *mover_refuses(const struct mover_task *task);
/* Returns whether the mover is free from the next cycle on. */
bool mover_is_free(const struct tensix *x, uint64_t now);
/* Starts the task in cycle `now`. thread: TENSIX_THREADS for a command. Precondition: mover_is_free. */
void mover_start(struct tensix *x, const struct mover_task *task, unsigned thread, uint64_t now);
/* Recomputes `due`. */
void mover_set_due(struct tensix *x);
/* Takes the first command if this cycle permits. */
void tdma_advance(struct tensix *x, uint64_t now);
/* Returns the next cycle in which TDMA-RISC acts without the mover. */
uint64_t tdma_due(const struct tensix *x);

/* ---- Registers ---------------------------------------------------------------------------------------------- */

/* offset: from 0xFFB11000. An access while the coprocessor runs is the coprocessor's own, and `core` does not count. */
struct access tensix_tdma_read(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t *value);
struct access tensix_tdma_write(struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time, uint32_t value);
struct access tensix_tdma_peek(const struct tensix *x, enum bh_core core, uint32_t offset, uint64_t time,
                               uint32_t *value);
/* Returns whether port->event is called for every change of the register. */
bool tensix_tdma_steady(uint32_t offset);

#endif
