/* Programs of the MOP and Replay expanders, which make many instructions out of one. BH pages MOPExpander, REPLAY. */
#ifndef KIT_MOP_H
#define KIT_MOP_H

#include "kit/sync.h"

/* `outer` times: start, `inner` times (first, second), end, end2. The last `second` of an inner loop is last_inner, the
 * very last one is last; without second, the same holds for first. Words that are 0 are left out. */
struct mop {
    unsigned outer, inner;
    unsigned start, first, second, last_inner, last, end, end2;
};

static inline void mop_load(struct mop mop) {
    unsigned repeated = mop.second ? mop.second : mop.first, nop = TT_OP(NOP);
    unsigned last_inner = mop.last_inner ? mop.last_inner : repeated;
    const unsigned words[9] = {
        mop.outer,
        mop.inner,
        mop.start ? mop.start : nop,
        mop.end ? mop.end : nop,
        mop.end2 ? mop.end2 : nop,
        mop.first,
        mop.second ? mop.second : nop,
        mop.last ? mop.last : last_inner,
        last_inner,
    };
    mop_sync();
    for (unsigned i = 0; i < 9; i++)
        reg_write(MAP_MOP + 4 * i, words[i]);
}

static inline void mop_run(void) {
    TTI_MOP(1, 0, 0);
}

/* Pushes any word. */
static inline void push(unsigned word) {
    reg_write(TT_INSTRN_BUF_BASE, word);
}

/* Records instructions in the thread's replay buffer, from position 0 on; TT_OP(REPLAY, 0, count, 0, 0) plays them. */
static inline void replay_load(const unsigned *words, unsigned count) {
    TT_REPLAY(0, count, 0, 1);
    for (unsigned i = 0; i < count; i++)
        push(words[i]);
}

#endif
