/* Packets between tiles: which arrive and in which order, and the effect of reset, state hash and fork on packets in
 * flight. */
#include <sys/wait.h>
#include <unistd.h>

#include "support/noc_stage.h"

/* ---- Arrivals ---------------------------------------------------------------------------------------------------- */

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
        assert_int_equal(peek_word(chip, here, DONE), 77);
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
    assert_int_equal(peek_word(chip, there, DATA + 0x1010), 0);
    bh_destroy(chip);
}

/* A write with HEADER_STORE to DRAM too, unless its NIU has turned that off. */
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
            put_word(chip, bank, niu_cfg, peek_word(chip, bank, niu_cfg) | 1 << 13);
        fill(chip, here, DATA, 16, 0x77);
        request(&script, 0, r);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_filled(chip, bank, DATA, 16, 0x77);
        assert_int_equal(peek_word(chip, bank, DATA + 0x1000), off ? 0 : 0x77);
        assert_int_equal(peek_word(chip, bank, DATA + 0x100C), off ? 0 : 0x7A);
        assert_int_equal(peek_word(chip, bank, DATA + 0x1010), 0);
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

/* Neither tile needs the bytes behind the last one that the mask selects: L1 may end there. */
static void masks_may_end_with_l1(void **state) {
    enum { LAST = 0x180000 - 16 };
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct bh_config config;
        struct script script = { 0 };
        bh_config_init(&config);
        config.timing = loose ? BH_TIMING_LOOSE : BH_TIMING_CYCLES;
        bh_chip *chip = make_configured(&config);
        struct script_request r = write_to(here, LAST, there, LAST, 0x8F0F);
        r.ctrl |= SCRIPT_BYTE_ENABLE;
        fill(chip, here, LAST, 4, 0x11111111);
        request(&script, 0, r);
        r.len = 0; /* selects nothing */
        request(&script, 0, r);
        wait_for(&script, 0, NIU_WR_ACK_RECEIVED, 2);
        script_put(&script, SCRIPT_STORE, DONE, 1);
        start(chip, here, BH_BRISC, &script);
        run(chip);
        assert_int_equal(peek_word(chip, here, DONE), 1);
        assert_int_equal(peek_word(chip, there, LAST), 0x11111111);
        assert_int_equal(peek_word(chip, there, LAST + 4), 0);
        assert_int_equal(peek_word(chip, there, LAST + 8), 0x11111113);
        assert_int_equal(peek_word(chip, there, LAST + 12), 0x11000000);
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
    uint32_t reset = peek_word(chip, there, 0xFFB121B0);
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
    assert_int_equal(peek_word(chip, there, DONE), 1);
    bh_destroy(chip);
}

/* A core that polls a register of a NIU sleeps until the value changes, whatever changes it. */
static void sleep_until_written(uint32_t offset) {
    bh_chip *chip = make();
    struct script sleeps = { 0 }, writes = { 0 };
    struct bh_core_info info;
    script_put(&sleeps, SCRIPT_WAIT, script_niu(1, 0) + offset, 5);
    script_put(&sleeps, SCRIPT_STORE, DONE, 1);
    for (unsigned i = 0; i < 200; i++)
        script_put(&writes, SCRIPT_STORE, script_niu(1, 0), i); /* which is none of the sleeper's business */
    script_put(&writes, SCRIPT_STORE, script_niu(1, 0) + offset, 5);
    start(chip, here, BH_NCRISC, &sleeps);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    start(chip, here, BH_BRISC, &writes);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_query(chip, here, BH_NCRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_POLLING);
    run(chip);
    assert_int_equal(peek_word(chip, here, DONE), 1);
    bh_destroy(chip);
}

static void sleepers_see_what_a_core_writes(void **state) {
    (void)state;
    sleep_until_written(0x10C);           /* a register for free use */
    sleep_until_written(4 * NIU_AT_DATA); /* a field of a request */
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
    assert_int_equal(peek_word(chip, there, DATA), 0);
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
            assert_int_equal(peek_word(chip, here, DONE), 1);
            assert_int_equal(count_with(chip, DATA + 0x1000, 0x500), receivers);
            assert_int_equal(count_with(chip, DATA + 0x1000 + 1020, 0x500 + 255), receivers);
            assert_int_equal(blocks_in_use(chip), 0);
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

/* ---- Atomicity and order ----------------------------------------------------------------------------------------- */

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
    assert_int_equal(peek_word(chip, there, 0x8004), TOTAL);
    for (unsigned i = 0; i < TOPOLOGY_TENSIX; i++)
        for (uint32_t k = 0; k < TIMES; k++) {
            uint32_t count = peek_word(chip, chip_made(chip, i)->xy, DATA + 4 * k);
            assert_in_range(count, 0, TOTAL - 1);
            assert_false(seen[count]);
            seen[count] = true;
        }
    bh_destroy(chip);
}

/* An agent that sees the count also sees the data before it. */
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

/* ---- Life -------------------------------------------------------------------------------------------------------- */

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
    struct transaction *transaction = (struct transaction *)(uintptr_t)mail_read(&chip_made(b, 1)->mail, &box->heap[0]);
    uint8_t *bytes = transaction_own(transaction);
    bytes[4095] ^= 1;
    assert_true(bh_state_hash(a) != bh_state_hash(b));
    bytes[4095] ^= 1;
    assert_true(bh_state_hash(a) == bh_state_hash(b));
    transaction->request.address ^= 64;
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
        cmocka_unit_test(masks_may_end_with_l1),
        cmocka_unit_test(registers_are_written_from_afar),
        cmocka_unit_test(sleepers_see_what_a_core_writes),
        cmocka_unit_test(the_host_makes_a_request),
        cmocka_unit_test(a_multicast_reaches_the_grid),
        cmocka_unit_test(a_multicast_counts),
        cmocka_unit_test(dram_may_take_multicasts),
        cmocka_unit_test(everybody_counts),
        cmocka_unit_test(data_comes_before_the_count),
        cmocka_unit_test(nothing_overtakes),
        cmocka_unit_test(reset_forgets_packets),
        cmocka_unit_test(the_hash_sees_packets),
        cmocka_unit_test(a_child_goes_on_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
