/* Order of threads that hand banks of Src to each other (src/tensix/loose.c): the same values with both timings.
 *
 * T0 unpacks, T1 computes and hands banks back, T2 follows by a semaphore. As in the kernels of tt-llk, T1 does not
 * wait for SrcB where only SrcA is read, and hands both back: T0 hands SrcB over right behind SrcA, long before. */
#include "loose_same.h"
#include "tensix/unpack_setup.h"

enum { PROGRAMS = 250, OPERATIONS = 7, FACES = 8, TILES = 40, BF16 = UR_BF16, ALL = 0x1FF };
enum { CLEAR_A = 1, CLEAR_B = 2, CLEAR_AB = 3, COUNT_A = 1, COUNT_B = 2, COUNT_D = 4 };
enum { DONE = 3, FREE = 4, L1_RESULT = 0x60000, MOVED = 8 /* rows */ };

#define UNPACK_A    TT(UNPACR, .AddrMode = 1, .SetDatValid = 1)
#define UNPACK_B    TT(UNPACR, .Unpack_block_selection = 1, .AddrMode = 1, .SetDatValid = 1)
#define DUMMY(file) TT(UNPACR_NOP, .Unpacker_Select = (file), .Set_Dvalid = 1, .Unpack_Pop = 1)
#define COPY_A      TT(MOVA2D, .instr_mod = 2)
#define COPY_B      TT(MOVB2D, .movb2d_instr_mod = 2)
#define NEXT_ROWS   TT(INCRWC, .rwc_d = MOVED)
#define CLEAR(ab)   TT(SETRWC, .clear_ab_vld = (ab))
#define NO_WORD     TT(NOP, 0)

static uint64_t seed_of_program;

struct maker {
    struct tensix_box *tb;
    uint64_t seed;
};

static unsigned below(struct maker *m, unsigned n) {
    return random_below(&m->seed, n);
}

static void setup(struct tensix_box *tb, uint64_t *seed) {
    us_setup(tb, 0, BF16, BF16, 256);
    us_setup(tb, 1, BF16, BF16, 256);
    fill_l1(tb->x, US_TILE, TILES * 2 * US_DATA, seed);
    config_changed(&tb->x->config);
}

/* ---- Words of a thread --------------------------------------------------------------------------------- */

static void configure_mop(struct tensix_box *tb, unsigned thread, const uint32_t config[MOP_WORDS]) {
    tb_load(tb, tb_core(thread), TB_T2, MOP_DONE);
    tb_rv(tb, tb_core(thread), asm_r(RV_AND, TB_T2, TB_T2, TB_T2));
    for (unsigned i = 0; i < MOP_WORDS; i++)
        tb_store(tb, tb_core(thread), TB_MOP + 4 * i, config[i]);
}

/* The words so many times, out of a MOP of REPLAYs. */
static void put_mop(struct tensix_box *tb, unsigned thread, const uint32_t *words, unsigned count, unsigned times) {
    uint32_t play = TT(REPLAY, 0, count, 0, 0);
    tb_push(tb, thread, TT(REPLAY, 0, count, 0, 1));
    tb_push_all(tb, thread, words, count);
    configure_mop(tb, thread, (const uint32_t[]){ times, 1, NO_WORD, NO_WORD, NO_WORD, play, NO_WORD, play, play });
    tb_push(tb, thread, TT(MOP, 1, 0, 0));
}

/* A pair of words so many times, as tt-llk's MOPs have them. */
static void put_pairs(struct tensix_box *tb, unsigned thread, const uint32_t *words, unsigned times) {
    configure_mop(tb, thread,
                  (const uint32_t[]){ times, 1, words[0], NO_WORD, NO_WORD, words[1], NO_WORD, words[1], words[1] });
    tb_push(tb, thread, TT(MOP, 1, 0, 0));
}

static void put_words(struct maker *m, unsigned thread, const uint32_t *words, unsigned count, bool stored) {
    for (unsigned i = 0; i < count; i++)
        if (stored)
            tb_push_store(m->tb, tb_core(thread), thread, words[i]);
        else
            tb_push(m->tb, thread, words[i]);
}

static void put(struct maker *m, unsigned thread, const uint32_t *words, unsigned count, unsigned times) {
    unsigned way = below(m, 5);
    if (times > 1 && way < 2) {
        put_mop(m->tb, thread, words, count, times);
    } else if (times > 1 && way == 2 && count == 2) {
        put_pairs(m->tb, thread, words, times);
    } else {
        for (unsigned i = 0; i < times; i++) {
            put_words(m, thread, words, count, way == 3 && count <= 2);
            if (!below(m, 3))
                tb_nops(m->tb, tb_core(thread), below(m, 60));
        }
    }
}
#define PUT(m, thread, times, ...) \
    put(m, thread, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, times)

/* ---- Operations ------------------------------------------------------------------------------------------ */

/* Faces of SrcA to Dst. SrcB's banks go with SrcA's and nobody reads them. */
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
    tb_nops(m->tb, tb_core(below(m, 3)), below(m, 3) ? 0 : below(m, 150));
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
static void programs_end_the_same(void **state) {
    unsigned first = number_from("LOOSE_FIRST", 0), count = number_from("LOOSE_PROGRAMS", PROGRAMS);
    uint64_t passes = 0;
    (void)state;
    for (seed_of_program = first; seed_of_program < first + count; seed_of_program++) {
        struct tensix_box *tb = loose_play_both(random_program);
        passes += tb->x->thread[1].frontend.passes;
        tb_destroy(tb);
    }
    assert_true(passes > 20 * count);
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
        cmocka_unit_test(programs_end_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
