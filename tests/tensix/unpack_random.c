/* UNPACR at random, in every mode, against the page one datum at a time: Src, Dst, address counters, contexts and banks
 * afterwards, or that it is undefined. */
#include "tensix/unpack_draw.h"

enum { ROUNDS = 12000, LIKE_IT = 2 };

static struct tally { unsigned defined, undefined, pairs[16][16][3]; } tally;

static void give_state(struct ud *d, struct tensix *x) {
    struct src *src = &x->src;
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS; i++)
        src->allowed[i / 2][i % 2] = SRC_UNPACKERS;
    for (unsigned file = 0; file < SRC_FILES; file++) {
        src->unpacker_bank[file] = (uint8_t)random_below(&d->seed, 2);
        src->allowed[file][!src->unpacker_bank[file]] = (uint8_t)random_below(&d->seed, 2);
        for (unsigned thread = 0; thread < 3; thread++)
            src->unpacker_row[file][thread] = (uint8_t)(ud_rarely(d, 2) ? 16 * random_below(&d->seed, 4) : 0);
    }
    for (unsigned i = 0; i < DST_ROWS / 32; i++)
        x->dst.invalid[i] = (uint32_t)random_next(&d->seed);
    for (unsigned bank = 0; bank < 2; bank++) {
        MR_SET(x->config.bank[bank], DEST_ACCESS_CFG_remap_addrs, d->seed >> 20 & 1);
        MR_SET(x->config.bank[bank], DEST_ACCESS_CFG_swizzle_32b, d->seed >> 21 & 1);
    }
    x->dst.halves = (d->seed >> 22 & 7) == 0;
}

static void assert_same(const struct ur *want, const struct ur *got) {
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS * SRC_ROWS * SRC_COLUMNS; i++) {
        unsigned file = i >> 11, bank = i >> 10 & 1, row = i >> 4 & 63, column = i & 15;
        if (want->src[file][bank][row][column] != got->src[file][bank][row][column])
            fail_msg("Src%c bank %u row %u column %u: 0x%x, not 0x%x", 'A' + (int)file, bank, row, column,
                     got->src[file][bank][row][column], want->src[file][bank][row][column]);
    }
    for (unsigned i = 0; i < DST_ROWS * DST_COLUMNS; i++)
        if (want->dst[i / 16][i % 16] != got->dst[i / 16][i % 16])
            fail_msg("Dst row %u column %u: 0x%x, not 0x%x", i / 16, i % 16, got->dst[i / 16][i % 16],
                     want->dst[i / 16][i % 16]);
    assert_memory_equal(want->valid, got->valid, sizeof want->valid);
    assert_memory_equal(want->adc, got->adc, sizeof want->adc);
    assert_memory_equal(want->contexts, got->contexts, sizeof want->contexts);
    assert_memory_equal(want->allowed, got->allowed, sizeof want->allowed);
    assert_memory_equal(want->bank, got->bank, sizeof want->bank);
    assert_memory_equal(want->format, got->format, sizeof want->format);
    assert_memory_equal(want->row, got->row, sizeof want->row);
}

static void unpack(struct tensix_box *tb, struct ud *d, uint32_t word) {
    static struct ur want, got;
    struct ur_setting setting;
    struct tensix *x = tb->x;
    give_state(d, x);
    if (random_below(&d->seed, 16) == 0)
        ud_memory(d, x);
    ur_take(&want, x);
    const char *bad = ur_unpack(x, d->thread, word, &want, &setting);
    unsigned faults = tb->box->faults;
    tb->now += 100;
    uint64_t passed = execute_UNPACR(x, d->thread, word, tb->now);
    tensix_run(x, tb->now += 20000);
    if ((tb->box->faults != faults) != !!bad)
        fail_msg("the page: %s; here: %s", bad ? bad : "defined",
                 tb->box->faults == faults ? "-" : tb->box->fault.text);
    assert_int_equal(x->unpack.unit[d->unpacker].count, 0);
    if (bad) {
        tally.undefined++;
        assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
        assert_int_equal(tb->box->fault.insn, word);
        x->thread[d->thread].faulted = false;
        return;
    }
    tally.defined++;
    tally.pairs[setting.in][setting.out][setting.to_dst ? 2 : setting.unpacker]++;
    assert_int_equal(passed, TENSIX_PASSED);
    ur_take(&got, x);
    assert_same(&want, &got);
}

static uint32_t *config_of(struct tensix *x, const struct ud *d) {
    return x->config.bank[x->config.thread[d->thread][CONFIG_WORD_CFG_STATE_ID_StateID] & 1] + 48 * d->unpacker;
}

/* Another tile, other faces of it, and fields of the word itself. */
static uint32_t draw_like_it(struct ud *d, struct tensix *x, uint32_t word) {
    for (unsigned i = ud_chance(d, 2) ? 0 : 8; i < 8; i++) {
        config_of(x, d)[CONFIG_WORD_THCON_SEC0_REG3_Base_address + i] = UD_L1 / 16 + random_below(&d->seed, 64);
        config_changed(&x->config);
    }
    ud_counters(d, x);
    return word ^ (random_below(&d->seed, 256) << 15 | random_below(&d->seed, 2) << 6 | (uint32_t)ud_chance(d, 8) << 4);
}

/* Similar tiles that are not compressed, whose contents need not be recovered. */
static void one(struct tensix_box *tb, struct ud *d) {
    d->thread = random_below(&d->seed, 3);
    d->rare = random_below(&d->seed, 2);
    uint32_t word = ud_draw(d, tb->x);
    unpack(tb, d, word);
    config_of(tb->x, d)[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] |= 0x10;
    config_of(tb->x, d)[CONFIG_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0] |= 0x000F000F;
    config_changed(&tb->x->config);
    for (unsigned i = 0; i < LIKE_IT; i++)
        unpack(tb, d, draw_like_it(d, tb->x, word));
}

static void at_random(void **state) {
    struct tensix_box *tb = tb_create();
    struct ud d = { .seed = 1 };
    (void)state;
    d.rare = true;
    ud_memory(&d, tb->x);
    for (unsigned i = 0; i < ROUNDS; i++)
        one(tb, &d);
    tb_destroy(tb);
}

/* Every pair that is defined has been there. */
static void pairs(void **state) {
    (void)state;
    assert_true(tally.defined > ROUNDS / 2);
    assert_true(tally.undefined > ROUNDS / 20);
    for (unsigned in = 0; in < 16; in++)
        for (unsigned out = 0; out < 16; out++)
            for (unsigned to = 0; to < 3; to++) {
                bool wide = ur_bits(in) == 32 && ur_bits(out) == 32;
                bool there = in == 0 ? out == 1 || out == 5 || out == 4 || (out == 0 && to == 2)
                                     : (in == out || ur_share_alike(in, out)) && ur_bits(in) && (to == 2 || !wide);
                if (!!tally.pairs[in][out][to] != there)
                    fail_msg("%u to %u, to %u: %u times", in, out, to, tally.pairs[in][out][to]);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_random), cmocka_unit_test(pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
