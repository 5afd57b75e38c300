/* Records executed instructions for an observer (BH_WATCH_INSTRUCTIONS). The access and the operands of an instruction
 * are noted before it is executed, its results when the next one begins. When words of a row are pushed together, the
 * first one gets the time of them all. */
#include <string.h>

#include "isa/push.h"
#include "riscv/access.h"

enum { ATOMIC = 0x2F, SYSTEM = 0x73 };

static unsigned opcode_of(uint32_t word) {
    return word & 0x7F;
}

static void note_access(const struct core *core, uint32_t word, struct bh_instruction *i) {
    struct core_access access = core_access_of(core, word);
    i->access = access.how;
    i->address = access.address;
    i->size = access.size;
    i->stored = access.stored;
}

/* Returns the cycle in which all operands are available. */
static uint64_t operands_ready(const struct core *core, const struct rv_insn *insn, uint64_t now) {
    uint64_t reads = rv_reads(insn), latest = now;
    for (unsigned i = 1; i < 32; i++)
        if (reads >> i & 1 && core->ready8[i] > (int64_t)(8 * latest))
            latest = (uint64_t)core->ready8[i] / 8;
    return reads >> 32 && core->float_ready > latest ? core->float_ready : latest;
}

/* Only TRISC2 has vector registers. */
static bool has_vectors(const struct core *core, const struct rv_insn *insn) {
    return core->id == BH_TRISC2 && (unsigned)insn->id >= RV_FIRST_V;
}

static void begin(struct core *core) {
    struct observe_steps *s = core->steps;
    struct rv_insn insn;
    uint32_t word = core_word(core, core->pc);
    rv_decode(word, &insn);
    s->now =
        (struct observe_step){ .start = core_time(core) - s->slept, .pc = core->pc, .word = word, .core = core->id };
    s->now.done = (struct bh_instruction){ .number = core->retired, .waited = s->slept, .reg = -1, .csr = -1 };
    s->now.done.issued = operands_ready(core, &insn, core_time(core));
    s->slept = 0;
    note_access(core, word, &s->now.done);
    s->flags = core->fcsr & 31;
    if (has_vectors(core, &insn))
        memcpy(s->v, core->vec.v, sizeof s->v);
    s->open = true;
}

static void note_csr(const struct core *core, const struct observe_steps *s, uint32_t word, struct bh_instruction *i) {
    unsigned function = word >> 12 & 3;
    if (opcode_of(word) == SYSTEM && function && (function == 1 || word >> 15 & 31))
        i->csr = (int)(word >> 20);
    else if ((core->fcsr & 31) != s->flags)
        i->csr = 1; /* fflags */
    if (i->csr >= 0 && !csr_peek(core, (unsigned)i->csr, &i->csr_value))
        i->csr = -1;
}

static void note_vectors(const struct core *core, const struct observe_steps *s, struct observe_step *step) {
    struct observer *o = s->observer;
    step->vector_at = (uint32_t)o->vector_count;
    step->done.vtype = core->vec.vtype;
    step->done.vl = core->vec.vl;
    for (unsigned i = 0; i < 32; i++)
        if (memcmp(s->v[i], core->vec.v[i], sizeof s->v[i]) != 0) {
            size_t before = o->vector_count;
            observe_put_vector(o, core->vec.v[i]);
            step->done.vectors |= (uint32_t)(o->vector_count > before) << i;
        }
}

/* Notes the values that the instruction has left in registers. */
static void note_result(const struct core *core, const struct observe_steps *s, struct observe_step *step) {
    struct bh_instruction *i = &step->done;
    struct rv_insn insn;
    rv_decode(step->word, &insn);
    uint64_t writes = rv_writes(&insn), ready = 0;
    if (writes) {
        unsigned number = (unsigned)__builtin_ctzll(writes);
        i->reg = (int)(BH_REG_X0 + number);
        i->value = number < 32 ? core->x[number] : core->f[number - 32];
        ready = number < 32 ? (uint64_t)core->ready8[number] / 8 : core->float_ready;
    }
    i->done = ready > step->end ? ready : step->end;
    if (i->issued > step->end) /* the instruction does not wait for this operand */
        i->issued = step->end;
    if (opcode_of(step->word) == ATOMIC && i->address < core->l1_limit[0] - 3)
        memcpy(&i->stored, core->l1 + i->address, sizeof i->stored);
    note_csr(core, s, step->word, i);
    if (has_vectors(core, &insn))
        note_vectors(core, s, step);
}

/* Records the instruction in progress, and the words of its row after it, as retired at `time`. */
static void end(struct core *core, uint64_t retired, uint64_t time) {
    struct observe_steps *s = core->steps;
    struct observe_step step = s->now;
    uint64_t count = retired - step.done.number;
    s->open = false;
    for (unsigned i = 0; i < count && i < PUSH_ROW_MAX && step.pc < core->l1_limit[0]; i++) {
        step.end = time;
        note_result(core, s, &step);
        observe_put_step(s->observer, &step);
        step.pc += 4;
        step.start = time;
        step.done = (struct bh_instruction){
            .number = step.done.number + 1, .issued = s->now.done.issued, .reg = -1, .csr = -1
        };
        if (step.pc >= core->l1_limit[0])
            return;
        step.word = core_word(core, step.pc);
        note_access(core, step.word, &step.done);
    }
}

void core_note_settle(struct core *core) {
    if (core->steps->open && core->retired > core->steps->now.done.number)
        end(core, core->retired, core_time(core));
}

void core_note_step(struct core *core) {
    const struct observe_steps *s = core->steps;
    core_note_settle(core);
    if (!s->open || s->now.pc != core->pc)
        begin(core);
}

void core_note_waited(struct core *core, uint64_t start, uint64_t retired) {
    struct observe_steps *s = core->steps;
    if (s->open && retired > s->now.done.number)
        end(core, retired, start); /* the instruction is the branch of a polling loop */
    if (s->open)
        s->now.done.waited += core_time(core) - start;
    else
        s->slept += core_time(core) - start;
}
