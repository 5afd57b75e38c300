/* Plans of the packer change no result: for each bit of the configuration that changes between two instructions, the
 * second one packs the same, or is refused, with and without the plan of the first. */
#include "tensix/pack_setup.h"

#include <stdio.h>

#include "tensix/dst_model.h"

/* Packs, changes a bit, and packs again. Returns the text of a fault. */
static const char *after_a_change(struct tensix_box *tb, unsigned word, unsigned bit, bool forget, uint8_t *tile) {
    struct tensix *x = tb->x;
    uint32_t *c = pt_config(tb), before = c[word];
    tensix_soft_reset(x, REG_HOLD_PACKER, tb->now);
    tensix_soft_reset(x, 0, tb->now);
    memset(x->pack.random, 0, sizeof x->pack.random);
    memset(x->l1 + PT_TILE, 0x44, 512);
    pt_good(tb, PT_PACR(0));
    config_store(x, 0, word, before ^ UINT32_C(1) << bit, true);
    if (forget)
        x->plans.pack.of.version = 0;
    const char *text = pt_run_next(tb, PT_PACR(0));
    config_store(x, 0, word, before, true);
    pt_run(tb, PT_PACR(PT_FLUSH));
    memcpy(tile, x->l1 + PT_TILE, 512);
    return text;
}

/* A plan ends when the packer's side of Dst enters soft reset. */
static void soft_reset(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_good(tb, PT_PACR(0));
    pt_good(tb, PT_PACR(0));
    tensix_soft_reset(tb->x, REG_HOLD_ZEROACC, tb->now);
    const char *text = pt_run_next(tb, PT_PACR(0));
    assert_non_null(text);
    assert_non_null(strstr(text, "held in soft reset"));
    tb_destroy(tb);
}

static void assert_changes_are_seen(struct tensix_box *tb) {
    static const uint8_t words[] = { 0,  1,  2,  8,  18, 19, 20, 21, 22, 23,  24,  25,  26,  27,
                                     28, 36, 37, 38, 39, 68, 69, 70, 71, 100, 101, 180, 187, 220 };
    uint8_t kept[512], forgotten[512], usual[512];
    unsigned changes = 0;
    assert_null(after_a_change(tb, 40, 0, false, usual)); /* a word of no meaning */
    for (unsigned i = 0; i < 32 * sizeof words; i++) {
        char text[256] = "";
        const char *with = after_a_change(tb, words[i / 32], i % 32, false, kept);
        if (with)
            snprintf(text, sizeof text, "%s", with);
        const char *without = after_a_change(tb, words[i / 32], i % 32, true, forgotten);
        assert_string_equal(text, without ? without : "");
        if (memcmp(kept, forgotten, sizeof kept) != 0)
            fail_msg("word %u bit %u", words[i / 32], i % 32);
        changes += memcmp(kept, usual, sizeof kept) != 0 || text[0];
    }
    assert_true(changes > 20);
}

static void changes_of_configuration_are_seen(void **state) {
    struct tensix_box *tb = pt_create();
    uint32_t *c = pt_config(tb);
    uint64_t seed = 5;
    (void)state;
    dm_draw_dst(&tb->x->dst, &seed);
    for (unsigned set = 0; set < 4; set++) {
        MR_SET(c, PCK_EDGE_TILE_ROW_SET_SELECT_select, set);
        assert_changes_are_seen(tb); /* rows may come to other masks than the first, which have edges */
    }
    for (unsigned i = 0; i < 4; i++) {
        c[24 + i] |= 0xFFFF;
        c[20 + i] = 0x1B1B1B1B * (i + 1);
        c[36 + i] = 0x4E4E4E4E * (i + 1);
    }
    for (unsigned set = 0; set < 4; set++) {
        MR_SET(c, PCK_EDGE_TILE_ROW_SET_SELECT_select, set);
        assert_changes_are_seen(tb);
    }
    for (unsigned i = 0; i < 4; i++)
        c[24 + i] &= ~(0xF00Fu << i);
    MR_SET(c, STACC_RELU_ApplyRelu, 3);
    MR_SET(c, STACC_RELU_ReluThreshold, 0x3F90);
    assert_changes_are_seen(tb);
    MR_SET(c, PCK_EDGE_TILE_FACE_SET_SELECT_enable, 1);
    assert_changes_are_seen(tb);
    MR_SET(c, STACC_RELU_ApplyRelu, 0);
    pt_formats(tb, true, 14, 14);
    c[CONFIG_WORD_INT_DESCALE_VALUES_SEC0_Value] = 24;
    for (unsigned descale = 0; descale < 2; descale++) {
        c[CONFIG_WORD_INT_DESCALE_Enable] = descale;
        assert_changes_are_seen(tb);
    }
    tb_destroy(tb);
}

/* ---- Instructions like the ones before them -------------------------------------------------------------------- */

enum { MANY = 2 * PACK_JOBS };

/* Without a word that the configuration may have changed. Returns the first datum that it packs. */
static uint16_t packed(struct tensix_box *tb, unsigned thread, uint32_t word) {
    struct tensix *x = tb->x;
    uint32_t address = x->pack.stream[PACK_TO].address;
    uint16_t half;
    assert_int_equal(execute_PACR(x, thread, word, tb->now += 200), TENSIX_PASSED);
    tensix_run(x, tb->now += 200);
    memcpy(&half, x->l1 + (address ? address : PT_TILE), sizeof half);
    return half;
}

/* Data of -1, which ReLU makes 0, so that it is seen. */
static struct tensix_box *negative(void) {
    struct tensix_box *tb = pt_create();
    for (unsigned row = 0; row < DST_ROWS; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            tb->x->dst.bits[row][column] = dst_encode_bf16(0xBF80);
    memcpy(tb->x->config.bank[1], tb->x->config.bank[0], sizeof tb->x->config.bank[0]);
    tb->x->config.thread[1][CONFIG_WORD_CFG_STATE_ID_StateID] = 1;
    config_changed(&tb->x->config);
    return tb;
}

static void set_relu(struct tensix_box *tb, bool on) {
    unsigned shift = CONFIG_SHIFT_STACC_RELU_ApplyRelu;
    uint32_t word = TT(RMWCIB0, 3u << shift, (uint32_t)on << shift, CONFIG_WORD_STACC_RELU_ApplyRelu);
    execute_RMWCIB0(tb->x, 0, word, tb->now++);
    tensix_run(tb->x, tb->now += 8);
}

static void one_after_a_change(void **state) {
    struct tensix_box *tb = negative();
    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < MANY; i++)
            assert_int_equal(packed(tb, 0, PT_PACR(0)), round & 1 ? 0 : 0xBF80);
        set_relu(tb, !(round & 1));
    }
    tb_destroy(tb);
}

/* Thread 1 has the other bank, which stays as it is: what it finds out is not about that of thread 0. */
static void one_after_that_of_another_thread(void **state) {
    struct tensix_box *tb = negative();
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(packed(tb, 0, PT_PACR(0)), 0xBF80);
    set_relu(tb, true);
    for (unsigned i = 0; i < MANY; i++) {
        assert_int_equal(packed(tb, 1, PT_PACR(0)), 0xBF80);
        assert_int_equal(packed(tb, 0, PT_PACR(0)), 0);
    }
    set_relu(tb, false);
    for (unsigned i = 0; i < MANY; i++)
        packed(tb, 0, PT_PACR(0));
    packed(tb, 1, PT_PACR(0));
    packed(tb, 1, PT_PACR(PT_LAST));
    assert_int_equal(tb->x->packer.last_thread, 1);
    tb_destroy(tb);
}

static void one_of_fewer_rows(void **state) {
    struct tensix_box *tb = negative();
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        packed(tb, 0, PT_PACR(0));
    uint32_t units = tb->x->pack.units;
    for (unsigned i = 0; i < MANY; i++)
        packed(tb, 0, PT_PACR(i & 1 ? PT_TWO : PT_ONE));
    assert_int_equal(tb->x->pack.units, units + MANY / 2 * (2 + 4));
    tb_destroy(tb);
}

/* In the place of one with which a tile began, the next one begins nothing. */
static void one_where_a_tile_began(void **state) {
    struct tensix_box *tb = negative();
    struct tensix *x = tb->x;
    const struct pack_output none = { .last = false };
    (void)state;
    for (unsigned tile = 0; tile < 2 * PACK_JOBS; tile++)
        for (unsigned i = 0; i < PACK_JOBS + 1; i++) {
            const struct pack_job *job = pack_job_at(&x->pack, 0);
            assert_int_equal(execute_PACR(x, 0, PT_PACR(i == PACK_JOBS ? PT_LAST : 0), tb->now += 200), TENSIX_PASSED);
            assert_int_equal(job->out.new[PACK_TO], i == 0);
            assert_int_equal(job->out.address[PACK_TO], i ? 0 : PT_TILE);
            assert_memory_equal(job->out.new + 1, none.new + 1, sizeof none.new - 1);
            tensix_run(x, tb->now += 200);
            assert_int_equal(x->pack.stream[PACK_TO].address, PT_TILE + 128 * (i + 1));
        }
    tb_destroy(tb);
}

/* Nor does a plan that was dropped before it could apply. */
static void one_where_a_tile_would_have_begun(void **state) {
    struct tensix_box *tb = negative();
    struct tensix *x = tb->x;
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        packed(tb, 0, PT_PACR(i == MANY - 1 ? PT_LAST : 0));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(execute_PACR(x, 0, PT_PACR(i < 2 ? PT_LAST : 0), ++tb->now), TENSIX_PASSED);
    assert_int_equal(x->pack.count, 3); /* three tiles */
    tensix_soft_reset(x, REG_HOLD_PACKER, tb->now);
    tensix_soft_reset(x, 0, tb->now += 10);
    for (unsigned i = 0; i < MANY; i++) {
        packed(tb, 0, PT_PACR(0));
        assert_int_equal(x->pack.stream[PACK_TO].address, PT_TILE + 128 * (i + 1));
    }
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_reset),
        cmocka_unit_test(changes_of_configuration_are_seen),
        cmocka_unit_test(one_after_a_change),
        cmocka_unit_test(one_after_that_of_another_thread),
        cmocka_unit_test(one_of_fewer_rows),
        cmocka_unit_test(one_where_a_tile_began),
        cmocka_unit_test(one_where_a_tile_would_have_begun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
