/* The coprocessor's delays that vary (vary/vary.h). */
#include "tensix/clock.h"
#include "vary/vary.h"

/* The delay is reported with the instruction at the gate, which is not up to date during a batch. The end of a latched
 * wait must not end the batch; its delay is reported without an instruction. */
uint32_t tensix_draw(struct tensix *x, enum bh_delay_kind kind, unsigned agent, unsigned thread, uint64_t now) {
    uint32_t cycles = vary_next(x->vary, kind, agent), pc = 0;
    bool named = thread < TENSIX_THREADS;
    if (!cycles)
        return 0;
    if (kind != BH_DELAY_GATE)
        tensix_end_batch(x);
    if (named && !x->batch) {
        const struct frontend_word *head = frontend_head(&x->thread[thread].frontend, now + 1);
        named = head != NULL;
        pc = head ? head->pc : 0;
    }
    vary_note(x->vary, now, named && !x->batch ? (int)(BH_TRISC0 + thread) : -1, pc);
    return cycles;
}
