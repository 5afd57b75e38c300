/* A NIU, the interface of a tile to one of the two NoCs: four request initiators, configuration, counters, interrupts.
 *
 * Sources: BlackholeA0/NoC/MemoryMap.md, Counters.md, Interrupts.md, Coordinates.md; docs/noc.md says what is assumed.
 *
 * Time: a store to CMD_CTRL checks the request and gives it to the carrier at once, with the cycle in which it will
 * leave. The NIU's registers (busy, accepted, started, sent) follow the request in their own cycles. niu_due returns
 * the cycle of the next such change, and niu_run applies all changes up to a time. Reads and writes run the NIU up to
 * their time first; niu_due is for sleeping cores, which a change has to wake. */
#ifndef NOC_NIU_H
#define NOC_NIU_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu.h"
#include "isa/access.h"
#include "noc/packet.h"
#include "noc/route.h"

enum { NIU_GRID_WIDTH = NOC_WIDTH, NIU_GRID_HEIGHT = NOC_HEIGHT }; /* routers of each NoC */

enum { NIU_CLASS_TENSIX = 0x0100, NIU_CLASS_ETH = 0x0200, NIU_CLASS_PCIE = 0x0300, NIU_CLASS_ARC = 0x0500 };
enum { NIU_CLASS_DRAM = 0x0800, NIU_CLASS_L2CPU = 0x0901, NIU_CLASS_SECURITY = 0x0A00 };

enum { NIU_CONFIG_WORDS = 32, NIU_INITIATORS = 4, NIU_IDS = 16, NIU_COUNTERS = 64 };

/* Registers of an initiator, by word. */
enum niu_word {
    NIU_TARG_LO,
    NIU_TARG_MID,
    NIU_TARG_HI,
    NIU_RET_LO,
    NIU_RET_MID,
    NIU_RET_HI,
    NIU_PACKET_TAG,
    NIU_CTRL,
    NIU_AT_LEN_BE,
    NIU_AT_LEN_BE_1,
    NIU_AT_DATA,
    NIU_BRCST_EXCLUDE,
    NIU_L1_ACC,
    NIU_SEC_CTRL,
    NIU_WORDS,
};

/* Counters, by word from register 0x200 on (Counters.md). NIU_OUTSTANDING and NIU_OUTGOING are arrays of eight-bit
 * counters, one for each transaction id. Pairs are in the order marked, posted. */
enum niu_counter {
    NIU_ATOMIC_RESP_RECEIVED = 0,
    NIU_WR_ACK_RECEIVED = 1,
    NIU_RD_RESP_RECEIVED = 2,
    NIU_RD_DATA_WORD_RECEIVED = 3,
    NIU_CMD_ACCEPTED = 4,
    NIU_RD_REQ_SENT = 5,
    NIU_ATOMIC_SENT = 6,
    NIU_WR_DATA_WORD_SENT = 8,
    NIU_WR_REQ_SENT = 10,
    NIU_WR_REQ_STARTED = 12,
    NIU_RD_REQ_STARTED = 14,
    NIU_ATOMIC_STARTED = 15, /* for marked requests only */
    NIU_OUTSTANDING = 16,
    NIU_OUTGOING = 32,
    NIU_SLV_ATOMIC_RESP_SENT = 48,
    NIU_SLV_WR_ACK_SENT = 49,
    NIU_SLV_RD_RESP_SENT = 50,
    NIU_SLV_RD_DATA_WORD_SENT = 51,
    NIU_SLV_REQ_ACCEPTED = 52,
    NIU_SLV_RD_REQ_RECEIVED = 53,
    NIU_SLV_ATOMIC_RECEIVED = 54,
    NIU_SLV_WR_DATA_WORD_RECEIVED = 56,
    NIU_SLV_WR_REQ_RECEIVED = 58,
    NIU_SLV_WR_REQ_STARTED = 60,
    NIU_COUNTERS_USED = 62,
};

#define NIU_NEVER UINT64_MAX

/* Functions that the tile and the chip provide to a NIU. */
struct niu_port {
    /* Accepts a packet that leaves later than the store. The bytes that a write sends are read now. */
    void (*send)(void *owner, const struct noc_request *request);
    /* Reports that the request is unsafe on silicon; the NIU sends it all the same. Called once for each NIU. May be
     * NULL. */
    void (*warn)(void *owner, const struct noc_request *request, const char *why);
    /* Reports a change of the level of the NIU's interrupt (1 + noc in the PIC). May be NULL. */
    void (*interrupt)(void *owner, unsigned noc, bool raised, uint64_t time);
};

/* The plan of an initiator: the part of a request that follows from CTRL and PACKET_TAG, which most requests share with
 * their predecessor. Derived, and all zero at first. */
struct niu_plan {
    uint32_t ctrl, tag;
    bool kept;
    _Alignas(8) uint8_t bytes[NOC_REQUEST_HEAD];
};

/* The wiring of a NIU. A NULL pointer instead of this struct means that the tile cannot make requests. */
struct niu_wire {
    const struct niu_port *port;
    void *owner;
    const struct noc_grid *grid;
    bool loose;                                   /* loose timing: a request leaves when it is made */
    struct niu_plan (*plan)[NIU_INITIATORS];      /* the plans of both NIUs; NULL: plans are not stored */
    uint32_t (*delay)(void *owner, unsigned noc); /* Returns the cycles by which the next request is late; NULL:
                                                   * requests are never late */
    struct internal_error *error;
};

/* An initiator has one request that waits for a virtual channel, or up to NIU_FIFO with its FIFO. A channel carries one
 * packet at a time, and accepts the next one meanwhile. */
enum { NIU_FIFO = 16, NIU_UNICAST_VCS = 4, NIU_VCS = 6 };
enum { NIU_OVERLAY = 2 }; /* packets of the overlay that the NIU can have at a time; assumed */
enum { NIU_FLIGHTS = NIU_INITIATORS * NIU_FIFO + 2 * NIU_VCS + 4 * NIU_OVERLAY }; /* a whole number of cache lines */

enum { NIU_STREAM_DATA = 1 << 7 }; /* a bit above the number of a stream */

enum niu_stage { NIU_WAITS, NIU_ASSIGNED, NIU_LEAVES };

/* A command between CMD_CTRL and the last flit of its last packet. */
struct niu_flight {
    uint64_t assigned, start, end; /* the cycles in which the packet gets its channel, its first flit leaves, and all
                                    * flits have left */
    uint64_t last_end;             /* the cycle in which all flits of the last packet have left */
    uint64_t planned;              /* the value of `start` that the request has */
    uint8_t kind, id, initiator, marked;
    uint8_t stage;       /* enum niu_stage */
    uint8_t packets;     /* packets left, including the current one */
    uint16_t words;      /* data flits of the current packet */
    uint16_t last_words; /* data flits of the last packet */
    uint16_t vc;
    uint16_t stream; /* stream of the overlay; with NIU_STREAM_DATA, the packet carries bytes of L1 */
    uint16_t unused;
};

/* Saved. No pointers and no padding: the struct is hashed and copied as it is. The members that every request touches
 * share few cache lines; each group of counters (sender, the two of ids, receiver) is in one line. */
struct niu {
    uint64_t due;                 /* derived: the cycle of the first change of any flight */
    uint64_t assigned, link_free; /* cycle in which a channel was last assigned; first cycle in which the link is
                                   * free */
    uint32_t flights;
    uint32_t rtz_source;                /* mask of ids whose outstanding requests have all been answered */
    uint32_t linked_to, linked_exclude; /* destination of an open linked transaction (send.c) */
    uint8_t linked, linked_vc;
    uint8_t noc, site;
    uint8_t busy;                        /* mask of initiators whose request has no channel yet */
    uint8_t splits;                      /* 1 + the initiator whose request has more than one packet left, or 0 */
    uint8_t rtz_next;                    /* id at which the next read of RTZ_NUM starts to search */
    uint8_t raised;                      /* the interrupt is raised */
    uint8_t warned;                      /* an unsafe request has been reported */
    uint8_t overflow;                    /* mask of initiators whose FIFO was full at a store to CMD_CTRL */
    uint8_t own_tables;                  /* software has changed the tables that translate coordinates */
    uint8_t overlay_flights;             /* number of flights of the overlay */
    uint8_t overlay_left;                /* number of packets of the overlay that have left; the entries of
                                          * overlay_stream */
    uint8_t overlay_stream[NIU_OVERLAY]; /* streams, as in niu_flight */
    uint8_t unused;
    uint32_t node_id, endpoint_id;
    uint64_t vc_free[NIU_VCS]; /* first cycle after the last packet of the channel has left */
    uint64_t vc_room[NIU_VCS]; /* the same for the last packet but one: the channel accepts another one then */
    uint64_t unused_too[4];
    uint32_t count[NIU_COUNTERS];                  /* enum niu_counter */
    uint32_t initiator[NIU_INITIATORS][NIU_WORDS]; /* enum niu_word */
    uint32_t config[NIU_CONFIG_WORDS];             /* registers 0x100 .. 0x17C */
    struct niu_flight flight[NIU_FLIGHTS];
    char why[192]; /* text of the last refusal */
};

/* Initialises a NIU as the board's firmware leaves it, with coordinate translation switched on. physical: position on
 * NoC 0. */
void niu_init(struct niu *niu, unsigned noc, struct bh_xy physical, struct bh_xy translated, unsigned endpoint_class,
              unsigned index);
/* Sets the rest of what firmware leaves: the translation tables and multicast opt-outs of this chip. */
void niu_configure(struct niu *niu, const struct noc_grid *grid);

/* Read and write registers. offset: from 0xFFB20000 or 0xFFB30000, a multiple of 4 below 0x10000. The text of a refusal
 * is valid until the next refusal. */
struct access niu_read(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t *value);
struct access niu_write(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t value);
/* Access registers without side effects. Poke also writes read-only registers. Peek shows the state at the time up to
 * which the NIU has been run. */
struct access niu_peek(const struct niu *niu, uint32_t offset, uint32_t *value);
struct access niu_poke(struct niu *niu, uint32_t offset, uint32_t value);
/* Returns whether a read would have no side effects. */
bool niu_steady(const struct niu *niu, uint32_t offset);

enum { NIU_SPAN = 0x10000, NIU_BLOCK = 0x800, NIU_CMD_CTRL = 0x40, NIU_CONFIG_AT = 0x100, NIU_COUNTERS_AT = 0x200 };
enum { NIU_ID_LOGICAL = 0x148 }; /* x[5:0] y[11:6] */

/* Bit of NIU_CFG_0: initiators have FIFOs. */
enum { NIU_CFG_REQUEST_FIFO = 1 << 16 };
static inline bool niu_has_fifos(const struct niu *niu) {
    return niu->config[0] & NIU_CFG_REQUEST_FIFO;
}

/* Reads CMD_CTRL or a counter, the registers that software polls: cheaper than niu_peek. Returns false for any other
 * register. */
static inline bool niu_read_hot(const struct niu *niu, uint32_t offset, uint32_t *value) {
    uint32_t initiator = offset / NIU_BLOCK, at = offset % NIU_BLOCK;
    if (initiator >= NIU_INITIATORS)
        return false;
    if (at - NIU_COUNTERS_AT < 4 * NIU_COUNTERS_USED)
        *value = niu->count[(at - NIU_COUNTERS_AT) / 4];
    else if (at == NIU_CMD_CTRL)
        *value = niu->busy >> initiator & 1;
    else
        return false;
    return true;
}

/* Writes a field of a free initiator; the field has no effect before a write to CMD_CTRL. Returns false if the register
 * is not such a field, or if the write needs more than that. */
static inline bool niu_write_field(struct niu *niu, uint32_t offset, uint32_t value) {
    uint32_t initiator = offset / NIU_BLOCK, word = offset % NIU_BLOCK / 4;
    if (initiator >= NIU_INITIATORS || word >= NIU_WORDS || word == NIU_PACKET_TAG || niu->busy >> initiator & 1)
        return false;
    niu->initiator[initiator][word] = value;
    return true;
}

/* Returns whether this write starts a request that can be sent at once. */
static inline bool niu_is_command(const struct niu *niu, uint32_t offset, uint32_t value) {
    uint32_t initiator = offset / NIU_BLOCK;
    return offset % NIU_BLOCK == NIU_CMD_CTRL && initiator < NIU_INITIATORS && value & 1 && !niu->splits &&
           !(niu->busy >> initiator & 1);
}
/* Sends that request with loose timing. Precondition: niu_is_command, and no change of the NIU is due. */
struct access niu_send_loosely(struct niu *niu, const struct niu_wire *wire, unsigned initiator, uint64_t time);

/* niu_due returns the next cycle in which a register changes by itself, or NIU_NEVER. niu_run applies these changes up
 * to a time. */
static inline uint64_t niu_due(const struct niu *niu) {
    return niu->due;
}
/* The slow path of niu_run. Precondition: a change is due. */
void niu_run_due(struct niu *niu, uint64_t time);
/* Corrects the times of the NIU's flights: the packet that was to leave at `planned` leaves at `time`, or not
 * before. */
void niu_leaves(struct niu *niu, uint64_t planned, uint64_t time);
static inline void niu_run(struct niu *niu, uint64_t time) {
    if (niu->due <= time)
        niu_run_due(niu, time);
}

/* ---- Packets of the overlay ------------------------------------------------------------------------------ */

/* Returns whether the NIU can accept a packet of the overlay. A linked transaction of an initiator holds them back
 * (MemoryMap.md). */
static inline bool niu_overlay_has_room(const struct niu *niu) {
    return niu->overlay_flights + niu->overlay_left < NIU_OVERLAY && !niu->linked;
}
/* Sends a packet of a stream; the request is complete except for its time. Returns true if the packet has left already,
 * which is the case with loose timing. Precondition: niu_overlay_has_room. */
bool niu_overlay_send(struct niu *niu, const struct niu_wire *wire, struct noc_request *request, unsigned stream,
                      uint64_t time);
/* Removes a packet of the overlay that has left, and returns its stream as in niu_flight; NIU_NO_STREAM if there is
 * none. */
enum { NIU_NO_STREAM = 0xFF };
static inline unsigned niu_overlay_next(struct niu *niu) {
    if (!niu->overlay_left)
        return NIU_NO_STREAM;
    unsigned stream = niu->overlay_stream[0];
    niu->overlay_stream[0] = niu->overlay_stream[1];
    niu->overlay_stream[1] = 0;
    niu->overlay_left--;
    return stream;
}
/* Returns the site at coordinates x[5:0] y[11:6] as they are in a request; NOC_NOWHERE if no live tile is there. */
unsigned niu_overlay_site(const struct niu *niu, const struct noc_grid *grid, uint32_t xy);
/* Sets the corners of an area, given in the same form. Returns false if they are beyond the grid. */
bool niu_overlay_area(const struct niu *niu, uint32_t start, uint32_t end, struct noc_area *area);

/* ---- Questions of the carrier ---------------------------------------------------------------------------- */

/* Returns whether this NIU accepts multicasts; a tile can opt out (ROUTER_CFG_1, ROUTER_CFG_3). */
bool niu_takes_multicast(const struct niu *niu);
/* Returns whether the tile honours HEADER_STORE, which stores the first bytes of a write at a second address. NIU_CFG_0
 * can turn this off in some tiles.
 */
bool niu_stores_headers(const struct niu *niu);

#endif
