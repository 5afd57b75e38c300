/* The interrupt controller of a Tensix tile (PIC.md): 32 software and 4 hardware interrupts for B and NC.
 *
 * A read of HW_INT clears the interrupt. Those of the overlay and the NIUs, which have a condition (NoC/MemoryMap.md),
 * are raised again at once while it holds; that of the watchdog, which is an event, is not.
 *
 * Inexact: the hardware interrupt of ECC is not raised. Assumed: the round robin begins with number 0.
 */
#ifndef TILE_PIC_H
#define TILE_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"
#include "riscv/core.h"

enum { PIC_SOFTWARE = 32, PIC_HARDWARE = 4, PIC_CORES = 2 }; /* cores: 0 is B, 1 is NC */
enum { PIC_OVERLAY = 0, PIC_NIU = 1, PIC_WATCHDOG = 3 };     /* hardware interrupts: overlay, NIU 0, then NIU 1 */

struct pic {
    struct pic_core {
        uint32_t software_enable, hardware_enable;
        uint32_t number; /* INT_NO: number of the interrupt being handled, or of the last one */
        uint32_t next;   /* number at which the round robin continues */
    } core[PIC_CORES];
    uint32_t raised[PIC_SOFTWARE]; /* the value written; 0 after a clear */
    uint32_t hardware;             /* levels of the hardware interrupts, as a mask */
    uint32_t taken;                /* those whose interrupt a read has cleared, of those with a level */
    uint32_t handler[PIC_SOFTWARE + PIC_HARDWARE];
};

/* Read and write registers. offset: from 0xFFB13000, a multiple of 4 below 0x138. */
struct access pic_read(struct pic *pic, uint32_t offset, uint32_t *value);
struct access pic_write(struct pic *pic, uint32_t offset, uint32_t value);
/* Access registers without side effects. Poke writes INT_NO too. */
struct access pic_peek(const struct pic *pic, uint32_t offset, uint32_t *value);
struct access pic_poke(struct pic *pic, uint32_t offset, uint32_t value);
/* Returns whether a read would have no side effects. */
bool pic_steady(const struct pic *pic, uint32_t offset);

/* Sets the level of a hardware interrupt. That of the watchdog has to fall before the interrupt is raised anew. */
void pic_hardware(struct pic *pic, unsigned number, bool raised);
/* Returns whether any interrupt is enabled. */
bool pic_armed(const struct pic *pic);
/* Returns whether the core (enum bh_core) has an interrupt to take. */
bool pic_pending(const struct pic *pic, unsigned core);
/* Enters the handler of a pending interrupt, if the core runs, handles none and repeats no access. Precondition: the
 * core is between two instructions. */
void pic_deliver(struct pic *pic, struct core *core);

#endif
