/* Random programs for the Matrix Unit (matrix_generate.c), in two libraries (compare.c). */
#include "compare.h"

int main(int argc, char **argv) {
    return compare_main(&generated_matrix, argc, argv);
}
