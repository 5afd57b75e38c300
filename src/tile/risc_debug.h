/* The debug interface of the cores: RISC_DBG_CNTL_0 and _1, RISC_DBG_STATUS_0 and _1, and the registers DR(i) of each
 * core, which are accessed through them. It pauses, steps and continues a core, reads and writes its registers, and
 * lets it access memory.
 *
 * Source: WormholeB0/TensixTile/BabyRISCV/DebugInterface.md, Blackhole SoftReset.md; tt-exalens for what Blackhole does
 * differently. B, T0, T1 and T2 have the interface, and both cores of an Ethernet tile; NC does not.
 *
 * A command that takes time is a request: the core executes it in its own turn, before its next instruction
 * (core_port.debug). A core that is not being debugged does not look for requests. A paused core is in state
 * BH_CORE_PAUSED, as at an ebreak.
 *
 * Where silicon has flaws, the model is right: a core pauses before an instruction, never in the middle of several; a
 * core that is blocked in an access pauses too, and repeats the access when it continues; every pause can be left. With
 * `flaws`:
 *     - a core pauses after an instruction, so that one that is blocked pauses when its access is complete (FIFOs, in
 *       the page)
 *     - of two steps only the second one executes an instruction
 *     - pc reads as 0
 *     - TRISC2 reads 0 from the upper half of each 16 bytes of its local memory
 *
 * Assumed: the pc that bit 8 of a command writes is DR(3), as tt-exalens has it, and not DR(4); a pause after an access
 * to a watched address comes before the next instruction, for loads as for stores; an access hits if the address is
 * among its bytes. A command that is not valid in the state of the core does nothing. Not modelled with `flaws`: a core
 * may pause again after an ebreak when it continues, which tt-exalens works around by writing pc; its own tests
 * continue without that. Inexact: STATUS_0 echoes at once; slow execution mode (bit 31 of a command) changes no cycles;
 * loads and stores of vector instructions do not hit watchpoints. */
#ifndef TILE_RISC_DEBUG_H
#define TILE_RISC_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"
#include "riscv/core.h"

struct tile;

enum { RISC_DEBUG_POINTS = 8 }; /* breakpoints and watchpoints of a core */

enum risc_debug_request { RISC_DEBUG_NOTHING, RISC_DEBUG_HALT, RISC_DEBUG_READ, RISC_DEBUG_WRITE };

/* The registers of a core. DR(0) is not among them: it follows from the state of the core and `reasons`. */
struct risc_debug_core {
    uint32_t command;                    /* DR(1) */
    uint32_t argument[2];                /* DR(2): index or address; DR(3): value */
    uint32_t result;                     /* DR(4) */
    uint32_t modes;                      /* DR(5): four bits for each point */
    uint32_t address[RISC_DEBUG_POINTS]; /* DR(10) and up */
    uint32_t reasons;                    /* bits of DR(0): the reasons of the present pause, or of the one that `armed`
                                          * announces */
    uint64_t from;                       /* for RISC_DEBUG_HALT: the first cycle in which the core pauses */
    uint64_t number;                     /* if armed: number of the instruction after which the core pauses */
    uint8_t request;                     /* enum risc_debug_request */
    bool stepping;                       /* the core pauses after one instruction */
    bool armed;                          /* the core pauses after the instruction at its pc */
    bool half_step;                      /* with flaws: one of two steps has been requested */
    uint32_t unused;                     /* instead of padding */
};

struct risc_debug {
    struct risc_debug_core core[BH_CORE_COUNT];
};

/* Returns whether the control register belongs to the debug interface. */
bool risc_debug_has(uint32_t address);
/* Writes a register of the interface. Reads have no effects (control.h). */
void risc_debug_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);

/* Records that the core enters soft reset, or that the host has resumed it. */
void risc_debug_held(struct tile *tile, unsigned core);
void risc_debug_resumed(struct tile *tile, unsigned core);
/* Recomputes which cores look for requests before each instruction. */
void risc_debug_refresh(struct tile *tile);

/* Handles requests of a core that looks for them, before each of its instructions. Returns CORE_DEBUG_LEAVE if the core
 * must not execute the instruction now. */
enum core_debug risc_debug_step(struct tile *tile, struct core *core);
/* Pushes the first word of a row by itself, so that a core can pause after it. Returns whether that was necessary. */
bool risc_debug_push(struct core *core);

#endif
