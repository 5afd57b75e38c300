/* Tests of the Ethernet queues with a cable (src/tile/eth_send.c, eth_receive.c, eth_header.c): each command, each
 * counter, the time of the wire, back-pressure, and what is refused. */
#include "system/pair.h"

enum { LATENCY = 600, RATE = 400, FROM = 0x8000, TO = 0x9000, PASS = 4000 };

static int make(void **state) {
    *state = make_pair(LATENCY, RATE);
    return 0;
}

static void assert_refused(bh_system *system, unsigned queue, uint32_t command, const char *text) {
    bh_chip *chip = bh_system_chip(system, 0);
    bh_status status = bh_write(chip, end_xy(0), TXQ0 + queue * QUEUE + TX_CMD, &command, 4);
    assert_int_not_equal(status, BH_OK);
    assert_non_null(strstr(bh_message(chip), text));
}

/* ---- Writes to L1 --------------------------------------------------------------------------------------------- */

static void a_packet_writes_l1_of_the_peer(void **state) {
    bh_system *system = *state;
    fill_end(system, 0, FROM, 256, 5);
    send_data(system, 0, 0, FROM, TO, 256);
    pair_run(system, LATENCY);
    assert_false(end_has(system, 1, TO, 256, 5));
    pair_run(system, PASS);
    assert_true(end_has(system, 1, TO, 256, 5));
    assert_int_equal(end_get(system, 1, TO + 256), 0);
    assert_int_equal(end_get(system, 1, TO - 4), 0);
}

/* 0x120 bytes with headers and CRC are 324, which are 4 words of 96. */
static void counters_count(void **state) {
    bh_system *system = *state;
    fill_end(system, 0, FROM, 288, 1);
    send_data(system, 0, 0, FROM, TO, 288);
    pair_run(system, PASS);
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 1);
    assert_int_equal(tx_get(system, 0, 0, TX_STARTED), 1);
    assert_int_equal(tx_get(system, 0, 0, TX_ENDED), 1);
    assert_int_equal(tx_get(system, 0, 0, TX_WORDS), 4);
    assert_int_equal(rx_get(system, 1, 0, RX_STARTED), 1);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 1);
    assert_int_equal(rx_get(system, 1, 0, RX_WORDS), 4);
    assert_int_equal(rx_get(system, 1, 0, RX_BYTES), 288);
    assert_int_equal(rx_get(system, 1, 0, RX_SEQUENCE), 1);
    assert_int_equal(rx_get(system, 0, 0, RX_ACKNOWLEDGED), 1);
    assert_int_equal(rx_get(system, 1, 0, RX_DROPS), 0);
    assert_int_equal(tx_get(system, 0, 1, TX_TRANSFERS), 0);
    tx_put(system, 0, 0, TX_ENDED, 77); /* read-only */
    assert_int_equal(tx_get(system, 0, 0, TX_ENDED), 1);
}

static void long_transfers_are_split(void **state) {
    bh_system *system = *state;
    fill_end(system, 0, FROM, 5000 / 16 * 16, 9);
    tx_put(system, 0, 0, TX_MAX, 1000); /* packets of 992 bytes */
    send_data(system, 0, 0, FROM, 0x20000, 4992);
    pair_run(system, PASS);
    assert_true(end_has(system, 1, 0x20000, 4992, 9));
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 6);
    assert_int_equal(tx_get(system, 0, 0, TX_ENDED), 6);
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 1);
}

static void each_queue_has_its_peer(void **state) {
    bh_system *system = *state;
    for (unsigned queue = 0; queue < 2; queue++) {
        fill_end(system, 0, FROM, 64, queue);
        send_data(system, 0, queue, FROM, TO + 0x100 * queue, 64);
        pair_run(system, PASS);
        assert_true(end_has(system, 1, TO + 0x100 * queue, 64, queue));
        assert_int_equal(rx_get(system, 1, queue, RX_ENDED), 1);
        assert_int_equal(rx_get(system, 1, queue, RX_SEQUENCE), 1);
    }
}

static void both_directions_work(void **state) {
    bh_system *system = *state;
    fill_end(system, 0, FROM, 128, 3);
    fill_end(system, 1, FROM, 128, 4);
    send_data(system, 0, 0, FROM, TO, 128);
    send_data(system, 1, 0, FROM, TO, 128);
    pair_run(system, PASS);
    assert_true(end_has(system, 1, TO, 128, 3));
    assert_true(end_has(system, 0, TO, 128, 4));
}

/* ---- Writes to registers ---------------------------------------------------------------------------------------- */

static void registers_of_the_peer_are_written(void **state) {
    bh_system *system = *state;
    send_register(system, 0, 0, TXQ0 + TX_FROM, 0x1234);
    pair_run(system, 10);
    send_register(system, 0, 1, 0xFFB98150, 0);
    pair_run(system, PASS);
    assert_int_equal(tx_get(system, 1, 0, TX_FROM), 0x1234);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 1);
    assert_int_equal(rx_get(system, 1, 1, RX_ENDED), 1);
    assert_int_equal(rx_get(system, 1, 0, RX_BYTES), 0);
}

static void writes_that_fail_are_faults_of_the_peer(void **state) {
    struct bh_system_stop stop;
    struct pair_faults faults = { 0 };
    bh_system *system = make_watched_pair(0, 0, &faults);
    (void)state;
    send_register(system, 0, 0, 0xFFB00000, 1); /* local memories are private */
    assert_int_equal(bh_system_run(system, PASS, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    assert_int_equal(stop.reason, BH_STOP_FAULT);
    assert_int_equal(stop.chip, 1);
    assert_non_null(strstr(stop.fault.text, "frame to Ethernet tile (25,25), address 0xffb00000"));
    assert_int_equal(faults.count, 1);
    send_data(system, 0, 0, FROM, 0x80000, 16); /* L1 has 512 KiB */
    pair_run(system, PASS);
    assert_int_equal(faults.count, 2);
    assert_non_null(strstr(faults.text, "does not hold"));
    bh_system_destroy(system);
}

/* ---- Raw frames ---------------------------------------------------------------------------------------------------
 */

#define HEADER_TABLE UINT32_C(0xFFB98200)

static void raw_mode(bh_system *system, unsigned chip, unsigned queue, uint32_t buffer, uint32_t size) {
    rx_put(system, chip, queue, RX_CTRL, 0);
    rx_put(system, chip, queue, RX_BUFFER, buffer >> 4);
    rx_put(system, chip, queue, RX_SIZE, size >> 4);
    rx_put(system, chip, queue, RX_POINTER, 0);
}

static void send_raw(bh_system *system, unsigned queue, uint32_t from, uint32_t size) {
    tx_put(system, 0, queue, TX_FROM, from);
    tx_put(system, 0, queue, TX_SIZE, size);
    tx_put(system, 0, queue, TX_CMD, SEND_RAW);
}

/* Header 9 is a unicast, which RX queue 2 gets. */
static void use_header_9(bh_system *system, uint32_t control, uint32_t type) {
    const uint32_t at = HEADER_TABLE + 9 * 0x80;
    end_put(system, 0, at, control);
    end_put(system, 0, at + 0x10, 0x33445566); /* source 02:..: reversed bytes */
    end_put(system, 0, at + 0x14, 0x0222);
    end_put(system, 0, at + 0x18, 0xCCDDEEFF);
    end_put(system, 0, at + 0x1C, 0x00BB);
    end_put(system, 0, at + 0x20, type << 16 | 1);
    tx_put(system, 0, 2, TX_HEADERS, 9);
}

static void assert_bytes(bh_system *system, uint32_t address, const uint8_t *bytes, uint32_t size) {
    uint8_t found[256];
    assert_int_equal(bh_peek(bh_system_chip(system, 1), end_xy(1), address, found, size), BH_OK);
    assert_memory_equal(found, bytes, size);
}

static void raw_frames_come_with_their_headers(void **state) {
    static const uint8_t header[] = {
        0x00, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0x02, 0x22, 0x33, 0x44, 0x55, 0x66, 0x88, 0xB5
    };
    bh_system *system = *state;
    raw_mode(system, 1, 2, TO, 0x400);
    rx_put(system, 1, 2, RX_STRIP, 0);
    use_header_9(system, 0, 0x88B5);
    fill_end(system, 0, FROM + 1, 100, 8); /* of any size and alignment */
    send_raw(system, 2, FROM + 1, 100);
    assert_int_equal(tx_get(system, 0, 2, TX_STATUS), ONGOING);
    pair_run(system, PASS);
    assert_bytes(system, TO, header, sizeof header);
    assert_true(end_has(system, 1, TO + sizeof header, 100, 8));
    assert_int_equal(rx_get(system, 1, 2, RX_POINTER), 114);
    assert_int_equal(rx_get(system, 1, 2, RX_BYTES), 114);
    assert_int_equal(rx_get(system, 1, 2, RX_SEQUENCE), 0);
}

static void headers_are_stripped_by_default(void **state) {
    bh_system *system = *state;
    assert_int_equal(rx_get(system, 1, 2, RX_STRIP), 14);
    raw_mode(system, 1, 2, TO, 0x400);
    use_header_9(system, 0, 0x88B5);
    fill_end(system, 0, FROM, 100, 8);
    send_raw(system, 2, FROM, 50);
    pair_run(system, PASS);
    send_raw(system, 2, FROM + 50, 50);
    pair_run(system, PASS);
    assert_true(end_has(system, 1, TO, 100, 8)); /* a stream of bytes */
}

static void a_full_buffer_drops_or_wraps(void **state) {
    bh_system *system = *state;
    use_header_9(system, 0, 0x88B5);
    fill_end(system, 0, FROM, 200, 8);
    raw_mode(system, 1, 2, TO, 64);
    send_raw(system, 2, FROM, 48);
    pair_run(system, PASS);
    send_raw(system, 2, FROM + 48, 48); /* 16 fit */
    pair_run(system, PASS);
    assert_true(end_has(system, 1, TO, 64, 8));
    assert_int_equal(end_get(system, 1, TO + 64), 0);
    assert_int_equal(rx_get(system, 1, 2, RX_POINTER), 64);
    assert_int_equal(rx_get(system, 1, 2, RX_DROPS), 0);
    send_raw(system, 2, FROM, 48);
    pair_run(system, PASS);
    assert_int_equal(rx_get(system, 1, 2, RX_DROPS), 1);
    rx_put(system, 1, 2, RX_CTRL, 1 << 2);
    rx_put(system, 1, 2, RX_POINTER, 32);
    send_raw(system, 2, FROM, 48);
    pair_run(system, PASS);
    assert_true(end_has(system, 1, TO + 32, 32, 8));
    assert_int_equal(rx_get(system, 1, 2, RX_POINTER), 16);
    assert_int_equal(rx_get(system, 1, 2, RX_DROPS), 1);
}

/* IPv4 and UDP as the page's sample sets them: length and checksums are hardware's. */
static void headers_of_ip_and_udp_are_completed(void **state) {
    static const uint8_t frame[] = {
        0x08, 0x00, 0x45, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x0A, 0x11, 0xB2, 0xCA, 0x7F, 0x00, 0x00,
        0x01, 0x7F, 0x00, 0x00, 0x02, 0x12, 0x34, 0x56, 0x78, 0x00, 0x0C, 0x95, 0x20, 0x01, 0x02, 0x03, 0x04,
    };
    bh_system *system = *state;
    const uint32_t at = HEADER_TABLE + 9 * 0x80;
    raw_mode(system, 1, 2, TO, 0x400);
    rx_put(system, 1, 2, RX_STRIP, 12);
    use_header_9(system, 1 << 8 | 1 << 16 | 1 << 18, 0x0800);
    end_put(system, 0, at + 0x30, 0x45000000);
    end_put(system, 0, at + 0x38, 0x0A110000);
    end_put(system, 0, at + 0x3C, 0x7F000001);
    end_put(system, 0, at + 0x40, 0x7F000002);
    end_put(system, 0, at + 0x60, 0x12345678);
    end_put(system, 0, FROM, 0x04030201);
    send_raw(system, 2, FROM, 4);
    pair_run(system, PASS);
    assert_bytes(system, TO, frame, sizeof frame);
}

static void vlan_tags_and_lengths(void **state) {
    static const uint8_t frame[] = { 0x88, 0xA8, 0, 5, 0x81, 0, 0, 7, 0, 6, 0xA1, 0xA2, 0xA3, 0xA4, 1, 2 };
    bh_system *system = *state;
    const uint32_t at = HEADER_TABLE + 9 * 0x80;
    raw_mode(system, 1, 2, TO, 0x400);
    rx_put(system, 1, 2, RX_STRIP, 12);
    use_header_9(system, 1 | 1 << 4 | 1 << 8 | 3 << 12, 0);
    end_put(system, 0, at + 0x04, 4);          /* a header of four bytes */
    end_put(system, 0, at + 0x20, 0x88B50000); /* no type: the length */
    end_put(system, 0, at + 0x24, 0x88A80005);
    end_put(system, 0, at + 0x28, 0x81000007);
    end_put(system, 0, at + 0x30, 0xA1A2A3A4);
    end_put(system, 0, FROM, 0x0201);
    send_raw(system, 2, FROM, 2);
    pair_run(system, PASS);
    assert_bytes(system, TO, frame, sizeof frame);
}

static void raw_frames_do_not_disturb_tt_link(void **state) {
    bh_system *system = *state;
    send_raw(system, 0, FROM, 64); /* RX queue 0 is in TT-link mode */
    pair_run(system, PASS);
    assert_int_equal(rx_get(system, 1, 0, RX_DROPS), 1);
    fill_end(system, 0, FROM, 64, 2);
    send_data(system, 0, 0, FROM, TO, 64);
    pair_run(system, PASS);
    assert_true(end_has(system, 1, TO, 64, 2));
}

/* ---- Time and back-pressure
 * ------------------------------------------------------------------------------------------ */

/* A frame of 1024 + 32 + 4 bytes with 20 bytes of gap takes 29.16 cycles at 37.04 bytes a cycle. */
static void a_frame_takes_its_time(void **state) {
    bh_system *system = *state;
    fill_end(system, 0, FROM, 1024, 6);
    send_data(system, 0, 0, FROM, TO, 1024);
    pair_run(system, 11);
    assert_int_equal(tx_get(system, 0, 0, TX_STARTED), 0);
    pair_run(system, 1); /* 2, and 10.7 to read the bytes */
    assert_int_equal(tx_get(system, 0, 0, TX_STARTED), 1);
    pair_run(system, 29);
    assert_int_equal(tx_get(system, 0, 0, TX_ENDED), 0);
    pair_run(system, 1);
    assert_int_equal(tx_get(system, 0, 0, TX_ENDED), 1);
    pair_run(system, LATENCY);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 0);
    pair_run(system, 1);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 1);
    assert_true(end_has(system, 1, TO, 1024, 6));
    assert_int_equal(rx_get(system, 0, 0, RX_ACKNOWLEDGED), 0);
    pair_run(system, LATENCY);
    assert_int_equal(rx_get(system, 0, 0, RX_ACKNOWLEDGED), 1);
}

static void a_full_queue_holds_commands(void **state) {
    bh_system *system = *state;
    tx_put(system, 0, 0, TX_AHEAD, 2);
    for (unsigned i = 0; i < 3; i++) { /* one on the wire, two ahead */
        send_data(system, 0, 0, FROM, TO, 1024);
        pair_run(system, 2);
        assert_int_equal(tx_get(system, 0, 0, TX_STATUS), 0);
    }
    send_data(system, 0, 0, FROM, TO, 1024);
    assert_int_equal(tx_get(system, 0, 0, TX_STATUS), ONGOING);
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 3);
    assert_refused(system, 0, SEND_DATA, "still under way");
    pair_run(system, 35);
    assert_int_equal(tx_get(system, 0, 0, TX_STATUS), ONGOING);
    pair_run(system, 1); /* the first has been sent */
    assert_int_equal(tx_get(system, 0, 0, TX_STATUS), 0);
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 4);
    pair_run(system, PASS);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 4);
}

static void the_rate_is_that_of_the_cable(void **state) {
    bh_system *slow = make_pair(LATENCY, 100);
    (void)state;
    tx_put(slow, 0, 0, TX_MAX, 0x4000);
    send_data(slow, 0, 0, FROM, TO, 0x2000);
    pair_run(slow, 978); /* 2, 85.3 to read 8192 bytes, and 890.8 for 8248 bytes at 9.26 bytes a cycle */
    assert_int_equal(tx_get(slow, 0, 0, TX_ENDED), 0);
    pair_run(slow, 1);
    assert_int_equal(tx_get(slow, 0, 0, TX_ENDED), 1);
    bh_system_destroy(slow);
}

/* Returns the number of cycles, up to PASS, until the counter of a queue has this value. */
static unsigned until(bh_system *system, unsigned queue, unsigned counter, uint32_t value) {
    unsigned cycles = 0;
    for (; cycles < PASS && tx_get(system, 0, queue, counter) < value; cycles++)
        pair_run(system, 1);
    return cycles;
}

/* After 2 cycles, 96 bytes a cycle are read, and 4096 bytes with 56 more take 112.1 cycles on the wire. */
static void a_frame_leaves_when_its_bytes_have_been_read(void **state) {
    bh_system *system = *state;
    send_data(system, 0, 0, FROM, 0x20000, 4096);
    assert_int_equal(until(system, 0, TX_STARTED, 1), 44);     /* 2 + 42.7 */
    assert_int_equal(until(system, 0, TX_ENDED, 1), 157 - 44); /* 156.8 */
    pair_run(system, PASS);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 1);
}

static void the_next_frame_is_read_meanwhile(void **state) {
    bh_system *system = *state;
    send_data(system, 0, 0, FROM, 0x20000, 8192);
    assert_int_equal(until(system, 0, TX_ENDED, 1), 157);
    assert_int_equal(until(system, 0, TX_ENDED, 2), 269 - 157); /* 268.9 */
}

/* The bytes of queue 1 come after those of queue 0, although the wire is free before: 2 + 10.7 + 42.7. */
static void queues_read_one_after_the_other(void **state) {
    bh_system *system = *state;
    send_data(system, 0, 0, FROM, TO, 1024);
    send_data(system, 0, 1, FROM, 0x20000, 4096);
    assert_int_equal(until(system, 1, TX_STARTED, 1), 55);
}

static void a_register_write_is_not_read_from_l1(void **state) {
    bh_system *system = *state;
    send_register(system, 0, 0, TXQ0 + TX_FROM, 1);
    assert_int_equal(until(system, 0, TX_STARTED, 1), 2);
    pair_run(system, PASS);
    send_data(system, 0, 0, FROM, 0x20000, 4096);
    pair_run(system, 2);
    send_register(system, 0, 0, TXQ0 + TX_FROM, 2);
    assert_int_equal(until(system, 0, TX_ENDED, 3), 160 - 2); /* behind the bytes: 156.8, and 2.3 for 84 bytes */
}

/* tt-metal's fabric sends 96 bytes of header and up to 4096 of payload in a command. */
static void firmware_lets_packets_have_4096_bytes(void **state) {
    bh_system *system = *state;
    for (unsigned queue = 0; queue < 3; queue++)
        assert_int_equal(tx_get(system, 0, queue, TX_MAX), queue < 2 ? 4096 : 1500);
    send_data(system, 0, 0, FROM, 0x20000, 4096 + 96);
    pair_run(system, PASS);
    assert_int_equal(rx_get(system, 1, 0, RX_ENDED), 2);
    tx_put(system, 0, 0, TX_MAX, 1500);
    assert_int_equal(bh_system_reset_chip(system, 0), BH_OK);
    assert_int_equal(tx_get(system, 0, 0, TX_MAX), 4096);
}

/* ---- Refusals
 * ---------------------------------------------------------------------------------------------------------- */

static void what_cannot_be_sent_is_refused(void **state) {
    bh_system *system = *state;
    tx_put(system, 0, 0, TX_SIZE, 16);
    assert_refused(system, 0, 8, "commands 1 (raw), 2");
    assert_refused(system, 0, 3, "commands 1 (raw), 2");
    assert_refused(system, 2, SEND_REGISTER, "TX queue 2 cannot");
    tx_put(system, 0, 0, TX_FROM, 8);
    assert_refused(system, 0, SEND_DATA, "multiples of 16");
    tx_put(system, 0, 0, TX_FROM, 0x7FFF0);
    tx_put(system, 0, 0, TX_SIZE, 32);
    assert_refused(system, 0, SEND_DATA, "does not hold");
    assert_refused(system, 0, SEND_RAW, "does not hold");
    tx_put(system, 0, 0, TX_TO, 2);
    assert_refused(system, 0, SEND_REGISTER, "multiple of 4");
    tx_put(system, 0, 0, TX_HEADERS, 0xFFF);
    assert_refused(system, 0, SEND_RAW, "ten entries");
    tx_put(system, 0, 0, TX_HEADERS, 9 << 8);
    tx_put(system, 0, 0, TX_FROM, 0);
    tx_put(system, 0, 0, TX_TO, 0);
    end_put(system, 0, HEADER_TABLE + 9 * 0x80, 1 << 26 | 1 << 8);
    assert_refused(system, 0, SEND_DATA, "iCRC");
    tx_put(system, 0, 0, TX_HEADERS, 9);
    assert_refused(system, 0, SEND_RAW, "iCRC");
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 0);
}

/* Only a frame with an L3 header has a RoCE iCRC. */
static void without_l3_there_is_no_icrc(void **state) {
    bh_system *system = *state;
    end_put(system, 0, HEADER_TABLE + 9 * 0x80, 1 << 26);
    tx_put(system, 0, 0, TX_SIZE, 32);
    tx_put(system, 0, 0, TX_HEADERS, 9);
    tx_put(system, 0, 0, TX_CMD, SEND_RAW);
    pair_run(system, 100);
    assert_int_equal(tx_get(system, 0, 0, TX_TRANSFERS), 1);
}

/* ---- The link as software sees it
 * -------------------------------------------------------------------------------------- */

enum { PORT_STATUS = 0x7CC04, TRAIN_STATUS = 0x7CC08, RX_UP = 0x7CE04, LOCAL = 0x7CFC0, REMOTE = 0x7CFE0 };
#define PCS_STATUS UINT32_C(0xFFB9800C)

static void link_words_follow_from_the_cable(void **state) {
    bh_system *system = *state;
    bh_chip *chip = bh_system_chip(system, 0);
    assert_int_equal(end_get(system, 0, PORT_STATUS), 1);
    assert_int_equal(end_get(system, 0, TRAIN_STATUS), 2);
    assert_int_equal(end_get(system, 0, RX_UP), 1);
    assert_int_equal(end_get(system, 0, PCS_STATUS), 1);
    assert_int_equal(end_get(system, 0, LOCAL) >> 24, PORT);
    assert_int_equal(end_get(system, 0, REMOTE) >> 24, PORT + 2);
    assert_int_equal(end_get(system, 0, LOCAL + 24), 1);
    assert_int_equal(end_get(system, 0, REMOTE + 24), 2);
    assert_int_equal(end_get(system, 0, REMOTE + 8), 2); /* the second board */
    assert_int_equal(read_word(chip, eth_xy(PORT + 1), PORT_STATUS), 2);
    assert_int_equal(read_word(chip, eth_xy(PORT + 1), PCS_STATUS), 0);
    const uint32_t command = 2;
    assert_int_equal(bh_write(chip, eth_xy(PORT + 1), TXQ0 + TX_CMD, &command, 4), BH_ERR_UNMODELLED);
    assert_non_null(strstr(bh_message(chip), "no cable"));
    send_data(system, 0, 0, FROM, TO, 64);
    pair_run(system, PASS);
    assert_int_equal(end_get(system, 0, 0x7CE20), 1); /* frames sent */
    assert_int_equal(end_get(system, 1, 0x7CE50), 1); /* frames received */
    assert_int_equal(end_get(system, 1, 0x7CE70), 100);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, teardown_system)
    const struct CMUnitTest tests[] = {
        TEST(a_packet_writes_l1_of_the_peer),
        TEST(counters_count),
        TEST(long_transfers_are_split),
        TEST(each_queue_has_its_peer),
        TEST(both_directions_work),
        TEST(registers_of_the_peer_are_written),
        cmocka_unit_test(writes_that_fail_are_faults_of_the_peer),
        TEST(raw_frames_come_with_their_headers),
        TEST(headers_are_stripped_by_default),
        TEST(a_full_buffer_drops_or_wraps),
        TEST(headers_of_ip_and_udp_are_completed),
        TEST(vlan_tags_and_lengths),
        TEST(raw_frames_do_not_disturb_tt_link),
        TEST(a_frame_takes_its_time),
        TEST(a_full_queue_holds_commands),
        cmocka_unit_test(the_rate_is_that_of_the_cable),
        TEST(a_frame_leaves_when_its_bytes_have_been_read),
        TEST(the_next_frame_is_read_meanwhile),
        TEST(queues_read_one_after_the_other),
        TEST(a_register_write_is_not_read_from_l1),
        TEST(firmware_lets_packets_have_4096_bytes),
        TEST(what_cannot_be_sent_is_refused),
        TEST(without_l3_there_is_no_icrc),
        TEST(link_words_follow_from_the_cable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
