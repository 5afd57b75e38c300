/* Order of threads that hand banks of Src to each other (src/tensix/loose.c): the same values with both timings.
 *
 * T0 unpacks, T1 computes and hands banks back, T2 follows by a semaphore. As in the kernels of tt-llk, T1 does not
 * wait for SrcB where only SrcA is read, and hands both back: T0 hands SrcB over right behind SrcA, long before. */
#include "loose_banks.h"

enum { PROGRAMS = 250, OPERATIONS = 7, FACES = 8, TILES = 40, L1_RESULT = 0x60000 };
static uint64_t seed_of_program;

static void setup(struct tensix_box *tb, uint64_t *seed) {
    us_setup(tb, 0, BF16, BF16, 256);
    us_setup(tb, 1, BF16, BF16, 256);
    fill_l1(tb->x, US_TILE, TILES * 2 * US_DATA, seed);
    config_changed(&tb->x->config);
}

/* ---- Operations ------------------------------------------------------------------------------------------ */

/* Faces of SrcA go to Dst. SrcB's banks go with SrcA's and are not read. */
static void put_copy(struct maker *m) {
    unsigned faces = 1 + below(m, FACES);
    if (below(m, 4))
        PUT(m, 0, faces, UNPACK_A, DUMMY(SRC_B));
    else
        PUT(m, 0, faces, DUMMY(SRC_B), UNPACK_A);
    if (!below(m, 3))
        TB_PUSH_ALL(m->tb, 1, TT(STALLWAIT, ALL, GATE_C_SRCA_VALID | GATE_C_SRCB_VALID));
    PUT(m, 1, faces, COPY_A, NEXT_ROWS, COPY_A, NEXT_ROWS, CLEAR(CLEAR_AB));
}

static void put_copy_b(struct maker *m) {
    unsigned faces = 1 + below(m, FACES);
    PUT(m, 0, faces, DUMMY(SRC_A), UNPACK_B);
    PUT(m, 1, faces, COPY_B, NEXT_ROWS, COPY_B, NEXT_ROWS, CLEAR(CLEAR_AB));
}

/* One bank of SrcB for several of SrcA. */
static void put_matmul(struct maker *m) {
    unsigned banks = 1 + below(m, 5);
    PUT(m, 0, 1, UNPACK_B);
    PUT(m, 0, banks, UNPACK_A);
    PUT(m, 1, banks, TT(MVMUL, 0, 0, 0, 0), NEXT_ROWS, TT(MVMUL, CLEAR_A, 0, 0, 0));
    PUT(m, 1, 1, CLEAR(CLEAR_B));
}

static void put_eltwise(struct maker *m) {
    unsigned faces = 1 + below(m, FACES);
    if (below(m, 2))
        PUT(m, 0, faces, UNPACK_A, UNPACK_B);
    else
        PUT(m, 0, faces, UNPACK_B, UNPACK_A);
    PUT(m, 1, faces, TT(ELWADD, 0, 1, 0, 0, 0), NEXT_ROWS, TT(ELWADD, CLEAR_AB, below(m, 2), 0, 0, 0), NEXT_ROWS);
}

/* T2 writes down that T1 has come here, and T1 may go on when T2 has. */
static void put_handshake(struct maker *m) {
    TB_PUSH_ALL(m->tb, 1, TT(STALLWAIT, ALL, GATE_C_MATRIX), TT(SEMPOST, 1u << DONE));
    TB_PUSH_ALL(m->tb, 2, HELD(DONE), TT(ADDDMAREG, 1, 8, 1, 8), TT(STOREIND, 1, 0, 1, 2 * 9, 1, 8, 10),
                TT(STALLWAIT, ALL, GATE_C_MEMORY), TT(SEMGET, 1u << DONE), TT(SEMPOST, 1u << FREE));
    TB_PUSH_ALL(m->tb, 1, HELD(FREE), TT(SEMGET, 1u << FREE));
    if (below(m, 2))
        TB_PUSH_ALL(m->tb, 1, TT(ZEROACC, .clear_mode = 1, .where = below(m, 8)));
}

static void put_restart(struct maker *m) {
    TB_PUSH_ALL(m->tb, 0, TT(SETADCZW, 3, 0, 0, 0, below(m, 8), 1));
    TB_PUSH_ALL(m->tb, 1, TT(SETRWC, 0, 0, below(m, 2) * MOVED, 0, 0, COUNT_A | COUNT_B | COUNT_D));
}

static void put_operation(struct maker *m) {
    put_restart(m);
    switch (below(m, 6)) {
    case 0:
    case 1: put_copy(m); break;
    case 2: put_copy_b(m); break;
    case 3: put_matmul(m); break;
    case 4: put_eltwise(m); break;
    default: put_handshake(m); break;
    }
    unsigned thread = below(m, 3); /* drawn in this order on every host */
    tb_nops(m->tb, tb_core(thread), below(m, 3) ? 0 : below(m, 150));
}

static bool has_room(const struct tensix_box *tb) {
    enum { LONGEST = 420 };
    return tb->length[BH_TRISC0] < TB_CODE - LONGEST && tb->length[BH_TRISC1] < TB_CODE - LONGEST;
}

static void random_program(struct tensix_box *tb) {
    struct maker m = { .tb = tb, .seed = seed_of_program * 7919 + 5 };
    setup(tb, &m.seed);
    tb_gpr(tb, 2, 10, L1_RESULT / 16);
    for (unsigned i = 0; i < OPERATIONS && has_room(tb); i++)
        put_operation(&m);
}

static unsigned number_from(const char *name, unsigned usual) {
    const char *text = getenv(name);
    return text ? (unsigned)strtoul(text, NULL, 10) : usual;
}

/* More of them while developing: LOOSE_FIRST, LOOSE_PROGRAMS. */
static uint64_t play_programs(unsigned first, unsigned count) {
    uint64_t passes = 0;
    for (seed_of_program = first; seed_of_program < first + count; seed_of_program++) {
        struct tensix_box *tb = loose_play_both(random_program);
        passes += tb->x->thread[1].frontend.passes;
        tb_destroy(tb);
    }
    return passes;
}

static void programs_end_the_same(void **state) {
    unsigned first = number_from("LOOSE_FIRST", 0), count = number_from("LOOSE_PROGRAMS", PROGRAMS);
    (void)state;
    assert_true(play_programs(first, count) > 20 * count);
}

/* TRISC0 waits for room and then pushes the word that hands SrcB over: it goes on by the clock of its thread, not by
 * the time of the units, which is ahead. */
static void room_comes_at_the_thread_s_clock(void **state) {
    (void)state;
    (void)play_programs(1001585, 1);
    (void)play_programs(2008998, 1);
}

/* ---- Scenes ------------------------------------------------------------------------------------------------ */

/* Copies of many faces, for which T0 is as far ahead as it can be, and then a product: SrcB's banks go by SrcA's. */
static void copy_then_matmul_scene(struct tensix_box *tb) {
    uint64_t seed = 1;
    setup(tb, &seed);
    put_pairs(tb, 0, (const uint32_t[]){ UNPACK_A, DUMMY(SRC_B) }, FACES);
    TB_PUSH_ALL(tb, 0, UNPACK_B, UNPACK_A, UNPACK_B, UNPACK_A);
    tb_nops(tb, BH_TRISC1, 200);
    put_mop(tb, 1, (const uint32_t[]){ COPY_A, NEXT_ROWS, COPY_A, NEXT_ROWS, CLEAR(CLEAR_AB) }, 5, FACES);
    for (unsigned i = 0; i < 2; i++)
        TB_PUSH_ALL(tb, 1, TT(MVMUL, 0, 0, 0, 0), NEXT_ROWS, TT(MVMUL, CLEAR_AB, 0, 0, 0));
}

static void copy_then_matmul(void **state) {
    (void)state;
    tb_destroy(loose_play_both(copy_then_matmul_scene));
}

/* T1 waits for SrcA, which comes one word before SrcB. */
static void consumer_first_scene(struct tensix_box *tb) {
    uint64_t seed = 2;
    setup(tb, &seed);
    put_mop(tb, 1, (const uint32_t[]){ COPY_A, NEXT_ROWS, CLEAR(CLEAR_AB) }, 3, FACES);
    tb_nops(tb, BH_TRISC0, 400);
    for (unsigned i = 0; i < FACES; i++) {
        tb_push_store(tb, BH_TRISC0, 0, UNPACK_A);
        tb_push_store(tb, BH_TRISC0, 0, DUMMY(SRC_B));
    }
    TB_PUSH_ALL(tb, 0, UNPACK_B, UNPACK_A);
    TB_PUSH_ALL(tb, 1, TT(MVMUL, CLEAR_AB, 0, 0, 0));
}

static void consumer_first(void **state) {
    (void)state;
    tb_destroy(loose_play_both(consumer_first_scene));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_then_matmul),
        cmocka_unit_test(consumer_first),
        cmocka_unit_test(room_comes_at_the_thread_s_clock),
        cmocka_unit_test(programs_end_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
