/* Plans of the unpackers change no result: for each bit of the configuration that changes between two UNPACRs, the
 * second one does the same, or is refused, with and without the plan of the first. */
#include "support/tensix_box.h"
#include "tensix/unpack_setup.h"

/* An instruction of a thread, and what it is going to do. */
struct planned {
    unsigned thread, unpacker, context;
    uint32_t word;
    struct unpack_job job;
    const char *bad;
};

static void plan_anew(struct tensix *x, struct planned *p) {
    p->bad = unpack_prepare(x, p->thread, p->unpacker, p->context, p->word, &p->job);
}

/* Returns whether something kept has been enough. */
static bool plan(struct tensix *x, struct planned *p) {
    p->bad = NULL;
    if (unpack_run(x, p->thread, p->unpacker, p->context, p->word, &p->job))
        return true;
    plan_anew(x, p);
    return false;
}

#define SAME(member) (a->member == b->member)

static bool same_input(const struct unpack_input *a, const struct unpack_input *b) {
    return SAME(data) && SAME(exponents) && SAME(deltas) && SAME(limit) && SAME(fifo) && SAME(count) && SAME(drop) &&
           SAME(emit) && SAME(stride) && SAME(piece) && SAME(bits) && SAME(exponent) && SAME(forced) && SAME(shared) &&
           SAME(compressed);
}

static bool same_output(const struct unpack_output *a, const struct unpack_output *b) {
    return SAME(address) && SAME(zeros) && SAME(skip) && SAME(shift) && SAME(dst) && SAME(transpose) &&
           SAME(absolute) && SAME(zero) && SAME(spread);
}

/* All but `whole_rows`, which says how, not what. */
static bool same_job(const struct unpack_job *a, const struct unpack_job *b) {
    return SAME(ready) && SAME(word) && SAME(kind) && SAME(thread) && SAME(waits_for) && SAME(bank) && SAME(path) &&
           SAME(format) && SAME(flip) && SAME(advance) && SAME(row) && SAME(rate) && SAME(units) && SAME(datum) &&
           same_input(&a->in, &b->in) && same_output(&a->out, &b->out);
}

static void assert_same(const struct planned *got, const struct planned *want, const char *what, unsigned index) {
    if (got->bad != want->bad)
        fail_msg("%s %u: %s, not %s", what, index, got->bad ? got->bad : "fine", want->bad ? want->bad : "fine");
    if (!want->bad && !same_job(&got->job, &want->job))
        fail_msg("%s %u: another job", what, index);
}

struct tally {
    unsigned kept, anew;
};

static void flip_config(struct tensix *x, unsigned thread, unsigned bit) {
    (void)thread;
    config_store(x, 0, bit / 32, x->config.bank[0][bit / 32] ^ UINT32_C(1) << bit % 32, true);
}

static void flip_own(struct tensix *x, unsigned thread, unsigned bit) {
    unsigned value = x->config.thread[thread][bit / 16] ^ 1u << bit % 16;
    assert_int_equal(execute_SETC16(x, thread, TT(SETC16, bit / 16, value), x->time), TENSIX_PASSED);
}

/* One is planned, a bit changes, another one is planned. */
static void change_bit(struct tensix *x, const struct planned *one,
                       void (*flip)(struct tensix *x, unsigned thread, unsigned bit), unsigned bit, const char *what,
                       struct tally *tally) {
    struct planned before = *one, got = *one, want = *one;
    memset(&x->plans.unpack, 0, sizeof x->plans.unpack);
    plan_anew(x, &before);
    flip(x, one->thread, bit);
    bool kept = plan(x, &got);
    plan_anew(x, &want);
    flip(x, one->thread, bit);
    assert_same(&got, &want, what, bit);
    tally->kept += kept;
    tally->anew += !kept;
}

static void assert_changes_are_seen(struct tensix *x, const struct planned *one) {
    struct tally tally = { 0, 0 };
    for (unsigned bit = 0; bit < CONFIG_WORDS * 32; bit++)
        change_bit(x, one, flip_config, bit, "bit of Config", &tally);
    for (unsigned bit = 0; bit < CONFIG_THREAD_WORDS * 16; bit++)
        if (bit / 16 != CONFIG_WORD_PERF_CNT_CMD_Cmd0Start) /* commands, which fault */
            change_bit(x, one, flip_own, bit, "bit of ThreadConfig", &tally);
    assert_int_equal(tally.kept, 0); /* no plan outlives a change */
}

/* Both banks are alike, so that a change of StateID is none. */
static void each_bit(void **state) {
    static const uint8_t formats[][2] = { { 5, 5 }, { 6, 6 }, { 0, 4 }, { 10, 10 }, { 3, 3 } };
    struct tensix_box *tb = tb_create();
    struct tensix *x = tb->x;
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        unsigned unpacker = i & 1, multi = i >> 1 & 1, context = multi ? (i >> 2 & 1) + (unpacker ? 0 : i / 8) : 0;
        us_setup(tb, unpacker, formats[i / 8][0], formats[i / 8][1], 256);
        x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG5_Tile_x_dim_cntx0] = 0x01000100;
        x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0 + 48 * unpacker] |= 0x000F000F;
        UD_SET_UNP(x->config.bank[0], unpacker, ADDR_CTRL_ZW_REG_1_Zstride, 1024);
        memcpy(x->config.bank[1], x->config.bank[0], sizeof x->config.bank[0]);
        struct adc_channel *channel = x->adc[1][unpacker].channel;
        channel[0].value[ADC_Z] = channel[0].value[ADC_Y] = channel[0].value[ADC_W] = channel[1].value[ADC_Z] = 1;
        assert_changes_are_seen(x, &(struct planned){ .thread = 1,
                                                      .unpacker = unpacker,
                                                      .context = context,
                                                      .word = US_UNPACR(unpacker << 23 | multi << 7 | 1 << 8) });
    }
    tb_destroy(tb);
}

/* The word, its thread and the context. */
static void each_bit_of_the_word(void **state) {
    struct tensix_box *tb = tb_create();
    struct tensix *x = tb->x;
    unsigned kept = 0, anew = 0;
    (void)state;
    us_setup(tb, 0, 5, 5, 256);
    us_setup(tb, 1, 5, 5, 256);
    for (unsigned i = 0; i < 4 * 24; i++) {
        struct planned one = { .word = US_UNPACR(US_MULTI), .context = i & 1 }, two = one, want;
        x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0] = 0x000F000F;
        config_changed(&x->config);
        plan_anew(x, &one);
        two.word ^= 1u << i / 4;
        two.unpacker = two.word >> 23 & 1;
        two.thread = i >> 1 & 1;
        two.context = two.unpacker ? 0 : i & 1;
        want = two;
        bool usual = plan(x, &two);
        plan_anew(x, &want);
        assert_same(&two, &want, "bit of the word", i / 4);
        kept += usual;
        anew += !usual;
    }
    assert_true(kept >= 11 && anew > 40); /* AddrMode, SetDatValid, ZeroWrite2, Last */
    tb_destroy(tb);
}

/* Two contexts are kept beside each other; four are not. */
static void contexts(void **state) {
    struct tensix_box *tb = tb_create();
    struct tensix *x = tb->x;
    (void)state;
    us_setup(tb, 0, 5, 5, 256);
    for (unsigned i = 0; i < 2; i++)
        x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG3_Base_address + i] = 0x1000 + 0x100 * i;
    x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG2_Disable_zero_compress_cntx0] = 0x000F000F;
    config_changed(&x->config);
    for (unsigned i = 0; i < 8; i++) {
        struct planned one = { .word = US_UNPACR(US_MULTI), .context = i < 4 ? i % 2 : 2 * (i % 2) }, want = one;
        assert_int_equal(plan(x, &one), i == 2 || i == 3 || i == 4);
        plan_anew(x, &want);
        assert_same(&one, &want, "context", i);
    }
    tb_destroy(tb);
}

/* Combinations that only counters make undefined are refused, with any plan. */
static void odd_addresses(void **state) {
    struct tensix_box *tb = tb_create();
    struct tensix *x = tb->x;
    struct planned one = { .word = US_UNPACR(0) };
    (void)state;
    us_setup(tb, 0, 5, 5, 256);
    MR_SET(x->config.bank[0], UNP0_ADDR_CTRL_ZW_REG_1_Zstride, 1);
    config_changed(&x->config);
    for (unsigned i = 0; i < 4; i++) {
        static const uint8_t in_turn[] = { 0, 2, 1, 3 };
        unsigned z = in_turn[i];
        x->adc[0][0].channel[1].value[ADC_Z] = z;
        assert_int_equal(plan(x, &one), z == 2);
        assert_int_equal(one.bad != NULL, z & 1);
    }
    tb_destroy(tb);
}

/* Sizes of Y and Z have eight bits: that many rows lie between two planes, that many planes between two blocks. */
static void large_tiles(void **state) {
    struct tensix_box *tb = tb_create();
    struct tensix *x = tb->x;
    uint32_t *z = &x->adc[0][0].channel[0].value[ADC_Z], *w = &x->adc[0][0].channel[0].value[ADC_W];
    (void)state;
    us_setup(tb, 0, 5, 5, 16);
    x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] = 5 | 0x10 | 16 << 16;
    x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 1] = 0xC8 | 0x81 << 16;
    config_changed(&x->config);
    struct planned first = { .word = US_UNPACR(0) }, plane = first, block = first;
    plan_anew(x, &first);
    *z = 1;
    plan_anew(x, &plane);
    *z = 0;
    *w = 1;
    plan_anew(x, &block);
    assert_null(first.bad);
    assert_int_equal(plane.job.in.data - first.job.in.data, 0xC8 * 16 * 16);
    assert_int_equal(block.job.in.data - first.job.in.data, 0x81 * 0xC8 * 16 * 16);
    tb_destroy(tb);
}

/* Z and W count with eight bits, Y and X with all of theirs. */
static void counters(void **state) {
    struct tensix_box *tb = tb_create();
    struct tensix *x = tb->x;
    uint64_t seed = 5;
    (void)state;
    us_setup(tb, 0, 5, 5, 256);
    x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] = 5 | 0x10 | 16 << 16;
    x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 1] = 2 | 3 << 16;
    config_changed(&x->config);
    for (unsigned i = 0; i < 400; i++) {
        struct planned one = { .word = US_UNPACR(0) }, want = one;
        x->adc[0][0].channel[0].value[ADC_Z] = random_below(&seed, 256);
        x->adc[0][0].channel[0].value[ADC_W] = random_below(&seed, 256);
        x->adc[0][0].channel[0].value[ADC_Y] = random_below(&seed, 64);
        assert_int_equal(plan(x, &one), i > 0);
        plan_anew(x, &want);
        assert_null(want.bad);
        assert_same(&one, &want, "counters", i);
    }
    tb_destroy(tb);
}

/* Where data have been moved before, what clears a bank has nothing of that. */
static void nothing_stays(void **state) {
    struct tensix_box *tb = tb_create();
    struct tensix *x = tb->x;
    const struct unpack_job *job = x->unpack.unit[0].job;
    const struct unpack_input no_input = { .data = 0 };
    const struct unpack_output no_output = { .address = 0 };
    (void)state;
    us_setup(tb, 0, 5, 5, 256);
    for (unsigned i = 0; i < UNPACK_JOBS; i++) {
        assert_int_equal(execute_UNPACR(x, 0, US_UNPACR(0), tb->now += 100), TENSIX_PASSED);
        tensix_run(x, tb->now += 100);
        assert_memory_not_equal(&job[i].in, &no_input, sizeof no_input);
    }
    for (unsigned i = 0; i < UNPACK_JOBS; i++) {
        uint32_t clear = TT(UNPACR_NOP, 0, 0, 0, 0, 0, 0, 0, 0, 1);
        assert_int_equal(execute_UNPACR_NOP(x, 0, clear, tb->now), TENSIX_PASSED);
        assert_memory_equal(&job[i].in, &no_input, sizeof no_input);
        assert_memory_equal(&job[i].out, &no_output, sizeof no_output);
        tensix_run(x, tb->now += 100);
    }
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bit),      cmocka_unit_test(each_bit_of_the_word),
        cmocka_unit_test(contexts),      cmocka_unit_test(odd_addresses),
        cmocka_unit_test(counters),      cmocka_unit_test(large_tiles),
        cmocka_unit_test(nothing_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
