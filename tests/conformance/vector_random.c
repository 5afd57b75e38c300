/* Random programs for the Vector Unit (vector_generate.c), in two libraries (compare.c). */
#include "compare.h"

int main(int argc, char **argv) {
    return compare_main(&generated_vector, argc, argv);
}
