/* Sorts and adds up the same table on the host: host FILE, which has the sorted numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    uint32_t table[] = { 31, 4, 15, 9, 26, 5, 35, 8, 97, 93, 23, 84, 62, 64, 33, 83 }, sorted[16], sum = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fread(sorted, sizeof sorted, 1, file) != 1)
        return 2;
    qsort(table, 16, sizeof *table, order);
    for (unsigned i = 0; i < 16; i++)
        sum += table[i];
    printf("the host has sum %u and %s order\n", sum, memcmp(table, sorted, sizeof table) ? "ANOTHER" : "the same");
    return memcmp(table, sorted, sizeof table) != 0;
}
