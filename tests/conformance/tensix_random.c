/* Random programs for the coprocessor (tensix_generate.c), in two libraries (compare.c). */
#include "compare.h"

int main(int argc, char **argv) {
    return compare_main(&generated_tensix, argc, argv);
}
