/* A NIU, the interface of a tile to one of the two NoCs: identity and configuration registers (NoC/MemoryMap.md).
 *
 * Request initiators come with the NoC; until then touching them is refused, and counters are at zero because no
 * request has been made. Registers that configure routing keep what is written to them.
 */
#ifndef NOC_NIU_H
#define NOC_NIU_H

#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"

enum { NIU_GRID_WIDTH = 17, NIU_GRID_HEIGHT = 12 }; /* routers of each NoC */

enum { NIU_CLASS_TENSIX = 0x0100, NIU_CLASS_ETH = 0x0200, NIU_CLASS_PCIE = 0x0300, NIU_CLASS_ARC = 0x0500 };
enum { NIU_CLASS_DRAM = 0x0800, NIU_CLASS_L2CPU = 0x0901, NIU_CLASS_SECURITY = 0x0A00 };

enum { NIU_CONFIG_WORDS = 32 };

struct niu {
    uint32_t node_id, endpoint_id;
    uint32_t config[NIU_CONFIG_WORDS]; /* registers 0x100 .. 0x17C */
};

/* As the board's firmware leaves it: coordinate translation is on. physical: position as NoC 0 counts. */
void niu_init(struct niu *niu, unsigned noc, struct bh_xy physical, struct bh_xy translated, unsigned endpoint_class,
              unsigned index);

/* offset: from 0xFFB20000 or 0xFFB30000, a multiple of 4 below 0x10000. */
struct access niu_read(struct niu *niu, uint32_t offset, uint32_t *value);
struct access niu_write(struct niu *niu, uint32_t offset, uint32_t value);
/* Without effects; poke reaches the identity too. */
struct access niu_peek(const struct niu *niu, uint32_t offset, uint32_t *value);
struct access niu_poke(struct niu *niu, uint32_t offset, uint32_t value);

#endif
