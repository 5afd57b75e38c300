/* The interrupt controller of a Tensix tile (PIC.md): 32 software and 4 hardware interrupts for B and NC.
 *
 * Inexact: of the hardware interrupts only those of the NIUs are raised (not overlay's, nor watchdog's and ECC's);
 * where in the round robin the first choice falls no page says (number 0 here).
 */
#ifndef TILE_PIC_H
#define TILE_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/access.h"
#include "riscv/core.h"

enum { PIC_SOFTWARE = 32, PIC_HARDWARE = 4, PIC_CORES = 2 }; /* cores: 0 is B, 1 is NC */
enum { PIC_NIU = 1 };                                        /* hardware interrupts: NIU 0, then NIU 1 */

struct pic {
    struct pic_core {
        uint32_t software_enable, hardware_enable;
        uint32_t number; /* INT_NO: of the interrupt being handled, or the last one */
        uint32_t next;   /* where the round robin goes on looking */
    } core[PIC_CORES];
    uint32_t raised[PIC_SOFTWARE]; /* what was written, 0 when cleared */
    uint32_t hardware;             /* bit: the level of a hardware interrupt */
    uint32_t handler[PIC_SOFTWARE + PIC_HARDWARE];
};

/* offset: from 0xFFB13000, a multiple of 4 below 0x138. */
struct access pic_read(struct pic *pic, uint32_t offset, uint32_t *value);
struct access pic_write(struct pic *pic, uint32_t offset, uint32_t value);
/* Without effects; poke reaches INT_NO too. */
struct access pic_peek(const struct pic *pic, uint32_t offset, uint32_t *value);
struct access pic_poke(struct pic *pic, uint32_t offset, uint32_t value);
/* Would a read change nothing? */
bool pic_steady(const struct pic *pic, uint32_t offset);

/* The level of a hardware interrupt. */
void pic_hardware(struct pic *pic, unsigned number, bool raised);
/* Is any interrupt enabled? */
bool pic_armed(const struct pic *pic);
/* Has the core (enum bh_core) an interrupt to take? */
bool pic_pending(const struct pic *pic, unsigned core);
/* Enters the handler of a pending interrupt, if the core runs and is in none. To be called between instructions. */
void pic_deliver(struct pic *pic, struct core *core);

#endif
