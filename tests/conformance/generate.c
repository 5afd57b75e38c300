/* The generator. It keeps to what every implementation must agree on: aligned accesses, no CSRs, rounding mode
 * "dynamic" (a baby core rounds to nearest in any case), AMOs on L1 only.
 *
 * Every call of the random numbers stands in a statement or declarator of its own: the order in which a compiler
 * evaluates arguments must not matter, or recorded results would hold for one compiler only.
 *
 * Registers: x30 the core's data, x29 the middle of its local memory window, x28 and x27 loop counters, x1 the
 * link; all others are free.
 */
#include "generate.h"

#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "support/device.h"
#include "support/rv.h"

/* The area, in bytes: memory that the program loads from and stores to; values of x0..x31 and f0..f31 at the start and
 * at the end; a copy of the core's local memory at the end. */
enum {
    AREA_MEMORY = 0x000,
    AREA_MEMORY_SIZE = 0x400,
    AREA_START = 0x400,
    AREA_END = 0x500,
    AREA_LOCAL = 0x600,
    AREA_LOCAL_SIZE = 0x100,
    AREA_DONE = 0x700,
    AREA_SIZE = 0x704,
};

enum { LINK = 1, COUNTER = 27, LOCAL = 29, DATA = 30 }; /* counters: 28 outermost, 27 inside */
enum { LOCAL_HALF = AREA_LOCAL_SIZE / 2 };

struct generator {
    struct generated *program;
    struct generated_part *out;
    bool frame; /* what is emitted cannot be left out */
    uint64_t state;
    unsigned loops; /* loops around this place */
    unsigned depth; /* blocks around it */
    bool in_call;
};

static uint32_t next(struct generator *g) {
    return draw_next(&g->state);
}
static unsigned below(struct generator *g, unsigned limit) {
    return draw_below(&g->state, limit);
}

static void emit(struct generator *g, uint32_t word) {
    g->out->item[g->out->count] = g->frame ? 0 : (uint16_t)++g->program->items;
    g->out->word[g->out->count++] = word;
}

/* ---- Operands -------------------------------------------------------------------------------- */

static unsigned destination(struct generator *g) {
    unsigned reg;
    do
        reg = below(g, 32);
    while (reg == LINK || (reg >= COUNTER && reg <= DATA));
    return reg;
}
static unsigned temporary(struct generator *g) { /* a destination that holds a value */
    unsigned reg;
    do
        reg = destination(g);
    while (reg == 0);
    return reg;
}
static unsigned source(struct generator *g) {
    return below(g, 32);
}

static uint32_t interesting_float(struct generator *g) {
    uint32_t exponent;
    static const uint32_t edges[] = {
        0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001,
        0xFFC12345, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x4F000000, 0xCF000000, 0x4F7FFFFF,
    };
    switch (below(g, 4)) {
    case 0: return edges[below(g, sizeof edges / sizeof *edges)];
    case 1: return next(g);
    default: /* exponents close together, so that sums cancel and round */
        exponent = 120 + below(g, 40);
        return (next(g) & 0x807FFFFF) | exponent << 23;
    }
}

/* ---- Single instructions ------------------------------------------------------------------------ */

static void register_operation(struct generator *g) {
    static const struct {
        uint8_t funct3, funct7;
    } ops[] = {
        { 0, 0x00 }, { 0, 0x20 }, { 1, 0x00 }, { 2, 0x00 }, { 3, 0x00 }, { 4, 0x00 }, { 5, 0x00 }, { 5, 0x20 },
        { 6, 0x00 }, { 7, 0x00 },                                                                               /* I */
        { 0, 0x01 }, { 1, 0x01 }, { 2, 0x01 }, { 3, 0x01 }, { 4, 0x01 }, { 5, 0x01 }, { 6, 0x01 }, { 7, 0x01 }, /* M */
        { 2, 0x10 }, { 4, 0x10 }, { 6, 0x10 }, /* Zba */
        { 7, 0x20 }, { 6, 0x20 }, { 4, 0x20 }, { 4, 0x05 }, { 5, 0x05 }, { 6, 0x05 }, { 7, 0x05 }, { 1, 0x30 },
        { 5, 0x30 }, /* Zbb */
        { 4, 0x04 }, /* pack, zext.h */
    };
    unsigned i = below(g, sizeof ops / sizeof *ops), rd = destination(g), rs1 = source(g), rs2 = source(g);
    emit(g, rv_r(MAJOR_OP, ops[i].funct3, ops[i].funct7, rd, rs1, rs2));
}

static void immediate_operation(struct generator *g) {
    static const uint8_t wide[] = { 0, 2, 3, 4, 6, 7 };
    static const struct { uint8_t funct3, funct7; } shifts[] = { { 1, 0x00 }, { 5, 0x00 }, { 5, 0x20 }, { 5, 0x30 } };
    static const struct {
        uint8_t funct3;
        uint16_t imm;
    } unary[] = { { 1, 0x600 }, { 1, 0x601 }, { 1, 0x602 }, { 1, 0x604 },
                  { 1, 0x605 }, { 5, 0x287 }, { 5, 0x698 }, { 5, 0x687 } };
    unsigned rd = destination(g), rs1 = source(g), i;
    switch (below(g, 4)) {
    case 0:
        i = below(g, 4);
        emit(g, rv_r(MAJOR_OP_IMM, shifts[i].funct3, shifts[i].funct7, rd, rs1, below(g, 32)));
        break;
    case 1:
        i = below(g, sizeof unary / sizeof *unary);
        emit(g, rv_i(MAJOR_OP_IMM, unary[i].funct3, rd, rs1, unary[i].imm));
        break;
    default:
        i = below(g, sizeof wide);
        emit(g, rv_i(MAJOR_OP_IMM, wide[i], rd, rs1, (int32_t)below(g, 4096)));
        break;
    }
}

static void upper_immediate(struct generator *g) {
    unsigned opcode = below(g, 2) ? MAJOR_LUI : MAJOR_AUIPC, rd = destination(g);
    emit(g, rv_u(opcode, rd, next(g)));
}

/* A load or store of any size at base + offset, the offset aligned to its size within [low, high). */
static void access_memory(struct generator *g, unsigned base, int32_t low, int32_t high) {
    static const uint8_t log2_size[] = { 0, 1, 2, 0, 0, 1 }; /* by funct3 of loads; 3 is no load */
    unsigned funct3 = below(g, 6);
    if (funct3 == 3)
        funct3 = 2;
    bool store = below(g, 2);
    if (store)
        funct3 &= 3;
    int32_t unit = 1 << log2_size[funct3];
    int32_t offset = low + (int32_t)below(g, (unsigned)((high - low) / unit)) * unit;
    bool is_float = funct3 == 2 && below(g, 4) == 0;
    if (store)
        emit(g, rv_s(is_float ? MAJOR_STORE_FP : MAJOR_STORE, funct3, source(g), base, offset));
    else if (is_float)
        emit(g, rv_i(MAJOR_LOAD_FP, funct3, source(g), base, offset));
    else
        emit(g, rv_i(MAJOR_LOAD, funct3, destination(g), base, offset));
}

/* base + (some register & mask): the address depends on data, the access stays inside. */
static void access_indexed(struct generator *g) {
    unsigned index = temporary(g);
    bool local = below(g, 2);
    emit(g, rv_andi(index, source(g), local ? 0x38 : 0x1F8));
    emit(g, rv_add(index, index, local ? LOCAL : DATA));
    access_memory(g, index, 0, 8);
}

static void atomic(struct generator *g) {
    static const uint8_t funct5[] = { 0x00, 0x01, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C };
    unsigned address = temporary(g);
    emit(g, rv_addi(address, DATA, (int32_t)below(g, AREA_MEMORY_SIZE / 4) * 4));
    unsigned funct7 = (unsigned)funct5[below(g, sizeof funct5)] << 2;
    funct7 |= below(g, 4); /* aq and rl */
    unsigned rd = destination(g), rs2 = source(g);
    emit(g, rv_r(MAJOR_AMO, 2, funct7, rd, address, rs2));
}

static void float_operation(struct generator *g) {
    enum { DYNAMIC = 7 };
    static const uint8_t fused[] = { 0x43, 0x47, 0x4B, 0x4F };
    unsigned a = source(g), b = source(g), c = source(g), d = source(g), integer = destination(g);
    switch (below(g, 9)) {
    case 0:
    case 1: emit(g, c << 27 | rv_r(fused[below(g, 4)], DYNAMIC, 0, d, a, b)); break;
    case 2:
    case 3: emit(g, rv_r(MAJOR_OP_FP, DYNAMIC, 0x04 * below(g, 3), d, a, b)); break; /* add, sub, mul */
    case 4: emit(g, rv_r(MAJOR_OP_FP, below(g, 3), 0x10, d, a, b)); break;           /* sign injection */
    case 5: emit(g, rv_r(MAJOR_OP_FP, below(g, 2), 0x14, d, a, b)); break;           /* min, max */
    case 6: emit(g, rv_r(MAJOR_OP_FP, below(g, 3), 0x50, integer, a, b)); break;     /* comparisons */
    case 7: /* to integer registers: convert, move, classify */
        switch (below(g, 3)) {
        case 0: emit(g, rv_r(MAJOR_OP_FP, DYNAMIC, 0x60, integer, a, below(g, 2))); break;
        case 1: emit(g, rv_r(MAJOR_OP_FP, 0, 0x70, integer, a, 0)); break;
        default: emit(g, rv_r(MAJOR_OP_FP, 1, 0x70, integer, a, 0)); break;
        }
        break;
    default: /* from integer registers */
        if (below(g, 2))
            emit(g, rv_r(MAJOR_OP_FP, DYNAMIC, 0x68, d, a, below(g, 2)));
        else
            emit(g, rv_r(MAJOR_OP_FP, 0, 0x78, d, a, 0));
        break;
    }
}

/* ---- Control flow: blocks inside blocks ------------------------------------------------------------ */

static void block(struct generator *g, unsigned items);

static int32_t distance(const struct generator *g, unsigned from) { /* bytes from a word to the next one emitted */
    return 4 * (int32_t)(g->out->count - from);
}

/* A conditional or computed jump over some items. */
static void skip(struct generator *g) {
    static const uint8_t conditions[] = { 0, 1, 4, 5, 6, 7 };
    unsigned rs1 = source(g), rs2 = source(g), condition = conditions[below(g, 6)], via = temporary(g);
    bool computed = below(g, 8) == 0;
    unsigned at = g->out->count;
    emit(g, RV_NOP);
    if (computed)
        emit(g, RV_NOP);
    block(g, 1 + below(g, 5));
    if (computed) {
        g->out->word[at] = rv_u(MAJOR_AUIPC, via, 0);
        g->out->word[at + 1] = rv_jalr(0, via, distance(g, at));
    } else {
        g->out->word[at] = rv_b(condition, rs1, rs2, distance(g, at));
    }
}

static void loop(struct generator *g) {
    unsigned counter = COUNTER + 1 - g->loops;
    emit(g, rv_addi(counter, 0, 1 + (int32_t)below(g, 5)));
    unsigned top = g->out->count;
    g->loops++;
    block(g, 2 + below(g, 10));
    g->loops--;
    emit(g, rv_addi(counter, counter, -1));
    emit(g, rv_bne(counter, 0, -distance(g, top)));
}

/* A function beside the road: jal or auipc and jalr to it, and a jump around it. */
static void call(struct generator *g) {
    bool computed = below(g, 2);
    unsigned via = temporary(g), at = g->out->count;
    emit(g, RV_NOP);
    emit(g, RV_NOP);
    unsigned around = g->out->count;
    emit(g, RV_NOP);
    if (computed) {
        g->out->word[at] = rv_u(MAJOR_AUIPC, via, 0);
        g->out->word[at + 1] = rv_jalr(LINK, via, 12);
    } else {
        g->out->word[at + 1] = rv_jal(LINK, 8);
    }
    g->in_call = true;
    block(g, 2 + below(g, 8));
    g->in_call = false;
    emit(g, rv_jalr(0, LINK, 0));
    g->out->word[around] = rv_jal(0, distance(g, around));
}

static void item(struct generator *g) {
    enum { DEEPEST = 4 };
    unsigned dice = below(g, g->depth < DEEPEST ? 100 : 92); /* the last eight make blocks */
    if (dice < 30)
        register_operation(g);
    else if (dice < 50)
        immediate_operation(g);
    else if (dice < 54)
        upper_immediate(g);
    else if (dice < 64)
        access_memory(g, DATA, 0, AREA_MEMORY_SIZE);
    else if (dice < 70)
        access_memory(g, LOCAL, -LOCAL_HALF, LOCAL_HALF);
    else if (dice < 74)
        access_indexed(g);
    else if (dice < 78)
        atomic(g);
    else if (dice < 92)
        float_operation(g);
    else if (dice < 96)
        skip(g);
    else if (dice < 98 && g->loops < 2)
        loop(g);
    else if (dice < 99 && !g->in_call)
        call(g);
    else
        emit(g, 0x0FF0000F); /* fence */
}

static void block(struct generator *g, unsigned items) {
    g->depth++;
    while (items--)
        item(g);
    g->depth--;
}

/* ---- The whole ------------------------------------------------------------------------------------- */

/* Copies the local memory window from or to an area of L1, with x5..x8. */
static void copy_local(struct generator *g, int32_t area, bool to_local) {
    emit(g, rv_addi(5, 0, AREA_LOCAL_SIZE / 4));
    emit(g, rv_addi(6, to_local ? DATA : LOCAL, to_local ? area : -LOCAL_HALF));
    emit(g, rv_addi(7, to_local ? LOCAL : DATA, to_local ? -LOCAL_HALF : area));
    emit(g, rv_lw(8, 0, 6));
    emit(g, rv_sw(8, 0, 7));
    emit(g, rv_addi(6, 6, 4));
    emit(g, rv_addi(7, 7, 4));
    emit(g, rv_addi(5, 5, -1));
    emit(g, rv_bne(5, 0, -20));
}

static void prologue(struct generator *g) {
    emit(g, rv_lui(DATA, g->program->address));
    emit(g, rv_lui(LOCAL, 0xFFB00000));
    emit(g, rv_addi(LOCAL, LOCAL, LOCAL_HALF));
    copy_local(g, AREA_MEMORY, true);
    for (unsigned reg = 0; reg < 32; reg++)
        emit(g, rv_i(MAJOR_LOAD_FP, 2, reg, DATA, (int32_t)(AREA_START + 128 + reg * 4)));
    for (unsigned reg = 1; reg < 32; reg++)
        if (reg != LOCAL && reg != DATA)
            emit(g, rv_lw(reg, (int32_t)(AREA_START + reg * 4), DATA));
}

static void epilogue(struct generator *g) {
    for (unsigned reg = 0; reg < 32; reg++) {
        emit(g, rv_sw(reg, (int32_t)(AREA_END + reg * 4), DATA));
        emit(g, rv_s(MAJOR_STORE_FP, 2, reg, DATA, (int32_t)(AREA_END + 128 + reg * 4)));
    }
    copy_local(g, AREA_LOCAL, false);
    emit(g, rv_lui(5, rv_high(GENERATED_DONE)));
    emit(g, rv_addi(5, 5, rv_low(GENERATED_DONE)));
    emit(g, rv_sw(5, AREA_DONE, DATA));
    emit(g, rv_jal(0, 0));
}

static void generate(struct generated *program, uint64_t seed) {
    struct generator g = {
        .program = program, .out = &program->part[0], .state = seed * UINT64_C(0xD1342543DE82EF95) + 1, .frame = true
    };
    memset(program, 0, sizeof *program);
    program->seed = seed;
    program->parts = 1;
    g.out->core = (unsigned)(seed % DEVICE_CORES);
    program->address = 0x20000 + g.out->core * 0x1000;
    program->data_words = AREA_START / 4 + 64;
    for (unsigned i = 0; i < AREA_START / 4 + 64; i++)
        program->data[i] = i < AREA_START / 4 + 32 ? draw_integer(&g.state) : interesting_float(&g);
    prologue(&g);
    g.frame = false;
    unsigned body = g.out->count, length = 150 + below(&g, 250);
    while (g.out->count - body < length)
        item(&g);
    g.frame = true;
    epilogue(&g);
}

static bool is_clue(unsigned index) { /* registers rather than memory */
    return index >= AREA_END / 4 && index < AREA_DONE / 4;
}
static bool is_compared(unsigned index) { /* the initial values stay unchanged */
    return index < AREA_START / 4 || is_clue(index);
}

static void name(const struct generated *program, unsigned index, char *text, unsigned size) {
    unsigned offset = index * 4;
    if (offset >= AREA_LOCAL)
        snprintf(text, size, "local 0x%X", 0xFFB00000u + offset - AREA_LOCAL);
    else if (offset >= AREA_END + 128)
        snprintf(text, size, "f%u", (offset - AREA_END - 128) / 4);
    else if (offset >= AREA_END)
        snprintf(text, size, "x%u", (offset - AREA_END) / 4);
    else
        snprintf(text, size, "L1 0x%X", program->address + offset);
}

static void print_start(const struct generated *program) {
    for (unsigned i = 0; i < 64; i++)
        printf("%s%c%-2u %08x", i % 8 ? "  " : "\n    ", i < 32 ? 'x' : 'f', i % 32, program->data[AREA_START / 4 + i]);
    printf("\n");
}

const struct generated_kind generated_riscv = {
    .generate = generate,
    .per_tile = DEVICE_CORES, /* consecutive seeds are for different cores */
    .area_words = AREA_SIZE / 4,
    .done_word = AREA_DONE / 4,
    .is_compared = is_compared,
    .is_clue = is_clue,
    .name = name,
    .print_start = print_start,
};
