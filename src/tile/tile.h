/* A Tensix tile: five cores, the coprocessor, L1, the tile's registers, mailboxes and PCBufs, and the time that they
 * share. An Ethernet tile is the same struct with two cores, a smaller L1 and registers of its own (eth.h); no core
 * pushes to its coprocessor.
 *
 * The tile always runs the agent with the earliest time: a core runs at most `skew` cycles past the next core and
 * BH_SKEW_MAX past the coprocessor, the coprocessor up to the first core. A core that is ahead of another core gives
 * way before it reads or changes the coprocessor (tile_in_turn). A core that is blocked or polls has no time until an
 * event wakes it (tile_event, l1_end). */
#ifndef TILE_TILE_H
#define TILE_TILE_H

#include <stdint.h>

#include "bhemu.h"
#include "isa/memmap.h"
#include "noc/niu.h"
#include "noc/overlay.h"
#include "riscv/core.h"
#include "tensix/tensix.h"
#include "tile/control.h"
#include "tile/debug_bus.h"
#include "tile/deliver.h"
#include "tile/eth.h"
#include "tile/late.h"
#include "tile/loose.h"
#include "tile/mailbox.h"
#include "tile/pcbuf.h"
#include "tile/perf.h"
#include "tile/pic.h"
#include "tile/risc_debug.h"
#include "tile/timestamp.h"
#include "vary/vary.h"

struct eth_port;
struct tile;

enum tile_kind { TILE_KIND_TENSIX, TILE_KIND_ETH };

enum { TILE_TENSIX = BH_CORE_COUNT, TILE_AGENTS }; /* the cores by number, then the coprocessor */
enum { TILE_DUE_SHIFT = 3 };                       /* due[]: time << shift | number of the agent */

/* Functions that the chip provides to a tile. */
struct tile_port {
    /* Reports a fault of a core of this tile. */
    void (*fault)(void *owner, struct tile *tile, const struct bh_fault *fault);
    /* Reports that the tile can run again, after a write from outside or a release. */
    void (*awake)(void *owner, struct tile *tile);
    /* Returns memory of another tile that does not change while tiles run; NULL if there is none, or not enough. */
    const uint8_t *(*memory)(void *owner, unsigned site, uint64_t address, uint32_t size);
};

struct tile {
    /* Configuration */
    struct bh_xy xy;   /* translated */
    struct bh_xy noc0; /* physical */
    uint32_t index;    /* 0..139; Ethernet tiles follow */
    uint32_t number;   /* among tiles of its kind */
    uint8_t kind;      /* enum tile_kind */
    uint32_t skew;
    bool debug_flaws; /* the debug interface has the flaws of silicon (risc_debug.h) */
    uint8_t site;     /* position on the NoCs (noc/packet.h) */

    /* Saved state */
    uint64_t time;             /* the tile has run up to this cycle */
    uint32_t running;          /* the agent whose turn it is; TILE_AGENTS: none */
    bool changed;              /* an agent's state or time has changed: due[] has to be recomputed */
    bool woken;                /* cores that have woken are in due[] already; the coprocessor may have woken */
    bool by_tensix;            /* the coprocessor is writing a register: cores have had their turn in this cycle */
    bool loose;                /* derived: copy of tensix.loose */
    bool pic_armed;            /* some interrupt is enabled, so each turn checks for one */
    uint64_t horizon;          /* see tile_horizon(); 0 if it is not the turn of a TRISC, or that turn has to end */
    uint64_t due[TILE_AGENTS]; /* while the tile runs: next cycle of each agent (tile.c) */
    uint8_t agents;            /* mask of agents that have a next cycle */
    uint64_t until, stop;      /* while the tile runs: the end of the run, and the next cycle of the NoC if that is
                                * earlier */
    uint64_t noc_due;          /* next cycle in which a packet arrives or a NIU changes by itself (noc.c) */
    uint64_t late_due;         /* next cycle in which a late store lands, a late request leaves (late.h), the debug bus
                                * writes a sample (debug_bus.h), a frame arrives (eth_port.h), or the watchdog runs out */
    uint64_t seen_from;      /* first cycle in which another tile may see the outbox; UINT64_MAX: the outbox is empty */
    uint64_t next;           /* after a run: next cycle with something to do; UINT64_MAX: none */
    uint8_t niu_watchers;    /* cores that may sleep until a NIU changes */
    uint8_t tensix_waiters;  /* cores that may wait for any change of the coprocessor */
    uint8_t room_waiters;    /* cores that wait for room in their instruction FIFO (tensix_thread.room_wanted) */
    uint8_t stream_waiters;  /* cores that wait for a write to an overlay stream */
    uint8_t looker;          /* sleeping core that is about to look (sleep.h) */
    bool may_sleep_on;       /* while the tile runs: every agent has slept so far */
    uint64_t look_from;      /* start of the round in which it looks; UINT64_MAX: no core is about to look */
    uint32_t look_before;    /* value that the core has seen before */
    const uint32_t *watched; /* derived: the counter of a NIU that all of niu_watchers watch, which is one core; NULL:
                              * they are none or several, or watch something else */
    bool stop_at_send;       /* the tile stops where another tile could see what it has sent */

    /* Wiring: storage lives in the chip's lazily mapped arena */
    uint8_t *l1;
    struct rv_slot *slots;
    uint8_t *marks;
    struct slot_memo *memo;      /* of the chip; may be NULL */
    const struct noc_grid *grid; /* NULL: the tile has no NoC */
    struct noc_link *link;       /* links of the two NIUs; apart from the tile because the exchange visits those of all
                                  * tiles */
    const uint64_t *run_end;     /* end of the chip's run, after which the host may look at the tile */
    struct niu_wire wire;        /* wiring of both NIUs */
    struct niu_plan plan[2][NIU_INITIATORS];
    struct endpoint endpoint; /* this tile as packets see it */
    const struct tile_port *port;
    void *owner;
    struct vary_tile *vary;      /* NULL: nothing varies */
    struct eth_port *eth_port;   /* NULL: no cable */
    struct internal_error error; /* derived */

    /* Saved state */
    struct control control;
    struct mailboxes mailboxes;
    struct pcbufs pcbufs;
    struct pic pic;
    struct risc_debug risc_debug;
    struct debug_bus debug_bus;
    struct timestamp timestamp;
    struct perf perf;
    _Alignas(64) struct mail mail;      /* packets to and from this tile */
    uint32_t watch_address, watch_size; /* bytes of L1 for which the coprocessor waits */
    _Alignas(64) struct niu niu[2];
    struct overlay overlay;
    struct core core[BH_CORE_COUNT];
    struct tensix tensix;
    struct eth eth; /* Ethernet tiles only */
    struct late late;

    struct coverage coverage; /* an observation of the guest, not part of its state */
};

#define TILE_MARKS      (CORE_L1_SIZE >> CORE_CODE_GRAIN)
#define TILE_SLOT_BYTES ((CORE_L1_SIZE / 4) * sizeof(struct rv_slot) + 4096)

static inline uint32_t tile_l1_size(const struct tile *tile) {
    return tile->kind == TILE_KIND_ETH ? (uint32_t)ETH_L1_SIZE : CORE_L1_SIZE;
}

/* Returns the region that a core, or MEMMAP_NOC, sees at this address; NULL if there is none. */
static inline const struct memmap_region *tile_region(const struct tile *tile, uint32_t address, unsigned viewer) {
    if (tile->kind == TILE_KIND_TENSIX)
        return memmap_find(address, viewer);
    return memmap_find(address, viewer == MEMMAP_NOC ? MEMMAP_ETH_NOC : MEMMAP_ETH_CORE);
}
/* Returns a mask of the tile's cores. */
unsigned tile_cores(const struct tile *tile);

void tile_init(struct tile *tile); /* Precondition: wiring and configuration are set */
extern const struct state_table tile_state;
/* Recomputes derived state after a load: the marks of watched words (state.c). */
void tile_loaded(struct tile *tile);
/* Runs the tile up to `until`, or with stop_at_send up to the cycle in which another tile could see a packet that it
 * has sent; tile->time is the cycle reached. Returns whether something is left to do; tile->next is the cycle of
 * that. */
bool tile_run(struct tile *tile, uint64_t until);
/* Prefetches the memory that tile_run touches first, above all that of these agents (a mask). */
void tile_prefetch(const struct tile *tile, unsigned agents);

/* Accesses of the NoC or the host (bus.c). After a failure, *why is the reason. */
bh_status tile_read(struct tile *tile, uint64_t address, void *data, size_t size, const char **why);
bh_status tile_write(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why);
bh_status tile_peek(const struct tile *tile, uint64_t address, void *data, size_t size, const char **why);
bh_status tile_poke(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why);
/* Peek and poke an address as one of the tile's cores sees it. Precondition: the tile has the core. */
bh_status tile_core_peek(const struct tile *tile, unsigned core, uint32_t address, void *data, size_t size,
                         const char **why);
bh_status tile_core_poke(struct tile *tile, unsigned core, uint32_t address, const void *data, size_t size,
                         const char **why);

/* The port of every core, for accesses to anything but L1 and its own local memory (bus_core.c). */
extern const struct core_port tile_core_port;

/* Access words for the coprocessor, in registers and local memories of cores (bus.c); and the coprocessor's port. */
struct access tile_register_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
struct access tile_register_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);
extern const struct tensix_port tile_tensix_port;

/* tile_noc_init sets the power-on state of the NoC side (noc.c); tile_noc_run delivers packets, and applies the changes
 * that NIUs make by themselves, up to the tile's time. */
void tile_noc_init(struct tile *tile);
void tile_noc_run(struct tile *tile);
/* Access registers of a NIU, for the bus. */
/* Shows the state before this cycle. */
struct access tile_niu_peek(const struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t *value);
struct access tile_niu_read(struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t *value);
struct access tile_niu_write(struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t value);
/* Returns whether the register will change by itself within a few cycles. */
bool tile_niu_soon(const struct tile *tile, unsigned noc, uint32_t offset, uint64_t time);
/* Records that a core has gone to sleep, perhaps until a NIU changes. */
void tile_niu_watched(struct tile *tile, const struct core *core);
/* Applies the changes that a NIU makes by itself up to a time. */
void tile_niu_settle(struct tile *tile, unsigned noc, uint64_t time);
/* Writes a register of an overlay stream. offset: bytes from 0xFFB40000. */
struct access tile_stream_write(struct tile *tile, uint32_t offset, uint64_t time, uint32_t value);
/* Raises or clears the interrupt of the overlay after a change of BLOB_AUTO_CFG_DONE. */
void tile_streams_done(struct tile *tile, uint64_t time);
/* Recomputes noc_due after a change. */
void tile_noc_touched(struct tile *tile, uint64_t time);

/* Wakes every blocked or polling core that may wait for a change at this time. Each of them tries again. */
void tile_event(struct tile *tile, uint64_t time);
/* Wakes the cores of a mask. All of them see the change from this time on, whatever their numbers. */
void tile_event_at(struct tile *tile, uint64_t time, unsigned cores);
/* Does the same for cores that poll a NIU. The coprocessor's entry of due[] stays valid. */
void tile_niu_event(struct tile *tile, uint64_t time, unsigned cores);
/* Records that the coprocessor has pushed words of the row at which a TRISC is blocked (tensix_port.row_pushed). */
void tile_row_pushed(struct tile *tile, unsigned thread, unsigned count, uint64_t time, bool last);
/* tile_tensix_event wakes cores after a change in the coprocessor, tile_stream_event after a write to a register of a
 * stream. Neither notifies the coprocessor of a write to a stream; the caller does. */
void tile_tensix_event(struct tile *tile, uint64_t time, unsigned cores);
void tile_stream_event(struct tile *tile, uint64_t time, uint32_t address);
/* Lets a core that is paused, waits or sleeps continue at this time; the core tries again what it waited for. If the
 * core is running, its turn ends. */
void tile_rouse(struct tile *tile, unsigned number, uint64_t time);
/* Ends the turn of the running core because another core can run; outside of a run, notifies the chip. */
void tile_reschedule(struct tile *tile);
/* Returns whether the core may read or change the coprocessor now: no other core precedes it in time and number, and
 * the NoC has nothing to do before its time. Then the coprocessor can run up to the core's time without missing a word.
 * Otherwise the core gives way (ACCESS_LATER) and tries again at the same time. Always true with loose timing, where
 * the coprocessor runs ahead of cores, and outside of a turn, where a test drives the port of a single core and due[]
 * is not kept. */
bool tile_in_turn(const struct tile *tile, const struct core *core);
/* Does the same, but not always true with loose timing. */
bool tile_is_first(const struct tile *tile, const struct core *core);
/* Returns the time of an agent while the tile runs; a time that no agent reaches if the agent has none. */
static inline uint64_t tile_due(const struct tile *tile, unsigned agent) {
    return tile->due[agent] >> TILE_DUE_SHIFT;
}
/* Returns the cycle up to which only the TRISC whose turn it is and the coprocessor act. */
static inline uint64_t tile_horizon(const struct tile *tile) {
    return tile->horizon;
}
/* Ends the turn of the running core because the coprocessor can run; outside of a run, notifies the chip. */
void tile_tensix_awake(struct tile *tile);
/* Records that the coprocessor may have something to do that due[] does not show. With loose timing the coprocessor has
 * done what it can, and woken threads wait for the end of the core's turn. */
static inline void tile_tensix_touched(struct tile *tile) {
    if (tile->tensix.loose)
        tensix_run(&tile->tensix, 0);
    if (tile->running == TILE_AGENTS || (tile->due[TILE_TENSIX] == UINT64_MAX && !tile->tensix.loose))
        tile_tensix_awake(tile);
}
/* Records that the instruction cache of the core has a new block. */
void tile_code_cached(struct tile *tile, struct core *core);
/* Empties the instruction caches of these cores (a mask; RISCV_IC_INVALIDATE). */
void tile_invalidate(struct tile *tile, unsigned cores);
/* Handles a write to marked bytes of L1: discards decoded code and wakes cores that poll these bytes. For l1_end. */
void tile_l1_notify(struct tile *tile, uint32_t address, uint32_t size, uint64_t time);
/* Returns the bits of SOFT_RESET_0 for a mask of cores of a Tensix tile (reset.c). */
uint32_t tile_reset_bits(unsigned cores);
/* Returns the pc with which a core leaves reset (reset.c). */
uint32_t tile_first_pc(const struct tile *tile, unsigned core);
/* Applies a new value of SOFT_RESET_0: puts cores into reset and releases them (reset.c). */
void tile_soft_reset(struct tile *tile, uint32_t old_value, uint32_t new_value, uint64_t time);

#endif
