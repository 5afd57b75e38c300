/* Random programs for the Matrix Unit. One of the TRISCs pushes them. A program has a few segments, each with formats
 * and a width of Dst of its own: it fills both banks of SrcA and SrcB and all of Dst, then runs some hundred
 * instructions several times and adds all of Dst to a sum each time. Everything is repeated: the PRNG goes on, so the
 * values are others. At the end all of Dst and the sums are read through the debug registers.
 *
 * There are no unpackers in it: UNPACR_NOP hands over banks and their formats, MOVD2A and MOVD2B fill them. What the
 * oracle (ttsim 1.10.0) refuses is left out (matrix_items.c), FIDELITY_BASE among it; so are rows of 32 bits from 512
 * on. */
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "draw.h"
#include "matrix_items.h"
#include "matrix_tally.h"
#include "matrix_values.h"
#include "support/rv.h"

/* The area, in words: all of Dst, rows with the sums, the end. */
enum {
    SUM_ROWS = 16,
    END_DST = 0,
    END_SUMS = END_DST + STORED_ROWS * ROW_WORDS,
    DONE = END_SUMS + SUM_ROWS * ROW_WORDS,
    AREA = DONE + 1,
};
_Static_assert((int)AREA <= (int)GENERATED_AREA, "the area fits");

enum { SEGMENTS = 3, SEGMENT_WORDS = 1150, SUM_MODE = ADDRESS_MODES - 1, SUM0 = 6, SUM1 = 7 };

static unsigned draw_m(struct matrix_stream *s, unsigned limit) {
    return draw(&s->v.g, limit);
}

/* The subject of a segment. */

/* TF32 as often as all others together. Of these the last ones are for SrcB only, and not for all instructions. */
static unsigned any_format(struct matrix_stream *s, bool b) {
    static const uint8_t formats[] = { FORMAT_BF16, FORMAT_BF16, FORMAT_BF16, FORMAT_BF16, FORMAT_BF16, FORMAT_BF16,
                                       0,           6,           7,           15,          9,           8 };
    switch (s->family) {
    case FAMILY_WIDE_EXPONENT: return draw_m(s, 2) ? FORMAT_TF32 : formats[draw_m(s, b ? 12 : 10)];
    case FAMILY_FP16: return FORMAT_FP16;
    default: return FORMAT_INT8;
    }
}

static void draw_formats(struct matrix_stream *s) {
    unsigned family = draw_m(s, 14); /* about as many as each has rows in the table */
    s->family = family < 11 ? FAMILY_WIDE_EXPONENT : family < 13 ? FAMILY_FP16 : FAMILY_INT8;
    s->wide = draw_m(s, 2) || s->family == FAMILY_INT8;
    s->keep_b = !draw_m(s, 16);
    for (unsigned bank = 0; bank < 2; bank++) {
        s->implied[0][bank] = any_format(s, false);
        s->implied[1][bank] = any_format(s, true);
    }
    s->config_a = any_format(s, false);
    s->config_b = any_format(s, true);
    if (s->family == FAMILY_FP16 && !draw_m(s, 4)) /* fp8 is fp16 once it is in Src */
        s->config_a = s->config_b = s->implied[0][0] = s->implied[1][0] = s->implied[0][1] = s->implied[1][1] =
            FORMAT_FP8;
}

/* ---- Filling ---------------------------------------------------------------------------------------- */

/* Banks go back and forth without being handed back. */
static void keep_banks(struct matrix_stream *s, bool keep) {
    matrix_push(s, VT(SETC16, CONFIG_WORD_CLR_DVALID_SrcA_Disable, keep ? 3 : 0));
}

/* Src gets all 19 bits of tf32, whatever it is taken for later. */
static void fill(struct matrix_stream *s) {
    bool wide_exponent = s->family == FAMILY_WIDE_EXPONENT;
    struct matrix_shapes shapes = matrix_draw_shapes(s);
    matrix_alu(s, wide_exponent ? FORMAT_TF32 : FORMAT_FP16, 0, wide_exponent, false, false);
    matrix_own_formats(s, true, false);
    matrix_address_mode(s, FILL_STAY, (struct rwc_step){ 0 });
    matrix_address_mode(s, FILL_DST, (struct rwc_step){ .dst = 4 });
    matrix_address_mode(s, FILL_A, (struct rwc_step){ .a = 4 });
    matrix_address_mode(s, FILL_B, (struct rwc_step){ .b = 4 });
    matrix_offset(s, 0);
    matrix_set_rwc(s, (struct tensix_SETRWC){ .BitMask = 15 });
    matrix_hand_over(s, 3);
    matrix_hand_over(s, 3);
    keep_banks(s, true);
    matrix_fill_src(s, &shapes);
    matrix_fill_dst(s, &shapes.dst);
}

/* ---- Computing -------------------------------------------------------------------------------------- */

static struct rwc_step any_step(struct matrix_stream *s) {
    static const uint8_t ways[] = { RWC_ADD, RWC_ADD, RWC_ADD, RWC_CLEAR, RWC_FROM_COPY, RWC_AND_COPY };
    struct rwc_step step;
    step.a_way = (enum rwc_way)ways[draw_m(s, 5)];
    step.b_way = (enum rwc_way)ways[draw_m(s, 5)];
    step.dst_way = (enum rwc_way)ways[draw_m(s, 6)];
    step.a = 8 * draw_m(s, 8);
    step.b = 8 * draw_m(s, 8);
    step.dst = 8 * draw_m(s, 6);
    step.fidelity = draw_m(s, 4);
    step.clear_fidelity = !draw_m(s, 12);
    return step;
}

/* Both sums change with every word of Dst that is different, the second one by how far it is from the end. */
static void sum(struct matrix_stream *s) {
    enum { LOAD_32 = 4, LOAD_16 = 6 };
    unsigned format = s->wide ? LOAD_32 : LOAD_16, rows = s->wide ? STORED_ROWS / 2 : STORED_ROWS;
    sync(&s->v.g, s->v.thread);
    matrix_offset(s, 0);
    matrix_set_rwc(s, (struct tensix_SETRWC){ .BitMask = 15 });
    unsigned top = matrix_loop(s, FILL_COUNTER, rows / 4);
    for (unsigned i = 0; i < 2; i++)
        vector_push(&s->v, VT(SFPLOAD, i, format, i ? SUM_MODE : FILL_STAY, 2 * i));
    for (unsigned i = 0; i < 2; i++) {
        vector_push(&s->v, VT(SFPIADD, .lreg_c = i, .lreg_dest = SUM0, .instr_mod1 = 4));
        vector_push(&s->v, VT(SFPIADD, .lreg_c = SUM0, .lreg_dest = SUM1, .instr_mod1 = 4));
    }
    matrix_end_loop(s, FILL_COUNTER, top);
}

/* All agents return to the first bank. */
static void go_back(struct matrix_stream *s) {
    matrix_flip(s, (s->bank[0] ^ s->unpacker[0]) | (s->bank[1] ^ s->unpacker[1]) << 1);
    if (s->unpacker[0] | s->unpacker[1])
        matrix_return(s, s->unpacker[0] | s->unpacker[1] << 1);
}

static void zeroacc_mode(struct matrix_stream *s) {
    s->absolute = !draw_m(s, 4);
    matrix_config(s, CONFIG_WORD_DEST_ACCESS_CFG_zeroacc_absolute_tile_mode,
                  (uint32_t)s->absolute << CONFIG_SHIFT_DEST_ACCESS_CFG_zeroacc_absolute_tile_mode);
}

static void compute(struct matrix_stream *s, unsigned end) {
    bool own_a = !draw_m(s, 4), own_b = !draw_m(s, 4);
    matrix_alu(s, s->config_a, s->config_b, s->wide && s->family != FAMILY_INT8, s->family == FAMILY_INT8, s->keep_b);
    zeroacc_mode(s);
    matrix_own_formats(s, own_a, own_b);
    for (unsigned i = 0; i < MATRIX_MODES; i++)
        matrix_address_mode(s, i, i ? any_step(s) : (struct rwc_step){ 0 });
    matrix_address_mode(s, SUM_MODE, (struct rwc_step){ .dst = 4 });
    unsigned offset = 8 * draw_m(s, 33), times = 1 + draw_m(s, 4);
    s->once = times == 1;
    s->times = times * s->v.g.program->repeats;
    unsigned top = matrix_loop(s, TIMES_COUNTER, times);
    matrix_offset(s, offset);
    matrix_set_rwc(s, (struct tensix_SETRWC){ .BitMask = 15 });
    while (vector_core(&s->v)->count < end)
        matrix_draw_item(s);
    s->v.g.item = 0;
    go_back(s);
    sum(s);
    matrix_end_loop(s, TIMES_COUNTER, top);
}

static void segment(struct matrix_stream *s, unsigned end) {
    draw_formats(s);
    fill(s);
    compute(s, end);
    keep_banks(s, false);
    matrix_flip(s, 3);
    matrix_flip(s, 3);
}

/* ---- The frame -------------------------------------------------------------------------------------- */

/* The seed, and a wait that is long enough for the PRNGs to have it. */
static void seed_lanes(struct matrix_stream *s) {
    struct generated_part *core = vector_core(&s->v);
    emit_constant(&s->v.g, core, TEMP, draw_next(&s->v.g.state));
    emit(&s->v.g, core, rv_sw(TEMP, CONFIG_WORD_PRNG_SEED_Seed_Val * 4, CONFIG_BASE));
    matrix_config(s, CONFIG_WORD_ALU_ACC_CTRL_Zero_Flag_disabled_src, 0);
    emit(&s->v.g, core, rv_addi(TEMP, 0, 700));
    emit(&s->v.g, core, rv_addi(TEMP, TEMP, -1));
    emit(&s->v.g, core, rv_bne(TEMP, 0, -4));
}

static void finish(struct matrix_stream *s) {
    enum { LEFT = 0, RIGHT = 2 };
    sync(&s->v.g, s->v.thread);
    vector_copy_rows(&s->v, 0, STORED_ROWS, END_DST);
    matrix_offset(s, 0);
    matrix_set_rwc(s, (struct tensix_SETRWC){ .BitMask = 15 });
    matrix_address_mode(s, FILL_STAY, (struct rwc_step){ 0 });
    vector_push(&s->v, VT(SFPSTORE, SUM0, INT32, FILL_STAY, LEFT));
    vector_push(&s->v, VT(SFPSTORE, SUM1, INT32, FILL_STAY, RIGHT));
    sync(&s->v.g, s->v.thread);
    vector_copy_rows(&s->v, 0, SUM_ROWS, END_SUMS);
    vector_end(&s->v, DONE);
}

static void generate_counting(struct generated *program, uint64_t seed, bool counting) {
    struct matrix_stream s = { .v = { .g = { .program = program, .state = seed * UINT64_C(0xD1342543DE82EF95) + 5 },
                                      .thread = (unsigned)(seed % THREADS) },
                               .counting = counting };
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->address = 0x20000;
    program->data_words = 0;
    program->parts = 1;
    program->repeats = 1 + draw_m(&s, 4);
    program->part[0].core = BH_TRISC0 + s.v.thread;
    s.v.g.stream[s.v.thread].core = &program->part[0];
    vector_start(&s.v);
    seed_lanes(&s);
    vector_flags(&s.v, ALL_LANES);
    vector_constant(&s.v, SUM0, 0);
    vector_constant(&s.v, SUM1, 0);
    unsigned top = vector_loop(&s.v, program->repeats);
    for (unsigned i = 1; i <= SEGMENTS; i++)
        segment(&s, i * SEGMENT_WORDS);
    vector_end_loop(&s.v, top);
    finish(&s);
}

static void generate(struct generated *program, uint64_t seed) {
    generate_counting(program, seed, false);
}

/* ---- Results ---------------------------------------------------------------------------------------- */

static bool is_compared(unsigned index) {
    return index < DONE;
}
static bool is_clue(unsigned index) {
    return index < END_SUMS;
}

static void name(const struct generated *program, unsigned index, char *text, unsigned size) {
    (void)program;
    unsigned row = index / ROW_WORDS % STORED_ROWS, column = index % ROW_WORDS * 2;
    snprintf(text, size, "row %u of %s, columns %u and %u", row, index < END_SUMS ? "Dst" : "the sums", column,
             column + 1);
}

static void print_start(const struct generated *program) {
    printf(" a frame of its own (matrix_generate.c), %u times through the loop\n", program->repeats);
}

/* The program is made again, with counting. */
static void tally(const struct generated *program) {
    static struct generated again;
    generate_counting(&again, program->seed, true);
    matrix_count_program();
}

const struct generated_kind generated_matrix = {
    .generate = generate,
    .per_tile = 1,
    .area_words = AREA,
    .done_word = DONE,
    .nop = GENERATED_SFPNOP,
    .is_compared = is_compared,
    .is_clue = is_clue,
    .name = name,
    .print_start = print_start,
    .tally = tally,
    .report = matrix_report,
};
