/* Registers of the performance counters: see perf.h. Sources: tt-metal's tech report "Hardware Performance Counters"
 * ("Hardware Register Reference"); tt-llk's guide for the nine-bit field that selects a counter, and for PERF_CNT_ALL,
 * which starts only two banks according to it. */
#include "tile/perf.h"

#include "riscv/access.h"
#include "tensix/tensix.h"
#include "tile/tile.h"

enum { PERIOD, MODE, CONTROL, OUT_L, OUT_H, ALL };

/* A register: its bank and its role. */
struct perf_register {
    uint8_t bank, what;
};

/* Finds the register at an address. Returns false if it is none of these registers. */
static bool find(uint32_t address, struct perf_register *found) {
    static const struct {
        enum perf_bank bank;
        int first, out; /* addresses: PERIOD, MODE and CONTROL; OUT_L and OUT_H */
    } banks[] = {
        { PERF_BANK_INSTRN_THREAD, REG_AT_CONTROL_PERF_CNT_INSTRN_THREAD0,
          REG_AT_CONTROL_PERF_CNT_OUT_L_INSTRN_THREAD },
        { PERF_BANK_TDMA_UNPACK, REG_AT_CONTROL_PERF_CNT_TDMA_UNPACK0, REG_AT_CONTROL_PERF_CNT_OUT_L_TDMA_UNPACK },
        { PERF_BANK_FPU, REG_AT_CONTROL_PERF_CNT_FPU0, REG_AT_CONTROL_PERF_CNT_OUT_L_FPU },
        { PERF_BANK_L1, REG_AT_CONTROL_PERF_CNT_L1_0, REG_AT_CONTROL_PERF_CNT_OUT_L_DBG_L1 },
        { PERF_BANK_TDMA_PACK, REG_AT_CONTROL_PERF_CNT_TDMA_PACK0, REG_AT_CONTROL_PERF_CNT_OUT_L_TDMA_PACK },
    };
    *found = (struct perf_register){ .what = ALL };
    if ((int)address > REG_AT_CONTROL_PERF_CNT_OUT_H_FPU) /* the last one; cores often read the clocks that follow */
        return false;
    for (unsigned i = 0; i < sizeof banks / sizeof *banks; i++) {
        uint32_t at = address - (uint32_t)banks[i].first, out = address - (uint32_t)banks[i].out;
        *found = (struct perf_register){ (uint8_t)banks[i].bank, (uint8_t)(at < 12 ? at / 4 : OUT_L + out / 4) };
        if (at < 12 || out < 8)
            return true;
    }
    *found = (struct perf_register){ .what = ALL };
    return (int)address == REG_AT_CONTROL_PERF_CNT_ALL;
}

bool perf_concerns(uint32_t address, bool loads) {
    struct perf_register found;
    return find(address, &found) && (found.what == OUT_L || found.what == OUT_H) == loads;
}

/* ---- Reads -------------------------------------------------------------------------------------------- */

/* Returns the value of a bank's mode register. */
static uint32_t mode_of(const struct tile *tile, enum perf_bank bank) {
    static const uint8_t mode[PERF_BANKS] = {
        [PERF_BANK_INSTRN_THREAD] = REG_CONTROL_PERF_CNT_INSTRN_THREAD1,
        [PERF_BANK_FPU] = REG_CONTROL_PERF_CNT_FPU1,
        [PERF_BANK_TDMA_UNPACK] = REG_CONTROL_PERF_CNT_TDMA_UNPACK1,
        [PERF_BANK_TDMA_PACK] = REG_CONTROL_PERF_CNT_TDMA_PACK1,
        [PERF_BANK_L1] = REG_CONTROL_PERF_CNT_L1_1,
    };
    return tile->control.value[mode[bank]];
}

struct access perf_peek(const struct tile *tile, uint32_t address, uint64_t time, uint32_t *value) {
    struct perf_register found;
    (void)find(address, &found);
    if (found.what == OUT_H) {
        struct access access =
            count_read(&tile->tensix, (enum perf_bank)found.bank, mode_of(tile, (enum perf_bank)found.bank),
                       tile->control.value[REG_CONTROL_PERF_CNT_MUX_CTRL], value);
        return tile->debug_flaws ? access_done() : access;
    }
    *value = count_reference(&tile->tensix, (enum perf_bank)found.bank, time);
    return access_done();
}

struct access perf_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value) {
    tensix_run(&tile->tensix, time);
    return perf_peek(tile, address, time, value);
}

/* ---- Writes ------------------------------------------------------------------------------------------- */

/* Starts or stops the bank, by the bits that have changed from 0 to 1. */
static void command(struct tile *tile, enum perf_bank bank, uint32_t rising, uint64_t time) {
    if (rising & 1)
        count_start(&tile->tensix, bank, time);
    if (rising & 2)
        count_stop(&tile->tensix, bank, time);
    if (bank != PERF_BANK_L1)
        return;
    perf_refresh(tile);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) /* a core that sleeps in a loop makes no requests, so wake all cores */
        if (tile->core[i].state == BH_CORE_POLLING)
            tile_rouse(tile, i, time);
    tile_reschedule(tile);
}

struct access perf_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    struct perf_register found;
    uint32_t old = 0;
    (void)find(address, &found);
    enum perf_bank bank = (enum perf_bank)found.bank;
    struct count_bank *b = &tile->tensix.count.bank[bank];
    if (found.what == MODE && (value & 0xFF) >= COUNT_MODES)
        return access_refused(BH_FAULT_UNDEFINED, "no document gives a meaning to this mode of performance counters");
    if (!tensix_run(&tile->tensix, time + 1))
        return access_later();
    (void)control_peek(&tile->control, address, time, &old);
    (void)control_write(&tile->control, address, value, time);
    switch (found.what) {
    case PERIOD: count_configure(&tile->tensix, bank, value, b->mode, time); break;
    case MODE: count_configure(&tile->tensix, bank, b->period, value & 0xFF, time); break;
    case CONTROL: command(tile, bank, value & ~old, time); break;
    case ALL:
        command(tile, PERF_BANK_FPU, value & ~old, time);
        command(tile, PERF_BANK_INSTRN_THREAD, value & ~old, time);
        break;
    default: break;
    }
    return access_done();
}

/* ---- Requests to L1 ------------------------------------------------------------------------------------ */

void perf_refresh(struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        uint8_t *reports = &tile->core[i].reports;
        bool on = count_has_l1(tile->tensix.counting) && !tile->loose;
        *reports = (uint8_t)((*reports & ~CORE_REPORTS_PORTS) | (on ? CORE_REPORTS_PORTS : 0));
    }
}

/* Returns the port of a core at L1. */
static enum perf_id port_of(unsigned core) {
    bool second = core == BH_TRISC1 || core == BH_TRISC2;
    return second ? PERF_L1_0_TDMA_BUNDLE_1_TRISC : PERF_L1_0_TDMA_BUNDLE_0_RISC;
}

/* A load that the core's own cache serves is not a request. */
void perf_step(struct tile *tile, const struct core *core, uint32_t pc, uint64_t time) {
    uint64_t *counted = &tile->perf.counted[core->id];
    struct core_access access = core_access_of(core, core_word(core, pc));
    bool cached = access.how == BH_ACCESS_READ && core->caches && l0_find(&core->l0, access.address);
    if (!access.how || access.address >= core->l1_limit[0] || cached || *counted == core->retired + 1)
        return;
    *counted = core->retired + 1;
    count_requests(&tile->tensix, port_of(core->id), 1, time);
}

/* A NIU has four ports of 16 bytes in each direction, in two groups. */
void perf_noc(struct tile *tile, unsigned noc, bool reads, uint32_t size, uint64_t time) {
    enum { FLIT = 64 };
    static const uint8_t first[2][2][2] = {
        { { PERF_L1_0_NOC_RING0_INCOMING_0, PERF_L1_2_NOC_RING0_INCOMING_2 },
          { PERF_L1_0_NOC_RING0_OUTGOING_0, PERF_L1_2_NOC_RING0_OUTGOING_2 } },
        { { PERF_L1_1_NOC_RING1_INCOMING_0, PERF_L1_3_NOC_RING1_INCOMING_2 },
          { PERF_L1_1_NOC_RING1_OUTGOING_0, PERF_L1_3_NOC_RING1_OUTGOING_2 } },
    };
    for (unsigned i = 0; i < 4; i++)
        count_requests(&tile->tensix, first[noc][reads][i / 2] + 2 * (i % 2), (size + FLIT - 1) / FLIT, time);
}
