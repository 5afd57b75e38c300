/* The exchange of packets between tiles, and the tiles that the chip serves.
 *
 * Live Tensix and Ethernet tiles run by themselves, in epochs, and keep the packets that they send until the end of an
 * epoch (tile/transit.h). Then the chip, on one host thread, hands the packets to their receivers. All other tiles are
 * memory and registers without time of their own: the chip serves requests to them in the order of arrival.
 *
 * If an epoch has at most NOC_LATENCY_MIN cycles, a packet that is sent in it arrives after the end of the epoch, so
 * every receiver has all of its packets before it needs the first. In a longer epoch a packet may be late: it arrives
 * at the end of the epoch at the earliest.
 */
#ifndef CHIP_EXCHANGE_H
#define CHIP_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/channel.h"
#include "chip/departures.h"
#include "chip/links.h"
#include "chip/topology.h"
#include "dram/dram.h"
#include "noc/route.h"
#include "tile/deliver.h"

struct bh_chip;

/* A tile that the chip serves. */
struct served_tile {
    struct bh_chip *chip;
    unsigned site;
};

/* Indices of packet pools: the pool of the chip, then those of the host threads. */
enum { EXCHANGE_POOL, EXCHANGE_THREAD_POOL, EXCHANGE_POOLS = EXCHANGE_THREAD_POOL + BH_THREADS_MAX };

struct exchange {
    /* Configuration */
    struct noc_grid grid;
    uint8_t live_tile[NOC_SITES]; /* number of the tile that runs at this site; NOC_NOWHERE: a served tile */
    uint8_t tile_site[TOPOLOGY_TILES];

    /* Saved state */
    struct mail mail;                   /* mail of all served tiles */
    struct packet_pool pool;            /* packets of served tiles and of the chip */
    struct noc_link link[NOC_SITES][2]; /* links of served tiles, by site and NoC */
    struct noc_link tile_link[TOPOLOGY_TILES][2];
    struct departures leaving; /* packets that wait in their NIUs */
    uint64_t left_until;       /* time of the last exchange: packets that are not in `leaving` left before it */
    struct links links;
    struct links_paths paths; /* derived */
    struct channel channel[DRAM_BANKS];
    struct channel host_channel[2]; /* writes, reads */
    uint32_t next_held;             /* number of the tile whose multicasts are executed next (loose.h) */

    /* Derived: orphan faults that have not been passed to on_fault */
    struct bh_fault *orphan;
    uint32_t orphan_count, orphan_room;
    /* Derived: warnings that have not been passed to on_warning */
    struct bh_fault *warning;
    uint32_t warning_count, warning_room;

    /* Wiring */
    struct packet_pool *pools[EXCHANGE_POOLS];
};

/* Initialises the exchange, once. Precondition: the topology is set. */
void exchange_init(struct bh_chip *chip);
/* Sets the power-on state: no packet is in flight. Precondition: tiles have their storage and are not initialised
 * yet. */
void exchange_reset(struct bh_chip *chip);
/* Wires the packet pools of the existing host threads. */
void exchange_wire_pools(struct bh_chip *chip);
/* Sets up the mail of a tile, and its links. Called when the tile is initialised. */
void exchange_join(struct bh_chip *chip, unsigned index);
/* Frees the memory of packets. Precondition: tiles still have their storage. */
void exchange_free(struct bh_chip *chip);

/* Hands all sent packets to their receivers, and serves the requests that arrived before chip time. */
void exchange(struct bh_chip *chip);
/* Passes the kept warnings to on_warning. */
void exchange_warn(struct bh_chip *chip);
/* Serves the requests that arrived before chip time, without handing out packets. */
void exchange_serve(struct bh_chip *chip);

/* Return the NIUs of a tile of any kind, and the endpoint of a served tile. */
struct niu *exchange_niu(struct bh_chip *chip, unsigned site);
struct endpoint exchange_endpoint(struct served_tile *at);
/* Raises the faults in a mail: stops the cores that made the requests, keeps orphan faults for on_fault, and keeps
 * warnings for exchange_warn. */
void exchange_raise(struct bh_chip *chip, struct mail *mail);

/* Copies the bytes of all packets that refer to this bank of DRAM (loans), because the bank is about to be written. */
void exchange_copy_loans(struct bh_chip *chip, unsigned bank);
/* Returns the time of the next arrival at a served tile, or of the next packet that leaves; UINT64_MAX if there is
 * none. */
static inline uint64_t exchange_due(const struct exchange *exchange) {
    uint64_t served = inbox_due(&exchange->mail.inbox), leaving = departures_due(&exchange->leaving);
    return served < leaving ? served : leaving;
}

#endif
