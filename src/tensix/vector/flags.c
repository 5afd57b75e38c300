/* Predication. */
#include "tensix/tensix.h"

void vector_SFPENCC(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPPUSHC(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPPOPC(struct vector_turn *turn) {
    (void)turn;
}

void vector_SFPCOMPC(struct vector_turn *turn) {
    (void)turn;
}
