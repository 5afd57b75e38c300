/* Random programs of up to three threads, with scheduled instructions and hazards, on src/tensix/vector and on the
 * plain model of vector_reference.h, cycle by cycle. */
#include "support/random.h"
#include "tensix/vector_drive.h"
#include "tensix/vector_reference.h"

enum { PROGRAMS = 20000, WORDS = 26, THREADS = 3 };

/* ---- Instructions ----------------------------------------------------------------------------------------------- */

static unsigned draw_vd(uint64_t *seed) {
    return random_below(seed, 12) ? random_below(seed, 8) : random_below(seed, 16);
}

static unsigned draw_source(uint64_t *seed) {
    return random_below(seed, 4) ? random_below(seed, 8) : random_below(seed, 16);
}

static unsigned one_of(uint64_t *seed, const char *choice) {
    return (unsigned)(choice[random_below(seed, (uint32_t)strlen(choice))] - 'a');
}

static uint32_t simple_word(unsigned op, unsigned imm12, unsigned vc, unsigned vd, unsigned mod) {
    return (uint32_t)op << 24 | imm12 << 12 | vc << 8 | vd << 4 | mod;
}

static uint32_t draw_config(uint64_t *seed, unsigned vd) {
    static const uint32_t lane_bits =
        LANE_NO_BACKDOOR | LANE_BLOCK_DEST_WRITE | LANE_BLOCK_DEST_READ | LANE_EXCHANGE_B_C | LANE_ROW_MASK;
    switch (random_below(seed, 6)) {
    case 0:
        return TT(SFPCONFIG, random_below(seed, 0x10000), 11 + random_below(seed, 4), random_below(seed, 2) ? 0 : 8);
    case 1: return TT(SFPCONFIG, random_next(seed) & random_next(seed) & lane_bits & 0xFFFF, 15, 1);
    case 2: return TT(SFPCONFIG, 0, 15, 1);
    case 3: return TT(SFPCONFIG, random_below(seed, 0x10000) & random_below(seed, 0x10000), vd % 8, 8);
    default: return TT(SFPCONFIG, 4 | (0xFF0 & random_next(seed)), 8, 1);
    }
}

static uint32_t draw_simple(uint64_t *seed, unsigned vd) {
    unsigned vc = draw_source(seed), imm12 = random_below(seed, 4096);
    switch (random_below(seed, 24)) {
    case 0:
    case 1: return simple_word(TENSIX_SFPMOV, imm12, vc, vd, random_below(seed, 3));
    case 2:
    case 3: return simple_word(TENSIX_SFPAND, imm12, vc, vd, random_below(seed, 2));
    case 4:
    case 5: return simple_word(TENSIX_SFPOR, imm12, vc, vd, random_below(seed, 2));
    case 6: return simple_word(TENSIX_SFPXOR, imm12, vc, vd, 0);
    case 7:
    case 8:
    case 9:
    case 10: return simple_word(TENSIX_SFPIADD, imm12, vc, vd, one_of(seed, "eefgabcinm"));
    case 11:
    case 12: return simple_word(TENSIX_SFPSHFT, imm12, vc, vd, random_below(seed, 8));
    case 13:
    case 14:
    case 15: return simple_word(TENSIX_SFPSETCC, imm12, vc, vd, one_of(seed, "aceg"));
    case 16: return TT(SFPENCC, 3, 0, vd, 10);
    case 17: return TT(SFPENCC, random_below(seed, 4), 0, vd, one_of(seed, "abcik"));
    case 18: return TT(SFPPUSHC, 0, 0, vd, 0);
    case 19: return random_below(seed, 4) ? TT(SFPCOMPC, 0, 0, vd, 0) : TT(SFPPOPC, 0, 0, vd, 0);
    case 20: return draw_config(seed, vd);
    default: return simple_word(TENSIX_SFPSWAP, imm12, vc, vd, one_of(seed, "abj"));
    }
}

static uint32_t draw_mad(uint64_t *seed, unsigned vd) {
    unsigned mod = random_below(seed, 3) ? 0 : random_below(seed, 16);
    if (!random_below(seed, 4))
        return TT(SFPADDI, 0x3F80 + random_below(seed, 0x100), vd, mod & 10);
    return TT(SFPMAD, draw_source(seed), draw_source(seed), draw_source(seed), vd, mod);
}

static uint32_t draw_round(uint64_t *seed, unsigned vd) {
    unsigned mod = random_below(seed, 4) ? one_of(seed, "abfg") : random_below(seed, 7); /* few that take two cycles */
    return simple_word(TENSIX_SFPSHFT2, random_below(seed, 4096), draw_source(seed), vd, mod);
}

static uint32_t draw_memory(uint64_t *seed, unsigned op, unsigned vd) {
    return (uint32_t)op << 24 | vd << 20 | 4 << 16 | random_below(seed, 4) << 13 | 2 * random_below(seed, 12);
}

/* Bit 0 of the address is the high bit of VD. */
static uint32_t draw_macro(uint64_t *seed) {
    return draw_memory(seed, TENSIX_SFPLOADMACRO, random_below(seed, 16)) | random_below(seed, 2);
}

static uint32_t draw_word(uint64_t *seed) {
    unsigned kind = random_below(seed, 20), vd = draw_vd(seed);
    static const unsigned loadi[] = { 2, 8, 10 };
    if (kind < 8)
        return draw_macro(seed);
    switch (kind) {
    case 8:
    case 9:
    case 10: return SFPNOP_WORD;
    case 11: return TT(SFPLOADI, vd, loadi[random_below(seed, 3)], random_below(seed, 0x10000));
    case 12: return draw_memory(seed, TENSIX_SFPLOAD, vd);
    case 13: return draw_memory(seed, TENSIX_SFPSTORE, vd);
    case 14: return draw_round(seed, vd);
    case 15:
    case 16: return draw_mad(seed, vd);
    default: return draw_simple(seed, vd);
    }
}

/* ---- Configuration ----------------------------------------------------------------------------------------------- */

/* Mostly what the sub-unit can execute; two in five do nothing. */
static unsigned draw_sequence_of(uint64_t *seed, unsigned unit) {
    unsigned what = 4 + unit, bits = random_below(seed, 8) << 3 | random_below(seed, 4) << 6;
    if (random_below(seed, 3))
        bits = (bits & 0xC7) | random_below(seed, 4) << 3;
    if (unit == REF_ROUND && random_below(seed, 8))
        bits |= 0x40;
    if (unit == REF_SIMPLE && random_below(seed, 8))
        bits &= ~0x40u;
    if (unit == REF_STORE)
        what = random_below(seed, 4) ? 3 : 7;
    unsigned kind = random_below(seed, 40);
    if (kind < 16)
        return bits & 0xF8;
    if (kind < 20 && unit != REF_STORE)
        return bits | 2;
    if (kind == 20 && !random_below(seed, 4))
        return bits | random_below(seed, 8);
    return bits | what;
}

static uint32_t draw_sequence(uint64_t *seed) {
    uint32_t sequence = 0;
    for (unsigned unit = 0; unit < 4; unit++)
        sequence |= (uint32_t)draw_sequence_of(seed, unit) << 8 * unit;
    return sequence;
}

static struct vector_macro_config draw_macro_config(uint64_t *seed) {
    struct vector_macro_config config = { .misc = 4 | random_below(seed, 16) << 4 };
    if (random_below(seed, 2))
        config.misc |= random_below(seed, 16) << 8;
    config.template[0] = draw_simple(seed, random_below(seed, 16));
    config.template[1] = draw_mad(seed, random_below(seed, 16));
    config.template[2] = draw_round(seed, random_below(seed, 16));
    config.template[3] = draw_memory(seed, TENSIX_SFPSTORE, random_below(seed, 16));
    for (unsigned i = 0; i < VECTOR_MACROS; i++)
        config.sequence[i] = draw_sequence(seed);
    return config;
}

/* In some programs the columns differ, at first or from some SFPCONFIG on. */
static void draw_columns(struct vector *v, uint64_t *seed) {
    struct vector_macro_config common = draw_macro_config(seed), other = draw_macro_config(seed);
    bool differ = !random_below(seed, 4);
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        v->macro[i] = common;
        if (differ && random_below(seed, 2))
            for (unsigned k = 0; k < VECTOR_MACROS; k++) /* stores alike */
                v->macro[i].sequence[k] = (other.sequence[k] & 0xFFFFFF) | (common.sequence[k] & 0xFF000000);
        if (differ && random_below(seed, 2))
            v->macro[i].misc ^= random_below(seed, 16) << 8;
    }
}

static uint32_t draw_value(uint64_t *seed, unsigned lreg) {
    uint32_t word = (uint32_t)random_next(seed);
    if (lreg == 7)
        return random_below(seed, 8); /* an index */
    return random_below(seed, 3) ? (word & 0x80FFFFFF) | 0x3F000000 : word;
}

static void draw_state(struct tensix_box *tb, uint64_t *seed) {
    struct vector *v = &tb->x->vector;
    const struct lanes *lanes = v->lanes;
    memset(v, 0, sizeof *v);
    vector_init(v);
    v->lanes = lanes;
    for (unsigned n = 0; n < VECTOR_LREGS; n++)
        for (unsigned i = 0; i < LANES && (n < 8 || n == 16 || (n > 10 && n < 15)); i++)
            v->lreg[n][i] = draw_value(seed, n);
    draw_columns(v, seed);
    if (!random_below(seed, 4))
        v->use_flags = (uint32_t)random_next(seed);
    v->flags = (uint32_t)random_next(seed);
    v->flags |= (uint32_t)random_next(seed);
    vector_derive(v);
    memset(&tb->x->dst, 0, sizeof tb->x->dst);
}

static void copy_state(struct ref *r, const struct vector *v) {
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned n = 0; n < VECTOR_LREGS; n++)
            r->now.lane[i].l[n] = v->lreg[n][i];
        r->now.lane[i].flag = v->flags >> i & 1;
        r->now.lane[i].use = v->use_flags >> i & 1;
    }
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        memcpy(r->now.column[i].template, v->macro[i].template, sizeof v->macro[i].template);
        memcpy(r->now.column[i].sequence, v->macro[i].sequence, sizeof v->macro[i].sequence);
        r->now.column[i].misc = v->macro[i].misc;
    }
}

/* ---- A program --------------------------------------------------------------------------------------------------- */

struct thread {
    uint32_t words[WORDS];
    unsigned at, count;
    uint64_t from; /* its next word is not there before */
};

struct play {
    struct tensix_box *tb;
    struct ref *r;
    struct thread thread[THREADS];
    uint64_t seed;
    unsigned gaps; /* one in so many cycles */
};

static void draw_program(struct play *p) {
    unsigned threads = random_below(&p->seed, 4) ? 1 : 1 + random_below(&p->seed, THREADS);
    p->gaps = random_below(&p->seed, 3) ? 1000 : 2 + random_below(&p->seed, 6);
    memset(p->thread, 0, sizeof p->thread);
    for (unsigned i = 0; i < threads; i++) {
        p->thread[i].count = WORDS / threads;
        for (unsigned k = 0; k < p->thread[i].count; k++)
            p->thread[i].words[k] = draw_word(&p->seed);
    }
}

/* LRegs and flags as the cycle that has begun reads them. */
static void compare_now(const struct play *p) {
    const struct vector *v = &p->tb->x->vector;
    for (unsigned i = 0; i < LANES; i++)
        if ((v->flags >> i & 1) != p->r->old.lane[i].flag || (v->use_flags >> i & 1) != p->r->old.lane[i].use)
            fail_msg("cycle %u: flags of lane %u differ", (unsigned)p->r->cycle, i);
    for (unsigned n = 0; n < VECTOR_LREGS; n++) {
        for (unsigned i = 0; i < LANES; i++) {
            uint32_t is = vector_peek(v, n, i, p->r->cycle), ought = p->r->old.lane[i].l[n];
            if (is != ought)
                fail_msg("cycle %u: LReg%u lane %u is %08x, not %08x", (unsigned)p->r->cycle, n, i, is, ought);
        }
    }
}

static void compare_rest(const struct play *p) {
    const struct vector *v = &p->tb->x->vector;
    const struct ref_state *s = &p->r->now;
    for (unsigned i = 0; i < LANES; i++) {
        const struct ref_lane *l = &s->lane[i];
        assert_int_equal(v->flags >> i & 1, l->flag);
        assert_int_equal(v->use_flags >> i & 1, l->use);
        for (unsigned k = 0; k < VECTOR_STACK; k++)
            assert_int_equal(v->stack[k].occupied >> i & 1, k < l->depth);
    }
    for (unsigned i = 0; i < VECTOR_COLUMNS; i++) {
        assert_memory_equal(v->macro[i].template, s->column[i].template, sizeof v->macro[i].template);
        assert_memory_equal(v->macro[i].sequence, s->column[i].sequence, sizeof v->macro[i].sequence);
        assert_int_equal(v->macro[i].misc, s->column[i].misc);
        assert_int_equal(v->lane_config[i], s->column[i].config);
    }
}

static uint32_t dst_word(const struct tensix *x, unsigned row, unsigned column) {
    uint32_t word = dst_get32(&x->dst, dst_row32(x->config.bank[0], row), column);
    uint32_t high = word >> 16; /* sign, mantissa, exponent to sign, exponent, mantissa */
    return (high & 0x8000) << 16 | (high & 0xFF) << 23 | (high >> 8 & 0x7F) << 16 | (word & 0xFFFF);
}

static void compare_dst(const struct play *p) {
    for (unsigned group = 0; group < REF_DST; group++)
        for (unsigned odd = 0; odd < 2; odd++)
            for (unsigned i = 0; i < LANES; i++)
                assert_int_equal(dst_word(p->tb->x, 4 * group + i / 8, 2 * (i % 8) + odd),
                                 p->r->now.dst[group][odd][i]);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(p->tb->x->rwc[i].dst, p->r->counter[i]);
}

/* Threads present their words in some order. Returns the word that passes, or 0. */
static uint32_t present(struct play *p, uint64_t cycle) {
    uint32_t passed = 0;
    unsigned first = random_below(&p->seed, THREADS);
    for (unsigned k = 0; k < THREADS; k++) {
        unsigned i = (first + k) % THREADS;
        struct thread *t = &p->thread[i];
        if (t->at == t->count || t->from > cycle)
            continue;
        if (!random_below(&p->seed, p->gaps)) {
            t->from = cycle + 1 + random_below(&p->seed, 4);
            continue;
        }
        uint32_t word = t->words[t->at];
        bool may = ref_may_pass(p->r, word);
        if (may) {
            p->r->thread = i;
            p->r->issued_at = cycle;
            ref_end(p->r, passed = word);
        }
        uint64_t again = vd_try(p->tb, i, word, cycle);
        if (p->r->fault || p->r->beyond)
            return passed;
        if (again != (may ? 0 : cycle + 1))
            fail_msg("cycle %u: %08x of T%u may pass in %u", (unsigned)cycle, word, i, (unsigned)again);
        t->at += may;
    }
    return passed;
}

static bool done(const struct play *p) {
    for (unsigned i = 0; i < THREADS; i++)
        if (p->thread[i].at < p->thread[i].count)
            return false;
    return true;
}

/* An instruction scheduled for the cycle is visible at the start of the next, which may have another one. */
static void assert_fault(const struct play *p, uint64_t cycle) {
    const struct box *box = p->tb->box;
    vd_until(p->tb, cycle + 1);
    if (!box->faults)
        fail_msg("cycle %u: no fault, but \"%s\"", (unsigned)cycle, p->r->fault);
    assert_int_equal(box->fault.kind, BH_FAULT_UNDEFINED);
    if (box->faults > 1)
        return;
    if (!strstr(box->fault.text, p->r->fault))
        fail_msg("\"%s\" instead of \"%s\"", box->fault.text, p->r->fault);
    assert_int_equal(box->fault.cycle, cycle);
}

/* Returns false if it ended with a fault. */
static bool run(struct play *p, uint64_t cycle) {
    for (unsigned idle = 0; idle < 20; idle += done(p), cycle++) {
        ref_begin(p->r, cycle);
        if (random_below(&p->seed, 3)) { /* else things happen later, all at once */
            vd_until(p->tb, cycle);
            compare_now(p);
        }
        uint32_t passed = present(p, cycle);
        if (!passed)
            ref_end(p->r, 0);
        if (p->r->beyond)
            return false;
        if (p->r->fault) {
            assert_fault(p, cycle);
            return false;
        }
        if (p->tb->box->faults)
            fail_msg("cycle %u: %s", (unsigned)cycle, p->tb->box->fault.text);
    }
    ref_begin(p->r, cycle);
    vd_until(p->tb, cycle);
    compare_now(p);
    compare_rest(p);
    compare_dst(p);
    return true;
}

static void prepare(struct play *p) {
    struct tensix *x = p->tb->x;
    draw_state(p->tb, &p->seed);
    memset(p->r, 0, sizeof *p->r);
    copy_state(p->r, &x->vector);
    p->tb->box->faults = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        x->thread[i].faulted = false;
        memset(&x->rwc[i], 0, sizeof x->rwc[i]);
        for (unsigned k = 0; k < 8; k++)
            x->config.thread[i][CONFIG_WORD_ADDR_MOD_DST_SEC0_DestIncr + k] = (uint16_t)(p->r->increment[k] = 2 * k);
    }
}

static void test_random(void **state) {
    struct play p = { .tb = tb_create(), .r = calloc(1, sizeof *p.r), .seed = 1 };
    unsigned whole = 0, executed[REF_UNITS] = { 0 }, discarded = 0, forgotten = 0;
    uint64_t cycle = 100;
    (void)state;
    for (unsigned n = 0; n < PROGRAMS; n++, cycle += 500) {
        p.tb->x->vector.lanes = lanes_at(0);
        vd_until(p.tb, cycle - 50); /* landings of the program before are over */
        prepare(&p);
        draw_program(&p);
        whole += run(&p, cycle);
        for (unsigned i = 0; i < REF_UNITS; i++)
            executed[i] += p.r->executed[i] / 32;
        discarded += p.r->discarded;
        forgotten += p.r->forgotten;
    }
    print_message(
        "%u programs to their ends, %u discarded, %u forgotten; executed: %u simple, %u MAD, %u round, %u store\n",
        whole, discarded, forgotten, executed[0], executed[1], executed[2], executed[3]);
    assert_true(whole > PROGRAMS / 3 && discarded > PROGRAMS / 20 && forgotten > PROGRAMS / 20);
    free(p.r);
    tb_destroy(p.tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
