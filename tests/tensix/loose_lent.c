/* Bytes of L1 that packets have on loan (src/tile/loose.h): whatever of the coprocessor writes there, what was there
 * before is kept. */
#include "loose_box.h"
#include "tensix/pack_draw.h"
#include "tensix/pack_setup.h"

enum { FROM = 0x8000, TO = 0x9000, ROUNDS = 400, LONGEST = 9 };

struct lent {
    struct tensix_box *tb;
    struct tile *tile;
    uint8_t *before;
};

/* All of L1 has been lent. */
static void lend(struct lent *lent, struct tensix_box *tb) {
    lent->tb = tb;
    lent->tile = &tb->box->tile;
    lent->before = realloc(lent->before, CORE_L1_SIZE);
    memcpy(lent->before, tb->x->l1, CORE_L1_SIZE);
    lent->tile->mail.loose.lent_end = CORE_L1_SIZE;
    lent->tile->mail.loose.kept_count = 0;
    for (unsigned i = 0; i < TILE_MARKS; i++)
        lent->tile->marks[i] |= MARK_LENT;
}

static const struct loose_kept *find(const struct loose_mail *loose, uint32_t address) {
    for (uint32_t i = 0; i < loose->kept_count; i++)
        if (loose->kept[i].address == address)
            return &loose->kept[i];
    return NULL;
}

/* Grains that have changed, all of which have been kept. */
static unsigned count_kept(const struct lent *lent) {
    unsigned count = 0;
    for (uint32_t at = 0; at < CORE_L1_SIZE; at += LOOSE_GRAIN) {
        const struct loose_kept *kept = find(&lent->tile->mail.loose, at);
        if (kept)
            assert_memory_equal(kept->bytes, lent->before + at, LOOSE_GRAIN);
        if (!memcmp(lent->tile->l1 + at, lent->before + at, LOOSE_GRAIN))
            continue;
        if (!kept)
            fail_msg("0x%x was written, and nothing was kept", (unsigned)at);
        count++;
    }
    return count;
}

static void end(struct lent *lent) {
    mail_free(&lent->tile->mail);
    tb_destroy(lent->tb);
    free(lent->before);
}

static void scalar_stores(void **state) {
    enum { ADDRESS = 8, OFFSET = 9, DATA = 10, SIZES = 4 };
    struct lent lent = { 0 };
    (void)state;
    lend(&lent, create());
    for (unsigned size = 0; size < SIZES; size++) {
        struct tensix *x = lent.tb->x;
        x->gpr[1][ADDRESS] = (TO + size * LOOSE_GRAIN) / 16;
        x->gpr[1][OFFSET] = 16;
        x->gpr[1][DATA] = 0x12345678;
        PUSH(lent.tb, 1, TT(STOREIND, 1, size >> 1, size & 1, 2 * OFFSET, 0, DATA, ADDRESS));
        assert_int_equal(count_kept(&lent), size + 1);
    }
    end(&lent);
}

static void mover(void **state) {
    enum { ZERO_TO_L1, L1_TO_L1 = 3, SIZE = 0x300, GRAINS = SIZE / LOOSE_GRAIN };
    (void)state;
    for (unsigned direction = ZERO_TO_L1; direction <= L1_TO_L1; direction += L1_TO_L1) {
        struct lent lent = { 0 };
        struct tensix_box *tb = create();
        uint32_t *words = &tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG6_Source_address];
        memset(tb->x->l1 + FROM, 1, SIZE);
        memset(tb->x->l1 + TO, 2, SIZE);
        words[0] = FROM / 16;
        words[1] = TO / 16;
        words[2] = SIZE / 16 | direction << 30;
        config_changed(&tb->x->config);
        lend(&lent, tb);
        PUSH(tb, 0, TT(XMOV, 0, 0));
        assert_int_equal(count_kept(&lent), GRAINS);
        end(&lent);
    }
}

static void tdma_write(void **state) {
    enum { PARAMETERS = 4, COMMAND = 0x10, WRITE4 = 0x666 };
    struct lent lent = { 0 };
    (void)state;
    lend(&lent, create());
    for (uint32_t i = 0; i < PARAMETERS; i++)
        tensix_tdma_write(lent.tb->x, BH_BRISC, 4 * i, lent.tb->now++, i ? 0x12345678 : TO);
    assert_int_equal(tensix_tdma_write(lent.tb->x, BH_BRISC, COMMAND, lent.tb->now++, WRITE4).result, ACCESS_DONE);
    settle(lent.tb);
    assert_int_equal(count_kept(&lent), 1);
    end(&lent);
}

/* One tile, of which some ends in a fault. */
static unsigned pack_tile(struct lent *lent, struct pd *d) {
    struct tensix *x = lent->tb->x;
    unsigned left = 1 + random_below(&d->seed, LONGEST);
    pd_draw(d, x);
    config_changed(&x->config);
    pack_abort(x, x->time);
    x->packer.tiles = 0;
    pd_memory(d, x->l1);
    lend(lent, lent->tb);
    while (left-- && !x->thread[d->thread].faulted) {
        uint32_t word = pd_word(d, !left);
        loose_push(x, d->thread, &word, push_shape(1, 1, FRONTEND_GROUP, false), 0x100, lent->tb->now++);
        settle(lent->tb);
    }
    return count_kept(lent);
}

static void packer(void **state) {
    struct pd d = { .seed = 5 };
    unsigned changed = 0;
    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct lent lent = { .tb = create() };
        changed += pack_tile(&lent, &d) != 0;
        end(&lent);
    }
    assert_in_range(changed, ROUNDS / 2, ROUNDS);
}

/* As programs have it most of the time: whole rows of BF16, and nothing to be done with them. */
static void packer_of_rows(void **state) {
    struct lent lent = { 0 };
    struct tensix_box *tb = create();
    (void)state;
    pt_setup(tb);
    pt_fill(tb);
    config_changed(&tb->x->config);
    lend(&lent, tb);
    for (unsigned i = 0; i < 16; i++)
        PUSH(tb, 0, PT_PACR(1 << 15 | (i == 15 ? PT_LAST : 0)));
    assert_int_equal(pt_half(tb, 16), pt_number(1, 0));
    assert_in_range(count_kept(&lent), 2, 8);
    end(&lent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_stores), cmocka_unit_test(mover),          cmocka_unit_test(tdma_write),
        cmocka_unit_test(packer),        cmocka_unit_test(packer_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
