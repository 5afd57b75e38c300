/* SETDVALID: hands the unpackers' banks to the Matrix Unit without waiting for moves to end. The page discourages its
 * use.
 *
 * On Blackhole the bank gets the format of an earlier unpack. Assumed: of the last one of the same unpacker; the page
 * does not say which. Source: SETDVALID.md (WH, with its Blackhole branch). */
#include "tensix/tensix.h"

uint64_t execute_SETDVALID(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    const uint16_t *own = x->config.thread[thread];
    uint8_t files = (uint8_t)tensix_decode_SETDVALID(word).setvalid;
    const uint8_t *format = x->src.last_format;
    if (files & 1)
        x->src.unpacker_row[SRC_A][thread] = (uint8_t)(CONFIG_GET(own, SRCA_SET_Base) << 4);
    if (files & 2)
        x->src.unpacker_row[SRC_B][thread] = (uint8_t)(CONFIG_GET(own, SRCB_SET_Base) << 4);
    matrix_change_banks(x, (struct src_change){ .take = files, .format = { format[SRC_A], format[SRC_B] } }, now);
    return TENSIX_PASSED;
}
