/* Decoded operations: see ops.def. A slot's handler is an operation plus two flags. */
#ifndef RISCV_OPS_H
#define RISCV_OPS_H

#include "isa/push.h"
#include "riscv/core.h"
#include "riscv/fetch.h"

enum op {
#define OP(name, second) OP_##name,
#include "riscv/ops.def"
    OP_COUNT
};

enum {
    SLOT_WAIT = 0x80,   /* a source may not have been delivered yet: check core->ready8 */
    SLOT_CHECK = 0x100, /* check the time limit first: one word in 32, so that straight code ends, too */
    SLOT_END = 0x200,
    SLOT_OP_MASK = 0x7F,
    SLOT_CHECK_WORDS = 32,
};
_Static_assert((int)OP_COUNT <= (int)SLOT_OP_MASK, "operations must fit below the flags of a slot");

/* rd of the slot of a .ttinsn: how many of them follow each other, 0 if that is not known yet (slow.c). */
enum { ROW_LENGTH = 0x7F, ROW_ORDINARY = 0x80, ROW_OF_ONE = ROW_ORDINARY | 1 };
_Static_assert((int)SLOT_CHECK_WORDS * 4 == (int)FETCH_BLOCK, "straight code enters a block where it checks the limit");
_Static_assert((int)PUSH_ROW_MAX <= (int)ROW_LENGTH, "rd of a slot has the length of its row");

/* The field that names the second source register. */
enum op_second { OP_SECOND_NONE, OP_SECOND_RD, OP_SECOND_IMM };

/* Decodes the word of the slot and marks its grain as code. */
void predecode(const struct core *core, struct rv_slot *slot);
/* Raises the fault of an OP_FAULT slot at pc. */
void predecode_fault(struct core *core, uint32_t pc);

/* Called when a branch that may close a polling loop was taken to core->pc. Returns true if the core sleeps now.
 * Sets *again to false if the core can never sleep in this loop. */
bool poll_try(struct core *core, uint32_t branch_pc, bool *again);
/* Returns whether the loop from top to the branch at end may be a polling loop. */
bool poll_candidate(const struct core *core, uint32_t top, uint32_t end);

/* Slow paths of the interpreter (slow.c). Precondition: time and pc of the core are up to date. */
enum bus_result slow_load(struct core *core, uint32_t address, unsigned size, uint32_t *value, unsigned *latency);
enum bus_result slow_store(struct core *core, uint32_t address, unsigned size, uint32_t value);
/* Words that have been pushed, and the cycles that it took. None: the core has stopped. */
struct slow_row {
    unsigned count, cycles;
};
/* The shape of the row of .ttinsn that begins at this slot. Precondition: it has been measured (slot->rd). */
static inline unsigned slow_shape(const struct core *core, const struct rv_slot *slot) {
    return push_shape(slot->rd & ROW_LENGTH, sizeof *slot / sizeof(uint32_t), core_fuses(core) ? CORE_FUSED_MAX : 1,
                      slot->rd & ROW_ORDINARY);
}
/* Push the .ttinsn at slot and those that follow it; stores to the push window, a word a cycle; one ordinary word that
 * none follow. */
struct slow_row slow_push(struct core *core, struct rv_slot *slot);
struct slow_row slow_push_stores(struct core *core, const struct rv_slot *slot);
struct slow_row slow_push_word(struct core *core, const struct rv_slot *slot);
/* Pushes the word at pc, whatever follows it, and moves the core behind it; or the core waits or gives way. */
void slow_push_alone(struct core *core);
/* Fills the present block of the instruction cache, which is new. */
void slow_fill(struct core *core);
/* Sets the delays of bursts in the present window. Returns false if another core comes first. */
bool slow_share_l1(struct core *core);
enum bus_result slow_amo(struct core *core, const struct rv_slot *slot);
enum bus_result slow_csr(struct core *core, uint32_t word);
void slow_float(struct core *core, const struct rv_slot *slot);
enum bus_result slow_vector(struct core *core, uint32_t word, unsigned *cycles);
unsigned slow_divide_cycles(uint32_t dividend, uint32_t divisor, bool is_signed);

#endif
