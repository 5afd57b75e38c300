/* Polling loops: instead of iterating over words that do not change, a core sleeps.
 *
 * The emulator tries one more iteration on a copy of the registers, with reads that have no side effects. If it ends
 * where it began, with the same registers, every further iteration does the same until a word that it reads is written,
 * and the core can sleep. The sleep is exact: when the core wakes, the iterations that it would have made are added to
 * its time and to its instruction count. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "isa/riscv.h"
#include "riscv/ops.h"

/* Returns whether a polling loop may contain the instruction. Branches are decided elsewhere. */
static bool is_harmless(enum rv_id id) {
    switch (id) {
    case RV_LUI:
    case RV_AUIPC:
    case RV_ADDI:
    case RV_ANDI:
    case RV_ORI:
    case RV_XORI:
    case RV_SLLI:
    case RV_SRLI:
    case RV_SRAI:
    case RV_SLTI:
    case RV_SLTIU:
    case RV_ADD:
    case RV_SUB:
    case RV_AND:
    case RV_OR:
    case RV_XOR:
    case RV_SLT:
    case RV_SLTU:
    case RV_SLL:
    case RV_SRL:
    case RV_SH1ADD:
    case RV_SH2ADD:
    case RV_SH3ADD:
    case RV_MUL:
    case RV_ZEXT_H:
    case RV_SEXT_B:
    case RV_SEXT_H:
    case RV_LB:
    case RV_LH:
    case RV_LW:
    case RV_LBU:
    case RV_LHU:
    case RV_FENCE: return true;
    default: return false;
    }
}

static bool is_jump(const struct rv_insn *insn) {
    return insn->id == RV_JAL && !insn->rd;
}

/* The registers that the code on one path through a loop uses. */
struct way {
    uint64_t written, read_first;
};

static void go_along(struct way *way, const struct rv_insn *insn) {
    way->read_first |= rv_reads(insn) & ~way->written;
    way->written |= rv_writes(insn);
}

/* Returns whether a path of at most `left` harmless instructions leads from pc to the branch at end, such that the next
 * iteration reads nothing that this one writes. forks: how many branches on the path may be followed to both sides. */
static bool leads_to(const struct core *core, uint32_t pc, uint32_t end, unsigned left, unsigned forks,
                     struct way way) {
    for (; left > 0 && pc < core->l1_limit[0] && pc % 4 == 0; left--) {
        struct rv_insn insn;
        enum rv_id id = rv_decode(core_word(core, pc), &insn);
        bool branch = rv_row(id)->class == RV_CLASS_BRANCH;
        uint32_t target = pc + (uint32_t)insn.imm;
        go_along(&way, &insn);
        if (pc == end)
            return !(way.written & way.read_first);
        if (!is_harmless(id) && !branch && !is_jump(&insn))
            return false;
        if (branch && insn.imm > 0 && forks > 0 && leads_to(core, target, end, left - 1, --forks, way))
            return true;
        pc = is_jump(&insn) ? target : pc + 4;
    }
    return false;
}

/* The ends of a short loop may be far apart: compilers move code that they think rare to the end of a function, and
 * jump there and back. */
bool poll_candidate(const struct core *core, uint32_t top, uint32_t end) {
    enum { FORKS = 4 };
    const struct way none = { 0 };
    return !core->sleepless && leads_to(core, top, end, CORE_LOOP_MAX, FORKS, none);
}

/* A trial iteration. The words that it reads go to core->watch, which is used only while the core sleeps. */
struct trial {
    struct core *core;
    uint32_t *x; /* 32 registers; outside the struct so that the rest can stay in host registers */
    uint32_t pc;
    unsigned instructions;
    uint32_t cycles;    /* since the top of the loop, with the costs of interp.h */
    uint32_t last;      /* time, likewise, at which the latest instruction had its operands */
    uint32_t written;   /* mask of registers */
    uint32_t late;      /* mask of registers with an entry in ready[] */
    uint32_t ready[32]; /* time, likewise, at which a late result arrives */
    unsigned watch_count;
    bool watches_registers;
    bool caches;       /* loads from L1 go through the L0 data cache */
    bool fenced;       /* a fence has emptied the cache */
    bool missing;      /* treat the cache as empty */
    unsigned l1_loads; /* loads through the cache */
    unsigned l1_hits;
    uint32_t l1_at; /* address of the last of them */
    bool soon;      /* a value that the loop reads is about to change */
    bool learning;  /* a branch was predicted wrong: the next iteration will take another time */
};

/* Returns whether the address is in L1 or in the core's local memory. */
static inline bool is_memory(const struct core *core, uint32_t address) {
    return address < core->l1_limit[0] || address - CORE_LDM_BASE < core->ldm_limit;
}

/* Returns the bytes that the L0 data cache has for a load; NULL if the load goes to L1. */
static const uint8_t *trial_line(struct trial *t, uint32_t address) {
    if (!t->caches)
        return NULL;
    const uint8_t *line = t->fenced || t->missing ? NULL : l0_find(&t->core->l0, address);
    t->l1_loads++;
    t->l1_hits += line != NULL;
    t->l1_at = address;
    return line;
}

static bool trial_peek(struct trial *t, uint32_t address, unsigned size, uint32_t *value, unsigned *latency) {
    struct core *core = t->core;
    *value = 0;
    if (address & (size - 1))
        return false;
    if (address < core->l1_limit[0]) {
        const uint8_t *line = trial_line(t, address);
        memcpy(value, line ? line : core->l1 + address, size);
        *latency = line ? CORE_LATENCY_LOCAL : CORE_LATENCY_L1;
        if (line) { /* the rest of the line matters as well */
            address -= address % L0_LINE;
            size = L0_LINE;
        }
    } else if (address - CORE_LDM_BASE < core->ldm_limit) {
        memcpy(value, core->ldm + (address - CORE_LDM_BASE), size);
        *latency = CORE_LATENCY_LOCAL;
        t->watches_registers = true;
    } else {
        t->watches_registers = true;
        enum core_peek peek = core->port->peek(core->owner, core, address, size, value, latency);
        if (peek == CORE_PEEK_REFUSED)
            return false;
        t->soon |= peek == CORE_PEEK_SOON;
    }
    if (t->watch_count == CORE_WATCH_MAX)
        return false;
    core->watch[t->watch_count++] = (struct core_watch){ address, size, t->cycles };
    return true;
}

/* Notes that the result of the present instruction arrives after `latency` cycles. */
static inline void trial_late(struct trial *t, unsigned rd, unsigned latency) {
    t->ready[rd] = t->cycles + latency;
    t->late |= 1u << rd;
}

static bool trial_load(struct trial *t, const struct core_step *step, uint32_t *value) {
    const struct rv_insn *insn = &step->insn;
    unsigned latency;
    if (!trial_peek(t, t->x[insn->rs1] + (uint32_t)insn->imm, step->size, value, &latency))
        return false;
    if (step->sign)
        *value = (uint32_t)bits_sign_extend(*value, step->size * 8u);
    trial_late(t, insn->rd, latency);
    return true;
}

static uint32_t trial_alu(const struct trial *t, const struct rv_insn *insn) {
    uint32_t a = t->x[insn->rs1], b = t->x[insn->rs2], imm = (uint32_t)insn->imm;
    switch (insn->id) {
    case RV_LUI: return imm;
    case RV_AUIPC: return t->pc + imm;
    case RV_ADDI: return a + imm;
    case RV_ANDI: return a & imm;
    case RV_ORI: return a | imm;
    case RV_XORI: return a ^ imm;
    case RV_SLLI: return a << imm;
    case RV_SRLI: return a >> imm;
    case RV_SRAI: return (uint32_t)((int32_t)a >> imm);
    case RV_SLTI: return (int32_t)a < insn->imm;
    case RV_SLTIU: return a < imm;
    case RV_ADD: return a + b;
    case RV_SUB: return a - b;
    case RV_AND: return a & b;
    case RV_OR: return a | b;
    case RV_XOR: return a ^ b;
    case RV_SLT: return (int32_t)a < (int32_t)b;
    case RV_SLTU: return a < b;
    case RV_SLL: return a << (b & 31);
    case RV_SRL: return a >> (b & 31);
    case RV_SH1ADD: return (a << 1) + b;
    case RV_SH2ADD: return (a << 2) + b;
    case RV_SH3ADD: return (a << 3) + b;
    case RV_MUL: return a * b;
    case RV_ZEXT_H: return a & 0xFFFF;
    case RV_SEXT_B: return (uint32_t)(int32_t)(int8_t)a;
    default: return (uint32_t)(int32_t)(int16_t)a; /* sext.h */
    }
}

/* Lets the trial wait for the registers in the mask. */
static inline void trial_wait(struct trial *t, uint32_t registers) {
    uint32_t waits = registers & t->late;
    t->late ^= waits;
    for (; waits; waits &= waits - 1) {
        uint32_t ready = t->ready[__builtin_ctz(waits)];
        t->cycles = ready > t->cycles ? ready : t->cycles;
    }
}

/* Accounts for a branch that went this way. With loose timing the prediction is fixed: `expected`. */
static inline void trial_predict(struct trial *t, bool taken, bool expected) {
    if (!t->core->loose && fetch_predicts(&t->core->fetch, t->pc / 4) != taken)
        t->learning = true;
    if (t->core->loose && taken != expected)
        t->cycles += CORE_COST_MISPREDICT;
}

enum step_kind { STEP_ALU, STEP_MULTIPLY, STEP_LOAD, STEP_BRANCH, STEP_JUMP, STEP_FENCE, STEP_UNFIT };

static enum step_kind kind_of(const struct rv_insn *insn) {
    switch (rv_row(insn->id)->class) {
    case RV_CLASS_BRANCH: return STEP_BRANCH;
    case RV_CLASS_JUMP: return is_jump(insn) ? STEP_JUMP : STEP_UNFIT;
    case RV_CLASS_FENCE: return STEP_FENCE;
    case RV_CLASS_LOAD: return is_harmless(insn->id) ? STEP_LOAD : STEP_UNFIT;
    default: return insn->id == RV_MUL ? STEP_MULTIPLY : is_harmless(insn->id) ? STEP_ALU : STEP_UNFIT;
    }
}

__attribute__((noinline)) static void decode_step(struct core_step *step, uint32_t word) {
    enum rv_id id = rv_decode(word, &step->insn);
    step->word = word;
    step->kind = (uint8_t)kind_of(&step->insn);
    step->size = id == RV_LW ? 4 : id == RV_LH || id == RV_LHU ? 2 : 1;
    step->sign = id == RV_LB || id == RV_LH;
    step->reads = id == RV_FENCE ? UINT32_MAX : (uint32_t)rv_reads(&step->insn);
    step->writes = (uint32_t)rv_writes(&step->insn);
}

/* Returns the decoded instruction at pc. The same loop is tried again and again, so decoded instructions are kept. (The
 * initial value, zero, is not an instruction.) */
static inline const struct core_step *step_at(struct core *core, uint32_t pc) {
    struct core_step *step = &core->step[pc / 4 % CORE_LOOP_MAX];
    uint32_t word = core_word(core, pc);
    if (BH_UNLIKELY(step->word != word || !word))
        decode_step(step, word);
    return step;
}

/* Executes one instruction. Returns false if a core must not sleep in a loop that contains it. */
static inline bool trial_step(struct trial *t) {
    const struct core_step *step = step_at(t->core, t->pc);
    const struct rv_insn *insn = &step->insn;
    uint32_t next = t->pc + 4, value = 0;
    trial_wait(t, step->reads);
    t->last = t->cycles;
    switch (step->kind) {
    case STEP_ALU: value = trial_alu(t, insn); break;
    case STEP_MULTIPLY:
        value = trial_alu(t, insn);
        trial_late(t, insn->rd, CORE_LATENCY_MULTIPLY);
        break;
    case STEP_LOAD:
        if (!trial_load(t, step, &value))
            return false;
        break;
    case STEP_BRANCH:
        if (core_branches(insn->id, t->x[insn->rs1], t->x[insn->rs2]))
            next = t->pc + (uint32_t)insn->imm;
        trial_predict(t, next != t->pc + 4, insn->imm <= 0);
        break;
    case STEP_JUMP:
        next = t->pc + (uint32_t)insn->imm;
        trial_predict(t, true, true);
        break;
    case STEP_FENCE:
        t->cycles += RV_OCCUPANCY_FENCE - 1;
        t->fenced = true;
        break;
    default: return false;
    }
    if (step->writes)
        t->x[insn->rd] = value;
    t->written |= step->writes;
    t->pc = next;
    t->instructions++;
    t->cycles++;
    return true;
}

/* Returns the address to report: the first word that another agent can change, rather than a pointer to that word in
 * local memory. */
static uint32_t polled_word(const struct core *core) {
    for (unsigned i = 0; i < core->watch_count; i++)
        if (core->watch[i].address - CORE_LDM_BASE >= CORE_LDM_MAX)
            return core->watch[i].address;
    return core->watch_count ? core->watch[0].address : 0;
}

static void fall_asleep(struct core *core, const struct trial *t) {
    core->watch_count = t->watch_count;
    core->watches_registers = t->watches_registers;
    for (unsigned i = 0; i < t->watch_count; i++)
        if (core->watch[i].address < core->l1_limit[0])
            core_mark_l1(core->marks, core->watch[i].address, core->watch[i].size, MARK_WATCHED);
    core->poll_cycles = t->cycles;
    core->poll_instructions = t->instructions;
    core->poll_last = t->last;
    core->poll_l0 = t->l1_hits ? POLL_HITS : t->l1_loads ? POLL_MISSES : POLL_UNCACHED;
    core->poll_at = t->l1_at;
    core->state = BH_CORE_POLLING;
    core->waits_at = polled_word(core);
    if (core->poll_l0 == POLL_HITS && core->waits_at == t->l1_at / L0_LINE * L0_LINE)
        core->waits_at = t->l1_at;
    core->waits_on = t->watch_count ? WAIT_POLL : WAIT_JUMP_TO_ITSELF;
}

/* Executes one iteration on a copy of the registers. Returns false if the iteration does more than poll. */
static bool try_round(struct trial *t, uint32_t branch_pc) {
    uint32_t top = t->core->pc;
    do {
        if (!trial_step(t))
            return false;
    } while (t->pc != top && t->pc - top <= branch_pc - top && t->instructions <= CORE_LOOP_MAX);
    return true;
}

/* Returns whether the trial ended where it began, with the same registers, after as many cycles as the previous
 * iteration. Only then will the next iteration take that time, too. */
static bool is_alike(const struct trial *t) {
    const struct core *core = t->core;
    if (t->pc != core->pc || core->retired - core->poll_retired != t->instructions ||
        core_time(core) - core->poll_time != t->cycles)
        return false;
    uint32_t different = 0;
    for (uint32_t left = t->written; left; left &= left - 1)
        different |= t->x[__builtin_ctz(left)] ^ core->x[__builtin_ctz(left)];
    return !different;
}

/* For a loop of only a load and a branch: returns whether the next iteration would read another value than the last
 * one, or a value that is about to change. Then a trial is pointless. */
static bool sees_a_change(struct core *core, uint32_t branch_pc) {
    const struct core_step *load = step_at(core, core->pc);
    uint32_t value, address = core->x[load->insn.rs1] + (uint32_t)load->insn.imm;
    unsigned latency;
    if (core->pc + 4 != branch_pc || load->insn.id != RV_LW || !load->writes || is_memory(core, address))
        return false;
    enum core_peek peek = core->port->peek(core->owner, core, address, sizeof value, &value, &latency);
    return peek == CORE_PEEK_SOON || (peek == CORE_PEEK_DONE && value != core->x[load->insn.rd]);
}

/* Begins a trial on a copy of the registers. */
static void begin_trial(struct trial *t, struct core *core, uint32_t *x, bool missing) {
    t->core = core;
    t->x = x;
    t->pc = core->pc;
    t->instructions = t->cycles = t->written = t->late = t->watch_count = 0;
    t->watches_registers = t->soon = t->learning = false;
    t->caches = core->caches;
    t->fenced = false;
    t->missing = missing;
    t->l1_loads = t->l1_hits = t->l1_at = 0;
    memcpy(x, core->x, 32 * sizeof *x);
}

/* Returns whether the cached line of the address holds what L1 holds. */
static bool is_fresh(const struct core *core, uint32_t address) {
    const uint32_t line = address / L0_LINE * L0_LINE;
    return !memcmp(l0_find(&core->l0, line), core->l1 + line, L0_LINE);
}

/* Returns whether the L0 data cache will serve further iterations as it served this one: there is at most one load from
 * L1, and it either misses because a fence empties the cache, or hits a line that equals L1. */
static bool repeats_in_l0(const struct trial *t) {
    if (t->l1_loads != 1)
        return !t->l1_loads;
    return t->fenced ? !t->l1_hits : t->l1_hits && is_fresh(t->core, t->l1_at);
}

/* Sets core->poll_miss, the additional cycles of an iteration whose load misses. */
static void try_miss(struct core *core, uint32_t branch_pc, uint32_t hit_cycles) {
    struct core_watch watch[CORE_WATCH_MAX];
    struct trial t;
    uint32_t x[32];
    memcpy(watch, core->watch, sizeof watch);
    begin_trial(&t, core, x, true);
    bool tried = try_round(&t, branch_pc);
    memcpy(core->watch, watch, sizeof watch);
    core->poll_miss = tried ? t.cycles - hit_cycles : 0;
}

/* Returns whether the loop loads words of L1 that performance counters have to count. */
static bool loads_count(const struct trial *t) {
    const struct core *core = t->core;
    bool l1 = false;
    for (unsigned i = 0; i < t->watch_count; i++)
        l1 |= core->watch[i].address < core->l1_limit[0];
    return l1 && core->reports & CORE_REPORTS_PORTS;
}

/* Tries whether the core can sleep. Called when the loop has iterated twice in a row. */
static bool try_to_sleep(struct core *core, uint32_t branch_pc, bool *again) {
    struct trial t;
    uint32_t x[32];
    if (sees_a_change(core, branch_pc))
        return false;
    begin_trial(&t, core, x, false);
    *again = try_round(&t, branch_pc);
    bool asleep = *again && !t.soon && !t.learning && is_alike(&t) && repeats_in_l0(&t) && !loads_count(&t);
    if (asleep && t.l1_hits)
        try_miss(core, branch_pc, t.cycles);
    if (asleep)
        fall_asleep(core, &t);
    return asleep;
}

/* Returns whether exactly one iteration has run since the branch was last taken. A trial may count one instruction
 * too many. */
static bool comes_round(const struct core *core, uint32_t branch_pc) {
    return core->poll_pc == branch_pc && core->retired - core->poll_retired <= CORE_LOOP_MAX + 1;
}

bool poll_try(struct core *core, uint32_t branch_pc, bool *again) {
    *again = true;
    bool looks = core->debugged & CORE_DEBUG_GUEST; /* the guest's debugger may pause the core in the next iteration */
    bool asleep = !looks && comes_round(core, branch_pc) && try_to_sleep(core, branch_pc, again);
    core->poll_pc = branch_pc;
    core->poll_time = core_time(core);
    core->poll_retired = core->retired;
    return asleep;
}
