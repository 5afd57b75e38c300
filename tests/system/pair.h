/* Two chips and cables between them, for tests. */
#ifndef TESTS_SYSTEM_PAIR_H
#define TESTS_SYSTEM_PAIR_H

#include "support/chip.h"

#define TXQ0 UINT32_C(0xFFB90000)
#define RXQ0 UINT32_C(0xFFB94000)
enum { QUEUE = 0x1000, PORT = 3 };

/* Registers of a TX and of an RX queue. */
enum { TX_CTRL = 0, TX_CMD = 0x04, TX_STATUS = 0x08, TX_MAX = 0x0C, TX_FROM = 0x14, TX_SIZE = 0x18, TX_TO = 0x1C };
enum { TX_TRANSFERS = 0x30, TX_STARTED = 0x34, TX_ENDED = 0x3C, TX_WORDS = 0x40, TX_DATA = 0x44, TX_RESENDS = 0x68 };
enum { TX_AHEAD = 0x6C, TX_HEADERS = 0x80 };
enum { RX_CTRL = 0, RX_BYTES = 0x04, RX_POINTER = 0x08, RX_BUFFER = 0x0C, RX_SIZE = 0x10, RX_WORDS = 0x14 };
enum {
    RX_STRIP = 0x18,
    RX_STARTED = 0x24,
    RX_ENDED = 0x28,
    RX_SEQUENCE = 0x40,
    RX_ACKNOWLEDGED = 0x44,
    RX_DROPS = 0x4C
};
enum { SEND_RAW = 1, SEND_DATA = 2, SEND_REGISTER = 4, ONGOING = 1 << 16 };

/* Tile of a live Ethernet channel. */
static inline struct bh_xy eth_xy(unsigned port) {
    return (struct bh_xy){ (uint8_t)(20 + port), 25 };
}

/* The faults of both chips. */
struct pair_faults {
    unsigned count;
    char text[200]; /* of the last one */
};

static inline void pair_on_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    struct pair_faults *faults = user;
    (void)chip;
    faults->count++;
    memcpy(faults->text, fault->text, sizeof faults->text);
}

/* faults: where they are noted, or NULL. */
static inline bh_system *make_watched_pair(unsigned latency, unsigned rate, struct pair_faults *faults) {
    bh_system *system;
    struct bh_config config;
    struct bh_link link = { .chip = { 0, 1 }, .port = { PORT, PORT + 2 }, .latency = latency, .rate = rate };
    bh_config_init(&config);
    config.on_fault = faults ? pair_on_fault : NULL;
    config.user = faults;
    assert_int_equal(bh_system_create(&system), BH_OK);
    for (unsigned i = 0; i < 2; i++) {
        config.number = config.serial = i;
        assert_int_equal(bh_system_add_chip(system, &config, NULL), BH_OK);
    }
    assert_int_equal(bh_system_add_link(system, &link, NULL), BH_OK);
    return system;
}

static inline bh_system *make_pair(unsigned latency, unsigned rate) {
    return make_watched_pair(latency, rate, NULL);
}

/* The Ethernet tile at an end of the cable. */
static inline struct bh_xy end_xy(unsigned chip) {
    return eth_xy(chip ? PORT + 2 : PORT);
}

static inline void end_put(bh_system *system, unsigned chip, uint32_t address, uint32_t value) {
    put_word(bh_system_chip(system, chip), end_xy(chip), address, value);
}

static inline uint32_t end_get(bh_system *system, unsigned chip, uint32_t address) {
    return read_word(bh_system_chip(system, chip), end_xy(chip), address);
}

static inline uint32_t tx_get(bh_system *system, unsigned chip, unsigned queue, unsigned offset) {
    return end_get(system, chip, TXQ0 + queue * QUEUE + offset);
}

static inline void tx_put(bh_system *system, unsigned chip, unsigned queue, unsigned offset, uint32_t value) {
    end_put(system, chip, TXQ0 + queue * QUEUE + offset, value);
}

static inline uint32_t rx_get(bh_system *system, unsigned chip, unsigned queue, unsigned offset) {
    return end_get(system, chip, RXQ0 + queue * QUEUE + offset);
}

static inline void rx_put(bh_system *system, unsigned chip, unsigned queue, unsigned offset, uint32_t value) {
    end_put(system, chip, RXQ0 + queue * QUEUE + offset, value);
}

static inline void pair_run(bh_system *system, uint64_t cycles) {
    assert_int_equal(bh_system_run(system, cycles, 0, NULL), BH_OK);
}

/* Sends bytes of L1, without waiting. */
static inline void send_data(bh_system *system, unsigned chip, unsigned queue, uint32_t from, uint32_t to,
                             uint32_t size) {
    tx_put(system, chip, queue, TX_FROM, from);
    tx_put(system, chip, queue, TX_TO, to);
    tx_put(system, chip, queue, TX_SIZE, size);
    tx_put(system, chip, queue, TX_CMD, SEND_DATA);
}

static inline void send_register(bh_system *system, unsigned chip, unsigned queue, uint32_t to, uint32_t value) {
    tx_put(system, chip, queue, TX_TO, to);
    tx_put(system, chip, queue, TX_DATA, value);
    tx_put(system, chip, queue, TX_CMD, SEND_REGISTER);
}

/* Fills L1 of an end with a pattern, and compares it. */
static inline uint8_t pattern_at(uint32_t i, uint32_t seed) {
    return (uint8_t)((i + seed) * 37 + (i >> 8));
}

static inline void fill_end(bh_system *system, unsigned chip, uint32_t address, uint32_t size, uint32_t seed) {
    for (uint32_t i = 0; i < size; i++) {
        uint8_t byte = pattern_at(i, seed);
        assert_int_equal(bh_write(bh_system_chip(system, chip), end_xy(chip), address + i, &byte, 1), BH_OK);
    }
}

static inline bool end_has(bh_system *system, unsigned chip, uint32_t address, uint32_t size, uint32_t seed) {
    for (uint32_t i = 0; i < size; i++) {
        uint8_t byte;
        assert_int_equal(bh_peek(bh_system_chip(system, chip), end_xy(chip), address + i, &byte, 1), BH_OK);
        if (byte != pattern_at(i, seed))
            return false;
    }
    return true;
}

static inline int teardown_system(void **state) {
    bh_system_destroy(*state);
    return 0;
}

#endif
