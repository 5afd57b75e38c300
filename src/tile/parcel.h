/* Packets on their way: what tiles give to each other between two runs, and where it is meanwhile.
 *
 * A packet, its bytes included, is written once, into a block of the sender's store. Its name goes to the sender's
 * outbox; between epochs the chip moves it to the inboxes of the receivers, where it waits for its time. Each receiver,
 * and of a multicast there are many, gives the block back when it has read it. An outbox, an inbox and a store belong
 * to whoever runs the tile, or, between two epochs, to the chip: nothing here takes a lock. Room that was once needed
 * is kept, so that nothing is allocated in the steady state.
 */
#ifndef TILE_PARCEL_H
#define TILE_PARCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/packet.h"

/* A request or a response, and the bytes that it carries. */
struct parcel {
    uint64_t arrives; /* its last flit, at the receiver's NIU, if nothing is in its way; not of a multicast */
    uint64_t order;   /* the sender's site, then its count of parcels: who comes first in the same cycle */
    uint32_t pc;      /* of the instruction that made the request: for faults */
    uint32_t insn;    /* its word */
    uint16_t flits;   /* on a link */
    uint8_t to;       /* site; NOC_NOWHERE: everyone in the request's area but the sender */
    uint8_t sender;   /* site of the request's sender */
    int8_t core;      /* of the sender that made the request, -1: none */
    bool is_response;
    union {
        struct noc_request request;
        struct noc_response response;
    };
    _Alignas(16) uint8_t bytes[];
};

/* The site that sent it, and whose store it is in. */
static inline uint8_t parcel_owner(const struct parcel *parcel) {
    return parcel->is_response ? parcel->response.source : parcel->request.source;
}

/* ---- Where packets are ------------------------------------------------------------------------------------- */

enum {
    STORE_CLASSES = 5,  /* parcels of up to 64, 256, 1024, 4096 and 16384 bytes */
    STORE_CHUNKS = 256, /* that many allocations a class at most */
    STORE_NOTHING = 0,  /* no block has this name */
};

struct store {
    uint32_t free[STORE_CLASSES];  /* name of the first block that is free, or STORE_NOTHING */
    uint32_t fresh[STORE_CLASSES]; /* blocks that have ever been used */
    uint32_t used;                 /* blocks that are in use */
    uint8_t *chunk[STORE_CLASSES][STORE_CHUNKS];
};

/* A block for a parcel of so many bytes (0 .. NOC_PACKET_MAX) that one reader will give back. Nothing in it is set.
 * NULL: no memory. */
struct parcel *store_take(struct store *store, uint32_t size, uint32_t *block);
struct parcel *store_at(const struct store *store, uint32_t block);
/* One more reader; one reader less. */
void store_share(struct store *store, uint32_t block);
void store_release(struct store *store, uint32_t block);
void store_free(struct store *store); /* every block, in use or not */

/* ---- Boxes ----------------------------------------------------------------------------------------------------- */

/* Blocks of the own store in the order in which they were sent. */
struct outbox {
    uint32_t *block;
    uint32_t count, room;
    uint64_t sent; /* ever */
};

/* A parcel that comes in. */
struct arrival {
    uint64_t time;  /* its last flit is at the NIU, if nothing is in its way; or, once it is taken in, in any case */
    uint64_t order; /* the parcel's */
    uint32_t block;
    uint8_t owner; /* site of the sender, whose store has the block */
    bool taken_in; /* the link has been given to it */
};

/* By time, then order. */
struct inbox {
    struct arrival *heap;
    uint32_t count, room;
};

/* False: no memory. */
bool outbox_put(struct outbox *box, uint32_t block);
void outbox_free(struct outbox *box);

bool inbox_put(struct inbox *box, struct arrival arrival);
/* When the first one is due; UINT64_MAX: there is none. */
static inline uint64_t inbox_due(const struct inbox *box) {
    return box->count ? box->heap[0].time : UINT64_MAX;
}
/* Takes the first one out. There is one. */
struct arrival inbox_take(struct inbox *box);
void inbox_free(struct inbox *box);

#endif
