/* Counting elements by what the instruction, the formats and the counters were when it was made. */
#include "matrix_tally.h"

#include <stdio.h>

enum { FORMATS = 7, WIDTHS = 2, PHASES = 4 };

static const char *const names[256] = {
#define TENSIX_OP(opcode, name, ...) [opcode] = #name,
#include "isa/tensix.def"
};
static const char *const format_names[FORMATS] = { "bf16", "tf32", "tf32, bf16", "bf16, tf32", "fp16", "int8", "any" };
static uint64_t counts[64][FORMATS][WIDTHS][PHASES];
static unsigned programs;

enum { CLASS_BF16, CLASS_TF32, CLASS_FP16 = 4, CLASS_INT8, CLASS_ANY };

static unsigned class_of(unsigned format) {
    return format == FORMAT_TF32 ? CLASS_TF32 : CLASS_BF16;
}

/* Moves have the format of what is moved; to some instructions formats are all the same. */
static unsigned format_class(const struct matrix_stream *s, unsigned opcode) {
    unsigned a = class_of(matrix_format_of_a(s)), b = class_of(matrix_format_of_b(s));
    if (opcode == TENSIX_ZEROACC || opcode == TENSIX_MOVB2A || opcode == TENSIX_TRNSPSRCB)
        return CLASS_ANY;
    if (s->family != FAMILY_WIDE_EXPONENT)
        return s->family == FAMILY_FP16 ? CLASS_FP16 : CLASS_INT8;
    if (opcode == TENSIX_MOVA2D || opcode == TENSIX_MOVD2A)
        return a;
    if (opcode == TENSIX_MOVB2D || opcode == TENSIX_MOVD2B)
        return class_of(matrix_format_of_moved_b(s));
    return a == b ? a : a == CLASS_TF32 ? 2 : 3;
}

static bool has_phases(unsigned opcode) {
    return opcode == TENSIX_MVMUL || opcode == TENSIX_ELWMUL || opcode == TENSIX_GAPOOL;
}

void matrix_count(const struct matrix_stream *s, uint32_t word, unsigned elements) {
    unsigned opcode = word >> 24;
    unsigned phase = has_phases(opcode) ? s->fidelity : 0;
    counts[opcode][format_class(s, opcode)][s->wide][phase] += (uint64_t)elements * s->times;
}

void matrix_count_program(void) {
    programs++;
}

static uint64_t least = UINT64_MAX;

static void report_row(unsigned opcode, unsigned format, unsigned wide) {
    const uint64_t *count = counts[opcode][format][wide];
    if (!(count[0] | count[1] | count[2] | count[3]))
        return;
    printf("%-10s %-12s %4u", names[opcode], format_names[format], wide ? 32 : 16);
    for (unsigned phase = 0; phase < (has_phases(opcode) ? PHASES : 1); phase++) {
        printf(" %14llu", (unsigned long long)count[phase]);
        least = count[phase] < least ? count[phase] : least;
    }
    printf("\n");
}

void matrix_report(void) {
    printf("%-10s %-12s %4s %14s %14s %14s %14s\n", "", "SrcA, SrcB", "Dst", "elements", "phase 1", "2", "3");
    for (unsigned opcode = 0; opcode < 64; opcode++)
        for (unsigned format = 0; format < FORMATS; format++)
            for (unsigned wide = 0; wide < WIDTHS; wide++)
                report_row(opcode, format, wide);
    printf("%u programs, at least %llu elements each\n", programs, (unsigned long long)least);
}
