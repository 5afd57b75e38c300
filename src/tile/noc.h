/* Inside a tile's end of the NoCs: what both ways of sending have in common (noc.c, loose.c). */
#ifndef TILE_NOC_H
#define TILE_NOC_H

#include <string.h>

#include "base/check.h"
#include "tile/tile.h"

/* Are all of these bytes in L1? */
static inline bool noc_in_l1(const struct tile *tile, uint64_t address, uint32_t size) {
    return address < tile_l1_size(tile) && size <= tile_l1_size(tile) - address;
}

/* Before a packet writes to L1, and after it: where it does. NULL: it does not belong there, or not all of it. */
static inline uint8_t *noc_begin_l1(struct tile *tile, uint64_t address, uint32_t size) {
    if (BH_UNLIKELY(!noc_in_l1(tile, address, size)))
        return NULL;
    tile_l1_changes(tile, (uint32_t)address, size);
    return tile->l1 + address;
}
static inline void noc_end_l1(struct tile *tile, uint64_t address, uint32_t size) {
    tile_l1_written(tile, (uint32_t)address, size, tile->time);
}
/* All of it; the data may be from there. False: as above. */
static inline bool noc_put_l1(struct tile *tile, uint64_t address, const void *data, uint32_t size) {
    uint8_t *to = noc_begin_l1(tile, address, size);
    if (BH_UNLIKELY(!to))
        return false;
    memmove(to, data, size);
    noc_end_l1(tile, address, size);
    return true;
}

/* Copies the bytes that go with a request to where there is room for them. */
struct access noc_load_bytes(struct tile *tile, const struct noc_request *request, uint8_t *data);

/* Whose instruction made the request that is being sent. */
static inline void noc_name_core(const struct tile *tile, struct transaction *transaction) {
    transaction->core = -1;
    transaction->pc = transaction->insn = 0;
    if (tile->running >= BH_CORE_COUNT)
        return;
    const struct core *core = &tile->core[tile->running];
    transaction->core = (int8_t)core->id;
    transaction->pc = core->pc;
    if (core->pc % 4 == 0 && core->pc < tile_l1_size(tile))
        transaction->insn = core_word(core, core->pc);
}
/* What the tile itself cannot do with a packet is told like what a receiver cannot. */
void noc_fail_to_send(struct tile *tile, const struct transaction *transaction, uint64_t time, struct access access);
struct access noc_no_memory(void);

#endif
