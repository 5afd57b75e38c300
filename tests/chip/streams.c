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

/* ---- Two tiles, step by step ---------------------------------------------------------------------------------------
 */

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

/* ---- Random routes --------------------------------------------------------------------------------------------------
 */

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

/* Plays a round, and returns a hash of the chip at its end. restored: the chip is saved and restored now and then. */
static uint64_t play_round(uint64_t number, enum bh_timing timing, unsigned threads, bool restored) {
    struct route route[ROUTES];
    uint64_t state = number, saver = 1;
    struct bh_config config;
    bh_config_board(&config, BH_BOARD_P150);
    config.timing = timing;
    config.threads = threads;
    bh_chip *chip = make_configured(&config);
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
        if (restored && random_next(&saver) % 40 == 0)
            restore(&chip, &config);
    }
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static void random_routes(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t hash = play_round(seed + i, BH_TIMING_CYCLES, 1, false);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 2, false), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_CYCLES, 1, true), hash);
    }
}

static void random_routes_loosely(void **state) {
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        uint64_t hash = play_round(seed + i, BH_TIMING_LOOSE, 1, false);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 2, false), hash);
        assert_int_equal(play_round(seed + i, BH_TIMING_LOOSE, 1, true), hash);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        TEST(one_message),
        TEST(receiver_first),
        TEST(wrong_phase),
        TEST(threshold),
        TEST(without_flow_control),
        TEST(same_ends),
        cmocka_unit_test(random_routes),
        cmocka_unit_test(random_routes_loosely),
    };
    rounds = argc > 1 ? (unsigned)atoi(argv[1]) : rounds;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    (void)C, (void)D;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
