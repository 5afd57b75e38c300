/* The address map of Tensix and Ethernet tiles as a table (memmap.def), and lookups in it. */
#ifndef ISA_MEMMAP_H
#define ISA_MEMMAP_H

#include <stdint.h>

#include "bhemu.h"

/* The viewers of an address: a core (enum bh_core) or the NoC, which includes the host; in an Ethernet tile, a core or
 * the NoC. */
enum { MEMMAP_NOC = BH_CORE_COUNT, MEMMAP_ETH_CORE, MEMMAP_ETH_NOC };

/* Sets of viewers: bit (1u << viewer). */
enum {
    SEEN_B = 1u << BH_BRISC,
    SEEN_T = 1u << BH_TRISC0 | 1u << BH_TRISC1 | 1u << BH_TRISC2,
    SEEN_NC = 1u << BH_NCRISC,
    SEEN_NOC = 1u << MEMMAP_NOC,
    SEEN_ETH = 1u << MEMMAP_ETH_CORE,
    SEEN_ETH_NOC = 1u << MEMMAP_ETH_NOC,
    SEEN_ALL = SEEN_B | SEEN_T | SEEN_NC | SEEN_NOC, /* all viewers of a Tensix tile */
};

enum memmap_kind {
    MEMMAP_L1,
    MEMMAP_LDM,
    MEMMAP_TDMA,
    MEMMAP_CONTROL,
    MEMMAP_PIC,
    MEMMAP_PC,
    MEMMAP_SLOW_LDM,
    MEMMAP_NIU,
    MEMMAP_OVERLAY,
    MEMMAP_MOP,
    MEMMAP_DST,
    MEMMAP_GPR,
    MEMMAP_PUSH,
    MEMMAP_PCBUF_B,
    MEMMAP_PCBUF_T,
    MEMMAP_TTSYNC,
    MEMMAP_SEMAPHORE,
    MEMMAP_MAILBOX,
    MEMMAP_CFG,
    MEMMAP_ETH,
};

enum memmap_id {
#define REGION(id, base, size, name, seen_by, kind, unit, latency) MEMMAP_ROW_##id,
#include "isa/memmap.def"
    MEMMAP_COUNT
};

struct memmap_region {
    const char *name;
    uint32_t base, size;
    uint8_t seen_by; /* SEEN_* */
    uint8_t kind;    /* enum memmap_kind */
    uint8_t unit;    /* number of the core, NIU, thread or mailbox peer */
    uint8_t latency; /* latency of a load, in cycles */
};

extern const struct memmap_region memmap[MEMMAP_COUNT];

/* Returns the region that the viewer has at this address; NULL if there is none. */
const struct memmap_region *memmap_find(uint32_t address, unsigned viewer);
/* Returns the region that any viewer of a Tensix tile has at this address, for messages; NULL if there is none. */
const struct memmap_region *memmap_anyone(uint32_t address);

#endif
