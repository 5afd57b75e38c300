/* The debug bus: see debug_bus.h. */
#include "tile/debug_bus.h"

#include <string.h>

#include "base/order.h"
#include "tile/debug.h"
#include "tile/l1.h"
#include "tile/tile.h"

/* Fields of DBG_BUS_CTRL. */
enum { SIGNAL_MASK = 0xFFFF, DAISY_SHIFT = 16, WORD_SHIFT = 25, ENABLED_BIT = 29 };
enum { SELF_TEST = 255 };
/* Fields of DBG_L1_MEM_REG2. */
enum {
    MODE_MASK = 15,
    INTERVAL_SHIFT = 4,
    GO = 1 << 12,
    MODE_SAME = 0,
    MODE_NEXT = 1,
    MODE_ROW = 4,
    MODE_PREPARE = 15
};
enum { SAMPLE_SIZE = 16, SAMPLE_MASK = 0xFFFF /* samples go to the low 1 MiB of L1 */ };

enum debug_bus_kind {
    GROUP_NONE,
    GROUP_COMMIT,
    GROUP_DECODE,
    GROUP_MAILBOX,
    GROUP_PCBUF,
    GROUP_FRONTEND,
    GROUP_ADC,
    GROUP_SRC,
    GROUP_RWC_A,
    GROUP_RWC_B,
    GROUP_RWC_PHASE,
    GROUP_LANES,
};

struct group {
    uint8_t daisy, signal, kind, unit;
    const char *refusal;
};

#define REFUSAL(daisy, signal, name) \
    "the group " name " of the debug bus (DaisySel " #daisy ", SignalSel " #signal ") is not modelled"

static const struct group tensix_groups[] = {
#define DEBUG_BUS(daisy, signal, kind, unit, name) { daisy, signal, GROUP_##kind, unit, REFUSAL(daisy, signal, name) },
#include "tile/debug_bus.def"
};

static const struct group eth_groups[] = {
#define DEBUG_BUS_ETH(daisy, signal, kind, unit, name) \
    { daisy, signal, GROUP_##kind, unit, REFUSAL(daisy, signal, name) },
#include "tile/debug_bus.def"
};

/* Puts the low `count` bits of a value at bit `at` of the group. */
static void put(uint32_t group[4], unsigned at, unsigned count, uint32_t value) {
    for (unsigned i = 0; i < count; i++)
        group[(at + i) / 32] |= (value >> i & 1) << (at + i) % 32;
}

/* ---- Cores ---------------------------------------------------------------------------------------------------- */

static bool is_active(const struct core *core) {
    return core->state == BH_CORE_RUNNING || core->state == BH_CORE_POLLING;
}

static uint32_t word_at_pc(const struct core *core) {
    return core->pc % 4 == 0 && core->pc < core->l1_limit[0] ? core_word(core, core->pc) : 0;
}

/* Shows the instruction that retires next, the access that waits, and what the frontend fetches. */
static void show_commit(const struct core *core, uint32_t group[4]) {
    put(group, 0, 31, core->pc);
    put(group, 31, 1, is_active(core) || core->state == BH_CORE_PAUSED);
    put(group, 64, 30, core->pc);
    put(group, 96, 31, word_at_pc(core));
    put(group, 127, 1, is_active(core));
    if (core->state != BH_CORE_BLOCKED || !word_at_pc(core))
        return;
    uint32_t address, size;
    bool loads = debug_access(core, &address, &size) & BH_ACCESS_READ;
    put(group, 32, 30, core->waits_at);
    put(group, loads ? 62 : 63, 1, 1);
}

/* Shows the instruction that is being decoded; tools take its pc for that of the core. */
static void show_decode(const struct core *core, uint32_t group[4]) {
    put(group, 32, 30, core->pc);
    put(group, 63, 1, is_active(core));
    put(group, 103, 1, is_active(core));
}

static bool waits_on(const struct core *core, unsigned wait) {
    return core->state == BH_CORE_BLOCKED && core->waits_on == wait;
}

/* Shows the cores that wait for a word of this core, and the first word of its PCBuf; the group PCBUF has the rest. */
static void show_mailbox(const struct tile *tile, unsigned from, uint32_t group[4]) {
    for (unsigned to = 0; to < MAILBOX_CORES; to++)
        put(group, (from == BH_BRISC ? 115 : 106) + to, 1, !waits_on(&tile->core[to], WAIT_MAILBOX_EMPTY_BRISC + from));
    if (from != BH_BRISC && tile->pcbufs.buf[from - BH_TRISC0].count)
        put(group, 119, 9, tile->pcbufs.buf[from - BH_TRISC0].word[0]);
}

/* Shows the PCBuf of a TRISC, and the FIFO in front of its MOP expander. */
static void show_pcbuf(const struct tile *tile, unsigned i, uint32_t group[4]) {
    const struct pcbuf *buf = &tile->pcbufs.buf[i];
    const struct frontend *f = &tile->tensix.thread[i].frontend;
    const struct core *core = &tile->core[BH_TRISC0 + i];
    unsigned words = (uint8_t)(f->first_end - f->first_at);
    put(group, 0, 23, buf->count ? buf->word[0] >> 9 : 0);
    put(group, 23, 1, buf->count == 0);
    put(group, 24, 1, buf->count == PCBUF_DEPTH);
    put(group, 25, 1, f->mops != 0);
    put(group, 26, 1, f->in_flight != 0);
    put(group, 28, 1, waits_on(&tile->core[BH_BRISC], WAIT_PCBUF_BUSY_TRISC0 + i));
    put(group, 30, 1, waits_on(core, WAIT_MOP_END) || waits_on(core, WAIT_THREAD_IDLE));
    put(group, 31, 1, waits_on(core, WAIT_PCBUF_EMPTY));
    put(group, 118, 1, words || f->mops);
    put(group, 125, 1, !frontend_has_room(f));
    put(group, 126, 1, !words);
}

/* ---- The coprocessor -------------------------------------------------------------------------------------------- */

static void show_frontend(const struct tensix *x, unsigned thread, uint32_t group[4]) {
    struct frontend_word head = { 0 };
    bool any = tensix_at_gate(x, thread, &head);
    const struct frontend *f = &x->thread[thread].frontend;
    put(group, 40, 32, any ? head.word : 0);
    put(group, 73, 1, !any);
    put(group, 75, 1, f->middle_count == FRONTEND_MIDDLE);
    put(group, 76, 1, f->middle_count == 0);
}

/* Shows T0's counters for the unpackers, and T2's for the packers. */
static void show_adc(const struct tensix *x, unsigned number, uint32_t group[4]) {
    unsigned user = number / 2;
    const struct adc_channel *channel = &x->adc[user == ADC_PACKERS ? 2 : 0][user].channel[number % 2];
    static const uint8_t at[ADC_AXES] = { 0, 64, 96, 112 }, cr_at[ADC_AXES] = { 18, 80, 104, 120 };
    static const uint8_t bits[ADC_AXES] = { 18, 13, 8, 8 };
    for (unsigned axis = 0; axis < ADC_AXES; axis++) {
        put(group, at[axis], bits[axis], channel->value[axis]);
        put(group, cr_at[axis], bits[axis], channel->cr[axis]);
    }
}

/* Shows which banks of SrcA and SrcB are the Matrix Unit's, and which bank is next to be used by it and by the
 * unpackers. For SrcA also whether these two are ready. (ttsim; tt-exalens for SrcB) */
static void show_src(const struct src *src, uint32_t group[4]) {
    const uint8_t *a = src->allowed[SRC_A], *b = src->allowed[SRC_B];
    unsigned matrix = src->matrix_bank[SRC_A], unpacker = src->unpacker_bank[SRC_A];
    put(group, 84, 1, a[unpacker] != SRC_MATRIX);
    put(group, 85, 1, a[matrix] == SRC_MATRIX);
    put(group, 90, 1, a[1] == SRC_MATRIX);
    put(group, 91, 1, a[0] == SRC_MATRIX);
    put(group, 92, 2, matrix ? 3 : 0);
    put(group, 94, 1, unpacker);
    put(group, 100, 2, src->matrix_bank[SRC_B] ? 3 : 0);
    put(group, 102, 1, src->unpacker_bank[SRC_B]);
    put(group, 105, 1, b[0] == SRC_MATRIX);
    put(group, 106, 1, b[1] == SRC_MATRIX);
}

static void show_rwc_a(const struct rwc *rwc, uint32_t group[4]) {
    static const uint8_t a[3] = { 0, 24, 40 }, a_cr[3] = { 10, 30, 50 }, b[3] = { 60, 84, 100 },
                         b_cr[3] = { 70, 90, 110 };
    for (unsigned i = 0; i < 3; i++) {
        put(group, a[i], 6, rwc[i].src_a);
        put(group, a_cr[i], 6, rwc[i].src_a_cr);
        put(group, b[i], 6, rwc[i].src_b);
        put(group, b_cr[i], 6, rwc[i].src_b_cr);
    }
    put(group, 120, 8, rwc[0].dst);
}

static void show_rwc_b(const struct rwc *rwc, uint32_t group[4]) {
    put(group, 0, 2, rwc[0].dst >> 8);
    for (unsigned i = 0; i < 3; i++) {
        put(group, 20 * i + 2, 10, rwc[i].dst_cr);
        if (i)
            put(group, 20 * i - 8, 10, rwc[i].dst);
    }
}

static void show_phases(const struct rwc *rwc, uint32_t group[4]) {
    put(group, 1, 2, rwc[0].fidelity);
    for (unsigned i = 0; i < 3; i++)
        put(group, 60 + 2 * i, 2, rwc[i].fidelity);
}

static void show_lanes(uint32_t enabled, uint32_t group[4]) {
    for (unsigned bit = 0; bit < 32; bit++)
        put(group, bit, 1, enabled >> (bit % 4 * 8 + bit / 4));
}

/* ---- Groups ---------------------------------------------------------------------------------------------------- */

static void show(const struct tile *tile, const struct group *found, uint32_t group[4]) {
    const struct tensix *x = &tile->tensix;
    const struct core *core = &tile->core[found->unit % BH_CORE_COUNT];
    switch ((enum debug_bus_kind)found->kind) {
    case GROUP_NONE: break;
    case GROUP_COMMIT: show_commit(core, group); break;
    case GROUP_DECODE: show_decode(core, group); break;
    case GROUP_MAILBOX: show_mailbox(tile, found->unit, group); break;
    case GROUP_PCBUF: show_pcbuf(tile, found->unit - BH_TRISC0, group); break;
    case GROUP_FRONTEND: show_frontend(x, found->unit, group); break;
    case GROUP_ADC: show_adc(x, found->unit, group); break;
    case GROUP_SRC: show_src(&x->src, group); break;
    case GROUP_RWC_A: show_rwc_a(x->rwc, group); break;
    case GROUP_RWC_B: show_rwc_b(x->rwc, group); break;
    case GROUP_RWC_PHASE: show_phases(x->rwc, group); break;
    case GROUP_LANES: show_lanes(x->vector.enabled, group); break;
    }
}

static void show_self_test(unsigned daisy, uint32_t group[4]) {
    const uint32_t pattern[4] = { daisy, 0xA5A5A5A5, 0x5A5A5A5A, 0xA5A5A5A5 };
    memcpy(group, pattern, sizeof pattern);
}

/* Shows the group that DBG_BUS_CTRL selects. */
static struct access show_selected(const struct tile *tile, uint32_t group[4]) {
    const uint32_t control = tile->control.value[REG_CONTROL_DBG_BUS_CTRL];
    const bool eth = tile->kind == TILE_KIND_ETH;
    const struct group *list = eth ? eth_groups : tensix_groups;
    const unsigned count = eth ? sizeof eth_groups / sizeof *eth_groups : sizeof tensix_groups / sizeof *tensix_groups;
    const unsigned daisy = control >> DAISY_SHIFT & 255, signal = control & SIGNAL_MASK;
    memset(group, 0, 4 * sizeof *group);
    if (!(control >> ENABLED_BIT & 1))
        return access_refused(BH_FAULT_UNDEFINED, "bit 29 of DBG_BUS_CTRL is 0: the debug bus is off");
    for (unsigned i = 0; i < count; i++) {
        if (list[i].daisy != daisy || (list[i].signal != signal && signal != SELF_TEST))
            continue;
        if (signal != SELF_TEST && list[i].kind == GROUP_NONE && !tile->debug_flaws)
            return access_refused(BH_FAULT_UNMODELLED, list[i].refusal);
        if (signal == SELF_TEST)
            show_self_test(daisy, group);
        else
            show(tile, &list[i], group);
        return access_done();
    }
    if (tile->debug_flaws)
        return access_done();
    return access_refused(BH_FAULT_UNMODELLED, "no document says what DBG_BUS_CTRL selects here");
}

struct access debug_bus_read(const struct tile *tile, uint32_t *value) {
    uint32_t group[4];
    struct access access = show_selected(tile, group);
    *value = group[tile->control.value[REG_CONTROL_DBG_BUS_CTRL] >> WORD_SHIFT & 3];
    return access;
}

/* ---- Samples in L1 ----------------------------------------------------------------------------------------------- */

void debug_bus_init(struct debug_bus *bus) {
    *bus = (struct debug_bus){ .due = UINT64_MAX };
}

static struct access sample(struct tile *tile, bool advance, uint64_t time) {
    struct debug_bus *bus = &tile->debug_bus;
    uint32_t group[4], address = (bus->position & SAMPLE_MASK) * SAMPLE_SIZE;
    struct access access = show_selected(tile, group);
    if (access.result != ACCESS_DONE)
        return access;
    if (!l1_holds(tile, address, sizeof group))
        return access_refused(BH_FAULT_UNMAPPED, "DBG_L1_MEM_REG0: the sample does not lie in L1");
    l1_write(tile, address, group, sizeof group, time);
    bus->position += advance;
    return access;
}

/* Sets the due time of the next automatic sample. */
static void plan(struct tile *tile, uint64_t due) {
    struct debug_bus *bus = &tile->debug_bus;
    bus->due = bus->left ? due : UINT64_MAX;
    late_find_due(tile);
    tile_noc_touched(tile, tile->time);
}

static struct access begin_row(struct tile *tile, uint32_t value, uint64_t time) {
    struct debug_bus *bus = &tile->debug_bus;
    bus->interval = (value >> INTERVAL_SHIFT & 255) + 1;
    bus->left = tile->control.value[REG_CONTROL_DBG_L1_MEM_REG1] - bus->position;
    bus->left += tile->debug_flaws && bus->interval == 1;
    if (bus->left > SAMPLE_MASK)
        bus->left = 0;
    if (!bus->left)
        return access_done();
    struct access access = sample(tile, true, time);
    bus->left = access.result == ACCESS_DONE ? bus->left - 1 : 0;
    plan(tile, time + bus->interval);
    tile_reschedule(tile);
    return access;
}

void debug_bus_run(struct tile *tile) {
    struct debug_bus *bus = &tile->debug_bus;
    if (bus->due > tile->time)
        return;
    tensix_run(&tile->tensix, tile->time);
    bus->left = sample(tile, true, tile->time).result == ACCESS_DONE ? bus->left - 1 : 0;
    bus->due = bus->left ? bus->due + bus->interval : UINT64_MAX;
}

struct access debug_bus_write(struct tile *tile, uint32_t value, uint64_t time) {
    uint32_t *kept = &tile->control.value[REG_CONTROL_DBG_L1_MEM_REG2], old = *kept;
    *kept = value;
    if ((old & MODE_MASK) == MODE_PREPARE && (value & MODE_MASK) != MODE_PREPARE)
        tile->debug_bus.position = tile->control.value[REG_CONTROL_DBG_L1_MEM_REG0];
    if (!(value & GO) || old & GO)
        return access_done();
    switch (value & MODE_MASK) {
    case MODE_SAME: return sample(tile, false, time);
    case MODE_NEXT: return sample(tile, true, time);
    case MODE_ROW: return begin_row(tile, value, time);
    case MODE_PREPARE: return access_done();
    default: return access_refused(BH_FAULT_UNDEFINED, "DBG_L1_MEM_REG2: only modes 0, 1, 4 and 15 are documented");
    }
}
