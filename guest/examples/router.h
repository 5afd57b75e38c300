/* A router for the core of an Ethernet tile: it passes packets of a worker to the other end of the cable, and packets
 * from there to the worker. A packet lies in a slot, and its last 16 bytes begin with its number, 1 for the first
 * packet. The router, and finally the worker, waits for that number. */
#ifndef ROUTER_H
#define ROUTER_H

#include "kit/eth.h"
#include "kit/noc.h"

/* Written by the host to L1 of the Ethernet tile: what the router has to do. */
struct route {
    uint32_t worker_x, worker_y; /* coordinates of the worker */
    uint32_t bytes;              /* bytes of a packet, a multiple of 16 */
    uint32_t out, in;            /* number of packets in each direction */
};
enum { ROUTE = 0x20000 };
#ifndef ROUTE_SLOTS /* number of slots, and bytes from one to the next */
#define ROUTE_SLOTS 8
#define ROUTE_SLOT  0x1100
#endif
/* Slots for packets of the worker, for packets from the cable, and in the worker's L1. */
enum { ROUTE_OUT = 0x30000, ROUTE_IN = 0x40000, ROUTE_WORKER = 0x50000 };

static inline uint32_t route_slot(uint32_t slots, uint32_t number) {
    return slots + (number - 1) % ROUTE_SLOTS * ROUTE_SLOT;
}

static inline volatile uint32_t *route_number(uint32_t slot, uint32_t bytes) {
    return (volatile uint32_t *)(uintptr_t)(slot + bytes - 16);
}

static inline int route_has(uint32_t slot, uint32_t bytes, uint32_t number) {
    return *route_number(slot, bytes) == number;
}

static inline void route_all(void) {
    const struct route route = *(volatile struct route *)ROUTE;
    uint32_t worker = noc_tile(route.worker_x, route.worker_y);
    noc_init();
    eth_init(0, ROUTE_SLOTS, 16384);
    for (uint32_t out = 1, in = 1; out <= route.out || in <= route.in;) {
        if (out <= route.out && route_has(route_slot(ROUTE_OUT, out), route.bytes, out)) {
            eth_send(0, route_slot(ROUTE_IN, out), route_slot(ROUTE_OUT, out), route.bytes);
            out++;
        }
        if (in <= route.in && route_has(route_slot(ROUTE_IN, in), route.bytes, in)) {
            noc_write(worker, route_slot(ROUTE_WORKER, in), route_slot(ROUTE_IN, in), route.bytes);
            in++;
        }
    }
    noc_writes_done();
}

#endif
