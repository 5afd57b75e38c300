/* How many elements of Dst, SrcA or SrcB have been computed, by opcode, format, width of Dst and fidelity phase. */
#ifndef CONFORMANCE_MATRIX_TALLY_H
#define CONFORMANCE_MATRIX_TALLY_H

#include "matrix_stream.h"

void matrix_count(const struct matrix_stream *s, uint32_t word, unsigned elements);
void matrix_count_program(void);
void matrix_report(void);

#endif
