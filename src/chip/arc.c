/* Registers and memory of the ARC tile: see arc.h. */
#include "chip/arc.h"

#include <stddef.h>
#include <string.h>

/* Offsets from ARC_APB_BASE. */
enum {
    RESET_UNIT = 0x30000,
    SCRATCH = RESET_UNIT + 0x60,
    REFCLK_LOW = RESET_UNIT + 0xE0,
    REFCLK_HIGH = RESET_UNIT + 0xE4,
    MISC_CONTROL = RESET_UNIT + 0x100,
    SCRATCH_RAM = RESET_UNIT + 0x400,
    MSI_FIFO = 0xB0000,
    MSI_FLUSH = 0xB0004,
    MSI_STATUS = 0xB0008,
};

/* Bits of ARC_MISC_CNTL: 3:0 run, 7:4 halt, 12 soft reset, 19:16 interrupts to the processor, 31 self reset. */
#define MISC_DOORBELL (UINT32_C(1) << 16) /* the only interrupt that firmware serves */
#define MISC_TRIGGERS UINT32_C(0x000F0000)
#define MISC_CONTROLS UINT32_C(0x8000F0FF)

enum { MSI_READY = 1 };

void arc_init(struct arc *arc, const struct bh_config *config) {
    *arc = (struct arc){ .aiclk = ARC_AICLK_IDLE, .csm = arc->csm };
    arc_firmware_init(arc, config);
}

uint64_t arc_refclk(const struct arc *arc, uint64_t time) {
    return arc->refclk + (time - arc->refclk_time) * ARC_REFCLK_MHZ / arc->aiclk;
}

uint8_t *arc_memory(struct arc *arc, uint64_t address, size_t size, uint64_t time) {
    uint64_t offset = address - ARC_CSM_BASE;
    if (offset >= ARC_CSM_SIZE || size > ARC_CSM_SIZE - offset)
        return NULL;
    arc_firmware_update(arc, time);
    return arc->csm + offset;
}

/* Returns the storage of a register that only stores what is written to it; NULL if this offset has no such
 * register. */
static uint32_t *stored(struct arc *arc, uint32_t offset) {
    if (offset - SCRATCH < sizeof arc->scratch)
        return &arc->scratch[(offset - SCRATCH) / 4];
    if (offset - SCRATCH_RAM < sizeof arc->scratch_ram)
        return &arc->scratch_ram[(offset - SCRATCH_RAM) / 4];
    return NULL;
}

static struct access unmodelled(void) {
    return access_refused(BH_FAULT_UNMODELLED, "of ARC's registers only SCRATCH, SCRATCH_RAM, the reference clock, "
                                               "ARC_MISC_CNTL and the MSI catcher are modelled");
}

/* ---- Reads ------------------------------------------------------------------------------- */

struct access arc_peek(const struct arc *arc, uint32_t offset, uint64_t time, uint32_t *value) {
    const uint32_t *word = stored((struct arc *)(uintptr_t)arc, offset);
    if (word) {
        *value = *word;
        return access_done();
    }
    switch (offset) {
    case REFCLK_LOW: *value = (uint32_t)arc_refclk(arc, time); return access_done();
    case REFCLK_HIGH: *value = (uint32_t)(arc_refclk(arc, time) >> 32); return access_done();
    case MISC_CONTROL: *value = arc->misc_control; return access_done();
    case MSI_STATUS: *value = MSI_READY; return access_done(); /* firmware has always emptied it */
    case MSI_FIFO: return access_refused(BH_FAULT_UNDEFINED, "the MSI catcher is empty: reading it is a bus error");
    default: return unmodelled();
    }
}

struct access arc_read(struct arc *arc, uint32_t offset, uint64_t time, uint32_t *value) {
    if (offset != MSI_FLUSH)
        return arc_peek(arc, offset, time, value);
    *value = 0; /* there is nothing to flush */
    return access_done();
}

/* ---- Writes ------------------------------------------------------------------------------ */

/* Firmware clears its interrupt before it looks at the queues. */
static struct access write_misc(struct arc *arc, uint32_t value, uint64_t time) {
    if ((value ^ arc->misc_control) & MISC_CONTROLS)
        return access_refused(BH_FAULT_UNMODELLED, "ARC_MISC_CNTL: ARC cannot be halted or reset");
    if (value & MISC_TRIGGERS & ~MISC_DOORBELL)
        return access_refused(BH_FAULT_UNMODELLED, "ARC_MISC_CNTL: of the interrupts only bit 16 is served");
    arc->misc_control = value & ~MISC_DOORBELL;
    return value & MISC_DOORBELL ? arc_firmware_messages(arc, time) : access_done();
}

struct access arc_write(struct arc *arc, uint32_t offset, uint64_t time, uint32_t value) {
    uint32_t *word = stored(arc, offset);
    if (word) {
        *word = value;
        return access_done();
    }
    switch (offset) {
    case REFCLK_LOW:
    case REFCLK_HIGH:
    case MSI_STATUS: return access_refused(BH_FAULT_UNDEFINED, "this register of ARC is read-only");
    case MISC_CONTROL: return write_misc(arc, value, time);
    case MSI_FIFO:
        return value ? access_done() : arc_firmware_messages(arc, time); /* firmware ignores other messages */
    default: return unmodelled();
    }
}

struct access arc_poke(struct arc *arc, uint32_t offset, uint32_t value) {
    uint32_t *word = stored(arc, offset);
    if (!word)
        return access_refused(BH_FAULT_UNMODELLED, "only SCRATCH and SCRATCH_RAM of ARC can be set");
    *word = value;
    return access_done();
}
