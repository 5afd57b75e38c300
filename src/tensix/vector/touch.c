/* Which LRegs and lane flags an instruction of the Vector Unit reads and writes, for the search for hazards. All
 * threads share one set of LRegs and flags.
 *
 * Inexact: the instructions that SFPLOADMACRO schedules, an LReg that LReg7 selects, the tables of SFPLUTFP32, and what
 * SFPTRANSP, SFPSWAP and SFPSHFT2 move from LReg to LReg count as a possible use (`changes`). */
#include "tensix/tensix.h"
#include "tensix/vector/issue.h"

enum { GENERAL = 0xFF, FIRST_FOUR = 0xF, CONSTANTS = 0x7800 /* 11 to 14, which SFPCONFIG sets */ };
enum { IMMEDIATE = 1, FLAG_RESULT = 2, COMPARE_FLAG = 1, COMPARE_STACK = 2 };
enum { IADD_NO_FLAG = 4, FLAG_COMPLEMENT = 8, SHFT_IMMEDIATE_OF_C = 4 };
enum { FIRST_TEMPLATE = 12, CONFIG_TEMPLATES = 4 };

static struct vector_turn operands_of(uint32_t word) {
    struct vector_turn turn = { .word = word };
    switch (word >> 24) {
#define VECTOR_OP(name, unit, form, reads, result, home) \
    case TENSIX_##name: \
        vector_find_operands(&turn, VECTOR_FORM_##form); \
        break;
#include "tensix/vector/vector.def"
    default: break;
    }
    return turn;
}

/* ---- Reads ----------------------------------------------------------------------------------------- */

static uint32_t c_of(const struct vector_turn *t) {
    return 1u << t->vc;
}

static uint32_t b_and_c(const struct vector_turn *t) {
    return 1u << t->vb | c_of(t);
}

/* Returns what the automatic stall believes to be read. */
static uint32_t stall_reads(uint32_t word) {
    switch (word >> 24) {
#define VECTOR_OP(name, unit, form, reads, result, home) \
    case TENSIX_##name: \
        return vector_reads(word, VECTOR_FORM_##form, reads_##reads);
#include "tensix/vector/vector.def"
    default: return 0;
    }
}

static uint32_t shft_reads(const struct vector_turn *t) {
    if (!(t->mod & IMMEDIATE))
        return b_and_c(t);
    return t->mod & SHFT_IMMEDIATE_OF_C ? c_of(t) : 1u << t->vb;
}

static uint32_t shft2_reads(const struct vector_turn *t) {
    switch (t->mod) {
    case 2:
    case 3:
    case 4: return c_of(t);
    case 5: return b_and_c(t);
    case 6: return 1u << t->vb;
    default: return 0;
    }
}

/* Returns the LRegs that an instruction reads. For most of them this is what the stall believes. */
static uint32_t reads_of(const struct vector_turn *t) {
    switch (t->word >> 24) {
    case TENSIX_SFPLOAD: /* they keep the other half without using it */
    case TENSIX_SFPLOADI: return 0;
    case TENSIX_SFPAND:
    case TENSIX_SFPOR: return b_and_c(t);
    case TENSIX_SFPIADD: return t->mod & IMMEDIATE ? c_of(t) : b_and_c(t);
    case TENSIX_SFPSHFT: return shft_reads(t);
    case TENSIX_SFPSHFT2: return shft2_reads(t);
    case TENSIX_SFP_STOCH_RND: return t->mod == 4 || t->mod == 5 ? b_and_c(t) : c_of(t); /* by VB, or an immediate */
    default: return stall_reads(t->word);
    }
}

/* ---- Writes ---------------------------------------------------------------------------------------- */

static bool sets_flags(uint8_t opcode, unsigned mod) {
    switch (opcode) {
    case TENSIX_SFPSETCC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC: return true;
    case TENSIX_SFPIADD: return (mod & (IADD_NO_FLAG | FLAG_COMPLEMENT)) != IADD_NO_FLAG;
    case TENSIX_SFPLZ:
    case TENSIX_SFPEXEXP: return mod & (FLAG_RESULT | FLAG_COMPLEMENT);
    case TENSIX_SFPLE:
    case TENSIX_SFPGT: return mod & (COMPARE_FLAG | COMPARE_STACK);
    default: return false;
    }
}

/* ---- Both ------------------------------------------------------------------------------------------ */

/* SFPCONFIG takes its values from LReg0 unless they are immediate, as those of templates never are. Of the registers
 * that it writes, only the constants matter here. */
static struct vector_touch touch_config(const struct vector_turn *turn) {
    bool immediate = turn->mod & IMMEDIATE && turn->vd >= CONFIG_TEMPLATES;
    return (struct vector_touch){ .reads = !immediate, .writes = (1u << turn->vd) & CONSTANTS, .uses_flags = true };
}

static struct vector_touch touch_others(const struct vector_turn *turn, uint8_t opcode) {
    struct vector_touch touch = {
        .reads = reads_of(turn) & (GENERAL | CONSTANTS),
        .writes = vector_writes_vd(opcode, turn->mod) ? (1u << turn->vd) & GENERAL : 0,
        .uses_flags = true,
        .sets_flags = sets_flags(opcode, turn->mod),
    };
    if (opcode == TENSIX_SFPSHFT2 && turn->mod <= 2)
        touch.changes = FIRST_FOUR;
    if ((touch.reads & GENERAL) == GENERAL) { /* only one of them, which LReg7 selects */
        touch.changes = GENERAL;
        touch.reads = 0;
    }
    if (vector_has_indirect_vd(opcode, turn->mod)) {
        touch.changes = GENERAL;
        touch.writes = 0;
    }
    return touch;
}

bool vector_is_template(const struct vector *v, uint32_t word) {
    return operands_of(word).vd >= FIRST_TEMPLATE && vector_has_backdoor((uint8_t)(word >> 24)) && !v->no_backdoor;
}

struct vector_touch vector_touches(uint32_t word) {
    const struct vector_turn turn = operands_of(word);
    uint8_t opcode = (uint8_t)(word >> 24);
    struct vector_touch touch = { .uses_flags = true };
    switch (opcode) {
    case TENSIX_SFPNOP: return (struct vector_touch){ 0 };
    case TENSIX_SFPCONFIG: return touch_config(&turn);
    case TENSIX_SFPLOADMACRO:
    case TENSIX_SFPTRANSP:
    case TENSIX_SFPLUTFP32: touch.changes = GENERAL; return touch;
    case TENSIX_SFPSWAP: touch.changes = (1u << turn.vc | 1u << turn.vd) & GENERAL; return touch;
    default: return touch_others(&turn, opcode);
    }
}
