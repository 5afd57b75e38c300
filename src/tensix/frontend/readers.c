/* Functions that read the frontend: its words, their types and resources. Also the handlers of instructions that never
 * reach the gate. */
#include "tensix/frontend/frontend.h"
#include "tensix/tensix.h"

bool frontend_empty(const struct frontend *f) {
    return !(frontend_first_count(f) | f->middle_count | f->last_count | f->mop.active) && !replay_plays(&f->replay);
}

bool frontend_mop_busy(const struct frontend *f) {
    return f->mops != 0;
}

/* Counts one cycle for each queued MOP, which takes at least that. */
unsigned frontend_mop_left(const struct frontend *f) {
    return f->mops - (unsigned)f->mop.active + mop_left(&f->mop);
}

bool frontend_middle_full(const struct frontend *f) {
    return f->middle_count == FRONTEND_MIDDLE;
}

/* A word that entered in cycle `now` has a later time. A slot that became free in cycle `now` counts as taken: it is
 * free from the next cycle on. */
unsigned frontend_middle_count(const struct frontend *f, uint64_t now) {
    unsigned count = 0;
    if (f->untimed)
        return f->middle_count;
    for (unsigned i = 0; i < FRONTEND_MIDDLE; i++) {
        unsigned slot = (f->middle_at + i) % FRONTEND_MIDDLE;
        count += i < f->middle_count ? f->middle[slot].time <= now : f->middle_free[slot] == now + 1;
    }
    return count;
}

/* Returns the bits that `see` returns for the words that are in the frontend in cycle `now`, and for those that are
 * being expanded. A core that is ahead may have pushed words that enter only later. */
static unsigned fold(const struct frontend *f, unsigned (*see)(const struct frontend_word *word), uint64_t now) {
    unsigned all = f->mop.active ? see(&f->expanded) : 0;
    if (replay_plays(&f->replay))
        all |= see(&f->played);
    for (unsigned i = 0; i < frontend_first_count(f); i++) {
        struct frontend_word word = frontend_nth(f, i);
        all |= word.time <= now ? see(&word) : 0;
    }
    for (unsigned i = 0; i < f->middle_count; i++)
        all |= see(&f->middle[(f->middle_at + i) % FRONTEND_MIDDLE]);
    for (unsigned i = 0; i < f->last_count; i++)
        all |= see(&f->last[(frontend_last_at(f) + i) % FRONTEND_LAST]);
    return all;
}

/* NOP and the instructions of the frontend have no type here; type_of adds MOP and REPLAY. */
static const uint16_t type_of_unit[TENSIX_UNIT_COUNT] = {
    [TENSIX_UNIT_MATRIX] = FRONTEND_TYPE_MATRIX,
    [TENSIX_UNIT_MOVER] = FRONTEND_TYPE_MOVER | FRONTEND_TYPE_ADDRESSED,
    [TENSIX_UNIT_PACKER] = FRONTEND_TYPE_PACKER | FRONTEND_TYPE_ADDRESSED,
    [TENSIX_UNIT_UNPACKER] = FRONTEND_TYPE_UNPACKER | FRONTEND_TYPE_ADDRESSED,
    [TENSIX_UNIT_MISC] = FRONTEND_TYPE_ADDRESSED,
    [TENSIX_UNIT_SCALAR] = FRONTEND_TYPE_SCALAR | FRONTEND_TYPE_ADDRESSED,
    [TENSIX_UNIT_VECTOR] = FRONTEND_TYPE_VECTOR,
    [TENSIX_UNIT_VECTOR_LOAD] = FRONTEND_TYPE_VECTOR,
    [TENSIX_UNIT_VECTOR_STORE] = FRONTEND_TYPE_VECTOR,
    [TENSIX_UNIT_VECTOR_SIMPLE] = FRONTEND_TYPE_VECTOR,
    [TENSIX_UNIT_VECTOR_MAD] = FRONTEND_TYPE_VECTOR,
    [TENSIX_UNIT_VECTOR_ROUND] = FRONTEND_TYPE_VECTOR,
    [TENSIX_UNIT_SYNC] = FRONTEND_TYPE_SYNC,
    [TENSIX_UNIT_CONFIG] = FRONTEND_TYPE_CONFIG,
};

static unsigned type_of_replay(uint32_t word) {
    struct tensix_REPLAY op = tensix_decode_REPLAY(word);
    return op.load_mode && !op.execute_while_loading ? 0 : FRONTEND_TYPE_REPLAY;
}

static unsigned type_of(const struct frontend_word *word) {
    const struct tensix_row *row = tensix_decode(word->word);
    if (!word->tracked || !row)
        return 0;
    switch (row->opcode) {
    case TENSIX_MOP: return FRONTEND_TYPE_MOP;
    case TENSIX_REPLAY: return type_of_replay(word->word);
    default: return type_of_unit[row->unit];
    }
}

static unsigned held_by(const struct frontend_word *word) {
    return word->holds;
}

unsigned frontend_types(const struct frontend *f, uint64_t now) {
    return fold(f, type_of, f->untimed ? UINT64_MAX : now);
}

uint16_t frontend_resources(const struct frontend *f) {
    return f->in_flight ? (uint16_t)fold(f, held_by, UINT64_MAX) : 0;
}

/* ---- Instructions that must not reach the gate ------------------------------------------------------- */

uint64_t execute_MOP(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                        "a MOP that enters behind the MOP expander (pushed by BRISC or replayed) is not expanded");
}

uint64_t execute_MOP_CFG(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                        "a MOP_CFG that enters behind the MOP expander (pushed by BRISC or replayed) has no effect");
}

uint64_t execute_REPLAY(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now,
                        "a REPLAY among the words that a REPLAY records or plays is not expanded");
}

uint64_t execute_RESOURCEDECL(struct tensix *x, unsigned thread, uint32_t word, uint64_t now) {
    return tensix_fault(x, thread, BH_FAULT_UNDEFINED, word, 0, now, "a RESOURCEDECL belongs to the frontend");
}
