/* Routines for the Vector Unit (vector_tile.c), in two libraries (compare.c). */
#include "compare.h"

int main(int argc, char **argv) {
    return compare_main(&generated_kernels, argc, argv);
}
