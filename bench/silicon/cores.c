/* The RISC-V cores: pipeline, branches, instruction fetch.
 *
 * The measured kernels are riscvbench (TRISCs; the slope of cycles over instructions of a loop with an unrolled body)
 * and retirebench (BRISC; cycles of a zone between two reads of mcycle) of mesham/tt-sim. */
#include <string.h>

#include "guest.h"

enum { XORI = 4, BEQ = 0, BNE = 1 };

/* A loop body: `times` copies of some words. */
struct body {
    const char *name;
    unsigned counted; /* instructions, or groups of them, that a block counts for */
    unsigned times, length;
    uint32_t word[20];
};

static uint32_t multiply(unsigned rd, unsigned rs1, unsigned rs2) {
    return rv_r(MAJOR_OP, 0, 1, rd, rs1, rs2);
}
static uint32_t divide(unsigned rd, unsigned rs1, unsigned rs2) {
    enum { DIVU = 5 };
    return rv_r(MAJOR_OP, DIVU, 1, rd, rs1, rs2);
}
static uint32_t toggle(void) {
    return rv_i(MAJOR_OP_IMM, XORI, REG_T3, REG_T3, 1);
}

/* In retirebench x28 is the dividend; it is zero, and the toggle, otherwise. */
static bool find_body(const char *name, struct body *found) {
    enum { A = REG_A0, B = REG_A1, C = REG_A2, D = REG_A3, L1 = REG_A4, STACK = REG_A5, SINK = REG_T4 };
    const struct body bodies[] = {
        { "loop_overhead", 64, 0, 0, { 0 } },
        { "rv_addi_indep", 64, 16, 4, { rv_addi(A, A, 1), rv_addi(B, B, 1), rv_addi(C, C, 1), rv_addi(D, D, 1) } },
        { "rv_addi_dep", 64, 64, 1, { rv_addi(A, A, 1) } },
        { "rv_mul_indep",
          64,
          16,
          4,
          { multiply(A, A, C), multiply(B, B, C), multiply(SINK, SINK, C), multiply(D, D, C) } },
        { "rv_mul_dep", 64, 64, 1, { multiply(A, A, C) } },
        { "rv_div", 64, 64, 1, { divide(SINK, REG_T5, C) } },
        { "rv_load_chase", 64, 64, 1, { rv_lw(L1, 0, L1) } },
        { "rv_load_indep", 64, 16, 4, { rv_lw(A, 0, L1), rv_lw(B, 16, L1), rv_lw(C, 32, L1), rv_lw(D, 48, L1) } },
        { "rv_store_spread", 64, 16, 4, { rv_sw(A, 0, L1), rv_sw(A, 16, L1), rv_sw(A, 32, L1), rv_sw(A, 48, L1) } },
        { "rv_store_coalesce", 64, 16, 4, { rv_sw(A, 0, L1), rv_sw(A, 4, L1), rv_sw(A, 0, L1), rv_sw(A, 4, L1) } },
        { "rv_load_stack", 64, 64, 1, { rv_lw(STACK, 0, STACK) } },
        { "rv_store_stack", 64, 64, 1, { rv_sw(A, 0, STACK) } },
        { "c_ctrl_xor", 64, 64, 1, { toggle() } },
        { "c_nt", 64, 64, 1, { rv_b(BNE, A, A, 4) } },
        { "c_t", 64, 64, 1, { rv_b(BEQ, A, A, 4) } },
        { "c_xor_nt", 64, 64, 2, { toggle(), rv_b(BNE, A, A, 4) } },
        { "c_xor_t", 64, 64, 2, { toggle(), rv_b(BEQ, A, A, 4) } },
        { "c_xor_alt", 64, 64, 2, { toggle(), rv_b(BEQ, REG_T3, 0, 4) } },
        { "c_jal", 64, 64, 1, { rv_jal(0, 4) } },
        /* Of retirebench: */
        { "div", 16, 16, 1, { divide(SINK, REG_T5, C) } },
        { "load_ind",
          64,
          8,
          8,
          { rv_lw(A, 0, L1), rv_lw(B, 16, L1), rv_lw(C, 32, L1), rv_lw(D, 48, L1), rv_lw(A, 64, L1), rv_lw(B, 80, L1),
            rv_lw(C, 96, L1), rv_lw(D, 112, L1) } },
    };
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (!strcmp(bodies[i].name, name)) {
            *found = bodies[i];
            return true;
        }
    return false;
}

static void emit_body(struct guest_code *code, const struct body *body) {
    for (unsigned time = 0; time < body->times; time++)
        for (unsigned i = 0; i < body->length; i++)
            guest_emit(code, body->word[i]);
}

/* ---- TRISCs: the slope of a loop ------------------------------------------------------------------------------ */

static bool body_of(const struct silicon_point *point, struct body *body, struct silicon_error *error) {
    long words;
    if (!silicon_has(point, "words"))
        return find_body(point->name, body) || silicon_fail(point, error, "there is no such body");
    if (!silicon_number(point, "words", &words, error))
        return false;
    *body = (struct body){ point->name, (unsigned)words, (unsigned)words, 1, { rv_addi(REG_A0, REG_A0, 1) } };
    return true;
}

static void emit_block(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    struct body body;
    struct silicon_error error;
    (void)thread;
    if (body_of(point, &body, &error))
        emit_body(code, &body);
}

static void set_dividend(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    (void)thread;
    if (!strcmp(point->name, "rv_div"))
        guest_constant(code, REG_T5, 0x12345678);
}

static bool predict_slope(struct silicon_point *point, struct silicon_error *error) {
    struct body body;
    struct guest_probe probe = { .block = emit_block, .before = set_dividend };
    return body_of(point, &body, error) && guest_slope(&probe, point, body.counted, error);
}

/* ---- BRISC: zones between two reads of mcycle ------------------------------------------------------------------ */

static const struct zone {
    const char *name, *body;
    uint32_t dividend;
} zones[] = {
    { "marker_null", NULL, 0 },         { "alu_dep", "rv_addi_dep", 0 },
    { "alu_ind", "rv_addi_indep", 0 },  { "mul_dep", "rv_mul_dep", 0 },
    { "mul_ind", "rv_mul_indep", 0 },   { "div_small", "div", 0xFFF },
    { "div_large", "div", 0x12345678 }, { "load_dep", "rv_load_chase", 0 },
    { "load_ind", "load_ind", 0 },      { "store_spread", "rv_store_spread", 0 },
    { "branch_nt", "c_xor_nt", 0 },     { "branch_t", "c_xor_t", 0 },
};

/* The compiler of the measured program has put other instructions into some loops: as many as are missing to the number
 * that retired, but for what comes before the loop. */
static void emit_zone(struct guest_code *code, const struct zone *zone, const struct body *body, unsigned reps,
                      unsigned retired) {
    enum { MCYCLE = 0xB00, MINSTRET = 0xB02, EBREAK = 0x00100073 };
    guest_emit(code, RV_L0_OFF);
    guest_constant(code, REG_S1, GUEST_RESULTS(BH_BRISC));
    guest_constant(code, REG_A4, GUEST_SCRATCH(BH_BRISC));
    guest_emit(code, rv_sw(REG_A4, 0, REG_A4)); /* a chain of one */
    guest_constant(code, REG_T5, zone->dividend);
    guest_emit(code, rv_addi(REG_A2, 0, 3));
    guest_emit(code, guest_csrrs(REG_S3, MCYCLE, 0));
    guest_emit(code, guest_csrrs(0, MINSTRET, 0));
    if (zone->body) {
        guest_constant(code, REG_S2, reps);
        guest_emit(code, rv_addi(REG_T0, 0, 0));
        unsigned loop = code->count;
        emit_body(code, body);
        guest_repeat(code, RV_NOP, retired / reps - body->times * body->length - 2);
        guest_emit(code, rv_addi(REG_T0, REG_T0, 1));
        guest_emit(code, rv_bne(REG_T0, REG_S2, ((int32_t)loop - (int32_t)code->count) * 4));
    }
    guest_emit(code, guest_csrrs(0, MINSTRET, 0));
    guest_emit(code, guest_csrrs(REG_S4, MCYCLE, 0));
    guest_emit(code, rv_sub(REG_S4, REG_S4, REG_S3));
    guest_emit(code, rv_sw(REG_S4, 0, REG_S1));
    guest_emit(code, EBREAK);
}

static bool predict_zone(struct silicon_point *point, struct silicon_error *error) {
    static struct guest_code code;
    struct guest guest;
    struct body body = { 0 };
    const struct zone *zone = NULL;
    long reps, retired;
    for (unsigned i = 0; i < sizeof zones / sizeof *zones; i++)
        if (!strcmp(zones[i].name, point->name))
            zone = &zones[i];
    if (!zone || (zone->body && !find_body(zone->body, &body)))
        return silicon_fail(point, error, "there is no such zone");
    if (!silicon_number(point, "reps", &reps, error) || !silicon_number(point, "retired", &retired, error))
        return false;
    if (zone->body && (reps < 1 || retired / reps < body.times * body.length + 2))
        return silicon_fail(point, error, "more instructions than have retired");
    code.count = 0;
    emit_zone(&code, zone, &body, (unsigned)reps, (unsigned)retired);
    if (!guest_open(&guest))
        return silicon_fail(point, error, "there is no chip");
    bool done = guest_load(&guest, BH_BRISC, 0, &code) && guest_go(&guest, point, error);
    point->predicted = guest_word(&guest, GUEST_RESULTS(BH_BRISC));
    guest_close(&guest);
    return done;
}

static bool predict_pipeline(struct silicon_point *point, struct silicon_error *error) {
    return silicon_has(point, "reps") ? predict_zone(point, error) : predict_slope(point, error);
}

const struct silicon_class silicon_cores[] = {
    { "riscv pipeline",
      "Loops of whole-number instructions, loads and stores on one to three TRISCs, in cycles an instruction with the "
      "loop "
      "included; zones between two reads of mcycle on BRISC, in cycles.",
      0.01, 0.04, predict_pipeline },
    { "branches", "Loops of 64 branches or jumps to the next word, the same sites in each round, in cycles a branch.",
      0.01, 0.04, predict_slope },
    { "instruction fetch", "Loops of 64 to 2048 additions, in cycles an instruction.", 0.01, 0.04, predict_slope },
    { 0 },
};
