/* SETDVALID: the unpackers' banks become the Matrix Unit's, without waiting for anybody.
 *
 * On Blackhole the bank gets the format of an unpack before; which one is not specified, here it is the last of the
 * same unpacker. The page discourages its use. Source: SETDVALID.md (WH, with its Blackhole branch). */
#include "tensix/tensix.h"

uint64_t execute_SETDVALID(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const uint16_t *own = x->config.thread[thread];
    unsigned files = tensix_decode_SETDVALID(word).setvalid & ~src_stuck(x->held);
    const uint32_t base[] = { CONFIG_GET(own, SRCA_SET_Base), CONFIG_GET(own, SRCB_SET_Base) };
    for (unsigned file = 0; file < SRC_FILES; file++) {
        if (!(files >> file & 1))
            continue;
        src_to_matrix(&x->src, file, x->src.last_format[file]);
        x->src.unpacker_row[file][thread] = (uint8_t)(base[file] << 4);
    }
    tensix_wake(x, now + 1);
    return TENSIX_PASSED;
}
