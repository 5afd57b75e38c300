/* A NIU, the interface of a tile to one of the two NoCs: four request initiators, configuration, counters, interrupts.
 *
 * Sources: BlackholeA0/NoC/MemoryMap.md, Counters.md, Interrupts.md, Coordinates.md; docs/noc.md says what is assumed.
 *
 * Time. A store to CMD_CTRL checks the request and gives it to the carrier at once, with the time at which it will
 * leave; what the NIU's own registers show of it on the way (busy, accepted, started, sent) changes by itself at its
 * times. niu_due says when the next such change is, and niu_run makes all up to a time. Reads and writes run the NIU up
 * to their time first, so only sleepers need to be told: that is what niu_due is for.
 */
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

/* Counters, by word from register 0x200 on (Counters.md); NIU_OUTSTANDING and NIU_OUTGOING have one for each id, of
 * eight bits. The pairs are in the order marked, posted. */
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
    NIU_ATOMIC_STARTED = 15, /* marked only */
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

/* What a NIU needs from its tile and the chip. */
struct niu_port {
    /* When the receivers can take a packet of this request that could leave at this time: it leaves no sooner. May be
     * NULL. */
    uint64_t (*ready)(void *owner, const struct noc_request *request, uint64_t time);
    /* Takes a packet. Its time is later than that of the store. The bytes that a write sends are to be read now. */
    void (*send)(void *owner, const struct noc_request *request);
    /* The request is unsafe on silicon, for this reason; it is sent all the same. Told once. May be NULL. */
    void (*warn)(void *owner, const struct noc_request *request, const char *why);
    /* The level of the NIU's interrupt (1 + noc in the PIC) has changed at this time. May be NULL. */
    void (*interrupt)(void *owner, unsigned noc, bool raised, uint64_t time);
};

/* What CTRL and PACKET_TAG of an initiator make of a request: most are like the one before. Derived, all zero at first.
 */
struct niu_head {
    uint32_t ctrl, tag;
    bool kept;
    _Alignas(8) uint8_t bytes[NOC_REQUEST_HEAD];
};

/* NULL in place of this: a NIU whose tile cannot make requests. */
struct niu_wire {
    const struct niu_port *port;
    void *owner;
    const struct noc_grid *grid;
    bool loose;                              /* requests leave when they are made, whatever else does */
    struct niu_head (*head)[NIU_INITIATORS]; /* of both NIUs; NULL: nothing is kept */
    struct internal_error *error;
};

/* An initiator has one request, or with its FIFO up to so many, that wait for a virtual channel, and a channel carries
 * one packet at a time. */
enum { NIU_FIFO = 16, NIU_UNICAST_VCS = 4, NIU_VCS = 6, NIU_FLIGHTS = NIU_INITIATORS * NIU_FIFO + NIU_VCS };

enum niu_stage { NIU_WAITS, NIU_ASSIGNED, NIU_LEAVES };

/* A command between CMD_CTRL and the last flit of its last packet. */
struct niu_flight {
    uint64_t assigned, start, end; /* cycles: has its channel; the first flit leaves; all have left */
    uint64_t last_end;             /* all flits of the last packet have left */
    uint8_t kind, id, initiator, marked;
    uint8_t stage;       /* enum niu_stage */
    uint8_t packets;     /* that are left, this one included */
    uint16_t words;      /* data flits of this packet */
    uint16_t last_words; /* of the last one */
    uint16_t unused[3];
};

/* No pointers, no padding: it is hashed and copied as it is. What every request touches is in few lines of the host's
 * cache; each kind of counter (of a sender, of ids twice, of a receiver) is in one. */
struct niu {
    uint64_t due;                 /* derived: the first change of any flight */
    uint64_t assigned, link_free; /* the last channel was given; from then on */
    uint32_t flights;
    uint32_t rtz_source;                /* ids whose outstanding requests have come back */
    uint32_t linked_to, linked_exclude; /* an open transaction: where it goes (send.c) */
    uint8_t linked, linked_vc;
    uint8_t noc, site;
    uint8_t busy;       /* a mask of initiators that have no channel yet */
    uint8_t splits;     /* 1 + the initiator that has more than one packet left, or 0 */
    uint8_t rtz_next;   /* where RTZ_NUM goes on looking */
    uint8_t raised;     /* the interrupt */
    uint8_t warned;     /* of something unsafe */
    uint8_t overflow;   /* a mask of initiators whose FIFO was full at a store to CMD_CTRL */
    uint8_t own_tables; /* coordinates are not translated as firmware has set it up */
    uint8_t unused[5];
    uint32_t node_id, endpoint_id;
    uint64_t vc_free[NIU_VCS];
    uint64_t unused_too[2];
    uint32_t count[NIU_COUNTERS];                  /* enum niu_counter */
    uint32_t initiator[NIU_INITIATORS][NIU_WORDS]; /* enum niu_word */
    uint32_t config[NIU_CONFIG_WORDS];             /* registers 0x100 .. 0x17C */
    struct niu_flight flight[NIU_FLIGHTS];
    char why[192]; /* the last refusal */
};

/* As the board's firmware leaves it: coordinate translation is on. physical: position as NoC 0 counts. */
void niu_init(struct niu *niu, unsigned noc, struct bh_xy physical, struct bh_xy translated, unsigned endpoint_class,
              unsigned index);
/* The rest of what firmware leaves: translation tables and multicast opt-outs of a chip like this, in place of zeros.
 */
void niu_configure(struct niu *niu, const struct noc_grid *grid);

/* offset: from 0xFFB20000 or 0xFFB30000, a multiple of 4 below 0x10000. A text of a refusal lasts until the next. */
struct access niu_read(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t *value);
struct access niu_write(struct niu *niu, const struct niu_wire *wire, uint32_t offset, uint64_t time, uint32_t value);
/* Without effects; poke reaches what is read-only too. Peeks show the NIU as it was last run to. */
struct access niu_peek(const struct niu *niu, uint32_t offset, uint32_t *value);
struct access niu_poke(struct niu *niu, uint32_t offset, uint32_t value);
/* Would a read change nothing? */
bool niu_steady(const struct niu *niu, uint32_t offset);

enum { NIU_SPAN = 0x10000, NIU_BLOCK = 0x800, NIU_CMD_CTRL = 0x40, NIU_COUNTERS_AT = 0x200 };

/* What software looks at all the time, CMD_CTRL and the counters: as niu_peek, at less cost. False: another register.
 */
static inline bool niu_glance(const struct niu *niu, uint32_t offset, uint32_t *value) {
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

/* Writes a field of an initiator that is free: nothing happens before CMD_CTRL is written. False: it is none, or there
 * is more to it. */
static inline bool niu_jot(struct niu *niu, uint32_t offset, uint32_t value) {
    uint32_t initiator = offset / NIU_BLOCK, word = offset % NIU_BLOCK / 4;
    if (initiator >= NIU_INITIATORS || word >= NIU_WORDS || word == NIU_PACKET_TAG || niu->busy >> initiator & 1)
        return false;
    niu->initiator[initiator][word] = value;
    return true;
}

/* Starts this write a request that nothing keeps from being sent? */
static inline bool niu_is_command(const struct niu *niu, uint32_t offset, uint32_t value) {
    uint32_t initiator = offset / NIU_BLOCK;
    return offset % NIU_BLOCK == NIU_CMD_CTRL && initiator < NIU_INITIATORS && value & 1 && !niu->splits &&
           !(niu->busy >> initiator & 1);
}
/* Then it comes to this, if the wire is a loose one and nothing is due. */
struct access niu_send_loosely(struct niu *niu, const struct niu_wire *wire, unsigned initiator, uint64_t time);

/* When the registers change next by themselves, or NIU_NEVER; makes those changes up to a time. */
static inline uint64_t niu_due(const struct niu *niu) {
    return niu->due;
}
void niu_run_due(struct niu *niu, uint64_t time);
static inline void niu_run(struct niu *niu, uint64_t time) {
    if (niu->due <= time)
        niu_run_due(niu, time);
}

/* ---- What the carrier tells ----------------------------------------------------------------------------- */

/* Does this NIU take multicasts, or has its tile opted out (ROUTER_CFG_1, ROUTER_CFG_3)? */
bool niu_takes_multicast(const struct niu *niu);
/* Does its tile store the header of a write that asks for it at a second address? Some can be told not to (NIU_CFG_0).
 */
bool niu_stores_headers(const struct niu *niu);

#endif
