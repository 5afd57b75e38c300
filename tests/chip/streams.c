/* Streams of overlays that send messages from tile to tile: every message arrives as it was sent, in order, whatever
 * the sizes, the buffers and the pace of both ends; with one and two host threads in the same cycles; with loose timing
 * with the same bytes; and in a chip that is saved and restored meanwhile.
 *
 * The host plays the software at both ends.
 *
 * streams [ROUNDS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "isa/overlay.h"
#include "support/chip.h"
#include "support/random.h"

static unsigned rounds = 6;
static uint64_t seed = 3;

static const struct bh_xy A = { 1, 2 }, B = { 2, 2 }, C = { 7, 5 }, D = { 12, 9 };

/* ---- Registers ----------------------------------------------------------------------------------------------- */

enum { SOFTWARE_IN = 1 << 4, NOC_IN = 1 << 5, SOFTWARE_OUT = 1 << 6, STREAM_OUT = 1 << 7, NOC_OUT = 1 << 8 };
enum { STREAMS_IN = 1 << 3, DATA_NOC = 1 << 1, UPDATE_NOC = 1 << 2, CHANGE = 3 << 11, NO_FLUSH = 1 << 18 };
enum { NO_FLOW = 1 << 13, DEST_NO_FLOW = 1 << 14, IS_MCAST = 1 << 17 };
enum { IDLE = 1, FORWARD = 4 | 5 << 3 };

static uint64_t at(unsigned stream, unsigned index) {
    return 0xFFB40000 + 0x1000 * stream + 4 * index;
}

static void put(bh_chip *chip, struct bh_xy tile, unsigned stream, unsigned index, uint32_t value) {
    put_word(chip, tile, at(stream, index), value);
}

static uint32_t get(const bh_chip *chip, struct bh_xy tile, unsigned stream, unsigned index) {
    return peek_word(chip, tile, at(stream, index));
}

static uint32_t name(struct bh_xy tile, unsigned stream) {
    return tile.x | (uint32_t)tile.y << 6 | stream << 12;
}

/* ---- Ends of a route ------------------------------------------------------------------------------------------- */

/* A stream and its memory, in units of 16 bytes. */
struct end {
    struct bh_xy tile;
    unsigned stream;
    uint32_t buffer, size, headers;
};

static struct end end_at(struct bh_xy tile, unsigned stream, uint32_t size) {
    return (struct end){ tile, stream, 0x2000 + stream * 0x200, size, 0xC000 + stream * 0x80 };
}

static void format(bh_chip *chip, struct bh_xy tile) {
    put(chip, tile, 0, OVERLAY_MSG_HEADER_FORMAT, 16 << 7 | 32); /* 16 bits from bit 32 on */
}

static void configure(bh_chip *chip, const struct end *end) {
    format(chip, end->tile);
    put(chip, end->tile, end->stream, OVERLAY_BUF_START, end->buffer);
    put(chip, end->tile, end->stream, OVERLAY_BUF_SIZE, end->size);
    put(chip, end->tile, end->stream, OVERLAY_MSG_INFO_PTR, end->headers);
    put(chip, end->tile, end->stream, OVERLAY_MSG_INFO_WR_PTR, end->headers);
}

static void configure_source(bh_chip *chip, const struct end *end, const struct end *from, unsigned phase) {
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_SRC, name(from->tile, from->stream));
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_SRC_PHASE, phase);
}

static void configure_destination(bh_chip *chip, const struct end *end, const struct end *to) {
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST, name(to->tile, to->stream));
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_BUF_START, to->buffer);
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_BUF_SIZE, to->size);
    put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, to->headers);
}

static void start(bh_chip *chip, const struct end *end, uint32_t mode, unsigned messages) {
    put(chip, end->tile, end->stream, OVERLAY_MISC_CFG, mode);
    put(chip, end->tile, end->stream, OVERLAY_PHASE_AUTO_CFG_HEADER, messages << 12 | 1);
    put(chip, end->tile, end->stream, OVERLAY_PHASE_ADVANCE, 1);
}

static uint32_t status(const bh_chip *chip, const struct end *end) {
    return get(chip, end->tile, end->stream, OVERLAY_WAIT_STATUS);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

enum { WORD = 16, LONGEST = 0x1800 };

/* Word i of the message `number`, of `length` words: the length is in the second half of each. */
static void message_word(uint32_t number, uint32_t length, uint32_t i, uint32_t word[4]) {
    word[0] = number;
    word[1] = length | (number ^ 0x5A5A) << 16;
    word[2] = i;
    word[3] = number * 2654435761u + i;
}

static bool push(bh_chip *chip, const struct end *end, uint32_t number, uint32_t length) {
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
static bool pop(bh_chip *chip, const struct end *end, const struct end *buffer, uint32_t number, uint32_t length) {
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

static void run(bh_chip *chip, uint64_t cycles) {
    struct bh_stop stop;
    assert_int_equal(bh_run(chip, cycles, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("%s", stop.fault.text);
}

static void run_until(bh_chip *chip, const struct end *end, uint32_t wanted) {
    for (unsigned i = 0; i < 1000 && status(chip, end) != wanted; i++)
        run(chip, 50);
    assert_int_equal(status(chip, end), wanted);
}

/* ---- Two tiles, step by step ------------------------------------------------------------------------------------- */

static void one_message(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
    assert_true(push(chip, &from, 7, 5));
    run(chip, 500); /* the receiver is not ready: the request is ignored */
    assert_int_equal(get(chip, A, 20, OVERLAY_NUM_MSGS_RECEIVED), 1);
    assert_int_equal(get(chip, A, 20, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 32);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 1);
    run(chip, 500);
    assert_int_equal(get(chip, A, 20, OVERLAY_NUM_MSGS_RECEIVED), 0);
    assert_int_equal(get(chip, A, 20, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 27);
    assert_int_equal(get(chip, A, 20, OVERLAY_REMOTE_DEST_WR_PTR), 5);
    assert_int_equal(get(chip, A, 20, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR), to.headers + 1);
    assert_int_equal(get(chip, A, 20, OVERLAY_RD_PTR), 5); /* the packet has left */
    assert_int_equal(status(chip, &from), FORWARD);        /* waits until its words are free */
    assert_int_equal(get(chip, B, 9, OVERLAY_WR_PTR), 5);
    assert_int_equal(get(chip, B, 9, OVERLAY_BUF_SPACE_AVAILABLE), 27);
    assert_int_equal(get(chip, B, 9, OVERLAY_PHASE_ALL_MSGS_PUSHED), 1);
    uint32_t header[4], expected[4];
    message_word(7, 5, 0, expected);
    assert_int_equal(bh_peek(chip, B, to.headers * (uint64_t)WORD, header, sizeof header), BH_OK);
    assert_memory_equal(header, expected, sizeof header);
    assert_true(pop(chip, &to, &to, 7, 5));
    assert_int_equal(status(chip, &to), IDLE);
    run(chip, 500);
    assert_int_equal(get(chip, A, 20, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 32);
    assert_int_equal(status(chip, &from), IDLE);
    assert_int_equal(get(chip, A, 0, OVERLAY_BLOB_AUTO_CFG_DONE), 1 << 20);
    assert_int_equal(read_word(chip, A, at(0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE)), 0x10000 + 20);
    assert_int_equal(read_word(chip, A, at(0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE)), 0);
}

/* The receiver is first: the transmitter finds its response. */
static void receiver_first(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 1);
    run(chip, 500);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
    uint32_t sent = peek_word(chip, A, 0xFFB20200 + 4 * 0xB);
    assert_true(push(chip, &from, 8, 3));
    run(chip, 500);
    assert_int_equal(peek_word(chip, A, 0xFFB20200 + 4 * 0xB), sent + 1); /* no handshake request */
    assert_true(pop(chip, &to, &to, 8, 3));
    run_until(chip, &from, IDLE);
}

/* A response for another phase does not start the transmitter. */
static void wrong_phase(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 2);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 1);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
    assert_true(push(chip, &from, 8, 3));
    run(chip, 2000);
    assert_int_equal(get(chip, B, 9, OVERLAY_NUM_MSGS_RECEIVED), 0);
    put(chip, A, 20, OVERLAY_DEST_PHASE_READY_UPDATE, 1 << 6); /* software says that it is ready */
    run(chip, 500);
    assert_true(pop(chip, &to, &to, 8, 3));
}

/* Room is reported from half of the buffer on, and at the end. */
static void threshold(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 8, 64), to = end_at(B, 8, 16);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    put(chip, B, 8, OVERLAY_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 5);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 5);
    for (unsigned i = 0; i < 4; i++)
        assert_true(push(chip, &from, i, 4));
    run(chip, 1000);
    assert_int_equal(get(chip, A, 8, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 0);
    assert_true(pop(chip, &to, &to, 0, 4));
    run(chip, 500);
    assert_int_equal(get(chip, A, 8, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 0); /* 4 of 16 are free */
    assert_true(pop(chip, &to, &to, 1, 4));
    run(chip, 500);
    assert_int_equal(get(chip, A, 8, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 8);
    assert_true(push(chip, &from, 4, 4));
    run(chip, 500);
    for (unsigned i = 2; i < 5; i++)
        assert_true(pop(chip, &to, &to, i, 4));
    run_until(chip, &from, IDLE);
    assert_int_equal(get(chip, A, 8, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 16);
}

/* Without flow control, the transmitter does not wait for the end. */
static void without_flow_control(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 8, 64), to = end_at(B, 8, 16);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE | NO_FLOW, 2);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE | DEST_NO_FLOW, 2);
    assert_true(push(chip, &from, 0, 4));
    assert_true(push(chip, &from, 1, 6));
    run_until(chip, &from, IDLE);
    assert_true(pop(chip, &to, &to, 0, 4));
    assert_true(pop(chip, &to, &to, 1, 6));
    run(chip, 1000);
    assert_int_equal(get(chip, A, 8, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 6);
}

/* Phases without a change of the ends need no handshake; what comes early is kept for the next phase. */
static void same_ends(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 8, 64), to = end_at(B, 8, 24);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT, 2);
    start(chip, &from, SOFTWARE_IN | NOC_OUT, 2);
    assert_true(push(chip, &from, 0, 4));
    assert_true(push(chip, &from, 1, 4));
    run_until(chip, &from, IDLE); /* does not wait for the words to be free */
    start(chip, &from, SOFTWARE_IN | NOC_OUT, 2);
    assert_true(push(chip, &from, 2, 7));
    run(chip, 1000);
    assert_true(pop(chip, &to, &to, 0, 4));
    assert_true(pop(chip, &to, &to, 1, 4));
    assert_int_equal(status(chip, &to), IDLE);
    start(chip, &to, NOC_IN | SOFTWARE_OUT, 2);
    assert_true(pop(chip, &to, &to, 2, 7));
    assert_true(push(chip, &from, 3, 7));
    run(chip, 1000);
    assert_true(pop(chip, &to, &to, 3, 7));
    assert_int_equal(status(chip, &to), IDLE);
    run_until(chip, &from, IDLE);
}

/* When everything has arrived, room is reported whatever the threshold. */
static void threshold_at_the_end(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 8, 64), to = end_at(B, 8, 16);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    put(chip, B, 8, OVERLAY_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD, 8 | 2); /* 12 of 16 */
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 3);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 3);
    for (unsigned i = 0; i < 2; i++)
        assert_true(push(chip, &from, i, 6));
    run(chip, 500);
    assert_true(pop(chip, &to, &to, 0, 6));
    run(chip, 500);
    assert_int_equal(get(chip, A, 8, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 4);
    assert_true(push(chip, &from, 2, 4));
    run(chip, 500);
    assert_int_equal(get(chip, A, 8, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE), 6); /* the first message's */
    assert_int_equal(status(chip, &to), FORWARD);
}

/* A transmitter that has lost the response asks for it, and gets it once more. */
static void lost_response(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 1);
    run(chip, 500);
    put(chip, A, 20, OVERLAY_DEST_PHASE_READY_UPDATE, 77 << 6); /* takes the place of the response */
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
    assert_true(push(chip, &from, 8, 3));
    run(chip, 1000);
    assert_true(pop(chip, &to, &to, 8, 3));
}

/* The cache of responses has 24 places; the oldest response makes room. */
static void many_responses(void **state) {
    enum { STREAMS = 26 };
    bh_chip *chip = *state;
    for (unsigned i = 0; i < STREAMS; i++)
        put(chip, A, 30 + i, OVERLAY_DEST_PHASE_READY_UPDATE, 1 << 6);
    for (unsigned i = 0; i < STREAMS; i++) {
        struct end from = end_at(A, 30 + i, 32), to = end_at(B, 30 + i, 32);
        uint32_t sent = peek_word(chip, A, 0xFFB20200 + 4 * 0xB);
        configure(chip, &from);
        configure_destination(chip, &from, &to);
        start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
        run(chip, 100);
        assert_int_equal(peek_word(chip, A, 0xFFB20200 + 4 * 0xB) - sent,
                         i < 2); /* a request, if there is no response */
    }
}

/* ---- Configurations in L1 ---------------------------------------------------------------------------------------- */

enum { BLOBS = 0x8000 };

static uint32_t set(unsigned index, uint32_t value) {
    return index << 24 | value;
}

/* Writes words of configurations one behind the other. */
static void put_words(bh_chip *chip, struct bh_xy tile, uint64_t address, const uint32_t *word, unsigned count) {
    assert_int_equal(bh_write(chip, tile, address, word, count * sizeof *word), BH_OK);
}

static void load(bh_chip *chip, const struct end *end, unsigned words, uint32_t how) {
    put(chip, end->tile, end->stream, OVERLAY_PHASE_AUTO_CFG_HEADER, (words - 1) << 24);
    put(chip, end->tile, end->stream, OVERLAY_PHASE_AUTO_CFG_PTR_BASE, BLOBS);
    put(chip, end->tile, end->stream, OVERLAY_PHASE_AUTO_CFG_PTR, 0);
    put(chip, end->tile, end->stream, OVERLAY_ONETIME_MISC_CFG, how);
}

/* A transmitter goes through two phases by itself, each with a receiver of its own. */
static void configurations(void **state) {
    enum { FIRST = 9, SECOND = 9, MODE = SOFTWARE_IN | NOC_OUT | CHANGE };
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to[2] = { end_at(B, 9, 16), end_at(C, 30, 16) };
    const uint32_t word[FIRST + SECOND] = {
        /* the increment, the messages, and the length of the next configuration */
        1 | 2 << 12 | (SECOND - 1) << 24,
        set(OVERLAY_MISC_CFG, MODE),
        set(OVERLAY_BUF_START, from.buffer),
        set(OVERLAY_BUF_SIZE, from.size),
        set(OVERLAY_REMOTE_DEST, name(to[0].tile, to[0].stream)),
        set(OVERLAY_REMOTE_DEST_BUF_START, to[0].buffer),
        set(OVERLAY_REMOTE_DEST_BUF_SIZE, to[0].size),
        set(OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, to[0].headers),
        set(OVERLAY_ONETIME_MISC_CFG, 1), /* AUTO_CONFIG: for the next one, not now */
        4 | 1 << 12,
        set(OVERLAY_ONETIME_MISC_CFG, 2), /* the last one: AUTO_ADVANCE, no AUTO_CONFIG */
        set(OVERLAY_MISC_CFG, MODE),
        set(OVERLAY_MSG_INFO_PTR, from.headers),
        set(OVERLAY_MSG_INFO_WR_PTR, from.headers),
        set(OVERLAY_REMOTE_DEST, name(to[1].tile, to[1].stream)),
        set(OVERLAY_REMOTE_DEST_BUF_START, to[1].buffer),
        set(OVERLAY_REMOTE_DEST_BUF_SIZE, to[1].size),
        set(OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, to[1].headers),
    };
    for (unsigned i = 0; i < 2; i++) {
        configure(chip, &to[i]);
        configure_source(chip, &to[i], &from, i ? 5 : 1);
        start(chip, &to[i], NOC_IN | SOFTWARE_OUT | CHANGE, 2 - i);
    }
    format(chip, A);
    put_words(chip, A, BLOBS, word, FIRST + SECOND);
    put(chip, A, 20, OVERLAY_MSG_INFO_PTR, from.headers);
    put(chip, A, 20, OVERLAY_MSG_INFO_WR_PTR, from.headers);
    load(chip, &from, FIRST, 1);
    assert_int_equal(status(chip, &from), 1 | 3 << 3); /* loaded, and waits for software */
    assert_int_equal(get(chip, A, 20, OVERLAY_CURR_PHASE), 1);
    assert_int_equal(get(chip, A, 20, OVERLAY_PHASE_AUTO_CFG_PTR), 4 * FIRST);
    put(chip, A, 20, OVERLAY_ONETIME_MISC_CFG, 3);
    assert_int_equal(status(chip, &from), 1 | 3 << 3);
    put(chip, A, 20, OVERLAY_PHASE_ADVANCE, 1);
    assert_true(push(chip, &from, 0, 3));
    assert_true(push(chip, &from, 1, 4));
    assert_int_equal(get(chip, A, 20, OVERLAY_CURR_PHASE), 1);
    run(chip, 500);
    assert_int_equal(get(chip, A, 20, OVERLAY_PHASE_AUTO_CFG_HEADER), (SECOND - 1) << 24); /* all sent */
    assert_true(pop(chip, &to[0], &to[0], 0, 3));
    assert_true(pop(chip, &to[0], &to[0], 1, 4));
    run(chip, 500);
    assert_int_equal(get(chip, A, 20, OVERLAY_CURR_PHASE), 5);
    assert_int_equal(status(chip, &from), FORWARD);
    assert_int_equal(get(chip, A, 0, OVERLAY_BLOB_AUTO_CFG_DONE), 0);
    assert_true(push(chip, &from, 2, 5));
    run(chip, 1000);
    assert_true(pop(chip, &to[1], &to[1], 2, 5));
    run_until(chip, &from, IDLE);
    assert_int_equal(get(chip, A, 0, OVERLAY_BLOB_AUTO_CFG_DONE), 1 << 20);
    put(chip, A, 0, OVERLAY_BLOB_AUTO_CFG_DONE, 1 << 20);
    assert_int_equal(get(chip, A, 0, OVERLAY_BLOB_AUTO_CFG_DONE), 0);
}

/* A configuration that points to itself is used again and again, until it is changed. */
static void a_loop_of_configurations(void **state) {
    bh_chip *chip = *state;
    struct end end = end_at(A, 40, 8);
    const uint32_t word[] = { 1 | 1 << 12 | 1 << 24, set(OVERLAY_PHASE_AUTO_CFG_PTR, 0) };
    const uint32_t last[] = { 1 | 1 << 12 | 1 << 24, set(OVERLAY_ONETIME_MISC_CFG, 2) };
    configure(chip, &end);
    put(chip, A, 40, OVERLAY_MISC_CFG, SOFTWARE_IN | NO_FLUSH);
    put_words(chip, A, BLOBS, word, 2);
    load(chip, &end, 2, 3);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(get(chip, A, 40, OVERLAY_CURR_PHASE), i + 1);
        assert_true(push(chip, &end, i, 2));
    }
    put_words(chip, A, BLOBS, last, 2);
    assert_true(push(chip, &end, 5, 2));
    assert_true(push(chip, &end, 6, 2));
    assert_int_equal(status(chip, &end), IDLE);
    assert_int_equal(get(chip, A, 0, OVERLAY_BLOB_AUTO_CFG_DONE + 1), 1 << (40 - 32));
    assert_int_equal(read_word(chip, A, at(0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE)), 0x10000 + 40);
}

static void refuse(bh_chip *chip, struct bh_xy tile, unsigned stream, unsigned index, uint32_t value,
                   const char *text) {
    assert_int_not_equal(bh_write(chip, tile, at(stream, index), &value, sizeof value), BH_OK);
    assert_says(bh_message(chip), text);
}

static void configurations_that_are_refused(void **state) {
    bh_chip *chip = *state;
    const uint32_t unknown[] = { 1 | 1 << 12, set(100, 1) };
    const uint32_t empty[] = { 1 | 1 << 24, set(OVERLAY_PHASE_AUTO_CFG_PTR, 0) };
    struct end end = end_at(A, 40, 8);
    put_words(chip, A, BLOBS, unknown, 2);
    put(chip, A, 40, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 24);
    put(chip, A, 40, OVERLAY_PHASE_AUTO_CFG_PTR, BLOBS);
    refuse(chip, A, 40, OVERLAY_ONETIME_MISC_CFG, 3, "this register of an overlay stream is not modelled");
    put(chip, A, 40, OVERLAY_ONETIME_MISC_CFG, 0);
    put(chip, A, 40, OVERLAY_PHASE_AUTO_CFG_PTR, BLOBS + 2);
    refuse(chip, A, 40, OVERLAY_ONETIME_MISC_CFG, 3, "STREAM_PHASE_AUTO_CFG_PTR (overlay register 31)");
    put(chip, A, 40, OVERLAY_ONETIME_MISC_CFG, 0);
    put_words(chip, A, BLOBS, empty, 2);
    put(chip, A, 40, OVERLAY_MISC_CFG, SOFTWARE_IN);
    put(chip, A, 40, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 24);
    put(chip, A, 40, OVERLAY_PHASE_AUTO_CFG_PTR_BASE, BLOBS);
    put(chip, A, 40, OVERLAY_PHASE_AUTO_CFG_PTR, 0);
    refuse(chip, A, 40, OVERLAY_ONETIME_MISC_CFG, 3, "loop of phases without messages");
    assert_int_equal(status(chip, &end), IDLE);
}

/* ---- Gathering --------------------------------------------------------------------------------------------------- */

static void connect(bh_chip *chip, const struct end *input, unsigned output, unsigned needed, unsigned messages) {
    configure(chip, input);
    put(chip, input->tile, input->stream, OVERLAY_REMOTE_DEST, needed | output << 12);
    start(chip, input, SOFTWARE_IN | STREAM_OUT | CHANGE, messages);
}

static void start_to_gather(bh_chip *chip, const struct end *end, uint32_t gather, uint32_t mode, unsigned messages) {
    put(chip, end->tile, end->stream, OVERLAY_GATHER, gather);
    put(chip, end->tile, end->stream, OVERLAY_LOCAL_SRC_MASK_0, 15u << 20);
    start(chip, end, STREAMS_IN | CHANGE | mode, messages);
}

/* Four streams in groups: the order of messages is that of the page's loops. */
static void gather(void **state) {
    bh_chip *chip = *state;
    enum {
        GROUPS_OF_2 = 2 << 13,
        GROUPS_OF_1 = 1 << 13,
        GROUPS_OF_4 = 4 << 13,
        BY_STREAM = 1 << 12,
        IN_ORDER = 1 << 16
    };
    static const struct {
        uint32_t gather;
        uint8_t order[8]; /* streams from 20 on */
    } rows[] = {
        { 1 | GROUPS_OF_1, { 0, 1, 2, 3, 0, 1, 2, 3 } },
        { 2 | GROUPS_OF_1 | IN_ORDER, { 0, 0, 1, 1, 2, 2, 3, 3 } },
        { 2 | GROUPS_OF_2, { 0, 1, 0, 1, 2, 3, 2, 3 } },
        { 2 | GROUPS_OF_2 | BY_STREAM | IN_ORDER, { 0, 0, 1, 1, 2, 2, 3, 3 } },
        { 1 | GROUPS_OF_4, { 0, 1, 2, 3, 0, 1, 2, 3 } },
    };
    for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct end input[4], output = end_at(A, 4, 0);
        unsigned popped[4] = { 0 };
        start_to_gather(chip, &output, rows[row].gather, SOFTWARE_OUT, 8);
        for (unsigned i = 0; i < 4; i++) {
            input[i] = end_at(A, 20 + i, 16);
            connect(chip, &input[i], 4, 1, 2);
            for (unsigned j = 0; j < 2; j++)
                assert_true(push(chip, &input[i], 10 * i + j, 2 + i));
            /* none before all have started */
            assert_int_equal(get(chip, A, 4, OVERLAY_NUM_MSGS_RECEIVED), i == 3 ? 2 : 0);
        }
        for (unsigned i = 0; i < 8; i++) {
            unsigned from = rows[row].order[i];
            uint32_t header[4];
            message_word(10 * from + popped[from], 2 + from, 0, header);
            assert_int_equal(get(chip, A, 4, OVERLAY_RECEIVER_MSG_INFO + 2), header[0]);
            assert_true(pop(chip, &output, &input[from], 10 * from + popped[from], 2 + from));
            popped[from]++;
            assert_int_equal(get(chip, A, 20 + from, OVERLAY_RD_PTR), popped[from] * (2 + from));
        }
        assert_int_equal(status(chip, &output), IDLE);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(status(chip, &input[i]), IDLE);
    }
}

/* Groups wait for one another in order only, and streams for as many messages as they are told. */
static void gather_waits(void **state) {
    bh_chip *chip = *state;
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        struct end input[4], output = end_at(A, 4, 0);
        start_to_gather(chip, &output, 1 | 1 << 13 | in_order << 16, SOFTWARE_OUT, 8);
        for (unsigned i = 0; i < 4; i++) {
            input[i] = end_at(A, 20 + i, 16);
            connect(chip, &input[i], 4, 2, 2);
        }
        assert_true(push(chip, &input[2], 0, 3));
        assert_int_equal(get(chip, A, 4, OVERLAY_NUM_MSGS_RECEIVED), 0); /* one is not enough */
        assert_true(push(chip, &input[2], 1, 3));
        assert_int_equal(get(chip, A, 4, OVERLAY_NUM_MSGS_RECEIVED), in_order ? 0 : 1);
        for (unsigned i = 0; i < 4; i++)
            put(chip, A, 20 + i, OVERLAY_RESET, 1);
        put(chip, A, 4, OVERLAY_RESET, 1);
    }
}

/* In order, groups can start anew after a number of messages. */
static void gather_starts_anew(void **state) {
    bh_chip *chip = *state;
    struct end input[4], output = end_at(A, 4, 0);
    put(chip, A, 4, OVERLAY_MSG_SRC_IN_ORDER_FWD_NUM_MSGS, 3);
    start_to_gather(chip, &output, 1 | 1 << 13 | 1 << 16, SOFTWARE_OUT, 6);
    for (unsigned i = 0; i < 4; i++) {
        input[i] = end_at(A, 20 + i, 16);
        connect(chip, &input[i], 4, 1, 2);
        for (unsigned j = 0; j < 2; j++)
            assert_true(push(chip, &input[i], 10 * i + j, 2));
    }
    for (unsigned i = 0; i < 6; i++)
        assert_true(pop(chip, &output, &input[i % 3], 10 * (i % 3) + i / 3, 2));
    assert_int_equal(status(chip, &output), IDLE);
    assert_int_equal(status(chip, &input[3]), FORWARD);
}

/* The phase of an input ends when its messages are taken; the next one waits until they have been read. */
static void gather_reads_later(void **state) {
    enum { FLUSH = 2 | 4 << 3 };
    bh_chip *chip = *state;
    struct end input = end_at(A, 23, 16), output = end_at(A, 4, 0);
    put(chip, A, 4, OVERLAY_GATHER, 1 | 1 << 13);
    put(chip, A, 4, OVERLAY_LOCAL_SRC_MASK_0, 1 << 23);
    start(chip, &output, STREAMS_IN | SOFTWARE_OUT | CHANGE, 2);
    connect(chip, &input, 4, 1, 1);
    assert_true(push(chip, &input, 0, 2));
    assert_int_equal(status(chip, &input), IDLE);
    start(chip, &input, SOFTWARE_IN | STREAM_OUT | CHANGE, 1);
    assert_int_equal(status(chip, &input), FLUSH);
    assert_true(pop(chip, &output, &input, 0, 2));
    assert_int_equal(status(chip, &input), FORWARD);
    assert_true(push(chip, &input, 1, 2));
    assert_true(pop(chip, &output, &input, 1, 2));
    assert_int_equal(status(chip, &output), IDLE);
}

/* Messages that come by NoC are gathered and go on by NoC. */
static void gather_from_tiles(void **state) {
    bh_chip *chip = *state;
    struct end from[2] = { end_at(B, 20, 64), end_at(C, 21, 64) };
    struct end input[2] = { end_at(A, 20, 24), end_at(A, 21, 24) };
    struct end output = end_at(A, 0, 0), to = end_at(D, 30, 20);
    unsigned pushed[2] = { 0 };
    format(chip, A);
    put(chip, A, 0, OVERLAY_GATHER, 1 | 2 << 13);
    put(chip, A, 0, OVERLAY_LOCAL_SRC_MASK_0, 3u << 20);
    configure_destination(chip, &output, &to);
    start(chip, &output, STREAMS_IN | NOC_OUT | CHANGE, 8);
    configure(chip, &to);
    configure_source(chip, &to, &output, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 8);
    for (unsigned i = 0; i < 2; i++) {
        configure(chip, &from[i]);
        configure_destination(chip, &from[i], &input[i]);
        start(chip, &from[i], SOFTWARE_IN | NOC_OUT | CHANGE, 4);
        configure(chip, &input[i]);
        configure_source(chip, &input[i], &from[i], 1);
        put(chip, A, 20 + i, OVERLAY_REMOTE_DEST, 1 | 0 << 12);
        start(chip, &input[i], NOC_IN | STREAM_OUT | CHANGE, 4);
    }
    for (unsigned popped = 0, turn = 0; popped < 8; turn++) {
        assert_true(turn < 1000);
        for (unsigned i = 0; i < 2; i++)
            if (pushed[i] < 4 && push(chip, &from[i], 100 * i + pushed[i], 9 + i))
                pushed[i]++;
        popped += pop(chip, &to, &to, popped % 2 * 100 + popped / 2, 9 + popped % 2);
        run(chip, 100);
    }
    for (unsigned i = 0; i < 2; i++) {
        run_until(chip, &from[i], IDLE);
        run_until(chip, &input[i], IDLE);
        assert_int_equal(get(chip, A, 20 + i, OVERLAY_BUF_SPACE_AVAILABLE), 24);
    }
    run_until(chip, &output, IDLE);
}

/* ---- Multicasts -------------------------------------------------------------------------------------------------- */

static void multicast(void **state) {
    enum { RECEIVERS = 4, COUNT = 6 };
    bh_chip *chip = *state;
    struct end from = end_at(A, 2, 64), to[RECEIVERS];
    unsigned popped[RECEIVERS] = { 0 }, pushed = 0, done = 0;
    configure(chip, &from);
    for (unsigned i = 0; i < RECEIVERS; i++) {
        to[i] = end_at((struct bh_xy){ (uint8_t)(3 + i % 2), (uint8_t)(4 + i / 2) }, 33, 20);
        configure(chip, &to[i]);
        put(chip, to[i].tile, 33, OVERLAY_REMOTE_SRC, name(A, 2) | i << 18);
        put(chip, to[i].tile, 33, OVERLAY_REMOTE_SRC_PHASE, 1);
    }
    configure_destination(chip, &from, &to[0]);
    put(chip, A, 2, OVERLAY_MCAST_DEST, name(to[RECEIVERS - 1].tile, 0) | 1 << 12);
    put(chip, A, 2, OVERLAY_MCAST_DEST_NUM, RECEIVERS);
    start(chip, &to[3], NOC_IN | SOFTWARE_OUT | CHANGE | IS_MCAST, COUNT); /* before its transmitter */
    run(chip, 500);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, COUNT);
    for (unsigned i = 0; i < 3; i++)
        start(chip, &to[i], NOC_IN | SOFTWARE_OUT | CHANGE | IS_MCAST, COUNT);
    for (unsigned turn = 0; done < RECEIVERS * COUNT; turn++) {
        assert_true(turn < 1000);
        if (pushed < COUNT && push(chip, &from, pushed, 5 + pushed))
            pushed++;
        for (unsigned i = 0; i < RECEIVERS; i++)
            if (turn % (i + 1) == 0 && pop(chip, &to[i], &to[i], popped[i], 5 + popped[i])) {
                popped[i]++;
                done++;
            }
        run(chip, 60);
    }
    run_until(chip, &from, IDLE);
    for (unsigned i = 0; i < RECEIVERS; i++)
        assert_int_equal(get(chip, A, 2, OVERLAY_REMOTE_DEST_BUF_SPACE_AVAILABLE + i), 20);
}

/* ---- Faults ------------------------------------------------------------------------------------------------------ */

static void starts_that_are_refused(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    static const struct {
        unsigned index;
        uint32_t value;
        const char *text;
    } rows[] = {
        { OVERLAY_REMOTE_DEST, 63 | 63 << 6, "STREAM_REMOTE_DEST (overlay register 7) names no Tensix tile" },
        { OVERLAY_REMOTE_DEST, 1 | 2 << 6, "STREAM_REMOTE_DEST (overlay register 7) names the stream's own tile" },
        { OVERLAY_REMOTE_DEST_BUF_SIZE, 0, "STREAM_REMOTE_DEST_BUF_SIZE" },
        { OVERLAY_REMOTE_DEST_BUF_START, 0x1FFFF, "STREAM_REMOTE_DEST_BUF_START" },
        { OVERLAY_REMOTE_DEST_TRAFFIC, 6 << 4, "UNICAST_VC_REG" },
        { OVERLAY_MISC_CFG, SOFTWARE_IN | NOC_OUT | SOFTWARE_OUT, "more than one receiver" },
        { OVERLAY_MISC_CFG, SOFTWARE_IN | NOC_IN | NOC_OUT, "names no source, or more than one" },
        { OVERLAY_MISC_CFG, NOC_IN | NOC_OUT, "STREAM_REMOTE_SRC (overlay register 4) names no Tensix tile" },
        { OVERLAY_MISC_CFG, SOFTWARE_IN | STREAM_OUT, "STREAM_LOCAL_DEST" },
        { OVERLAY_MISC_CFG, STREAMS_IN | NOC_OUT, "LOCAL_SOURCES_CONNECTED is for streams 0 to 5" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put(chip, A, 20, OVERLAY_RESET, 1);
        configure(chip, &from);
        configure_destination(chip, &from, &to);
        put(chip, A, 20, OVERLAY_REMOTE_DEST_TRAFFIC, 0);
        put(chip, A, 20, OVERLAY_MISC_CFG, SOFTWARE_IN | NOC_OUT);
        put(chip, A, 20, OVERLAY_PHASE_AUTO_CFG_HEADER, 1 << 12);
        put(chip, A, 20, rows[i].index, rows[i].value);
        refuse(chip, A, 20, OVERLAY_PHASE_ADVANCE, 1, rows[i].text);
    }
}

/* A packet for a stream that has not been started is a fault of its sender. */
static void packets_that_are_refused(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
    assert_true(push(chip, &from, 7, 5));
    put(chip, A, 20, OVERLAY_DEST_PHASE_READY_UPDATE, 1 << 6);
    struct bh_fault fault = run_into_fault(chip);
    assert_says(fault.text,
                "NoC 0, overlay stream 20 of tile (1,2): write to 0x32000 of tile (2,2), 80 bytes: a packet has "
                "arrived for a stream that has not been started");
}

/* A header without a length stops the receiver; its sender is told by the fault. */
static void headers_that_are_refused(void **state) {
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 1);
    put(chip, B, 0, OVERLAY_MSG_HEADER_FORMAT, 16 << 7 | 16); /* not where it is */
    put(chip, A, 20, OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO, 1 << 17 | 0x9000);
    assert_says(run_into_fault(chip).text, "STREAM_MSG_HEADER_FORMAT");
    assert_int_equal(status(chip, &to), IDLE);
}

/* ---- Interrupts, DRAM, and packets of software ------------------------------------------------------------------- */

/* PIC.md: hardware interrupt 0 is raised while a stream is done. */
static void interrupt(void **state) {
    const uint64_t HW_INT_0 = 0xFFB13098;
    bh_chip *chip = *state;
    struct end end = end_at(A, 20, 32);
    configure(chip, &end);
    start(chip, &end, SOFTWARE_IN, 1);
    assert_int_equal(peek_word(chip, A, HW_INT_0), 0);
    assert_true(push(chip, &end, 7, 5));
    assert_int_equal(peek_word(chip, A, HW_INT_0), 1);
    put(chip, A, 0, OVERLAY_BLOB_AUTO_CFG_DONE, 1 << 21); /* not this one */
    assert_int_equal(peek_word(chip, A, HW_INT_0), 1);
    assert_int_equal(read_word(chip, A, at(0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE)), 0x10000 + 20);
    assert_int_equal(peek_word(chip, A, HW_INT_0), 0);
}

/* A buffer in DRAM is not circular, and knows no handshake: software makes it. */
static void to_dram(void **state) {
    enum { SCRATCH_0 = OVERLAY_SCRATCH_0, ADDRESS = 0x40000 };
    const struct bh_xy dram = { 17, 12 };
    bh_chip *chip = *state;
    struct end from = end_at(A, 9, 16);
    uint32_t word[4], expected[4];
    uint64_t to = ADDRESS;
    configure(chip, &from);
    put(chip, A, 9, OVERLAY_REMOTE_DEST, name(dram, 0));
    put(chip, A, 9, OVERLAY_REMOTE_DEST_BUF_START, ADDRESS / WORD);
    put(chip, A, 9, OVERLAY_REMOTE_DEST_BUF_SIZE, 100);
    put(chip, A, 9, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, 0x10000 / WORD);
    put(chip, A, 9, SCRATCH_0, 1 | 1 << 2);
    put(chip, A, 9, OVERLAY_MISC_CFG, SOFTWARE_IN | NOC_OUT | CHANGE);
    put(chip, A, 9, OVERLAY_PHASE_AUTO_CFG_HEADER, 5 << 12 | 1);
    refuse(chip, A, 9, OVERLAY_PHASE_ADVANCE, 1, "DEST_DATA_BUF_NO_FLOW_CTRL");
    put(chip, A, 9, OVERLAY_MISC_CFG, SOFTWARE_IN | NOC_OUT | CHANGE | DEST_NO_FLOW);
    put(chip, A, 9, OVERLAY_PHASE_ADVANCE, 1);
    assert_true(push(chip, &from, 0, 7));
    run(chip, 1000);
    assert_int_equal(get(chip, A, 9, OVERLAY_NUM_MSGS_RECEIVED), 1);
    put(chip, A, 9, OVERLAY_DEST_PHASE_READY_UPDATE, 1 << 6);
    for (unsigned i = 1, turn = 0; i < 5; turn++) {
        assert_true(turn < 100);
        i += push(chip, &from, i, 7 + i);
        run(chip, 100);
    }
    run_until(chip, &from, IDLE);
    run(chip, 2000);
    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < 7 + i; j++, to += WORD) {
            message_word(i, 7 + i, j, expected);
            assert_int_equal(bh_peek(chip, dram, to, word, sizeof word), BH_OK);
            assert_memory_equal(word, expected, sizeof word);
            assert_int_equal(bh_peek(chip, dram, 0x10000 + i * WORD, word, sizeof word), BH_OK);
            message_word(i, 7 + i, 0, expected);
            assert_memory_equal(word, expected, sizeof word);
        }
}

/* Sends words of a message with a command buffer. */
static void send_words(bh_chip *chip, const struct end *to, uint32_t offset, uint32_t words, uint32_t tag) {
    enum { SOURCE = 0x50000 };
    const uint64_t NIU = 0xFFB20000;
    put_word(chip, A, NIU + 0x00, SOURCE + offset * WORD);
    put_word(chip, A, NIU + 0x0C, (to->buffer + offset) * WORD);
    put_word(chip, A, NIU + 0x14, name(to->tile, 0));
    put_word(chip, A, NIU + 0x18, to->stream | 1 << 6 | tag); /* to the stream */
    put_word(chip, A, NIU + 0x1C, 2);
    put_word(chip, A, NIU + 0x20, words * WORD);
    put_word(chip, A, NIU + 0x28, to->headers);
    put_word(chip, A, NIU + 0x40, 1);
    run(chip, 500);
}

static void put_message(bh_chip *chip, uint32_t number, uint32_t length) {
    uint32_t word[4];
    for (unsigned i = 0; i < length; i++) {
        message_word(number, length, i, word);
        assert_int_equal(bh_write(chip, A, 0x50000 + i * WORD, word, sizeof word), BH_OK);
    }
}

enum { TAG_FIRST = 1 << 7 | 1 << 9, TAG_LAST = 1 << 8 }; /* the first packet has the header */

/* A core, or here the host, can send a message with a command buffer instead of a stream. */
static void packet_of_software(void **state) {
    bh_chip *chip = *state;
    struct end to = end_at(B, 9, 32), nobody = end_at(A, 50, 32);
    configure(chip, &to);
    configure_source(chip, &to, &nobody, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE | NO_FLOW, 1);
    put_message(chip, 4, 7);
    send_words(chip, &to, 0, 3, TAG_FIRST);
    assert_int_equal(get(chip, B, 9, OVERLAY_NUM_MSGS_RECEIVED), 0); /* software sees whole messages only */
    send_words(chip, &to, 3, 4, TAG_LAST);
    assert_true(pop(chip, &to, &to, 4, 7));
    assert_int_equal(status(chip, &to), IDLE);
}

/* A stream passes on what has arrived of a message, or waits for PARTIAL_SEND_WORDS_THR words. */
static void passes_parts_on(void **state) {
    bh_chip *chip = *state;
    for (unsigned threshold = 0; threshold <= 6; threshold += 6) {
        struct end nobody = end_at(A, 50, 32), between = end_at(B, 9, 32), to = end_at(C, 9, 32);
        for (unsigned i = 0; i < 2; i++)
            put(chip, i ? C : B, 9, OVERLAY_RESET, 1);
        put(chip, B, 0, OVERLAY_PERF_CONFIG, threshold << 8);
        configure(chip, &between);
        configure_source(chip, &between, &nobody, 1);
        configure_destination(chip, &between, &to);
        configure(chip, &to);
        configure_source(chip, &to, &between, 1 + threshold / 6);
        start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 1);
        start(chip, &between, NOC_IN | NOC_OUT | CHANGE | NO_FLOW, 1);
        put_message(chip, 4, 12);
        send_words(chip, &between, 0, 3, TAG_FIRST);
        assert_int_equal(get(chip, C, 9, OVERLAY_WR_PTR), threshold ? 0 : 3);
        send_words(chip, &between, 3, 3, 0);
        assert_int_equal(get(chip, C, 9, OVERLAY_WR_PTR), 6);
        send_words(chip, &between, 6, 6, TAG_LAST);
        assert_true(pop(chip, &to, &to, 4, 12));
        run_until(chip, &between, IDLE);
    }
}

/* Streams wait for the end of a linked transaction of the same NIU. */
static void linked_transaction(void **state) {
    const uint64_t NIU = 0xFFB20000;
    bh_chip *chip = *state;
    struct end from = end_at(A, 20, 32), to = end_at(B, 9, 32);
    configure(chip, &from);
    configure_destination(chip, &from, &to);
    configure(chip, &to);
    configure_source(chip, &to, &from, 1);
    put_word(chip, A, NIU + 0x00, 0x50000);
    put_word(chip, A, NIU + 0x0C, 0x60000);
    put_word(chip, A, NIU + 0x14, name(C, 0));
    put_word(chip, A, NIU + 0x1C, 2 | 1 << 6);
    put_word(chip, A, NIU + 0x20, WORD);
    put_word(chip, A, NIU + 0x40, 1);
    start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE, 1);
    start(chip, &from, SOFTWARE_IN | NOC_OUT | CHANGE, 1);
    assert_true(push(chip, &from, 8, 3));
    run(chip, 1000);
    assert_int_equal(get(chip, A, 20, OVERLAY_NUM_MSGS_RECEIVED), 1);
    put_word(chip, A, NIU + 0x1C, 2);
    put_word(chip, A, NIU + 0x40, 1);
    run(chip, 1000);
    assert_true(pop(chip, &to, &to, 8, 3));
}

/* Streams that are done are reported in turn. */
static void done_in_turn(void **state) {
    bh_chip *chip = *state;
    static const unsigned later[] = { 10, 50 }, expected[] = { 20, 40, 50, 10 };
    for (unsigned i = 0; i < 2; i++) {
        struct end end = end_at(A, 20 + 20 * i, 8);
        start(chip, &end, SOFTWARE_IN, 0); /* a phase without messages */
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(read_word(chip, A, at(0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE)), 0x10000 + expected[i]);
        struct end end = end_at(A, later[i % 2], 8);
        if (i < 2)
            start(chip, &end, SOFTWARE_IN, 0);
    }
    assert_int_equal(read_word(chip, A, at(0, OVERLAY_BLOB_NEXT_AUTO_CFG_DONE)), 0);
}

/* Streams that send on the same NoC take turns. */
static void streams_take_turns(void **state) {
    enum { COUNT = 8, LENGTH = 60 };
    bh_chip *chip = *state;
    struct end from[2], to[2];
    for (unsigned i = 0; i < 2; i++) {
        from[i] = end_at(A, 20 + i, COUNT * LENGTH);
        to[i] = end_at(B, 20 + i, COUNT * LENGTH);
        configure(chip, &from[i]);
        configure_destination(chip, &from[i], &to[i]);
        configure(chip, &to[i]);
        configure_source(chip, &to[i], &from[i], 1);
        start(chip, &from[i], SOFTWARE_IN | NOC_OUT | CHANGE, COUNT);
        for (unsigned j = 0; j < COUNT; j++)
            assert_true(push(chip, &from[i], j, LENGTH));
    }
    for (unsigned i = 0; i < 2; i++)
        start(chip, &to[i], NOC_IN | SOFTWARE_OUT | CHANGE, COUNT);
    for (unsigned turn = 0; turn < 1000 && get(chip, A, 20, OVERLAY_REMOTE_DEST_WR_PTR) < COUNT / 2 * LENGTH; turn++)
        run(chip, 5);
    assert_int_equal(get(chip, A, 20, OVERLAY_REMOTE_DEST_WR_PTR), COUNT / 2 * LENGTH);
    assert_in_range(get(chip, A, 21, OVERLAY_REMOTE_DEST_WR_PTR), (COUNT / 2 - 2) * LENGTH, (COUNT / 2 + 1) * LENGTH);
}

/* ---- Random routes ----------------------------------------------------------------------------------------------- */

enum { PHASES = 3, MESSAGES = 9, STAGES = 3 };

/* A route of two or three tiles. */
struct route {
    unsigned stages;
    struct end end[STAGES];
    uint32_t length[PHASES * MESSAGES];
    uint32_t first; /* number of the first message */
    uint32_t mode;  /* of all stages */
    unsigned pushed, popped, phase[STAGES];
};

static void draw(struct route *r, uint64_t *state, unsigned number) {
    static const struct bh_xy tile[] = { { 1, 2 }, { 2, 2 }, { 7, 5 }, { 12, 9 }, { 14, 3 }, { 6, 11 } };
    *r = (struct route){ .stages = 2 + (unsigned)(random_next(state) % 2), .first = number * 1000 };
    r->mode = CHANGE | (random_next(state) & 1 ? DATA_NOC : 0) | (random_next(state) & 1 ? UPDATE_NOC : 0);
    unsigned place = (unsigned)(random_next(state) % 6);
    uint32_t longest = 1 + (uint32_t)(random_next(state) % 40);
    for (unsigned i = 0; i < r->stages; i++) {
        bool ends = i == 0 || i + 1 == r->stages;
        uint32_t size = (ends ? longest : 1) + (uint32_t)(random_next(state) % 60);
        unsigned stream = 6 + number * STAGES + i; /* no two routes share a stream */
        r->end[i] = end_at(tile[(place + i * (1 + number % 4)) % 6], stream, size);
    }
    for (unsigned i = 0; i < PHASES * MESSAGES; i++)
        r->length[i] = 1 + (uint32_t)(random_next(state) % longest);
}

static void begin_phase(bh_chip *chip, struct route *r, unsigned stage) {
    const struct end *end = &r->end[stage];
    bool first = stage == 0, last = stage + 1 == r->stages;
    unsigned phase = ++r->phase[stage];
    configure(chip, end);
    if (!first)
        configure_source(chip, end, end - 1, phase);
    if (!last)
        configure_destination(chip, end, end + 1);
    else
        put(chip, end->tile, end->stream, OVERLAY_REMOTE_DEST_MSG_INFO_WR_PTR, 0);
    put(chip, end->tile, end->stream, OVERLAY_MEM_BUF_SPACE_AVAILABLE_ACK_THRESHOLD,
        (phase + r->first / 1000) % 3 ? 0 : 2);
    start(chip, end, r->mode | (first ? SOFTWARE_IN : NOC_IN) | (last ? SOFTWARE_OUT : NOC_OUT), MESSAGES);
}

/* Does something for a route, or nothing. */
static void play(bh_chip *chip, struct route *r, uint64_t *state) {
    for (unsigned stage = 0; stage < r->stages; stage++)
        if (status(chip, &r->end[stage]) == IDLE && r->phase[stage] < PHASES && random_next(state) % 3)
            begin_phase(chip, r, stage);
    bool pushes = r->pushed < r->phase[0] * MESSAGES && random_next(state) & 1;
    if (pushes && push(chip, &r->end[0], r->first + r->pushed, r->length[r->pushed]))
        r->pushed++;
    const struct end *last = &r->end[r->stages - 1];
    if (r->popped < PHASES * MESSAGES && random_next(state) & 1 &&
        pop(chip, last, last, r->first + r->popped, r->length[r->popped]))
        r->popped++;
}

static bool is_done(const bh_chip *chip, const struct route *r) {
    bool idle = true;
    for (unsigned stage = 0; stage < r->stages; stage++)
        idle &= status(chip, &r->end[stage]) == IDLE && r->phase[stage] == PHASES;
    return idle && r->popped == PHASES * MESSAGES;
}

enum { ROUTES = 3 };

static void restore(bh_chip **chip, const struct bh_config *config) {
    char path[] = "/tmp/bhemu-streams-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    uint64_t hash = bh_state_hash(*chip);
    assert_int_equal(bh_save(*chip, path), BH_OK);
    bh_destroy(*chip);
    *chip = make_configured(config);
    if (bh_load(*chip, path) != BH_OK)
        fail_msg("%s", bh_message(*chip));
    assert_int_equal(bh_state_hash(*chip), hash);
    (void)unlink(path);
}

static void hear(void *user, const struct bh_event *event) {
    unsigned *heard = user;
    *heard += event->kind == BH_EVENT_PACKET;
}

enum look { ALONE, RESTORED, WATCHED, CHECKED, VARIED };

/* Plays a round, and returns a hash of the chip at its end. RESTORED: the chip is saved and restored now and then. */
static uint64_t play_round(uint64_t number, enum bh_timing timing, unsigned threads, enum look look) {
    struct route route[ROUTES];
    uint64_t state = number, saver = 1;
    struct bh_config config;
    bh_config_board(&config, BH_BOARD_P150);
    config.timing = timing;
    config.threads = threads;
    bh_chip *chip = make_configured(&config);
    unsigned heard = 0;
    if (look == WATCHED)
        assert_int_equal(bh_observe(chip, BH_WATCH_STATS | BH_WATCH_EVENTS | BH_WATCH_INSTRUCTIONS, hear, &heard),
                         BH_OK);
    if (look == CHECKED)
        assert_int_equal(bh_check(chip, true), BH_OK);
    if (look == VARIED)
        assert_int_equal(bh_vary(chip, number), BH_OK);
    for (unsigned i = 0; i < ROUTES; i++)
        draw(&route[i], &state, i);
    bool done = false;
    for (unsigned turn = 0; !done; turn++) {
        assert_true(turn < 20000);
        done = true;
        for (unsigned i = 0; i < ROUTES; i++) {
            play(chip, &route[i], &state);
            done &= is_done(chip, &route[i]);
        }
        run(chip, 1 + random_next(&state) % 90);
        if (look == RESTORED && random_next(&saver) % 40 == 0)
            restore(&chip, &config);
    }
    assert_true(look != WATCHED || heard);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static void random_routes(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t hash = play_round(seed + i, BH_TIMING_CYCLES, 1, ALONE);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 2, ALONE), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 1, RESTORED), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 1, WATCHED), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 1, CHECKED), hash);
        (void)play_round(seed + i, BH_TIMING_CYCLES, 1, VARIED);
    }
}

static void random_routes_loosely(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t hash = play_round(seed + i, BH_TIMING_LOOSE, 1, ALONE);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 2, ALONE), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 1, RESTORED), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 1, WATCHED), hash);
    }
}

/* Whatever is written to registers of streams, the chip goes on or says what is wrong. */
static uint32_t plausible(uint64_t *state, struct bh_xy other, unsigned index) {
    static const uint32_t mode[] = { SOFTWARE_IN, NOC_IN, STREAMS_IN };
    static const uint32_t to[] = { 0, SOFTWARE_OUT, STREAM_OUT, NOC_OUT };
    uint32_t any = (uint32_t)random_next(state), kind = (uint32_t)random_next(state) % 8;
    if (kind == 0 && index != OVERLAY_REMOTE_SRC && index != OVERLAY_REMOTE_DEST)
        return any;
    switch (index) {
    case OVERLAY_MISC_CFG: return mode[any % 3] | to[any / 3 % 4] | (any >> 8 & (3 << 11 | 7 | NO_FLUSH));
    case OVERLAY_REMOTE_SRC:
    case OVERLAY_REMOTE_DEST: return any % 8 ? name(other, any >> 3 & 15) : 63;
    case OVERLAY_PHASE_AUTO_CFG_HEADER: return (any & 3) | (any >> 2 & 3) << 12 | (any >> 4 & 3) << 24;
    case OVERLAY_GATHER: return (1 + (any & 1)) | (1u << (any >> 1 & 1)) << 13 | (any >> 2 & 1) << 16;
    case OVERLAY_LOCAL_SRC_MASK_0: return any & 0xFFFF;
    case OVERLAY_MSG_HEADER_FORMAT: return 3 << 7 | 32;
    case OVERLAY_NUM_MSGS_RECEIVED_INC: return (any & 3) | (any >> 2 & 7) << 12;
    case OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO: return (any >> 4 & 7) << 17 | (0x2000 + (any & 15));
    case OVERLAY_DEST_PHASE_READY_UPDATE: return (any & 3) << 6;
    case OVERLAY_ONETIME_MISC_CFG: return any % 16 ? 0 : any & 3;
    case OVERLAY_MCAST_DEST: return any % 4 ? 0 : name(C, 0) | 1 << 12;
    default: return any % (kind < 4 ? 4 : 32);
    }
}

static void random_registers(void **state) {
    static const uint8_t often[] = { OVERLAY_MISC_CFG,
                                     OVERLAY_REMOTE_SRC,
                                     OVERLAY_REMOTE_DEST,
                                     OVERLAY_BUF_SIZE,
                                     OVERLAY_REMOTE_DEST_BUF_SIZE,
                                     OVERLAY_PHASE_AUTO_CFG_HEADER,
                                     OVERLAY_GATHER,
                                     OVERLAY_LOCAL_SRC_MASK_0,
                                     OVERLAY_NUM_MSGS_RECEIVED_INC,
                                     OVERLAY_SOURCE_ENDPOINT_NEW_MSG_INFO };
    (void)state;
    for (unsigned timing = 0; timing < 2; timing++) {
        uint64_t random = seed + timing;
        bh_chip *chip = make_timed(timing ? BH_TIMING_LOOSE : BH_TIMING_CYCLES, 1);
        for (unsigned i = 0; i < 0x400; i++)
            put_word(chip, i & 1 ? A : B, 4 * (i / 2) % 0x200 + 0x20000, i % 7);
        for (unsigned i = 0; i < rounds * 1000; i++) {
            unsigned stream = (unsigned)random_next(&random) % 16, index = (unsigned)random_next(&random) % 16;
            index = index < 10   ? often[index]
                    : index < 13 ? 264 + (unsigned)random_next(&random) % 8
                                 : (unsigned)random_next(&random) % 300;
            uint32_t value = plausible(&random, i & 1 ? B : A, index);
            (void)bh_write(chip, i & 1 ? A : B, at(stream, index), &value, sizeof value);
            struct bh_stop stop;
            if (i % 4 == 0)
                assert_int_equal(bh_run(chip, 1 + random_next(&random) % 40, 0, &stop), BH_OK);
        }
        bh_destroy(chip);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        TEST(one_message),
        TEST(receiver_first),
        TEST(wrong_phase),
        TEST(threshold),
        TEST(threshold_at_the_end),
        TEST(lost_response),
        TEST(many_responses),
        TEST(without_flow_control),
        TEST(same_ends),
        TEST(configurations),
        TEST(a_loop_of_configurations),
        TEST(configurations_that_are_refused),
        TEST(gather),
        TEST(gather_waits),
        TEST(gather_starts_anew),
        TEST(gather_reads_later),
        TEST(gather_from_tiles),
        TEST(multicast),
        TEST(starts_that_are_refused),
        TEST(packets_that_are_refused),
        TEST(headers_that_are_refused),
        TEST(interrupt),
        TEST(to_dram),
        TEST(packet_of_software),
        TEST(passes_parts_on),
        TEST(linked_transaction),
        TEST(done_in_turn),
        TEST(streams_take_turns),
        cmocka_unit_test(random_routes),
        cmocka_unit_test(random_routes_loosely),
        cmocka_unit_test(random_registers),
    };
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : rounds;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
