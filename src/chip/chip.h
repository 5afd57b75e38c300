/* The chip: all tiles, the memory behind them, chip time, and the epochs in which tiles run.
 *
 * Tiles meet only between epochs, so inside an epoch they run in any order and on any host thread with the same
 * result. Cost follows activity: only awake tiles are looked at, and with none awake time just jumps.
 */
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
#include "tile/tile.h"

enum {
    /* Cycles between two exchanges among tiles, all powers of two. The shorter one is below what the shortest way on a
     * NoC takes. With 700 cores awake each visit of a tile brings it into the host's caches anew: the longer one is for
     * times in which nobody sends anything (run.c). */
    CHIP_SHORT_EPOCH = 16,
    CHIP_LOOSE_EPOCH = 64, /* the shortest one if timing is loose */
    CHIP_EPOCH = BH_EPOCH_MAX,
    CHIP_AWAKE_WORDS = (TOPOLOGY_TILES + 63) / 64,
    CHIP_MESSAGE_SIZE = 320,
    CHIP_SEVERAL = TOPOLOGY_TILES,                      /* no tile has this number */
    CHIP_SMALL_TILES = TOPOLOGY_SITES - TOPOLOGY_TILES, /* every tile without cores */
};

struct pool;

struct bh_chip {
    /* Hot: what bh_run looks at first */
    uint64_t time;                         /* AICLK cycles since reset */
    bool idle;                             /* no tile is awake and no fault untold: time just jumps */
    bool unsettled;                        /* a register was written since the last epoch; never if idle */
    uint64_t awake[CHIP_AWAKE_WORDS];      /* bit: tile by number (topology_tile) has something to run */
    atomic_bool fault_pending;             /* some tile's entry in fresh_faults is set */
    atomic_bool is_broken;                 /* a check has failed, in some tile or in the chip: nothing runs any more */
    bool in_epoch;                         /* tiles are running, maybe on several threads */
    bool alone;                            /* the sole tile ends this epoch by itself, when it sends */
    uint8_t sole;                          /* the only one that has something to do before its end, or TOPOLOGY_NONE;
                                            * CHIP_SEVERAL: there are more */
    uint64_t epoch_end;                    /* chip time at which tiles meet next; in the past: now */
    uint64_t run_end;                      /* up to here, at most, this run goes */
    uint64_t quiet_since;                  /* when the last packet was on its way, or everybody asleep */
    uint8_t running_cores[TOPOLOGY_TILES]; /* a mask of those that are awake in an awake tile, as far as is known */
    uint64_t due[TOPOLOGY_TILES];          /* when an awake tile has something to do, at the earliest */
    const void *coming[TOPOLOGY_TILES];    /* the first packet on its way to a tile, as far as is known */
    uint64_t posted[CHIP_AWAKE_WORDS];     /* bit: the tile's mail has something for the exchange */
    uint64_t waiting[CHIP_AWAKE_WORDS];    /* bit: packets are on their way to the tile */
    uint64_t held[CHIP_AWAKE_WORDS];       /* bit: the tile waits for its multicasts (loose.h) */

    /* Configuration */
    struct bh_config config;
    struct topology topology;
    uint8_t small_index[TOPOLOGY_SITES]; /* site -> entry of small_niu; TOPOLOGY_NONE for tiles with cores */
    uint8_t pcie_small;                  /* entry of small_niu of the PCIe tile that has the host */

    /* Saved state, besides the tiles' and the memories' */
    struct pcie pcie;
    struct arc arc;
    struct niu small_niu[CHIP_SMALL_TILES][2];
    struct dram dram;
    struct exchange exchange;

    /* Derived: faults that on_fault has not heard of, by tile: bit core, or bit BH_CORE_COUNT + thread */
    uint8_t fresh_faults[TOPOLOGY_TILES];
    bool made[TOPOLOGY_TILES];      /* the tile's memory has been set up */
    bool touched[TOPOLOGY_TILES];   /* the tile has been written or has run: L1 may not be zero */
    uint8_t staged[TOPOLOGY_TILES]; /* cores with a local memory image to place at bh_release */
    struct internal_error error;    /* outside the tiles */
    char message[CHIP_MESSAGE_SIZE];
    bool muted;            /* packets make the accesses: refusals are the guest's, without a message */
    uint64_t arrival;      /* of the packet that does; while muted */
    const char *refusal;   /* why the last access was refused; a constant */
    struct unread *unread; /* tiles that have been loaded and that nobody has looked at yet (save.h); or NULL */

    /* Wiring: one lazily mapped arena has all of these */
    uint8_t *arena;
    size_t arena_size;
    struct tile *tile[TOPOLOGY_TILES]; /* all zero until it is made: chip_made */
    uint8_t *stage[TOPOLOGY_TILES];    /* CORE_LDM_MAX bytes a core */
    struct store
        *store[BH_THREADS_MAX]; /* of every host thread, the caller's first: packets of the tiles that it runs */
    struct observer *observers; /* one a tile with cores, then one for all other tiles; NULL: nobody watches */
    void (*on_event)(void *user, const struct bh_event *event);
    void *event_user;
    unsigned threads;      /* that may run tiles, the caller's included */
    struct pool *pool;     /* NULL as long as there are none besides the caller's */
    unsigned short_epochs; /* that were too short for threads, a count */
    double pace[2];        /* the nanoseconds that the host took for a cycle of a tile in two of them; 0: not known */
};

/* Is a packet on its way? */
static inline bool exchange_in_flight(const struct bh_chip *chip) {
    uint64_t any = chip->exchange.mail.inbox.count;
#pragma GCC unroll 4
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->waiting[i];
    return any != 0;
}

/* Has a tile multicasts that have not been carried out (loose.h)? */
static inline bool chip_holds_any(const struct bh_chip *chip) {
    uint64_t any = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->held[i];
    return any;
}

/* In place; the chip is all zero before. After a failure too, chip_free is due. */
bh_status chip_init(struct bh_chip *chip, const struct bh_config *config);
void chip_free(struct bh_chip *chip);
void chip_reset(struct bh_chip *chip);

/* Sets up a tile that nobody has used yet as it is at power-on (chip.c). */
void chip_init_tile(struct bh_chip *chip, unsigned index);
/* The same, or as it has been loaded. */
void chip_make_tile(struct bh_chip *chip, unsigned index);

static inline bool chip_is_loose(const struct bh_chip *chip) {
    return chip->config.timing == BH_TIMING_LOOSE;
}

/* The tile by its number, made if it was not. The chip may be const: nobody could tell. Between epochs only. */
static inline struct tile *chip_made(const struct bh_chip *chip, unsigned index) {
    if (__builtin_expect(!chip->made[index], 0))
        chip_make_tile((struct bh_chip *)(uintptr_t)chip, index);
    return chip->tile[index];
}

/* Sets the message and returns the status. The chip may be const: messages are not state. */
bh_status chip_fail(const struct bh_chip *chip, bh_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* BH_ERR_ARGUMENT, for the chip that is NULL, or else for the pointer of this name. */
bh_status chip_null(const struct bh_chip *chip, const char *what);

/* ---- Access to tiles (access.c) ----------------------------------------------------------- */

enum chip_op { CHIP_READ, CHIP_WRITE, CHIP_PEEK, CHIP_POKE };

static inline bool chip_op_writes(enum chip_op op) {
    return op == CHIP_WRITE || op == CHIP_POKE;
}

/* One request that arrives at a site over a NoC. */
struct chip_request {
    enum chip_op op;
    uint8_t noc;
    uint64_t address;
    void *data; /* not written to by CHIP_WRITE and CHIP_POKE */
    size_t size;
};

bh_status chip_access(struct bh_chip *chip, unsigned site, const struct chip_request *request);
/* The same where a tile with cores is known to be. The request has a size, and does not wrap round. */
bh_status chip_access_tile(struct bh_chip *chip, unsigned site, struct tile *tile, const struct chip_request *request);
/* The site at a coordinate on the request's NoC, or an error. */
bh_status chip_find(const struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, unsigned *site);
/* By coordinate on the request's NoC. */
bh_status chip_access_at(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request);
/* The same as a packet that the PCIe tile sends for the host: NIUs on both ends count it (from_host.c). */
bh_status chip_unicast(struct bh_chip *chip, struct bh_xy at, const struct chip_request *request, bool posted);
/* To every live Tensix tile of the rectangle; writes only. */
bh_status chip_multicast(struct bh_chip *chip, struct bh_xy start, struct bh_xy end, const struct chip_request *request,
                         bool posted);
/* A word of the NIU of a tile that is not Tensix. */
bh_status chip_small_niu(struct bh_chip *chip, unsigned site, unsigned noc, const struct chip_request *request,
                         uint32_t offset);
/* The live Tensix tile at a coordinate, for functions about the coprocessor. */
bh_status chip_tensix(const struct bh_chip *chip, struct bh_xy at, struct tile **tile);
/* The live Tensix or Ethernet tile at a coordinate, for functions about cores. */
bh_status chip_tile(const struct bh_chip *chip, struct bh_xy at, struct tile **tile);

/* The tile as it is now. One that sleeps is behind: results may be on their way to its registers. The chip may be
 * const: nothing changes that anybody could see. */
void chip_catch_up(const struct bh_chip *chip, struct tile *tile);

/* Does a tile wait for what nobody is left to do, with none awake? Fills in who does (report.c). */
bool chip_deadlock(const struct bh_chip *chip, struct bh_fault *fault);

/* Tells on_event what has been noted (observe.c). There are observers. */
void chip_tell_events(struct bh_chip *chip);
/* Wires the observers, if there are any, into tiles that have just been made. */
void chip_watch_again(struct bh_chip *chip);
void chip_free_observers(struct bh_chip *chip);

/* The tile has something to do at this time. */
static inline void chip_wake(struct bh_chip *chip, unsigned index, uint64_t time) {
    uint64_t *word = &chip->awake[index / 64], bit = UINT64_C(1) << index % 64;
    if (!(*word & bit) || time < chip->due[index])
        chip->due[index] = time;
    *word |= bit;
    chip->touched[index] = true;
    chip->idle = false;
}
/* The table of state of a chip (state.c). */
extern const struct state_table chip_state;
/* The chip's end of every tile (run.c). */
extern const struct tile_port chip_tile_port;

#endif
