/* Random PACRs, in every mode, tile by tile against the pages one datum at a time: L1, address counters, exponents and
 * reported sizes of tiles afterwards; or that one of them is undefined. */
#include "tensix/pack_draw.h"

enum { ROUNDS = 5000, TILES = 3, LONGEST = 9 };

static struct tally { unsigned defined, undefined, tiles, whole, pairs[16][16][2]; } tally;

static void take(struct pr *m, const struct tensix *x) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        m->adc[i] = x->adc[i][ADC_PACKERS];
    m->packer = x->packer;
    m->position = x->pack.position;
    m->plane = x->pack.plane;
    m->open = false;
}

static void assert_memory(const struct pr *m, const struct tensix *x) {
    if (!memcmp(m->l1 + PD_L1, x->l1 + PD_L1, PD_SIZE))
        return;
    for (unsigned i = PD_L1; i < PD_L1 + PD_SIZE; i++)
        if (m->l1[i] != x->l1[i])
            fail_msg("L1 0x%x: 0x%02x, not 0x%02x; tile at 0x%x, kind %d, out %d, add %d, compressed %d, %u data", i,
                     x->l1[i], m->l1[i], (unsigned)m->at[0], (int)m->kind, (int)m->out, m->add, m->compress, m->data);
}

static void assert_told(const struct packer *want, const struct packer *got) {
    assert_memory_equal(want->acc_tile_size, got->acc_tile_size, sizeof want->acc_tile_size);
    assert_int_equal(want->last_tile_size, got->last_tile_size);
    assert_int_equal(want->last_thread, got->last_thread);
    assert_int_equal(want->all_zero_flags, got->all_zero_flags);
    assert_memory_equal(want->exponent_histogram, got->exponent_histogram, sizeof want->exponent_histogram);
    assert_int_equal(want->max_exponent, got->max_exponent);
    assert_int_equal(want->tiles, got->tiles);
    for (unsigned i = 0; i < want->tiles; i++) {
        assert_int_equal(want->tile[i].size, got->tile[i].size);
        assert_int_equal(want->tile[i].zero_flags, got->tile[i].zero_flags);
    }
}

/* False: it is undefined. */
static bool one(struct tensix_box *tb, struct pd *d, struct pr *m, uint32_t word) {
    struct tensix *x = tb->x;
    const char *bad = pr_pack(m, x, d->thread, word);
    unsigned faults = tb->box->faults;
    tb->now += 100;
    uint64_t passed = execute_PACR(x, d->thread, word, tb->now);
    if (passed == TENSIX_PASSED)
        tally.whole += x->pack.job[x->pack.first].whole;
    tensix_run(x, tb->now += 20000);
    if ((tb->box->faults != faults) != !!bad)
        fail_msg("%08x, the page: %s; here: %s", word, bad ? bad : "defined",
                 tb->box->faults == faults ? "-" : tb->box->fault.text);
    assert_int_equal(x->pack.count, 0);
    if (bad) {
        assert_int_equal(tb->box->fault.insn, word);
        x->thread[d->thread].faulted = false;
        return false;
    }
    assert_int_equal(passed, TENSIX_PASSED);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        assert_memory_equal(&m->adc[i], &x->adc[i][ADC_PACKERS], sizeof m->adc[i]);
    return true;
}

static bool tile(struct tensix_box *tb, struct pd *d, struct pr *m) {
    unsigned count = 1 + random_below(&d->seed, LONGEST);
    for (unsigned i = 0; i < count; i++) {
        if (!one(tb, d, m, pd_word(d, i == count - 1))) {
            tally.undefined++;
            return false;
        }
        tally.defined++;
        if (!m->open && i < count - 1)
            fail_msg("the tile ended too early");
    }
    return true;
}

static void round_of(struct tensix_box *tb, struct pd *d, struct pr *m) {
    struct tensix *x = tb->x;
    pd_draw(d, x);
    pack_abort(x, x->time);
    x->packer.tiles = 0;
    x->pack.position = (uint8_t)random_below(&d->seed, 32);
    take(m, x);
    if (pd_chance(d, 16)) {
        pd_memory(d, x->l1);
        memcpy(m->l1 + PD_L1, x->l1 + PD_L1, PD_SIZE);
    }
    const uint32_t *c = x->config.bank[x->config.thread[d->thread][0]];
    for (unsigned i = 0; i < TILES; i++) {
        if (!tile(tb, d, m)) { /* what it had written before stays */
            memcpy(m->l1 + PD_L1, x->l1 + PD_L1, PD_SIZE);
            return;
        }
        tally.tiles++;
        tally.pairs[CONFIG_GET(c, THCON_SEC0_REG1_In_data_format)][CONFIG_GET(c, THCON_SEC0_REG1_Out_data_format)]
                   [d->wide]++;
        assert_memory(m, x);
        assert_told(&m->packer, &x->packer);
    }
}

static void tiles_at_random(void **state) {
    struct tensix_box *tb = tb_create();
    struct pr *m = calloc(1, sizeof *m);
    struct pd d = { .seed = 20240611 };
    (void)state;
    m->l1 = calloc(1, PR_L1);
    pd_dst(&d, tb->x);
    pd_start(&d, tb->x->l1);
    memcpy(m->l1, tb->x->l1, PR_L1);
    for (unsigned i = 0; i < ROUNDS; i++)
        round_of(tb, &d, m);
    free(m->l1);
    free(m);
    tb_destroy(tb);
}

/* The draw is of use: much is defined, some is not, pairs of formats are there, and both ways to do it. */
static void draws_are_of_use(void **state) {
    unsigned pairs = 0;
    (void)state;
    for (unsigned i = 0; i < 16 * 16 * 2; i++)
        pairs += tally.pairs[i / 32][i / 2 % 16][i % 2] > 0;
    if (getenv("PACK_TALLY"))
        print_message("%u defined (%u of whole rows), %u undefined, %u tiles, %u pairs\n", tally.defined, tally.whole,
                      tally.undefined, tally.tiles, pairs);
    assert_true(tally.defined > 20000);
    assert_true(tally.whole > 2000 && tally.whole < tally.defined / 2);
    assert_true(tally.undefined > 500 && tally.undefined < ROUNDS);
    assert_true(pairs > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_at_random),
        cmocka_unit_test(draws_are_of_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
