/* Functions that both timings of the tile's NoC share (noc.c, loose.c). */
#ifndef TILE_NOC_H
#define TILE_NOC_H

#include "base/check.h"
#include "tile/l1.h"
#include "tile/tile.h"

/* Copies the bytes that a request carries to `data`. */
struct access noc_load_bytes(struct tile *tile, const struct noc_request *request, uint8_t *data);

/* Records the core and instruction that made the request. */
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
/* Sends a request. named: a transaction that names the core and the instruction that made it; NULL: the running
 * core. */
void noc_send(struct tile *tile, const struct noc_request *request, const struct transaction *named);
/* Records a fault of a packet that the tile could not send, in the same way as that of a packet that a receiver could
 * not accept. */
void noc_fail_to_send(struct tile *tile, const struct transaction *transaction, uint64_t time, struct access access);
struct access noc_no_memory(void);

#endif
