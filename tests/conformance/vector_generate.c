/* Random programs for the Vector Unit. One of the TRISCs pushes some 3,500 instructions, several times over: the PRNG
 * goes on, so the values are others each time. Every result is added to a sum in LReg 7. At the end all LRegs go to
 * Dst, and from there with the rows that the program has used to L1, by way of the debug registers.
 *
 * What the oracle (ttsim 1.10.0) refuses is left out (vector_items.c); so are the accesses to Dst at odd rows and
 * everything that hardware does not define. Nothing reads the flags before SFPENCC has set them, because the documents
 * and the oracle disagree about what they are after reset. */
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "draw.h"
#include "support/rv.h"
#include "vector_items.h"
#include "vector_tally.h"

/* The area, in words: rows of Dst, 8 words each. */
enum {
    LREG_ROWS = 32,
    END_DST = 0,
    END_LREGS = END_DST + DST_TEST_ROWS * ROW_WORDS,
    DONE = END_LREGS + LREG_ROWS * ROW_WORDS,
    AREA = DONE + 1,
};
_Static_assert((int)AREA <= (int)GENERATED_AREA, "the area fits");

enum { BODY_END = 3400 };

/* ---- Blocks with flags -------------------------------------------------------------------------------- */

static void block(struct vector_stream *s, unsigned count);

/* Back in the lanes of before: what has been computed in others is added now. */
static void release(struct vector_stream *s, unsigned held_before) {
    unsigned due = s->held & ~held_before;
    s->held = held_before;
    for (unsigned i = 0; i < WORK_LREGS; i++)
        if (due >> i & 1)
            vector_sum(s, i);
}

/* All lanes on or off, or flags out of use, for a while. Where they are, the oracle has no SFPCOMPC. */
static void widen(struct vector_stream *s) {
    if (draw(&s->g, 3) == 0)
        vector_push(s, VT(SFPENCC, 0, 0, 0, 0));
    else
        vector_flags(s, draw(&s->g, 4));
    block(s, draw(&s->g, 4));
}

/* SFPPUSHC, a condition, some instructions, perhaps the others, SFPPOPC: one item with others in it. */
static void nest(struct vector_stream *s) {
    unsigned item = vector_item(s), held = s->held;
    bool used = s->flags_used;
    vector_push(s, VT(SFPPUSHC, 0));
    s->flags_used_above[s->depth++] = used;
    vector_condition(s);
    block(s, 1 + draw(&s->g, 4));
    s->g.item = item;
    if (s->flags_used && used && draw(&s->g, 2)) {
        vector_push(s, VT(SFPCOMPC, 0));
        block(s, 1 + draw(&s->g, 4));
        s->g.item = item;
    }
    if (!draw(&s->g, 4)) {
        widen(s);
        s->g.item = item;
    }
    vector_push(s, VT(SFPPOPC, 0));
    s->flags_used = s->flags_used_above[--s->depth];
    release(s, held);
}

static void block(struct vector_stream *s, unsigned count) {
    while (count--) {
        unsigned chosen = draw(&s->g, 16);
        if (chosen == 0 && s->depth < VECTOR_NESTED - 1) { /* one level is for items */
            nest(s);
            continue;
        }
        vector_item(s);
        if (chosen < 3)
            vector_refresh(s, vector_free_lreg(s));
        else if (chosen < 5)
            vector_special(s);
        else if (chosen == 5 && s->flags_used && s->depth)
            vector_condition(s);
        else
            vector_compute(s);
    }
}

/* New values, then something to do with them. */
static void round_of_items(struct vector_stream *s) {
    for (unsigned i = 1 + draw(&s->g, 2); i; i--) {
        vector_item(s);
        vector_refresh(s, vector_free_lreg(s));
    }
    block(s, 8 + draw(&s->g, 8));
    if (!draw(&s->g, 3))
        nest(s);
    if (!draw(&s->g, 16)) { /* the flags as they are now are not needed any more */
        vector_item(s);
        vector_condition(s);
        vector_compute(s);
        if (draw(&s->g, 2)) {
            vector_push(s, VT(SFPCOMPC, 0));
            vector_compute(s);
        }
        vector_flags(s, ALL_LANES);
        release(s, 0);
    }
}

/* ---- The frame ---------------------------------------------------------------------------------------- */

/* Rows stay even: the oracle has no odd ones. */
static void set_address_modes(struct vector_stream *s) {
    for (unsigned i = 0; i < ADDRESS_MODES; i++) {
        unsigned kind = i == NO_STEP ? 0 : i == CLEAR_STEP ? 1 : draw(&s->g, 4);
        unsigned increment = i == NO_STEP ? 0 : 2 * draw(&s->g, 512);
        vector_address_mode(s, i, (struct dst_step){ increment, kind == 2, kind == 1, kind == 3 });
    }
    vector_row_offset(s, 2 * draw(&s->g, 512));
}

/* Masks, exponents and ones in the fraction of the floats that most operands are. */
static void set_constants(struct vector_stream *s) {
    static const uint32_t keep[] = { 0x87FFFFFF, 0x83FFFFFF, 0x81FFFFFF, 0x8FFFFFFF, 0x87FFE000, 0x87FF0000 };
    static const uint32_t exponent[] = { 0, 0x08, 0x38, 0x3A, 0x3B, 0x3C, 0x3C, 0x3C, 0x40, 0x5C, 0x78 };
    static const uint32_t ones[] = { 0, 0, 0, 0, 0x7FFF, 0x7FF000, 0x7FFF00, 0xFFF };
    for (unsigned i = 0; i <= FILLS; i++) {
        uint32_t value = i ? exponent[draw(&s->g, sizeof exponent / 4)] << 24 : keep[draw(&s->g, sizeof keep / 4)];
        if (i)
            value |= ones[draw(&s->g, sizeof ones / 4)];
        if (draw(&s->g, 16) == 0)
            value = vector_pattern(s);
        vector_constant(s, 0, value);
        vector_push(s, VT(SFPCONFIG, 0, KEEP + i, 0));
    }
    if (!draw(&s->g, 8))
        vector_push(s, VT(SFPCONFIG, 0, KEEP, 1)); /* -1.0 */
}

/* The seed, what a format of "as SrcB" means, and a wait that is long enough for the PRNGs to be seeded. */
static void set_config(struct vector_stream *s) {
    static const uint8_t formats[] = { 0, 1, 1, 5, 6, 7, 9 };
    uint32_t format = (uint32_t)formats[draw(&s->g, sizeof formats)] << CONFIG_SHIFT_ALU_FORMAT_SPEC_REG1_SrcB;
    if (!draw(&s->g, 4))
        format |= UINT32_C(1) << CONFIG_SHIFT_ALU_ACC_CTRL_SFPU_Fp32_enabled;
    emit_constant(&s->g, vector_core(s), TEMP, format);
    emit(&s->g, vector_core(s), rv_sw(TEMP, CONFIG_WORD_ALU_FORMAT_SPEC_REG1_SrcB * 4, CONFIG_BASE));
    emit_constant(&s->g, vector_core(s), TEMP, draw_next(&s->g.state));
    emit(&s->g, vector_core(s), rv_sw(TEMP, CONFIG_WORD_PRNG_SEED_Seed_Val * 4, CONFIG_BASE));
    emit(&s->g, vector_core(s), rv_lw(TEMP, CONFIG_WORD_ALU_FORMAT_SPEC_REG1_SrcB * 4, CONFIG_BASE));
    emit(&s->g, vector_core(s), rv_addi(TEMP, TEMP, 0));
    emit(&s->g, vector_core(s), rv_addi(TEMP, 0, 700));
    emit(&s->g, vector_core(s), rv_addi(TEMP, TEMP, -1));
    emit(&s->g, vector_core(s), rv_bne(TEMP, 0, -4));
}

static void start(struct vector_stream *s) {
    vector_start(s);
    set_config(s);
    set_address_modes(s);
    vector_flags(s, ALL_LANES);
    set_constants(s);
    vector_clear_rows(s);
    for (unsigned i = 0; i < LREGS; i++)
        vector_constant(s, i, vector_pattern(s));
    for (unsigned row = 0; row < DST_TEST_ROWS / 2; row += 2) /* what is there after reset is not defined */
        vector_store(s, row / 2 % LREGS, INT32, NO_STEP, row);
}

/* The body, and back to its beginning. */
static void body(struct vector_stream *s) {
    unsigned top = vector_loop(s, s->g.program->repeats);
    vector_clear_rows(s);
    while (vector_core(s)->count < BODY_END)
        round_of_items(s);
    s->g.item = 0;
    vector_flags(s, ALL_LANES);
    vector_push(s, VT(SFPNOP, 0));
    vector_end_loop(s, top);
}

/* Of 32 bits, four rows hold an LReg in their even columns and the next in their odd ones. */
static void finish(struct vector_stream *s) {
    vector_clear_rows(s);
    for (unsigned i = 0; i < LREGS; i++)
        vector_store(s, i, INT32, NO_STEP, DST_LREGS + 4 * (i / 2) + 2 * (i % 2));
    sync(&s->g, s->thread);
    vector_copy_rows(s, 0, DST_TEST_ROWS, END_DST);
    vector_copy_rows(s, DST_LREGS, LREG_ROWS, END_LREGS);
    vector_end(s, DONE);
}

static void generate(struct generated *program, uint64_t seed) {
    struct vector_stream s = { .g = { .program = program, .state = seed * UINT64_C(0xD1342543DE82EF95) + 11 },
                               .thread = (unsigned)(seed % THREADS) };
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->address = 0x20000;
    program->data_words = AREA;
    program->parts = 1;
    program->repeats = 2 + draw(&s.g, 5);
    s.arithmetic = !draw(&s.g, 3);
    program->part[0].core = BH_TRISC0 + s.thread;
    s.g.stream[s.thread].core = &program->part[0];
    start(&s);
    body(&s);
    finish(&s);
}

/* ---- Results ------------------------------------------------------------------------------------------ */

static bool is_compared(unsigned index) {
    return index < DONE;
}
static bool is_clue(unsigned index) {
    return index >= END_LREGS && index < DONE;
}

/* 16 rows for four LRegs: 8 with the upper halves, then 8 with the lower ones. */
static void name(const struct generated *program, unsigned index, char *text, unsigned size) {
    (void)program;
    unsigned row = index / ROW_WORDS % DST_TEST_ROWS, column = index % ROW_WORDS * 2;
    if (index < END_LREGS) {
        snprintf(text, size, "row %u of Dst, columns %u and %u", row, column, column + 1);
        return;
    }
    unsigned lreg = row / 16 * 4 + row % 8 / 4 * 2, lane = row % 4 * 8 + column / 2;
    snprintf(text, size, "lane %u, %s halves of LReg %u and %u", lane, row % 16 < 8 ? "upper" : "lower", lreg + 1,
             lreg);
}

static void print_start(const struct generated *program) {
    printf(" a frame of its own (vector_generate.c), %u times through the loop\n", program->repeats);
}

const struct generated_kind generated_vector = {
    .generate = generate,
    .per_tile = 1,
    .area_words = AREA,
    .done_word = DONE,
    .nop = GENERATED_SFPNOP,
    .is_compared = is_compared,
    .is_clue = is_clue,
    .name = name,
    .print_start = print_start,
    .tally = vector_tally,
    .report = vector_report,
};
