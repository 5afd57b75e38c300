/* Messages of overlay streams as threads and cores see them: software makes them arrive, STREAMWAIT ends, STREAMWRCFG
 * and sstatus show them. The streams are the tile's own, with both timings. */
#include "loose_same.h"

enum { STREAM = 20, HEADERS = 0x20000, WORD = 50, MARK = 3, BLOCK_CONFIG = 0x80, WAITED = 150, SKEW = 32 };
enum { TIME = 11, VALUE = 12, STATUS = 13, FIRST_PUSH = 14, SECOND_PUSH = 15 };
enum { FROM_SOFTWARE_TO_SOFTWARE = 1 << 4 | 1 << 6 };

static uint32_t at(unsigned index) {
    return 0xFFB40000 + OVERLAY_STREAM_SIZE * STREAM + 4 * index;
}

static void real_streams(struct tensix_box *tb) {
    tb->x->port = &tile_tensix_port;
}

/* BRISC starts the stream for two messages of 2 and 3 units. */
static void start_stream(struct tensix_box *tb) {
    tb_store(tb, BH_BRISC, HEADERS, 2);
    tb_store(tb, BH_BRISC, HEADERS + 16, 3);
    tb_store(tb, BH_BRISC, 0xFFB40000 + 4 * OVERLAY_MSG_HEADER_FORMAT, 16 << 7);
    tb_store(tb, BH_BRISC, at(OVERLAY_MISC_CFG), FROM_SOFTWARE_TO_SOFTWARE);
    tb_store(tb, BH_BRISC, at(OVERLAY_BUF_START), 0x3000);
    tb_store(tb, BH_BRISC, at(OVERLAY_BUF_SIZE), 16);
    tb_store(tb, BH_BRISC, at(OVERLAY_MSG_INFO_PTR), HEADERS / 16);
    tb_store(tb, BH_BRISC, at(OVERLAY_MSG_INFO_WR_PTR), HEADERS / 16);
    tb_store(tb, BH_BRISC, at(OVERLAY_PHASE_AUTO_CFG_HEADER), 2 << 12 | 1);
    tb_store(tb, BH_BRISC, at(OVERLAY_PHASE_ADVANCE), 1);
}

static void push_message(struct tensix_box *tb, uint32_t size, unsigned time) {
    tb_store(tb, BH_BRISC, at(OVERLAY_NUM_MSGS_RECEIVED_INC), size << 12 | 1);
    tb_cycle(tb, BH_BRISC, time);
}

/* T0 waits for two messages, TRISC1 polls until one is there. */
static void messages_scene(struct tensix_box *tb) {
    real_streams(tb);
    TB_PUSH_ALL(tb, 0, TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC1_BankSel, STREAM),
                TT(STREAMWAIT, BLOCK_CONFIG, 2, 1, 1), TT(SETC16, MARK, 5),
                TT(STREAMWRCFG, 1, OVERLAY_BUF_SPACE_AVAILABLE, WORD));
    tb_load(tb, BH_TRISC1, VALUE, at(OVERLAY_NUM_MSGS_RECEIVED));
    tb_rv(tb, BH_TRISC1, asm_b(RV_BEQ, VALUE, 0, -4));
    tb_cycle(tb, BH_TRISC1, TIME);
    start_stream(tb);
    tb_nops(tb, BH_BRISC, WAITED);
    push_message(tb, 2, FIRST_PUSH);
    tb_nops(tb, BH_BRISC, WAITED);
    push_message(tb, 3, SECOND_PUSH);
}

static void check_values(struct tensix_box *tb) {
    assert_int_equal(tb->x->config.thread[0][MARK], 5);
    assert_int_equal(tb->x->config.bank[0][WORD], 16 - 5);
    assert_int_equal(core_of(tb, BH_TRISC1)->x[VALUE], 1);
    assert_int_equal(box_peek32(tb->box, at(OVERLAY_NUM_MSGS_RECEIVED)), 2);
    assert_int_equal(box_peek32(tb->box, at(OVERLAY_NEXT_RECEIVED_MSG_SIZE)), 2);
}

/* scene_play() compares with a run without sleep. The store is one cycle before mcycle is read. */
static void streamwait_ends(void **state) {
    struct tensix_box *tb = scene_play(messages_scene);
    const struct core *brisc = core_of(tb, BH_BRISC);
    (void)state;
    assert_ended(tb);
    check_values(tb);
    assert_int_equal(tb->at[0][2], brisc->x[SECOND_PUSH] - 1 + 2); /* seen in the next cycle, one more of lag */
    assert_in_range(core_of(tb, BH_TRISC1)->x[TIME], brisc->x[FIRST_PUSH], brisc->x[FIRST_PUSH] + 24);
    tb_destroy(tb);
}

static void streamwait_ends_in_slices(void **state) {
    (void)state;
    for (unsigned form = 0; form < 4; form++) {
        struct tensix_box *tb = loose_play(messages_scene, form & 2 ? SKEW : 1, form & 1);
        assert_at_rest(tb);
        check_values(tb);
        tb_destroy(tb);
    }
}

/* One of the two arrives: the thread waits on, and says for what. */
static void too_few_scene(struct tensix_box *tb) {
    real_streams(tb);
    TB_PUSH_ALL(tb, 0, TT(SETC16, CONFIG_WORD_STREAM_ID_SYNC_SEC1_BankSel, STREAM),
                TT(STREAMWAIT, BLOCK_CONFIG, 2, 1, 1), TT(SETC16, MARK, 5));
    start_stream(tb);
    push_message(tb, 2, FIRST_PUSH);
}

static void too_few_messages(void **state) {
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct tensix_box *tb = loose_play(too_few_scene, SKEW, loose);
        assert_int_equal(tb->box->faults, 0);
        assert_int_equal(tb->x->config.thread[0][MARK], 0);
        assert_true(tb_held(tb, 0));
        box_poke32(tb->box, at(OVERLAY_NUM_MSGS_RECEIVED_INC), 3 << 12 | 1); /* as another tile does */
        loose_run_on(tb);
        assert_int_equal(tb->x->config.thread[0][MARK], 5);
        tb_destroy(tb);
    }
}

/* A thread pushes a message and frees it: STOREREG to the stream's registers, UNPACR_NOP for the data. */
static void thread_scene(struct tensix_box *tb) {
    real_streams(tb);
    start_stream(tb);
    tb_store(tb, BH_BRISC, TB_PUSH + 0x10000, TT(SEMPOST, 1)); /* by T1 */
    tb_gpr(tb, 0, 4, 2 << 12 | 1);
    tb_gpr(tb, 0, 5, 1);
    TB_PUSH_ALL(tb, 0, HELD(0), TT(STOREREG, 4, (at(OVERLAY_NUM_MSGS_RECEIVED_INC) - 0xFFB00000) / 4),
                TT(STOREREG, 5, (at(OVERLAY_MSG_INFO_CLEAR) - 0xFFB00000) / 4),
                TT(UNPACR_NOP, 0, STREAM, 1, 0, 0, 0, 0, 0, 3));
}

static void thread_feeds_a_stream(void **state) {
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct tensix_box *tb = loose_play(thread_scene, SKEW, loose);
        assert_at_rest(tb);
        assert_int_equal(box_peek32(tb->box, at(OVERLAY_RD_PTR)), 2);
        assert_int_equal(box_peek32(tb->box, at(OVERLAY_WR_PTR)), 2);
        assert_int_equal(box_peek32(tb->box, at(OVERLAY_NUM_MSGS_RECEIVED)), 0);
        tb_destroy(tb);
    }
}

/* CSRs sstatus4 to 7: the messages of the streams that ThreadConfig names for the core. */
static void status_scene(struct tensix_box *tb) {
    real_streams(tb);
    tb_push(tb, 1, TT(SETC16, CONFIG_WORD_STREAM_ID_TRISC_SEC0_BankSel + 2, STREAM));
    tb_rv(tb, BH_TRISC1, asm_csr(RV_CSRRS, VALUE, 0xBC2 + 6, 0));
    tb_rv(tb, BH_TRISC1, asm_b(RV_BEQ, VALUE, 0, -4));
    tb_rv(tb, BH_TRISC1, asm_csr(RV_CSRRS, STATUS, 0xBC2 + 2, 0));
    start_stream(tb);
    push_message(tb, 2, FIRST_PUSH);
}

static void sstatus_counts_messages(void **state) {
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct tensix_box *tb = loose_play(status_scene, SKEW, loose);
        assert_at_rest(tb);
        assert_int_equal(core_of(tb, BH_TRISC1)->x[VALUE], 1);
        assert_int_equal(core_of(tb, BH_TRISC1)->x[STATUS], 1); /* the phase */
        tb_destroy(tb);
    }
}

/* Whether a document says what is in a register: it can be read. */
static bool is_refused(unsigned index) {
    bool gap = (index >= 42 && index < 206) || (index >= 209 && index < 224) || (index >= 227 && index < 254);
    return gap || index == 255 || index == 287 || index == 295 || index == 296 || (index >= 298 && index < 329) ||
           (index >= 425 && index < 499) || index > 510;
}

static void streamwrcfg_reads_all(void **state) {
    (void)state;
    for (unsigned index = 0; index < 512; index++) {
        struct tensix_box *tb = tb_create();
        real_streams(tb);
        tb->x->config.thread[0][CONFIG_WORD_STREAM_ID_SYNC_SEC0_BankSel] = STREAM;
        tb->x->config.bank[0][WORD] = 0x1234;
        tb_push(tb, 0, TT(STREAMWRCFG, 0, index, WORD));
        tb_run(tb);
        assert_int_equal(tb->box->faults, is_refused(index));
        if (!tb->box->faults)
            assert_int_not_equal(tb->x->config.bank[0][WORD], 0x1234);
        tb_destroy(tb);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamwait_ends),         cmocka_unit_test(streamwait_ends_in_slices),
        cmocka_unit_test(too_few_messages),        cmocka_unit_test(thread_feeds_a_stream),
        cmocka_unit_test(sstatus_counts_messages), cmocka_unit_test(streamwrcfg_reads_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
