/* Effects of instructions on the lanes (vector_reference.h). */
#include "tensix/vector_reference.h"

#include <stdlib.h>

/* ---- Decoding ---------------------------------------------------------------------------------------------------- */

unsigned ref_unit(uint32_t word) {
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

/* Returns whether the instruction is modelled, in a mode that is. Sets of modes. */
bool ref_models(uint32_t word) {
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
struct ref_insn ref_decode(uint32_t word) {
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
struct ref_insn ref_regular(uint32_t word) {
    struct ref_insn i = ref_decode(word);
    i.vb = i.vb == REF_NONE ? i.vd : i.vb;
    i.vc = i.vc == REF_NONE ? i.vd : i.vc;
    i.rank = 2;
    return i;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

static bool ref_enabled(const struct ref *r, unsigned lane) {
    const struct ref_lane *l = &r->old.lane[lane];
    if (r->old.column[lane % 8].config >> (12 + lane / 8) & 1)
        return false;
    return l->use ? l->flag : true;
}

static void ref_put(struct ref *r, const struct ref_insn *i, unsigned cycles, unsigned lane, unsigned lreg,
                    uint32_t value) {
    if (lreg >= 8 && lreg != 16)
        return;
    if (r->writings == REF_WRITES)
        abort();
    r->writes[r->writings++] = (struct ref_write){ r->cycle + cycles, r->cycle, i->rank, lane, lreg, value };
}

/* In order of arrival, then of issue, then of rank. A later write of the same moment is not overtaken by the removal:
 * the order is total but for equal keys, which are of different lanes or registers. */
void ref_arrive(struct ref *r) {
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

static bool ref_smaller(uint32_t c, uint32_t d) {
    int64_t x = c >> 31 ? -1 - (int64_t)(c & 0x7FFFFFFF) : c, y = d >> 31 ? -1 - (int64_t)(d & 0x7FFFFFFF) : d;
    return x < y;
}

static uint32_t ref_shift(uint32_t value, int32_t amount, bool arithmetic) {
    if (amount >= 0)
        return value << (amount & 31);
    return arithmetic ? (uint32_t)((int32_t)value >> ((0u - (uint32_t)amount) & 31))
                      : value >> ((0u - (uint32_t)amount) & 31);
}

/* ---- The simple sub-unit ----------------------------------------------------------------------------------------- */

static void ref_push(struct ref *r, struct ref_lane *l) {
    if (l->depth == 8) {
        r->fault = "full";
        return;
    }
    l->stack_flag[l->depth] = l->flag;
    l->stack_use[l->depth++] = l->use;
}

static void ref_pop(struct ref *r, struct ref_lane *l) {
    if (!l->depth) {
        r->fault = "empty";
        return;
    }
    l->depth--;
    l->flag = l->stack_flag[l->depth];
    l->use = l->stack_use[l->depth];
}

static void ref_complement(struct ref_lane *l) {
    bool flag = l->depth ? l->stack_flag[l->depth - 1] : true, use = l->depth ? l->stack_use[l->depth - 1] : true;
    l->flag = use && l->use && flag && !l->flag;
}

static void ref_setcc(struct ref_lane *l, unsigned mod, uint32_t c) {
    if (!l->use)
        l->flag = false;
    else
        l->flag = mod == 0 ? c >> 31 : mod == 2 ? c != 0 : mod == 4 ? !(c >> 31) : c == 0;
}

/* Mode 1: VD gets the minimum; 9: the maximum; 0: both are exchanged. */
static void ref_swap(struct ref *r, const struct ref_insn *i, unsigned lane) {
    uint32_t c = r->old.lane[lane].l[i->vc], d = r->old.lane[lane].l[i->vd == 16 ? 16 : i->vd];
    bool swap = i->mod == 1 ? ref_smaller(c, d) : !ref_smaller(c, d);
    swap ^= r->old.column[lane % 8].config >> 8 & 1;
    if (i->mod != 0 && !swap)
        return;
    r->swaps[r->swapping++] = (struct ref_swap){ r->cycle + 1, i->rank, lane, i->vc, i->vd };
}

/* The second cycle reads once more. */
void ref_second_cycle(struct ref *r) {
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

static void ref_config(struct ref *r, const struct ref_insn *i, unsigned lane) {
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

/* Instructions that change flags or configuration. */
static bool ref_control(struct ref *r, const struct ref_insn *i, unsigned lane) {
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

static void ref_iadd(struct ref *r, const struct ref_insn *i, unsigned lane, uint32_t b, uint32_t c) {
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

static void ref_shft(struct ref *r, const struct ref_insn *i, unsigned lane, uint32_t b, uint32_t c) {
    int32_t amount = (int32_t)c;
    if (i->mod & 1) {
        b = i->mod & 4 ? c : b;
        amount = (int32_t)(i->word << 8) >> 20;
    }
    ref_put(r, i, 1, lane, i->vd, ref_shift(b, amount, i->mod & 2));
}

static void ref_simple(struct ref *r, const struct ref_insn *i, unsigned lane) {
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

/* ---- The others -------------------------------------------------------------------------------------------------- */

static void ref_mad(struct ref *r, const struct ref_insn *i, unsigned lane) {
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

static void ref_round(struct ref *r, const struct ref_insn *i, unsigned lane) {
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
static void ref_store(struct ref *r, const struct ref_insn *i, unsigned lane) {
    uint32_t config = r->old.column[lane % 8].config;
    if (!ref_enabled(r, lane) || config >> 4 & 1)
        return;
    r->now.dst[i->address / 4][i->address >> 1 & 1][lane] = r->old.lane[lane].l[i->vd];
}

static void ref_load(struct ref *r, const struct ref_insn *i, unsigned lane) {
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

void ref_execute(struct ref *r, const struct ref_insn *i, unsigned lane) {
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
