/* Which LRegs and lane flags an instruction of the Vector Unit reads and writes, for the search for hazards. All
 * threads share one set of LRegs and flags.
 *
 * Inexact: the instructions that SFPLOADMACRO schedules, an LReg that LReg7 selects, and the tables of SFPLUTFP32 count
 * as a possible use (`changes`) of every LReg from 0 to 7. */
#include "tensix/tensix.h"
#include "tensix/vector/issue.h"

enum { GENERAL = 0xFF, CONSTANTS = 0x7800 /* 11 to 14, which SFPCONFIG sets */, MACRO_ONLY = 1 << 16 };
enum { IMMEDIATE = 1, COMPARE_TO_VD = 8, IADD_NO_FLAG = 4, FLAG_RESULT = 2, COMPARE_FLAG = 1 };

static uint32_t reads_of(uint32_t word) {
    switch (word >> 24) {
#define VECTOR_OP(name, unit, form, reads, result, home) \
    case TENSIX_##name: \
        return vector_reads(word, VECTOR_FORM_##form, reads_##reads);
#include "tensix/vector/vector.def"
    default: return 0;
    }
}

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

/* SFPCONFIG takes its values from LReg0 unless they are immediate. Of the registers that it writes, only the constants
 * matter here. */
static struct vector_touch touch_config(const struct vector_turn *turn) {
    return (struct vector_touch){ .reads = turn->mod & IMMEDIATE ? 0 : 1,
                                  .writes = (1u << turn->vd) & CONSTANTS,
                                  .uses_flags = true };
}

static bool sets_flags(uint8_t opcode, unsigned mod) {
    switch (opcode) {
    case TENSIX_SFPSETCC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC: return true;
    case TENSIX_SFPIADD: return !(mod & IADD_NO_FLAG);
    case TENSIX_SFPLZ:
    case TENSIX_SFPEXEXP: return mod & FLAG_RESULT;
    case TENSIX_SFPLE:
    case TENSIX_SFPGT: return mod & COMPARE_FLAG;
    default: return false;
    }
}

static bool writes_vd(uint8_t opcode, unsigned mod) {
    switch (opcode) {
    case TENSIX_SFPSTORE:
    case TENSIX_SFPSETCC:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC: return false;
    case TENSIX_SFPLE:
    case TENSIX_SFPGT: return mod & COMPARE_TO_VD;
    default: return true;
    }
}

struct vector_touch vector_touches(uint32_t word) {
    const struct vector_turn turn = operands_of(word);
    struct vector_touch touch = { .uses_flags = true, .sets_flags = sets_flags((uint8_t)(word >> 24), turn.mod) };
    switch (word >> 24) {
    case TENSIX_SFPNOP: return (struct vector_touch){ 0 };
    case TENSIX_SFPCONFIG: return touch_config(&turn);
    case TENSIX_SFPLOADMACRO:
    case TENSIX_SFPTRANSP:
    case TENSIX_SFPLUTFP32: touch.changes = GENERAL; return touch;
    case TENSIX_SFPSWAP: touch.changes = (1u << turn.vc | 1u << turn.vd) & GENERAL; return touch;
    case TENSIX_SFPSHFT2:
        touch.changes = turn.mod < 2 ? 0xF : 0;
        touch.writes = turn.mod < 2 ? 0 : 1u << turn.vd;
        break;
    case TENSIX_SFP_STOCH_RND: /* VB may be an immediate */
        touch.reads = 1u << turn.vc;
        touch.writes = 1u << turn.vd;
        break;
    default:
        touch.reads = reads_of(word);
        touch.writes = writes_vd((uint8_t)(word >> 24), turn.mod) ? 1u << turn.vd : 0;
        break;
    }
    if ((touch.reads & GENERAL) == GENERAL) { /* only one of them, which LReg7 selects */
        touch.changes = GENERAL;
        touch.reads = 0;
    }
    touch.reads &= GENERAL | CONSTANTS | MACRO_ONLY;
    touch.writes &= GENERAL | CONSTANTS | MACRO_ONLY;
    if (word >> 24 == TENSIX_SFPLOAD || word >> 24 == TENSIX_SFPLOADI)
        touch.reads = 0; /* it keeps the other half without using it */
    return touch;
}
