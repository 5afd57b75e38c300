/* src/noc/send.c: when a request gets its channel and leaves, what the registers show meanwhile, long requests, linked
 * ones. */
#include "bench.h"

static struct command a_read(void) {
    return (struct command){ .ctrl = READ, .targ_hi = at(10, 7), .ret_hi = at(2, 5), .length = 64 };
}

static struct command a_write(uint64_t length) {
    return (struct command){ .ctrl = WRITE, .targ_hi = at(2, 5), .ret_hi = at(10, 7), .length = length };
}

static struct command on_vc(struct command c, unsigned vc) {
    c.ctrl |= STATIC | vc << 13;
    return c;
}

/* ---- One request ---------------------------------------------------------------------------------------- */

static void a_read_leaves_in_the_next_cycle(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    assert_int_equal(niu_due(&bench.niu), NIU_NEVER);
    assert_int_equal(go(1, &c, 100)->time, 101);
    assert_int_equal(niu_due(&bench.niu), 101);
    assert_int_equal(counter_at(NIU_OUTSTANDING, 100), 1);
    assert_int_equal(get_at(0x840, 100), 1);
    assert_int_equal(counter_at(NIU_CMD_ACCEPTED, 100), 0);
    assert_int_equal(counter_at(NIU_CMD_ACCEPTED, 101), 1);
    assert_int_equal(get_at(0x840, 101), 0);
    assert_int_equal(counter_at(NIU_RD_REQ_STARTED, 101), 1);
    assert_int_equal(counter_at(NIU_RD_REQ_SENT, 101), 1);
    assert_int_equal(niu_due(&bench.niu), 102);
    niu_run(&bench.niu, 102);
    assert_int_equal(niu_due(&bench.niu), NIU_NEVER);
    assert_int_equal(counter_at(NIU_OUTSTANDING, 102), 1);
}

/* 5 + 1 flits; marked and posted count apart. */
static void a_write_counts_on_its_way(void **state) {
    (void)state;
    for (unsigned marked = 0; marked < 2; marked++) {
        bench_init(0);
        struct command c = a_write(257);
        c.tag = 9 << 10;
        c.ctrl |= marked ? MARKED : 0;
        unsigned i = !marked;
        assert_int_equal(go(0, &c, 100)->time, 101);
        assert_int_equal(counter_at(NIU_OUTSTANDING + 9, 100), marked);
        assert_int_equal(counter_at(NIU_OUTGOING + 9, 100), 1);
        assert_int_equal(counter_at(NIU_WR_REQ_STARTED + i, 100), 0);
        assert_int_equal(counter_at(NIU_WR_REQ_STARTED + i, 101), 1);
        assert_int_equal(counter_at(NIU_WR_REQ_SENT + i, 101), 1);
        assert_int_equal(counter_at(NIU_WR_DATA_WORD_SENT + i, 101), 5);
        assert_int_equal(counter_at(NIU_OUTGOING + 9, 106), 1);
        assert_int_equal(counter_at(NIU_OUTGOING + 9, 107), 0);
        for (unsigned pair = NIU_ATOMIC_SENT; pair < NIU_RD_REQ_STARTED; pair += 2)
            assert_int_equal(counter_at(pair + !i, 107), 0);
    }
}

static void a_masked_write_carries_one_flit(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(0);
    c.length = UINT64_MAX;
    c.ctrl |= BYTE_ENABLE | MARKED;
    go(0, &c, 100);
    assert_int_equal(counter_at(NIU_OUTSTANDING, 100), 1);
    assert_int_equal(counter_at(NIU_WR_DATA_WORD_SENT, 101), 1);
    assert_int_equal(counter_at(NIU_OUTGOING, 102), 1);
    assert_int_equal(counter_at(NIU_OUTGOING, 103), 0);
}

static void inline_data_is_sent_with_its_channel(void **state) {
    (void)state;
    for (unsigned marked = 0; marked < 2; marked++) {
        bench_init(0);
        struct command c = { .ctrl = WRITE | INLINE, .targ = 0xFFB40000, .targ_hi = at(3, 3) };
        c.ctrl |= marked ? MARKED : 0;
        go(0, &c, 100);
        assert_int_equal(counter_at(NIU_OUTSTANDING, 100), marked);
        assert_int_equal(counter_at(NIU_OUTGOING, 100), 0);
        assert_int_equal(counter_at(NIU_WR_REQ_STARTED + !marked, 101), 1);
        assert_int_equal(counter_at(NIU_WR_REQ_SENT + !marked, 101), 1);
        assert_int_equal(counter_at(NIU_WR_REQ_SENT + !marked, 200), 1);
        assert_int_equal(counter_at(NIU_WR_DATA_WORD_SENT + !marked, 200), 0);
        assert_int_equal(counter_at(NIU_OUTGOING, 200), 0);
    }
}

static void atomics_count(void **state) {
    (void)state;
    for (unsigned marked = 0; marked < 2; marked++) {
        bench_init(0);
        struct command c = { .ctrl = ATOMIC, .targ_hi = at(3, 3), .ret_hi = at(2, 5), .length = 0x107C };
        c.ctrl |= marked ? MARKED : 0;
        go(0, &c, 100);
        assert_int_equal(counter_at(NIU_OUTSTANDING, 100), marked);
        assert_int_equal(counter_at(NIU_ATOMIC_STARTED, 100), 0);
        assert_int_equal(counter_at(NIU_ATOMIC_STARTED, 101), marked);
        assert_int_equal(counter_at(NIU_ATOMIC_SENT, 101), marked);
        assert_int_equal(counter_at(NIU_ATOMIC_SENT + 1, 101), !marked);
        assert_int_equal(counter_at(NIU_CMD_ACCEPTED, 101), 1);
    }
}

/* ---- Several -------------------------------------------------------------------------------------------- */

/* A channel takes the second packet while the first one leaves, and the third when that has left. A packet of 16 KiB
 * takes a header, 256 flits and 6 cycles in which L1 gives none. */
enum { LONG = 1 + 256 + 256 / 40 };

static void a_channel_carries_one_packet(void **state) {
    (void)state;
    bench_init(0);
    struct command w = on_vc(a_write(16384), 1), r = on_vc(a_read(), 2);
    assert_int_equal(go(0, &w, 100)->time, 101);
    assert_int_equal(go(1, &w, 100)->time, 101 + LONG);
    assert_int_equal(go(2, &w, 100)->time, 101 + 2 * LONG);
    assert_int_equal(go(3, &r, 110)->time, 101 + 3 * LONG);
    assert_int_equal(get_at(0x40, 110), 0);
    assert_int_equal(get_at(0x840, 110), 0);
    assert_int_equal(get_at(0x1040, 100 + LONG), 1);
    assert_int_equal(get_at(0x1840, 101 + LONG), 1);
    assert_int_equal(get_at(0x1040, 101 + LONG), 0);
    assert_int_equal(get_at(0x1840, 102 + LONG), 0);
    assert_int_equal(counter_at(NIU_RD_REQ_STARTED, 102 + LONG), 1); /* has a channel, but the link is not free */
    assert_int_equal(counter_at(NIU_RD_REQ_SENT, 100 + 3 * LONG), 0);
    assert_int_equal(counter_at(NIU_RD_REQ_SENT, 101 + 3 * LONG), 1);
}

/* A packet that the NoC takes later than planned shifts what waits for it: the exchange tells the NIU. */
static void what_leaves_late_is_late(void **state) {
    (void)state;
    bench_init(0);
    struct command w = on_vc(a_write(1024), 1); /* 17 flits */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(go(i, &w, 100)->time, 101 + 17 * i);
    niu_run(&bench.niu, 102);
    niu_leaves(&bench.niu, 101, 150);
    niu_leaves(&bench.niu, 118, 150 + 17);
    assert_int_equal(counter_at(NIU_OUTGOING, 149 + 17), 3);
    assert_int_equal(get_at(0x1040, 149 + 17), 1);
    assert_int_equal(counter_at(NIU_OUTGOING, 150 + 17), 2);
    assert_int_equal(get_at(0x1040, 150 + 17), 0); /* the third has room now */
    assert_true(go(3, &w, 170)->time >= 150 + 2 * 17);
}

/* Four channels of choice, then the one that is free first; one link for all. */
static void a_request_without_a_channel_of_its_own_takes_a_free_one(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(640); /* 11 flits */
    for (unsigned i = 0; i < 6; i++) {
        const struct noc_request *packet = go(0, &c, 100 + 2 * i);
        assert_int_equal(packet->vc, i % 4);
        assert_int_equal(packet->time, 101 + 11 * i);
        assert_false(packet->static_vc);
        if (i < 4)
            assert_int_equal(get_at(0x40, 101 + 2 * i), 0);
        else
            niu_run(&bench.niu, 200);
    }
}

static void multicasts_have_channels_of_their_own(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(64);
    c.ctrl |= MULTICAST;
    c.ret_hi = rectangle(3, 5, 4, 6);
    assert_int_equal(go(0, &c, 100)->vc, 4);
    assert_int_equal(go(1, &c, 100)->vc, 5);
}

/* From (2,5) to the furthest of (3,5) .. (5,7): five hops, there and back, and 5 cycles; the link is free
 * meanwhile. */
static void paths_are_reserved_first(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(64), r = a_read();
    c.ctrl |= MULTICAST | RESERVE;
    c.ret_hi = rectangle(3, 5, 5, 7);
    assert_int_equal(go(0, &c, 100)->time, 101 + 5 + 2 * 5 * 8);
    assert_int_equal(get_at(0x40, 101), 0);
    assert_int_equal(go(0, &r, 102)->time, 103);
    c.ctrl &= ~(uint32_t)RESERVE;
    assert_int_equal(go(1, &c, 110)->time, 111);
}

/* ---- Long requests -------------------------------------------------------------------------------------- */

static void a_long_write_is_split(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(2 * 16384 + 100);
    c.targ = 0x1000;
    c.ret = 0x20040;
    c.tag = 3 << 10;
    c.ctrl |= MARKED;
    go(2, &c, 100);
    assert_int_equal(bench.sent, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct noc_request *packet = &bench.packet[i];
        assert_int_equal(packet->source_address, 0x1000 + i * 16384);
        assert_int_equal(packet->address, 0x20040 + i * 16384);
        assert_int_equal(packet->reply, BENCH_SITE);
        assert_int_equal(packet->length, i < 2 ? 16384 : 100);
        assert_int_equal(packet->time, 101 + LONG * i);
        assert_int_equal(packet->vc, 0);
    }
    assert_int_equal(counter_at(NIU_OUTSTANDING + 3, 100), 3);
    assert_int_equal(counter_at(NIU_OUTGOING + 3, 100), 3);
    static const struct {
        uint64_t time;
        uint32_t busy, accepted, words, outgoing, length, targ, ret;
    } row[] = {
        { 100, 1, 0, 0, 3, 32868, 0x1000, 0x20040 },   { 101, 1, 1, 256, 3, 16484, 0x5000, 0x24040 },
        { 363, 1, 1, 256, 3, 16484, 0x5000, 0x24040 }, { 364, 1, 2, 512, 2, 100, 0x9000, 0x28040 },
        { 626, 1, 2, 512, 2, 100, 0x9000, 0x28040 },   { 627, 0, 3, 514, 1, 100, 0x9000, 0x28040 },
        { 629, 0, 3, 514, 1, 100, 0x9000, 0x28040 },   { 630, 0, 3, 514, 0, 100, 0x9000, 0x28040 },
    };
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_int_equal(get_at(0x1040, row[i].time), row[i].busy);
        assert_int_equal(counter_at(NIU_CMD_ACCEPTED, row[i].time), row[i].accepted);
        assert_int_equal(counter_at(NIU_WR_REQ_STARTED, row[i].time), row[i].accepted);
        assert_int_equal(counter_at(NIU_WR_DATA_WORD_SENT, row[i].time), row[i].words);
        assert_int_equal(counter_at(NIU_OUTGOING + 3, row[i].time), row[i].outgoing);
        assert_int_equal(get_at(0x1020, row[i].time), row[i].length);
        assert_int_equal(get_at(0x1000, row[i].time), row[i].targ);
        assert_int_equal(get_at(0x100C, row[i].time), row[i].ret);
    }
    assert_int_equal(niu_due(&bench.niu), NIU_NEVER);
}

static void a_long_read_is_split(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.targ = UINT64_C(0x1FFFFC000);
    c.targ_hi = at(19, 24);
    c.ret = 0x4000;
    c.length = 2 * 16384;
    go(0, &c, 100);
    assert_int_equal(bench.sent, 2);
    assert_int_equal(bench.packet[1].address, UINT64_C(0x200000000));
    assert_int_equal(bench.packet[1].reply_address, 0x8000);
    assert_int_equal(bench.packet[1].time, 102);
    assert_int_equal(counter_at(NIU_OUTSTANDING, 100), 2);
    assert_int_equal(get_at(0x40, 101), 1);
    assert_int_equal(get_at(0x00, 101), 0);
    assert_int_equal(get_at(0x04, 101), 2); /* carried over */
    assert_int_equal(get_at(0x40, 102), 0);
    assert_int_equal(counter_at(NIU_RD_REQ_SENT, 102), 2);
}

static void nothing_starts_while_packets_are_left(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(16385), r = a_read();
    go(0, &c, 100);
    struct access access = try_go(1, &r, 200);
    assert_string_equal(access.text,
                        "NoC 0 command buffer 1: CMD_CTRL: command buffer 0 is still sending the packets of "
                        "a long request");
    assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
    assert_int_equal(try_put(0x840, 1, 364).result, ACCESS_DONE);
}

static void a_busy_initiator_is_not_to_be_touched(void **state) {
    (void)state;
    bench_init(1);
    struct command c = on_vc(a_write(1024), 0);
    go(0, &c, 100);
    go(0, &c, 101);
    go(0, &c, 103);
    struct access access = try_put(0x08, 1, 105);
    assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
    assert_string_equal(access.text, "NoC 1 command buffer 0: written at offset 0x8 while its request waits to be sent "
                                     "(CMD_CTRL is 1)");
    assert_int_equal(try_put(0x40, 1, 105).result, ACCESS_REFUSED);
    put_at(0x40, 0, 105); /* nothing */
    put_at(0x808, 1, 105);
    put_at(0x08, 1, 118);
}

/* ---- FIFOs ----------------------------------------------------------------------------------------------- */

enum { CFG_0 = 0x100, FIFO_ON = 1 << 16, AVAIL = 0x64, OVFL = 0x68, COUNTER_RESET = 0x174 };

static void turn_fifos_on(unsigned noc) {
    bench_init(noc);
    put_at(CFG_0, get_at(CFG_0, 0) | FIFO_ON, 0);
}

/* On one channel 17 flits each: the channel takes two in the next two cycles, each other when the last but one has
 * left. */
static void a_fifo_holds_sixteen(void **state) {
    (void)state;
    turn_fifos_on(0);
    assert_int_equal(get_at(AVAIL, 1), 0x10101010);
    struct command c = on_vc(a_write(1024), 1);
    for (unsigned i = 0; i < 18; i++) {
        c.tag = (i % 16) << 10;
        go(2, &c, 100 + i);
        assert_int_equal(get_at(AVAIL, 100 + i), 0x10101010 - ((i < 2 ? 1 : i - 1) << 16));
        assert_int_equal(get_at(2 * 0x800 + 0x40, 100 + i), 1);
    }
    assert_int_equal(get_at(AVAIL, 117), 0x10001010);
    struct access access = try_put(2 * 0x800 + 0x40, 1, 117);
    assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
    assert_string_equal(access.text,
                        "NoC 0 command buffer 2: CMD_CTRL: its FIFO is full (CMD_BUF_AVAIL is 0x10001010)");
    assert_int_equal(get_at(OVFL, 117), 4);
    put_at(COUNTER_RESET, 1, 117); /* flit counters */
    assert_int_equal(get_at(OVFL, 117), 4);
    put_at(COUNTER_RESET, 1 << 4, 117);
    assert_int_equal(get_at(OVFL, 117), 0);
    assert_int_equal(get_at(COUNTER_RESET, 117), 0);
    assert_int_equal(bench.sent, 18);
    for (unsigned i = 0; i < 17; i++) {
        assert_int_equal(bench.packet[i].time, 101 + 17 * i);
        assert_int_equal(bench.packet[i].id, i % 16);
        assert_int_equal(get_at(AVAIL, 100 + 17 * i), 0x10001010 + ((i > 0 ? i - 1 : 0) << 16));
        assert_int_equal(get_at(0x800 * 3 + AVAIL, 101 + 17 * i), 0x10001010 + (i << 16));
        assert_int_equal(get_at(2 * 0x800 + 0x40, 101 + 17 * i), i < 16);
    }
    assert_int_equal(counter_at(NIU_CMD_ACCEPTED, 101 + 17 * 16), 18);
}

static void each_buffer_has_a_fifo(void **state) {
    (void)state;
    turn_fifos_on(1);
    struct command c = on_vc(a_write(1024), 0);
    for (unsigned i = 0; i < 64; i++)
        go(i % 4, &c, 100);
    assert_int_equal(get_at(AVAIL, 100), 0);
    put_at(0x08, 7, 100); /* the FIFO has its copy */
    assert_int_equal(try_put(0x40, 1, 100).kind, BH_FAULT_UNDEFINED);
    assert_int_equal(get_at(AVAIL, 101), 1);
    assert_int_equal(get_at(AVAIL, 102), 0x101);
    assert_int_equal(get_at(AVAIL, 101 + 17 * 63), 0x10101010);
    assert_int_equal(counter_at(NIU_CMD_ACCEPTED, 101 + 17 * 63), 64);
    assert_int_equal(counter_at(NIU_OUTGOING, 101 + 17 * 64), 0);
    assert_true(niu_due(&bench.niu) == NIU_NEVER);
}

/* In one piece or cycle by cycle, a split request behind others keeps its buffer. */
static void a_long_request_in_a_fifo(void **state) {
    (void)state;
    for (unsigned step = 1; step <= 1000; step += 333) {
        turn_fifos_on(0);
        struct command c = on_vc(a_write(1024), 0), other = on_vc(a_write(64), 1);
        go(0, &c, 100);
        go(0, &c, 100);
        c.length = 40000;
        go(0, &c, 100); /* at 101 + 2 * 17, then two of 16 KiB, and the rest */
        for (uint64_t time = 100; time < 101 + 34 + 2 * LONG; time += step) {
            assert_int_equal(try_put(0x40, 1, time).kind, BH_FAULT_UNDEFINED);
            assert_int_equal(try_put(0x08, 1, time).kind, BH_FAULT_UNDEFINED);
            fill(1, &other, time);
            assert_int_equal(try_put(0x800 + 0x40, 1, time).kind, BH_FAULT_UNDEFINED);
        }
        go(1, &other, 101 + 34 + 2 * LONG);
        put_at(0x08, 1, 101 + 34 + 2 * LONG);
        assert_int_equal(get_at(AVAIL, 5000), 0x10101010);
    }
}

static void fifos_are_switched_at_rest(void **state) {
    (void)state;
    turn_fifos_on(0);
    struct command c = on_vc(a_write(1024), 0);
    for (unsigned i = 0; i < 3; i++)
        go(0, &c, 100);
    struct access access = try_put(CFG_0, 0x4000, 110);
    assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
    assert_string_equal(access.text, "NIU_CFG_0: the request FIFO (bit 16) changes while requests wait");
    put_at(CFG_0, 0x4000 | FIFO_ON | 1, 110);
    put_at(CFG_0, 0x4000, 118);
    assert_int_equal(get_at(AVAIL, 119), 0);
}

/* ---- Linked --------------------------------------------------------------------------------------------- */

static void linked_requests_share_a_channel(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(64), r = a_read();
    r.targ_hi = at(10, 7);
    go(0, &c, 100); /* channel 0 */
    c.ctrl |= LINKED;
    assert_int_equal(go(1, &c, 101)->vc, 1);
    assert_true(bench.packet[1].linked);
    c.ctrl &= ~(uint32_t)LINKED;
    assert_int_equal(go(2, &c, 102)->vc, 1);
    assert_int_equal(go(3, &r, 103)->vc, 2); /* and it is over */
}

static struct access after_linked(struct command first, struct command second) {
    bench_init(0);
    first.ctrl |= LINKED;
    go(0, &first, 100);
    return try_go(1, &second, 200);
}

static void linked_requests_go_the_same_way(void **state) {
    (void)state;
    static const char elsewhere[] =
        "NoC 0 command buffer 1: CTRL: the request before it is linked (VC_LINKED), but goes elsewhere";
    struct command c = a_write(64), other = a_write(64), m = a_write(64);
    other.ret_hi = at(10, 8);
    m.ctrl |= MULTICAST;
    m.ret_hi = rectangle(3, 5, 4, 6);
    assert_string_equal(after_linked(c, other).text, elsewhere);
    assert_string_equal(after_linked(c, m).text, elsewhere);
    assert_string_equal(after_linked(m, c).text, elsewhere);
    assert_int_equal(after_linked(m, m).result, ACCESS_DONE);
    for (unsigned i = 0; i < 5; i++) {
        struct command n = m;
        n.ctrl |= i == 0 ? Y_MAJOR : 0;
        n.exclude = i == 1;
        n.ret_hi = i == 2   ? rectangle(3, 5, 5, 6)
                   : i == 3 ? rectangle(3, 4, 4, 6)
                   : i == 4 ? rectangle(3, 5, 4, 7)
                            : m.ret_hi;
        assert_string_equal(after_linked(m, n).text, elsewhere);
    }
    assert_string_equal(after_linked(on_vc(c, 2), on_vc(c, 3)).text,
                        "NoC 0 command buffer 1: CTRL: virtual channel 3, but the request before it is linked "
                        "(VC_LINKED) on 2");
    assert_int_equal(after_linked(on_vc(c, 2), on_vc(c, 2)).result, ACCESS_DONE);
    assert_int_equal(after_linked(on_vc(c, 2), c).result, ACCESS_DONE);
    assert_int_equal(bench.packet[1].vc, 2);
}

/* Only the first of a transaction reserves paths. */
static void linked_multicasts_reserve_once(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write(64);
    c.ctrl |= MULTICAST | RESERVE | LINKED;
    c.ret_hi = rectangle(3, 5, 3, 5);
    uint64_t first = go(0, &c, 100)->time;
    assert_int_equal(first, 101 + 5 + 2 * 8);
    c.ctrl &= ~(uint32_t)LINKED;
    assert_int_equal(go(1, &c, 101)->time, first + 2);
}

/* ---- Cycle by cycle ------------------------------------------------------------------------------------- */

enum { MODEL_PACKETS = 4096 };

/* Plain code: packets in the order of their stores, one channel given a cycle, one flit sent a cycle. */
static struct model {
    uint64_t time;
    unsigned stored, given, started, ended; /* packets that have come so far */
    unsigned held[4];                       /* packets that the channel has: two at most */
    uint64_t end;                           /* of the one that is on the link */
    struct {
        uint64_t store, leaves; /* what the NIU said */
        unsigned buffer, vc, flits;
    } packet[MODEL_PACKETS];
} model;

static void model_cycle(void) {
    uint64_t t = model.time;
    if (model.started > model.ended && t == model.end)
        model.held[model.packet[model.ended++].vc]--;
    if (model.given < model.stored && t > model.packet[model.given].store &&
        model.held[model.packet[model.given].vc] < 2)
        model.held[model.packet[model.given++].vc]++;
    if (model.started == model.ended && model.started < model.given) {
        assert_int_equal(model.packet[model.started].leaves, t);
        model.end = t + model.packet[model.started++].flits;
    }
    model.time++;
}

static bool model_busy(unsigned buffer) {
    for (unsigned i = model.given; i < model.stored; i++)
        if (model.packet[i].buffer == buffer)
            return true;
    return false;
}

static void assert_like_model(uint64_t time) {
    for (unsigned buffer = 0; buffer < 4; buffer++)
        assert_int_equal(get_at(buffer * 0x800 + 0x40, time), model_busy(buffer));
    assert_int_equal(counter_at(NIU_CMD_ACCEPTED, time), model.given);
    assert_int_equal(counter_at(NIU_WR_REQ_SENT + 1, time), model.started);
    assert_int_equal(counter_at(NIU_OUTGOING, time), (model.stored - model.ended) & 255);
}

static void random_writes(void **state) {
    (void)state;
    uint64_t seed = 1;
    bench_init(0);
    memset(&model, 0, sizeof model);
    while (model.stored < MODEL_PACKETS - 1) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        unsigned dice = (unsigned)(seed >> 33), buffer = dice & 3, vc = dice >> 2 & 3;
        uint64_t time = model.time;
        model_cycle();
        if ((dice >> 4) % 8 == 0)
            assert_like_model(time);
        if ((dice >> 8) % 4 || model_busy(buffer))
            continue;
        struct command c = on_vc(a_write(1 + (dice >> 12) % ((dice >> 11) % 16 ? 300 : 16384)), vc);
        unsigned words = (unsigned)(c.length + 63) / 64, flits = 1 + words + words / 40;
        model.packet[model.stored].leaves = go(buffer, &c, time)->time;
        bench.sent = 0;
        model.packet[model.stored].store = time;
        model.packet[model.stored].buffer = buffer;
        model.packet[model.stored].vc = vc;
        model.packet[model.stored++].flits = flits;
        assert_in_range(bench.niu.flights, 1, NIU_FLIGHTS);
    }
}

/* ---- The state ------------------------------------------------------------------------------------------ */

/* The struct is hashed as bytes: no padding, and equal after equal requests. */
static void no_padding(void **state) {
    (void)state;
    size_t words = 2 + NIU_CONFIG_WORDS + NIU_COUNTERS + NIU_INITIATORS * NIU_WORDS + 3 + 1;
    assert_int_equal(sizeof(struct niu_flight), 56);
    assert_int_equal(sizeof(struct niu), 4 * words + 16 + 8 * (7 + 2 * NIU_VCS) + NIU_FLIGHTS * 56 + 192);
    assert_int_equal(sizeof(struct niu) % 64, 0);
    assert_int_equal(offsetof(struct niu, count) % 64, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_leaves_in_the_next_cycle),
        cmocka_unit_test(a_write_counts_on_its_way),
        cmocka_unit_test(a_masked_write_carries_one_flit),
        cmocka_unit_test(inline_data_is_sent_with_its_channel),
        cmocka_unit_test(atomics_count),
        cmocka_unit_test(a_channel_carries_one_packet),
        cmocka_unit_test(what_leaves_late_is_late),
        cmocka_unit_test(a_request_without_a_channel_of_its_own_takes_a_free_one),
        cmocka_unit_test(multicasts_have_channels_of_their_own),
        cmocka_unit_test(paths_are_reserved_first),
        cmocka_unit_test(a_long_write_is_split),
        cmocka_unit_test(a_long_read_is_split),
        cmocka_unit_test(nothing_starts_while_packets_are_left),
        cmocka_unit_test(a_busy_initiator_is_not_to_be_touched),
        cmocka_unit_test(a_fifo_holds_sixteen),
        cmocka_unit_test(each_buffer_has_a_fifo),
        cmocka_unit_test(a_long_request_in_a_fifo),
        cmocka_unit_test(fifos_are_switched_at_rest),
        cmocka_unit_test(linked_requests_share_a_channel),
        cmocka_unit_test(linked_requests_go_the_same_way),
        cmocka_unit_test(linked_multicasts_reserve_once),
        cmocka_unit_test(random_writes),
        cmocka_unit_test(no_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
