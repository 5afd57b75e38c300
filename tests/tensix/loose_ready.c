/* A loosely timed coprocessor: plain words that a core pushes one at a time, or in the slots of a row, to a thread
 * without anything to check, until another agent changes that. */
#include "loose_box.h"
#include "tile/watch.h"

enum { PC = 0x700 };

static bool push_word(struct tensix_box *tb, unsigned thread, uint32_t word) {
    return loose_push(tb->x, thread, &word, push_shape(1, 1, 1, true), PC, tb->now++);
}

/* Time stands still. */
static bool push_word_now(struct tensix_box *tb, uint32_t word) {
    return loose_push(tb->x, 0, &word, push_shape(1, 1, 1, true), PC, tb->now);
}

/* As they are in slots: with something else between them. */
static unsigned push_row(struct tensix_box *tb, unsigned thread, const uint32_t *words, unsigned count) {
    uint32_t spread[2 * PUSH_ROW_MAX];
    for (unsigned i = 0; i < count; i++) {
        spread[2 * i] = words[i];
        spread[2 * i + 1] = ILLEGAL;
    }
    return loose_push(tb->x, thread, spread, push_shape(count, 2, FRONTEND_GROUP, true), PC, tb->now++);
}
#define ROW(tb, thread, ...) \
    push_row(tb, thread, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static struct tensix_box *create_ready(void) {
    struct tensix_box *tb = create();
    assert_true(push_word(tb, 0, MARKED(1)));
    assert_int_equal(mark(tb, 0), 1);
    assert_int_equal(tb->x->direct_push_mask, 1);
    assert_int_equal(tb->x->handler_only_until, TENSIX_NEVER);
    return tb;
}

static void words_and_rows(void **state) {
    struct tensix_box *tb = create_ready();
    (void)state;
    assert_int_equal(ROW(tb, 0, MARKED(2), MARKED(3), MARKED(4)), 3);
    assert_int_equal(mark(tb, 0), 4);
    assert_true(push_word(tb, 1, MARKED(5)));
    assert_int_equal(mark(tb, 1), 5);
    assert_true(push_word(tb, 0, MARKED(6)));
    assert_int_equal(mark(tb, 0), 6);
    assert_int_equal(frontend_of(tb, 0)->passes, 5);
    PUSH(tb, 0, HELD(0));
    assert_int_equal(ROW(tb, 0, MARKED(7), MARKED(8)), 2); /* behind the word that waits */
    assert_int_equal(frontend_of(tb, 0)->in_flight, 2);
    assert_int_equal(mark(tb, 0), 6);
    post(tb, 0);
    assert_int_equal(mark(tb, 0), 8);
    tb_destroy(tb);
}

/* A word of a row makes the others wait; its results land; each later word has its own pc. */
static void rows_that_end_early(void **state) {
    struct tensix_box *tb = create_ready();
    (void)state;
    assert_int_equal(ROW(tb, 0, MARKED(2), HELD(0), MARKED(3), MARKED(4)), 4);
    assert_int_equal(mark(tb, 0), 2);
    assert_int_equal(frontend_of(tb, 0)->in_flight, 2);
    assert_int_equal(at_gate(tb, 0).pc, PC + 8);
    post(tb, 0);
    assert_int_equal(mark(tb, 0), 4);
    tb->x->gpr[0][4] = 0x1234;
    assert_int_equal(ROW(tb, 0, MARKED(5), TT(WRCFG, 4, 0, CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr)), 2);
    assert_int_equal(tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr], 0x1234);
    tb_destroy(tb);
}

/* By a word behind one that has a pending result, or not. */
static void rows_that_fault(void **state) {
    (void)state;
    for (unsigned calm = 0; calm < 2; calm++) {
        struct tensix_box *tb = create_ready();
        assert_int_equal(ROW(tb, 0, calm ? MARKED(2) : POST(1), ILLEGAL, MARKED(6)), 3);
        assert_int_equal(mark(tb, 0), calm ? 2 : 1);
        assert_int_equal(semaphore(tb, 1), !calm);
        assert_int_equal(tb->box->fault.pc, PC + 4);
        assert_int_equal(at_gate(tb, 0).word, ILLEGAL);
        assert_int_equal(frontend_of(tb, 0)->in_flight, 2);
        assert_int_equal(frontend_nth(frontend_of(tb, 0), 0).pc, PC + 8);
        tb_destroy(tb);
    }
}

static void a_word_that_faults(void **state) {
    struct tensix_box *tb = create_ready();
    (void)state;
    assert_true(push_word(tb, 0, ILLEGAL));
    assert_int_equal(tb->box->fault.pc, PC);
    assert_int_equal(at_gate(tb, 0).word, ILLEGAL);
    assert_true(push_word(tb, 0, MARKED(2)));
    assert_int_equal(frontend_of(tb, 0)->in_flight, 2);
    assert_int_equal(mark(tb, 0), 1);
    tb_destroy(tb);
}

/* Others may get ready in between. */
static void brisc_in_between(void **state) {
    (void)state;
    for (unsigned others = 0; others < 2; others++) {
        struct tensix_box *tb = create_ready();
        push_by_brisc(tb, 0, HELD(0));
        assert_true(!others || push_word(tb, 1, MARKED(5)));
        assert_true(push_word(tb, 0, MARKED(2)));
        assert_int_equal(mark(tb, 0), 1);
        assert_int_equal(mark(tb, 1), others ? 5 : 0);
        post(tb, 0);
        assert_int_equal(mark(tb, 0), 2);
        tb_destroy(tb);
    }
}

/* The debug bus has the FIFO: what the core pushes is lost, also behind a word that waits. */
static void debug_in_between(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 2; waits++) {
        struct tensix_box *tb = create_ready();
        if (waits)
            PUSH(tb, 0, HELD(0), MARKED(2));
        tensix_debug_control(tb->x, 0, 1, 0, tb->now);
        assert_true(push_word(tb, 0, MARKED(3)));
        assert_true(push_word(tb, 1, MARKED(4)));
        assert_int_equal(ROW(tb, 0, MARKED(5), MARKED(6)), 2);
        assert_true(push_word(tb, 0, MARKED(7)));
        assert_int_equal(frontend_of(tb, 0)->in_flight, waits);
        assert_int_equal(mark(tb, 0), 1);
        tensix_debug_control(tb->x, 1, 0, 0, tb->now);
        post(tb, 0);
        assert_int_equal(mark(tb, 0), 1 + waits);
        assert_true(push_word(tb, 0, MARKED(8)));
        assert_int_equal(mark(tb, 0), 8);
        tb_destroy(tb);
    }
}

static void watched_in_between(void **state) {
    static struct observer observer;
    struct tensix_box *tb = create_ready();
    (void)state;
    observer = (struct observer){ .what = BH_WATCH_EVENTS };
    tile_watch(&tb->box->tile, &observer, tb->now);
    assert_true(push_word(tb, 0, MARKED(2)));
    assert_int_equal(ROW(tb, 0, MARKED(3), MARKED(4)), 2); /* as without an observer */
    assert_int_equal(observer.mix[0][tensix_row_index(TENSIX_SETC16)], 3);
    tile_watch(&tb->box->tile, NULL, tb->now);
    observe_close(&observer);
    free(observer.event);
    tb_destroy(tb);
}

/* Behind a word that waits there is as much room as before, and Auto TTSync knows the resource of each word. */
static void words_that_queue(void **state) {
    (void)state;
    for (unsigned tracks = 0; tracks < 2; tracks++) {
        struct tensix_box *tb = create_ready();
        uint32_t value, add = TT(ADDDMAREG, 1, 5, 1, 5);
        if (tracks)
            PUSH(tb, 0, TRACKING(0x1D));
        PUSH(tb, 0, HELD(0), MARKED(2)); /* which has nothing to do with GPRs */
        unsigned pushed = 0;
        while (push_word(tb, 0, add))
            pushed++;
        assert_int_equal(pushed, FRONTEND_ACCEPTS);
        assert_int_equal(frontend_of(tb, 0)->in_flight, pushed + 1);
        assert_true(tb->x->thread[0].room_wanted);
        struct access access = tensix_gpr_read(tb->x, BH_TRISC0, 4 * 5, tb->now, &value);
        assert_int_equal(access.result, tracks ? ACCESS_WAIT : ACCESS_DONE);
        post(tb, 0);
        assert_int_equal(tensix_gpr_read(tb->x, BH_TRISC0, 4 * 5, tb->now, &value).result, ACCESS_DONE);
        assert_int_equal(value, pushed);
        tb_destroy(tb);
    }
}

/* A core pushes faster than the words' own cycles: its thread gets ahead of it until it has to wait for the core, in
 * whatever word, and none is lost. */
static void far_ahead_of_its_core(void **state) {
    enum { COUNT = 6000, COUNTED = 9 };
    struct tensix_box *tb = create();
    unsigned waits = 0;
    (void)state;
    for (unsigned i = 0; i < COUNT; i++)
        while (!push_word_now(tb, TT(ADDDMAREG, 1, COUNTED, 1, COUNTED))) {
            settle(tb);
            waits++;
        }
    assert_true(waits > 0);
    settle(tb);
    assert_int_equal(tb->x->gpr[0][COUNTED], COUNT);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* The next word of such a thread waits for a bank: the word gives way to the core, stays in the FIFO, and passes when
 * the bank is there. */
static void waits_far_ahead_of_its_core(void **state) {
    enum { COUNT = 5000 };
    struct tensix_box *tb = create_ready();
    (void)state;
    for (unsigned i = 0; i < COUNT; i++)
        assert_true(push_word_now(tb, MARKED(2)));
    assert_true(tb->x->thread[0].clock >= tb->now + COUNT);
    assert_true(push_word_now(tb, TT(MOVA2D, 0, 0, 0, 0, 0)));
    assert_true(push_word_now(tb, MARKED(3)));
    assert_int_equal(frontend_of(tb, 0)->in_flight, 2);
    settle(tb);
    assert_int_equal(mark(tb, 0), 2);
    PUSH(tb, 1, HAND_OVER);
    assert_int_equal(mark(tb, 0), 3);
    assert_int_equal(frontend_of(tb, 0)->passes, 1 + COUNT + 2);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_far_ahead_of_its_core),
        cmocka_unit_test(far_ahead_of_its_core),
        cmocka_unit_test(words_and_rows),
        cmocka_unit_test(rows_that_end_early),
        cmocka_unit_test(a_word_that_faults),
        cmocka_unit_test(brisc_in_between),
        cmocka_unit_test(debug_in_between),
        cmocka_unit_test(watched_in_between),
        cmocka_unit_test(words_that_queue),
        cmocka_unit_test(rows_that_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
