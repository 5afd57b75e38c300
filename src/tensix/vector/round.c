/* Conversions, the round sub-unit, approximations. */
#include "tensix/tensix.h"

void vector_SFP_STOCH_RND(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPCAST(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSHFT2(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPARECIP(struct vector_turn *turn) {
    (void)turn;
}
