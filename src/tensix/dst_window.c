/* Dst as others than instructions see it: the debug read of arrays.
 *
 *     DBG_ARRAY_RD_CMD   11:0 row  15:12 pair of columns  18:16 array: 0 SrcA, 1 SrcB, 2 Dst  19 bank
 *
 * Sources: the names in tt-llk's ckernel_debug.h. No page describes the debug read. */
#include "tensix/tensix.h"

enum { ARRAY_DST = 2 };

struct access tensix_array_read(struct tensix *x, uint32_t command, uint64_t time, uint32_t *value) {
    unsigned row = command & 0xFFF, pair = command >> 12 & 15;
    if (command >> 16 < ARRAY_DST)
        return access_refused(BH_FAULT_UNMODELLED, "the debug read of SrcA and SrcB comes with the Matrix Unit");
    if (command >> 16 != ARRAY_DST || row >= DST_ROWS || pair >= DST_COLUMNS / 2)
        return access_refused(BH_FAULT_UNDEFINED, "DBG_ARRAY_RD_CMD names nothing that is known");
    tensix_run(x, time);
    const uint16_t *columns = &x->dst.bits[row][2 * pair];
    *value = columns[0] | (uint32_t)columns[1] << 16;
    return access_done();
}
