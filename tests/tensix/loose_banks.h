/* Words of threads that hand banks of Src to each other, as tt-llk's kernels have them: T0 unpacks, T1 computes. */
#ifndef TESTS_TENSIX_LOOSE_BANKS_H
#define TESTS_TENSIX_LOOSE_BANKS_H

#include "loose_same.h"
#include "tensix/unpack_setup.h"

enum { BF16 = UR_BF16, ALL = 0x1FF };
enum { CLEAR_A = 1, CLEAR_B = 2, CLEAR_AB = 3, COUNT_A = 1, COUNT_B = 2, COUNT_D = 4 };
enum { DONE = 3, FREE = 4, MOVED = 8 /* rows */ };

#define UNPACK_A    TT(UNPACR, .AddrMode = 1, .SetDatValid = 1)
#define UNPACK_B    TT(UNPACR, .Unpack_block_selection = 1, .AddrMode = 1, .SetDatValid = 1)
#define DUMMY(file) TT(UNPACR_NOP, .Unpacker_Select = (file), .Set_Dvalid = 1, .Unpack_Pop = 1)
#define COPY_A      TT(MOVA2D, .instr_mod = 2)
#define COPY_B      TT(MOVB2D, .movb2d_instr_mod = 2)
#define NEXT_ROWS   TT(INCRWC, .rwc_d = MOVED)
#define CLEAR(ab)   TT(SETRWC, .clear_ab_vld = (ab))
#define NO_WORD     TT(NOP, 0)

struct maker {
    struct tensix_box *tb;
    uint64_t seed;
};

static inline unsigned below(struct maker *m, unsigned n) {
    return random_below(&m->seed, n);
}

/* ---- Words of a thread --------------------------------------------------------------------------------- */

static inline void configure_mop(struct tensix_box *tb, unsigned thread, const uint32_t config[MOP_WORDS]) {
    tb_load(tb, tb_core(thread), TB_T2, MOP_DONE);
    tb_rv(tb, tb_core(thread), asm_r(RV_AND, TB_T2, TB_T2, TB_T2));
    for (unsigned i = 0; i < MOP_WORDS; i++)
        tb_store(tb, tb_core(thread), TB_MOP + 4 * i, config[i]);
}

/* The words so many times, out of a MOP of REPLAYs. */
static inline void put_mop(struct tensix_box *tb, unsigned thread, const uint32_t *words, unsigned count,
                           unsigned times) {
    uint32_t play = TT(REPLAY, 0, count, 0, 0);
    tb_push(tb, thread, TT(REPLAY, 0, count, 0, 1));
    tb_push_all(tb, thread, words, count);
    configure_mop(tb, thread, (const uint32_t[]){ times, 1, NO_WORD, NO_WORD, NO_WORD, play, NO_WORD, play, play });
    tb_push(tb, thread, TT(MOP, 1, 0, 0));
}

/* A pair of words so many times, as tt-llk's MOPs have them. */
static inline void put_pairs(struct tensix_box *tb, unsigned thread, const uint32_t *words, unsigned times) {
    configure_mop(tb, thread,
                  (const uint32_t[]){ times, 1, words[0], NO_WORD, NO_WORD, words[1], NO_WORD, words[1], words[1] });
    tb_push(tb, thread, TT(MOP, 1, 0, 0));
}

static inline void put_words(struct maker *m, unsigned thread, const uint32_t *words, unsigned count, bool stored) {
    for (unsigned i = 0; i < count; i++)
        if (stored)
            tb_push_store(m->tb, tb_core(thread), thread, words[i]);
        else
            tb_push(m->tb, thread, words[i]);
}

static inline void put(struct maker *m, unsigned thread, const uint32_t *words, unsigned count, unsigned times) {
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

#endif
