/* The watchdog of a tile: WATCHDOG_TIMER counts down every cycle while bit 0 of WDT_CNTL is set, and stays at zero;
 * WDT_STATUS says that it has got there (control.c). In a Tensix tile it then raises hardware interrupt 3.
 *
 * Sources: CycleCounters.md (WH, Ethernet tiles), which says that the other bits of WDT_CNTL have no effect there;
 * PIC.md for the interrupt. Assumed: Blackhole has the same, in Tensix tiles as well, whose other bits are refused; the
 * interrupt is raised while WDT_STATUS is 1, until a read of HW_INT takes it. */
#ifndef TILE_WATCHDOG_H
#define TILE_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"

struct tile;

enum { WATCHDOG_LEVEL = 0x98 + 4 * 3 }; /* offset of HW_INT[3] in the PIC */

/* Returns whether the address is a register of the watchdog. */
bool watchdog_has(uint32_t address);
/* Writes one of its registers. Precondition: it is one. */
struct access watchdog_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);
/* Sets the level of the interrupt for this time. That happens when somebody can see it: a core has it enabled, or reads
 * it. */
void watchdog_look(struct tile *tile, uint64_t time);
/* The same, and plans the next time, after a write. */
void watchdog_settle(struct tile *tile, uint64_t time);
/* Returns whether the level of the interrupt is going to change by itself. */
bool watchdog_runs(const struct tile *tile);
/* Returns the cycle in which the interrupt is raised, if a core has it enabled; else UINT64_MAX. */
uint64_t watchdog_due(const struct tile *tile);

#endif
