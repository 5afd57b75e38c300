/* A NIU's registers. Four blocks of 0x800 bytes, one for each request initiator; registers that belong to no initiator
 * are the same in each of them:
 *
 *     000 .. 034, 040  request initiator   044 NODE_ID   048 ENDPOINT_ID   050 .. 05C ECC   060 CLEAR_OUTSTANDING
 *     064, 068    request FIFO status      100 .. 17C    configuration     200 .. 2FC counters
 *     300 .. 374, 380 .. 3FC debug         378, 37C      interrupt status  400 .. security, 500 .. flit counters
 *
 *     NODE_ID:     x[5:0] y[11:6] width[18:12] height[25:19] x-first[28]
 *     ENDPOINT_ID: index[7:0] class[23:8] NoC[31:24]
 *
 * Inexact: the bits of NODE_ID that mark datelines (26, 27) are zero. The reserved bits of CTRL that hardware changes
 * as a request is sent stay as they are. No bit ever flips, so the counters of errors stay at zero.
 */
#include "noc/initiator.h"

#include <stddef.h>
#include <string.h>

enum {
    CMD_CTRL = NIU_CMD_CTRL,
    NODE_ID = 0x44,
    ENDPOINT_ID = 0x48,
    ECC_CTRL = 0x5C,
    CLEAR_OUTSTANDING = 0x60,
    CMD_BUF_AVAIL = 0x64,
    CMD_BUF_OVFL = 0x68,
    CONFIG = NIU_CONFIG_AT,
    NIU_CFG_0 = 0x100,
    ID_LOGICAL = NIU_ID_LOGICAL,
    MEMORY_SHUTDOWN = 0x14C,
    DEBUG_COUNTER_RESET = 0x174,
    RTZ_CFG = 0x178,
    RTZ_CLR = 0x17C,
    COUNTERS = NIU_COUNTERS_AT,
    RTZ_NUM = 0x378,
    RTZ_SOURCE = 0x37C,
    BLOCK = NIU_BLOCK,
};

enum {
    CFG_TILE_OFF = 1 << 12, /* set in harvested tiles */
    CFG_HEADER_ONCE = 1 << 13,
    CFG_AXI_SUBORDINATE = 1 << 15, /* of a DRAM tile: the NoC sees memory; the state at power-on (drisc_mode.h) */
    ECC_FORCE = 7 << 3,
    RESET_OVERFLOW = 1 << 4, /* of DEBUG_COUNTER_RESET (noc_parameters.h) */
    TAG_KEPT = 0xFFFF,
    RTZ_CFG_KEPT = 1 << 28 | 0xFFFF,
};

enum kind {
    KIND_NONE,
    KIND_INITIATOR,
    KIND_CMD_CTRL,
    KIND_IDENTITY,
    KIND_CONFIG,
    KIND_COUNTER,
    KIND_INTERRUPT,
    KIND_FIFO,
    KIND_ZERO, /* reads as zero */
    KIND_ROUTER_DEBUG,
    KIND_NIU_DEBUG,
    KIND_SECURITY,
    KIND_FLITS,
};

/* The target of an access: an initiator's block, and the offset in it. */
struct visit {
    enum kind kind;
    uint32_t initiator, offset;
};

/* ---- Identity and configuration ------------------------------------------------------------------------- */

static uint32_t *config_word(struct niu *niu, uint32_t offset) {
    return &niu->config[(offset - CONFIG) / 4];
}

void niu_init(struct niu *niu, unsigned noc, struct bh_xy physical, struct bh_xy translated, unsigned endpoint_class,
              unsigned index) {
    memset(niu, 0, sizeof *niu);
    niu->noc = (uint8_t)noc;
    niu->site = (uint8_t)route_site(0, physical.x, physical.y);
    niu->due = NIU_NEVER;
    niu->own_tables = true;
    niu->node_id = route_x(noc, niu->site) | route_y(noc, niu->site) << 6 | NIU_GRID_WIDTH << 12 |
                   NIU_GRID_HEIGHT << 19 | (noc == 0 ? 1u << 28 : 0);
    niu->endpoint_id = index | endpoint_class << 8 | noc << 24;
    *config_word(niu, NIU_CFG_0) = ROUTE_TRANSLATE | (endpoint_class == NIU_CLASS_DRAM ? CFG_AXI_SUBORDINATE : 0);
    *config_word(niu, ID_LOGICAL) = (uint32_t)translated.x | (uint32_t)translated.y << 6;
}

static unsigned class_of(const struct niu *niu) {
    return niu->endpoint_id >> 8 & 0xFFFF;
}

void niu_configure(struct niu *niu, const struct noc_grid *grid) {
    for (unsigned i = 0; i < ROUTE_CFG_WORDS; i++)
        niu->config[i] |= grid->firmware[niu->noc][i];
    if (grid->dead[niu->site] && class_of(niu) != NIU_CLASS_PCIE) /* an idle PCI Express tile is not fused off */
        *config_word(niu, NIU_CFG_0) |= CFG_TILE_OFF;
    niu->own_tables = false;
}

bool niu_takes_multicast(const struct niu *niu) {
    unsigned x = route_x(niu->noc, niu->site), y = route_y(niu->noc, niu->site);
    return !(niu->config[ROUTE_CFG_ROUTER_1] >> x & 1) && !(niu->config[ROUTE_CFG_ROUTER_3] >> y & 1);
}

bool niu_stores_headers(const struct niu *niu) {
    bool has_l1 = class_of(niu) == NIU_CLASS_TENSIX || class_of(niu) == NIU_CLASS_ETH;
    return has_l1 || !(niu->config[0] & CFG_HEADER_ONCE);
}

/* ---- Decoding ------------------------------------------------------------------------------------------- */

static enum kind low_kind(uint32_t offset) {
    if (offset / 4 < NIU_WORDS)
        return KIND_INITIATOR;
    if (offset == CMD_CTRL)
        return KIND_CMD_CTRL;
    switch (offset) {
    case NODE_ID:
    case ENDPOINT_ID: return KIND_IDENTITY;
    case 0x50:
    case 0x54:
    case 0x58:
    case ECC_CTRL:
    case CLEAR_OUTSTANDING: return KIND_ZERO;
    case CMD_BUF_AVAIL:
    case CMD_BUF_OVFL: return KIND_FIFO;
    default: return KIND_NONE;
    }
}

static enum kind config_kind(uint32_t offset) {
    bool zero = offset == MEMORY_SHUTDOWN || offset == DEBUG_COUNTER_RESET || offset == RTZ_CLR;
    return zero ? KIND_ZERO : KIND_CONFIG;
}

static enum kind debug_kind(uint32_t offset) {
    if (offset == RTZ_NUM || offset == RTZ_SOURCE)
        return KIND_INTERRUPT;
    return offset < RTZ_NUM ? KIND_ROUTER_DEBUG : KIND_NIU_DEBUG;
}

static enum kind kind_at(uint32_t offset) {
    switch (offset >> 8) {
    case 0: return low_kind(offset);
    case 1: return offset <= RTZ_CLR ? config_kind(offset) : KIND_NONE;
    case 2: return offset < COUNTERS + 4 * NIU_COUNTERS_USED ? KIND_COUNTER : KIND_ZERO;
    case 3: return debug_kind(offset);
    case 4: return KIND_SECURITY;
    case 5: return KIND_FLITS;
    default: return KIND_NONE;
    }
}

static inline struct access decode(uint32_t offset, struct visit *visit) {
    bool beyond = offset >= NIU_INITIATORS * BLOCK || offset % 4;
    *visit = (struct visit){ KIND_NONE, offset / BLOCK, offset % BLOCK };
    visit->kind = beyond ? KIND_NONE : kind_at(visit->offset);
    switch (visit->kind) {
    case KIND_NONE: return access_refused(BH_FAULT_UNMAPPED, "there is no register at this offset");
    case KIND_ROUTER_DEBUG:
        return access_refused(BH_FAULT_UNMODELLED,
                              "debug information of the NoC router (0x300 .. 0x374) is not modelled");
    case KIND_NIU_DEBUG:
        return access_refused(BH_FAULT_UNMODELLED, "debug information of the NIU (0x380 .. 0x3FC) is not modelled");
    case KIND_SECURITY:
        return access_refused(BH_FAULT_UNMODELLED, "the security fence of the NIU (0x400 .. 0x4FC) is not modelled");
    case KIND_FLITS:
        return access_refused(BH_FAULT_UNMODELLED,
                              "the flit counters of the NoC router (0x500 .. 0x5FC) are not modelled");
    default: return access_done();
    }
}

/* ---- Reads ---------------------------------------------------------------------------------------------- */

/* Returns CMD_BUF_AVAIL: the room in the FIFO of initiator i, in bits 8 i and up. */
static uint32_t fifo_room(const struct niu *niu) {
    uint32_t room = 0;
    for (unsigned i = 0; i < NIU_INITIATORS && niu_has_fifos(niu); i++)
        room |= (NIU_FIFO - send_waiting(niu, i)) << 8 * i;
    return room;
}

static uint32_t value_at(const struct niu *niu, const struct visit *visit) {
    switch (visit->kind) {
    case KIND_INITIATOR: return niu->initiator[visit->initiator][visit->offset / 4];
    case KIND_CMD_CTRL: return niu->busy >> visit->initiator & 1;
    case KIND_IDENTITY: return visit->offset == NODE_ID ? niu->node_id : niu->endpoint_id;
    case KIND_CONFIG: return niu->config[(visit->offset - CONFIG) / 4];
    case KIND_COUNTER: return niu->count[(visit->offset - COUNTERS) / 4];
    case KIND_INTERRUPT: return visit->offset == RTZ_NUM ? count_number(niu) : niu->rtz_source;
    case KIND_FIFO: return visit->offset == CMD_BUF_AVAIL ? fifo_room(niu) : niu->overflow;
    default: return 0;
    }
}

struct access niu_peek(const struct niu *niu, uint32_t offset, uint32_t *value) {
    struct visit visit;
    struct access access = decode(offset, &visit);
    if (access.result == ACCESS_DONE)
        *value = value_at(niu, &visit);
    return access;
}

bool niu_steady(const struct niu *niu, uint32_t offset) {
    return offset % BLOCK != RTZ_NUM || !niu->raised;
}

struct access niu_read(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t *value) {
    niu_run(niu, time);
    struct access access = niu_peek(niu, offset, value);
    if (access.result == ACCESS_DONE && offset % BLOCK == RTZ_NUM) {
        count_number_read(niu);
        count_interrupt(niu, wire, time);
    }
    return access;
}

/* ---- Writes --------------------------------------------------------------------------------------------- */

/* Writes a configuration register, and refuses modes that are not modelled. */
static struct access write_config(struct niu *niu, uint32_t offset, uint32_t value) {
    if (offset == NIU_CFG_0 && (value ^ niu->config[0]) & CFG_TILE_OFF)
        return access_refused(BH_FAULT_UNMODELLED,
                              "NIU_CFG_0: turning the tile's clock off or on (bit 12) is not modelled");
    if (offset == NIU_CFG_0 && !(value & CFG_AXI_SUBORDINATE) && class_of(niu) == NIU_CLASS_DRAM)
        return access_refused(BH_FAULT_UNMODELLED, "NIU_CFG_0: a DRAM tile without bit 15, in which the NoC sees the "
                                                   "L1 of its core instead of memory, is not modelled");
    if (offset == NIU_CFG_0 && (value ^ niu->config[0]) & NIU_CFG_REQUEST_FIFO && niu->busy)
        return access_refused(BH_FAULT_UNDEFINED, "NIU_CFG_0: the request FIFO (bit 16) changes while requests wait");
    if ((value ^ *config_word(niu, offset)) & route_translates_by((offset - CONFIG) / 4))
        niu->own_tables = true;
    *config_word(niu, offset) = offset == RTZ_CFG ? value & RTZ_CFG_KEPT : value;
    return access_done();
}

/* Executes a write to a register that reads as zero. */
static struct access write_zero(struct niu *niu, uint32_t offset, uint32_t value) {
    switch (offset) {
    case CLEAR_OUTSTANDING: count_clear(niu, value); break;
    case RTZ_CLR: count_acknowledge(niu, value); break;
    case DEBUG_COUNTER_RESET:
        if (value & RESET_OVERFLOW)
            niu->overflow = 0;
        break;
    case ECC_CTRL:
        if (value & ECC_FORCE)
            return access_refused(BH_FAULT_UNMODELLED, "ECC_CTRL: forcing an error is not modelled");
        break;
    case MEMORY_SHUTDOWN:
        if (value)
            return access_refused(BH_FAULT_UNMODELLED, "MEMORY_SHUTDOWN_CONTROL: turning memories off is not modelled");
        break;
    default: break;
    }
    return access_done();
}

/* A FIFO has a copy of the request, unless the request is split: then the registers are still in use. */
static bool may_be_touched(const struct niu *niu, const struct visit *visit) {
    bool waits = niu->busy >> visit->initiator & 1;
    return !waits || (niu_has_fifos(niu) && niu->splits != visit->initiator + 1);
}

/* Software must not touch an initiator whose request waits for a channel, nor start a request while a split request
 * still needs a channel. */
static struct access check_free(struct niu *niu, const struct visit *visit) {
    if (!may_be_touched(niu, visit))
        return niu_refuse(niu, visit->initiator, BH_FAULT_UNDEFINED,
                          "written at offset 0x%x while its request waits to be sent (CMD_CTRL is 1)", visit->offset);
    if (visit->kind == KIND_CMD_CTRL && niu->splits)
        return niu_refuse(niu, visit->initiator, BH_FAULT_UNDEFINED,
                          "CMD_CTRL: command buffer %u is still sending the packets of a long request",
                          niu->splits - 1u);
    if (visit->kind != KIND_CMD_CTRL || !niu_has_fifos(niu) || send_waiting(niu, visit->initiator) < NIU_FIFO)
        return access_done();
    niu->overflow |= (uint8_t)(1u << visit->initiator);
    return niu_refuse(niu, visit->initiator, BH_FAULT_UNDEFINED, "CMD_CTRL: its FIFO is full (CMD_BUF_AVAIL is 0x%x)",
                      fifo_room(niu));
}

static inline struct access send(struct niu *niu, const struct niu_wire *wire, unsigned initiator, uint64_t time) {
    return wire->loose ? niu_send_loosely(niu, wire, initiator, time) : send_command(niu, wire, initiator, time);
}

static struct access write_initiator(struct niu *niu, const struct niu_wire *wire, const struct visit *visit,
                                     uint64_t time, uint32_t value) {
    if (visit->kind == KIND_CMD_CTRL && !(value & 1))
        return access_done();
    struct access access = check_free(niu, visit);
    if (access.result != ACCESS_DONE)
        return access;
    if (visit->kind == KIND_INITIATOR) {
        unsigned word = visit->offset / 4;
        niu->initiator[visit->initiator][word] = word == NIU_PACKET_TAG ? value & TAG_KEPT : value;
        return access;
    }
    if (!wire && class_of(niu) == NIU_CLASS_DRAM)
        return niu_refuse(niu, visit->initiator, BH_FAULT_UNMODELLED,
                          "CMD_CTRL: a DRAM tile makes requests without bit 15 of NIU_CFG_0 only, which is not "
                          "modelled");
    if (!wire)
        return niu_refuse(niu, visit->initiator, BH_FAULT_UNDEFINED, "CMD_CTRL: tiles of this kind make no requests");
    return send(niu, wire, visit->initiator, time);
}

static struct access dispatch(struct niu *niu, const struct niu_wire *wire, const struct visit *visit, uint64_t time,
                              uint32_t value) {
    switch (visit->kind) {
    case KIND_INITIATOR:
    case KIND_CMD_CTRL: return write_initiator(niu, wire, visit, time, value);
    case KIND_CONFIG: return write_config(niu, visit->offset, value);
    case KIND_ZERO: return write_zero(niu, visit->offset, value);
    default: return access_done(); /* read-only */
    }
}

static __attribute__((noinline)) struct access write_register(struct niu *niu, const struct niu_wire *wire,
                                                              uint32_t offset, uint64_t time, uint32_t value) {
    struct visit visit;
    struct access access = decode(offset, &visit);
    if (access.result != ACCESS_DONE)
        return access;
    niu_run(niu, time);
    access = dispatch(niu, wire, &visit, time, value);
    count_interrupt(niu, wire, time);
    return access;
}

struct access niu_write(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t value) {
    if (!wire || niu->due <= time || !niu_is_command(niu, offset, value))
        return write_register(niu, wire, offset, time, value);
    return send(niu, wire, offset / BLOCK, time);
}

/* ---- Pokes ---------------------------------------------------------------------------------------------- */

static bool poke_at(struct niu *niu, const struct visit *visit, uint32_t value) {
    bool by_id =
        visit->offset >= COUNTERS + 4 * NIU_OUTSTANDING && visit->offset < COUNTERS + 4 * NIU_SLV_ATOMIC_RESP_SENT;
    switch (visit->kind) {
    case KIND_INITIATOR: niu->initiator[visit->initiator][visit->offset / 4] = value; return true;
    case KIND_IDENTITY: *(visit->offset == NODE_ID ? &niu->node_id : &niu->endpoint_id) = value; return true;
    case KIND_COUNTER: niu->count[(visit->offset - COUNTERS) / 4] = by_id ? value & 255 : value; return true;
    case KIND_INTERRUPT: niu->rtz_source = visit->offset == RTZ_SOURCE ? value & 0xFFFF : niu->rtz_source; return true;
    default: return false;
    }
}

/* The level of the interrupt is updated at the next access. */
struct access niu_poke(struct niu *niu, uint32_t offset, uint32_t value) {
    struct visit visit;
    struct access access = decode(offset, &visit);
    if (access.result != ACCESS_DONE || poke_at(niu, &visit, value))
        return access;
    if (visit.kind == KIND_CONFIG)
        return write_config(niu, visit.offset, value);
    return access_refused(BH_FAULT_UNMODELLED, "this register keeps nothing that could be set");
}
