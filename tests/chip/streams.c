/* Streams of overlays that send messages from tile to tile: flow control and its ends, interrupts, DRAM, packets of
 * software, and what is refused. */
#include "streams.h"
#include "support/rv.h"

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

#define NIU UINT32_C(0xFFB20000)

/* Sets a command buffer up for words of a message. */
static void prepare_words(bh_chip *chip, const struct end *to, uint32_t offset, uint32_t words, uint32_t tag) {
    enum { SOURCE = 0x50000 };
    put_word(chip, A, NIU + 0x00, SOURCE + offset * WORD);
    put_word(chip, A, NIU + 0x0C, (to->buffer + offset) * WORD);
    put_word(chip, A, NIU + 0x14, name(to->tile, 0));
    put_word(chip, A, NIU + 0x18, to->stream | 1 << 6 | tag); /* to the stream */
    put_word(chip, A, NIU + 0x1C, 2);
    put_word(chip, A, NIU + 0x20, words * WORD);
    put_word(chip, A, NIU + 0x28, to->headers);
}

/* Sends words of a message with a command buffer. */
static void send_words(bh_chip *chip, const struct end *to, uint32_t offset, uint32_t words, uint32_t tag) {
    prepare_words(chip, to, offset, words, tag);
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

/* Starts a program of BRISC that pauses at its end. */
static void start_brisc(bh_chip *chip, struct bh_xy tile, const uint32_t *word, unsigned count) {
    uint32_t program[16];
    memcpy(program, word, 4 * count);
    program[count] = 0x00100073; /* ebreak */
    start_at(chip, tile, BH_BRISC, 0, program, 4 * (count + 1));
}

/* A core that has read a register of the stream comes after a packet of another core that was delivered to it, which a
 * check knows; a register of another stream says nothing. */
static void packet_is_known_by_its_stream(void **state) {
    (void)state;
    for (unsigned same = 0; same < 2; same++) {
        bh_chip *chip = make_chip(1);
        struct end to = end_at(B, 9, 32), nobody = end_at(A, 50, 32);
        struct bh_hazard hazard;
        const uint32_t stream = (uint32_t)at(same ? 9 : 10, 0), buffer = to.buffer * WORD;
        const uint32_t sends[] = { rv_lui(5, NIU), rv_addi(6, 0, 1), rv_sw(6, 0x40, 5) };
        const uint32_t reads[] = { rv_lui(5, stream), rv_lw(6, 4 * OVERLAY_WR_PTR, 5), rv_lui(7, rv_high(buffer)),
                                   rv_lw(8, rv_low(buffer), 7) };
        configure(chip, &to);
        configure_source(chip, &to, &nobody, 1);
        start(chip, &to, NOC_IN | SOFTWARE_OUT | CHANGE | NO_FLOW, 1);
        put_message(chip, 4, 3);
        prepare_words(chip, &to, 0, 3, TAG_FIRST | TAG_LAST);
        assert_int_equal(bh_check(chip, true), BH_OK);
        start_brisc(chip, A, sends, sizeof sends / 4);
        run(chip, 1000);
        assert_int_equal(get(chip, B, 9, OVERLAY_WR_PTR), 3);
        start_brisc(chip, B, reads, sizeof reads / 4);
        run(chip, 1000);
        unsigned found = 0;
        for (unsigned i = 0; bh_hazard_at(chip, i, &hazard) == BH_OK; i++)
            found += hazard.kind == BH_HAZARD_REMOTE_WRITE;
        assert_int_equal(found, same ? 0 : 1);
        bh_destroy(chip);
    }
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

int main(void) {
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
        TEST(starts_that_are_refused),
        TEST(packets_that_are_refused),
        TEST(headers_that_are_refused),
        TEST(interrupt),
        TEST(to_dram),
        TEST(packet_of_software),
        cmocka_unit_test(packet_is_known_by_its_stream),
        TEST(passes_parts_on),
        TEST(linked_transaction),
        TEST(done_in_turn),
        TEST(streams_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
