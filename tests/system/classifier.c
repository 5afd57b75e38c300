/* The RX classifier (src/tile/eth_classifier.c, eth_classify.c) behind a cable: each register, each kind of row, each
 * action, and what is refused. The expected bytes are written by hand from EthernetRxClassifier.md. */
#include <stdio.h>

#include "system/pair.h"

enum { LATENCY = 100, RATE = 400, FROM = 0x8000, TO = 0x9000, ROOM = 0x800, PASS = 2000 };
enum { HEADER_9 = (int)0xFFB98200 + 9 * 0x80 };

#define RX(offset)      (UINT32_C(0xFFB9C000) + (offset))
#define MAC_RX_ROUTING  UINT32_C(0xFFB98150)
#define EOP_STATUS_GOOD UINT32_C(0xFFB98120)
enum { NO_MATCH_LABELS = 0xD00, NO_MATCH_ACTIONS = 0xD04, NO_MATCH_VLAN = 0xD08, NO_MATCH_METADATA = 0xD0C };
enum { ROW_UPDATE = 0xD40, ROW_STATUS = 0xD44, FLUSH = 0xD60, TYPE_WRITE = 0xD80, SA_WRITE = 0xD90, DA_WRITE = 0xDA0 };
enum { FLAGS_WRITE = 0xDB0, SRC_PORT_WRITE = 0xDB4, DST_PORT_WRITE = 0xDB8, PROTOCOL_WRITE = 0xDBC };
enum { ETHERTYPE_WRITE = 0xDC0, PRIORITY_WRITE = 0xDC4, UPDATE = 0xDF0, MAPPING = 0xC00 };
enum { FLOW_LABELS = 0xE80, FLOW_ACTIONS = 0xE84, FLOW_VLAN = 0xE88, FLOW_METADATA = 0xE8C, FLOW_UPDATE = 0xEA0 };
enum { OVERRIDE = 0x1000, HEADER_ERRORS = 0x1004, DROP = 4, REMOVE = 8, ADD_SOFTWARE = 0x20, ADD_HARDWARE = 0x40 };
enum { OTHER = 0, IPV4 = 1, IPV6 = 3, FROM_ACTIONS = 2 };
#define GO UINT32_C(0x80000000)

static int make(void **state) {
    *state = make_pair(LATENCY, RATE);
    return 0;
}

/* ---- The receiver -------------------------------------------------------------------------------------------------
 */

static void put(bh_system *system, unsigned offset, uint32_t value) {
    end_put(system, 1, RX(offset), value);
}

static uint32_t get(bh_system *system, unsigned offset) {
    return end_get(system, 1, RX(offset));
}

/* RX queue `queue` gets whole frames, in a buffer of its own. */
static uint32_t buffer_of(unsigned queue) {
    return TO + queue * ROOM;
}

static void listen(bh_system *system) {
    for (unsigned queue = 0; queue < 3; queue++) {
        rx_put(system, 1, queue, RX_CTRL, 0);
        rx_put(system, 1, queue, RX_BUFFER, buffer_of(queue) >> 4);
        rx_put(system, 1, queue, RX_SIZE, ROOM >> 4);
        rx_put(system, 1, queue, RX_STRIP, 0);
    }
}

static uint32_t came(bh_system *system, unsigned queue) {
    return rx_get(system, 1, queue, RX_ENDED);
}

static void assert_bytes(bh_system *system, uint32_t address, const uint8_t *bytes, uint32_t size) {
    uint8_t found[256];
    assert_int_equal(bh_peek(bh_system_chip(system, 1), end_xy(1), address, found, size), BH_OK);
    assert_memory_equal(found, bytes, size);
}

static void assert_refused(bh_system *system, uint32_t address, uint32_t value, bh_status status, const char *text) {
    bh_chip *chip = bh_system_chip(system, 1);
    assert_int_equal(bh_write(chip, end_xy(1), address, &value, 4), status);
    assert_non_null(strstr(bh_message(chip), text));
}

/* Row i of the TCAM leads to row i of the flow table, which sends frames to RX queue 0. */
static void use_row(bh_system *system, unsigned row, unsigned priority, unsigned actions) {
    put(system, MAPPING + 4 * row, priority | row << 16);
    put(system, FLOW_LABELS, 0);
    put(system, FLOW_ACTIONS, actions);
    put(system, FLOW_VLAN, 0);
    put(system, FLOW_METADATA, 0);
    put(system, FLOW_UPDATE, row | 1 << 8 | GO);
    put(system, ROW_UPDATE, row | 1 << 8 | 1 << 16 | GO);
}

enum { ALL_IP = 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19 | 1 << 20 | 1 << 21, ALL_OTHER = 0xF8 << 16 | 1 << 10 };

static void clear_fields(bh_system *system, uint32_t value) {
    for (unsigned at = SA_WRITE; at <= PRIORITY_WRITE; at += 4)
        put(system, at, value);
}

/* Writes a row of which only one field counts. */
static void write_row(bh_system *system, unsigned row, unsigned kind, unsigned field, uint32_t value, uint32_t mask) {
    uint32_t command = row | 1 << 9 | (kind == OTHER ? ALL_OTHER : ALL_IP) | GO;
    put(system, TYPE_WRITE, kind);
    clear_fields(system, 0);
    put(system, field, value);
    put(system, UPDATE, command);
    clear_fields(system, UINT32_MAX);
    put(system, field, mask);
    put(system, UPDATE, command | 1 << 8);
}

/* ---- The sender ---------------------------------------------------------------------------------------------------
 */

/* Destination 00:bb:cc:dd:ee:ff, source 02:22:33:44:55:66: a unicast, which RX queue 2 gets. */
static void use_header_9(bh_system *system, uint32_t control, uint32_t type) {
    end_put(system, 0, (uint32_t)HEADER_9, control);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x10, 0x33445566);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x14, 0x0222);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x18, 0xCCDDEEFF);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x1C, 0x00BB);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x20, type << 16 | 1);
    tx_put(system, 0, 2, TX_HEADERS, 9);
}

/* Sends a raw frame of this type, and waits until it has come. */
static void send(bh_system *system, uint32_t type, const uint8_t *bytes, uint32_t size) {
    use_header_9(system, 0, type);
    assert_int_equal(bh_write(bh_system_chip(system, 0), end_xy(0), FROM, bytes, size), BH_OK);
    tx_put(system, 0, 2, TX_FROM, FROM);
    tx_put(system, 0, 2, TX_SIZE, size);
    tx_put(system, 0, 2, TX_CMD, SEND_RAW);
    pair_run(system, PASS);
}

static const uint8_t some[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
static const uint8_t head[] = { 0x00, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0x02, 0x22, 0x33, 0x44, 0x55, 0x66 };

/* 10.1.2.3 to 10.4.5.6 by UDP, from port 1000 to 2000, four bytes. */
static const uint8_t udp4[] = { 0x45, 0, 0, 32, 0, 0,    0,    0,    9, 17, 0, 0, 10,   1,    2,    3,
                                10,   4, 5, 6,  3, 0xE8, 0x07, 0xD0, 0, 12, 0, 0, 0xA1, 0xA2, 0xA3, 0xA4 };
/* 2001:db8::1 to 2001:db8::2 by TCP. */
static const uint8_t tcp6[] = { 0x60, 0,    0, 0,    0, 20,   6,    9, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                0,    0,    1, 0x20, 1, 0x0D, 0xB8, 0, 0,    0, 0,    0,    0, 0, 0, 0, 0, 0, 2, 0, 80,
                                0x30, 0x39, 0, 0,    0, 0,    0,    0, 0,    0, 0x50, 0,    0, 0, 0, 0, 0, 0 };

/* ---- Registers ----------------------------------------------------------------------------------------------------
 */

static void registers_keep_what_is_written(void **state) {
    static const uint16_t kept[] = { 0x000, 0x004, 0x408, 0x414, 0x420, 0x45C, 0x460, 0x46C, 0x800, 0x80C,
                                     0x830, 0x840, 0x888, 0x8A0, 0x8C0, 0x900, 0x93C, 0x940, 0x97C, 0xC00,
                                     0xCFC, 0xD08, 0xD0C, 0xD80, 0xD90, 0xDC4, 0xE88, 0xE8C, 0x1004 };
    static const uint16_t none[] = {
        0x008, 0x3FC, 0x470, 0x834, 0x88C, 0x8C4, 0xBFC, 0xD10, 0xDC8, 0xE04, 0xE58, 0x1008
    };
    bh_system *system = *state;
    for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++) {
        assert_int_equal(get(system, kept[i]), 0);
        put(system, kept[i], 0x01000000 + i);
    }
    for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_int_equal(get(system, kept[i]), 0x01000000 + i);
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        assert_refused(system, RX(none[i]), 1, BH_ERR_UNMODELLED, "not modelled");
    assert_int_equal(end_get(system, 1, EOP_STATUS_GOOD), 0x1F);
    put(system, ROW_STATUS, 5); /* read-only */
    assert_int_equal(get(system, ROW_STATUS), 0);
}

static void rows_are_written_and_read(void **state) {
    bh_system *system = *state;
    put(system, TYPE_WRITE, OTHER);
    for (unsigned i = 0; i < 14; i++)
        put(system, SA_WRITE + 4 * i, 0x1F0F0F01 + i);
    put(system, UPDATE, 7 | 1 << 9 | ALL_OTHER); /* without go */
    put(system, UPDATE, 7 | 1 << 9 | ALL_OTHER | GO);
    put(system, UPDATE, 6 | GO);
    assert_int_equal(get(system, 0xE10), 0);
    put(system, UPDATE, 7 | GO);
    assert_int_equal(get(system, 0xE00), OTHER);
    assert_int_equal(get(system, 0xE10), 0x1F0F0F01); /* source */
    assert_int_equal(get(system, 0xE20), 0x1F0F0F05);
    assert_int_equal(get(system, 0xE30), 0x000F0009); /* the bits of both augmented addresses */
    assert_int_equal(get(system, 0xE34), 0);          /* a port, which was not written */
    assert_int_equal(get(system, 0xE50), 0x1F0F0F0D);
    assert_int_equal(get(system, 0xE54), 0x1F0F0F0E);
    put(system, UPDATE, 7 | 1 << 8 | GO); /* the mask */
    assert_int_equal(get(system, 0xE10), 0);
    put(system, TYPE_WRITE, IPV6);
    put(system, UPDATE, 7 | 1 << 9 | 1 << 17 | 1 << 21 | GO); /* only the kind and a port */
    put(system, UPDATE, 7 | GO);
    assert_int_equal(get(system, 0xE00), IPV6);
    assert_int_equal(get(system, 0xE48), 0x1F0F0F0B);
    assert_int_equal(get(system, 0xE10), 0x1F0F0F01);
    put(system, ROW_UPDATE, 7 | 1 << 8 | 1 << 16 | GO);
    put(system, ROW_UPDATE, 7 | GO);
    assert_int_equal(get(system, ROW_STATUS), 7 | 1 << 8);
    put(system, FLUSH, 1);
    put(system, ROW_UPDATE, 7 | GO);
    assert_int_equal(get(system, ROW_STATUS), 7);
    put(system, UPDATE, 7 | 1 << 8 | GO);
    assert_int_equal(get(system, 0xE10), UINT32_MAX);
}

static void the_flow_table_is_written_and_read(void **state) {
    bh_system *system = *state;
    for (unsigned row = 0; row < 64; row += 21) {
        put(system, FLOW_ACTIONS, row & 3);
        put(system, FLOW_VLAN, 0x80008000 + row);
        put(system, FLOW_METADATA, 0x1000 + row);
        put(system, FLOW_UPDATE, row | 1 << 8 | GO);
    }
    for (unsigned row = 0; row < 64; row += 21) {
        put(system, FLOW_UPDATE, row); /* without go */
        put(system, FLOW_UPDATE, row | GO);
        assert_int_equal(get(system, FLOW_ACTIONS), row & 3);
        assert_int_equal(get(system, FLOW_VLAN), 0x80008000 + row);
        assert_int_equal(get(system, FLOW_METADATA), 0x1000 + row);
    }
}

static void what_no_document_describes_is_refused(void **state) {
    bh_system *system = *state;
    assert_refused(system, RX(NO_MATCH_LABELS), 1, BH_ERR_UNMODELLED, "LABELS");
    assert_refused(system, RX(FLOW_LABELS), 1, BH_ERR_UNMODELLED, "LABELS");
    assert_refused(system, RX(NO_MATCH_ACTIONS), 0x10, BH_ERR_UNMODELLED, "time stamps");
    assert_refused(system, RX(FLOW_ACTIONS), REMOVE | ADD_HARDWARE, BH_ERR_ADDRESS, "cannot be removed");
    assert_refused(system, RX(0x400), 2 << 16, BH_ERR_ADDRESS, "mode 2");
    assert_refused(system, RX(0x41C), 4 << 24, BH_ERR_ADDRESS, "modes 4 and 6");
    assert_refused(system, RX(OVERRIDE), 3, BH_ERR_ADDRESS, "OVERRIDE_DECISION");
    assert_refused(system, MAC_RX_ROUTING, 1, BH_ERR_ADDRESS, "reserved");
    put(system, TYPE_WRITE, 2);
    assert_refused(system, RX(UPDATE), 1 << 9 | 1 << 21 | GO, BH_ERR_ADDRESS, "reserved");
    put(system, TYPE_WRITE, IPV4);
    assert_refused(system, RX(UPDATE), 1 << 9 | ALL_OTHER | GO, BH_ERR_ADDRESS, "contradicts");
}

/* ---- Rows ----------------------------------------------------------------------------------------------------------
 */

/* Without a row, MAC_RX_ROUTING 2 takes the queue of NO_MATCH_ACTIONS, and 0 that of the address. */
static void queues_come_from_actions(void **state) {
    bh_system *system = *state;
    listen(system);
    put(system, NO_MATCH_ACTIONS, 1);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 2), 1);
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 1), 1);
    assert_int_equal(came(system, 2), 1);
    assert_bytes(system, buffer_of(1), head, sizeof head);
    assert_bytes(system, buffer_of(1) + 14, some, sizeof some);
}

struct row_case {
    unsigned kind, field;
    uint32_t value, mask; /* that match */
    uint32_t other;       /* a value that does not */
};

static void assert_rows(bh_system *system, uint32_t type, const uint8_t *bytes, uint32_t size,
                        const struct row_case *cases, unsigned count) {
    listen(system);
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    put(system, NO_MATCH_ACTIONS, 1);
    use_row(system, 5, 0, 0);
    for (unsigned i = 0; i < count; i++) {
        const struct row_case *c = &cases[i];
        uint32_t before[2] = { came(system, 0), came(system, 1) };
        write_row(system, 5, c->kind, c->field, c->value, c->mask);
        send(system, type, bytes, size);
        assert_int_equal(came(system, 0), before[0] + 1);
        write_row(system, 5, c->kind, c->field, c->other, c->mask);
        send(system, type, bytes, size);
        assert_int_equal(came(system, 0), before[0] + 1);
        assert_int_equal(came(system, 1), before[1] + 1);
    }
}

static void rows_of_other_frames(void **state) {
    static const struct row_case cases[] = {
        { OTHER, ETHERTYPE_WRITE, 0x988B5, 0, 0x988B6 },
        { OTHER, ETHERTYPE_WRITE, 0x988B5, 0, 0x888B5 }, /* augmented by 9 */
        { OTHER, SA_WRITE, 0x33445566, 0, 0x33445567 },
        { OTHER, SA_WRITE + 4, 0x0222, 0xFFFF0000, 0x0223 },
        { OTHER, DA_WRITE, 0xCCDDEEFF, 0, 0xCCDDEEFE },
        { OTHER, DA_WRITE + 4, 0x00BB, 0, 0x00BA },
        { OTHER, FLAGS_WRITE, 6, 0xFFFFFFF0, 7 },
        { OTHER, PRIORITY_WRITE, 0, 0, 1 },
    };
    bh_system *system = *state;
    put(system, 0x844, 0x88B5); /* USER_ETHERTYPE[1] */
    put(system, 0x84C, 9);
    put(system, 0x800, 0xCCDDEEFF); /* USER_MAC_DA[0] */
    put(system, 0x804, 0x00BB);
    put(system, 0x810, 6);
    assert_rows(system, 0x88B5, some, sizeof some, cases, sizeof cases / sizeof *cases);
    write_row(system, 5, OTHER, ETHERTYPE_WRITE, 0, UINT32_MAX); /* a mask of ones matches anything */
    uint32_t before = came(system, 0);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 0), before + 1);
    write_row(system, 5, IPV4, PROTOCOL_WRITE, 0, UINT32_MAX); /* a row for other frames */
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 0), before + 1);
}

static void rows_of_ipv4(void **state) {
    static const struct row_case cases[] = {
        { IPV4, PROTOCOL_WRITE, 0x30011, 0, 0x30006 }, { IPV4, PROTOCOL_WRITE, 0x30011, 0, 0x11 },
        { IPV4, SA_WRITE, 0x0A010203, 0, 0x0A010204 }, { IPV4, DA_WRITE, 0x0A040506, 0xFF, 0x0A040606 },
        { IPV4, SRC_PORT_WRITE, 0x203E8, 0, 0x203E9 }, { IPV4, SRC_PORT_WRITE, 0x203E8, 0, 0x003E8 },
        { IPV4, DST_PORT_WRITE, 0x507D0, 0, 0x507D1 },
    };
    bh_system *system = *state;
    put(system, 0x8BC, 3); /* REDUCED_PROTOCOL[3]: UDP */
    put(system, 0x900, 900);
    put(system, 0x940, 1); /* port 900 or 0 of UDP sources */
    put(system, 0x904, 900 | 1100 << 16);
    put(system, 0x944, 1 << 4 | 2); /* 900 to 1100 of UDP sources */
    put(system, 0x908, 2000 | 7 << 16);
    put(system, 0x948, 1 << 8 | 1 << 12 | 4); /* 2000 or 7 of TCP destinations */
    put(system, 0x90C, 7 | 2000 << 16);
    put(system, 0x94C, 1 << 8 | 5);
    assert_rows(system, 0x0800, udp4, sizeof udp4, cases, sizeof cases / sizeof *cases);
}

static void rows_of_ipv6(void **state) {
    static const struct row_case cases[] = {
        { IPV6, PROTOCOL_WRITE, 6, 0, 17 },
        { IPV6, SA_WRITE, 1, 0, 2 },
        { IPV6, SA_WRITE + 12, 0x20010DB8, 0, 0x20010DB9 },
        { IPV6, DA_WRITE, 2, 0, 1 },
        { IPV6, SRC_PORT_WRITE, 80, 0, 81 },
        { IPV6, DST_PORT_WRITE, 12345, 0, 12346 },
    };
    assert_rows(*state, 0x86DD, tcp6, sizeof tcp6, cases, sizeof cases / sizeof *cases);
}

/* The greatest priority wins, then the lowest row. */
static void priorities(void **state) {
    bh_system *system = *state;
    listen(system);
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    for (unsigned row = 10; row < 13; row++) {
        write_row(system, row, OTHER, ETHERTYPE_WRITE, 0x88B5, 0xF0000);
        use_row(system, row, 3, row - 10);
    }
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 0), 1);
    use_row(system, 12, 4, 2);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 2), 1);
    put(system, ROW_UPDATE, 12 | 1 << 16 | GO); /* disabled */
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 0), 2);
}

/* ---- Headers that software defines ------------------------------------------------------------------------------- */

static void types_and_headers_are_replaced(void **state) {
    bh_system *system = *state;
    listen(system);
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    put(system, NO_MATCH_ACTIONS, 1);
    use_row(system, 0, 0, 0);
    put(system, 0x004, 0x12340000 | 0x88B5); /* 0x88B5 becomes 0x1234 */
    write_row(system, 0, OTHER, ETHERTYPE_WRITE, 0x1234, 0);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 0), 1);
    assert_bytes(system, buffer_of(0) + 12, (const uint8_t[]){ 0x88, 0xB5 }, 2); /* only for the classifier */
    put(system, 0x404, 3 << 16 | 0x1234);                                        /* and has a tag of priority 6 */
    put(system, 0x40C, 0x88A8C005);
    write_row(system, 0, OTHER, PRIORITY_WRITE, 6, 0);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 0), 2);
    put(system, 0x41C, 5 << 24 | 99 << 16 | 0x1234); /* and is IPv4, protocol 99 */
    put(system, 0x420 + 4 + 24, 0x01020304);
    put(system, 0x440 + 4 + 24, 0x05060708);
    put(system, 0x464, 99 | 1 << 8); /* whose ports are those of TCP */
    put(system, 0x46C, 0x00AA00BB);
    write_row(system, 0, IPV4, SA_WRITE, 0x01020304, 0);
    send(system, 0x88B5, some, sizeof some);
    write_row(system, 0, IPV4, DA_WRITE, 0x05060708, 0);
    send(system, 0x88B5, some, sizeof some);
    write_row(system, 0, IPV4, DST_PORT_WRITE, 0x00BB, 0);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 0), 5);
    assert_int_equal(came(system, 1), 0);
    put(system, 0x41C, 0x1234); /* no L3 header */
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 1), 1);
}

/* ---- Actions -------------------------------------------------------------------------------------------------------
 */

/* As the page's sample uses it: hardware metadata before every frame. 34 bytes, RX queue 2. */
static void metadata_comes_first(void **state) {
    static const uint8_t hardware[] = { 0x00, 0x20, 0x00, 0x22 },
                         both[] = { 0x12, 0x34, 0x56, 0x78, 0x00, 0x20, 0x00, 0x22 };
    bh_system *system = *state;
    listen(system);
    put(system, FLUSH, 1);
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    put(system, NO_MATCH_METADATA, 0x12345678);
    put(system, NO_MATCH_ACTIONS, ADD_HARDWARE | 2);
    send(system, 0x88B5, some, sizeof some);
    assert_bytes(system, buffer_of(2), hardware, 4);
    assert_bytes(system, buffer_of(2) + 4, head, sizeof head);
    assert_bytes(system, buffer_of(2) + 4 + 14, some, sizeof some);
    assert_int_equal(rx_get(system, 1, 2, RX_POINTER), 38);
    put(system, NO_MATCH_ACTIONS, ADD_HARDWARE | ADD_SOFTWARE | 2);
    rx_put(system, 1, 2, RX_STRIP, 2);
    send(system, 0x88B5, some, sizeof some);
    assert_bytes(system, buffer_of(2) + 38, both + 2, 6);
    assert_bytes(system, buffer_of(2) + 38 + 6, head, sizeof head);
    assert_int_equal(rx_get(system, 1, 2, RX_POINTER), 38 + 40);
}

/* Tags, IPv4 and UDP: the bytes of the datagram follow the EtherType. */
static void headers_are_removed(void **state) {
    uint8_t bytes[8 + 2 + sizeof udp4] = { 0, 5, 0x81, 0, 0xA0, 7, 0x08, 0x00 };
    bh_system *system = *state;
    listen(system);
    put(system, NO_MATCH_ACTIONS, REMOVE);
    memcpy(bytes + 8, udp4, sizeof udp4);
    send(system, 0x88A8, bytes, 8 + sizeof udp4);
    assert_bytes(system, buffer_of(2), head, sizeof head);
    assert_bytes(system, buffer_of(2) + 12, (const uint8_t[]){ 8, 0, 0xA1, 0xA2, 0xA3, 0xA4 }, 6);
    assert_int_equal(rx_get(system, 1, 2, RX_POINTER), 18);
    send(system, 0x86DD, tcp6, sizeof tcp6); /* a TCP header stays */
    assert_int_equal(rx_get(system, 1, 2, RX_POINTER), 18 + 14 + 20);
}

static void tags_are_required(void **state) {
    static const uint8_t tagged[] = { 0x60, 7, 0x88, 0xB5, 1, 2, 3, 4 };
    bh_system *system = *state;
    listen(system);
    put(system, NO_MATCH_VLAN, 1 << 15 | 7);
    send(system, 0x88B5, some, sizeof some); /* OVERRIDE_DECISION is 0: nothing is dropped */
    assert_int_equal(came(system, 2), 1);
    put(system, OVERRIDE, 2);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 2), 1);
    send(system, 0x8100, tagged, sizeof tagged);
    assert_int_equal(came(system, 2), 2);
    put(system, NO_MATCH_VLAN, 1 << 15 | 8);
    send(system, 0x8100, tagged, sizeof tagged);
    put(system, NO_MATCH_VLAN, 1u << 31 | 7 << 16); /* an outer tag */
    send(system, 0x8100, tagged, sizeof tagged);
    assert_int_equal(came(system, 2), 2);
}

static void frames_are_dropped(void **state) {
    bh_system *system = *state;
    listen(system);
    put(system, OVERRIDE, 1);
    send(system, 0x88B5, some, sizeof some);
    put(system, OVERRIDE, 2);
    put(system, NO_MATCH_ACTIONS, DROP);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 2), 0);
    assert_int_equal(rx_get(system, 1, 2, RX_DROPS), 0); /* they did not reach a queue */
    put(system, OVERRIDE, 0);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 2), 1);
    end_put(system, 1, EOP_STATUS_GOOD, 0x1E);
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(came(system, 2), 1);
}

/* Headers that the classifier cannot read, and MAC control frames. */
static void malformed_frames(void **state) {
    uint8_t bytes[sizeof tcp6];
    bh_system *system = *state;
    listen(system);
    memcpy(bytes, udp4, sizeof udp4);
    bytes[0] = 0x46;
    send(system, 0x0800, bytes, sizeof udp4);
    assert_int_equal(came(system, 2), 0);
    put(system, HEADER_ERRORS, 1);
    put(system, NO_MATCH_ACTIONS, ADD_HARDWARE | 2); /* not for these */
    send(system, 0x0800, bytes, sizeof udp4);
    assert_int_equal(came(system, 2), 1);
    assert_bytes(system, buffer_of(2), head, sizeof head);
    put(system, NO_MATCH_ACTIONS, 0);
    memcpy(bytes, tcp6, sizeof tcp6);
    bytes[6] = 43;
    send(system, 0x86DD, bytes, sizeof tcp6);
    bytes[6] = 6;
    bytes[52] = 0x60; /* data offset */
    send(system, 0x86DD, bytes, sizeof tcp6);
    assert_int_equal(came(system, 2), 1);
    put(system, HEADER_ERRORS, 7);
    send(system, 0x86DD, bytes, sizeof tcp6);
    assert_int_equal(came(system, 2), 2);
    put(system, 0x000, 0xFFFF0800); /* no longer IPv4, as the page's sample does it */
    put(system, HEADER_ERRORS, 0);
    memcpy(bytes, udp4, sizeof udp4);
    bytes[0] = 0x46;
    send(system, 0x0800, bytes, sizeof udp4);
    assert_int_equal(came(system, 2), 3);
    send(system, 0x8808, (const uint8_t[]){ 0, 1, 0, 0 }, 4); /* flow control */
    assert_int_equal(came(system, 2), 4);
    send(system, 0x8808, (const uint8_t[]){ 9, 9, 0, 0 }, 4); /* no such control */
    assert_int_equal(came(system, 2), 4);
    end_put(system, 1, EOP_STATUS_GOOD, 0x3F);
    send(system, 0x8808, (const uint8_t[]){ 9, 9, 0, 0 }, 4);
    assert_int_equal(came(system, 2), 5);
}

/* ---- TT-link -------------------------------------------------------------------------------------------------------
 */

/* Behind a VLAN tag, IPv4 and UDP: only the classifier makes a packet of TT-link of it. */
static void tt_link_behind_ip(void **state) {
    struct pair_faults faults = { 0 };
    bh_system *system = make_watched_pair(LATENCY, 0, &faults);
    (void)state;
    use_header_9(system, 1 | 1 << 8 | 1 << 16 | 1 << 18, 0x0800);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x24, 0x81000007);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x30, 0x45000000);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x38, 0x0A110000);
    end_put(system, 0, (uint32_t)HEADER_9 + 0x60, 0x12345678);
    tx_put(system, 0, 0, TX_HEADERS, 0x999);
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    put(system, NO_MATCH_ACTIONS, DROP);
    put(system, OVERRIDE, 2);
    write_row(system, 3, IPV4, DST_PORT_WRITE, 0x5678, 0);
    use_row(system, 3, 0, REMOVE);
    fill_end(system, 0, FROM, 256, 5);
    send_data(system, 0, 0, FROM, TO, 256);
    pair_run(system, PASS);
    assert_true(end_has(system, 1, TO, 256, 5));
    assert_int_equal(faults.count, 0);
    send_register(system, 0, 0, RX(NO_MATCH_METADATA), 77);
    pair_run(system, PASS);
    assert_int_equal(get(system, NO_MATCH_METADATA), 77);
    use_row(system, 3, 0, 0); /* nothing is removed */
    send_data(system, 0, 0, FROM, TO + 0x100, 256);
    pair_run(system, PASS);
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.text, "has not removed"));
    tx_put(system, 0, 1, TX_HEADERS, 0x111); /* header 1 has no such headers, and no row */
    send_data(system, 0, 1, FROM, TO + 0x200, 256);
    pair_run(system, PASS);
    assert_int_equal(came(system, 1), 0);
    assert_int_equal(faults.count, 1);
    bh_system_destroy(system);
}

static void queue_3_is_a_fault(void **state) {
    struct pair_faults faults = { 0 };
    bh_system *system = make_watched_pair(LATENCY, 0, &faults);
    (void)state;
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    put(system, NO_MATCH_ACTIONS, 3);
    send_data(system, 0, 0, FROM, TO, 16);
    pair_run(system, PASS);
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.text, "ACTIONS"));
    put(system, 0x418, 5 << 24 | 17 << 16 | 0x88B5); /* UDP, but where? */
    send(system, 0x88B5, some, sizeof some);
    assert_int_equal(faults.count, 2);
    assert_non_null(strstr(faults.text, "USER_DEFINED_L3_HDR"));
    bh_system_destroy(system);
}

/* ---- State ---------------------------------------------------------------------------------------------------------
 */

static void the_classifier_is_saved(void **state) {
    bh_system *system = *state, *other;
    listen(system);
    uint64_t plain = bh_system_hash(system);
    write_row(system, 9, OTHER, ETHERTYPE_WRITE, 0x88B5, 0);
    use_row(system, 9, 0, ADD_HARDWARE | 1);
    assert_int_not_equal(bh_system_hash(system), plain);
    end_put(system, 1, MAC_RX_ROUTING, FROM_ACTIONS);
    use_header_9(system, 0, 0x88B5);
    tx_put(system, 0, 2, TX_FROM, FROM);
    tx_put(system, 0, 2, TX_SIZE, 20);
    tx_put(system, 0, 2, TX_CMD, SEND_RAW);
    send_data(system, 0, 0, FROM, TO, 16);
    pair_run(system, 10); /* both are on the wire */
    assert_int_equal(bh_system_save(system, "classifier.save"), BH_OK);
    other = make_pair(LATENCY, RATE);
    assert_int_equal(bh_system_load(other, "classifier.save"), BH_OK);
    assert_int_equal(bh_system_hash(system), bh_system_hash(other));
    pair_run(other, PASS);
    pair_run(system, PASS);
    assert_int_equal(came(other, 1), 1);
    assert_int_equal(rx_get(other, 1, 1, RX_POINTER), 38);
    assert_int_equal(bh_system_hash(system), bh_system_hash(other));
    bh_system_destroy(other);
    remove("classifier.save");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, teardown_system)
    const struct CMUnitTest tests[] = {
        TEST(registers_keep_what_is_written),
        TEST(rows_are_written_and_read),
        TEST(the_flow_table_is_written_and_read),
        TEST(what_no_document_describes_is_refused),
        TEST(queues_come_from_actions),
        TEST(rows_of_other_frames),
        TEST(rows_of_ipv4),
        TEST(rows_of_ipv6),
        TEST(priorities),
        TEST(types_and_headers_are_replaced),
        TEST(metadata_comes_first),
        TEST(headers_are_removed),
        TEST(tags_are_required),
        TEST(frames_are_dropped),
        TEST(malformed_frames),
        cmocka_unit_test(tt_link_behind_ip),
        cmocka_unit_test(queue_3_is_a_fault),
        TEST(the_classifier_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
