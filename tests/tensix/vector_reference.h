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

/* ---- Decoding ------------------------------------------------------------------------------------------------- */

static inline unsigned ref_op(uint32_t word) {
    return word >> 24;
}

static inline unsigned ref_unit(uint32_t word) {
    switch (ref_op(word)) {
    case TENSIX_SFPLOAD:
    case TENSIX_SFPLOADI:
    case TENSIX_SFPLOADMACRO:
    case TENSIX_SFPNOP: return REF_LOAD;
    case TENSIX_SFPSTORE: return REF_STORE;
    case TENSIX_SFPMAD:
    case TENSIX_SFPADDI: return REF_MAD;
    case TENSIX_SFPSHFT2: return REF_ROUND;
    default: return ref_op(word) >= TENSIX_SFPLOAD && ref_op(word) <= TENSIX_SFPARECIP ? REF_SIMPLE : REF_UNITS;
    }
}

/* Is the instruction one of those that are modelled, in a mode that is? Sets of modes. */
static inline bool ref_models(uint32_t word) {
    unsigned modes = 0;
    switch (ref_op(word)) {
    case TENSIX_SFPIADD:
    case TENSIX_SFPENCC:
    case TENSIX_SFPCOMPC:
    case TENSIX_SFPMAD:
    case TENSIX_SFPADDI:
    case TENSIX_SFPSTORE: /* the mode comes from elsewhere */
    case TENSIX_SFPNOP: return true;
    case TENSIX_SFPSHFT: modes = 0xFF; break;
    case TENSIX_SFPMOV: modes = 7; break;
    case TENSIX_SFPAND:
    case TENSIX_SFPOR: modes = 3; break;
    case TENSIX_SFPXOR:
    case TENSIX_SFPPUSHC:
    case TENSIX_SFPPOPC: modes = 1; break;
    case TENSIX_SFPSETCC: modes = 0x55; break;
    case TENSIX_SFPCONFIG: modes = 0x303; break;
    case TENSIX_SFPSWAP: modes = 0x203; break;
    case TENSIX_SFPSHFT2: modes = 0x7F; break;
    default: break;
    }
    return modes >> (word & 15) & 1;
}

/* With operands that are not there. */
static inline struct ref_insn ref_decode(uint32_t word) {
    struct ref_insn i = { .word = word, .unit = ref_unit(word), .vb = REF_NONE, .vc = REF_NONE };
    i.vd = word >> 4 & 15;
    i.mod = word & 15;
    i.va = word >> 16 & 15;
    switch (ref_op(word)) {
    case TENSIX_SFPLOAD:
    case TENSIX_SFPLOADI:
    case TENSIX_SFPSTORE:
        i.vd = word >> 20 & 15;
        i.mod = word >> 16 & 15;
        break;
    case TENSIX_SFPLOADMACRO:
        i.vd = (word >> 20 & 3) + 4 * (word & 1);
        i.mod = word >> 16 & 15;
        break;
    case TENSIX_SFPADDI:
    case TENSIX_SFPCONFIG: break;
    case TENSIX_SFPAND:
    case TENSIX_SFPOR:
        i.vb = i.mod & 1 ? word >> 12 & 15 : REF_NONE;
        i.vc = word >> 8 & 15;
        break;
    case TENSIX_SFPMAD:
    case TENSIX_SFPSHFT2: i.vb = word >> 12 & 15; /* fallthrough */
    default: i.vc = word >> 8 & 15; break;
    }
    return i;
}

/* Those that are not there are VD. */
static inline struct ref_insn ref_regular(uint32_t word) {
    struct ref_insn i = ref_decode(word);
    i.vb = i.vb == REF_NONE ? i.vd : i.vb;
    i.vc = i.vc == REF_NONE ? i.vd : i.vc;
    i.rank = 2;
    return i;
}

/* ---- Lanes --------------------------------------------------------------------------------------------------------
 */

static inline bool ref_enabled(const struct ref *r, unsigned lane) {
    const struct ref_lane *l = &r->old.lane[lane];
    if (r->old.column[lane % 8].config >> (12 + lane / 8) & 1)
        return false;
    return l->use ? l->flag : true;
}

static inline void ref_put(struct ref *r, const struct ref_insn *i, unsigned cycles, unsigned lane, unsigned lreg,
                           uint32_t value) {
    if (lreg >= 8 && lreg != 16)
        return;
    if (r->writings == REF_WRITES)
        abort();
    r->writes[r->writings++] = (struct ref_write){ r->cycle + cycles, r->cycle, i->rank, lane, lreg, value };
}

/* In order of arrival, then of issue, then of rank. */
static inline void ref_arrive(struct ref *r) {
    for (;;) {
        struct ref_write *first = NULL;
        for (unsigned k = 0; k < r->writings; k++) {
            struct ref_write *w = &r->writes[k];
            if (w->at > r->cycle)
                continue;
            if (!first || w->at < first->at ||
                (w->at == first->at && (w->from < first->from || (w->from == first->from && w->rank < first->rank))))
                first = w;
        }
        if (!first)
            return;
        r->now.lane[first->lane].l[first->lreg] = first->value;
        *first = r->writes[--r->writings];
    }
}

/* A later write of the same moment must not be overtaken by the removal above: the order is total but for equal keys,
 * which are of different lanes or registers. */

static inline bool ref_smaller(uint32_t c, uint32_t d) {
    int64_t x = c >> 31 ? -1 - (int64_t)(c & 0x7FFFFFFF) : c, y = d >> 31 ? -1 - (int64_t)(d & 0x7FFFFFFF) : d;
    return x < y;
}

static inline uint32_t ref_shift(uint32_t value, int32_t amount, bool arithmetic) {
    if (amount >= 0)
        return value << (amount & 31);
    return arithmetic ? (uint32_t)((int32_t)value >> ((0u - (uint32_t)amount) & 31))
                      : value >> ((0u - (uint32_t)amount) & 31);
}

/* ---- The simple sub-unit
 * --------------------------------------------------------------------------------------------- */

static inline void ref_push(struct ref *r, struct ref_lane *l) {
    if (l->depth == 8) {
        r->fault = "full";
        return;
    }
    l->stack_flag[l->depth] = l->flag;
    l->stack_use[l->depth++] = l->use;
}

static inline void ref_pop(struct ref *r, struct ref_lane *l) {
    if (!l->depth) {
        r->fault = "empty";
        return;
    }
    l->depth--;
    l->flag = l->stack_flag[l->depth];
    l->use = l->stack_use[l->depth];
}

static inline void ref_complement(struct ref_lane *l) {
    bool flag = l->depth ? l->stack_flag[l->depth - 1] : true, use = l->depth ? l->stack_use[l->depth - 1] : true;
    l->flag = use && l->use && flag && !l->flag;
}

static inline void ref_setcc(struct ref_lane *l, unsigned mod, uint32_t c) {
    if (!l->use)
        l->flag = false;
    else
        l->flag = mod == 0 ? c >> 31 : mod == 2 ? c != 0 : mod == 4 ? !(c >> 31) : c == 0;
}

/* Mode 1: VD gets the minimum; 9: the maximum; 0: both are exchanged. */
static inline void ref_swap(struct ref *r, const struct ref_insn *i, unsigned lane) {
    uint32_t c = r->old.lane[lane].l[i->vc], d = r->old.lane[lane].l[i->vd == 16 ? 16 : i->vd];
    bool swap = i->mod == 1 ? ref_smaller(c, d) : !ref_smaller(c, d);
    swap ^= r->old.column[lane % 8].config >> 8 & 1;
    if (i->mod != 0 && !swap)
        return;
    r->swaps[r->swapping++] = (struct ref_swap){ r->cycle + 1, i->rank, lane, i->vc, i->vd };
}

/* The second cycle reads once more. */
static inline void ref_second_cycle(struct ref *r) {
    unsigned kept = 0;
    for (unsigned k = 0; k < r->swapping; k++) {
        struct ref_swap s = r->swaps[k];
        if (s.at != r->cycle) {
            r->swaps[kept++] = s;
            continue;
        }
        const uint32_t *l = r->now.lane[s.lane].l;
        struct ref_write w = { s.at + 1, s.at - 1, s.rank, s.lane, s.c, l[s.d] };
        if (s.c < 8)
            r->writes[r->writings++] = w;
        w.lreg = s.d;
        w.value = l[s.c];
        if (s.d < 8 && s.d != s.c)
            r->writes[r->writings++] = w;
    }
    r->swapping = kept;
}

static inline void ref_config(struct ref *r, const struct ref_insn *i, unsigned lane) {
    const struct ref_lane *row0 = &r->old.lane[lane % 8];
    struct ref_column *c = &r->now.column[lane % 8];
    uint32_t imm = i->word >> 8 & 0xFFFF, value = i->mod & 1 ? imm : row0->l[0];
    if ((i->mod & 8) && !(imm >> 2 * (lane % 8) & 1))
        return;
    if (row0->use && !row0->flag)
        return;
    if (i->vd >= 11 && i->vd < 15 && !(i->mod & 1))
        r->now.lane[lane].l[i->vd] = row0->l[0];
    if (lane >= 8)
        return;
    if (i->vd < 4)
        c->template[i->vd] = row0->l[0];
    else if (i->vd < 8)
        c->sequence[i->vd - 4] = value;
    else if (i->vd == 8)
        c->misc = value & 0xFFF; /* other operations: vector_config.c */
    else if (i->vd == 15) {
        uint32_t config = (value & 0x3FFFF) | (i->mod & 1 ? c->config & 0x30000 : 0);
        if ((config ^ c->config) & 2)
            r->unsure_at = r->cycle + 1;
        c->config = config;
    }
}

/* What changes flags or configuration. */
static inline bool ref_control(struct ref *r, const struct ref_insn *i, unsigned lane) {
    struct ref_lane *l = &r->now.lane[lane];
    switch (ref_op(i->word)) {
    case TENSIX_SFPENCC:
        l->use = i->mod & 2 ? i->word >> 12 & 1 : i->mod & 1 ? !l->use : l->use;
        l->flag = i->mod & 8 ? i->word >> 13 & 1 : true;
        return true;
    case TENSIX_SFPPUSHC: ref_push(r, l); return true;
    case TENSIX_SFPPOPC: ref_pop(r, l); return true;
    case TENSIX_SFPCOMPC: ref_complement(l); return true;
    case TENSIX_SFPCONFIG: ref_config(r, i, lane); return true;
    case TENSIX_SFPSETCC:
        if (ref_enabled(r, lane))
            ref_setcc(l, i->mod, r->old.lane[lane].l[i->vc]);
        return true;
    default: return false;
    }
}

static inline void ref_iadd(struct ref *r, const struct ref_insn *i, unsigned lane, uint32_t b, uint32_t c) {
    uint32_t imm = (uint32_t)((int32_t)(i->word << 8) >> 20);
    uint32_t d = i->mod & 1 ? c + imm : i->mod & 2 ? c - b : c + b;
    ref_put(r, i, 1, lane, i->vd, d);
    if (i->vd >= 8)
        return;
    if (!(i->mod & 4))
        r->now.lane[lane].flag = d >> 31;
    if (i->mod & 8)
        r->now.lane[lane].flag = !r->now.lane[lane].flag;
}

static inline void ref_shft(struct ref *r, const struct ref_insn *i, unsigned lane, uint32_t b, uint32_t c) {
    int32_t amount = (int32_t)c;
    if (i->mod & 1) {
        b = i->mod & 4 ? c : b;
        amount = (int32_t)(i->word << 8) >> 20;
    }
    ref_put(r, i, 1, lane, i->vd, ref_shift(b, amount, i->mod & 2));
}

static inline void ref_simple(struct ref *r, const struct ref_insn *i, unsigned lane) {
    const uint32_t *l = r->old.lane[lane].l;
    if (ref_control(r, i, lane))
        return;
    bool all = ref_op(i->word) == TENSIX_SFPMOV && i->mod == 2;
    if (!all && !ref_enabled(r, lane))
        return;
    uint32_t b = l[i->vb], c = l[i->vc];
    switch (ref_op(i->word)) {
    case TENSIX_SFPMOV: ref_put(r, i, 1, lane, i->vd, c ^ (i->mod == 1 ? 0x80000000 : 0)); break;
    case TENSIX_SFPAND: ref_put(r, i, 1, lane, i->vd, b & c); break;
    case TENSIX_SFPOR: ref_put(r, i, 1, lane, i->vd, b | c); break;
    case TENSIX_SFPXOR: ref_put(r, i, 1, lane, i->vd, b ^ c); break;
    case TENSIX_SFPIADD: ref_iadd(r, i, lane, b, c); break;
    case TENSIX_SFPSHFT: ref_shft(r, i, lane, b, c); break;
    case TENSIX_SFPSWAP: ref_swap(r, i, lane); break;
    default: abort();
    }
}

/* ---- The others
 * ------------------------------------------------------------------------------------------------------ */

static inline void ref_mad(struct ref *r, const struct ref_insn *i, unsigned lane) {
    const uint32_t *l = r->old.lane[lane].l;
    if (!ref_enabled(r, lane))
        return;
    unsigned vd = (i->mod & 8) && i->vd != 16 ? l[7] & 15 : i->vd;
    uint32_t c = l[i->vc] ^ (i->mod & 2 ? 0x80000000 : 0);
    if (ref_op(i->word) == TENSIX_SFPADDI) {
        ref_put(r, i, 2, lane, vd, fp32_fma((i->word >> 8 & 0xFFFF) << 16, FP32_ONE, c));
        return;
    }
    uint32_t a = l[i->mod & 4 ? l[7] & 15 : i->va] ^ (i->mod & 1 ? 0x80000000 : 0);
    ref_put(r, i, 2, lane, vd, fp32_fma(a, l[i->vb], c));
}

static inline void ref_round(struct ref *r, const struct ref_insn *i, unsigned lane) {
    const uint32_t *l = r->old.lane[lane].l;
    const struct ref_lane *row = &r->old.lane[lane & ~7u];
    uint32_t rotated = row[(lane + 7) % 8].l[i->vc];
    if (!ref_enabled(r, lane))
        return;
    switch (i->mod) {
    case 0:
    case 1:
    case 2:
        for (unsigned n = 0; n < 3; n++)
            ref_put(r, i, i->mod == 2 ? 2 : 1, lane, n, l[n + 1]);
        ref_put(r, i, i->mod == 2 ? 2 : 1, lane, 3,
                i->mod == 2                ? rotated
                : i->mod == 1 && lane < 24 ? r->old.lane[lane + 8].l[0]
                                           : 0);
        break;
    case 3: ref_put(r, i, 2, lane, i->vd, rotated); break;
    case 4: ref_put(r, i, 2, lane, i->vd, lane % 8 ? rotated : 0); break;
    case 5: ref_put(r, i, 1, lane, i->vd, ref_shift(l[i->vb], (int32_t)l[i->vc], false)); break;
    case 6: ref_put(r, i, 1, lane, i->vd, ref_shift(l[i->vb], (int32_t)(i->word << 8) >> 20, false)); break;
    default: abort();
    }
}

/* INT32 only. */
static inline void ref_store(struct ref *r, const struct ref_insn *i, unsigned lane) {
    uint32_t config = r->old.column[lane % 8].config;
    if (!ref_enabled(r, lane) || config >> 4 & 1)
        return;
    r->now.dst[i->address / 4][i->address >> 1 & 1][lane] = r->old.lane[lane].l[i->vd];
}

static inline void ref_load(struct ref *r, const struct ref_insn *i, unsigned lane) {
    uint32_t config = r->old.column[lane % 8].config, imm = i->word & 0xFFFF, old = r->old.lane[lane].l[i->vd];
    if (ref_op(i->word) == TENSIX_SFPNOP || !ref_enabled(r, lane))
        return;
    if (ref_op(i->word) == TENSIX_SFPLOADI)
        ref_put(r, i, 1, lane, i->vd,
                i->mod == 2   ? imm
                : i->mod == 8 ? imm << 16 | (old & 0xFFFF)
                              : (old & 0xFFFF0000) | imm);
    else if (!(config >> 5 & 1))
        ref_put(r, i, 1, lane, i->vd, r->old.dst[i->address / 4][i->address >> 1 & 1][lane]);
}

static inline void ref_execute(struct ref *r, const struct ref_insn *i, unsigned lane) {
    if (ref_op(i->word) == TENSIX_SFPNOP)
        return;
    r->executed[i->unit]++;
    switch (i->unit) {
    case REF_SIMPLE: ref_simple(r, i, lane); break;
    case REF_MAD: ref_mad(r, i, lane); break;
    case REF_ROUND: ref_round(r, i, lane); break;
    case REF_STORE: ref_store(r, i, lane); break;
    default: ref_load(r, i, lane); break;
    }
}

/* ---- The schedule
 * ------------------------------------------------------------------------------------------------------ */

static inline const struct ref_insn *ref_executing(const struct ref *r, unsigned column, unsigned unit) {
    for (unsigned k = 0; k < r->queued[column]; k++)
        if (r->queue[column][k].delay == 0 && r->queue[column][k].unit == unit)
            return &r->queue[column][k].insn;
    return NULL;
}

static inline void ref_remove(struct ref *r, unsigned column, unsigned k) {
    r->queue[column][k] = r->queue[column][--r->queued[column]];
}

static inline void ref_forget(struct ref *r, unsigned column, unsigned unit, unsigned delay) {
    for (unsigned k = 0; k < r->queued[column]; k++)
        if (r->queue[column][k].unit == unit && r->queue[column][k].delay == delay) {
            ref_remove(r, column, k--);
            r->forgotten++;
        }
}

/* After the cycle: those that have executed go, the others count. */
static inline void ref_count(struct ref *r, unsigned column, bool issued) {
    bool by_instruction = false;
    for (unsigned k = 0; k < r->queued[column]; k++)
        if (r->queue[column][k].delay == 0)
            ref_remove(r, column, k--);
    for (unsigned k = 0; k < r->queued[column]; k++)
        by_instruction |= r->queue[column][k].by_instruction;
    for (unsigned k = 0; k < r->queued[column]; k++)
        if (issued || !by_instruction)
            r->queue[column][k].delay--;
}

static inline bool ref_can_execute(unsigned unit, uint32_t word) {
    if (ref_op(word) == TENSIX_SFPNOP)
        return unit != REF_STORE;
    return unit == ref_unit(word);
}

/* The word of a sequence; 0: nothing; sets the fault if that is undefined. */
static inline uint32_t ref_select(struct ref *r, const struct ref_column *c, unsigned bits, unsigned unit) {
    uint32_t word = 0;
    switch (bits & 7) {
    case 0: return 0;
    case 1: r->fault = "the macro"; return 0;
    case 2: word = 0x8F000000; break;
    case 3: word = 0x72000000; break;
    default: word = c->template[(bits & 7) - 4]; break;
    }
    if (ref_unit(word) < REF_UNITS && !ref_models(word))
        r->beyond = true;
    if (ref_can_execute(unit, word))
        return word;
    if (unit == REF_STORE)
        r->fault = "the macro";
    return 0x8F000000;
}

static inline void ref_schedule(struct ref *r, const struct ref_insn *load, unsigned column) {
    const struct ref_column *c = &r->old.column[column];
    unsigned macro = load->word >> 22 & 3;
    for (unsigned unit = 0; unit < 4; unit++) {
        unsigned bits = c->sequence[macro] >> 8 * unit & 0xFF, delay = bits >> 3 & 7;
        if (delay != 7)
            ref_forget(r, column, unit, delay);
        uint32_t word = ref_select(r, c, bits, unit);
        if (!word)
            continue;
        struct ref_insn i = ref_decode(word);
        i.unit = unit;
        i.scheduled = true;
        i.rank = unit == REF_SIMPLE ? 4 : unit == REF_STORE ? 3 : unit == REF_ROUND ? 1 : 0;
        if (unit == REF_STORE) {
            i.vd = bits & 0x40 ? 16 : bits & 0x80 ? i.vd : load->vd;
            i.mod = c->misc >> (4 + macro) & 1 ? load->mod : c->misc & 15;
            i.address = load->address;
        } else {
            if (bits & 0x80) {
                i.vc = i.vc == REF_NONE ? i.vd : i.vc;
                i.vb = load->vd;
            } else {
                i.vb = i.vb == REF_NONE ? i.vd : i.vb;
                i.vc = load->vd;
            }
            i.vd = bits & 0x40 ? 16 : load->vd;
        }
        r->queue[column][r->queued[column]++] = (struct ref_entry){ unit, delay, c->misc >> (8 + unit) & 1, i };
    }
}

/* Some columns store and others do not. */
static inline bool ref_uneven_store(const struct ref *r, const struct ref_insn *load) {
    unsigned storing = 0, macro = load->word >> 22 & 3;
    for (unsigned column = 0; column < 8; column++)
        storing += (r->old.column[column].sequence[macro] >> 24 & 7) != 0;
    return storing != 0 && storing != 8;
}

/* ---- What must not meet
 * ------------------------------------------------------------------------------------------------ */

static inline bool ref_real(const struct ref_insn *i) {
    return i && ref_op(i->word) != TENSIX_SFPNOP;
}

static inline bool ref_is_swap(const struct ref_insn *i) {
    return i && ref_op(i->word) == TENSIX_SFPSWAP;
}

/* In a column, with a regular instruction or NULL. */
static inline const char *ref_forbidden(const struct ref *r, unsigned column, const struct ref_insn *regular) {
    const struct ref_insn *unit[4];
    for (unsigned u = 0; u < 4; u++) {
        unit[u] = ref_executing(r, column, u);
        if (!unit[u] && regular && regular->unit == u)
            unit[u] = regular;
    }
    bool simple = ref_real(unit[REF_SIMPLE]), round = ref_real(unit[REF_ROUND]);
    if (simple && round && (unit[REF_SIMPLE]->vd == 16) == (unit[REF_ROUND]->vd == 16))
        return "a simple and a round instruction";
    if (ref_is_swap(unit[REF_SIMPLE]) && ref_real(unit[REF_MAD]))
        return "SFPSWAP and a MAD";
    return NULL;
}

static inline const char *ref_in_second_cycle(const struct ref *r, unsigned unit, const struct ref_insn *i) {
    return r->second_at == r->cycle && (r->second >> unit & 1) && ref_real(i) ? "second cycle" : NULL;
}

/* ---- Issue
 * -------------------------------------------------------------------------------------------------------------- */

/* The LRegs that the automatic stall sees being read. */
static inline uint32_t ref_reads(const struct ref_insn *i) {
    uint32_t b = 1u << i->vb, c = 1u << i->vc, d = 1u << i->vd;
    switch (ref_op(i->word)) {
    case TENSIX_SFPLOADI: return i->mod == 2 ? 0 : d;
    case TENSIX_SFPSTORE: return d;
    case TENSIX_SFPMAD: return i->mod & 4 ? 0xFF : 1u << i->va | b | c | (i->mod & 8 ? 0x80 : 0);
    case TENSIX_SFPADDI: return d | (i->mod & 8 ? 0x80 : 0);
    case TENSIX_SFPMOV:
    case TENSIX_SFPSETCC:
    case TENSIX_SFPIADD:
    case TENSIX_SFPSHFT: return c;
    case TENSIX_SFPAND:
    case TENSIX_SFPOR:
    case TENSIX_SFPXOR: return c | d;
    case TENSIX_SFPSHFT2: return i->mod < 2 ? 0xF : i->mod == 5 ? c | d : i->mod == 6 ? d : 0;
    default: return 0;
    }
}

/* May it pass in this cycle? */
static inline bool ref_may_pass(const struct ref *r, uint32_t word) {
    struct ref_insn i = ref_regular(word);
    if (r->issued_at == r->cycle)
        return false;
    if (r->only_nop_at == r->cycle)
        return ref_op(word) == TENSIX_SFPNOP;
    return r->written_at != r->cycle || !(ref_reads(&i) & r->written);
}

static inline bool ref_may_be_template(uint32_t word) {
    unsigned op = ref_op(word);
    return op != TENSIX_SFPLOAD && op != TENSIX_SFPLOADI && op != TENSIX_SFPLOADMACRO && op != TENSIX_SFPCONFIG;
}

static inline void ref_after(struct ref *r, const struct ref_insn *i) {
    bool across = i->unit == REF_ROUND && i->mod >= 2 && i->mod <= 4;
    if (i->unit == REF_MAD && !i->scheduled) {
        r->written_at = r->cycle + 1;
        r->written = i->mod & 8 ? 0xFF : i->vd < 8 ? 1u << i->vd : 0;
    }
    if (!across && !ref_is_swap(i))
        return;
    if (!i->scheduled)
        r->only_nop_at = r->cycle + 1;
    r->second = (r->second_at == r->cycle + 1 ? r->second : 0) | 1u << REF_ROUND | (across ? 0 : 1u << REF_SIMPLE);
    r->second_at = r->cycle + 1;
}

static inline void ref_address(struct ref *r, struct ref_insn *i) {
    unsigned op = ref_op(i->word);
    if (op != TENSIX_SFPLOAD && op != TENSIX_SFPSTORE && op != TENSIX_SFPLOADMACRO)
        return;
    i->address = ((i->word & 0x3FF) + r->counter[r->thread]) & 0x3FF;
    r->counter[r->thread] += r->increment[i->word >> 13 & 7];
}

static inline void ref_issue(struct ref *r, uint32_t word) {
    struct ref_insn i = ref_regular(word);
    bool template = ref_may_be_template(word) && i.vd >= 12, executes = false, goes = false;
    unsigned goes_in = 0;
    for (unsigned column = 0; column < 8; column++) {
        bool taken = ref_executing(r, column, i.unit) != NULL;
        goes_in |= taken ? 0 : 1u << column;
        if (!taken && !template && !r->fault)
            r->fault = ref_forbidden(r, column, &i);
    }
    if (goes_in && !template && !r->fault)
        r->fault = ref_in_second_cycle(r, i.unit, &i);
    goes = goes_in != 0;
    r->discarded += !goes;
    if (goes && template && r->unsure_at == r->cycle)
        r->fault = "DISABLE_BACKDOOR_LOAD";
    if (r->fault || !goes)
        return;
    ref_address(r, &i);
    for (unsigned column = 0; column < 8; column++) {
        if (!(goes_in >> column & 1))
            continue;
        if (template && !(r->old.column[column].config & 2)) {
            r->now.column[column].template[i.vd - 12] = word;
            continue;
        }
        executes = true;
        for (unsigned lane = column; lane < 32; lane += 8)
            ref_execute(r, &i, lane);
    }
    if (executes)
        ref_after(r, &i);
    if (ref_op(word) == TENSIX_SFPLOADMACRO && ref_uneven_store(r, &i))
        r->fault = "the macro";
}

/* ---- A cycle
 * -------------------------------------------------------------------------------------------------------------- */

/* The start of a cycle: what is read in it. */
static inline void ref_begin(struct ref *r, uint64_t cycle) {
    r->cycle = cycle;
    ref_arrive(r);
    ref_second_cycle(r);
    r->old = r->now;
}

static inline void ref_run_unit(struct ref *r, unsigned unit) {
    for (unsigned column = 0; column < 8; column++) {
        const struct ref_insn *i = ref_executing(r, column, unit);
        for (unsigned lane = column; i && lane < 32; lane += 8)
            ref_execute(r, i, lane);
        if (i)
            ref_after(r, i);
    }
}

/* The rest of it, with an instruction that is issued, or 0. Sets the fault if something is undefined. */
static inline void ref_end(struct ref *r, uint32_t word) {
    for (unsigned column = 0; column < 8 && !r->fault; column++) {
        r->fault = ref_forbidden(r, column, NULL);
        for (unsigned unit = 0; unit < 4 && !r->fault; unit++)
            r->fault = ref_in_second_cycle(r, unit, ref_executing(r, column, unit));
    }
    if (r->fault)
        return;
    if (word)
        ref_issue(r, word);
    if (r->fault)
        return;
    for (unsigned unit = 0; unit < 4; unit++)
        ref_run_unit(r, unit);
    for (unsigned column = 0; column < 8; column++)
        ref_count(r, column, word != 0);
    if (ref_op(word) == TENSIX_SFPLOADMACRO) {
        struct ref_insn load = ref_regular(word);
        load.address = ((word & 0x3FF) + r->counter[r->thread] - r->increment[word >> 13 & 7]) & 0x3FF;
        for (unsigned column = 0; column < 8; column++)
            ref_schedule(r, &load, column);
    }
}

#endif
