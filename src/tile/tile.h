/* A Tensix tile: five cores, the coprocessor, L1, the tile's registers, mailboxes and PCBufs, and the time they share.
 * An Ethernet tile is the same with two of the cores, less L1 and registers of its own (eth.h); nobody ever feeds its
 * coprocessor, which makes as good as none.
 *
 * The tile always runs the agent, a core or the coprocessor, that is furthest behind: a core at most `skew` cycles past
 * the next core and BH_SKEW_MAX past the coprocessor, the coprocessor up to the first core. A core that is ahead of
 * another gives way before it looks at the coprocessor or changes it (tile_in_turn). A core that is blocked or polls
 * has no time until an event wakes it (tile_event, l1_end).
 */
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
#include "tile/deliver.h"
#include "tile/eth.h"
#include "tile/loose.h"
#include "tile/mailbox.h"
#include "tile/pcbuf.h"
#include "tile/pic.h"

struct tile;

enum tile_kind { TILE_KIND_TENSIX, TILE_KIND_ETH };

enum { TILE_TENSIX = BH_CORE_COUNT, TILE_AGENTS }; /* the cores by their numbers, then the coprocessor */

/* What the tile needs from the chip. */
struct tile_port {
    /* A core of this tile has faulted. */
    void (*fault)(void *owner, struct tile *tile, const struct bh_fault *fault);
    /* The tile has something to run again (after a write from outside or a release). */
    void (*awake)(void *owner, struct tile *tile);
    /* Memory of another tile that nobody writes to while tiles run; NULL: there is none, or not so much. */
    const uint8_t *(*memory)(void *owner, unsigned site, uint64_t address, uint32_t size);
};

struct tile {
    /* Configuration */
    struct bh_xy xy;   /* translated */
    struct bh_xy noc0; /* physical */
    uint32_t index;    /* 0..139; Ethernet tiles follow */
    uint32_t number;   /* among its kind */
    uint8_t kind;      /* enum tile_kind */
    uint32_t skew;
    uint8_t site; /* on the NoCs (noc/packet.h) */

    /* Saved state */
    uint64_t time;             /* the tile has run up to here */
    uint32_t running;          /* the agent whose turn it is; TILE_AGENTS: none */
    bool changed;              /* another agent's state or time has changed: due[] is to be made anew */
    bool woken;                /* likewise: cores, of which due[] knows, or, maybe, the coprocessor */
    bool by_tensix;            /* the coprocessor is writing a register: cores have had their turn of that cycle */
    bool loose;                /* derived: as the coprocessor's */
    bool pic_armed;            /* some interrupt is enabled: turns have to look for one */
    uint64_t horizon;          /* derived: tile_horizon; 0 if a TRISC has no turn, or is to end it */
    uint64_t due[TILE_AGENTS]; /* derived, while the tile runs: when each agent is to go on (tile.c) */
    uint8_t agents;            /* derived: those that are to go on at all, a mask */
    uint64_t until, stop;      /* derived, while the tile runs: its end, and the next time at which the NoC is due */
    uint64_t noc_due;          /* derived: when a packet arrives or a NIU changes by itself (noc.c) */
    uint64_t seen_from;        /* others may see what is in the outbox from here on; UINT64_MAX: there is nothing */
    uint64_t next;             /* derived, after a run: when there is something to do again, UINT64_MAX: never */
    uint8_t niu_watchers;      /* derived: cores that may sleep until a NIU changes */
    uint8_t tensix_waiters;    /* likewise: cores that may wait for any change of the coprocessor; */
    uint8_t room_waiters;      /* for room in their instruction FIFO, of which it tells (tensix_thread.room_wanted); */
    uint8_t stream_waiters;    /* for a write to an overlay stream */
    uint8_t glancer;           /* the core that is, while it sleeps, */
    bool napping;              /* derived, while the tile runs: nobody in it has been awake so far */
    uint64_t glance;           /* going to make a round that sees something else: when; UINT64_MAX: none is (sleep.h) */
    uint32_t glance_before;    /* what it has seen last */
    bool lone;                 /* the tile runs no further than to where others could see what it has sent */

    /* Wiring: storage lives in the chip's lazily mapped arena */
    uint8_t *l1;
    struct rv_slot *slots;
    uint8_t *marks;
    const struct noc_grid *grid; /* NULL: a tile without a NoC */
    const uint64_t (
        *busy)[2];           /* by site and NoC: until when its NIU takes in what was on its way at the last meeting */
    struct noc_link *link;   /* of the NIUs: apart from the tile, since the chip looks at all of them between epochs */
    const uint64_t *run_end; /* of the chip: when somebody outside may look */
    struct niu_wire wire;    /* of both NIUs */
    struct niu_head head[2][NIU_INITIATORS];
    struct place place; /* the tile as packets see it */
    const struct tile_port *port;
    void *owner;
    struct internal_error error; /* derived */

    /* Saved state */
    struct control control;
    struct mailboxes mailboxes;
    struct pcbufs pcbufs;
    struct pic pic;
    _Alignas(64) struct mail mail;      /* packets to and from this tile, and where their bytes are */
    uint32_t watch_address, watch_size; /* bytes of L1 that the coprocessor waits for */
    _Alignas(64) struct niu niu[2];
    struct overlay overlay;
    struct core core[BH_CORE_COUNT];
    struct tensix tensix;
    struct eth eth; /* of an Ethernet tile */

    struct coverage coverage; /* an observation, not state */
};

#define TILE_MARKS      (CORE_L1_SIZE >> CORE_CODE_GRAIN)
#define TILE_SLOT_BYTES ((CORE_L1_SIZE / 4) * sizeof(struct rv_slot) + 4096)

static inline uint32_t tile_l1_size(const struct tile *tile) {
    return tile->kind == TILE_KIND_ETH ? (uint32_t)ETH_L1_SIZE : CORE_L1_SIZE;
}

/* What a core, or MEMMAP_NOC, has at this address of the tile; NULL: nothing. */
const struct memmap_region *tile_region(const struct tile *tile, uint32_t address, unsigned viewer);
/* The cores that the tile has, as a mask. */
unsigned tile_cores(const struct tile *tile);

void tile_init(struct tile *tile); /* wiring and configuration must be set */
extern const struct state_table tile_state;
/* Makes what follows from the state that has been loaded: the marks of words that somebody waits for (state.c). */
void tile_loaded(struct tile *tile);
/* Runs the tile up to the given time, or, if it is alone, to where others have to know what it has sent: tile->time
 * says how far. True if something is left to do after it: tile->next says when. */
bool tile_run(struct tile *tile, uint64_t until);
/* Brings what tile_run will touch first closer to the host's processor, these agents (a mask) above all. */
void tile_prefetch(const struct tile *tile, unsigned agents);

/* Accesses from the NoC or the host (bus.c). On failure *why says what is wrong with the address. */
bh_status tile_read(struct tile *tile, uint64_t address, void *data, size_t size, const char **why);
bh_status tile_write(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why);
bh_status tile_peek(const struct tile *tile, uint64_t address, void *data, size_t size, const char **why);
bh_status tile_poke(struct tile *tile, uint64_t address, const void *data, size_t size, const char **why);

/* Accesses from a core to anything but L1 and its own local memory (bus_core.c): the port of every core. */
extern const struct core_port tile_core_port;

/* Words that the coprocessor reaches, registers and local memories of the cores (bus.c), and its port. */
struct access tile_register_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value);
struct access tile_register_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value);
extern const struct tensix_port tile_tensix_port;

/* The NoC's side (noc.c): power-on state, and what arrives and changes up to the tile's time. */
void tile_noc_init(struct tile *tile);
void tile_noc_run(struct tile *tile);
/* Registers of a NIU as the bus has them. */
/* As it is before this cycle, without effects. */
struct access tile_niu_peek(const struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t *value);
struct access tile_niu_read(struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t *value);
struct access tile_niu_write(struct tile *tile, unsigned noc, uint32_t offset, uint64_t time, uint32_t value);
/* Will it change by itself within a few cycles? */
bool tile_niu_soon(const struct tile *tile, unsigned noc, uint32_t offset, uint64_t time);
/* A core has gone to sleep: until a NIU shows it something else, maybe. */
void tile_niu_watched(struct tile *tile, const struct core *core);
/* Makes the changes that a NIU makes by itself up to a time. */
void tile_niu_settle(struct tile *tile, unsigned noc, uint64_t time);
/* noc_due anew, from what there is. */
void tile_noc_touched(struct tile *tile, uint64_t time);

/* Something changed at this time that a blocked or polling core of this tile may wait for: they try again. */
void tile_event(struct tile *tile, uint64_t time);
/* The same for what cores of a mask see from this time on, whatever their number. */
void tile_event_at(struct tile *tile, uint64_t time, unsigned cores);
/* The coprocessor has pushed words of the row that a TRISC stands at (tensix_port.row_pushed). */
void tile_row_pushed(struct tile *tile, unsigned thread, unsigned count, uint64_t time, bool last);
/* The same for what the coprocessor does, and for a register of a stream that has been written (which the coprocessor
 * is told of by others). */
void tile_tensix_event(struct tile *tile, uint64_t time, unsigned cores);
void tile_stream_event(struct tile *tile, uint64_t time, uint32_t address);
/* A core has become runnable: the one that runs now gives way, or the chip is told. */
void tile_reschedule(struct tile *tile);
/* May the core look at the coprocessor or change it now? Only if no other core comes before it, in order of time and
 * number, and the NoC has nothing to do before its time: then no word is still to be pushed that the coprocessor should
 * have seen, and the coprocessor can be run up to the core's time. If not, the core gives way (ACCESS_LATER) and tries
 * again at the same time. Always true with loose timing, where the coprocessor runs ahead of cores, and outside of a
 * turn of the core: there a test drives the core's port by itself, due[] is not kept and the core is the only one. */
bool tile_in_turn(const struct tile *tile, const struct core *core);
/* Up to which cycle nobody but the TRISC whose turn it is and the coprocessor do anything. */
static inline uint64_t tile_horizon(const struct tile *tile) {
    return tile->horizon;
}
/* The coprocessor has become runnable: the same. */
void tile_tensix_awake(struct tile *tile);
/* The coprocessor may have something to do that the turns do not know of yet. If time is loose it has done what it can,
 * and threads that have been woken wait until the core has had its turn. */
static inline void tile_tensix_touched(struct tile *tile) {
    if (tile->tensix.loose)
        tensix_run(&tile->tensix, 0);
    if (tile->running == TILE_AGENTS || (tile->due[TILE_TENSIX] == UINT64_MAX && !tile->tensix.loose))
        tile_tensix_awake(tile);
}
/* Bytes of L1 with a mark have been written: forgets decoded code and wakes pollers of these bytes. For l1_end. */
void tile_l1_tell(struct tile *tile, uint32_t address, uint32_t size, uint64_t time);
/* The bits of SOFT_RESET_0 for a mask of cores of a Tensix tile (reset.c). */
uint32_t tile_reset_bits(unsigned cores);
/* A new value of SOFT_RESET_0: holds and releases cores (reset.c). */
void tile_soft_reset(struct tile *tile, uint32_t old_value, uint32_t new_value, uint64_t time);

#endif
