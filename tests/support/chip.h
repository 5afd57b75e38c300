/* Helpers for tests of a whole chip: creation, words of its memories, cores that start and run, and messages. Any
 * status but BH_OK of a public function fails the test. */
#ifndef SUPPORT_CHIP_H
#define SUPPORT_CHIP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bhemu.h"

/* Where cores of a Tensix tile start after reset. */
static const uint32_t core_entry[BH_CORE_COUNT] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };

/* ---- Life -------------------------------------------------------------------------------------------------------- */

static inline bh_chip *make_configured(const struct bh_config *config) {
    bh_chip *chip;
    assert_int_equal(bh_create(config, &chip, NULL, 0), BH_OK);
    return chip;
}

static inline bh_chip *make_board(enum bh_board board) {
    struct bh_config config;
    bh_config_board(&config, board);
    return make_configured(&config);
}

static inline bh_chip *make_with(unsigned threads, unsigned skew, unsigned epoch) {
    struct bh_config config;
    bh_config_init(&config);
    config.threads = threads;
    config.skew = skew;
    config.epoch = epoch;
    return make_configured(&config);
}

static inline bh_chip *make_chip(unsigned threads) {
    return make_with(threads, 128, 0);
}

static inline bh_chip *make_timed(enum bh_timing timing, unsigned threads) {
    struct bh_config config;
    bh_config_init(&config);
    config.timing = timing;
    config.threads = threads;
    return make_configured(&config);
}

/* Before and after a test whose state is a chip. */
static inline int setup_chip(void **state) {
    *state = make_board(BH_BOARD_P150);
    return 0;
}

static inline int teardown_chip(void **state) {
    bh_destroy(*state);
    return 0;
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static inline void put_word(bh_chip *chip, struct bh_xy tile, uint64_t address, uint32_t value) {
    if (bh_write(chip, tile, address, &value, sizeof value) != BH_OK)
        fail_msg("%s", bh_message(chip));
}

/* With what a read does. */
static inline uint32_t read_word(bh_chip *chip, struct bh_xy tile, uint64_t address) {
    uint32_t value = 0xDEAD;
    if (bh_read(chip, tile, address, &value, sizeof value) != BH_OK)
        fail_msg("%s", bh_message(chip));
    return value;
}

/* Without a trace. */
static inline uint32_t peek_word(const bh_chip *chip, struct bh_xy tile, uint64_t address) {
    uint32_t value = 0xDEAD;
    if (bh_peek(chip, tile, address, &value, sizeof value) != BH_OK)
        fail_msg("%s", bh_message(chip));
    return value;
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

static inline void start_at(bh_chip *chip, struct bh_xy tile, enum bh_core core, uint32_t address,
                            const uint32_t *program, size_t size) {
    assert_int_equal(bh_load_raw(chip, tile, core, address, program, size), BH_OK);
    assert_int_equal(bh_release(chip, tile, 1u << core), BH_OK);
}

/* A million cycles must do. */
static inline void run_until_idle(bh_chip *chip) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, 1000000, BH_RUN_STOP_ON_IDLE | BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("%s", stop.fault.text);
    assert_int_equal(stop.reason, BH_STOP_IDLE);
}

static inline struct bh_fault run_into_fault(bh_chip *chip) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, 1000000, BH_RUN_STOP_ON_IDLE | BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_FAULT);
    return stop.fault;
}

/* ---- Texts ------------------------------------------------------------------------------------------------------- */

static inline void assert_says(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}

/* An access or the like that ended so, and why. */
static inline void assert_refusal(const bh_chip *chip, bh_status status, bh_status expected, const char *text) {
    assert_int_equal(status, expected);
    assert_says(bh_message(chip), text);
}

#endif
