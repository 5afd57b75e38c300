/* Counting elements by what the instruction, the formats and the counters were when it was made. */
#include "matrix_tally.h"

#include <stdio.h>

enum { FORMATS = 6, WIDTHS = 2, PHASES = 4 };

static const char *const names[256] = {
#define TENSIX_OP(opcode, name, ...) [opcode] = #name,
#include "isa/tensix.def"
};
static const char *const format_names[FORMATS] = { "bf16", "tf32", "tf32, bf16", "bf16, tf32", "fp16", "int8" };
static uint64_t counts[64][FORMATS][WIDTHS][PHASES];
static unsigned programs;

static unsigned format_class(const struct matrix_stream *s) {
    if (s->family != FAMILY_WIDE_EXPONENT)
        return s->family == FAMILY_FP16 ? 4 : 5;
    bool a = matrix_format_of_a(s) == FORMAT_TF32, b = matrix_format_of_b(s) == FORMAT_TF32;
    return a ? b ? 1 : 2 : b ? 3 : 0;
}

static bool has_phases(unsigned opcode) {
    return opcode == TENSIX_MVMUL || opcode == TENSIX_ELWMUL || opcode == TENSIX_GAPOOL;
}

void matrix_count(const struct matrix_stream *s, uint32_t word, unsigned elements) {
    unsigned opcode = word >> 24;
    counts[opcode][format_class(s)][s->wide][has_phases(opcode) ? s->fidelity : 0] += (uint64_t)elements * s->times;
}

void matrix_count_program(void) {
    programs++;
}

static void report_row(unsigned opcode, unsigned format, unsigned wide) {
    const uint64_t *count = counts[opcode][format][wide];
    if (!(count[0] | count[1] | count[2] | count[3]))
        return;
    printf("%-10s %-12s %4u", names[opcode], format_names[format], wide ? 32 : 16);
    for (unsigned phase = 0; phase < (has_phases(opcode) ? PHASES : 1); phase++)
        printf(" %14llu", (unsigned long long)count[phase]);
    printf("\n");
}

void matrix_report(void) {
    printf("%-10s %-12s %4s %14s %14s %14s %14s\n", "", "SrcA, SrcB", "Dst", "elements", "phase 1", "2", "3");
    for (unsigned opcode = 0; opcode < 64; opcode++)
        for (unsigned format = 0; format < FORMATS; format++)
            for (unsigned wide = 0; wide < WIDTHS; wide++)
                report_row(opcode, format, wide);
    printf("%u programs\n", programs);
}
