/* Ping between two chips: a worker on each, and a router at each end of the cable. A packet goes from the first worker
 * over the NoC to the Ethernet tile, over the cable, and over the other chip's NoC to the second worker, which sends it
 * back. */
#include "../router.h"

enum { PINGS = 50, PACKET = 0x60000, WHO = 0x20000 };

GUEST_L1 char message[96];

/* Written by the host: which end this is, the coordinates of the Ethernet tile, and the number of bytes of a packet. */
struct end {
    uint32_t first, eth_x, eth_y, bytes;
};

static void send(const struct end *end, uint32_t number) {
    noc_writes_sent(); /* the previous packet has left, so that its number may change */
    *route_number(PACKET, end->bytes) = number;
    noc_stores_done(PACKET);
    noc_write(noc_tile(end->eth_x, end->eth_y), route_slot(ROUTE_OUT, number), PACKET, end->bytes);
}

static void receive(const struct end *end, uint32_t number) {
    while (!route_has(route_slot(ROUTE_WORKER, number), end->bytes, number))
        ;
}

static void report(uint32_t bytes, uint32_t cycles) {
    char *at = put_number(put_text(message, "a packet of "), bytes);
    at = put_number(put_text(at, " bytes takes "), cycles);
    at = put_number(put_text(at, " cycles ("), cycles * 1000 / 1350);
    put_text(at, " ns) to the other chip\n");
}

int brisc(void) {
    const struct end end = *(volatile struct end *)WHO;
    noc_init();
    uint64_t start = wall_clock();
    for (uint32_t i = 1; i <= PINGS; i++) {
        if (end.first)
            send(&end, i);
        receive(&end, i);
        if (!end.first)
            send(&end, i);
    }
    if (end.first)
        report(end.bytes, (uint32_t)(wall_clock() - start) / (2 * PINGS));
    noc_writes_done();
    return 0;
}

int erisc0(void) {
    route_all();
    return 0;
}
