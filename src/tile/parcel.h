/* Packets on their way: what tiles give to each other between two runs, and where the bytes are meanwhile.
 *
 * A tile puts what it sends into its outbox; between epochs the chip moves it to the inboxes of the receivers, where it
 * waits for its time. The bytes stay in a block of the sender's store, which all receivers of a multicast share; each
 * gives it back when it has read it. An outbox, an inbox and a store belong to whoever runs the tile, or, between two
 * epochs, to the chip: nothing here takes a lock. Room that was once needed is kept, so that nothing is allocated in
 * the steady state.
 */
#ifndef TILE_PARCEL_H
#define TILE_PARCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/packet.h"

/* ---- Bytes --------------------------------------------------------------------------------------------- */

enum {
    STORE_CLASSES = 5,  /* blocks of 64, 256, 1024, 4096 and 16384 bytes */
    STORE_CHUNKS = 256, /* that many allocations a class at most */
    STORE_NOTHING = 0,  /* no block has this name */
};

struct store {
    uint32_t free[STORE_CLASSES];  /* name of the first block that is free, or STORE_NOTHING */
    uint32_t fresh[STORE_CLASSES]; /* blocks that have ever been used */
    uint32_t used;                 /* blocks that are in use */
    uint8_t *chunk[STORE_CLASSES][STORE_CHUNKS];
};

/* A block for so many bytes (1 .. NOC_PACKET_MAX) that one reader will give back; NULL: no memory. */
uint8_t *store_take(struct store *store, uint32_t size, uint32_t *block);
uint8_t *store_at(const struct store *store, uint32_t block);
/* One more reader; one reader less. */
void store_share(struct store *store, uint32_t block);
void store_release(struct store *store, uint32_t block);
void store_free(struct store *store); /* every block, in use or not */

/* ---- Packets ------------------------------------------------------------------------------------------- */

/* What a parcel carries is a request or a response. */
struct parcel {
    uint64_t arrives; /* its first flit is at the receiver's NIU; once it is taken in, its last one */
    uint64_t order;   /* the sender's site, then its count of parcels: who comes first in the same cycle */
    uint32_t block;   /* of the store of `owner`: the bytes, or STORE_NOTHING */
    uint32_t pc;      /* of the instruction that made the request: for faults */
    uint32_t insn;    /* its word */
    uint8_t owner;    /* site */
    uint8_t to;       /* site; NOC_NOWHERE: everyone in the request's area but the sender */
    uint8_t sender;   /* site of the request's sender */
    int8_t core;      /* of the sender that made the request, -1: none */
    bool is_response;
    bool taken_in;  /* flits follow each other into the NIU */
    uint16_t flits; /* on the link */
    union {
        struct noc_request request;
        struct noc_response response;
    };
};

/* Parcels in the order in which they were sent. */
struct outbox {
    struct parcel *item;
    uint32_t count, room;
    uint64_t sent; /* ever */
};

/* Parcels by `arrives`, then `order`. */
struct inbox {
    struct inbox_key {
        uint64_t arrives, order;
        uint32_t slot;
    } * heap;
    struct parcel *slot;
    uint32_t *vacant; /* slots that are free */
    uint32_t count, room;
};

/* A copy of the parcel; false: no memory. */
bool outbox_put(struct outbox *box, const struct parcel *parcel);
void outbox_free(struct outbox *box);

bool inbox_put(struct inbox *box, const struct parcel *parcel);
/* When the first one arrives; UINT64_MAX: there is none. */
static inline uint64_t inbox_due(const struct inbox *box) {
    return box->count ? box->heap[0].arrives : UINT64_MAX;
}
/* Looks at the first one, or takes it out. There is one. */
static inline const struct parcel *inbox_first(const struct inbox *box) {
    return &box->slot[box->heap[0].slot];
}
void inbox_take(struct inbox *box, struct parcel *parcel);
void inbox_free(struct inbox *box);

#endif
