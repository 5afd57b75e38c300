/* A NIU's registers. Four blocks of 0x800 bytes, one a request initiator; what is not an initiator's is the same in
 * each of them:
 *
 *     000 .. 040  request initiator        044 NODE_ID   048 ENDPOINT_ID   050 .. 05C ECC   060 CLEAR_OUTSTANDING
 *     064, 068    request FIFO status      100 .. 17C    configuration     200 .. 2FC counters
 *     300 .. 374, 380 .. 3FC debug         378, 37C      interrupt status  400 .. security, 500 .. flit counters
 *
 *     NODE_ID:     x[5:0] y[11:6] width[18:12] height[25:19] x-first[28]
 *     ENDPOINT_ID: index[7:0] class[23:8] NoC[31:24]
 *
 * Inexact: the bits of NODE_ID that tell datelines (26, 27) are zero, and so are the multicast opt-out masks.
 */
#include "noc/niu.h"

#include <string.h>

enum {
    NODE_ID = 0x44,
    ENDPOINT_ID = 0x48,
    CLEAR_OUTSTANDING = 0x60,
    CONFIG = 0x100,
    NIU_CFG_0 = 0x100,
    ID_LOGICAL = 0x148,
    DEBUG_COUNTER_RESET = 0x174,
    RTZ_CLR = 0x17C,
    RTZ_NUM = 0x378,
    RTZ_SOURCE = 0x37C,
    TRANSLATION_ENABLE = 1 << 14,
};

enum kind { KIND_NONE, KIND_COMMAND, KIND_IDENTITY, KIND_CONFIG, KIND_ZERO, KIND_UNMODELLED };

static uint32_t *config_word(struct niu *niu, uint32_t offset) {
    return &niu->config[(offset - CONFIG) / 4];
}

void niu_init(struct niu *niu, unsigned noc, struct bh_xy physical, struct bh_xy translated, unsigned endpoint_class,
              unsigned index) {
    uint32_t x = noc ? NIU_GRID_WIDTH - 1u - physical.x : physical.x;
    uint32_t y = noc ? NIU_GRID_HEIGHT - 1u - physical.y : physical.y;
    memset(niu, 0, sizeof *niu);
    niu->noc = (uint8_t)noc;
    niu->site = (uint8_t)route_site(0, physical.x, physical.y);
    niu->node_id = x | y << 6 | NIU_GRID_WIDTH << 12 | NIU_GRID_HEIGHT << 19 | (noc == 0 ? 1u << 28 : 0);
    niu->endpoint_id = index | endpoint_class << 8 | noc << 24;
    *config_word(niu, NIU_CFG_0) = TRANSLATION_ENABLE;
    *config_word(niu, ID_LOGICAL) = (uint32_t)translated.x | (uint32_t)translated.y << 6;
}

/* offset: within a block. */
static enum kind kind_at(uint32_t offset) {
    if (offset <= 0x34 || offset == 0x40)
        return KIND_COMMAND;
    if (offset == NODE_ID || offset == ENDPOINT_ID)
        return KIND_IDENTITY;
    if ((offset >= 0x50 && offset <= CLEAR_OUTSTANDING) || (offset >= 0x200 && offset < 0x300))
        return KIND_ZERO;
    if (offset == DEBUG_COUNTER_RESET || offset == RTZ_CLR || offset == RTZ_NUM || offset == RTZ_SOURCE)
        return KIND_ZERO;
    if (offset >= CONFIG && offset < RTZ_CLR && offset != 0x14C)
        return KIND_CONFIG;
    if (offset == 0x64 || offset == 0x68 || (offset >= 0x300 && offset < 0x600))
        return KIND_UNMODELLED;
    return KIND_NONE;
}

/* Brings the offset into the first block, and refuses what cannot be read nor written. */
static struct access decode(uint32_t *offset, enum kind *kind) {
    bool beyond = *offset >= 0x2000 || *offset % 4;
    *offset &= 0x7FF;
    *kind = beyond ? KIND_NONE : kind_at(*offset);
    switch (*kind) {
    case KIND_NONE: return access_refused(BH_FAULT_UNMAPPED, "there is no register at this offset");
    case KIND_COMMAND:
        return access_refused(BH_FAULT_UNMODELLED,
                              "NIU request initiators are not modelled: nothing crosses the NoC yet");
    case KIND_UNMODELLED:
        return access_refused(BH_FAULT_UNMODELLED, "this debug or security register of the NIU is not modelled");
    default: return access_done();
    }
}

struct access niu_peek(const struct niu *niu, uint32_t offset, uint32_t *value) {
    enum kind kind;
    struct access access = decode(&offset, &kind);
    if (access.result != ACCESS_DONE)
        return access;
    if (kind == KIND_IDENTITY)
        *value = offset == NODE_ID ? niu->node_id : niu->endpoint_id;
    else
        *value = kind == KIND_CONFIG ? niu->config[(offset - CONFIG) / 4] : 0;
    return access;
}

struct access niu_read(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t *value) {
    niu_run(niu, wire, time);
    return niu_peek(niu, offset, value);
}

/* Identity and counters are read-only; the registers that clear something find nothing to clear. */
struct access niu_write(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t value) {
    niu_run(niu, wire, time);
    enum kind kind;
    struct access access = decode(&offset, &kind);
    if (access.result == ACCESS_DONE && kind == KIND_CONFIG)
        *config_word(niu, offset) = value;
    return access;
}

struct access niu_poke(struct niu *niu, uint32_t offset, uint32_t value) {
    enum kind kind;
    struct access access = decode(&offset, &kind);
    if (access.result != ACCESS_DONE)
        return access;
    if (kind == KIND_ZERO)
        return access_refused(BH_FAULT_UNMODELLED, "NIU counters are not modelled");
    if (kind == KIND_CONFIG)
        *config_word(niu, offset) = value;
    else if (offset == NODE_ID)
        niu->node_id = value;
    else
        niu->endpoint_id = value;
    return access;
}

bool niu_steady(const struct niu *niu, uint32_t offset) {
    (void)niu;
    (void)offset;
    return true;
}

void niu_configure(struct niu *niu, const struct noc_grid *grid) {
    (void)niu;
    (void)grid;
}

uint64_t niu_due(const struct niu *niu) {
    (void)niu;
    return NIU_NEVER;
}

void niu_run(struct niu *niu, const struct niu_wire *wire, uint64_t time) {
    (void)niu;
    (void)wire;
    (void)time;
}
