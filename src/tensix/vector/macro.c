/* SFPLOADMACRO. */
#include "tensix/tensix.h"

void vector_SFPLOADMACRO(struct vector_turn *turn) {
    (void)turn;
}
