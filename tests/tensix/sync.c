/* tests/tensix/sync.c tests src/tensix/sync/sync.c through the whole machine: semaphores, mutexes, and how many
 * operations the Sync Unit takes a cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/tensix_box.h"

#define SEMAPHORES (TB_PC_BUF + 0x20) /* of the TRISCs */

static struct sync_semaphore *semaphore_of(struct tensix_box *tb, unsigned i) {
    return &tb->x->sync.semaphore[i];
}

/* ---- Semaphores ---------------------------------------------------------------------------------- */

static void seminit_every_field(void **state) {
    (void)state;
    for (unsigned select = 0; select < 256; select += 5) {
        struct tensix_box *tb = tb_create();
        unsigned value = select % 16, max = 15 - select % 13;
        tb_push(tb, 2, TT(SEMINIT, 9, 6, 0xFF));
        tb_push(tb, 2, TT(SEMINIT, max, value, select));
        assert_true(tb_run(tb));
        for (unsigned i = 0; i < 8; i++) {
            assert_int_equal(semaphore_of(tb, i)->value, select >> i & 1 ? value : 6);
            assert_int_equal(semaphore_of(tb, i)->max, select >> i & 1 ? max : 9);
        }
        tb_destroy(tb);
    }
}

/* Fifteen is the top whatever the maximum says, and zero the bottom. */
static void semaphores_saturate(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    tb_push(tb, 1, TT(SEMINIT, 2, 1, 1 << 4));
    for (unsigned i = 0; i < 20; i++)
        tb_push(tb, 1, TT(SEMPOST, 1 << 4));
    for (unsigned i = 0; i < 3; i++)
        tb_push(tb, 1, TT(SEMGET, 1 << 5));
    assert_true(tb_run(tb));
    assert_int_equal(semaphore_of(tb, 4)->value, 15);
    assert_int_equal(semaphore_of(tb, 4)->max, 2);
    assert_int_equal(semaphore_of(tb, 5)->value, 0);
    tb_destroy(tb);
}

static void post_and_get_select_several(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(SEMINIT, 15, 3, 0xFF), TT(SEMPOST, 0xA5), TT(SEMGET, 0x0F));
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(semaphore_of(tb, i)->value, 3 + (0xA5 >> i & 1) - (0x0F >> i & 1));
    tb_destroy(tb);
}

/* A core reads a value; bit 0 of what it stores says get, else post. */
static void semaphore_window(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    semaphore_of(tb, 3)->value = 14;
    semaphore_of(tb, 6)->value = 1;
    tb_store(tb, BH_TRISC1, SEMAPHORES + 4 * 3, 0);
    tb_store(tb, BH_TRISC1, SEMAPHORES + 4 * 3, 2);
    tb_store(tb, BH_TRISC1, SEMAPHORES + 4 * 6, 1);
    tb_store(tb, BH_TRISC1, SEMAPHORES + 4 * 6, 3);
    tb_load(tb, BH_TRISC1, 10, SEMAPHORES + 4 * 3);
    tb_load(tb, BH_TRISC1, 11, SEMAPHORES + 4 * 6);
    assert_true(tb_run(tb));
    assert_int_equal(semaphore_of(tb, 3)->value, 15);
    assert_int_equal(semaphore_of(tb, 6)->value, 0);
    assert_int_equal(tb->box->tile.core[BH_TRISC1].x[10], 15);
    assert_int_equal(tb->box->tile.core[BH_TRISC1].x[11], 0);
    tb_destroy(tb);
}

/* A thread waits until a core posts through the window. */
static void core_posts_what_a_thread_waits_for(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 2, TT(SEMWAIT, 0x80, 1 << 1, 1), TT(SETC16, 1, 5));
    tb_store(tb, BH_TRISC0, SEMAPHORES + 4, 0);
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->config.thread[2][1], 5);
    tb_destroy(tb);
}

/* A thread that waits for a semaphore goes on two cycles after the change, whatever instruction and thread made it. */
static void a_wait_ends_after_any_change(void **state) {
    const uint32_t changes[] = { TT(SEMPOST, 1 << 1), TT(SEMINIT, 15, 1, 1 << 1) };
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        struct tensix_box *tb = tb_create();
        unsigned waiter = i / 2 % 3, changer = (waiter + 1 + i / 6) % 3;
        TB_PUSH_ALL(tb, waiter, TT(SEMWAIT, 0x80, 1 << 1, 1), TT(SETC16, 1, 5));
        for (unsigned k = 0; k < 20; k++)
            tb_rv(tb, tb_core(changer), NOP);
        tb_push(tb, changer, changes[i % 2]);
        assert_true(tb_run(tb));
        assert_int_equal(tb->at[waiter][1], tb->at[changer][0] + 2);
        tb_destroy(tb);
    }
}

/* ---- Throughput ---------------------------------------------------------------------------------- */

/* Three threads want the one slot in the same cycle: three cycles, and the first to wait is the first to go. */
static void one_semaphore_operation_a_cycle(void **state) {
    const uint32_t kinds[] = { TT(SEMPOST, 1),         TT(SEMGET, 2),           TT(SEMINIT, 3, 1, 4),
                               TT(STALLWAIT, 0x80, 8), TT(SEMWAIT, 0x80, 8, 2), TT(STREAMWAIT, 0x80, 0, 0, 0) };
    (void)state;
    for (unsigned a = 0; a < 6; a++) {
        struct tensix_box *tb = tb_create();
        bool taken[3] = { false };
        semaphore_of(tb, 3)->max = 1;
        for (unsigned thread = 0; thread < 3; thread++)
            tb_push(tb, thread, kinds[(a + thread) % 6]);
        assert_true(tb_run(tb));
        uint64_t first = tb->at[0][0] < tb->at[1][0] ? tb->at[0][0] : tb->at[1][0];
        first = tb->at[2][0] < first ? tb->at[2][0] : first;
        for (unsigned thread = 0; thread < 3; thread++) {
            assert_true(tb->at[thread][0] - first < 3);
            assert_false(taken[tb->at[thread][0] - first]);
            taken[tb->at[thread][0] - first] = true;
        }
        tb_destroy(tb);
    }
}

/* A thread and cores that each want the slot in every cycle share it: one operation a cycle. A store that does not get
 * the slot waits in its core. */
static void cores_share_the_slot(void **state) {
    enum { OPERATIONS = 12, FIRST = 2 }; /* the first store comes in cycle 2, the first instruction in cycle 3 */
    (void)state;
    for (unsigned cores = 1; cores < 3; cores++) {
        struct tensix_box *tb = tb_create();
        for (unsigned core = 1; core <= cores; core++) {
            tb_li(tb, tb_core(core), TB_T0, SEMAPHORES + 4 * core);
            for (unsigned i = 0; i < OPERATIONS; i++)
                tb_rv(tb, tb_core(core), asm_s(RV_SW, 0, 0, TB_T0));
        }
        for (unsigned i = 0; i < OPERATIONS; i++)
            tb_push(tb, 0, TT(SEMPOST, 1));
        tb_start(tb);
        tb_step(tb, FIRST + OPERATIONS * (cores + 1) - 1);
        assert_int_equal(semaphore_of(tb, cores)->value, OPERATIONS - 1);
        tb_step(tb, tb->now + 1);
        for (unsigned i = 0; i <= cores; i++)
            assert_int_equal(semaphore_of(tb, i)->value, OPERATIONS);
        for (unsigned i = 0; i < OPERATIONS; i++)
            assert_int_equal(tb->at[0][i], FIRST + 1 + i);
        tb_destroy(tb);
    }
}

static void semaphore_operations_of_one_thread_follow_each_other(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(SEMPOST, 1), TT(SEMPOST, 1), TT(SEMGET, 1), TT(SEMPOST, 1));
    assert_true(tb_run(tb));
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(tb->at[0][i], tb->at[0][0] + i);
    tb_destroy(tb);
}

/* ---- Mutexes ------------------------------------------------------------------------------------- */

/* On different mutexes all three go at once; with a semaphore operation beside them too. */
static void three_mutex_operations_a_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(ATGETM, 0), TT(ATRELM, 0));
    TB_PUSH_ALL(tb, 1, TT(ATGETM, 2), TT(SEMPOST, 1));
    TB_PUSH_ALL(tb, 2, TT(ATGETM, 4), TT(ATRELM, 4));
    assert_true(tb_run(tb));
    for (unsigned thread = 1; thread < 3; thread++)
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(tb->at[thread][i], tb->at[0][i]);
    assert_int_equal(tb->x->sync.mutex[0].held_by, SYNC_NOBODY);
    assert_int_equal(tb->x->sync.mutex[2].held_by, 1);
    assert_int_equal(tb->x->sync.mutex[4].held_by, SYNC_NOBODY);
    tb_destroy(tb);
}

static void same_mutex_takes_one_operation_a_cycle(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++)
        tb_push(tb, thread, TT(ATRELM, 3)); /* the mutex is free: no change, but an operation */
    assert_true(tb_run(tb));
    assert_int_not_equal(tb->at[0][0], tb->at[1][0]);
    assert_int_not_equal(tb->at[0][0], tb->at[2][0]);
    assert_int_not_equal(tb->at[1][0], tb->at[2][0]);
    tb_destroy(tb);
}

/* Thread i releases while both others wait: (i + 1) % 3 gets it, then the third. */
static void mutex_goes_to_the_next_thread(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct tensix_box *tb = tb_create();
        unsigned next = (i + 1) % 3, last = (i + 2) % 3;
        tb_push(tb, i, TT(ATGETM, 2));
        for (unsigned pause = 0; pause < 12; pause++)
            tb_push(tb, i, TT(NOP, 0));
        tb_push(tb, i, TT(ATRELM, 2));
        for (unsigned pause = 0; pause < 4; pause++) { /* the others come later, the last one first */
            tb_push(tb, last, TT(NOP, 0));
            tb_push(tb, next, TT(NOP, 0));
        }
        tb_push(tb, next, TT(NOP, 0));
        TB_PUSH_ALL(tb, next, TT(ATGETM, 2), TT(NOP, 0), TT(ATRELM, 2));
        TB_PUSH_ALL(tb, last, TT(ATGETM, 2), TT(NOP, 0), TT(ATRELM, 2));
        assert_true(tb_run(tb));
        assert_int_equal(tb->at[next][5], tb->at[i][13] + 1);
        assert_true(tb->at[last][4] > tb->at[next][7]); /* after its release */
        assert_int_equal(tb->x->sync.mutex[2].held_by, SYNC_NOBODY);
        tb_destroy(tb);
    }
}

static void owner_takes_again_and_others_cannot_release(void **state) {
    struct tensix_box *tb = tb_create();
    (void)state;
    TB_PUSH_ALL(tb, 0, TT(ATGETM, 0), TT(ATGETM, 0));
    TB_PUSH_ALL(tb, 1, TT(NOP, 0), TT(NOP, 0), TT(NOP, 0), TT(ATRELM, 0));
    assert_true(tb_run(tb));
    assert_int_equal(tb->passes[0], 2);
    assert_int_equal(tb->passes[1], 4);
    assert_int_equal(tb->x->sync.mutex[0].held_by, 0);
    tb_destroy(tb);
}

/* Index 1 and everything above 4 does not exist: the thread waits for ever, and so does what is behind. */
static void bad_mutex_waits_for_ever(void **state) {
    static const unsigned bad[] = { 1, 5, 7, 8, 0xFFFF };
    (void)state;
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (unsigned release = 0; release < 2; release++) {
            struct tensix_box *tb = tb_create();
            TB_PUSH_ALL(tb, 0, release ? TT(ATRELM, bad[i]) : TT(ATGETM, bad[i]), TT(SETC16, 1, 5));
            tb_start(tb);
            tb_step(tb, 500);
            assert_int_equal(tb->passes[0], 0);
            assert_int_equal(tb->box->faults, 0);
            assert_int_equal(tb->x->thread[0].due, TENSIX_NEVER);
            assert_non_null(strstr(wait_text(tb->x->thread[0].waits_on), "does not exist"));
            tb_destroy(tb);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seminit_every_field),
        cmocka_unit_test(semaphores_saturate),
        cmocka_unit_test(post_and_get_select_several),
        cmocka_unit_test(semaphore_window),
        cmocka_unit_test(core_posts_what_a_thread_waits_for),
        cmocka_unit_test(a_wait_ends_after_any_change),
        cmocka_unit_test(one_semaphore_operation_a_cycle),
        cmocka_unit_test(cores_share_the_slot),
        cmocka_unit_test(semaphore_operations_of_one_thread_follow_each_other),
        cmocka_unit_test(three_mutex_operations_a_cycle),
        cmocka_unit_test(same_mutex_takes_one_operation_a_cycle),
        cmocka_unit_test(mutex_goes_to_the_next_thread),
        cmocka_unit_test(owner_takes_again_and_others_cannot_release),
        cmocka_unit_test(bad_mutex_waits_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
