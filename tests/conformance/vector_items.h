/* The items that programs for the Vector Unit are made of. */
#ifndef CONFORMANCE_VECTOR_ITEMS_H
#define CONFORMANCE_VECTOR_ITEMS_H

#include "vector_stream.h"

/* Programmable constants, the same for a whole program: bits of a float to keep, and three things to put in place of
 * the others. */
enum { KEEP = 11, FILL = 12, FILLS = 3 };

/* A bit pattern that is likely to show an error: a float, an integer, anything. */
uint32_t vector_pattern(struct vector_stream *s);
/* A work LReg that can be written. */
unsigned vector_free_lreg(struct vector_stream *s);

/* New values for a work LReg, different in most lanes. */
void vector_refresh(struct vector_stream *s, unsigned lreg);
/* One instruction that computes something, and its result to the sum. */
void vector_compute(struct vector_stream *s);
/* An instruction that sets lane flags from what is in LRegs. */
void vector_condition(struct vector_stream *s);
/* A few instructions that belong together: what is lost in a product, tables, transposition, sorting, Dst, templates.
 */
void vector_special(struct vector_stream *s);

#endif
