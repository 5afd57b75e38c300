/* Decodes words of L1 into slots of the interpreter.
 *
 * A slot depends on its own word and on the seven words before it, because a source may still be in flight from a load.
 * The slot of a .ttinsn also depends on the words of its row that follow (slow.c). Therefore core_forget() also drops
 * some slots before and after the changed words. */
#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "isa/push.h"
#include "isa/riscv.h"
#include "riscv/ops.h"

enum { LOOK_BACK = 7 }; /* instructions that can pass a load: the retire queue has eight entries */
_Static_assert((int)RV_PART_LOAD_HELD <= (int)LOOK_BACK + 1, "core_forget drops what depends on the words before");

_Static_assert(sizeof(struct slot_words) == sizeof(uint32_t[LOOK_BACK + 1]), "these words decide about a slot");

static inline uint32_t word_before(const struct slot_words *words, unsigned distance) {
    return words->word[LOOK_BACK - distance];
}

/* Returns whether L1 has the words up to pc as the core sees them: in none of their three lines, the core's instruction
 * cache has others. */
static bool are_in_l1(const struct core *core, uint32_t pc) {
    if (BH_LIKELY(!core->fetch.old))
        return true;
    _Static_assert(4 * LOOK_BACK < 2 * FETCH_LINE, "the words lie in three lines, at most");
    return !fetch_old(&core->fetch, &core->code, pc) && !fetch_old(&core->fetch, &core->code, pc - FETCH_LINE) &&
           !fetch_old(&core->fetch, &core->code, pc - 4 * LOOK_BACK);
}

/* Returns the words up to pc. Words before the beginning of L1 are 0, which neither loads nor writes a register. */
static inline struct slot_words words_at(const struct core *core, uint32_t pc) {
    struct slot_words words;
    if (BH_LIKELY(pc >= 4 * LOOK_BACK) && are_in_l1(core, pc)) {
        memcpy(&words, core->l1 + pc - (size_t)4 * LOOK_BACK, sizeof words);
        return words;
    }
    for (unsigned i = 0; i <= LOOK_BACK; i++)
        words.word[LOOK_BACK - i] = pc >= 4 * i ? core_word(core, pc - 4 * i) : 0;
    return words;
}

/* Major opcodes (bits 6:0) that matter to the interlock. */
enum {
    MAJOR_LOAD = 0x03,
    MAJOR_STORE = 0x23,
    MAJOR_FLOAD = 0x07,
    MAJOR_FSTORE = 0x27,
    MAJOR_BRANCH = 0x63,
    MAJOR_JAL = 0x6F,
    MAJOR_AMO = 0x2F,
    MAJOR_OP = 0x33,
    MAJOR_MADD = 0x43,
    MAJOR_MSUB = 0x47,
    MAJOR_NMSUB = 0x4B,
    MAJOR_NMADD = 0x4F,
    MAJOR_OP_FP = 0x53,
    MAJOR_OP_V = 0x57,
};

/* Returns whether the instruction delivers an x register later than the next instruction could use it. */
static bool is_late(uint32_t word) {
    switch (word & 0x7F) {
    case MAJOR_LOAD:
    case MAJOR_AMO: return true;
    case MAJOR_OP: return word >> 25 == 1 && !(word >> 14 & 1); /* mul, mulh, mulhsu, mulhu */
    default: return false;
    }
}

static bool writes_x(uint32_t word) {
    struct rv_insn insn;
    if ((word & 3) != 3)
        return false;
    switch (word & 0x7F) {
    case MAJOR_STORE:
    case MAJOR_FSTORE:
    case MAJOR_FLOAD:
    case MAJOR_MADD:
    case MAJOR_MSUB:
    case MAJOR_NMSUB:
    case MAJOR_NMADD:
    case MAJOR_BRANCH: return false;
    case MAJOR_OP_FP:
    case MAJOR_OP_V: return rv_decode(word, &insn) && (uint32_t)rv_writes(&insn);
    default: return true;
    }
}

/* Returns whether the last instruction that writes x[reg] in straight code before the slot delivers late. */
static bool may_be_late(const struct slot_words *words, unsigned reg) {
    if (reg == 0)
        return false;
    for (unsigned i = 1; i <= LOOK_BACK; i++) {
        uint32_t word = word_before(words, i);
        if ((word >> 7 & 31) == reg && writes_x(word))
            return is_late(word);
    }
    return false;
}

static const enum op alu_ops[RV_COUNT] = {
    [RV_ADDI] = OP_ADDI,     [RV_SLTI] = OP_SLTI,      [RV_SLTIU] = OP_SLTIU,   [RV_XORI] = OP_XORI,
    [RV_ORI] = OP_ORI,       [RV_ANDI] = OP_ANDI,      [RV_SLLI] = OP_SLLI,     [RV_SRLI] = OP_SRLI,
    [RV_SRAI] = OP_SRAI,     [RV_RORI] = OP_RORI,      [RV_ADD] = OP_ADD,       [RV_SUB] = OP_SUB,
    [RV_SLL] = OP_SLL,       [RV_SLT] = OP_SLT,        [RV_SLTU] = OP_SLTU,     [RV_XOR] = OP_XOR,
    [RV_SRL] = OP_SRL,       [RV_SRA] = OP_SRA,        [RV_OR] = OP_OR,         [RV_AND] = OP_AND,
    [RV_MUL] = OP_MUL,       [RV_MULH] = OP_MULH,      [RV_MULHSU] = OP_MULHSU, [RV_MULHU] = OP_MULHU,
    [RV_DIV] = OP_DIV,       [RV_DIVU] = OP_DIVU,      [RV_REM] = OP_REM,       [RV_REMU] = OP_REMU,
    [RV_SH1ADD] = OP_SH1ADD, [RV_SH2ADD] = OP_SH2ADD,  [RV_SH3ADD] = OP_SH3ADD, [RV_ANDN] = OP_ANDN,
    [RV_ORN] = OP_ORN,       [RV_XNOR] = OP_XNOR,      [RV_MIN] = OP_MIN,       [RV_MINU] = OP_MINU,
    [RV_MAX] = OP_MAX,       [RV_MAXU] = OP_MAXU,      [RV_ROL] = OP_ROL,       [RV_ROR] = OP_ROR,
    [RV_PACK] = OP_PACK,     [RV_ZEXT_H] = OP_PACK,    [RV_CLZ] = OP_CLZ,       [RV_CTZ] = OP_CTZ,
    [RV_CPOP] = OP_CPOP,     [RV_SEXT_B] = OP_SEXT_B,  [RV_SEXT_H] = OP_SEXT_H, [RV_ORC_B] = OP_ORC_B,
    [RV_GREVI] = OP_GREVI,   [RV_REV8] = OP_GREVI,     [RV_BREV8] = OP_GREVI,   [RV_LB] = OP_LB,
    [RV_LH] = OP_LH,         [RV_LW] = OP_LW,          [RV_LBU] = OP_LBU,       [RV_LHU] = OP_LHU,
    [RV_FLW] = OP_FLOAD,     [RV_FLH] = OP_FLOAD_HALF, [RV_ECALL] = OP_PAUSE,   [RV_EBREAK] = OP_PAUSE,
    [RV_MRET] = OP_MRET,     [RV_FENCE] = OP_FENCE,
};

/* Returns the handler of a backward branch; the forward and polling forms lie at fixed distances. */
static enum op branch_op(enum rv_id id) {
    switch (id) {
    case RV_BEQ: return OP_BEQ_UP;
    case RV_BNE: return OP_BNE_UP;
    case RV_BLT: return OP_BLT_UP;
    case RV_BGE: return OP_BGE_UP;
    case RV_BLTU: return OP_BLTU_UP;
    default: return OP_BGEU_UP;
    }
}

static bool target_is_bad(uint32_t pc, int32_t offset) {
    uint32_t target = pc + (uint32_t)offset;
    return target >= CORE_L1_SIZE || (target & 3);
}

static void fill_branch(const struct core *core, uint32_t pc, const struct rv_insn *insn, struct rv_slot *out) {
    enum op op = branch_op(insn->id);
    *out = (struct rv_slot){ .rd = insn->rs2, .rs1 = insn->rs1, .imm = insn->imm };
    if (target_is_bad(pc, insn->imm)) {
        out->handler = OP_BRANCH_OUT;
        return;
    }
    if (insn->imm > 0)
        op += OP_BEQ_DOWN - OP_BEQ_UP;
    else if (poll_candidate(core, pc + (uint32_t)insn->imm, pc))
        op += OP_BEQ_POLL - OP_BEQ_UP;
    out->handler = (uint16_t)op;
}

static void fill_jal(const struct core *core, uint32_t pc, const struct rv_insn *insn, struct rv_slot *out) {
    enum op op = insn->rd ? OP_JAL : OP_J;
    if (target_is_bad(pc, insn->imm))
        op = OP_FAULT;
    else if (op == OP_J && insn->imm <= 0 && poll_candidate(core, pc + (uint32_t)insn->imm, pc))
        op = OP_J_POLL;
    *out = (struct rv_slot){ .handler = (uint16_t)op, .rd = insn->rd, .imm = insn->imm };
}

/* Fills the slot of an instruction other than control flow. */
static void fill_plain(uint32_t pc, uint32_t word, const struct rv_insn *insn, struct rv_slot *out) {
    uint8_t rd = insn->rd ? insn->rd : 32; /* register 32 takes writes to x0 */
    switch (rv_row(insn->id)->class) {
    case RV_CLASS_STORE:
        switch (insn->id) {
        case RV_SB: out->handler = OP_SB; break;
        case RV_SH: out->handler = OP_SH; break;
        case RV_SW: out->handler = OP_SW; break;
        case RV_FSH: out->handler = OP_FSTORE_HALF; break;
        default: out->handler = OP_FSTORE; break;
        }
        *out = (struct rv_slot){ out->handler, insn->rs2, insn->rs1, insn->imm };
        return;
    case RV_CLASS_AMO:
        *out = (struct rv_slot){ OP_AMO, rd, insn->rs1, (int32_t)(insn->rs2 | (word >> 27) << 8) };
        return;
    case RV_CLASS_CSR: *out = (struct rv_slot){ OP_CSR, rd, insn->rs1, (int32_t)word }; return;
    case RV_CLASS_FLOAT:
        *out =
            (struct rv_slot){ OP_FLOAT, insn->rd, insn->rs1,
                              (int32_t)((uint32_t)insn->id | (uint32_t)insn->rs2 << 16 | (uint32_t)insn->rs3 << 24) };
        return;
    case RV_CLASS_VECTOR: { /* rd and rs1: the x registers that it reads, 0 for none */
        const struct rv_shape *shape = rv_shape((enum rv_format)rv_row(insn->id)->format);
        uint8_t second = shape->rs2 == RV_FIELD_X ? insn->rs2 : 0, first = shape->rs1 == RV_FIELD_X ? insn->rs1 : 0;
        bool sets = insn->id == RV_VSETVLI || insn->id == RV_VSETIVLI || insn->id == RV_VSETVL;
        *out = (struct rv_slot){ sets ? OP_VSET : OP_VECTOR, second, first, (int32_t)word };
        return;
    }
    default: break;
    }
    if (insn->id == RV_LUI || insn->id == RV_AUIPC) {
        uint32_t base = insn->id == RV_AUIPC ? pc : 0;
        *out = (struct rv_slot){ OP_LI, rd, 0, (int32_t)(base + (uint32_t)insn->imm) };
        return;
    }
    *out = (struct rv_slot){ (uint16_t)alu_ops[insn->id], rd, insn->rs1, insn->imm };
    if (rv_row(insn->id)->format == RV_FORMAT_R || insn->id == RV_ZEXT_H)
        out->imm = insn->rs2;
    if (insn->id == RV_FLW || insn->id == RV_FLH)
        out->rd = insn->rd;
    if (insn->id == RV_REV8 || insn->id == RV_BREV8) /* both are reversals with the distance in the word */
        out->imm = (int32_t)(word >> 20 & 31);
    if (rd == 32 && out->handler >= OP_LI && out->handler < OP_LB)
        out->handler = OP_NOP;
}

/* Fills the slot without flags. Returns the offset in struct coverage of the instruction's counter; 0 if there is no
 * instruction. */
static size_t fill(const struct core *core, uint32_t pc, uint32_t word, struct rv_slot *out) {
    struct rv_insn insn;
    *out = (struct rv_slot){ .handler = OP_FAULT };
    if ((word & 3) != 3) {
        uint32_t tensix = bits_rotate_right(word, 2);
        if (word == 0)
            return 0;
        /* rs1 says whether the word is plain; measure_row() sets rd to the length of the row. */
        *out = (struct rv_slot){ .handler = OP_TTINSN, .rs1 = tensix_is_plain(tensix), .imm = (int32_t)tensix };
        return offsetof(struct coverage, tensix) + sizeof(uint32_t) * tensix_row_index((uint8_t)(tensix >> 24));
    }
    if (rv_decode(word, &insn) == RV_NONE)
        return 0;
    switch (rv_row(insn.id)->class) {
    case RV_CLASS_BRANCH: fill_branch(core, pc, &insn, out); break;
    case RV_CLASS_JUMP:
        if (insn.id == RV_JAL)
            fill_jal(core, pc, &insn, out);
        else
            *out = (struct rv_slot){ OP_JALR, insn.rd ? insn.rd : 32, insn.rs1, insn.imm };
        break;
    default: fill_plain(pc, word, &insn, out); break;
    }
    return offsetof(struct coverage, riscv) + sizeof(uint32_t) * insn.id;
}

/* Returns whether rs1 of the slot names an x register. */
static bool reads_x(const struct rv_slot *slot) {
    switch (slot->handler) {
    case OP_TTINSN: return false;
    case OP_CSR: return !((uint32_t)slot->imm >> 14 & 1); /* not the immediate forms */
    case OP_FLOAT: return rv_shape(rv_row((enum rv_id)(slot->imm & 0xFFFF))->format)->rs1 == RV_FIELD_X;
    default: return true;
    }
}

/* Returns the x register that the fourth load before the slot writes; 0 if those four loads are not all within the
 * words during which a load stays in the queue. A load to x0 counts as one to register 32. */
static unsigned queue_head(const struct slot_words *words) {
    unsigned loads = 0;
    for (unsigned i = 1; i < RV_PART_LOAD_HELD; i++) {
        uint32_t word = word_before(words, i);
        if ((word & 0x7F) == MAJOR_LOAD && ++loads == RV_PART_LOAD_QUEUE)
            return word >> 7 & 31 ? word >> 7 & 31 : 32;
    }
    return 0;
}

/* Turns a load that may find the load queue full into one that first waits for room. */
static void queue_load(const struct core *core, const struct slot_words *words, struct rv_slot *slot) {
    unsigned head = slot->handler >= OP_LB && slot->handler <= OP_LHU ? queue_head(words) : 0;
    if (!head || core->loose)
        return;
    slot->handler = OP_LOAD_QUEUED;
    slot->imm = (int32_t)(((uint32_t)slot->imm & 0xFFFF) | head << 16 | (word_before(words, 0) >> 12 & 7) << 24);
}

/* Returns whether one of the slot's sources may be late. */
static bool needs_wait(const struct slot_words *words, const struct rv_slot *slot) {
    static const uint8_t second[OP_COUNT] = {
#define OP(name, source) [OP_##name] = OP_SECOND_##source,
#include "riscv/ops.def"
    };
    if (reads_x(slot) && may_be_late(words, slot->rs1))
        return true;
    switch (second[slot->handler]) {
    case OP_SECOND_RD: return may_be_late(words, slot->rd);
    case OP_SECOND_IMM: return may_be_late(words, (unsigned)slot->imm & 31);
    default: return false;
    }
}

/* Decodes the slot of the last of these words, and returns what fill() does. */
static size_t decode(const struct core *core, uint32_t pc, const struct slot_words *words, struct rv_slot *out) {
    size_t counter = fill(core, pc, word_before(words, 0), out);
    queue_load(core, words, out);
    if (needs_wait(words, out))
        out->handler |= SLOT_WAIT;
    if (pc / 4 % SLOT_CHECK_WORDS == 0)
        out->handler |= SLOT_CHECK;
    return counter;
}

/* Returns whether the slot depends on its words and its address only. A branch that may close a polling loop depends on
 * the loop. */
static bool is_known_by_words(uint32_t word, const struct rv_slot *slot) {
    const uint32_t major = word & 0x7F;
    return (major != MAJOR_BRANCH && major != MAJOR_JAL) || slot->imm > 0;
}

/* Does what decode() does, but takes the slot from the memo or puts it there. */
static size_t recall(const struct core *core, uint32_t pc, const struct slot_words *words, struct rv_slot *out) {
    enum { ENTRIES = sizeof core->memo->entry / sizeof core->memo->entry[0] };
    struct slot_memo_entry *entry = &core->memo->entry[pc / 4 % ENTRIES];
    if (atomic_exchange_explicit(&entry->taken, true, memory_order_acquire))
        return decode(core, pc, words, out);
    size_t counter = entry->counter;
    if (entry->slot.handler && entry->pc == pc && memcmp(&entry->words, words, sizeof *words) == 0) {
        *out = entry->slot;
    } else if ((counter = decode(core, pc, words, out)) != 0 && is_known_by_words(word_before(words, 0), out)) {
        entry->counter = (uint16_t)counter;
        entry->pc = pc;
        entry->words = *words;
        entry->slot = *out;
    }
    atomic_store_explicit(&entry->taken, false, memory_order_release);
    return counter;
}

void predecode(const struct core *core, struct rv_slot *slot) {
    uint32_t pc = (uint32_t)(slot - core->slots) * 4;
    struct rv_slot out;
    if (pc >= core->l1_limit[0]) {
        slot->handler = OP_FAULT;
        return;
    }
    const struct slot_words words = words_at(core, pc);
    size_t counter = core->memo ? recall(core, pc, &words, &out) : decode(core, pc, &words, &out);
    if (counter)
        ++*(uint32_t *)(void *)((char *)core->coverage + counter);
    core->marks[pc >> CORE_CODE_GRAIN] |= MARK_CODE;
    *slot = out;
}

void predecode_fault(struct core *core, uint32_t pc) {
    struct rv_insn insn;
    char text[80];
    uint32_t word;
    if (pc >= core->l1_limit[0] || (pc & 3)) {
        core_fault(core, BH_FAULT_UNMAPPED, 0, pc, "instruction fetch from 0x%08x: code runs from L1 (0x0-0x%x) only",
                   pc, core->l1_limit[0] - 1);
        return;
    }
    word = core_word(core, pc);
    if (word == 0) {
        core_fault(core, BH_FAULT_RUNAWAY, word, pc,
                   "runaway pc: the word at 0x%x is zero (.ttinsn 0), no code was loaded here", pc);
        return;
    }
    if (rv_decode(word, &insn) == RV_JAL) {
        uint32_t target = pc + (uint32_t)insn.imm;
        core_fault(core, BH_FAULT_UNMAPPED, word, target, "jump to 0x%08x, which is outside L1 or misaligned", target);
        return;
    }
    riscv_disasm(pc, word, text, sizeof text);
    core_fault(core, BH_FAULT_ILLEGAL_INSTRUCTION, word, 0, "illegal instruction 0x%08x (%s)", word,
               insn.id == RV_NONE ? "no such encoding on these cores" : text);
}

void core_forget(struct rv_slot *slots, uint8_t *marks, uint32_t address, uint32_t size) {
    enum { LOOK_AHEAD = PUSH_ROW_MAX - 1 };
    uint32_t first = address / 4, last = (address + size - 1) / 4 + LOOK_BACK;
    first = first > LOOK_AHEAD ? first - LOOK_AHEAD : 0;
    if (last >= CORE_L1_SIZE / 4)
        last = CORE_L1_SIZE / 4 - 1;
    for (uint32_t grain = first >> (CORE_CODE_GRAIN - 2); grain <= last >> (CORE_CODE_GRAIN - 2); grain++) {
        uint32_t low = grain << (CORE_CODE_GRAIN - 2), high = low + (1u << (CORE_CODE_GRAIN - 2)) - 1;
        if (!(marks[grain] & MARK_CODE))
            continue;
        low = low > first ? low : first;
        high = high < last ? high : last;
        memset(slots + low, 0, (high - low + 1) * sizeof *slots);
    }
}
