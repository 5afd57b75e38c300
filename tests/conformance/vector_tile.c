/* Programs that run one routine (vector_functions.c, vector_integers.c) over a tile of 1,024 values in Dst: seed modulo
 * the number of routines says which, the rest of the seed what the inputs are. A short one is recorded in the replay
 * buffer in half of the programs, as kernels do it.
 *
 * Inputs are made in the Vector Unit, since nothing else can write to Dst in all libraries: numbers at a distance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bhemu.h"
#include "draw.h"
#include "support/float_bits.h"
#include "support/rv.h"
#include "vector_routines.h"
#include "vector_tally.h"

enum {
    TILE_VALUES = 1024,
    TILE_VECTORS = TILE_VALUES / VECTOR_LANES,
    TILE_ROWS = 64, /* of 32 bits */
    RESULTS = 0,
    DONE = RESULTS + TILE_VALUES,
    INPUTS = DONE + 1, /* first and step of each, for the host */
    AREA = INPUTS + 6,
    NEXT_STEP = 1, /* address mode: the next vector */
    REPLAY_LIMIT = 32,
};
_Static_assert((int)AREA <= (int)GENERATED_AREA, "the area fits");

static const struct routine *routine_of(uint64_t seed) {
    unsigned number = (unsigned)(seed % (vector_functions_count + vector_integers_count));
    return number < vector_functions_count ? &vector_functions[number]
                                           : &vector_integers[number - vector_functions_count];
}

/* ---- Inputs ----------------------------------------------------------------------------------------------- */

static const struct range {
    uint32_t from, to;
    bool both_signs;
} ranges[] = {
    [ANY_FLOAT] = { 0, 0x7FFFFFFF, true },
    [NEAR_ONE] = { 0x39800000, 0x42800000, true },
    [POSITIVE] = { 0x21800000, 0x5D800000, false },
};

/* Two in three times the range as a whole, else some part of it, close together. */
static void draw_input(uint64_t *state, enum domain domain, uint32_t *first, uint32_t *step) {
    *first = draw_next(state);
    *step = draw_next(state) | 1;
    if (domain == ANY_BITS)
        return;
    if (domain == SMALL_NUMBERS) {
        *first = 0u - 512 + *first % 16;
        *step = 1;
        return;
    }
    const struct range *range = &ranges[domain];
    uint32_t size = range->to - range->from, most = size / TILE_VALUES;
    *step = draw_below(state, 3) ? most : 1 + *step % most;
    uint32_t room = size - *step * (TILE_VALUES - 1);
    *first = range->from + (*first % room | (range->both_signs ? draw_below(state, 2) << 31 : 0));
}

/* Vector by vector: L0 has the numbers of the first one, L1 the distance to the next. */
static void fill_tile(struct vector_stream *s, unsigned tile, uint32_t first, uint32_t step) {
    v_set(s, L0, first);
    for (unsigned bit = 0; bit < 5; bit++) {
        v_set(s, L1, step << bit);
        v_set(s, L2, 2u << bit);
        v_and(s, L2, LANES_TWICE);
        v_if(s, L2, IF_NOT_ZERO);
        v_iadd(s, L0, L1);
        v_end(s);
    }
    v_set(s, L1, step * VECTOR_LANES);
    vector_clear_rows(s);
    unsigned top = vector_loop(s, TILE_VECTORS);
    vector_push(s, VT(SFPSTORE, L0, INT32, NEXT_STEP, tile * TILE_ROWS));
    v_iadd(s, L0, L1);
    vector_end_loop(s, top);
}

/* ---- The routine --------------------------------------------------------------------------------------- */

/* Every instruction is an item: what is not needed for a difference can be left out. */
static void one_turn(struct vector_stream *s, const struct routine *routine) {
    unsigned last = routine->vectors - 1, at = vector_core(s)->count;
    for (unsigned input = 0; input < routine->inputs; input++)
        for (unsigned i = 0; i < routine->vectors; i++)
            vector_push(s, VT(SFPLOAD, i + input * routine->vectors, INT32, NO_STEP, input * TILE_ROWS + 2 * i));
    routine->run(s);
    for (unsigned i = 0; i < last; i++)
        vector_push(s, VT(SFPSTORE, i, INT32, NO_STEP, 2 * i));
    vector_push(s, VT(SFPSTORE, last, INT32, NEXT_STEP, 2 * last));
    for (; at < vector_core(s)->count; at++)
        vector_core(s)->item[at] = (uint16_t)++s->g.program->items;
}

/* The words of a turn are recorded while they run, then played. False, and nothing done, if they are too many. */
static bool by_replay(struct vector_stream *s, const struct routine *routine, unsigned turns) {
    struct generated_part *core = vector_core(s);
    unsigned at = core->count, items = s->g.program->items;
    emit(&s->g, core, RV_NOP);
    one_turn(s, routine);
    unsigned count = core->count - at - 1;
    if (count > REPLAY_LIMIT) {
        core->count = at;
        s->g.program->items = items;
        return false;
    }
    uint32_t play = VT(REPLAY, .start_idx = 0, .len = count);
    core->word[at] = tensix_to_stream(play | VT(REPLAY, .load_mode = 1, .execute_while_loading = 1));
    while (--turns)
        emit(&s->g, core, tensix_to_stream(play));
    return true;
}

static void run(struct vector_stream *s, const struct routine *routine, bool replay) {
    unsigned turns = TILE_VECTORS / routine->vectors;
    vector_address_mode(s, NEXT_STEP, (struct dst_step){ .increment = 2 * routine->vectors });
    vector_clear_rows(s);
    if (replay && by_replay(s, routine, turns))
        return;
    unsigned top = vector_loop(s, turns);
    one_turn(s, routine);
    vector_end_loop(s, top);
}

static void generate(struct generated *program, uint64_t seed) {
    const struct routine *routine = routine_of(seed);
    struct vector_stream s = { .g = { .program = program, .state = seed * UINT64_C(0xD1342543DE82EF95) + 13 },
                               .thread = (unsigned)(seed % THREADS) };
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->address = 0x20000;
    program->data_words = AREA;
    program->parts = 1;
    program->repeats = TILE_VECTORS / routine->vectors;
    program->part[0].core = BH_TRISC0 + s.thread;
    s.g.stream[s.thread].core = &program->part[0];
    vector_start(&s);
    vector_address_mode(&s, NO_STEP, (struct dst_step){ 0 });
    vector_address_mode(&s, NEXT_STEP, (struct dst_step){ .increment = 2 });
    vector_address_mode(&s, CLEAR_STEP, (struct dst_step){ .clear = true });
    vector_row_offset(&s, 0);
    vector_flags(&s, ALL_LANES);
    for (unsigned i = 0; i < routine->inputs; i++) {
        uint32_t *input = &program->data[INPUTS + 2 * i];
        draw_input(&s.g.state, routine->domain, &input[0], &input[1]);
        fill_tile(&s, i, input[0], input[1]);
    }
    if (routine->set_up)
        routine->set_up(&s);
    run(&s, routine, draw(&s.g, 2));
    sync(&s.g, s.thread);
    vector_copy_rows(&s, 0, 2 * TILE_ROWS, RESULTS);
    vector_end(&s, DONE);
}

/* ---- Results ------------------------------------------------------------------------------------------ */

static bool is_compared(unsigned index) {
    return index < DONE;
}

/* Rows of 32 bits are the upper halves of eight rows, then their lower halves, sixteen columns each. */
static uint32_t half_at(const uint32_t *area, unsigned row, unsigned column) {
    return area[RESULTS + row * ROW_WORDS + column / 2] >> 16 * (column % 2) & 0xFFFF;
}
static uint32_t value_at(const uint32_t *area, unsigned index) {
    unsigned vector = index / VECTOR_LANES, lane = index % VECTOR_LANES;
    unsigned row = vector / 2 * 4 + lane / 8, column = lane % 8 * 2 + vector % 2;
    unsigned upper_row = row / 8 * 16 + row % 8;
    uint32_t upper = half_at(area, upper_row, column), lower = half_at(area, upper_row + 8, column);
    uint32_t sign = upper & 0x8000, exponent = upper & 0xFF, mantissa = upper >> 8 & 0x7F;
    return (sign | exponent << 7 | mantissa) << 16 | lower;
}

static void name(const struct generated *program, unsigned index, char *text, unsigned size) {
    unsigned row = index / ROW_WORDS, column = index % ROW_WORDS * 2;
    unsigned row32 = row / 16 * 8 + row % 8, vector = row32 / 4 * 2, lane = row32 % 4 * 8 + column / 2;
    snprintf(text, size, "%s: %s halves of values %u and %u", routine_of(program->seed)->name,
             row % 16 < 8 ? "upper" : "lower", (vector + 1) * VECTOR_LANES + lane, vector * VECTOR_LANES + lane);
}

static void print_start(const struct generated *program) {
    const uint32_t *input = &program->data[INPUTS];
    for (unsigned i = 0; i < routine_of(program->seed)->inputs; i++)
        printf(" input %u: %08x + n * %08x", i, input[2 * i], input[2 * i + 1]);
    printf("\n");
}

static bool is_number(uint32_t bits) {
    uint32_t exponent = bits >> 23 & 0xFF;
    return exponent && exponent < 255;
}
static double number(uint32_t bits) {
    return (double)as_float(bits);
}

/* Whether a result is what the routine is for. */
static bool is_right(const struct routine *routine, const uint32_t in[3], uint32_t out) {
    if (routine->bits_of)
        return routine->domain != ANY_BITS && routine->domain != SMALL_NUMBERS && !is_number(in[0])
                   ? true
                   : routine->bits_of(in[0], in[1], in[2]) == out;
    if (!routine->of || !is_number(in[0]) || (routine->inputs > 1 && !is_number(in[1])))
        return true;
    double right = routine->of(number(in[0]), number(in[1])), error = fabs(number(out) - right);
    return error <= routine->absolute + routine->relative * fabs(right);
}

static bool is_plausible(const struct generated *program, const uint32_t *area, char *text, unsigned size) {
    const struct routine *routine = routine_of(program->seed);
    const uint32_t *input = &program->data[INPUTS];
    for (unsigned i = 0; i < TILE_VALUES; i++) {
        uint32_t in[3], out = value_at(area, i);
        for (unsigned j = 0; j < 3; j++)
            in[j] = input[2 * j] + i * input[2 * j + 1];
        if (is_right(routine, in, out))
            continue;
        snprintf(text, size, "%s of %08x, %08x, %08x is %08x", routine->name, in[0], in[1], in[2], out);
        return false;
    }
    return true;
}

const struct generated_kind generated_kernels = {
    .generate = generate,
    .per_tile = 1,
    .area_words = AREA,
    .done_word = DONE,
    .nop = GENERATED_SFPNOP,
    .is_compared = is_compared,
    .is_clue = is_compared,
    .name = name,
    .print_start = print_start,
    .is_plausible = is_plausible,
    .tally = vector_tally,
    .report = vector_report,
};
