/* A NIU, the interface of a tile to one of the two NoCs: four request initiators, configuration, counters, interrupts.
 *
 * Sources: BlackholeA0/NoC/MemoryMap.md, Counters.md, Interrupts.md, Coordinates.md; docs/noc.md says what is assumed.
 *
 * Time. A store to CMD_CTRL checks the request and gives it to the carrier at once, with the time at which it will
 * leave; what the NIU's own registers show of it on the way (busy, accepted, started, sent) changes by itself at its
 * times. niu_due says when the next such change is, and niu_run makes all up to a time. Reads and writes run the NIU up
 * to their time first, so only sleepers need to be told: that is what niu_due is for.
 */
#ifndef NOC_NIU_H
#define NOC_NIU_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"
#include "noc/packet.h"
#include "noc/route.h"

enum { NIU_GRID_WIDTH = NOC_WIDTH, NIU_GRID_HEIGHT = NOC_HEIGHT }; /* routers of each NoC */

enum { NIU_CLASS_TENSIX = 0x0100, NIU_CLASS_ETH = 0x0200, NIU_CLASS_PCIE = 0x0300, NIU_CLASS_ARC = 0x0500 };
enum { NIU_CLASS_DRAM = 0x0800, NIU_CLASS_L2CPU = 0x0901, NIU_CLASS_SECURITY = 0x0A00 };

enum { NIU_CONFIG_WORDS = 32, NIU_INITIATORS = 4, NIU_IDS = 16, NIU_COUNTERS = 64 };

#define NIU_NEVER UINT64_MAX

/* What a NIU needs from its tile and the chip. */
struct niu_port {
    /* Takes a request. Its time is not before the one of the store that made it. The bytes that a write sends are to be
     * read now. NULL, or why it cannot be taken: then the store to CMD_CTRL faults, and nothing is counted. */
    const char *(*send)(void *owner, const struct noc_request *request);
    /* The level of the NIU's interrupt (1 + noc in the PIC) has changed at this time. */
    void (*interrupt)(void *owner, unsigned noc, bool raised, uint64_t time);
};

/* NULL in place of this: a NIU whose tile cannot make requests. */
struct niu_wire {
    const struct niu_port *port;
    void *owner;
    const struct noc_grid *grid;
};

/* No pointers. */
struct niu {
    uint32_t node_id, endpoint_id;
    uint32_t config[NIU_CONFIG_WORDS]; /* registers 0x100 .. 0x17C */
    uint32_t count[NIU_COUNTERS];      /* registers 0x200 .. 0x2FC: enum niu_counter */
    uint8_t noc, site;
};

/* As the board's firmware leaves it: coordinate translation is on. physical: position as NoC 0 counts. */
void niu_init(struct niu *niu, unsigned noc, struct bh_xy physical, struct bh_xy translated, unsigned endpoint_class,
              unsigned index);
/* The rest of what firmware leaves: translation tables and multicast opt-outs of a chip like this. */
void niu_configure(struct niu *niu, const struct noc_grid *grid);

/* offset: from 0xFFB20000 or 0xFFB30000, a multiple of 4 below 0x10000. A text of a refusal lasts until the next. */
struct access niu_read(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t *value);
struct access niu_write(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t value);
/* Without effects; poke reaches what is read-only too. Peeks show the NIU as it was last run to. */
struct access niu_peek(const struct niu *niu, uint32_t offset, uint32_t *value);
struct access niu_poke(struct niu *niu, uint32_t offset, uint32_t value);
/* Would a read change nothing? */
bool niu_steady(const struct niu *niu, uint32_t offset);

/* When the registers change next by themselves, or NIU_NEVER; makes those changes up to a time. */
uint64_t niu_due(const struct niu *niu);
void niu_run(struct niu *niu, const struct niu_wire *wire, uint64_t time);

/* ---- What the carrier tells ---------------------------------------------------------------------------- */

/* Does this NIU take multicasts, or has its tile opted out (ROUTER_CFG_1, ROUTER_CFG_3)? */
bool niu_takes_multicast(const struct niu *niu);
/* At a receiver: the request has arrived; its response, if it wants one, has been sent. */
void niu_arrived(struct niu *niu, const struct noc_request *request);
void niu_answered(struct niu *niu, const struct noc_request *request);
/* At the target of a response: it has arrived, and what it carries has been written. */
void niu_response(struct niu *niu, const struct niu_wire *wire, const struct noc_response *response, uint64_t time);

#endif
