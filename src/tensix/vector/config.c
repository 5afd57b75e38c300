/* SFPCONFIG. */
#include "tensix/tensix.h"

void vector_SFPCONFIG(struct vector_turn *turn) {
    (void)turn;
}
