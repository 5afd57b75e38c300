/* A small computation: sorts the numbers of a table, and adds them up. */
#include "bhemu_guest.h"

#define COUNT 16

static uint32_t numbers[COUNT] = { 31, 4, 15, 9, 26, 5, 35, 8, 97, 93, 23, 84, 62, 64, 33, 83 }; /* in local memory */
GUEST_L1 uint32_t sorted[COUNT];
GUEST_L1 char report[64];

static void sort(uint32_t *n, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        uint32_t value = n[i];
        unsigned at = i;
        for (; at && n[at - 1] > value; at--)
            n[at] = n[at - 1];
        n[at] = value;
    }
}

int main(void) {
    uint64_t start = wall_clock();
    uint32_t sum = 0;
    sort(numbers, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        sorted[i] = numbers[i];
        sum += numbers[i];
    }
    uint32_t cycles = (uint32_t)(wall_clock() - start);
    char *at = put_number(put_text(report, "sum "), sum);
    at = put_number(put_text(at, ", sorted in "), cycles);
    put_text(at, " cycles\n");
    return (int)sum;
}
