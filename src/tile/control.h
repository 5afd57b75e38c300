/* Registers of tile control, debug and status (0xFFB12000). isa/regs.def says what each register does; the registers of
 * the TDMA-RISC block that are repeated here are in tensix/mover.
 *
 * Sources: SoftReset.md, PCBufs.md and DebugTimestamper.md (Blackhole), CycleCounters.md (Wormhole), the register names
 * of the vendor's headers.
 */
#ifndef TILE_CONTROL_H
#define TILE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"
#include "isa/regs.h"

struct control {
    /* By enum reg_id. WALL_CLOCK_1_AT is the latch; WATCHDOG_TIMER has its value in the cycle `watchdog_since`. */
    uint32_t value[REG_COUNT];
    uint64_t watchdog_since; /* cycle in which the watchdog began to count, or was written */
};

void control_init(struct control *control); /* sets power-on values */

/* Read and write a register by its full address. time: the cycle of the access, which is the wall clock. */
struct access control_read(struct control *control, uint32_t address, uint64_t time, uint32_t *value);
struct access control_write(struct control *control, uint32_t address, uint32_t value, uint64_t time);
/* Access a register without side effects. Poke also writes read-only registers, but neither the clock nor SOFT_RESET_0,
 * whose writes have effects. */
struct access control_peek(const struct control *control, uint32_t address, uint64_t time, uint32_t *value);
struct access control_poke(struct control *control, uint32_t address, uint32_t value);
/* Returns the cycle from which on the watchdog is zero; UINT64_MAX: it does not count. */
uint64_t control_watchdog_end(const struct control *control);
/* Returns whether only writes to the register change it. The clock and registers that show the coprocessor or the
 * timestamper's stream change otherwise. */
bool control_steady(uint32_t address);

#endif
