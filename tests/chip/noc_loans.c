/* Data read from DRAM stays there on loan until it arrives: the result is the same as if it had been copied at once,
 * whatever is written to these bytes meanwhile. */
#include "support/noc_stage.h"
#include "support/random.h"

enum { BYTES = 1024, TILES = 6, REQUESTS = 60, PIECES = 120 };

static struct bh_xy bank_port(unsigned i) {
    return (struct bh_xy){ (uint8_t)(17 + i % 2), (uint8_t)(12 + i % 12) };
}

/* ---- One read ------------------------------------------------------------------------------------------------ */

static const struct bh_xy dram = { 17, 12 };

/* Reads some bytes of DRAM, and stops when they are in flight back. */
static bh_chip *read_half(struct bh_xy to, uint32_t into) {
    bh_chip *chip = make();
    struct script script = { 0 };
    fill(chip, dram, 0x4000, BYTES / 4, 100);
    request(&script, 0, read_from(dram, 0x4000, to, into, BYTES));
    start(chip, here, BH_BRISC, &script);
    for (unsigned i = 0; i < 3000 && !dram_is_lent(&chip->dram, 0, 0x4000, BYTES); i++)
        assert_int_equal(bh_run(chip, 1, 0, NULL), BH_OK);
    assert_true(dram_is_lent(&chip->dram, 0, 0x4000, BYTES));
    return chip;
}

static void the_host_writes_too_late(void **state) {
    (void)state;
    bh_chip *chip = read_half(here, DATA);
    fill(chip, dram, 0x4000, BYTES / 4, 7000);
    run(chip);
    assert_filled(chip, here, DATA, BYTES / 4, 100);
    assert_filled(chip, dram, 0x4000, BYTES / 4, 7000);
    assert_int_equal(chip->dram.loan[0].count, 0);
    bh_destroy(chip);
}

static void beside_it_nothing_is_copied(void **state) {
    (void)state;
    bh_chip *chip = read_half(here, DATA);
    put_word(chip, dram, 0x4000 - 4, 1);
    put_word(chip, dram, 0x4000 + BYTES, 1);
    put_word(chip, bank_port(1), 0x4000, 1);
    assert_int_equal(chip->dram.loan[0].count, 1);
    assert_int_equal(chip->dram.loan[0].pause, 0);
    run(chip);
    assert_filled(chip, here, DATA, BYTES / 4, 100);
    assert_int_equal(chip->dram.loan[0].count, 0);
    assert_false(dram_is_lent(&chip->dram, 0, 0x4000, BYTES));
    bh_destroy(chip);
}

/* A read may have the same source and target. */
static void it_arrives_where_it_is(void **state) {
    (void)state;
    bh_chip *chip = read_half(dram, 0x4100);
    run(chip);
    assert_filled(chip, dram, 0x4000, 0x100 / 4, 100);
    assert_filled(chip, dram, 0x4100, BYTES / 4, 100);
    assert_int_equal(chip->dram.loan[0].count, 0);
    bh_destroy(chip);
}

static void the_hash_sees_its_bytes(void **state) {
    (void)state;
    bh_chip *lent = read_half(here, DATA), *copied = read_half(here, DATA);
    exchange_copy_loans(copied, 0);
    assert_int_equal(lent->dram.loan[0].count, 1);
    assert_int_equal(copied->dram.loan[0].count, 0);
    assert_true(bh_state_hash(lent) == bh_state_hash(copied));
    bh_destroy(lent);
    bh_destroy(copied);
}

/* ---- Many reads and writes ----------------------------------------------------------------------------------- */

static uint64_t chance;

static uint32_t below(uint32_t limit) {
    return random_below(&chance, limit);
}

/* Reads of and writes to the same bytes by all, short and long. */
static void draw(struct script *script, struct bh_xy tile) {
    for (unsigned i = 0; i < REQUESTS; i++) {
        uint32_t length = below(2) ? 1 + below(64) : 1 + below(BYTES), at = below(BYTES) & ~63u;
        struct bh_xy bank = bank_port(below(4));
        if (below(3))
            request(script, below(2), read_from(bank, at, tile, DATA + at, length));
        else
            request(script, below(2), write_to(tile, DATA + at, bank, at, length));
    }
    script_put(script, SCRIPT_JUMP, LIST, 0);
}

static bh_chip *stage(unsigned threads) {
    bh_chip *chip = make_chip(threads);
    chance = 5;
    for (unsigned i = 0; i < TILES; i++) {
        struct script script = { 0 };
        struct bh_xy tile = chip_made(chip, i)->xy;
        fill(chip, tile, DATA, 2 * BYTES / 4, i << 16);
        draw(&script, tile);
        start(chip, tile, BH_BRISC, &script);
    }
    return chip;
}

static void lend_nothing(bh_chip *chip) {
    for (unsigned bank = 0; bank < DRAM_BANKS; bank++)
        chip->dram.loan[bank].pause = UINT32_MAX;
}

/* True: something has been copied after all. */
static bool lend_again(bh_chip *chip) {
    uint32_t any = 0;
    for (unsigned bank = 0; bank < DRAM_BANKS; bank++) {
        any |= chip->dram.loan[bank].pause;
        chip->dram.loan[bank].pause = 0;
    }
    return any;
}

static void nobody_can_tell(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        bh_chip *lends = stage(threads), *copies = stage(1);
        unsigned lent = 0, copied = 0;
        for (unsigned i = 0; i < PIECES; i++) {
            uint32_t piece = 1 + below(200), word = below(BYTES) & ~3u;
            lend_nothing(copies);
            copied += lend_again(lends);
            bh_run(lends, piece, 0, NULL);
            bh_run(copies, piece, 0, NULL);
            lent += dram_is_lent(&lends->dram, 0, 0, 2 * BYTES);
            put_word(lends, bank_port(i % 4), word, i);
            put_word(copies, bank_port(i % 4), word, i);
            if (bh_state_hash(lends) != bh_state_hash(copies))
                fail_msg("another state after %llu cycles", (unsigned long long)bh_cycle(lends));
        }
        assert_true(lent > PIECES / 20 && copied > PIECES / 20);
        bh_destroy(lends);
        bh_destroy(copies);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_writes_too_late), cmocka_unit_test(beside_it_nothing_is_copied),
        cmocka_unit_test(it_arrives_where_it_is),   cmocka_unit_test(the_hash_sees_its_bytes),
        cmocka_unit_test(nobody_can_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
