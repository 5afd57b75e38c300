/* The instructions that programs for the Matrix Unit are made of. */
#ifndef CONFORMANCE_MATRIX_ITEMS_H
#define CONFORMANCE_MATRIX_ITEMS_H

#include "matrix_stream.h"

enum { MATRIX_MODES = ADDRESS_MODES - 1 }; /* address modes that items use; the last one is the frame's */

/* An item: one instruction that moves or computes something, with others that make it one that the oracle takes. */
void matrix_draw_item(struct matrix_stream *s);

#endif
