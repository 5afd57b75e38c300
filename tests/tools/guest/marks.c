/* Marks a zone as tt-metal's kernel profiler does: a word with its number and the high part of the wall clock, and a
 * word with the low part. Also stores that look like a mark and are none. */
#include "bhemu_guest.h"

enum { ZONE = 0x1234, START = 0, END = 1, VALID = 1 << 31, EVENT = 4 };

GUEST_L1 volatile uint32_t buffer[16];

static void mark(unsigned index, uint32_t id, uint32_t type) {
    volatile const uint32_t *clock = (volatile const uint32_t *)0xFFB121F0;
    buffer[index] = (uint32_t)VALID | (id | type << 16) << 12 | (clock[1] & 0xFFF);
    buffer[index + 1] = clock[0];
}

int main(void) {
    mark(0, ZONE, START);
    for (volatile unsigned i = 0; i < 10; i++)
        ;
    mark(2, 0x77, EVENT);
    buffer[8] = (uint32_t)VALID | 0x5555u << 12;
    buffer[9] = 17;
    mark(4, ZONE, END);
    return 0;
}
