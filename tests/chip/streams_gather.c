/* Streams that read their configuration from L1, gather messages of other streams, and multicast. */
#include "streams.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(configurations),
        TEST(a_loop_of_configurations),
        TEST(configurations_that_are_refused),
        TEST(gather),
        TEST(gather_waits),
        TEST(gather_starts_anew),
        TEST(gather_reads_later),
        TEST(gather_from_tiles),
        TEST(multicast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
