/* Ends of routes of overlay streams, for the tests of streams: the host plays the software at both ends. */
#ifndef TESTS_CHIP_STREAMS_H
#define TESTS_CHIP_STREAMS_H

#include "isa/overlay.h"
#include "support/chip.h"

static const struct bh_xy A = { 1, 2 }, B = { 2, 2 }, C = { 7, 5 }, D = { 12, 9 };

/* ---- Registers ----------------------------------------------------------------------------------------------- */

enum { SOFTWARE_IN = 1 << 4, NOC_IN = 1 << 5, SOFTWARE_OUT = 1 << 6, STREAM_OUT = 1 << 7, NOC_OUT = 1 << 8 };
enum { STREAMS_IN = 1 << 3, DATA_NOC = 1 << 1, UPDATE_NOC = 1 << 2, CHANGE = 3 << 11, NO_FLUSH = 1 << 18 };
enum { NO_FLOW = 1 << 13, DEST_NO_FLOW = 1 << 14, IS_MCAST = 1 << 17 };
enum { IDLE = 1, FORWARD = 4 | 5 << 3 };

static inline uint64_t at(unsigned stream, unsigned index) {
    return 0xFFB40000 + 0x1000 * stream + 4 * index;
}

static inline void put(bh_chip *chip, struct bh_xy tile, unsigned stream, unsigned index, uint32_t value) {
    put_word(chip, tile, at(stream, index), value);
}

static inline uint32_t get(const bh_chip *chip, struct bh_xy tile, unsigned stream, unsigned index) {
    return peek_word(chip, tile, at(stream, index));
}

static inline uint32_t name(struct bh_xy tile, unsigned stream) {
    return tile.x | (uint32_t)tile.y << 6 | stream << 12;
}

/* ---- Ends of a route ------------------------------------------------------------------------------------------- */

/* A stream and its memory, in units of 16 bytes. */
struct end {
    struct bh_xy tile;
    unsigned stream;
    uint32_t buffer, size, headers;
};

static inline struct end end_at(struct bh_xy tile, unsigned stream, uint32_t size) {
    return (struct end){ tile, stream, 0x2000 + stream * 0x200, size, 0xC000 + stream * 0x80 };
}

static inline void format(bh_chip *chip, struct bh_xy tile) {
    put(chip, tile, 0, OVERLAY_MSG_HEADER_FORMAT, 16 << 7 | 32); /* 16 bits from bit 32 on */
}

static inline void configure(bh_chip *chip, const struct end *end) {
    format(chip, end->tile);
    put(chip, end->tile, end->stream, OVERLAY_BUF_START, end->buffer);
    put(chip, end->tile, end->stream, OVERLAY_BUF_SIZE, end->size);
    put(chip, end->tile, end->stream, OVERLAY_MSG_INFO_PTR, end->headers);
    put(chip, end->tile, end->stream, OVERLAY_MSG_INFO_WR_PTR, end->headers);
}

static inline void configure_source(bh_chip *chip, const struct end *end, const struct end *from, unsigned phase) {
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_SRC, name(from->tile, from->stream));
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_SRC_PHASE, phase);
}

static inline void configure_destination(bh_chip *chip, const struct end *end, const struct end *to) {
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST, name(to->tile, to->stream));
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_BUF_START, to->buffer);
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_BUF_SIZE, to->size);
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, to->headers);
}

static inline void start(bh_chip *chip, const struct end *end, uint32_t mode, unsigned messages) {
    put(chip, end->tile, end->stream, OVERLAY_MISC_CFG, mode);
    put(chip, end->tile, end->stream, OVERLAY_PHASE_AUTO_CFG_HEADER, messages << 12 | 1);
    put(chip, end->tile, end->stream, OVERLAY_PHASE_ADVANCE, 1);
}

static inline uint32_t status(const bh_chip *chip, const struct end *end) {
    return get(chip, end->tile, end->stream, OVERLAY_WAIT_STATUS);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

enum { WORD = 16, LONGEST = 0x1800 };

/* Word i of the message `number`, of `length` words: the length is in the second half of each. */
static inline void message_word(uint32_t number, uint32_t length, uint32_t i, uint32_t word[4]) {
    word[0] = number;
    word[1] = length | (number ^ 0x5A5A) << 16;
    word[2] = i;
    word[3] = number * 2654435761u + i;
}

static inline bool push(bh_chip *chip, const struct end *end, uint32_t number, uint32_t length) {
    uint32_t word[4];
    if (status(chip, end) != FORWARD || get(chip, end->tile, end->stream, OVERLAY_BUF_SPACE_AVAILABLE) < length)
        return false;
    uint32_t pointer = get(chip, end->tile, end->stream, OVERLAY_WR_PTR) & 0x1FFFF;
    for (uint32_t i = 0; i < length; i++) {
        message_word(number, length, i, word);
        uint64_t address = (end->buffer + (pointer + i) % end->size) * (uint64_t)WORD;
        assert_int_equal(bh_write(chip, end->tile, address, word, sizeof word), BH_OK);
    }
    message_word(number, length, 0, word);
    uint64_t header = get(chip, end->tile, end->stream, OVERLAY_MSG_INFO_WR_PTR) * (uint64_t)WORD;
    assert_int_equal(bh_write(chip, end->tile, header, word, sizeof word), BH_OK);
    put(chip, end->tile, end->stream, OVERLAY_NUM_MSGS_RECEIVED_INC, length << 12 | 1);
    return true;
}

/* Takes a message if there is one, and compares it. buffer: where it is. */
static inline bool pop(bh_chip *chip, const struct end *end, const struct end *buffer, uint32_t number,
                       uint32_t length) {
    uint32_t word[4], expected[4];
    if (!get(chip, end->tile, end->stream, OVERLAY_NUM_MSGS_RECEIVED))
        return false;
    uint32_t address = get(chip, end->tile, end->stream, OVERLAY_NEXT_RECEIVED_MSG_ADDR);
    assert_int_equal(get(chip, end->tile, end->stream, OVERLAY_NEXT_RECEIVED_MSG_SIZE), length);
    assert_int_equal(get(chip, end->tile, end->stream, OVERLAY_BUF_START), buffer->buffer);
    assert_in_range(address, buffer->buffer, buffer->buffer + buffer->size - 1);
    for (uint32_t i = 0; i < length; i++) {
        uint64_t from = (buffer->buffer + (address - buffer->buffer + i) % buffer->size) * (uint64_t)WORD;
        assert_int_equal(bh_peek(chip, end->tile, from, word, sizeof word), BH_OK);
        message_word(number, length, i, expected);
        assert_memory_equal(word, expected, sizeof word);
    }
    put(chip, end->tile, end->stream, OVERLAY_MSG_INFO_CLEAR, 1);
    put(chip, end->tile, end->stream, OVERLAY_MSG_DATA_CLEAR, 1);
    return true;
}

static inline void run(bh_chip *chip, uint64_t cycles) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, cycles, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("%s", stop.fault.text);
}

static inline void run_until(bh_chip *chip, const struct end *end, uint32_t wanted) {
    for (unsigned i = 0; i < 1000 && status(chip, end) != wanted; i++)
        run(chip, 50);
    assert_int_equal(status(chip, end), wanted);
}

static inline void refuse(bh_chip *chip, struct bh_xy tile, unsigned stream, unsigned index, uint32_t value,
                          const char *text) {
    assert_int_not_equal(bh_write(chip, tile, at(stream, index), &value, sizeof value), BH_OK);
    assert_says(bh_message(chip), text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)

#endif
