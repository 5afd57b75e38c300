/* Decoded operations: see ops.def. The handler of a slot is the number of an operation plus two flags. */
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
    SLOT_CHECK = 0x100, /* check the time limit first: at one word in 32, so that straight code stops, too */
    SLOT_END = 0x200,
    SLOT_OP_MASK = 0x7F,
    SLOT_CHECK_WORDS = 32,
};
_Static_assert((int)OP_COUNT <= (int)SLOT_OP_MASK, "operations must fit below the flags of a slot");

/* rd in the slot of a .ttinsn: how many of them follow each other, or 0 if that has not been measured yet (slow.c). */
enum { ROW_LENGTH = 0x7F, ROW_PLAIN = 0x80, ROW_OF_ONE = ROW_PLAIN | 1 };
_Static_assert((int)SLOT_CHECK_WORDS * 4 == (int)FETCH_BLOCK, "straight code enters a block where it checks the limit");
_Static_assert((int)PUSH_ROW_MAX <= (int)ROW_LENGTH, "rd of a slot has the length of its row");

/* The field of a slot that names the second source register. */
enum op_second { OP_SECOND_NONE, OP_SECOND_RD, OP_SECOND_IMM };

/* Decodes the word of the slot and marks its grain as code. */
void predecode(const struct core *core, struct rv_slot *slot);
/* Raises the fault that a slot with OP_FAULT stands for. pc: its address. */
void predecode_fault(struct core *core, uint32_t pc);

/* Called when a branch that may close a polling loop was taken to core->pc. Returns whether the core sleeps now. Sets
 * *again to false if the core can never sleep in this loop. */
bool poll_try(struct core *core, uint32_t branch_pc, bool *again);
/* Returns whether the code from top to the branch at end may be a polling loop. */
bool poll_candidate(const struct core *core, uint32_t top, uint32_t end);

/* Slow paths of the interpreter (slow.c). Precondition: time and pc of the core are up to date. */
enum bus_result slow_load(struct core *core, uint32_t address, unsigned size, uint32_t *value, unsigned *latency);
enum bus_result slow_store(struct core *core, uint32_t address, unsigned size, uint32_t value);
/* The number of words that were pushed, and of the cycles that the pushes took. count 0: the core has stopped. */
struct slow_row {
    unsigned count, cycles;
};
/* Returns the shape of the row of .ttinsn that begins at this slot. Precondition: the row has been measured
 * (slot->rd). */
static inline unsigned slow_shape(const struct core *core, const struct rv_slot *slot) {
    return push_shape(slot->rd & ROW_LENGTH, sizeof *slot / sizeof(uint32_t), core_fuses(core) ? CORE_FUSED_MAX : 1,
                      slot->rd & ROW_PLAIN);
}
/* Push words from this slot on. slow_push: the .ttinsn at the slot and those that follow it. slow_push_stores: stores
 * to the push window, one word a cycle. slow_push_word: one plain word that no other follows. */
struct slow_row slow_push(struct core *core, struct rv_slot *slot);
struct slow_row slow_push_stores(struct core *core, const struct rv_slot *slot);
struct slow_row slow_push_word(struct core *core, const struct rv_slot *slot);
/* Pushes only the word at pc, and advances the core by one word; otherwise the core blocks or gives way. */
void slow_push_one(struct core *core);
/* Copies the present block, which is new in the instruction cache, from L1. */
void slow_fill(struct core *core);
/* Sets the delays of bursts for the present window. Returns false if another core comes first. */
bool slow_share_l1(struct core *core);
enum bus_result slow_amo(struct core *core, const struct rv_slot *slot);
enum bus_result slow_csr(struct core *core, uint32_t word);
void slow_float(struct core *core, const struct rv_slot *slot);
enum bus_result slow_vector(struct core *core, uint32_t word, unsigned *cycles);
unsigned slow_divide_cycles(uint32_t dividend, uint32_t divisor, bool is_signed);

#endif
