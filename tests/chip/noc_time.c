/* Arrival times of packets between tiles, and which packet waits for which. */
#include "support/noc_stage.h"

/* From the store to CMD_CTRL until the last flit has arrived: a cycle for the channel, 7 + 9 for each link + 7, and a
 * cycle for each data flit; in one cycle of 41, L1 gives none. */
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
            assert_int_equal(arrived - sent, 1 + 14 + 9 * ways[i].hops + flits + flits / 40);
            bh_destroy(chip);
        }
}

/* There and back, and 12 cycles for reading L1: an acknowledgement has no data. */
static void an_answer_takes_its_time(void **state) {
    (void)state;
    bh_chip *chip = make_with(1, 1, EXACT);
    struct script script = { 0 };
    request(&script, 0, read_from((struct bh_xy){ 3, 2 }, DATA, here, DATA, 640));
    start(chip, here, BH_BRISC, &script);
    uint64_t sent = changes_at(chip, here, script_counter(0, NIU_OUTSTANDING)) - 1;
    uint64_t back = changes_at(chip, here, script_counter(0, NIU_RD_RESP_RECEIVED)) - 1;
    assert_int_equal(back - sent, 1 + (14 + 2 * 9) + 12 + (14 + (15 + 12 * 0) * 9) + 10);
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
    uint64_t first =
        changes_at(chip, target, DATA + LENGTH - 4); /* they leave at the same time: in the order of sites */
    uint64_t second = changes_at(chip, target, DATA + 0x8000 + LENGTH - 4);
    assert_int_equal(second - first, FLITS);
    bh_destroy(chip);
}

/* A packet that waits for the link of one NoC does not delay a packet on the other. */
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
        uint64_t first = crowd ? changes_at(chip, target, DATA + LENGTH - 4) : 0;
        small[crowd] = changes_at(chip, target, SMALL);
        last = crowd ? changes_at(chip, target, DATA + 0x8000 + LENGTH - 4) : 0;
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
    assert_int_equal(second - first, FLITS + 128 / 40 + 1 + (16 - 11) * 9);
    bh_destroy(chip);
}

/* Two small reads from one tile at the same time: the second begins when the first has its data. */
static void reads_begin_one_after_the_other(void **state) {
    const struct bh_xy above = { 3, 5 }, left = { 2, 6 }, asked = { 3, 6 };
    bh_chip *chip = make_with(1, 1, EXACT);
    (void)state;
    fill(chip, asked, DATA, 16, 1);
    for (unsigned i = 0; i < 2; i++) {
        struct script script = { 0 };
        struct bh_xy from = i ? left : above;
        request(&script, 0, read_from(asked, DATA, from, DATA, 64));
        start(chip, from, BH_BRISC, &script);
    }
    uint64_t first = changes_at(chip, above, DATA), second = changes_at(chip, left, DATA);
    assert_int_equal(second - first, 12 + (16 - 11) * 9);
    bh_destroy(chip);
}

/* Two writes in a row: a cycle passes between them. */
static void packets_follow_each_other(void **state) {
    enum { LENGTH = 16384, FLITS = 1 + LENGTH / 64 };
    bh_chip *chip = make_with(1, 1, EXACT);
    struct script script = { 0 };
    (void)state;
    fill(chip, here, DATA, LENGTH / 4, 1);
    for (unsigned i = 0; i < 2; i++)
        request(&script, 0, write_to(here, DATA, there, DATA + 0x8000 * (1 + i), LENGTH));
    start(chip, here, BH_BRISC, &script);
    uint64_t first = changes_at(chip, there, DATA + 0x8000 + LENGTH - 4);
    uint64_t second = changes_at(chip, there, DATA + 0x10000 + LENGTH - 4);
    assert_int_equal(second - first, FLITS + 256 / 40 + 1);
    bh_destroy(chip);
}

/* Returns the cycles of a core that sends and waits, again and again, while all others sleep. */
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
    while (!peek_word(chip, here, DONE)) {
        assert_int_equal(bh_run(chip, 256, 0, NULL), BH_OK);
        assert_int_equal(bh_core_query(chip, here, BH_BRISC, &info), BH_OK);
        done = info.retired;
    }
    bh_destroy(chip);
    return done;
}

/* Epochs may be long then, and still nothing is late. */
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
    assert_true(back - arrived >= 14 + 16 * 9);
    bh_destroy(chip);
}

/* Returns how late a packet arrives if two tiles work for a while and then one sends to the other. */
static uint64_t lateness_after(unsigned rounds, unsigned epoch, uint64_t *silence) {
    enum { NEIGHBOUR = 1 + 23 + 1, SENDERS_LIST = 0x80000 };
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
    assert_int_equal(changes_at(chip, here, script_counter(0, NIU_WR_ACK_RECEIVED)) - (sent + took), 14 + 16 * 9);
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
        assert_int_equal(bh_run(chip, 5000, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
        assert_int_equal(stop.reason, BH_STOP_CYCLES);
        uint64_t used = blocks_in_use(chip);
        highest = used > highest ? used : highest;
    }
    assert_in_range(highest, SENDERS, SENDERS * (NIU_INITIATORS + 2 * NIU_VCS));
    /* the link into the tile was never idle */
    uint64_t flits = counter_at(chip, here, 0, NIU_SLV_WR_DATA_WORD_RECEIVED + 1);
    assert_in_range(flits, 190000, 200000);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_take_their_time),
        cmocka_unit_test(an_answer_takes_its_time),
        cmocka_unit_test(a_receiver_takes_one_flit_a_cycle),
        cmocka_unit_test(links_do_not_wait_for_each_other),
        cmocka_unit_test(a_sender_gives_one_flit_a_cycle),
        cmocka_unit_test(reads_begin_one_after_the_other),
        cmocka_unit_test(packets_follow_each_other),
        cmocka_unit_test(alone_nothing_is_late),
        cmocka_unit_test(what_is_late_comes_back_later),
        cmocka_unit_test(silence_makes_late_but_not_very),
        cmocka_unit_test(floods_are_held_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
