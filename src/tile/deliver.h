/* Delivery of packets: what a request does at its receiver, which response goes back, and what a response does.
 *
 * Sources: BlackholeA0/NoC/MemoryMap.md, Counters.md; WormholeB0/NoC/Ordering.md; noc/timing.h for L1. All bytes of a
 * packet are read or written in the cycle in which its last flit arrives. A NIU begins one read of L1 after the other.
 * Its responses are ready one after the other, at one flit a cycle; chip/links.h decides when they and the NIU's
 * requests leave. Inexact: L1 takes no time for writes and atomics. */
#ifndef TILE_DELIVER_H
#define TILE_DELIVER_H

#include "bhemu.h"
#include "isa/access.h"
#include "noc/niu.h"
#include "riscv/core.h"
#include "tile/transit.h"

/* The two directions between a NIU and its router. */
struct noc_link {
    uint64_t out_free;  /* first cycle in which the next response can leave */
    uint64_t read_free; /* first cycle in which the next read of L1 can begin */
    uint64_t in_free;   /* first cycle after the packets accepted so far */
    uint64_t queued;    /* flits in flight to this NIU */
};

/* The tables of state of packets, their faults and links (mail_table.c). */
extern const struct state_table arrival_state, mail_fault_state, noc_link_state;

/* The fault of a request or response that could not be delivered. */
struct mail_fault {
    struct bh_fault fault; /* without tile coordinates */
    uint8_t site;          /* site that sent the request */
    bool harmless;         /* a warning: the packet has been delivered */
};

/* A grain of L1 that has bytes on loan: its contents before a write. */
enum { LOOSE_GRAIN = 1 << CORE_CODE_GRAIN };
struct loose_kept {
    uint32_t address;
    uint32_t sent; /* number of transactions that were deferred at the time of the write */
    uint8_t bytes[LOOSE_GRAIN];
};

/* With loose timing: the transactions that a tile has deferred since the last exchange, and its reads of other tiles'
 * memory (tile/loose.h). */
struct loose_mail {
    uint64_t dram;                 /* grains of DRAM that deferred writes will change: bit (address / 16 KiB) % 64 */
    bool own;                      /* a deferred transaction goes to the tile itself */
    bool carrying;                 /* a request is being executed */
    bool behind;                   /* a multicast is deferred, which may take several exchanges; transactions after it
                                    * wait */
    uint32_t bytes;                /* total size of the deferred transactions */
    uint32_t lent_first, lent_end; /* a range of L1 that contains every loan */
    uint32_t kept_count, kept_room;
    struct loose_kept *kept; /* old contents of grains on loan that have been written since */
    uint32_t count, room;
    struct transaction *list; /* deferred transactions, in the order of sending */
    uint32_t done;            /* number of transactions in `list` that have been executed */
    uint32_t apart_count, apart_room;
    uint8_t *apart;      /* bytes of those transactions that have no loan */
    uint32_t read_count; /* reads of memory since the last exchange, by site and NoC, in requests and data flits */
    struct noc_sites read_at;
    struct loose_reads {
        uint32_t requests, words;
    } read[NOC_SITES][2];
};

/* The packets of a tile, or of all tiles that the chip serves. The first cache line of the host has everything that is
 * tested after each run of the tile (mail_is_full). */
struct mail {
    struct inbox inbox;
    struct outbox outbox;
    uint32_t fault_count, used_count;
    bool from_others;    /* the tile has read a packet from another tile since the last exchange */
    bool untimed;        /* loose timing: the tile defers transactions in `loose` */
    uint8_t pool_number; /* index of `pool` in `pools` */
    struct mail_used {
        uint64_t loan; /* its loan; TRANSACTION_NO_LOAN if there is none */
        uint32_t block;
        uint8_t pool;
    } * used; /* blocks sent by other tiles that this tile has read, with their loans */
    uint32_t used_room, fault_room;
    struct mail_fault *fault;
    struct packet_pool *pool;         /* pool of the host thread that runs the tile, for packets that the tile sends */
    struct packet_pool *const *pools; /* all packet pools, by number */
    const uint8_t *dram;              /* memory of all banks */
    struct observer *observer;        /* NULL: not observed */
    struct hazard_tile *hazards;      /* NULL: no search for hazards, or no cores */
    struct debug_tile *debug;         /* NULL: no debugger, or no cores */
    struct loose_mail loose;
};

/* A tile as packets see it: its memory and registers behind two NIUs. */
struct endpoint {
    const struct endpoint_port *port;
    void *owner;
    const struct noc_grid *grid;
    struct mail *mail;
    struct niu *niu;             /* array of two */
    const struct niu_wire *wire; /* wiring of both NIUs */
    struct noc_link *link;       /* array of two */
    uint8_t site;
};

/* Functions through which packets access the tile. */
struct endpoint_port {
    struct access (*read)(void *owner, unsigned noc, uint64_t address, void *data, uint32_t size);
    struct access (*write)(void *owner, unsigned noc, uint64_t address, const void *data, uint32_t size);
    /* Lends bytes, so that the packet need not copy them. Returns their position in DRAM, or TRANSACTION_NO_LOAN if
     * they have to be read. NULL: nothing can be lent. */
    uint64_t (*lend)(void *owner, uint64_t address, uint32_t size);
    void (*take_back)(void *owner, uint64_t loan); /* ends a loan that no packet carries */
    /* Returns a pointer to bytes that can be read in place; NULL if they have to be read. */
    const uint8_t *(*show)(void *owner, uint64_t address, uint32_t size);
    /* Returns the cycle in which the response to a request that arrived at `time` can leave. NULL: that of L1. */
    uint64_t (*serve)(void *owner, const struct noc_request *request, uint64_t time);
    /* Applies an atomic operation to L1. */
    struct access (*atomic)(void *owner, const struct noc_request *request, uint32_t *result);
    /* Notifies a stream of the overlay of a write that has been executed. NULL: there is no overlay. */
    struct access (*stream)(void *owner, const struct noc_request *request);
};

/* ---- Mail --------------------------------------------------------------------------------------------------- */

/* Returns whether the exchange has something to do for this tile. */
static inline bool mail_is_full(const struct mail *mail) {
    bool timed = mail->outbox.count | mail->from_others | mail->fault_count;
    return timed || (mail->untimed && (mail->loose.read_count | mail->loose.count));
}

/* Selects the pool for packets that the tile sends from now on. */
static inline void mail_write_to(struct mail *mail, unsigned pool) {
    mail->pool_number = (uint8_t)pool;
    mail->pool = mail->pools[pool];
}
/* Takes a block for a transaction of `size` bytes; the caller sets all of its members. Returns NULL without memory. */
static inline struct transaction *mail_write(struct mail *mail, uint32_t size, uint32_t *block) {
    return packet_pool_take(mail->pool, size, block);
}
/* Returns the transaction of an arrival. */
static inline struct transaction *mail_read(const struct mail *mail, const struct arrival *arrival) {
    return packet_pool_at(mail->pools[arrival->pool], arrival->block);
}
/* Returns the bytes that a transaction carries. */
static inline const uint8_t *mail_bytes(const struct mail *mail, const struct transaction *transaction) {
    return transaction->bytes == TRANSACTION_IN_DRAM ? mail->dram + transaction->bytes_at
                                                     : transaction_own(transaction);
}
/* Makes room in `used` for all arrivals of the inbox and one more, so that reading them needs no memory. Returns false
 * without memory. */
static inline bool mail_reserve(struct mail *mail) {
    while (BH_UNLIKELY(mail->used_count + mail->inbox.count >= mail->used_room)) {
        struct mail_used *used = list_room(mail->used, mail->used_room, &mail->used_room, sizeof *used);
        if (!used)
            return false;
        mail->used = used;
    }
    return true;
}
/* Queues a transaction that is in flight to this NIU. Returns false without memory. */
static inline bool mail_expect(struct mail *mail, struct noc_link link[2], const struct arrival *arrival) {
    BH_ASSERT(!arrival->taken_in && arrival->flits && arrival->noc < 2 && arrival->to < NOC_SITES);
    if (!mail_reserve(mail) || !inbox_put(&mail->inbox, arrival))
        return false;
    link[arrival->noc].queued += arrival->flits;
    return true;
}
/* Numbers a transaction of this site and its arrival in the order of sending, and queues it: in the inbox if the site
 * sends to itself, else in the outbox. Returns false without memory. */
static inline bool mail_send(struct mail *mail, unsigned site, struct noc_link link[2], struct transaction *transaction,
                             struct arrival arrival) {
    transaction->order = arrival.order = (uint64_t)site << ORDER_SITE_SHIFT | mail->outbox.sent++;
    transaction->to = arrival.to;
    return arrival.to == site ? mail_expect(mail, link, &arrival) : outbox_put(&mail->outbox, arrival);
}
/* Takes the first arrival out of the inbox if the link has accepted its last flit. Packets share the link: a short
 * packet does not wait for the last flit of a longer one. Returns false if the last flit comes later; the arrival then
 * stays in the inbox, where another arrival may complete first. Precondition: the first arrival is due. */
static inline bool mail_receive(struct mail *mail, struct noc_link links[2], struct arrival *arrival) {
    const struct arrival *first = &mail->inbox.heap[0];
    if (!first->taken_in) {
        struct noc_link *link = &links[first->noc];
        BH_ASSERT(mail->inbox.count && link->queued >= first->flits);
        uint64_t unshared = first->time, shared = link->in_free + first->flits;
        link->in_free = shared > unshared ? shared : unshared;
        link->queued -= first->flits;
        if (shared > unshared) {
            inbox_take_in(&mail->inbox, shared);
            return false;
        }
    }
    *arrival = *first;
    inbox_drop(&mail->inbox);
    BH_ASSERT(arrival->time <= inbox_due(&mail->inbox));
    return true;
}
/* Gives back the block of a packet that this site has read. A block that has more readers, belongs to another pool or
 * has a loan is listed for the exchange instead, since other host threads may use it. from_others must not depend on
 * the host thread that ran the tile. */
static inline void mail_used(struct mail *mail, unsigned site, const struct arrival *arrival,
                             const struct transaction *transaction) {
    uint64_t loan = transaction_loan(transaction);
    BH_ASSERT(loan == TRANSACTION_NO_LOAN || transaction_is_response(transaction));
    if (arrival->owner != site || loan != TRANSACTION_NO_LOAN)
        mail->from_others = true;
    if (arrival->pool == mail->pool_number && loan == TRANSACTION_NO_LOAN && packet_pool_is_own(transaction)) {
        packet_pool_release(mail->pool, arrival->block);
        return;
    }
    BH_ASSERT(mail->used_count < mail->used_room); /* mail_reserve has made room */
    mail->used[mail->used_count++] = (struct mail_used){ loan, arrival->block, arrival->pool };
}
/* Stores a fault for the chip. */
void mail_fault(const struct endpoint *endpoint, const struct transaction *transaction, uint64_t time,
                struct access why);
/* Stores a warning: the packet was delivered, but the request is unsafe. */
void mail_warn(const struct endpoint *endpoint, const struct transaction *transaction, uint64_t time, const char *why);
/* Stores a fault of an Ethernet frame that came to the endpoint's tile. */
void mail_fault_frame(const struct endpoint *endpoint, uint32_t address, uint64_t time, struct access why);
/* Stores a fault of an overlay stream of the endpoint's tile. */
void mail_fault_stream(const struct endpoint *endpoint, unsigned stream, uint64_t time, struct access why);
void mail_free(struct mail *mail);

/* ---- Delivery ------------------------------------------------------------------------------------------------- */

/* Delivers a complete transaction. Returns true if its block now carries the response, false if the block can be given
 * back. */
bool endpoint_deliver(const struct endpoint *endpoint, struct transaction *transaction, const struct arrival *arrival);
/* Apply a packet to memory: endpoint_put writes the data of a write, endpoint_take those of a response. */
struct access endpoint_put(const struct endpoint *endpoint, const struct noc_request *request, const uint8_t *data);
struct access endpoint_take(const struct endpoint *endpoint, const struct noc_request *request, const uint8_t *data,
                            uint64_t time);

#endif
