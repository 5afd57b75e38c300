/* The Vector Unit cycle by cycle and lane by lane, as VectorUnit.md, SFPMAD.md and SFPLOADMACRO.md describe it, with
 * some instructions of each sub-unit. Slow and plain: to compare with. Where the pages leave something open it takes
 * what src/tensix/vector/{issue,macro}.c say that they assume. */
#ifndef TESTS_TENSIX_VECTOR_REFERENCE_H
#define TESTS_TENSIX_VECTOR_REFERENCE_H

#include "isa/tensix.h"
#include "numeric/fp32.h"
#include "tensix/vector/vector.h"

enum { REF_SIMPLE, REF_MAD, REF_ROUND, REF_STORE, REF_LOAD, REF_UNITS };
enum { REF_NONE = 99 }; /* no such operand */
enum { REF_WRITES = 8192, REF_QUEUE = 64, REF_DST = 128 };

struct ref_insn {
    uint32_t word;
    unsigned unit, va, vb, vc, vd, mod, address;
    bool scheduled;
    int rank; /* of several in a cycle the highest has the last word */
};

struct ref_entry {
    unsigned unit, delay;
    bool by_instruction;
    struct ref_insn insn;
};

struct ref_lane {
    uint32_t l[17];
    bool flag, use;
    unsigned depth;
    bool stack_flag[8], stack_use[8];
};

struct ref_column {
    uint32_t config, template[4], sequence[4], misc;
};

struct ref_state {
    struct ref_lane lane[32];
    struct ref_column column[8];
    uint32_t dst[REF_DST][2][32]; /* four rows, even and odd columns */
};

struct ref_write {
    uint64_t at, from;
    int rank;
    unsigned lane, lreg;
    uint32_t value;
};

struct ref_swap {
    uint64_t at;
    int rank;
    unsigned lane, c, d;
};

struct ref {
    struct ref_state now, old; /* old: at the start of the cycle */
    struct ref_write writes[REF_WRITES];
    unsigned writings;
    struct ref_swap swaps[64];
    unsigned swapping;
    struct ref_entry queue[8][REF_QUEUE]; /* by column */
    unsigned queued[8];
    uint64_t cycle;
    uint64_t issued_at, only_nop_at, written_at, second_at, unsure_at;
    uint32_t written, second;          /* sets of LRegs and of sub-units */
    unsigned thread;                   /* whose instruction is issued */
    unsigned counter[3], increment[8]; /* of Dst */
    const char *fault;
    bool beyond;                                               /* something is scheduled that is not modelled here */
    unsigned executed[REF_UNITS], discarded, forgotten, stale; /* what happened, for tests that it did */
};

static inline unsigned ref_op(uint32_t word) {
    return word >> 24;
}

/* ---- Instructions and lanes -------------------------------------------------------------------------------------- */

unsigned ref_unit(uint32_t word);
/* Returns whether the instruction is modelled, in a mode that is. Sets of modes. */
bool ref_models(uint32_t word);
/* With operands that are not there. */
struct ref_insn ref_decode(uint32_t word);
/* Those that are not there are VD. */
struct ref_insn ref_regular(uint32_t word);
void ref_arrive(struct ref *r);       /* writes whose time has come */
void ref_second_cycle(struct ref *r); /* of swaps */
void ref_execute(struct ref *r, const struct ref_insn *i, unsigned lane);

/* ---- Cycles ------------------------------------------------------------------------------------------------------ */

/* Returns whether the instruction may pass in this cycle. */
bool ref_may_pass(const struct ref *r, uint32_t word);
/* The start of a cycle: what is read in it. */
void ref_begin(struct ref *r, uint64_t cycle);
/* The rest of it, with an instruction that is issued, or 0. Sets the fault if something is undefined. */
void ref_end(struct ref *r, uint32_t word);

#endif
