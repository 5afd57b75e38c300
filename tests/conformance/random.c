/* Random programs for the baby cores (generate.c), in two libraries (compare.c). */
#include "compare.h"

int main(int argc, char **argv) {
    return compare_main(&generated_riscv, argc, argv);
}
