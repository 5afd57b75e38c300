/* Packets between tiles: what arrives, when, in which order, and what becomes of what cannot. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/noc_stage.h"

/* ---- What arrives --------------------------------------------------------------------------------------------- */

static void a_write_arrives_and_is_acknowledged(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        fill(chip, here, DATA, 64, 0x1000);
        request(&script, noc, write_to(here, DATA, there, DATA + 0x1000, 256));
        wait_for(&script, noc, NIU_WR_ACK_RECEIVED, 1);
        script_put(&script, SCRIPT_STORE, DONE, 77);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_int_equal(word_at(chip, here, DONE), 77);
        assert_filled(chip, there, DATA + 0x1000, 64, 0x1000);
        assert_int_equal(counter_at(chip, there, noc, NIU_SLV_WR_ACK_SENT), 1);
        assert_int_equal(counter_at(chip, there, !noc, NIU_SLV_WR_ACK_SENT), 0);
        bh_destroy(chip);
    }
}

static void a_tile_sends_to_itself(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    fill(chip, here, DATA, 8, 5);
    request(&script, 0, write_to(here, DATA, here, DATA + 0x100, 32));
    wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 1);
    request(&script, 0, read_from(here, DATA + 0x100, here, DATA + 0x200, 32));
    wait_for(&script, 0, NIU_RD_RESP_RECEIVED, 1);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, here, DATA + 0x100, 8, 5);
    assert_filled(chip, here, DATA + 0x200, 8, 5);
    bh_destroy(chip);
}

/* Answers may go to a third tile. */
static void an_answer_may_go_elsewhere(void **state) {
    (void)state;
    const struct bh_xy third = { 7, 9 };
    bh_chip *chip = make();
    struct script script = { 0 };
    fill(chip, there, DATA, 4, 9);
    request(&script, 0, read_from(there, DATA, third, DATA, 16));
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, third, DATA, 4, 9);
    assert_int_equal(counter_at(chip, third, 0, NIU_RD_RESP_RECEIVED), 1);
    assert_int_equal(counter_at(chip, here, 0, NIU_RD_RESP_RECEIVED), 0);
    assert_int_equal(counter_at(chip, here, 0, NIU_OUTSTANDING), 1);
    assert_int_equal(counter_at(chip, third, 0, NIU_OUTSTANDING), 255);
    bh_destroy(chip);
}

static void the_header_is_stored_twice(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = write_to(here, DATA, there, DATA, 64);
    r.ctrl &= ~(uint32_t)SCRIPT_MARKED;
    r.tag = 1 << 9;
    r.data = (DATA + 0x1000) >> 4;
    fill(chip, here, DATA, 16, 0x77);
    request(&script, 0, r);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, there, DATA, 16, 0x77);
    assert_filled(chip, there, DATA + 0x1000, 4, 0x77);
    assert_int_equal(word_at(chip, there, DATA + 0x1010), 0);
    bh_destroy(chip);
}

/* To DRAM too, unless the NIU there has been told not to. */
static void a_header_is_stored_twice_in_dram(void **state) {
    const struct bh_xy bank = { 17, 12 };
    (void)state;
    for (unsigned off = 0; off < 2; off++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        struct script_request r = write_to(here, DATA, bank, DATA, 64);
        uint64_t niu_cfg = UINT64_C(0xFFFFFFFFFFB20100);
        r.ctrl &= ~(uint32_t)SCRIPT_MARKED;
        r.tag = 1 << 9;
        r.data = (DATA + 0x1000) >> 4;
        if (off)
            put_word(chip, bank, niu_cfg, word_at(chip, bank, niu_cfg) | 1 << 13);
        fill(chip, here, DATA, 16, 0x77);
        request(&script, 0, r);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_filled(chip, bank, DATA, 16, 0x77);
        assert_int_equal(word_at(chip, bank, DATA + 0x1000), off ? 0 : 0x77);
        assert_int_equal(word_at(chip, bank, DATA + 0x100C), off ? 0 : 0x7A);
        assert_int_equal(word_at(chip, bank, DATA + 0x1010), 0);
        bh_destroy(chip);
    }
}

/* Bytes that a mask selects; a register's word is repeated. */
static void masks_select_bytes(void **state) {
    static const uint32_t sources[] = { DATA, 0xFFB20148 };
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        struct script_request r = write_to(here, sources[i], there, DATA, 0);
        uint8_t found[64];
        uint32_t word = xy(here);
        r.ctrl |= SCRIPT_BYTE_ENABLE;
        r.len = 0x80F0000F;
        r.len_1 = 0x80000001;
        for (uint32_t at = 0; at < 64; at += 4)
            put_word(chip, here, DATA + at, i ? 0 : 0x03020100 + at * 0x01010101);
        request(&script, 0, r);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_int_equal(bh_peek(chip, there, DATA, found, sizeof found), BH_OK);
        for (unsigned k = 0; k < 64; k++) {
            bool selected = (k < 32 ? r.len >> k : r.len_1 >> (k - 32)) & 1;
            uint8_t sent = i ? ((const uint8_t *)&word)[k % 4] : (uint8_t)k;
            assert_int_equal(found[k], selected ? sent : 0);
        }
        bh_destroy(chip);
    }
}

/* Registers of other tiles: a core is let out of reset, a stream's register wakes one that polls it. */
static void registers_are_written_from_afar(void **state) {
    (void)state;
    const uint32_t stream_size = 0xFFB40000 + 5 * 0x1000 + 4 * 10;
    bh_chip *chip = make();
    struct script script = { 0 }, waits = { 0 };
    script_put(&waits, SCRIPT_WAIT, stream_size, 34);
    script_put(&waits, SCRIPT_STORE, DONE, 1);
    start(chip, there, BH_NCRISC, &waits);
    assert_int_equal(bh_hold(chip, there, 1u << BH_NCRISC), BH_OK);
    uint32_t reset = word_at(chip, there, 0xFFB121B0);
    put_word(chip, here, DATA + 0xFFB121B0 % 16, reset & ~(1u << 18));
    request(&script, 1, write_to(here, DATA + 0xFFB121B0 % 16, there, 0xFFB121B0, 4));
    wait_for(&script, 1, NIU_WR_ACK_RECEIVED, 1);
    for (unsigned i = 0; i < 400; i++)
        script_put(&script, SCRIPT_ADD, 0x200, 1);
    request(&script, 0,
            (struct script_request){
                .targ_lo = stream_size,
                .targ_hi = xy(there),
                .ctrl = SCRIPT_WRITE | SCRIPT_INLINE,
                .data = 34,
            });
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(word_at(chip, there, DONE), 1);
    bh_destroy(chip);
}

/* A core that polls a register of a NIU sleeps until it shows something else, whoever has changed it. */
static void sleepers_see_what_a_core_writes(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script sleeps = { 0 }, writes = { 0 };
    struct bh_core_info info;
    script_put(&sleeps, SCRIPT_WAIT, script_niu(1, 0) + 0x10C, 5); /* a register for free use */
    script_put(&sleeps, SCRIPT_STORE, DONE, 1);
    for (unsigned i = 0; i < 200; i++)
        script_put(&writes, SCRIPT_STORE, script_niu(1, 0), i); /* which is none of the sleeper's business */
    script_put(&writes, SCRIPT_STORE, script_niu(1, 0) + 0x10C, 5);
    start(chip, here, BH_NCRISC, &sleeps);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    start(chip, here, BH_BRISC, &writes);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_query(chip, here, BH_NCRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_POLLING);
    run(chip);
    assert_int_equal(word_at(chip, here, DONE), 1);
    bh_destroy(chip);
}

/* The host may use a tile's command buffers as well. */
static void the_host_makes_a_request(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script_request r = write_to(here, DATA, there, DATA, 16);
    const uint32_t *field = &r.targ_lo;
    fill(chip, here, DATA, 4, 3);
    for (unsigned i = 0; i < sizeof r / 4; i++)
        put_word(chip, here, script_niu(0, 2) + 4 * i, field[i]);
    put_word(chip, here, script_niu(0, 2) + 0x40, 1);
    assert_int_equal(word_at(chip, there, DATA), 0);
    run(chip);
    assert_filled(chip, there, DATA, 4, 3);
    assert_int_equal(counter_at(chip, here, 0, NIU_WR_ACK_RECEIVED), 1);
    bh_destroy(chip);
}

static void a_multicast_reaches_the_grid(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++)
        for (unsigned include = 0; include < 2; include++) {
            bh_chip *chip = make();
            struct script script = { 0 };
            unsigned receivers = 139 + include;
            struct script_request r = write_to(here, DATA, here, DATA + 0x1000, 1024);
            r.ret_hi = noc ? script_area(16, 11, 1, 2) : script_area(1, 2, 16, 11);
            r.ctrl = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE | SCRIPT_MARKED |
                     (include ? (uint32_t)SCRIPT_INCLUDE_SELF : 0);
            fill(chip, here, DATA, 256, 0x500);
            request(&script, noc, r);
            wait_for(&script, noc, NIU_WR_ACK_RECEIVED, receivers);
            script_put(&script, SCRIPT_STORE, DONE, 1);
            start(chip, here, BH_BRISC, &script);
            run(chip);
            assert_int_equal(word_at(chip, here, DONE), 1);
            assert_int_equal(count_with(chip, DATA + 0x1000, 0x500), receivers);
            assert_int_equal(count_with(chip, DATA + 0x1000 + 1020, 0x500 + 255), receivers);
            assert_int_equal(chip->store[chip_made(chip, 0)->index]->used, 0);
            bh_destroy(chip);
        }
}

/* A multicast atomic answers once for each receiver. */
static void a_multicast_counts(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = increment(here, here, DATA, DATA + 0x100);
    r.targ_hi = script_area(1, 2, 4, 3);
    r.ctrl = SCRIPT_ATOMIC | SCRIPT_MULTICAST | SCRIPT_RESERVE | SCRIPT_MARKED;
    for (unsigned i = 0; i < 3; i++)
        request(&script, 0, r);
    wait_for(&script, 0, NIU_ATOMIC_RESP_RECEIVED, 21);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(count_with(chip, DATA, 3), 7);
    bh_destroy(chip);
}

/* Software may let the NIU of a tile without cores take part. */
static void dram_may_take_multicasts(void **state) {
    const struct bh_xy bank = { 17, 12 };
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = write_to(here, DATA, bank, DATA, 256);
    uint64_t router_1 = UINT64_C(0xFFFFFFFFFFB20108), router_3 = UINT64_C(0xFFFFFFFFFFB20110);
    r.ctrl = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE | SCRIPT_MARKED;
    r.ret_hi = script_area(bank.x, bank.y, bank.x, bank.y);
    put_word(chip, bank, router_1, 0);
    put_word(chip, bank, router_3, 0);
    fill(chip, here, DATA, 64, 0x99);
    request(&script, 0, r);
    wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 1);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, bank, DATA, 64, 0x99);
    bh_destroy(chip);
}

/* ---- Atomicity and order ------------------------------------------------------------------------------------------
 */

/* Every tile counts up one word, five times; all see different counts. */
static void everybody_counts(void **state) {
    enum { TIMES = 5, TOTAL = TIMES * TOPOLOGY_TENSIX };
    bh_chip *chip = make();
    bool seen[TOTAL] = { false };
    (void)state;
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++) {
        struct script script = { 0 };
        struct bh_xy at = chip_made(chip, i)->xy;
        for (uint32_t k = 0; k < TIMES; k++)
            request(&script, i % 2, increment(at, there, 0x8004, DATA + 4 * k));
        wait_for(&script, i % 2, NIU_ATOMIC_RESP_RECEIVED, TIMES);
        start(chip, at, BH_BRISC, &script);
    }
    run(chip);
    assert_int_equal(word_at(chip, there, 0x8004), TOTAL);
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++)
        for (uint32_t k = 0; k < TIMES; k++) {
            uint32_t count = word_at(chip, chip_made(chip, i)->xy, DATA + 4 * k);
            assert_in_range(count, 0, TOTAL - 1);
            assert_false(seen[count]);
            seen[count] = true;
        }
    bh_destroy(chip);
}

/* Whoever sees the count sees the data before it. */
static void data_comes_before_the_count(void **state) {
    (void)state;
    const unsigned epochs[] = { 0, EXACT, 256 };
    for (unsigned e = 0; e < 3; e++) {
        bh_chip *chip = make_with(1, 128, epochs[e]);
        struct script sends = { 0 }, looks = { 0 };
        fill(chip, here, DATA, 4096, 0xA000);
        request(&sends, 0, write_to(here, DATA, there, DATA, 16384));
        request(&sends, 0, increment(here, there, 0x8000, 0x8010));
        script_put(&looks, SCRIPT_WAIT, 0x8000, 1);
        /* the last word goes on at once, back to where it came from */
        request(&looks, 0, write_to(there, DATA + 16384 - 16, here, DATA + 0x8000, 16));
        start(chip, there, BH_BRISC, &looks);
        start(chip, here, BH_BRISC, &sends);
        run(chip);
        assert_filled(chip, here, DATA + 0x8000, 4, 0xA000 + 4092);
        bh_destroy(chip);
    }
}

/* Requests on one way and channel stay in order, whatever their size. */
static void nothing_overtakes(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    for (unsigned i = 0; i < 40; i++) {
        fill(chip, here, DATA + i * 0x400, 256, i * 0x1000);
        struct script_request r = write_to(here, DATA + i * 0x400, there, DATA, i % 3 ? 16 : 1024);
        r.ctrl &= ~(uint32_t)SCRIPT_MARKED;
        script_request(&script, 0, i % 4, &r);
    }
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_filled(chip, there, DATA, 4, 39 * 0x1000);
    assert_filled(chip, there, DATA + 16, 252, 39 * 0x1000 + 4);
    bh_destroy(chip);
}

/* ---- Time
 * ------------------------------------------------------------------------------------------------------------ */

/* From the store to CMD_CTRL until the last flit has arrived: a cycle for the channel, 5 + 9 for each link + 5, and a
 * cycle for each data flit. */
static void packets_take_their_time(void **state) {
    static const struct {
        struct bh_xy to;
        unsigned noc, length, hops;
    } ways[] = {
        { { 2, 2 }, 0, 4, 1 },        { { 2, 2 }, 0, 64, 1 },         { { 2, 2 }, 0, 65, 1 },
        { { 2, 2 }, 0, 16384, 1 },    { { 1, 3 }, 0, 64, 1 },         { { 16, 2 }, 0, 64, 15 },
        { { 16, 11 }, 0, 64, 24 },    { { 1, 2 }, 0, 64, 0 },         { { 2, 2 }, 1, 64, 16 },
        { { 16, 11 }, 1, 64, 2 + 3 }, { { 17, 12 }, 0, 64, 16 + 10 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        for (unsigned exact = 0; exact < 2; exact++) {
            bh_chip *chip = exact ? make_with(1, 1, EXACT) : make();
            struct script script = { 0 };
            unsigned flits = (ways[i].length + 63) / 64;
            fill(chip, here, DATA, 4096, 1);
            request(&script, ways[i].noc, write_to(here, DATA, ways[i].to, DATA + 0x8000, ways[i].length));
            start(chip, here, BH_BRISC, &script);
            uint64_t sent = changes_at(chip, here, script_counter(ways[i].noc, NIU_OUTGOING)) - 1;
            uint32_t last = DATA + 0x8000 + (ways[i].length - 1) / 4 * 4;
            uint64_t arrived = changes_at(chip, ways[i].to, last) - 1;
            assert_int_equal(arrived - sent, 1 + 10 + 9 * ways[i].hops + flits);
            bh_destroy(chip);
        }
}

/* There and back: an acknowledgement has no data. */
static void an_answer_takes_its_time(void **state) {
    (void)state;
    bh_chip *chip = make_with(1, 1, EXACT);
    struct script script = { 0 };
    request(&script, 0, read_from((struct bh_xy){ 3, 2 }, DATA, here, DATA, 640));
    start(chip, here, BH_BRISC, &script);
    uint64_t sent = changes_at(chip, here, script_counter(0, NIU_OUTSTANDING)) - 1;
    uint64_t back = changes_at(chip, here, script_counter(0, NIU_RD_RESP_RECEIVED)) - 1;
    assert_int_equal(back - sent, 1 + (10 + 2 * 9) + (10 + (15 + 12 * 0) * 9) + 10);
    bh_destroy(chip);
}

/* Two that write to one tile at the same time: the second has to wait until the first one is in. */
static void a_receiver_takes_one_flit_a_cycle(void **state) {
    enum { LENGTH = 8192, FLITS = 1 + LENGTH / 64 };
    const struct bh_xy left = { 2, 3 }, right = { 2, 5 }, target = { 3, 6 };
    bh_chip *chip = make_with(1, 1, EXACT);
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct script script = { 0 };
        struct bh_xy from = i ? right : left;
        fill(chip, from, DATA, LENGTH / 4, 1 + i);
        request(&script, 0, write_to(from, DATA, target, DATA + i * 0x8000, LENGTH));
        start(chip, from, BH_BRISC, &script);
    }
    uint64_t first = changes_at(chip, target, DATA + 0x8000 + LENGTH - 4); /* it is nearer */
    uint64_t second = changes_at(chip, target, DATA + LENGTH - 4);
    assert_int_equal(second - first, FLITS);
    bh_destroy(chip);
}

/* While a packet waits for the link of one NoC, what has long been on its way over the other does not. */
static void links_do_not_wait_for_each_other(void **state) {
    enum { LENGTH = 8192, SMALL = DATA + 0x20000 };
    const struct bh_xy from[] = { { 2, 3 }, { 2, 5 }, { 2, 6 } }, target = { 3, 6 };
    uint64_t small[2], last = 0;
    (void)state;
    for (unsigned crowd = 0; crowd < 2; crowd++) {
        bh_chip *chip = make_with(1, 1, EXACT);
        for (unsigned i = crowd ? 0 : 2; i < 3; i++) {
            struct script script = { 0 };
            fill(chip, from[i], DATA, LENGTH / 4, 1 + i);
            for (unsigned k = 0; i == 2 && k < 3; k++)
                script_put(&script, SCRIPT_ADD, 0x200, 1);
            request(&script, i == 2,
                    write_to(from[i], DATA, target, i == 2 ? SMALL : DATA + i * 0x8000, i == 2 ? 64 : LENGTH));
            start(chip, from[i], BH_BRISC, &script);
        }
        uint64_t first = crowd ? changes_at(chip, target, DATA + 0x8000 + LENGTH - 4) : 0;
        small[crowd] = changes_at(chip, target, SMALL);
        last = crowd ? changes_at(chip, target, DATA + LENGTH - 4) : 0;
        assert_true(first < small[crowd]);
        bh_destroy(chip);
    }
    assert_int_equal(small[0], small[1]);
    assert_true(small[1] < last);
}

/* Two that read from one tile at the same time: its answers leave one after the other. */
static void a_sender_gives_one_flit_a_cycle(void **state) {
    enum { LENGTH = 8192, FLITS = 1 + LENGTH / 64 };
    const struct bh_xy above = { 3, 5 }, left = { 2, 6 }, asked = { 3, 6 };
    bh_chip *chip = make_with(1, 1, EXACT);
    (void)state;
    fill(chip, asked, DATA, LENGTH / 4, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct script script = { 0 };
        struct bh_xy from = i ? left : above;
        request(&script, 0, read_from(asked, DATA, from, DATA, LENGTH));
        start(chip, from, BH_BRISC, &script);
    }
    /* both requests arrive in the same cycle: the order is that of the tiles. 11 links back to the first, 16 to the
     * other */
    uint64_t first = changes_at(chip, above, DATA), second = changes_at(chip, left, DATA);
    assert_int_equal(second - first, FLITS + (16 - 11) * 9);
    bh_destroy(chip);
}

/* How long a core takes that sends and waits, again and again, with nobody else awake. */
static uint64_t time_of_lone_core(unsigned epoch) {
    bh_chip *chip = make_with(1, 1, epoch);
    struct bh_core_info info;
    struct script script = { 0 };
    for (uint32_t i = 1; i <= 12; i++) {
        request(&script, i % 2, write_to(here, DATA, there, DATA, 64 * i));
        wait_for(&script, i % 2, NIU_WR_ACK_RECEIVED, (i + 1) / 2);
        for (unsigned k = 0; k < 7 * i; k++)
            script_put(&script, SCRIPT_ADD, 0x200, 1);
        request(&script, 0, read_from((struct bh_xy){ 18, 14 }, 0, here, DATA, 64 * i));
        wait_for(&script, 0, NIU_RD_RESP_RECEIVED, i);
    }
    script_put(&script, SCRIPT_STORE, DONE, 1);
    start(chip, here, BH_BRISC, &script);
    uint64_t done = 0;
    while (!word_at(chip, here, DONE)) {
        assert_int_equal(bh_run(chip, 256, 0, NULL), BH_OK);
        assert_int_equal(bh_core_query(chip, here, BH_BRISC, &info), BH_OK);
        done = info.retired;
    }
    bh_destroy(chip);
    return done;
}

/* Then epochs may be long, and nothing is late for it. */
static void alone_nothing_is_late(void **state) {
    (void)state;
    assert_int_equal(time_of_lone_core(0), time_of_lone_core(EXACT));
    assert_int_equal(time_of_lone_core(0), time_of_lone_core(7));
}

/* In long epochs a packet arrives at the end of one, and what it causes comes after that. */
static void what_is_late_comes_back_later(void **state) {
    (void)state;
    bh_chip *chip = make_with(1, 1, 256);
    struct script script = { 0 };
    fill(chip, here, DATA, 4, 1);
    request(&script, 0, write_to(here, DATA, there, DATA, 16));
    start(chip, here, BH_BRISC, &script);
    uint64_t arrived = changes_at(chip, there, DATA) - 1;
    uint64_t back = changes_at(chip, here, script_counter(0, NIU_WR_ACK_RECEIVED)) - 1;
    assert_int_equal(arrived % 256, 0);
    assert_int_equal(back % 256, 0);
    assert_true(back - arrived >= 10 + 16 * 9);
    bh_destroy(chip);
}

/* Two tiles work for a while, then one of them sends to the other: how late does that get there? */
static uint64_t lateness_after(unsigned rounds, unsigned epoch, uint64_t *silence) {
    enum { NEIGHBOUR = 1 + 19 + 1, SENDERS_LIST = 0x80000 };
    bh_chip *chip = make_with(1, 1, epoch);
    struct script sends = { 0 }, busy = { 0 };
    uint32_t program[SCRIPT_PROGRAM];
    for (unsigned k = 0; k < rounds; k++)
        script_put(&sends, SCRIPT_ADD, 0x200, 1);
    for (unsigned k = 0; k < 300; k++)
        script_put(&busy, SCRIPT_ADD, 0x200, 1);
    script_put(&busy, SCRIPT_JUMP, LIST, 0);
    fill(chip, here, DATA, 4, 1);
    request(&sends, 0, write_to(here, DATA, there, DATA, 16));
    script_put(&sends, SCRIPT_STOP, 0, 0);
    script_program(program, SENDERS_LIST); /* the list may be long */
    put(chip, here, 0, program, sizeof program);
    put(chip, here, SENDERS_LIST, sends.word, sends.count * 4);
    script_free(&sends);
    assert_int_equal(bh_release(chip, here, 1u << BH_BRISC), BH_OK);
    start(chip, there, BH_BRISC, &busy);
    uint64_t begin = changes_at(chip, there, 0x200);
    uint64_t sent = changes_at(chip, here, script_counter(0, NIU_OUTSTANDING));
    uint64_t took = changes_at(chip, there, DATA) - sent;
    /* what comes back is not late any more: 16 links */
    assert_int_equal(changes_at(chip, here, script_counter(0, NIU_WR_ACK_RECEIVED)) - (sent + took), 10 + 16 * 9);
    bh_destroy(chip);
    *silence = sent - begin;
    assert_true(took >= NEIGHBOUR);
    return took - NEIGHBOUR;
}

/* In a long silence epochs grow; what ends it is late by no more than a sixteenth of it, and never by more than 256. */
static void silence_makes_late_but_not_very(void **state) {
    uint64_t silence, latest = 0;
    (void)state;
    for (unsigned rounds = 1; rounds < 4000; rounds += rounds < 60 ? 1 : rounds / 2) {
        uint64_t late = lateness_after(rounds, 0, &silence), bound = silence / 16;
        assert_in_range(late, 0, bound < 16 ? 0 : bound < 256 ? bound : 256);
        latest = late > latest ? late : latest;
    }
    assert_true(latest > 0); /* else there is nothing to bound */
    assert_int_equal(lateness_after(37, EXACT, &silence), 0);
    assert_int_equal(lateness_after(2000, EXACT, &silence), 0);
}

/* When 64 bytes that are written to the other tile, or read from it, are there, if one of the two is known to be busy.
 */
static uint64_t arrives_with_busy(unsigned noc, bool reads, struct bh_xy who, uint64_t busy) {
    bh_chip *chip = make_with(1, 1, EXACT);
    struct script script = { 0 };
    struct tile *tile;
    assert_int_equal(chip_tile(chip, who, &tile), BH_OK);
    chip->exchange.busy[tile->site][noc] = busy;
    fill(chip, reads ? there : here, DATA, 16, 1);
    request(&script, noc,
            reads ? read_from(there, DATA, here, DATA + 0x1000, 64) : write_to(here, DATA, there, DATA + 0x1000, 64));
    start(chip, here, BH_BRISC, &script);
    uint64_t time = changes_at(chip, reads ? here : there, DATA + 0x1000) - 1;
    bh_destroy(chip);
    return time;
}

/* A packet leaves so that the NIU that it goes to, or its answer, is ready for its first flit when that gets there. */
static void senders_wait_for_the_busy(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        uint64_t back = noc ? 19 : 10 + 16 * 9; /* cycles: `there` is a link before `here` on NoC 1 */
        uint64_t written = arrives_with_busy(noc, false, there, 0), read = arrives_with_busy(noc, true, here, 0);
        for (uint64_t more = 0; more < 40; more += more < 3 ? 1 : 12) {
            assert_int_equal(arrives_with_busy(noc, false, there, written - 1 + more), written + more);
            assert_int_equal(arrives_with_busy(noc, true, here, read - 1 + more), read + more);
            assert_int_equal(arrives_with_busy(noc, true, there, read - 1 - back + more), read + more);
            assert_int_equal(arrives_with_busy(noc, false, here, written + more), written);
        }
    }
}

static void what_is_on_its_way_is_known(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bh_chip *chip = make();
        struct script script = { 0 };
        struct tile *tile;
        request(&script, noc, write_to(here, DATA, there, DATA, 4096));
        start(chip, here, BH_BRISC, &script);
        assert_int_equal(chip_tile(chip, there, &tile), BH_OK);
        for (unsigned i = 0; i < 3000 && !tile->mail.inbox.count; i++)
            assert_int_equal(bh_run(chip, 1, 0, NULL), BH_OK);
        assert_int_equal(tile->link[noc].queued, 1 + 4096 / 64);
        assert_int_equal(tile->link[!noc].queued, 0);
        assert_int_equal(chip->exchange.busy[tile->site][noc], chip->time + 1 + 4096 / 64);
        run(chip);
        assert_int_equal(tile->link[noc].queued, 0);
        bh_destroy(chip);
    }
}

/* A flood into one tile does not pile up: senders wait. */
static void floods_are_held_back(void **state) {
    enum { SENDERS = 60, LENGTH = 16384 };
    bh_chip *chip = make();
    struct bh_stop stop;
    uint64_t highest = 0;
    (void)state;
    for (unsigned i = 0; i < SENDERS; i++) {
        struct script script = { 0 };
        struct bh_xy from = chip_made(chip, i + 1)->xy;
        for (unsigned buffer = 0; buffer < 4; buffer++) {
            struct script_request r = write_to(from, DATA, here, DATA, LENGTH);
            r.ctrl = SCRIPT_WRITE; /* posted, any channel */
            script_request(&script, 0, buffer, &r);
        }
        script_put(&script, SCRIPT_JUMP, LIST, 0);
        start(chip, from, BH_BRISC, &script);
    }
    for (unsigned i = 0; i < 40; i++) {
        uint64_t used = 0;
        assert_int_equal(bh_run(chip, 5000, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
        assert_int_equal(stop.reason, BH_STOP_CYCLES);
        for (unsigned k = 0; k < TOPOLOGY_TENSIX; k++)
            used += chip->store[k]->used;
        highest = used > highest ? used : highest;
    }
    assert_in_range(highest, SENDERS, SENDERS * (NIU_INITIATORS + NIU_VCS));
    /* the link into the tile was never idle */
    uint64_t flits = counter_at(chip, here, 0, NIU_SLV_WR_DATA_WORD_RECEIVED + 1);
    assert_in_range(flits, 190000, 200000);
    bh_destroy(chip);
}

/* ---- Interrupts
 * --------------------------------------------------------------------------------------------------------- */

static void interrupt_at_completion(unsigned noc) {
    enum { HANDLER = 0x3000, ID = 5, RTZ_CFG = 0x178, RTZ_CLR = 0x17C };
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = read_from(there, DATA, here, DATA, 64);
    const uint32_t pic = 0xFFB13000, number = 1 + noc;
    /* counts at DONE, clears the source, goes back */
    const uint32_t handler[] = {
        rv_lui(20, script_niu(noc, 0)),
        rv_addi(21, 0, 1 << ID),
        rv_sw(21, RTZ_CLR, 20),
        rv_lw(22, DONE, 0),
        rv_addi(22, 22, 1),
        rv_sw(22, DONE, 0),
        0x30200073,
    };
    put(chip, here, HANDLER, handler, sizeof handler);
    r.tag = ID << 10;
    script_put(&script, SCRIPT_STORE, pic + 0x128 + 4 * number, HANDLER);
    script_put(&script, SCRIPT_STORE, pic + 4, 1u << number);
    script_put(&script, SCRIPT_STORE, script_niu(noc, 0) + RTZ_CFG, 1 << ID);
    for (unsigned i = 0; i < 3; i++) {
        request(&script, noc, r);
        script_put(&script, SCRIPT_WAIT, DONE, i + 1); /* asleep until the handler has been there */
    }
    script_put(&script, SCRIPT_STORE, DONE + 4, 1);
    start(chip, here, BH_BRISC, &script);
    run(chip);
    assert_int_equal(word_at(chip, here, DONE), 3);
    assert_int_equal(word_at(chip, here, DONE + 4), 1);
    bh_destroy(chip);
}

static void completion_interrupts(void **state) {
    (void)state;
    interrupt_at_completion(0);
    interrupt_at_completion(1);
}

/* ---- Faults
 * ------------------------------------------------------------------------------------------------------------- */

static void a_bad_request_faults_the_store(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    struct script_request r = write_to(here, DATA, there, DATA, 16);
    r.ret_hi = script_xy(31, 31);
    script_request(&script, 1, 2, &r);
    script_put(&script, SCRIPT_STORE, DONE, 1);
    start(chip, here, BH_TRISC1, &script);
    struct bh_fault fault = run_into_fault(chip);
    assert_int_equal(fault.core, BH_TRISC1);
    assert_int_equal(fault.tile.x, here.x);
    if (!strstr(fault.text, "NoC 1 command buffer 2: RET_ADDR_HI names (31,31)"))
        fail_msg("%s", fault.text);
    assert_int_equal(word_at(chip, here, DONE), 0);
    bh_destroy(chip);
}

static void what_a_receiver_cannot_do_faults_the_sender(void **state) {
    static const struct {
        struct bh_xy to;
        uint64_t address;
        enum bh_fault_kind kind;
        const char *text;
    } cases[] = {
        { { 2, 2 }, 0xFFB10000, BH_FAULT_UNMAPPED, "4 bytes: the NoC sees nothing" },
        { { 8, 26 }, 0x1000, BH_FAULT_UNMODELLED, "4 bytes: of L2CPU tiles only the NIUs are modelled" },
        { { 17, 12 }, 0x100000000, BH_FAULT_UNMAPPED, "4 bytes: a bank has 4 GiB" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned back = 0; back < 2; back++) {
            bh_chip *chip = make();
            struct script script = { 0 };
            struct bh_fault again;
            char receiver[32];
            struct script_request r = read_from(cases[i].to, (uint32_t)cases[i].address, here, DATA, 4);
            if (back) /* it is where the answer goes that cannot take it */
                r = (struct script_request){ .targ_lo = DATA,
                                             .targ_hi = xy(there),
                                             .ret_lo = (uint32_t)cases[i].address,
                                             .ret_mid = (uint32_t)(cases[i].address >> 32),
                                             .ret_hi = xy(cases[i].to),
                                             .ctrl = SCRIPT_READ,
                                             .len = 4 };
            else
                r.targ_mid = (uint32_t)(cases[i].address >> 32);
            script_request(&script, 0, 3, &r);
            script_put(&script, SCRIPT_WAIT, DONE, 1); /* for ever */
            start(chip, here, BH_NCRISC, &script);
            struct bh_fault fault = run_into_fault(chip);
            assert_int_equal(fault.kind, cases[i].kind);
            assert_int_equal(fault.core, BH_NCRISC);
            assert_int_equal(fault.tile.x, here.x);
            assert_int_equal(fault.tile.y, here.y);
            assert_int_equal(fault.address, cases[i].address);
            assert_int_equal(fault.insn, word_at(chip, here, fault.pc));
            assert_non_null(strstr(fault.text, "ncrisc at pc 0x"));
            snprintf(receiver, sizeof receiver, "of tile (%u,%u)", cases[i].to.x, cases[i].to.y);
            assert_non_null(strstr(fault.text, receiver));
            if (!strstr(fault.text, cases[i].text))
                fail_msg("'%s' is not in '%s'", cases[i].text, fault.text);
            if (!back)
                assert_non_null(strstr(fault.text, "NoC 0, command buffer 3 of tile (1,2): read of"));
            assert_int_equal(bh_core_fault(chip, here, BH_NCRISC, &again), BH_OK);
            assert_string_equal(again.text, fault.text);
            assert_int_equal(chip->exchange.store.used + chip->store[0]->used + chip->store[1]->used, 0);
            bh_destroy(chip);
        }
}

/* A core that has been put back into reset is not to blame any more, but the fault is told. */
static void a_fault_without_a_core_is_told(void **state) {
    (void)state;
    bh_chip *chip = make();
    struct script script = { 0 };
    request(&script, 0, read_from((struct bh_xy){ 8, 26 }, 0x1000, here, DATA, 4));
    start(chip, here, BH_BRISC, &script);
    changes_at(chip, here, script_counter(0, NIU_OUTSTANDING));
    assert_int_equal(bh_hold(chip, here, 1u << BH_BRISC), BH_OK);
    struct bh_fault fault = run_into_fault(chip);
    struct bh_core_info info;
    assert_int_equal(fault.core, BH_BRISC);
    assert_int_equal(bh_core_query(chip, here, BH_BRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_IN_RESET);
    bh_destroy(chip);
}

/* ---- Life
 * --------------------------------------------------------------------------------------------------------------- */

static void send_for_ever(bh_chip *chip, struct bh_xy from) {
    struct script script = { 0 };
    request(&script, 0, write_to(from, DATA, there, DATA, 4096));
    request(&script, 1, read_from((struct bh_xy){ 17, 13 }, 0x40, from, DATA + 0x8040, 4096));
    script_put(&script, SCRIPT_JUMP, LIST, 0);
    start(chip, from, BH_BRISC, &script);
}

static void reset_forgets_packets(void **state) {
    (void)state;
    bh_chip *chip = make(), *fresh = make();
    send_for_ever(chip, here);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    bh_reset(chip);
    assert_true(bh_state_hash(chip) == bh_state_hash(fresh));
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_run(fresh, 1000, 0, NULL), BH_OK);
    assert_true(bh_state_hash(chip) == bh_state_hash(fresh));
    bh_destroy(chip);
    bh_destroy(fresh);
}

static void the_hash_sees_packets(void **state) {
    (void)state;
    bh_chip *a = make(), *b = make();
    send_for_ever(a, here);
    send_for_ever(b, here);
    for (unsigned i = 0; i < 3000 && !a->waiting[0]; i += 16) {
        assert_int_equal(bh_run(a, 16, 0, NULL), BH_OK);
        assert_int_equal(bh_run(b, 16, 0, NULL), BH_OK);
    }
    assert_true(bh_state_hash(a) == bh_state_hash(b));
    struct inbox *box = &chip_made(b, 1)->mail.inbox;
    assert_int_equal(box->count, 1);
    struct parcel *parcel = (struct parcel *)(uintptr_t)mail_read(&chip_made(b, 1)->mail, &box->heap[0]);
    uint8_t *bytes = parcel->bytes;
    bytes[4095] ^= 1;
    assert_true(bh_state_hash(a) != bh_state_hash(b));
    bytes[4095] ^= 1;
    assert_true(bh_state_hash(a) == bh_state_hash(b));
    parcel->request.address ^= 64;
    assert_true(bh_state_hash(a) != bh_state_hash(b));
    bh_destroy(a);
    bh_destroy(b);
}

/* Threads stay behind when a process forks: the child goes on without them, to the same end. */
static void a_child_goes_on_alone(void **state) {
    enum { PIECE = 4096 };
    int status;
    (void)state;
    bh_chip *chip = make_with(3, 128, 0);
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++)
        send_for_ever(chip, chip_made(chip, i)->xy);
    assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
    assert_non_null(chip->pool);
    pid_t child = fork();
    assert_true(child >= 0);
    assert_int_equal(bh_run(chip, PIECE, 0, NULL), BH_OK);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    if (child == 0)
        _exit((int)(hash & 127));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), (int)(hash & 127));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_arrives_and_is_acknowledged),
        cmocka_unit_test(a_tile_sends_to_itself),
        cmocka_unit_test(an_answer_may_go_elsewhere),
        cmocka_unit_test(the_header_is_stored_twice),
        cmocka_unit_test(a_header_is_stored_twice_in_dram),
        cmocka_unit_test(masks_select_bytes),
        cmocka_unit_test(registers_are_written_from_afar),
        cmocka_unit_test(sleepers_see_what_a_core_writes),
        cmocka_unit_test(the_host_makes_a_request),
        cmocka_unit_test(a_multicast_reaches_the_grid),
        cmocka_unit_test(a_multicast_counts),
        cmocka_unit_test(dram_may_take_multicasts),
        cmocka_unit_test(everybody_counts),
        cmocka_unit_test(data_comes_before_the_count),
        cmocka_unit_test(nothing_overtakes),
        cmocka_unit_test(packets_take_their_time),
        cmocka_unit_test(an_answer_takes_its_time),
        cmocka_unit_test(a_receiver_takes_one_flit_a_cycle),
        cmocka_unit_test(links_do_not_wait_for_each_other),
        cmocka_unit_test(a_sender_gives_one_flit_a_cycle),
        cmocka_unit_test(alone_nothing_is_late),
        cmocka_unit_test(what_is_late_comes_back_later),
        cmocka_unit_test(silence_makes_late_but_not_very),
        cmocka_unit_test(senders_wait_for_the_busy),
        cmocka_unit_test(what_is_on_its_way_is_known),
        cmocka_unit_test(floods_are_held_back),
        cmocka_unit_test(completion_interrupts),
        cmocka_unit_test(a_bad_request_faults_the_store),
        cmocka_unit_test(what_a_receiver_cannot_do_faults_the_sender),
        cmocka_unit_test(a_fault_without_a_core_is_told),
        cmocka_unit_test(reset_forgets_packets),
        cmocka_unit_test(the_hash_sees_packets),
        cmocka_unit_test(a_child_goes_on_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
