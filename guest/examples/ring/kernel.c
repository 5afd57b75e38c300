/* Sends a letter round all 140 tiles. Every BRISC waits for the letter, adds its own coordinates, and writes it to the
 * next tile's L1; then it increments that tile's semaphore. The increment cannot overtake the letter. */
#include "kit/noc.h"

struct letter {
    uint32_t tiles, sum_x, sum_y;
    uint32_t padding;
};

/* Addresses, the same in every tile. */
enum { LETTER = 0x20000, SEMAPHORE = 0x20010 };

GUEST_L1 char message[96];

/* Returns the next tile: row after row, then from the top again. Tensix tiles have x in 1..7 and 10..16, y in 2..11. */
static uint32_t next_tile(uint32_t x, uint32_t y) {
    if (x == 16)
        return noc_tile(1, y == 11 ? 2 : y + 1);
    return noc_tile(x == 7 ? 10 : x + 1, y);
}

static void send(volatile struct letter *letter) {
    letter->tiles++;
    letter->sum_x += my_x();
    letter->sum_y += my_y();
    uint32_t next = next_tile(my_x(), my_y());
    noc_stores_done(LETTER);
    noc_write(next, LETTER, LETTER, sizeof *letter);
    noc_increment(next, SEMAPHORE, 1);
}

static void report(const volatile struct letter *letter) {
    char *at = put_number(put_text(message, "the letter came back from "), letter->tiles);
    at = put_number(put_text(at, " tiles, sum of x "), letter->sum_x);
    at = put_number(put_text(at, ", sum of y "), letter->sum_y);
    put_text(at, "\n");
}

int brisc(void) {
    volatile struct letter *letter = (volatile struct letter *)LETTER;
    int is_first = my_x() == 1 && my_y() == 2;
    noc_init();
    if (is_first)
        send(letter);
    wait_for((volatile uint32_t *)SEMAPHORE, 1);
    if (is_first)
        report(letter);
    else
        send(letter);
    noc_writes_done();
    noc_atomics_done();
    return 0;
}
