/* The simple sub-unit. */
#include "tensix/tensix.h"

void vector_SFPDIVP2(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPEXEXP(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPEXMAN(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPIADD(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSHFT(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPMOV(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPABS(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPAND(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPOR(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPNOT(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPLZ(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSETEXP(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSETMAN(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSETSGN(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPXOR(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPTRANSP(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPLE(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPGT(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSETCC(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPSWAP(struct vector_turn *turn) {
    (void)turn;
}
