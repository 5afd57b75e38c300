/* What delays may change, and what they must not: the order of a core's own accesses, of packets on one channel, and of
 * a request and its bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/chip.h"
#include "support/rv.h"

#define NIU    0xFFB20000u
#define EBREAK UINT32_C(0x00100073)
#define FENCE  UINT32_C(0x0000000F)

enum { HERE = 0x40000, THERE = 0x41000, WRITE = 0x12, STATIC = 0x80, VC = 13, LATE = 48 };
enum { BASE = 5, VALUE = 6, RESULT = 10 }; /* registers */

static const struct bh_xy tile = { 1, 2 }, other = { 3, 2 };

struct program {
    uint32_t word[120];
    unsigned count;
};

static void put(struct program *p, uint32_t word) {
    assert_true(p->count < sizeof p->word / sizeof *p->word);
    p->word[p->count++] = word;
}

static void set(struct program *p, unsigned reg, uint32_t value) {
    put(p, rv_lui(reg, rv_high(value)));
    put(p, rv_addi(reg, reg, rv_low(value)));
}

static struct program begin(void) {
    struct program p = { .count = 0 };
    put(&p, RV_L0_OFF);
    set(&p, BASE, HERE);
    put(&p, rv_addi(VALUE, 0, 7));
    return p;
}

static bh_chip *make_with_delays(const char *text) {
    struct bh_delay delay[4];
    size_t count = 0;
    bh_chip *chip = make_with(1, 1, 16);
    for (const char *at = text; at && *at; at += *at == '+') {
        at = bh_delay_parse(at, &delay[count++]);
        assert_non_null(at);
    }
    assert_int_equal(bh_vary_only(chip, delay, count), BH_OK);
    return chip;
}

static bh_chip *run(struct program *p, const char *delays) {
    bh_chip *chip = make_with_delays(delays);
    put(p, EBREAK);
    start_at(chip, tile, BH_BRISC, 0, p->word, 4 * p->count);
    run_until_idle(chip);
    p->count--;
    return chip;
}

/* Returns the core's time at the end, with these delays. */
static uint64_t time_of(struct program *p, const char *delays) {
    struct bh_core_info info;
    bh_chip *chip = run(p, delays);
    assert_int_equal(bh_core_query(chip, tile, BH_BRISC, &info), BH_OK);
    bh_destroy(chip);
    return info.cycle;
}

static uint32_t result_of(const bh_chip *chip) {
    uint32_t value;
    assert_int_equal(bh_core_get(chip, tile, BH_BRISC, RESULT, &value), BH_OK);
    return value;
}

/* ---- Stores -------------------------------------------------------------------------------------------------- */

/* Returns the value of a word after so many cycles from the time of the run's first delay on. */
static uint32_t seen_after(struct program *p, const char *delays, uint32_t address, uint64_t cycles) {
    struct bh_delay delay;
    bh_chip *chip = run(p, delays);
    assert_int_equal(bh_delay_at(chip, 0, &delay), BH_OK);
    assert_int_equal(delay.core, BH_BRISC);
    bh_destroy(chip);
    chip = make_with_delays(delays);
    start_at(chip, tile, BH_BRISC, 0, p->word, 4 * p->count);
    assert_int_equal(bh_run(chip, delay.cycle + cycles, 0, NULL), BH_OK);
    uint32_t value = peek_word(chip, tile, address);
    bh_destroy(chip);
    return value;
}

static void a_late_store_is_seen_late(void **state) {
    (void)state;
    struct program p = begin();
    put(&p, rv_sw(VALUE, 0, BASE));
    put(&p, EBREAK);
    assert_int_equal(seen_after(&p, "store@1,2.brisc#0=48", HERE, LATE - 1), 0);
    assert_int_equal(seen_after(&p, "store@1,2.brisc#0=48", HERE, LATE + 1), 7);
}

static void stores_of_a_core_stay_in_order(void **state) {
    (void)state;
    struct program p = begin();
    put(&p, rv_sw(VALUE, 0, BASE));
    put(&p, rv_sw(VALUE, 64, BASE));
    put(&p, EBREAK);
    assert_int_equal(seen_after(&p, "store@1,2.brisc#0=48", HERE + 64, LATE - 1), 0);
    assert_int_equal(seen_after(&p, "store@1,2.brisc#0=48", HERE + 64, LATE + 2), 7);
}

static void the_core_reads_what_it_has_stored(void **state) {
    (void)state;
    struct program p = begin();
    put(&p, rv_sw(VALUE, 0, BASE));
    put(&p, rv_lbu(RESULT, 0, BASE));
    bh_chip *chip = run(&p, "store@1,2.brisc#0=48");
    assert_int_equal(result_of(chip), 7);
    bh_destroy(chip);
    assert_true(time_of(&p, "store@1,2.brisc#0=48") >= time_of(&p, "") + LATE - 8);
}

/* A load of another word waits only behind a fence, and an atomic always. */
static void what_waits_for_a_store(void **state) {
    (void)state;
    static const uint32_t amoadd = UINT32_C(0x0000202F);
    for (unsigned i = 0; i < 4; i++) {
        struct program p = begin();
        put(&p, rv_sw(VALUE, 0, BASE));
        if (i == 1 || i == 2)
            put(&p, FENCE);
        if (i == 0 || i == 2)
            put(&p, rv_lw(RESULT, 64, BASE));
        if (i == 3)
            put(&p, amoadd | BASE << 15 | RESULT << 7);
        bool waits = i >= 2;
        uint64_t late = time_of(&p, "store@1,2.brisc#0=48") - time_of(&p, "");
        if (waits ? late < LATE - 16 : late > 0)
            fail_msg("case %u is %llu cycles late", i, (unsigned long long)late);
    }
}

static void an_atomic_finds_the_store_before_it(void **state) {
    (void)state;
    static const uint32_t amoadd = UINT32_C(0x0000202F);
    struct program p = begin();
    put(&p, rv_sw(VALUE, 0, BASE));
    put(&p, amoadd | VALUE << 20 | BASE << 15 | RESULT << 7);
    bh_chip *chip = run(&p, "store@1,2.brisc#0=48");
    assert_int_equal(result_of(chip), 7);
    assert_int_equal(peek_word(chip, tile, HERE), 14);
    bh_destroy(chip);
}

static void a_gap_stops_the_core(void **state) {
    (void)state;
    struct program p = begin();
    put(&p, rv_sw(VALUE, 0, BASE));
    uint64_t usual = time_of(&p, "");
    bool late = false;
    for (unsigned i = 0; i < 3; i++) {
        char text[] = "gap@1,2.brisc#0=500";
        text[14] = (char)('0' + i);
        late |= time_of(&p, text) == usual + 500;
    }
    assert_true(late);
}

/* More stores than can be late land early, in order. */
static void a_full_queue_loses_nothing(void **state) {
    (void)state;
    struct program p = begin();
    for (unsigned i = 0; i < 40; i++) {
        put(&p, rv_addi(VALUE, 0, (int32_t)i + 1));
        put(&p, rv_sw(VALUE, (int32_t)(32 * i), BASE));
    }
    bh_chip *chip = run(&p, "store@1,2.brisc#0=48+store@1,2.brisc#20=48");
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(peek_word(chip, tile, HERE + 32 * i), i + 1);
    bh_destroy(chip);
}

static void what_is_late_lands_when_delays_end(void **state) {
    (void)state;
    struct program p = begin();
    put(&p, rv_sw(VALUE, 0, BASE));
    put(&p, EBREAK);
    bh_chip *chip = make_with_delays("store@1,2.brisc#0=48");
    start_at(chip, tile, BH_BRISC, 0, p.word, 4 * p.count);
    for (unsigned i = 0; i < 4000 && !bh_delay_count(chip); i++)
        assert_int_equal(bh_run(chip, 1, 0, NULL), BH_OK);
    assert_int_equal(bh_delay_count(chip), 1);
    assert_int_equal(peek_word(chip, tile, HERE), 0);
    assert_int_equal(bh_vary(chip, 0), BH_OK);
    assert_int_equal(peek_word(chip, tile, HERE), 7);
    run_until_idle(chip);
    bh_destroy(chip);
}

/* ---- Packets ------------------------------------------------------------------------------------------------- */

/* A write of a word at HERE to THERE of the other tile. */
static void request(struct program *p, uint32_t ctrl) {
    static const struct {
        uint32_t offset, value;
    } fields[] = { { 0x00, HERE }, { 0x08, 1 | 2 << 6 }, { 0x0C, THERE }, { 0x14, 3 | 2 << 6 }, { 0x20, 4 } };
    set(p, BASE, NIU);
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
        set(p, VALUE, fields[i].value);
        put(p, rv_sw(VALUE, (int32_t)fields[i].offset, BASE));
    }
    set(p, VALUE, ctrl);
    put(p, rv_sw(VALUE, 0x1C, BASE));
    put(p, rv_addi(VALUE, 0, 1));
    put(p, rv_sw(VALUE, 0x40, BASE));
}

static void store(struct program *p, int32_t value) {
    set(p, BASE, HERE);
    put(p, rv_addi(VALUE, 0, value));
    put(p, rv_sw(VALUE, 0, BASE));
    put(p, rv_lw(VALUE, 0, BASE));
    put(p, rv_add(VALUE, VALUE, 0));
}

/* Two writes to the same word, the first of them late. Returns the word. */
static uint32_t after_two_writes(unsigned first_vc, unsigned second_vc) {
    struct program p = { .count = 0 };
    put(&p, RV_L0_OFF);
    store(&p, 1);
    request(&p, WRITE | STATIC | first_vc << VC);
    for (unsigned i = 0; i < 20; i++)
        put(&p, RV_NOP);
    store(&p, 2);
    request(&p, WRITE | STATIC | second_vc << VC);
    bh_chip *chip = run(&p, "request@1,2-3,2#0=900");
    uint32_t value = peek_word(chip, other, THERE);
    assert_int_equal(bh_delay_count(chip), 1);
    bh_destroy(chip);
    return value;
}

static void packets_stay_in_order_on_one_channel_only(void **state) {
    (void)state;
    assert_int_equal(after_two_writes(1, 1), 2);
    assert_int_equal(after_two_writes(0, 1), 1);
}

/* Bytes are read when the request leaves: they may change before. */
static void a_late_request_reads_its_bytes_late(void **state) {
    (void)state;
    static const char *const delays[] = { "", "send@1,2.noc0#0=200" };
    for (unsigned i = 0; i < 2; i++) {
        struct program p = { .count = 0 };
        put(&p, RV_L0_OFF);
        store(&p, 1);
        request(&p, WRITE);
        for (unsigned n = 0; n < 20; n++)
            put(&p, RV_NOP);
        store(&p, 2);
        bh_chip *chip = run(&p, delays[i]);
        assert_int_equal(peek_word(chip, other, THERE), 1 + i);
        bh_destroy(chip);
    }
}

/* ---- The setting --------------------------------------------------------------------------------------------- */

static void wrong_settings_are_refused(void **state) {
    (void)state;
    struct bh_delay delay = { .kind = BH_DELAY_STORE, .tile = { 1, 2 }, .cycles = 1 };
    bh_chip *loose = make_timed(BH_TIMING_LOOSE, 1), *chip = make_chip(1);
    assert_refusal(loose, bh_vary(loose, 1), BH_ERR_STATE, "cycle timing");
    assert_refusal(loose, bh_vary_only(loose, &delay, 1), BH_ERR_STATE, "cycle timing");
    assert_int_equal(bh_vary(loose, 0), BH_OK);
    assert_int_equal(bh_vary(NULL, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_vary_only(NULL, &delay, 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_vary_only(chip, NULL, 1), BH_ERR_ARGUMENT);
    delay.cycles = bh_delay_kind_most(BH_DELAY_STORE) + 1;
    assert_refusal(chip, bh_vary_only(chip, &delay, 1), BH_ERR_ARGUMENT, "delay 0");
    delay = (struct bh_delay){ .kind = BH_DELAY_REQUEST, .tile = { 1, 2 }, .to = { 63, 63 }, .cycles = 1 };
    assert_refusal(chip, bh_vary_only(chip, &delay, 1), BH_ERR_ARGUMENT, "delay 0");
    delay = (struct bh_delay){ .kind = BH_DELAY_KIND_COUNT, .tile = { 1, 2 } };
    assert_refusal(chip, bh_vary_only(chip, &delay, 1), BH_ERR_ARGUMENT, "delay 0");
    assert_int_equal(bh_delay_count(chip), 0);
    assert_int_equal(bh_delay_at(chip, 0, &delay), BH_ERR_ARGUMENT);
    assert_false(bh_delays_incomplete(NULL));
    bh_destroy(loose);
    bh_destroy(chip);
}

static uint64_t hash_after(bh_chip *chip, const struct program *p) {
    start_at(chip, tile, BH_BRISC, 0, p->word, 4 * p->count);
    run_until_idle(chip);
    return bh_state_hash(chip);
}

/* The list of a run with a seed is the same run, and a reset chip has the same delays again. */
static void a_list_repeats_a_seed(void **state) {
    (void)state;
    struct program p = begin();
    for (unsigned i = 0; i < 30; i++)
        put(&p, rv_sw(VALUE, (int32_t)(32 * i), BASE));
    put(&p, EBREAK);
    for (uint64_t seed = 1; seed < 20; seed++) {
        struct bh_delay delay[100];
        size_t count = 0;
        bh_chip *chip = make_with(1, 1, 16);
        assert_int_equal(bh_vary(chip, seed), BH_OK);
        uint64_t first = hash_after(chip, &p);
        while (count < 100 && bh_delay_at(chip, count, &delay[count]) == BH_OK)
            count++;
        bh_reset(chip);
        assert_true(hash_after(chip, &p) == first);
        bh_reset(chip);
        assert_int_equal(bh_vary_only(chip, delay, count), BH_OK);
        assert_true(hash_after(chip, &p) == first);
        assert_int_equal(bh_delay_count(chip), count);
        bh_destroy(chip);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_store_is_seen_late),
        cmocka_unit_test(stores_of_a_core_stay_in_order),
        cmocka_unit_test(the_core_reads_what_it_has_stored),
        cmocka_unit_test(what_waits_for_a_store),
        cmocka_unit_test(an_atomic_finds_the_store_before_it),
        cmocka_unit_test(a_gap_stops_the_core),
        cmocka_unit_test(a_full_queue_loses_nothing),
        cmocka_unit_test(what_is_late_lands_when_delays_end),
        cmocka_unit_test(packets_stay_in_order_on_one_channel_only),
        cmocka_unit_test(a_late_request_reads_its_bytes_late),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(a_list_repeats_a_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
