/* A loosely timed coprocessor (src/tensix/loose.c): who has to wait does, in the middle of whatever, and goes on when
 * what it waits for has come; who looks meanwhile sees what there is. */
#include "loose_same.h"
#include "base/order.h"
#include "isa/regs.h"
#include "tile/watch.h"

enum { ALL = 0x1FF, L1 = 0x20000, MARK = 3 /* a word of ThreadConfig */ };

#define SOFT_RESET_0 0xFFB121B0u
#define BUF_CTRL0    0xFFB120A0u
#define REG(address) (((address)-0xFFB00000u) / 4)
#define POST(i)      TT(SEMPOST, 1u << (i))
#define GET(i)       TT(SEMGET, 1u << (i))
#define MARKED(n)    TT(SETC16, MARK, (n))
#define ILLEGAL      (UINT32_C(0xFF) << 24)

static struct tensix_box *create(void) {
    return loose_create(1, true);
}

static struct frontend *frontend_of(struct tensix_box *tb, unsigned thread) {
    return &tb->x->thread[thread].frontend;
}

static uint32_t mark(struct tensix_box *tb, unsigned thread) {
    return tb->x->config.thread[thread][MARK];
}

static unsigned semaphore(struct tensix_box *tb, unsigned i) {
    return tb->x->sync.semaphore[i].value;
}

/* The cores' time comes to where threads that have been woken go on. */
static void settle(struct tensix_box *tb) {
    tensix_run(tb->x, tb->now);
    for (uint64_t due; (due = tensix_due(tb->x)) != TENSIX_NEVER; tensix_run(tb->x, tb->now))
        tb->now = later(tb->now, due) + 1;
}

/* The thread's own core pushes words, wherever it is. */
static void push(struct tensix_box *tb, unsigned thread, const uint32_t *words, unsigned count) {
    assert_int_equal(loose_push(tb->x, thread, words, count, 0x100, tb->now++, false), count);
    settle(tb);
}
#define PUSH(tb, thread, ...) \
    push(tb, thread, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static void push_by_brisc(struct tensix_box *tb, unsigned thread, uint32_t word) {
    scene_push(tb, BH_BRISC, thread, &word, 1, tb->now++);
    settle(tb);
}

static void post(struct tensix_box *tb, unsigned i) {
    assert_int_equal(tensix_semaphore_write(tb->x, BH_TRISC2, 4 * i, tb->now++, 0).result, ACCESS_DONE);
    settle(tb);
}

static void configure(struct tensix_box *tb, unsigned thread, const uint32_t config[MOP_WORDS]) {
    for (unsigned i = 0; i < MOP_WORDS; i++)
        tensix_mop_write(tb->x, tb_core(thread), 4 * i, tb->now, config[i]);
}

/* Of the one word so many times. */
static void configure_loop(struct tensix_box *tb, unsigned thread, unsigned outer, unsigned inner, uint32_t word) {
    uint32_t nop = TT(NOP, 0);
    configure(tb, thread, (const uint32_t[]){ outer, inner, nop, nop, nop, word, nop, word, word });
}

static void assert_empty(struct tensix_box *tb, unsigned thread) {
    const struct frontend *f = frontend_of(tb, thread);
    assert_true(tensix_idle(tb->x, thread, tb->now));
    assert_int_equal(f->in_flight, 0);
    assert_int_equal(f->mops, 0);
    assert_int_equal(f->special, 0);
    assert_null(tb->x->thread[thread].waits_on);
}

/* ---- Waits --------------------------------------------------------------------------------------- */

/* Every round of a MOP plays words of which the first waits. */
static void in_the_middle_of_a_mop_of_replays(void **state) {
    enum { OUTER = 2, INNER = 3, BEHIND = 5 };
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, TT(REPLAY, 4, 4, 0, 1), HELD(0), GET(0));
    PUSH(tb, 0, POST(1), POST(2)); /* recorded in two pushes */
    configure_loop(tb, 0, OUTER, INNER, TT(REPLAY, 4, 4, 0, 0));
    PUSH(tb, 0, TT(MOP, 1, 0, 0), POST(3), POST(3), POST(3), POST(3), POST(3));
    for (unsigned i = 0; i < OUTER * INNER; i++) {
        assert_int_equal(semaphore(tb, 1), i);
        assert_int_equal(semaphore(tb, 2), i);
        assert_int_equal(semaphore(tb, 3), 0);
        assert_int_equal(frontend_of(tb, 0)->in_flight, 1 + BEHIND);
        if (i % 2)
            PUSH(tb, 1, POST(0));
        else
            post(tb, 0);
    }
    assert_int_equal(semaphore(tb, 2), OUTER * INNER);
    assert_int_equal(semaphore(tb, 3), BEHIND);
    assert_int_equal(frontend_of(tb, 0)->passes, 4 * OUTER * INNER + BEHIND);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* Who wakes a thread is ahead of it: the thread goes on when time has come there. */
static void woken_in_time(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 1, HELD(0), MARKED(9));
    loose_push(tb->x, 0, (const uint32_t[]){ POST(0) }, 1, 0x100, tb->now, true);
    loose_push(tb->x, 0, (const uint32_t[]){ MARKED(5) }, 1, 0x104, tb->now + 1, true);
    tensix_run(tb->x, tb->now + 1);
    assert_int_equal(mark(tb, 0), 5);
    assert_int_equal(mark(tb, 1), 0);
    settle(tb);
    assert_int_equal(mark(tb, 1), 9);
    tb_destroy(tb);
}

/* But before a core writes what words use, those go on that can. */
static void woken_before_writes(void **state) {
    enum { WORD = 12, GPR = 8, OTHER = 9, OLD = 3, NEW = 7 };
    struct tensix_box *tb = create();
    (void)state;
    tensix_config_write(tb->x, BH_TRISC1, 4 * WORD, tb->now++, OLD);
    tensix_gpr_write(tb->x, BH_TRISC1, 4 * OTHER, tb->now++, OLD);
    configure_loop(tb, 1, 1, 1, POST(3));
    PUSH(tb, 1, HELD(0), TT(RDCFG, GPR, WORD), HELD(1), TT(WRCFG, OTHER, 0, WORD), HELD(2), TT(MOP, 1, 0, 0));
    loose_push(tb->x, 0, (const uint32_t[]){ POST(0) }, 1, 0x100, tb->now, true);
    tensix_config_write(tb->x, BH_TRISC1, 4 * WORD, tb->now, NEW);
    assert_int_equal(tb->x->gpr[1][GPR], OLD);
    loose_push(tb->x, 0, (const uint32_t[]){ POST(1) }, 1, 0x100, tb->now, true);
    tensix_gpr_write(tb->x, BH_TRISC1, 4 * OTHER, tb->now, NEW);
    assert_int_equal(tb->x->config.bank[0][WORD], OLD);
    loose_push(tb->x, 0, (const uint32_t[]){ POST(2) }, 1, 0x100, tb->now, true);
    configure_loop(tb, 1, 1, 1, POST(4));
    settle(tb);
    assert_int_equal(semaphore(tb, 3), 1);
    assert_int_equal(semaphore(tb, 4), 0);
    tb_destroy(tb);
}

/* The thread has passed what waits, or waits with it. */
static void assert_waits(struct tensix_box *tb, unsigned thread, bool waits) {
    settle(tb);
    assert_int_equal(mark(tb, thread), waits ? 0 : 9);
    assert_int_equal(tensix_waits(tb->x, thread), waits);
    if (!waits)
        assert_empty(tb, thread);
}

static void semaphores(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, HELD(5), MARKED(9));
    assert_waits(tb, 0, true);
    post(tb, 4);
    assert_waits(tb, 0, true);
    PUSH(tb, 2, POST(5));
    assert_waits(tb, 0, false);
    tb_destroy(tb);
}

/* A latched wait is looked at in every cycle: it is over though the semaphore is back at zero when its thread has its
 * turn. T1 knows that T0 has latched. */
static void pulse_scene(struct tensix_box *tb) {
    TB_PUSH_ALL(tb, 0, TT(SEMWAIT, 1u << 7, 1u << 0, GATE_SEM_ZERO), POST(5), MARKED(9));
    TB_PUSH_ALL(tb, 1, HELD(5), GET(5), POST(0), GET(0), MARKED(8));
}

static void pulses(void **state) {
    struct tensix_box *tb = loose_play_both(pulse_scene);
    (void)state;
    assert_int_equal(mark(tb, 0), 9);
    assert_int_equal(semaphore(tb, 0), 0);
    tb_destroy(tb);
}

static void mutexes(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, TT(ATGETM, 2));
    PUSH(tb, 1, TT(ATGETM, 2), MARKED(9));
    assert_waits(tb, 1, true);
    PUSH(tb, 0, TT(ATRELM, 2));
    assert_waits(tb, 1, false);
    assert_int_equal(tb->x->sync.mutex[2].held_by, 1);
    tb_destroy(tb);
}

#define HAND_OVER TT(UNPACR_NOP, 0, 0, 0, 1, 0, 0, 0, 0, 1)
#define HAND_BACK TT(CLEARDVALID, 1, 0)

static void banks(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 1, TT(STALLWAIT, ALL, GATE_C_SRCA_VALID), MARKED(9));
    assert_waits(tb, 1, true);
    PUSH(tb, 0, HAND_OVER);
    assert_waits(tb, 1, false);
    tb_destroy(tb);
}

static void streams(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 2, TT(STREAMWAIT, ALL, 5, 1, 2), MARKED(9));
    assert_waits(tb, 2, true);
    tb_stream(tb, 0, OVERLAY_NUM_MSGS_RECEIVED, 4);
    assert_waits(tb, 2, true);
    tb_stream(tb, 0, OVERLAY_NUM_MSGS_RECEIVED, 5);
    assert_waits(tb, 2, false);
    tb_destroy(tb);
}

/* A word of L1, which somebody writes, or a GPR of its address. */
static void memory(void **state) {
    (void)state;
    for (unsigned by_gpr = 0; by_gpr < 2; by_gpr++) {
        struct tensix_box *tb = create();
        box_poke32(tb->box, L1 + 16 + 4, 3);
        tb->x->gpr[0][5] = L1 / 16;
        PUSH(tb, 0, TT(ATCAS, 0, 9, 3, 1, 0, 5), MARKED(9));
        assert_waits(tb, 0, true);
        if (by_gpr) {
            tensix_gpr_write(tb->x, BH_TRISC0, 4 * 5, tb->now, L1 / 16 + 1);
            assert_waits(tb, 0, false);
            assert_int_equal(box_peek32(tb->box, L1 + 16 + 4), 9);
        } else {
            box_poke32(tb->box, L1 + 4, 3);
            assert_waits(tb, 0, false);
            assert_int_equal(box_peek32(tb->box, L1 + 4), 9);
        }
        tb_destroy(tb);
    }
}

/* ---- FIFOs --------------------------------------------------------------------------------------- */

/* A core that has no room blocks, and is told when it has. */
static void full_scene(struct tensix_box *tb) {
    tb_push(tb, 0, HELD(0));
    for (unsigned i = 0; i < 70; i++)
        tb_push(tb, 0, i % 9 ? MARKED(i) : POST(1 + i / 9 % 2));
    tb_post_later(tb, 2, 0, 300);
}

static void full(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    full_scene(tb);
    tb_start(tb);
    tb_step(tb, 200);
    assert_int_equal(core_of(tb, BH_TRISC0)->state, BH_CORE_BLOCKED);
    assert_string_equal(core_of(tb, BH_TRISC0)->waits_on, "room in the instruction FIFO");
    assert_in_range(frontend_of(tb, 0)->in_flight, FRONTEND_ACCEPTS + 1, FRONTEND_FIRST);
    assert_int_equal(mark(tb, 0), 0);
    tb_destroy(tb);
    tb = loose_play_both(full_scene);
    assert_int_equal(mark(tb, 0), 69);
    assert_int_equal(frontend_of(tb, 0)->passes, 71);
    tb_destroy(tb);
}

/* What the frontend consumes makes room, whoever waits at the gate: here the core itself lets it go. */
static void consumed_scene(struct tensix_box *tb) {
    tb_push(tb, 0, HELD(0));
    tb_push(tb, 0, MARKED(5));
    for (unsigned i = 0; i < 60; i++)
        tb_push(tb, 0, TT(MOP_CFG, i));
    tb_push(tb, 0, TT(REPLAY, 0, 31, 0, 1));
    for (unsigned i = 0; i < 31; i++)
        tb_push(tb, 0, MARKED(i));
    tb_store(tb, BH_TRISC0, SEMAPHORE(0), 0);
    tb_push(tb, 0, TT(REPLAY, 8, 4, 0, 0));
}

static void consumed_words_make_room(void **state) {
    struct tensix_box *tb = loose_play_both(consumed_scene);
    (void)state;
    assert_int_equal(mark(tb, 0), 11);
    assert_int_equal(frontend_of(tb, 0)->mop.mask_high, 59);
    tb_destroy(tb);
}

/* ---- Behind the MOP expander --------------------------------------------------------------------- */

static void words_of_brisc(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    push_by_brisc(tb, 0, POST(1));
    assert_int_equal(semaphore(tb, 1), 1);
    PUSH(tb, 0, HELD(0), POST(2), POST(2), POST(2));
    push_by_brisc(tb, 0, POST(1)); /* waits too */
    PUSH(tb, 0, POST(2));
    assert_int_equal(semaphore(tb, 1), 1);
    assert_int_equal(semaphore(tb, 2), 0);
    post(tb, 0);
    assert_int_equal(semaphore(tb, 1), 2);
    assert_int_equal(semaphore(tb, 2), 4);
    assert_int_equal(frontend_of(tb, 0)->lost, 0);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* What BRISC has pushed waits, in the middle of a REPLAY: the own core's words come after it. */
static void words_of_brisc_wait(void **state) {
    (void)state;
    for (unsigned reset = 0; reset < 2; reset++) {
        struct tensix_box *tb = create();
        PUSH(tb, 0, TT(REPLAY, 0, 4, 0, 1), MARKED(1), HELD(0), MARKED(2), POST(3));
        push_by_brisc(tb, 0, TT(REPLAY, 0, 4, 0, 0));
        assert_int_equal(mark(tb, 0), 1);
        PUSH(tb, 0, MARKED(5), MARKED(6));
        assert_int_equal(mark(tb, 0), 1);
        assert_int_equal(frontend_of(tb, 0)->in_flight, 2);
        if (reset)
            box_poke32(tb->box, SOFT_RESET_0, 0x47800);
        post(tb, 0);
        assert_int_equal(semaphore(tb, 3), 1);
        assert_int_equal(mark(tb, 0), 6); /* both are behind the MOP expander */
        assert_empty(tb, 0);
        tb_destroy(tb);
    }
}

static void a_mop_of_which_brisc_knows_nothing(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    configure_loop(tb, 0, 1, 5, POST(1));
    PUSH(tb, 0, HELD(0), TT(MOP, 1, 0, 0), POST(2));
    push_by_brisc(tb, 0, POST(3));
    post(tb, 0);
    assert_int_equal(semaphore(tb, 1), 5);
    assert_int_equal(semaphore(tb, 2), 1);
    assert_int_equal(semaphore(tb, 3), 1);
    assert_empty(tb, 0);
    PUSH(tb, 0, HELD(4), POST(2)); /* and all is as before */
    post(tb, 4);
    assert_int_equal(semaphore(tb, 2), 2);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* BRISC's .ttinsn and stores, while other cores are behind and ahead of it. (With cycles a word of theirs is lost now
 * and then.) */
static void brisc_scene(struct tensix_box *tb) {
    for (unsigned i = 0; i < 12; i++) {
        tb_push_store(tb, BH_BRISC, 1 + i % 2, POST(1 + i % 2));
        tb_rv(tb, BH_BRISC, tensix_to_stream(POST(0)));
    }
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned i = 0; i < 60; i++)
            tb_push(tb, thread, TT(SETADCXX, 1, i, i));
}

static void brisc_among_others(void **state) {
    (void)state;
    for (unsigned skew = 1; skew <= 128; skew += 9) {
        struct tensix_box *tb = loose_play(brisc_scene, skew, true);
        assert_at_rest(tb);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(semaphore(tb, i), i ? 6 : 12);
            assert_int_equal(frontend_of(tb, i)->passes, 60 + (i ? 6 : 12));
        }
        tb_destroy(tb);
    }
}

/* By STOREREG a thread pushes to another one through the debug bus, whose core's words are lost meanwhile. */
static void debug_bus(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    assert_int_equal(tile_register_write(&tb->box->tile, BUF_CTRL0 + 4, 0, POST(1)).result, ACCESS_DONE);
    tb->x->gpr[0][4] = 0x22; /* T1: the bus has its FIFO, and pushes */
    tb->x->gpr[0][5] = 0x02;
    tb->x->gpr[0][6] = 0;
    PUSH(tb, 0, TT(STOREREG, 4, REG(BUF_CTRL0)));
    assert_int_equal(semaphore(tb, 1), 1);
    PUSH(tb, 1, POST(2));
    assert_int_equal(semaphore(tb, 2), 0);
    PUSH(tb, 1, HELD(0)); /* lost as well */
    PUSH(tb, 0, TT(STOREREG, 5, REG(BUF_CTRL0)), TT(STOREREG, 4, REG(BUF_CTRL0)), TT(STOREREG, 6, REG(BUF_CTRL0)));
    assert_int_equal(semaphore(tb, 1), 2);
    PUSH(tb, 1, POST(2));
    assert_int_equal(semaphore(tb, 2), 1);
    assert_empty(tb, 1);
    tb_destroy(tb);
}

/* ---- Faults -------------------------------------------------------------------------------------- */

static void assert_fault(struct tensix_box *tb, unsigned thread, uint32_t pc, uint32_t word) {
    assert_int_equal(tb->box->faults, 1);
    assert_int_equal(tb->box->fault.thread, thread);
    assert_int_equal(tb->box->fault.pc, pc);
    assert_int_equal(tb->box->fault.insn, word);
    const struct frontend_word *head = tensix_at_gate(tb->x, thread);
    assert_non_null(head);
    assert_int_equal(head->pc, pc);
    assert_int_equal(head->word, word);
    unsigned other = (thread + 1) % 3; /* goes on */
    PUSH(tb, other, MARKED(77));
    assert_int_equal(mark(tb, other), 77);
    assert_int_equal(tb->box->faults, 1);
}

static void faults_in_rows(void **state) {
    (void)state;
    for (unsigned where = 0; where < 12; where++) {
        for (unsigned waits = 0; waits < 2; waits++) {
            struct tensix_box *tb = create();
            uint32_t row[12];
            for (unsigned i = 0; i < 12; i++)
                row[i] = i == where ? ILLEGAL : MARKED(1 + i);
            if (waits)
                PUSH(tb, 0, HELD(0));
            assert_int_equal(loose_push(tb->x, 0, row, 12, 0x600, tb->now, !waits), 12);
            if (waits)
                post(tb, 0);
            assert_fault(tb, 0, 0x600 + 4 * where, ILLEGAL);
            assert_int_equal(mark(tb, 0), where);
            assert_int_equal(frontend_of(tb, 0)->in_flight, 12 - where);
            tb_destroy(tb);
        }
    }
}

/* In a MOP, and in a REPLAY that it emits: the pc is the MOP's. */
static void faults_in_expansions(void **state) {
    (void)state;
    for (unsigned replayed = 0; replayed < 2; replayed++) {
        for (unsigned waits = 0; waits < 2; waits++) {
            struct tensix_box *tb = create();
            uint32_t nop = TT(NOP, 0), play = TT(REPLAY, 0, 3, 0, 0), bad = replayed ? play : ILLEGAL;
            PUSH(tb, 0, TT(REPLAY, 0, 3, 0, 1), POST(1), ILLEGAL, POST(2));
            configure(tb, 0,
                      (const uint32_t[]){ 3, 4, POST(0), POST(3), nop, waits ? HELD(5) : POST(4), bad, bad, bad });
            const uint32_t words[] = { POST(6), TT(MOP, 1, 0, 0), MARKED(7) };
            assert_int_equal(loose_push(tb->x, 0, words, 3, 0x600, tb->now, false), 3);
            post(tb, 5);
            assert_fault(tb, 0, 0x604, ILLEGAL);
            assert_int_equal(semaphore(tb, 0), 1);
            assert_int_equal(semaphore(tb, 1), replayed);
            assert_int_equal(semaphore(tb, 2), 0);
            assert_int_equal(semaphore(tb, 3), 0);
            assert_int_equal(mark(tb, 0), 0);
            tb_destroy(tb);
        }
    }
}

/* An unpacker finds it undefined when the instruction has long passed: nothing that was not pushed is touched. */
static void faults_of_units(void **state) {
    (void)state;
    for (unsigned waits = 0; waits < 3; waits++) {
        struct tensix_box *tb = create();
        uint32_t unpack = TT(UNPACR_NOP, 0, 0, 1, 0, 0, 0, 0, 0, 3), row[] = { MARKED(1), unpack, ILLEGAL };
        tb->x->config.bank[0][CONFIG_BASE_THCON] = 0;
        if (waits == 1)
            PUSH(tb, 0, HELD(0));
        assert_int_equal(loose_push(tb->x, 0, row, 2, 0x600, tb->now, waits != 2), 2);
        if (waits == 1)
            post(tb, 0);
        assert_int_equal(tb->box->faults, tb->x->thread[0].faulted);
        assert_int_equal(frontend_of(tb, 0)->in_flight, 0);
        assert_int_equal(frontend_first_count(frontend_of(tb, 0)), 0);
        tb_destroy(tb);
    }
}

/* ---- Soft reset ---------------------------------------------------------------------------------- */

/* What has come behind the MOP expander stays, the rest is lost, and nothing is counted twice. */
static void reset_of_a_core_that_waits(void **state) {
    (void)state;
    for (unsigned words = 1; words < 40; words++) {
        struct tensix_box *tb = create();
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        configure_loop(tb, 0, 1, words, POST(1));
        PUSH(tb, 0, HELD(0), TT(MOP, 1, 0, 0), POST(2));
        box_poke32(tb->box, SOFT_RESET_0, 0x47800);
        post(tb, 0);
        unsigned behind = words < 10 ? words : 10;
        assert_int_equal(semaphore(tb, 1), behind);
        assert_int_equal(semaphore(tb, 2), words < 10);
        assert_empty(tb, 0);
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        PUSH(tb, 0, POST(3));
        assert_int_equal(semaphore(tb, 3), 1);
        tb_destroy(tb);
    }
}

/* In the middle of a MOP whose words wait one by one, and then behind. */
static void reset_in_a_mop_of_replays(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    box_poke32(tb->box, SOFT_RESET_0, 0x46800);
    PUSH(tb, 0, TT(REPLAY, 0, 3, 0, 1), HELD(0), GET(0), POST(1));
    configure_loop(tb, 0, 1, 30, TT(REPLAY, 0, 3, 0, 0));
    PUSH(tb, 0, TT(MOP, 1, 0, 0));
    post(tb, 0);
    box_poke32(tb->box, SOFT_RESET_0, 0x47800);
    for (unsigned i = 1; i < 15; i++)
        post(tb, 0);
    assert_in_range(semaphore(tb, 1), 2, 12);
    assert_empty(tb, 0);
    tb_destroy(tb);
}

/* A thread resets its own core: what this one has pushed behind it is lost, whether it stands in the FIFO or not. */
static void reset_of_the_own_core(void **state) {
    (void)state;
    for (unsigned how = 0; how < 4; how++) {
        struct tensix_box *tb = create();
        uint32_t reset = TT(STOREREG, 4, REG(SOFT_RESET_0));
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        tb->x->gpr[0][4] = 0x47800;
        configure_loop(tb, 0, 1, 20, reset);
        if (how % 2)
            PUSH(tb, 0, HELD(0));
        PUSH(tb, 0, how / 2 ? TT(MOP, 1, 0, 0) : reset, POST(1), POST(1), POST(1), POST(1), POST(1), POST(1), POST(1),
             POST(1), POST(1), POST(1), POST(1), POST(1));
        if (how % 2)
            post(tb, 0);
        assert_in_range(semaphore(tb, 1), 0, 10);
        assert_empty(tb, 0);
        box_poke32(tb->box, SOFT_RESET_0, 0x46800);
        PUSH(tb, 0, POST(2), HELD(3), POST(2));
        post(tb, 3);
        assert_int_equal(semaphore(tb, 2), 2);
        assert_empty(tb, 0);
        tb_destroy(tb);
    }
}

/* The same from end to end: the core is gone in the middle of its row, and starts anew when it is let go. */
static void restart_scene(struct tensix_box *tb) {
    enum { FLAG = L1 + 0x100, ROW = 12 };
    tb->x->gpr[0][4] = 0x47000; /* all but BRISC */
    tb_load(tb, BH_TRISC0, TB_T2, FLAG);
    tb_rv(tb, BH_TRISC0, asm_b(RV_BNE, TB_T2, 0, 4 * (6 + ROW)));
    tb_store(tb, BH_TRISC0, FLAG, 1);
    for (unsigned i = 0; i < ROW; i++)
        tb_push(tb, 0, i ? POST(1) : TT(STOREREG, 4, REG(SOFT_RESET_0)));
    tb_push(tb, 0, MARKED(9));
    tb_nops(tb, BH_BRISC, 400);
    tb_store(tb, BH_BRISC, SOFT_RESET_0, 0x46000);
}

static void a_core_that_is_reset_starts_anew(void **state) {
    (void)state;
    for (unsigned loose = 0; loose < 2; loose++) {
        struct tensix_box *tb = loose_play(restart_scene, 1, loose);
        assert_at_rest(tb);
        assert_int_equal(mark(tb, 0), 9);
        assert_in_range(semaphore(tb, 1), 0, 10);
        tb_destroy(tb);
    }
}

/* ---- Who looks ----------------------------------------------------------------------------------- */

/* A thread whose instruction an unpacker has, which waits for a bank, is not idle. */
static void idle_when_its_units_are(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    PUSH(tb, 0, HAND_OVER);
    assert_true(tensix_idle(tb->x, 0, tb->now));
    PUSH(tb, 0, HAND_OVER);
    assert_false(tensix_idle(tb->x, 0, tb->now));
    assert_false(tensix_wait_idle(tb->x, 0, tb->now));
    PUSH(tb, 1, HAND_BACK);
    assert_true(tensix_idle(tb->x, 0, tb->now));
    tb_destroy(tb);
}

/* A core that waits for that goes on, with what its instructions have done. */
static void idle_scene(struct tensix_box *tb) {
    for (unsigned i = 0; i < 4; i++)
        tb_push(tb, 0, HAND_OVER);
    tb_finish(tb, 0);
    tb_store(tb, BH_TRISC0, L1, 1);
    tb_nops(tb, BH_TRISC1, 100);
    for (unsigned i = 0; i < 4; i++)
        TB_PUSH_ALL(tb, 1, TT(STALLWAIT, ALL, GATE_C_SRCA_VALID), i == 1 ? TT(NOP, 0) : MARKED(i), HAND_BACK);
    tb_load(tb, BH_TRISC1, 10, L1);
}

static void idle_check(void **state) {
    (void)state;
    tb_destroy(loose_play_both(idle_scene));
}

/* The MOP expander is done when its words are behind it. */
static void mop_done_check(void **state) {
    (void)state;
    for (unsigned words = 1; words < 20; words++) {
        struct tensix_box *tb = create();
        configure_loop(tb, 0, 1, words, POST(1));
        PUSH(tb, 0, HELD(0), TT(MOP, 1, 0, 0));
        bool busy = tensix_done_check(tb->x, 0, 4, false, tb->now).result == ACCESS_WAIT;
        assert_int_equal(busy, words > FRONTEND_MIDDLE + FRONTEND_LAST);
        post(tb, 0);
        assert_int_equal(tensix_done_check(tb->x, 0, 4, false, tb->now).result, ACCESS_DONE);
        assert_int_equal(semaphore(tb, 1), words < 15 ? words : 15);
        assert_empty(tb, 0);
        tb_destroy(tb);
    }
}

/* Auto TTSync: a core's access waits for words that wait, also in an expansion. */
static void tracked_scene(struct tensix_box *tb) {
    uint32_t nop = TT(NOP, 0), add = TT(ADDDMAREG, 1, 5, 1, 5);
    const uint32_t config[MOP_WORDS] = { 1, 4, nop, nop, nop, add, nop, HELD(1), nop };
    tb_push(tb, 0, TRACKING(0x1D));
    tb_finish(tb, 0);
    for (unsigned i = 0; i < MOP_WORDS; i++)
        tb_store(tb, BH_TRISC0, TB_MOP + 4 * i, config[i]);
    TB_PUSH_ALL(tb, 0, HELD(0), add);
    tb_load(tb, BH_TRISC0, 10, TB_GPRS + 4 * 5);
    TB_PUSH_ALL(tb, 0, TT(MOP, 1, 0, 0), add);
    tb_load(tb, BH_TRISC0, 11, TB_GPRS + 4 * 5);
    tb_store(tb, BH_TRISC0, TB_GPRS + 4 * 5, 100);
    tb_push(tb, 0, add);
    tb_post_later(tb, 2, 0, 100);
    tb_post_later(tb, 2, 1, 200);
}

static void tracked(void **state) {
    struct tensix_box *tb = loose_play_both(tracked_scene);
    (void)state;
    assert_int_equal(core_of(tb, BH_TRISC0)->x[10], 1);
    assert_int_equal(core_of(tb, BH_TRISC0)->x[11], 5);
    assert_int_equal(tb->x->gpr[0][5], 101);
    tb_destroy(tb);
}

#define TDMA 0xFFB11000u

/* The mover is ahead of the core, which sees it as it is then and not in its own time. */
static void tdma_scene(struct tensix_box *tb) {
    enum { FROM, TO, SIZE, DIRECTION, COMMAND, STATUS, MOVE = 0x40, WAIT = 0x46 };
    const uint32_t parameters[] = { L1 / 16, L1 / 16 + 0x1000, 100, 2 };
    for (unsigned i = 0; i < 4; i++)
        tb_store(tb, BH_TRISC0, TDMA + 4 * i, parameters[i]);
    tb_store(tb, BH_TRISC0, TDMA + 4 * COMMAND, MOVE);
    tb_store(tb, BH_TRISC0, TDMA + 4 * COMMAND, 0x80000000 | WAIT);
    tb_li(tb, BH_TRISC0, TB_T0, TDMA + 4 * STATUS);
    tb_rv(tb, BH_TRISC0, asm_i(RV_LW, TB_T1, TB_T0, 0));
    tb_rv(tb, BH_TRISC0, asm_i(RV_ANDI, TB_T1, TB_T1, 1));
    tb_rv(tb, BH_TRISC0, asm_b(RV_BNE, TB_T1, 0, -8));
    tb_rv(tb, BH_TRISC0, asm_i(RV_ADDI, TB_T1, 0, 0));
}

static void the_mover_is_ahead(void **state) {
    (void)state;
    tb_destroy(loose_play_both(tdma_scene));
}

/* Whoever watches sees every word once, in its own unit's track, and the pc that it was pushed at. */
static void watched(void **state) {
    static struct observer observer;
    struct tensix_box *tb = create();
    (void)state;
    observer = (struct observer){ .what = BH_WATCH_EVENTS };
    tile_watch(&tb->box->tile, &observer, 0);
    configure_loop(tb, 0, 1, 6, TT(SETADCXX, 1, 0, 0));
    const uint32_t words[] = { POST(1), POST(1), HELD(0), POST(1), TT(MOP, 1, 0, 0), POST(2), POST(2) };
    assert_int_equal(loose_push(tb->x, 0, words, 7, 0x700, tb->now++, false), 7);
    push_by_brisc(tb, 0, TT(SETC16, MARK, 4));
    post(tb, 0);
    unsigned row = tensix_row_index(TENSIX_SEMPOST);
    assert_int_equal(observer.mix[0][row], 2 + 1 + 2);
    assert_int_equal(observer.mix[0][tensix_row_index(TENSIX_SETADCXX)], 6);
    assert_int_equal(observer.mix[0][tensix_row_index(TENSIX_SEMWAIT)], 1);
    assert_int_equal(observer.mix[0][tensix_row_index(TENSIX_SETC16)], 1);
    assert_int_equal(observer.held[0].pc, 0); /* BRISC's */
    observe_close(&observer);
    unsigned of_mop = 0;
    for (size_t i = 0; i < observer.events; i++)
        if (observer.event[i].word >> 24 == TENSIX_SETADCXX) {
            assert_int_equal(observer.event[i].pc, 0x710);
            of_mop++;
        }
    assert_true(of_mop > 0);
    observe_free(&observer);
    tb_destroy(tb);
}

/* ---- SFPLOADMACRO -------------------------------------------------------------------------------- */

static uint64_t seed_of_macros;

/* An instruction that reads or writes what the scheduled ones do, or another macro. */
static uint32_t draw_between(uint64_t *seed) {
    unsigned vd = random_below(seed, 4);
    switch (random_below(seed, 5)) {
    case 0: return TT(SFPLOADMACRO, vd, 4, 0, 4 * random_below(seed, 8));
    case 1: return TT(SFPMOV, 0, vd, 4 + random_below(seed, 4), 0);
    case 2: return TT(SFPLOADI, vd, 2, random_below(seed, 0x10000));
    case 3: return TT(SFPNOP, 0);
    default: return TT(SFPIADD, random_below(seed, 4096), vd, 4 + random_below(seed, 4), 5);
    }
}

/* Macro 0 adds and stores, each after a while, to what it loads. The words in between pass one a cycle. */
static void macros(struct tensix_box *tb) {
    uint64_t seed = seed_of_macros;
    unsigned add = random_below(&seed, 6), store = random_below(&seed, 8);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        tb->x->vector.macro[i].misc = 4;
        tb->x->vector.macro[i].template[0] = TT(SFPIADD, 3, 0, 0, 5);
        tb->x->vector.macro[i].sequence[0] = (4u | add << 3) | (3u | store << 3) << 24;
    }
    for (unsigned i = 0; i < 8; i++)
        TB_PUSH_ALL(tb, 1, TT(SFPLOADI, i, 2, random_below(&seed, 0x10000)), TT(SFPSTORE, i, 4, 0, 4 * i));
    tb_push(tb, 1, TT(REPLAY, 0, 31, 0, 1));
    for (unsigned i = 0; i < 31; i++)
        tb_push(tb, 1, draw_between(&seed));
    TB_PUSH_ALL(tb, 1, TT(STALLWAIT, ALL, GATE_C_VECTOR), TT(REPLAY, 0, 31, 0, 0), TT(REPLAY, 3, 20, 0, 0));
}

static void macros_keep_their_cycles(void **state) {
    unsigned ended = 0;
    (void)state;
    for (seed_of_macros = 1; seed_of_macros < 400; seed_of_macros++) {
        struct tensix_box *exact = loose_play(macros, 1, false), *loose = loose_play(macros, 1, true);
        assert_int_equal(exact->box->faults, loose->box->faults);
        if (!exact->box->faults) {
            assert_at_rest(loose);
            assert_same_values(exact, loose);
            ended++;
        }
        tb_destroy(exact);
        tb_destroy(loose);
    }
    assert_true(ended > 100);
}

/* Whoever looks a few cycles later finds them done. */
static void macros_end_for_who_looks(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    seed_of_macros = 5;
    macros(tb); /* not started: only what it sets up */
    PUSH(tb, 1, TT(SFPLOADI, 0, 2, 7));
    uint32_t macro = TT(SFPLOADMACRO, 0, 4, 0, 0);
    assert_int_equal(loose_push(tb->x, 1, &macro, 1, 0, tb->now, true), 1);
    assert_int_not_equal(tb->x->landings, 0);
    tensix_run(tb->x, tb->x->time + 20);
    assert_int_equal(tb->x->landings, 0);
    assert_false(tb->x->vector.macros);
    tb_destroy(tb);
}

/* The tile gives them their time if no word follows and no core moves any more. */
static void macros_end_by_themselves(void **state) {
    struct tensix_box *tb = create();
    (void)state;
    seed_of_macros = 5;
    macros(tb);
    tb_push(tb, 1, TT(SFPLOADMACRO, 0, 4, 0, 0));
    tb_start(tb);
    tile_run(&tb->box->tile, 20000);
    assert_int_equal(core_of(tb, BH_TRISC1)->state, BH_CORE_PAUSED);
    assert_int_equal(tb->box->faults, 0);
    assert_int_equal(tb->x->landings, 0);
    assert_false(tb->x->vector.macros);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_middle_of_a_mop_of_replays),
        cmocka_unit_test(woken_in_time),
        cmocka_unit_test(woken_before_writes),
        cmocka_unit_test(semaphores),
        cmocka_unit_test(pulses),
        cmocka_unit_test(mutexes),
        cmocka_unit_test(banks),
        cmocka_unit_test(streams),
        cmocka_unit_test(memory),
        cmocka_unit_test(full),
        cmocka_unit_test(consumed_words_make_room),
        cmocka_unit_test(words_of_brisc),
        cmocka_unit_test(words_of_brisc_wait),
        cmocka_unit_test(a_mop_of_which_brisc_knows_nothing),
        cmocka_unit_test(brisc_among_others),
        cmocka_unit_test(debug_bus),
        cmocka_unit_test(faults_in_rows),
        cmocka_unit_test(faults_in_expansions),
        cmocka_unit_test(faults_of_units),
        cmocka_unit_test(reset_of_a_core_that_waits),
        cmocka_unit_test(reset_in_a_mop_of_replays),
        cmocka_unit_test(reset_of_the_own_core),
        cmocka_unit_test(a_core_that_is_reset_starts_anew),
        cmocka_unit_test(idle_when_its_units_are),
        cmocka_unit_test(idle_check),
        cmocka_unit_test(mop_done_check),
        cmocka_unit_test(tracked),
        cmocka_unit_test(the_mover_is_ahead),
        cmocka_unit_test(watched),
        cmocka_unit_test(macros_keep_their_cycles),
        cmocka_unit_test(macros_end_for_who_looks),
        cmocka_unit_test(macros_end_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
