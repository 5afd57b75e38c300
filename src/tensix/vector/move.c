/* Between LRegs and Dst. */
#include "tensix/tensix.h"

void vector_SFPLOAD(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPLOADI(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSTORE(struct vector_turn *turn) {
    (void)turn;
}
