/* The chip: all tiles, the memory behind them, chip time, and the epochs in which tiles run.
 *
 * Tiles exchange packets between epochs only, so inside an epoch they run in any order and on any host thread with the
 * same result. Cost follows activity: only awake tiles are visited, and if no tile is awake, time jumps. */
#ifndef CHIP_CHIP_H
#define CHIP_CHIP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "chip/arc.h"
#include "chip/exchange.h"
#include "chip/pcie.h"
#include "chip/topology.h"
#include "dram/dram.h"
#include "noc/niu.h"
#include "tile/eth_port.h"
#include "tile/tile.h"

enum {
    /* Cycles of an epoch, all powers of two. The short epoch is below the latency of the shortest route. The long epoch
     * is for times without packets (run.c): with 700 awake cores, each visit of a tile has to load it into the host's
     * caches again. */
    CHIP_SHORT_EPOCH = 16,
    CHIP_LOOSE_EPOCH = 64, /* the shortest epoch with loose timing */
    CHIP_EPOCH = BH_EPOCH_MAX,
    CHIP_AWAKE_WORDS = (TOPOLOGY_TILES + 63) / 64,
    CHIP_MESSAGE_SIZE = 320,
    CHIP_SEVERAL = TOPOLOGY_TILES,                      /* value of only_tile: more than one tile */
    CHIP_SMALL_TILES = TOPOLOGY_SITES - TOPOLOGY_TILES, /* number of tiles without cores */
};

struct pool;

struct bh_chip {
    /* Hot: the fields that bh_run reads first */
    uint64_t time;                    /* AICLK cycles since reset */
    bool idle;                        /* no tile is awake and every fault is reported: time can jump */
    bool unsettled;                   /* the host has written a register since the last epoch; never set if idle */
    bool commanded;                   /* the same for RISC_DBG_CNTL_0 */
    bool is_member;                   /* only the system moves the chip's time (member.h) */
    uint64_t awake[CHIP_AWAKE_WORDS]; /* bit by tile number (topology_tile): the tile has something to do */
    atomic_bool fault_pending;        /* fresh_faults of some tile is not zero */
    atomic_bool is_broken;            /* a check has failed in some tile or in the chip: nothing runs any more */
    bool in_epoch;                    /* tiles are running, perhaps on several host threads */
    bool open_ended_epoch;            /* the epoch ends when the only tile sends */
    uint8_t only_tile;    /* the only tile with something to do before the end of the epoch; TOPOLOGY_NONE: no tile;
                           * CHIP_SEVERAL: more than one */
    uint64_t epoch_end;   /* chip time of the next exchange; in the past: now */
    uint64_t run_end;     /* end of this run */
    uint64_t quiet_since; /* last time at which a packet was in flight, or every agent was asleep */
    uint8_t running_cores[TOPOLOGY_TILES]; /* mask of the awake cores of an awake tile, as far as known */
    uint64_t due[TOPOLOGY_TILES];          /* earliest cycle in which an awake tile has something to do */
    const void *coming[TOPOLOGY_TILES];    /* first packet in flight to a tile, as far as known */
    uint64_t queued[CHIP_AWAKE_WORDS];     /* bit by tile: the tile's mail has something for the exchange */
    uint64_t waiting[CHIP_AWAKE_WORDS];    /* bit by tile: packets are in flight to the tile */
    uint64_t held[CHIP_AWAKE_WORDS];       /* bit by tile: the tile waits for its multicasts (loose.h) */

    /* Configuration */
    struct bh_config config;
    struct topology topology;
    uint8_t small_index[TOPOLOGY_SITES]; /* index in small_niu by site; TOPOLOGY_NONE for tiles with cores */
    uint8_t pcie_small;                  /* index in small_niu of the PCIe tile that is connected to the host */

    /* Saved state, besides that of tiles and memories */
    struct pcie pcie;
    struct arc arc;
    struct niu small_niu[CHIP_SMALL_TILES][2];
    struct dram dram;
    struct exchange exchange;

    /* Derived: faults not yet passed to on_fault, by tile. Bit `core`, or bit BH_CORE_COUNT + thread */
    uint8_t fresh_faults[TOPOLOGY_TILES];
    bool made[TOPOLOGY_TILES];      /* the tile's memory has been initialised */
    bool touched[TOPOLOGY_TILES];   /* the tile has been written or has run: L1 may not be zero */
    uint8_t staged[TOPOLOGY_TILES]; /* cores with a local memory image to copy at bh_release */
    struct internal_error error;    /* failed checks outside tiles */
    char message[CHIP_MESSAGE_SIZE];
    bool muted;            /* accesses are made for a packet: refusals are faults of the guest and set no message */
    uint64_t arrival;      /* while muted: time of the packet */
    const char *refusal;   /* reason of the last refusal; a constant text */
    struct unread *unread; /* loaded tiles that have not been used yet (save.h), or NULL */

    /* Wiring: one lazily mapped arena holds all of these */
    uint8_t *arena;
    size_t arena_size;
    struct tile *tile[TOPOLOGY_TILES];               /* all zero until chip_made initialises it */
    uint8_t *stage[TOPOLOGY_TILES];                  /* CORE_LDM_MAX bytes for each core */
    struct packet_pool *packet_pool[BH_THREADS_MAX]; /* by host thread, the caller's first */
    struct hazard_search *hazards;                   /* NULL: no search for hazards */
    struct chip_vary *vary;                          /* NULL: nothing varies (vary.h) */
    struct debug *debug;                             /* NULL: not debugged (debug.c) */
    struct eth_port *eth_port[TOPOLOGY_ETH];         /* by channel; NULL: no cable */
    struct bh_fault *unreported;                     /* of a member: faults not yet passed to on_fault */
    uint32_t unreported_count, unreported_room;
    uint64_t host_changes;      /* counter of bh_host_changes */
    bool in_run;                /* inside bh_run */
    bool in_debug;              /* a debugger inspects the chip in the middle of bh_run */
    bool in_events;             /* events are being passed to on_event */
    struct observer *observers; /* one for each tile with cores, then one for all other tiles; NULL: no observation */
    void (*on_event)(void *user, const struct bh_event *event);
    void *event_user;
    unsigned threads;      /* host threads that may run tiles, including the caller's */
    struct pool *pool;     /* NULL while the caller's thread is the only one */
    unsigned short_epochs; /* count of epochs that were too short for host threads */
    double pace[2];        /* host nanoseconds per cycle of a tile in the last two timed epochs; 0: unknown */
};

/* Returns whether a packet is in flight. */
static inline bool exchange_in_flight(const struct bh_chip *chip) {
    uint64_t any = chip->exchange.mail.inbox.count | departures_count(&chip->exchange.leaving);
#pragma GCC unroll 4
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->waiting[i];
    return any != 0;
}

/* Returns whether a tile has multicasts that are not executed yet (loose.h). */
static inline bool chip_holds_any(const struct bh_chip *chip) {
    uint64_t any = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->held[i];
    return any;
}

/* Initialises a chip in place. Precondition: the chip is all zero. The caller must call chip_free, even after a
 * failure. */
bh_status chip_init(struct bh_chip *chip, const struct bh_config *config);
void chip_free(struct bh_chip *chip);
void chip_reset(struct bh_chip *chip);

/* Returns what the peer at the other end of an Ethernet cable learns about this channel (chip.c). */
struct eth_identity chip_eth_identity(const struct bh_chip *chip, unsigned channel);
/* Initialises a tile in its power-on state (chip.c). */
void chip_init_tile(struct bh_chip *chip, unsigned index);
/* Initialises a tile at its first use: in its power-on state, or in the state that a load has left for it (chip.c). */
void chip_make_tile(struct bh_chip *chip, unsigned index);

static inline bool chip_is_loose(const struct bh_chip *chip) {
    return chip->config.timing == BH_TIMING_LOOSE;
}

/* Returns the tile with this number, initialised. The chip may be const: a tile that was never used is in its power-on
 * state anyway. Precondition: no epoch is running. */
static inline struct tile *chip_made(const struct bh_chip *chip, unsigned index) {
    if (__builtin_expect(!chip->made[index], 0))
        chip_make_tile((struct bh_chip *)(uintptr_t)chip, index);
    return chip->tile[index];
}

/* Sets the message and returns the status. The chip may be const: messages are not state. */
bh_status chip_fail(const struct bh_chip *chip, bh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns BH_ERR_ARGUMENT, for a NULL chip or a NULL argument. what: name of the argument, for the message. */
bh_status chip_null(const struct bh_chip *chip, const char *what);

/* ---- Access to tiles (access.c) ----------------------------------------------------------- */

enum chip_op { CHIP_READ, CHIP_WRITE, CHIP_PEEK, CHIP_POKE };

static inline bool chip_op_writes(enum chip_op op) {
    return op == CHIP_WRITE || op == CHIP_POKE;
}

/* A request that arrives at a site over a NoC, or from the host. */
struct chip_request {
    enum chip_op op;
    uint8_t noc;
    uint64_t address;
    void *data; /* only read by CHIP_WRITE and CHIP_POKE */
    size_t size;
};

/* Makes an access at a site, by the kind of its tile (access.c). Sets the message if the access is refused. */
bh_status chip_access(struct bh_chip *chip, unsigned site, const struct chip_request *request);
/* Does what chip_access does, for a tile with cores. Precondition: the request has a size and does not wrap around the
 * end of the address space. */
bh_status chip_access_tile(struct bh_chip *chip, unsigned site, struct tile *tile, const struct chip_request *request);
/* Refuses a request because no tile is at its coordinate. */
bh_status chip_no_tile(const struct bh_chip *chip, struct bh_xy at, const struct chip_request *request);
/* Finds the site at a coordinate on the request's NoC. */
bh_status chip_find(const struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, unsigned *site);
/* Finds the site at a coordinate on the request's NoC, and makes the access there. */
bh_status chip_access_at(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request);
/* Makes the access as a packet that the PCIe tile sends for the host: the NIUs at both ends count it (from_host.c). */
bh_status chip_unicast(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, bool posted);
/* The receivers of a multicast of the host. */
struct chip_area {
    struct bh_xy start, end;
    uint32_t exclude;   /* BRCST_EXCLUDE (noc/route.h) */
    unsigned receivers; /* their number as the window gives it; 0: not given */
};

/* Writes to every tile of the area that accepts multicasts, in packets that the NIUs count. */
bh_status chip_multicast(struct bh_chip *chip, const struct chip_area *area, const struct chip_request *request,
                         bool posted);
/* Accesses a word of the NIU of a tile without cores. */
bh_status chip_small_niu(struct bh_chip *chip, unsigned site, unsigned noc, const struct chip_request *request,
                         uint32_t offset);
/* Finds the live Tensix tile at a coordinate, for functions about the coprocessor. */
bh_status chip_tensix(const struct bh_chip *chip, struct bh_xy at, struct tile **tile);
/* Finds the live Tensix or Ethernet tile at a coordinate, for functions about cores. */
bh_status chip_tile(const struct bh_chip *chip, struct bh_xy at, struct tile **tile);
/* Finds the number of such a tile, and does not initialise it. */
bh_status chip_tile_number(const struct bh_chip *chip, struct bh_xy at, unsigned *index);

/* Brings a sleeping tile up to chip time, because results may still be landing in its registers. The chip may be const:
 * the guest cannot see the difference. */
void chip_catch_up(const struct bh_chip *chip, struct tile *tile);

/* Returns whether a tile waits for something that no agent can do any more, and fills in the fault. Precondition: no
 * tile is awake (report.c). */
bool chip_deadlock(const struct bh_chip *chip, struct bh_fault *fault);

/* Returns a hash of a packet in flight: its time, its request and its bytes (hash.c). */
uint64_t chip_hash_packet(const struct mail *mail, const struct arrival *arrival);

/* Passes recorded events to on_event (observe.c). Precondition: there are observers. */
void chip_report_events(struct bh_chip *chip);
/* Attaches the existing observers to tiles that have just been initialised. */
void chip_watch_again(struct bh_chip *chip);
void chip_free_observers(struct bh_chip *chip);
/* Attaches such tiles to the search for hazards (hazards.c). */
void chip_find_hazards_again(struct bh_chip *chip);
/* Tells the search that the chip has been loaded. */
void chip_hazards_loaded(struct bh_chip *chip);
void chip_free_hazards(struct bh_chip *chip);
/* Debugging (debug.c): attaches a tile; forgets what was reported about the previous state; frees the debugger's
 * memory. */
void chip_debug_tile(struct bh_chip *chip, unsigned index);
void chip_debug_again(struct bh_chip *chip);
void chip_free_debug(struct bh_chip *chip);
/* Reports the events of an epoch to the debugger, before any tile wakes. Precondition: the chip is debugged. */
void chip_debug_epoch(struct bh_chip *chip);
/* Tells the debugger that a core (bit `core`) or a thread (bit BH_CORE_COUNT + thread) has faulted. Precondition: the
 * chip is debugged. */
void chip_debug_fault(struct bh_chip *chip, unsigned tile, unsigned bit);
/* Report to the search for hazards: a multicast that leaves for these receivers, besides its sender; a packet that
 * reaches a served tile; bytes that the host writes there. Precondition: there is a search. */
void chip_hazards_multicast_left(struct bh_chip *chip, const struct transaction *transaction,
                                 struct noc_sites receivers);
void chip_hazards_arrived(struct bh_chip *chip, unsigned site, const struct transaction *transaction, uint64_t time);
void chip_hazards_written(struct bh_chip *chip, unsigned site, uint64_t address, size_t size);

/* Notes that the tile has something to do at this time, and marks it as awake. */
static inline void chip_wake(struct bh_chip *chip, unsigned index, uint64_t time) {
    uint64_t *word = &chip->awake[index / 64], bit = UINT64_C(1) << index % 64;
    if (!(*word & bit) || time < chip->due[index])
        chip->due[index] = time;
    *word |= bit;
    chip->touched[index] = true;
    chip->idle = false;
}
/* The state table of a chip (state.c). */
extern const struct state_table chip_state;
/* The functions that the chip provides to every tile (run.c). */
extern const struct tile_port chip_tile_port;

#endif
