/* The MAD sub-unit. */
#include "tensix/tensix.h"

void vector_SFPMAD(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPADD(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPMUL(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPMULI(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPADDI(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPLUT(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPLUTFP32(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPMUL24(struct vector_turn *turn) {
    (void)turn;
}
