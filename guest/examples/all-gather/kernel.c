/* Collects the parts of 32 chips on all of them (ring all-gather), over the cables of a Galaxy.
 *
 * Each chip has one part. In each of 31 steps every chip sends the part that arrived last to the next chip of the ring,
 * its own first, and takes one from the previous chip. A worker sends and receives; routers at both of its cables pass
 * the parts on (router.h). A chip can be up to 31 parts ahead of the next, so that each part has its own slot. */
#define ROUTE_SLOTS 31
#define ROUTE_SLOT  0x200
#include "../router.h"

enum { CHIPS = 32, WORDS = 96, PART = WORDS * 4 + 16, WHO = 0x20000, PARTS = 0x60000 };

GUEST_L1 char message[96];

/* Written by the host: the position in the ring, and the Ethernet tile that leads to the next chip. */
struct place {
    uint32_t rank, eth_x, eth_y;
};

/* Returns the part that belongs to a chip. */
static volatile uint32_t *part(uint32_t rank) {
    return (volatile uint32_t *)(PARTS + rank % CHIPS * PART);
}

static uint32_t value_of(uint32_t rank, uint32_t i) {
    return rank * 0x01000193 + i * 0x9E3779B9 + 1;
}

static uint32_t count_right(void) {
    uint32_t right = 0;
    for (uint32_t rank = 0; rank < CHIPS; rank++)
        for (uint32_t i = 0; i < WORDS; i++)
            right += part(rank)[i] == value_of(rank, i);
    return right;
}

/* Sends a part, which is followed by the number of its packet. */
static void send(const struct place *place, uint32_t step, uint32_t rank) {
    uint32_t at = (uint32_t)(uintptr_t)part(rank);
    *route_number(at, PART) = step;
    noc_stores_done(at);
    noc_write(noc_tile(place->eth_x, place->eth_y), route_slot(ROUTE_OUT, step), at, PART);
}

static void receive(uint32_t step, uint32_t rank) {
    uint32_t slot = route_slot(ROUTE_WORKER, step);
    const volatile uint32_t *from = (const volatile uint32_t *)slot;
    while (!route_has(slot, PART, step))
        ;
    for (uint32_t i = 0; i < WORDS; i++)
        part(rank)[i] = from[i];
}

int brisc(void) {
    const struct place place = *(volatile struct place *)WHO;
    noc_init();
    for (uint32_t i = 0; i < WORDS; i++)
        part(place.rank)[i] = value_of(place.rank, i);
    for (uint32_t step = 1; step < CHIPS; step++) {
        uint32_t rank = place.rank + CHIPS + 1 - step; /* owner of the part to send */
        send(&place, step, rank);
        receive(step, rank - 1);
    }
    char *at = put_number(put_text(message, "place "), place.rank);
    at = put_number(put_text(at, ": "), count_right());
    put_number(put_text(at, " words are right of "), CHIPS * WORDS);
    noc_writes_done();
    return 0;
}

int erisc0(void) {
    route_all();
    return 0;
}
