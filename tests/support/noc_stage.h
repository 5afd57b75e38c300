/* A chip on whose cores scripts run (support/noc_script.h): requests between tiles, what comes of them, and when. */
#ifndef SUPPORT_NOC_STAGE_H
#define SUPPORT_NOC_STAGE_H

#include "chip/chip.h"
#include "support/chip.h"
#include "support/noc_script.h"

enum { LIST = 0x20000, DATA = 0x40000, DONE = 0x100, EXACT = 19 };

static const struct bh_xy here = { 1, 2 }, there = { 2, 2 };

/* ---- The stage ---------------------------------------------------------------------------------------------- */

static inline bh_chip *make(void) {
    return make_chip(1);
}

static inline void put(bh_chip *chip, struct bh_xy tile, uint64_t address, const void *data, size_t size) {
    assert_int_equal(bh_write(chip, tile, address, data, size), BH_OK);
}

static inline uint32_t counter_at(const bh_chip *chip, struct bh_xy tile, unsigned noc, unsigned counter) {
    return peek_word(chip, tile, script_counter(noc, counter));
}

/* Lets a core of a tile do what a script says. */
static inline void start(bh_chip *chip, struct bh_xy tile, enum bh_core core, struct script *script) {
    uint32_t program[SCRIPT_PROGRAM], list = LIST + (uint32_t)core * 0x4000;
    script_put(script, SCRIPT_STOP, 0, 0);
    script_program(program, list);
    put(chip, tile, list, script->word, script->count * 4);
    start_at(chip, tile, core, 0x1000 + (uint32_t)core * 0x400, program, sizeof program);
    script_free(script);
}

/* Blocks that packets are in. */
static inline uint64_t blocks_in_use(const bh_chip *chip) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < EXCHANGE_POOLS; i++)
        sum += chip->exchange.pools[i]->used;
    return sum;
}

static inline void run(bh_chip *chip) {
    run_until_idle(chip);
    assert_false(exchange_in_flight(chip));
}

/* The cycle before which a word becomes something else than it was. */
static inline uint64_t changes_at(bh_chip *chip, struct bh_xy tile, uint64_t address) {
    uint32_t before = peek_word(chip, tile, address);
    for (unsigned i = 0; i < 300000; i++) {
        assert_int_equal(bh_run(chip, 1, 0, NULL), BH_OK);
        if (peek_word(chip, tile, address) != before)
            return bh_cycle(chip);
    }
    fail_msg("0x%llx never changes", (unsigned long long)address);
    return 0;
}

/* ---- Requests ------------------------------------------------------------------------------------------------ */

static inline uint32_t xy(struct bh_xy at) {
    return script_xy(at.x, at.y);
}

static const uint32_t in_order = SCRIPT_STATIC_VC | 1 << 13;

static inline struct script_request write_to(struct bh_xy from, uint32_t source, struct bh_xy to, uint32_t address,
                                             uint32_t length) {
    return (struct script_request){
        .targ_lo = source,
        .targ_hi = xy(from),
        .ret_lo = address,
        .ret_hi = xy(to),
        .ctrl = SCRIPT_WRITE | SCRIPT_MARKED | in_order,
        .len = length,
    };
}

static inline struct script_request read_from(struct bh_xy from, uint32_t address, struct bh_xy to, uint32_t into,
                                              uint32_t length) {
    return (struct script_request){
        .targ_lo = address,
        .targ_hi = xy(from),
        .ret_lo = into,
        .ret_hi = xy(to),
        .ctrl = SCRIPT_READ | in_order,
        .len = length,
    };
}

static inline struct script_request increment(struct bh_xy from, struct bh_xy to, uint32_t address, uint32_t result) {
    return (struct script_request){
        .targ_lo = address,
        .targ_hi = xy(to),
        .ret_lo = result,
        .ret_hi = xy(from),
        .ctrl = SCRIPT_ATOMIC | SCRIPT_MARKED | in_order,
        .len = 0x1000 | 31 << 2 | (address / 4 & 3),
        .data = 1,
    };
}

static inline void request(struct script *script, unsigned noc, struct script_request r) {
    script_request(script, noc, 0, &r);
}

static inline void wait_for(struct script *script, unsigned noc, unsigned counter, uint32_t value) {
    script_put(script, SCRIPT_WAIT, script_counter(noc, counter), value);
}

static inline void fill(bh_chip *chip, struct bh_xy tile, uint32_t address, unsigned words, uint32_t first) {
    for (unsigned i = 0; i < words; i++)
        put_word(chip, tile, address + 4 * i, first + i);
}

static inline void assert_filled(bh_chip *chip, struct bh_xy tile, uint32_t address, unsigned words, uint32_t first) {
    for (unsigned i = 0; i < words; i++)
        assert_int_equal(peek_word(chip, tile, address + 4 * i), first + i);
}

static inline unsigned count_with(bh_chip *chip, uint32_t address, uint32_t value) {
    unsigned count = 0;
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++)
        count += peek_word(chip, chip_made(chip, i)->xy, address) == value;
    return count;
}

#endif
