/* What crosses the NoCs between tiles, and the tiles that are nothing but memory and registers.
 *
 * Tensix and Ethernet tiles that are alive run by themselves, in epochs, and keep what they send until the end of one
 * (tile/transit.h). Then the chip, on one thread, gives it to the receivers. All other tiles are endpoints: they have
 * no time of their own, and the chip does what is asked of them in the order in which it arrives.
 *
 * Nothing that is sent in an epoch of at most NOC_LATENCY_MIN cycles arrives before its end, so every receiver has all
 * of its packets before it needs the first. In longer epochs a packet may arrive at their end instead of at its time.
 */
#ifndef CHIP_EXCHANGE_H
#define CHIP_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/topology.h"
#include "noc/route.h"
#include "tile/deliver.h"

struct bh_chip;

/* An endpoint that a packet has arrived at. */
struct endpoint {
    struct bh_chip *chip;
    unsigned site;
};

/* Numbers of stores: that of the endpoints, then those of the host's threads. */
enum { EXCHANGE_STORE, EXCHANGE_THREAD_STORE, EXCHANGE_STORES = EXCHANGE_THREAD_STORE + BH_THREADS_MAX };

struct exchange {
    /* Configuration */
    struct noc_grid grid;
    uint8_t live_tile[NOC_SITES]; /* number of the tile that lives and runs there; NOC_NOWHERE: an endpoint */
    uint8_t tile_site[TOPOLOGY_TILES];

    /* Saved state */
    struct mail mail;                   /* of all endpoints */
    struct store store;                 /* of all endpoints, and of the chip */
    struct noc_link link[NOC_SITES][2]; /* of endpoints, */
    struct noc_link tile_link[TOPOLOGY_TILES][2];
    uint64_t busy[NOC_SITES][2]; /* of everybody: what senders know of the receivers' links (tile/noc.c) */
    uint32_t next_held;          /* the tile whose multicasts come next (loose.h) */

    /* Derived: faults of packets whose sender could not be stopped, and that on_fault has not heard of */
    struct bh_fault *loose;
    uint32_t loose_count, loose_room;
    /* Derived: warnings that on_warning has not heard of */
    struct bh_fault *warning;
    uint32_t warning_count, warning_room;

    /* Wiring */
    struct store *stores[EXCHANGE_STORES];
};

/* Once; the topology is there. */
void exchange_init(struct bh_chip *chip);
/* Power-on: nothing is on its way. Tiles have their storage, and are initialised after this. */
void exchange_reset(struct bh_chip *chip);
/* Wires the stores of the host threads that there are. */
void exchange_wire_stores(struct bh_chip *chip);
/* A tile that is being made takes part. */
void exchange_join(struct bh_chip *chip, unsigned index);
/* Frees what packets take. Tiles have their storage. */
void exchange_free(struct bh_chip *chip);

/* Gives everything that was sent to its receivers, and does what endpoints have been asked for before chip time. */
void exchange(struct bh_chip *chip);
/* Only the latter. */
void exchange_endpoints(struct bh_chip *chip);

/* The NIUs of any tile, and an endpoint as packets see it. */
struct niu *exchange_niu(struct bh_chip *chip, unsigned site);
struct place exchange_endpoint(struct endpoint *at);
/* Stops those who have asked for what could not be done, and keeps warnings. */
void exchange_raise(struct bh_chip *chip, struct mail *mail);

/* What is on its way on loan from this bank gets its own bytes. */
void exchange_copy_loans(struct bh_chip *chip, unsigned bank);
/* When the next one arrives at an endpoint; UINT64_MAX: none does. */
static inline uint64_t exchange_due(const struct exchange *exchange) {
    return inbox_due(&exchange->mail.inbox);
}

#endif
