/* Computes the sum of four vectors, one on each of four chips in a ring, on all of them (ring all-reduce).
 *
 * A vector has four parts. In each of three steps every chip sends a part to the next chip, and adds the part that
 * comes from the previous chip to its own; then one part of each chip is complete, and in three more steps the complete
 * parts go round the ring. A worker computes; routers at both of its cables pass the parts on (router.h). */
#include "../router.h"

enum { CHIPS = 4, WORDS = 240, PART = WORDS * 4 + 16, STEPS = 2 * (CHIPS - 1), WHO = 0x20000, VECTOR = 0x60000 };

GUEST_L1 char message[96];

/* Written by the host: the position in the ring, and the Ethernet tile that leads to the next chip. */
struct place {
    uint32_t rank, eth_x, eth_y;
};

static volatile uint32_t *part(uint32_t number) {
    return (volatile uint32_t *)(VECTOR + number % CHIPS * PART);
}

/* Sends a part, which is followed by the number of its packet. */
static void send(const struct place *place, uint32_t step, uint32_t number) {
    uint32_t at = (uint32_t)(uintptr_t)part(number);
    noc_writes_sent(); /* the previous packet has left, so that its number may change */
    *route_number(at, PART) = step;
    noc_stores_done(at);
    noc_write(noc_tile(place->eth_x, place->eth_y), route_slot(ROUTE_OUT, step), at, PART);
}

static void receive(uint32_t step, uint32_t number, int adds) {
    uint32_t slot = route_slot(ROUTE_WORKER, step);
    const volatile uint32_t *from = (const volatile uint32_t *)slot;
    volatile uint32_t *to = part(number);
    while (!route_has(slot, PART, step))
        ;
    for (uint32_t i = 0; i < WORDS; i++)
        to[i] = adds ? to[i] + from[i] : from[i];
}

static uint32_t value_of(uint32_t rank, uint32_t number, uint32_t i) {
    return (rank + 1) * 100000 + number * 1000 + i;
}

static uint32_t count_right(void) {
    uint32_t right = 0;
    for (uint32_t number = 0; number < CHIPS; number++)
        for (uint32_t i = 0; i < WORDS; i++) {
            uint32_t sum = 0;
            for (uint32_t rank = 0; rank < CHIPS; rank++)
                sum += value_of(rank, number, i);
            right += part(number)[i] == sum;
        }
    return right;
}

int brisc(void) {
    const struct place place = *(volatile struct place *)WHO;
    noc_init();
    for (uint32_t number = 0; number < CHIPS; number++)
        for (uint32_t i = 0; i < WORDS; i++)
            part(number)[i] = value_of(place.rank, number, i);
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint32_t number = place.rank + 2 * CHIPS + 1 - step; /* of the part to send */
        send(&place, step, number);
        receive(step, number - 1, step < CHIPS);
    }
    char *at = put_number(put_text(message, "chip with rank "), place.rank);
    at = put_number(put_text(at, ": "), count_right());
    put_number(put_text(at, " words are right of "), CHIPS * WORDS);
    noc_writes_done();
    return 0;
}

int erisc0(void) {
    route_all();
    return 0;
}
