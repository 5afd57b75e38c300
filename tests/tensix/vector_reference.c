/* Scheduled instructions, forbidden coincidences, and cycles (vector_reference.h). */
#include "tensix/vector_reference.h"

/* ---- The schedule ------------------------------------------------------------------------------------------------ */

static const struct ref_insn *ref_executing(const struct ref *r, unsigned column, unsigned unit) {
    for (unsigned k = 0; k < r->queued[column]; k++)
        if (r->queue[column][k].delay == 0 && r->queue[column][k].unit == unit)
            return &r->queue[column][k].insn;
    return NULL;
}

static void ref_remove(struct ref *r, unsigned column, unsigned k) {
    r->queue[column][k] = r->queue[column][--r->queued[column]];
}

static void ref_forget(struct ref *r, unsigned column, unsigned unit, unsigned delay) {
    for (unsigned k = 0; k < r->queued[column]; k++)
        if (r->queue[column][k].unit == unit && r->queue[column][k].delay == delay) {
            ref_remove(r, column, k--);
            r->forgotten++;
        }
}

/* After the cycle: those that have executed go, the others count. */
static void ref_count(struct ref *r, unsigned column, bool issued) {
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

static bool ref_can_execute(unsigned unit, uint32_t word) {
    if (ref_op(word) == TENSIX_SFPNOP)
        return unit != REF_STORE;
    return unit == ref_unit(word);
}

/* The word of a sequence; 0: nothing; sets the fault if that is undefined. */
static uint32_t ref_select(struct ref *r, const struct ref_column *c, unsigned bits, unsigned unit) {
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

static void ref_schedule(struct ref *r, const struct ref_insn *load, unsigned column) {
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
static bool ref_uneven_store(const struct ref *r, const struct ref_insn *load) {
    unsigned storing = 0, macro = load->word >> 22 & 3;
    for (unsigned column = 0; column < 8; column++)
        storing += (r->old.column[column].sequence[macro] >> 24 & 7) != 0;
    return storing != 0 && storing != 8;
}

/* ---- Forbidden coincidences -------------------------------------------------------------------------------------- */

static bool ref_real(const struct ref_insn *i) {
    return i && ref_op(i->word) != TENSIX_SFPNOP;
}

static bool ref_is_swap(const struct ref_insn *i) {
    return i && ref_op(i->word) == TENSIX_SFPSWAP;
}

/* In a column, with a regular instruction or NULL. */
static const char *ref_forbidden(const struct ref *r, unsigned column, const struct ref_insn *regular) {
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

static const char *ref_in_second_cycle(const struct ref *r, unsigned unit, const struct ref_insn *i) {
    return r->second_at == r->cycle && (r->second >> unit & 1) && ref_real(i) ? "second cycle" : NULL;
}

/* ---- Issue ------------------------------------------------------------------------------------------------------- */

/* The LRegs that the automatic stall sees being read. */
static uint32_t ref_reads(const struct ref_insn *i) {
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

/* Returns whether the instruction may pass in this cycle. */
bool ref_may_pass(const struct ref *r, uint32_t word) {
    struct ref_insn i = ref_regular(word);
    if (r->issued_at == r->cycle)
        return false;
    if (r->only_nop_at == r->cycle)
        return ref_op(word) == TENSIX_SFPNOP;
    return r->written_at != r->cycle || !(ref_reads(&i) & r->written);
}

static bool ref_may_be_template(uint32_t word) {
    unsigned op = ref_op(word);
    return op != TENSIX_SFPLOAD && op != TENSIX_SFPLOADI && op != TENSIX_SFPLOADMACRO && op != TENSIX_SFPCONFIG;
}

static void ref_after(struct ref *r, const struct ref_insn *i) {
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

static void ref_address(struct ref *r, struct ref_insn *i) {
    unsigned op = ref_op(i->word);
    if (op != TENSIX_SFPLOAD && op != TENSIX_SFPSTORE && op != TENSIX_SFPLOADMACRO)
        return;
    i->address = ((i->word & 0x3FF) + r->counter[r->thread]) & 0x3FF;
    r->counter[r->thread] += r->increment[i->word >> 13 & 7];
}

static void ref_issue(struct ref *r, uint32_t word) {
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

/* ---- A cycle ----------------------------------------------------------------------------------------------------- */

/* The start of a cycle: what is read in it. */
void ref_begin(struct ref *r, uint64_t cycle) {
    r->cycle = cycle;
    ref_arrive(r);
    ref_second_cycle(r);
    r->old = r->now;
}

static void ref_run_unit(struct ref *r, unsigned unit) {
    for (unsigned column = 0; column < 8; column++) {
        const struct ref_insn *i = ref_executing(r, column, unit);
        for (unsigned lane = column; i && lane < 32; lane += 8)
            ref_execute(r, i, lane);
        if (i)
            ref_after(r, i);
    }
}

/* The rest of it, with an instruction that is issued, or 0. Sets the fault if something is undefined. */
void ref_end(struct ref *r, uint32_t word) {
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
