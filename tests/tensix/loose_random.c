/* Random programs of three threads that wait where they must: they end with the same values in both timings
 * (src/tensix/loose.c). State of a single thread needs no order but the thread's own; data between threads goes through
 * semaphores, a mutex or the owners of Src's banks. */
#include "loose_same.h"

enum { PROGRAMS = 300, PIECES = 14, BASE = 60, SHARED = 61, LOADED = 58, ADDED = 57 };
enum { L1 = 0x40000, L1_THREAD = 0x1000, L1_SHARED = 0x48000 };
enum { ALL = 0x1FF, RESULTS = 10 }; /* block masks; the first register of a core for what it reads */
enum { MUTEX = 2 };

static uint64_t seed_of_program;

struct maker {
    struct tensix_box *tb;
    uint64_t seed;
    bool tracks;
    unsigned posted[SYNC_SEMAPHORES];
    unsigned results[TENSIX_THREADS];
};

static unsigned below(struct maker *m, unsigned n) {
    return random_below(&m->seed, n);
}

static unsigned gpr(struct maker *m) {
    return 4 + below(m, 24);
}

/* For what arrives after its instruction has passed: Auto TTSync does not know of it, so no core looks at these. */
static unsigned late_gpr(struct maker *m) {
    return 32 + below(m, 16);
}

/* ---- Words ------------------------------------------------------------------------------------- */

static uint32_t draw_scalar(struct maker *m) {
    unsigned constant = below(m, 2), result = gpr(m), b = gpr(m), a = gpr(m);
    switch (below(m, 6)) {
    case 0: return TT(SETDMAREG, below(m, 4), below(m, 0x4000), 0, 2 * result + below(m, 2));
    case 1: return TT(SUBDMAREG, constant, result, b, a);
    case 2: return TT(MULDMAREG, constant, result, b, a);
    case 3: return TT(BITWOPDMAREG, constant, below(m, 3), result, b, a);
    case 4: return TT(SHIFTDMAREG, 1, below(m, 2), result, below(m, 32), a);
    default: return TT(ADDDMAREG, constant, result, b, a);
    }
}

static uint32_t draw_vector(struct maker *m) {
    unsigned d = below(m, 8), a = below(m, 8), b = below(m, 8), c = below(m, 8);
    switch (below(m, 6)) {
    case 0: return TT(SFPMAD, a, b, c, d, 0);
    case 1: return TT(SFPIADD, below(m, 4096), c, d, 5);
    case 2: return TT(SFPSTORE, d, 4, 0, 4 * below(m, 16));
    case 3: return TT(SFPLOAD, d, 4, 0, 4 * below(m, 16));
    case 4: return TT(ZEROACC, .clear_mode = 1, .where = below(m, 4));
    default: return TT(SFPLOADI, d, 2 * below(m, 2), below(m, 0x10000));
    }
}

/* A word that concerns only its thread, and behind which any word may follow at once. */
static uint32_t draw_word(struct maker *m, unsigned thread) {
    unsigned small = below(m, 8), user = 1 + below(m, 7);
    switch (below(m, 9)) {
    case 0: return TT(SETADCXY, user, small, below(m, 8), below(m, 8), below(m, 8), below(m, 16));
    case 1: return TT(INCADCXY, user, small, below(m, 8), below(m, 8), below(m, 8));
    case 2: return TT(INCRWC, below(m, 8), below(m, 8), below(m, 8), below(m, 8));
    case 3: return TT(SETRWC, 0, below(m, 16), below(m, 16), below(m, 16), below(m, 16), below(m, 16));
    case 4: return TT(SETC16, 3, below(m, 0x10000));
    case 5: return TT(RMWCIB0, below(m, 256), below(m, 256), 12 + thread);
    case 6: return below(m, 4) ? TT(NOP, 0) : TT(RESOURCEDECL, 0, 0x1FF, below(m, 16));
    case 7: return thread == 1 ? draw_vector(m) : draw_scalar(m);
    default: return draw_scalar(m);
    }
}

/* Likewise, and the word reaches the Replay expander. */
static uint32_t draw_recorded(struct maker *m, unsigned thread) {
    uint32_t word;
    do
        word = draw_word(m, thread);
    while (word >> 24 == TENSIX_RESOURCEDECL);
    return word;
}

/* ---- Pieces of programs ------------------------------------------------------------------------ */

static void put(struct maker *m, unsigned thread, uint32_t word) {
    if (below(m, 4))
        tb_push(m->tb, thread, word);
    else
        tb_push_store(m->tb, tb_core(thread), thread, word);
}

static void put_row(struct maker *m, unsigned thread, unsigned length) {
    while (length--)
        put(m, thread, draw_word(m, thread));
    tb_nops(m->tb, tb_core(thread), below(m, 8));
}

static uint32_t play_of(struct maker *m) {
    return TT(REPLAY, below(m, 32), 1 + below(m, 12), 0, 0);
}

static void put_recorded(struct maker *m, unsigned thread, unsigned start, unsigned length, bool executes) {
    put(m, thread, TT(REPLAY, start, length, executes, 1));
    for (unsigned i = 0; i < length; i++) {
        put(m, thread, draw_recorded(m, thread));
        if (!below(m, 8))
            tb_nops(m->tb, tb_core(thread), below(m, 30));
    }
}

static void configure_mop(struct maker *m, unsigned thread, const uint32_t config[MOP_WORDS]) {
    tb_load(m->tb, tb_core(thread), TB_T2, MOP_DONE);
    tb_rv(m->tb, tb_core(thread), asm_r(RV_AND, TB_T2, TB_T2, TB_T2));
    for (unsigned i = 0; i < MOP_WORDS; i++)
        tb_store(m->tb, tb_core(thread), TB_MOP + 4 * i, config[i]);
}

static void draw_config(struct maker *m, unsigned thread, uint32_t config[MOP_WORDS]) {
    for (unsigned i = 2; i < MOP_WORDS; i++)
        config[i] = below(m, 5) ? draw_word(m, thread) : below(m, 2) ? play_of(m) : TT(NOP, 0);
}

static void put_list(struct maker *m, unsigned thread) {
    uint32_t config[MOP_WORDS] = { 0, below(m, 4) };
    draw_config(m, thread, config);
    configure_mop(m, thread, config);
    if (below(m, 2))
        put(m, thread, TT(MOP_CFG, below(m, 0x10000)));
    put(m, thread, TT(MOP, 0, below(m, 40), below(m, 0x10000)));
}

static void put_loops(struct maker *m, unsigned thread) {
    uint32_t config[MOP_WORDS] = { below(m, 4), below(m, 6) };
    draw_config(m, thread, config);
    configure_mop(m, thread, config);
    put(m, thread, TT(MOP, 1, 0, 0));
}

/* The words of a MOP are recorded, up to the last. */
static void put_recorded_mop(struct maker *m, unsigned thread) {
    unsigned length = 2 + below(m, 10);
    uint32_t nop = TT(NOP, 0), config[MOP_WORDS] = { 1, length, nop, nop, nop, 0, nop };
    config[MOP_LOOP] = draw_word(m, thread);
    config[MOP_LAST] = draw_word(m, thread);
    config[MOP_LAST_INNER] = nop;
    configure_mop(m, thread, config);
    put(m, thread, TT(REPLAY, below(m, 32), length, below(m, 2), 1));
    put(m, thread, TT(MOP, 1, 0, 0));
}

static void put_waits(struct maker *m, unsigned thread) { /* for its loads and stores */
    put(m, thread, TT(STALLWAIT, ALL, GATE_C_MEMORY));
}

static void put_memory(struct maker *m, unsigned thread) {
    tb_gpr(m->tb, thread, BASE, (L1 + thread * L1_THREAD) / 16);
    tb_gpr(m->tb, thread, SHARED, 16 * below(m, 16));
    put(m, thread, TT(STOREIND, 1, 0, 1, 2 * SHARED, 0, below(m, 2) ? gpr(m) : late_gpr(m), BASE));
    put_waits(m, thread);
    put(m, thread, TT(LOADIND, 1, 2 * SHARED, 0, late_gpr(m), BASE));
    put_waits(m, thread);
    put(m, thread, TT(ATINCGET, 0, 31, below(m, 4), late_gpr(m), BASE));
    put_waits(m, thread);
}

/* Additions to a word of L1 under a mutex count, not their order. */
static void put_mutex(struct maker *m, unsigned thread) {
    tb_gpr(m->tb, thread, BASE, L1_SHARED / 16);
    tb_gpr(m->tb, thread, SHARED, 0);
    put(m, thread, TT(ATGETM, MUTEX));
    put(m, thread, TT(LOADIND, 1, 2 * SHARED, 0, LOADED, BASE));
    put_waits(m, thread);
    put(m, thread, TT(ADDDMAREG, 1, LOADED, 1 + below(m, 60), LOADED));
    put(m, thread, TT(STOREIND, 1, 0, 1, 2 * SHARED, 0, LOADED, BASE));
    put_waits(m, thread);
    put(m, thread, TT(ATRELM, MUTEX));
    tb_gpr(m->tb, thread, LOADED, 0);
}

static void put_config(struct maker *m, unsigned thread) {
    unsigned word = 12 + thread;
    put(m, thread, TT(STALLWAIT, ALL, GATE_C_CONFIG));
    put(m, thread, TT(SETC16, 0, below(m, 2)));
    put(m, thread, TT(WRCFG, late_gpr(m), 0, word));
    put(m, thread, TT(STALLWAIT, ALL, GATE_C_CONFIG));
    put(m, thread, TT(RDCFG, late_gpr(m), word));
    put(m, thread, TT(STALLWAIT, ALL, GATE_C_CONFIG));
}

/* The core reads a GPR: with Auto TTSync at once, otherwise when the thread is idle. */
static void put_look(struct maker *m, unsigned thread) {
    enum bh_core core = tb_core(thread);
    if (m->results[thread] == 20)
        return;
    unsigned rd = RESULTS + m->results[thread]++;
    if (!m->tracks || below(m, 3) == 0)
        tb_finish(m->tb, thread);
    tb_load(m->tb, core, rd, TB_GPRS + 4 * gpr(m));
    if (m->tracks && below(m, 2)) {
        uint32_t value = (uint32_t)random_next(&m->seed);
        unsigned written = gpr(m);
        tb_store(m->tb, core, TB_GPRS + 4 * written, value);
    }
}

/* One posts a semaphore so many times, another waits for each: in a row, or in the middle of a MOP. */
static void put_handshake(struct maker *m) {
    unsigned from = below(m, 3), to = (from + 1 + below(m, 2)) % 3, semaphore = 2 * from + (to == (from + 1) % 3);
    unsigned outer = 1 + below(m, 2), inner = 1 + below(m, 4), count = outer * inner;
    uint32_t wait = HELD(semaphore), get = TT(SEMGET, 1u << semaphore), nop = TT(NOP, 0);
    if ((m->posted[semaphore] += count) > 15)
        return;
    for (unsigned i = 0; i < count; i++) {
        if (below(m, 3))
            put(m, from, TT(SEMPOST, 1u << semaphore));
        else
            tb_store(m->tb, tb_core(from), SEMAPHORE(semaphore), 0);
        tb_nops(m->tb, tb_core(from), below(m, 20));
    }
    if (below(m, 2)) {
        put(m, to, TT(REPLAY, 20, 3, 0, 1));
        TB_PUSH_ALL(m->tb, to, wait, draw_recorded(m, to), get);
        uint32_t play = TT(REPLAY, 20, 3, 0, 0);
        configure_mop(
            m, to, (const uint32_t[]){ outer, inner, draw_word(m, to), draw_word(m, to), nop, play, nop, play, play });
        put(m, to, TT(MOP, 1, 0, 0));
        put_recorded(m, to, 20, 3, false); /* so that the waits are not played again */
    } else {
        for (unsigned i = 0; i < count; i++)
            TB_PUSH_ALL(m->tb, to, wait, draw_word(m, to), get);
    }
}

/* More banks are handed over than there are, and handed back one by one; at every look all of them are gone. */
static void put_banks(struct maker *m) {
    unsigned count = 1 + below(m, 6), file = below(m, 2);
    for (unsigned i = 0; i < count; i++) {
        put(m, 0, TT(UNPACR_NOP, file, 0, 0, 1, 0, 0, 0, 0, 1));
        put(m, 1, TT(STALLWAIT, ALL, file ? GATE_C_SRCB_VALID : GATE_C_SRCA_VALID));
        put_row(m, 1, below(m, 4));
        put(m, 1, TT(CLEARDVALID, 1u << file, 0));
    }
    put(m, 0, TT(STALLWAIT, ALL, GATE_C_UNPACK0 | GATE_C_UNPACK1));
    tb_finish(m->tb, 0);
}

static void put_piece(struct maker *m) {
    unsigned thread = below(m, 3);
    switch (below(m, 14)) {
    case 0: put_recorded(m, thread, below(m, 32), 1 + below(m, 20), below(m, 2)); break;
    case 1: put(m, thread, play_of(m)); break;
    case 2: put_list(m, thread); break;
    case 3: put_loops(m, thread); break;
    case 4: put_recorded_mop(m, thread); break;
    case 5: put_memory(m, thread); break;
    case 6: put_mutex(m, thread); break;
    case 7: put_config(m, thread); break;
    case 8: put_look(m, thread); break;
    case 9:
    case 10: put_handshake(m); break;
    case 11: put_banks(m); break;
    default: put_row(m, thread, 1 + below(m, 40)); break;
    }
}

/* For one more piece, in every core's program. */
static bool has_room(const struct tensix_box *tb) {
    enum { LONGEST = 300 };
    bool room = true;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        room &= tb->length[tb_core(i)] < TB_CODE - LONGEST;
    return room;
}

static void random_program(struct tensix_box *tb) {
    struct maker m = { .tb = tb, .seed = seed_of_program * 7919 + 1 };
    m.tracks = below(&m, 2);
    fill_l1(tb->x, L1, 3 * L1_THREAD, &m.seed);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        tb_push(tb, i, TRACKING(m.tracks ? 0x1D : 0));
        tb_finish(tb, i);
        put_recorded(&m, i, 0, 31, false);
        put_recorded(&m, i, 31, 1, false);
    }
    for (unsigned i = 0; i < PIECES && has_room(tb); i++)
        put_piece(&m);
}

static void programs_end_the_same(void **state) {
    uint64_t passes = 0;
    (void)state;
    for (seed_of_program = 0; seed_of_program < PROGRAMS; seed_of_program++) {
        struct tensix_box *tb = loose_play_both(random_program);
        for (unsigned i = 0; i < TENSIX_THREADS; i++)
            passes += tb->x->thread[i].frontend.passes;
        tb_destroy(tb);
    }
    assert_true(passes > 150 * PROGRAMS);
}

/* A core that waits for a pass has to look again when words behind it are recorded, which is none. */
static void words_go_without_a_pass(void **state) {
    (void)state;
    seed_of_program = 51532;
    tb_destroy(loose_play_both(random_program));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_end_the_same),
        cmocka_unit_test(words_go_without_a_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
