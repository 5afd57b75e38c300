#include "tensix/frontend/mop.h"
void mop_start(struct mop *mop, uint32_t word) {
    mop->word = word;
}
bool mop_next(struct mop *mop, uint32_t *word) {
    (void)mop, (void)word;
    return false;
}
bool mop_finished(const struct mop *mop) {
    (void)mop;
    return true;
}
