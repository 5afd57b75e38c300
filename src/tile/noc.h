/* Inside a tile's end of the NoCs: what both ways of sending have in common (noc.c, loose.c). */
#ifndef TILE_NOC_H
#define TILE_NOC_H

#include "base/check.h"
#include "tile/l1.h"
#include "tile/tile.h"

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
