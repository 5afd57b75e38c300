/* A packet at the end of its way: what a request does to its receiver and what goes back, what a response does.
 *
 * Sources: BlackholeA0/NoC/MemoryMap.md, Counters.md; WormholeB0/NoC/Ordering.md.
 * Flits go into a NIU one a cycle, in the order in which packets get there. All bytes of a packet are read or written
 * in the cycle in which its last flit arrives. Responses leave a NIU one flit a cycle, whoever they are for. Inexact:
 * packets do not interleave; responses do not share the way out with the requests of the same NIU; memories take no
 * time.
 */
#ifndef TILE_DELIVER_H
#define TILE_DELIVER_H

#include "bhemu.h"
#include "isa/access.h"
#include "noc/niu.h"
#include "riscv/core.h"
#include "tile/transit.h"

/* The two ways between a NIU and its router. */
struct noc_link {
    uint64_t out_free; /* the last response so far has left */
    uint64_t in_free;  /* what has been taken in so far is complete */
    uint64_t queued;   /* flits that are on their way to this NIU */
};

/* When everything will have been taken in that is on its way, if that begins no sooner than now. */
static inline uint64_t noc_link_busy_until(const struct noc_link *link, uint64_t now) {
    return (link->in_free > now ? link->in_free : now) + link->queued;
}

/* The tables of state of packets, their faults and links (mail_table.c). */
extern const struct state_table arrival_state, mail_fault_state, noc_link_state;

/* A request or a response that nothing could be done with. */
struct mail_fault {
    struct bh_fault fault; /* without the tile */
    uint8_t site;          /* of the sender of the request */
    bool harmless;         /* a warning: it has been done */
};

/* A grain of L1 with bytes on loan as it was before a write. */
enum { LOOSE_GRAIN = 1 << CORE_CODE_GRAIN };
struct loose_kept {
    uint32_t address;
    uint32_t sent; /* transactions that had been put off by then */
    uint8_t bytes[LOOSE_GRAIN];
};

/* Of a tile that is loosely timed: what it has put off, and what of others' it has used, since tiles last met
 * (tile/loose.h). */
struct loose_mail {
    uint64_t dram;  /* what of DRAM will be written to: a bit for 16 KiB, or any that are a multiple of 1 MiB off */
    bool own;       /* something goes to the tile itself */
    bool carrying;  /* a request is being carried out right now */
    bool behind;    /* a multicast has been put off, which may take longer than to the next meeting */
    uint32_t bytes; /* that wait */
    uint32_t lent_first, lent_end; /* the bytes of L1 that transactions have on loan are among these */
    uint32_t kept_count, kept_room;
    struct loose_kept *kept; /* what they were, where they have changed since */
    uint32_t count, room;
    struct transaction *list; /* all that has been put off, in its order; */
    uint32_t done;            /* so many of them have been carried out */
    uint32_t apart_count, apart_room;
    uint8_t *apart;      /* bytes that they carry */
    uint32_t read_count; /* requests that have read memory of these: by site and NoC, how often and how many flits */
    struct noc_sites read_at;
    struct loose_reads {
        uint32_t requests, words;
    } read[NOC_SITES][2];
};

/* Everything that goes in and out of a tile, or of all tiles that have none of their own. The first line of the host's
 * cache has all that is looked at whenever the tile has run (mail_is_full). */
struct mail {
    struct inbox inbox;
    struct outbox outbox;
    uint32_t fault_count, used_count;
    bool from_others;     /* something has been read that others have sent, since tiles last met */
    bool untimed;         /* the chip is loosely timed: what is sent is in `loose` */
    uint8_t store_number; /* of `store` among `stores` */
    struct mail_used {
        uint64_t loan; /* TRANSACTION_NO_LOAN: none */
        uint32_t block;
        uint8_t store;
    } * used; /* blocks of others that have been read, and what they had on loan */
    uint32_t used_room, fault_room;
    struct mail_fault *fault;
    struct store *store;         /* of the thread that runs the tile: where what it sends is written to */
    struct store *const *stores; /* by number */
    const uint8_t *dram;         /* all banks */
    struct observer *observer;   /* NULL: nobody watches */
    struct loose_mail loose;
};

/* A place where packets arrive. */
struct place {
    const struct place_port *port;
    void *owner;
    const struct noc_grid *grid;
    struct mail *mail;
    struct niu *niu;             /* two of them */
    const struct niu_wire *wire; /* theirs */
    struct noc_link *link;       /* two of them */
    uint8_t site;
};

/* What is there. */
struct place_port {
    struct access (*read)(void *owner, unsigned noc, uint64_t address, void *data, uint32_t size);
    struct access (*write)(void *owner, unsigned noc, uint64_t address, const void *data, uint32_t size);
    /* Bytes that may be left where they are until they are asked for again: where they are, or TRANSACTION_NO_LOAN if
     * they are to be read. NULL: nothing may. */
    uint64_t (*lend)(void *owner, uint64_t address, uint32_t size);
    /* Bytes that can be read where they are; NULL: there are none, ask for them. */
    const uint8_t *(*show)(void *owner, uint64_t address, uint32_t size);
    /* An atomic operation on L1. */
    struct access (*atomic)(void *owner, const struct noc_request *request, uint32_t *result);
};

/* ---- Mail --------------------------------------------------------------------------------------------------- */

/* Is something for the chip to fetch? */
static inline bool mail_is_full(const struct mail *mail) {
    bool timed = mail->outbox.count | mail->from_others | mail->fault_count;
    return timed || (mail->untimed && (mail->loose.read_count | mail->loose.count));
}

/* The store of this number is where what is sent is written to from now on. */
static inline void mail_write_to(struct mail *mail, unsigned store) {
    mail->store_number = (uint8_t)store;
    mail->store = mail->stores[store];
}
/* A block for a transaction of so many bytes; all of its fields are to be set. NULL: no memory. */
static inline struct transaction *mail_write(struct mail *mail, uint32_t size, uint32_t *block) {
    return store_take(mail->store, size, block);
}
/* The transaction of an arrival. */
static inline struct transaction *mail_read(const struct mail *mail, const struct arrival *arrival) {
    return store_at(mail->stores[arrival->store], arrival->block);
}
/* What a transaction carries. */
static inline const uint8_t *mail_bytes(const struct mail *mail, const struct transaction *transaction) {
    return transaction->bytes == TRANSACTION_IN_DRAM ? mail->dram + transaction->place : transaction_own(transaction);
}
/* A transaction is on its way to this NIU. False: no memory. */
static inline bool mail_expect(struct mail *mail, struct noc_link link[2], const struct arrival *arrival) {
    if (!inbox_put(&mail->inbox, arrival))
        return false;
    link[arrival->noc].queued += arrival->flits;
    return true;
}
/* Gives a transaction of this site its place in the order, which the arrival has not yet, and puts it where it goes on
 * from. False: no memory. */
static inline bool mail_send(struct mail *mail, unsigned site, struct noc_link link[2], struct transaction *transaction,
                             struct arrival arrival) {
    transaction->order = arrival.order = (uint64_t)site << ORDER_SITE_SHIFT | mail->outbox.sent++;
    transaction->to = arrival.to;
    return arrival.to == site ? mail_expect(mail, link, &arrival) : outbox_put(&mail->outbox, arrival);
}
/* Takes out the first one, which is complete. The link has done so much by then that the last flit can be in: packets
 * share it, and shorter ones do not wait for the last flit of longer ones. False: that is later, and it stays in the
 * inbox with the others, one of which may be complete before it. */
static inline bool mail_receive(struct mail *mail, struct noc_link links[2], struct arrival *arrival) {
    const struct arrival *first = &mail->inbox.heap[0];
    if (!first->taken_in) {
        struct noc_link *link = &links[first->noc];
        uint64_t alone = first->time, shared = link->in_free + first->flits;
        link->in_free = shared > alone ? shared : alone;
        link->queued -= first->flits;
        if (shared > alone) {
            inbox_take_in(&mail->inbox, shared);
            return false;
        }
    }
    *arrival = *first;
    inbox_drop(&mail->inbox);
    return true;
}
/* It has been read, at this site. Other threads may look at a block that has more readers. Whether there is something
 * for the chip to fetch must not depend on who has run the tile. Without memory for the list the block is lost, which
 * costs no more than memory. */
static inline void mail_used(struct mail *mail, unsigned site, const struct arrival *arrival,
                             const struct transaction *transaction) {
    uint64_t loan = transaction_loan(transaction);
    if (arrival->owner != site || loan != TRANSACTION_NO_LOAN)
        mail->from_others = true;
    if (arrival->store == mail->store_number && loan == TRANSACTION_NO_LOAN && store_is_own(transaction)) {
        store_release(mail->store, arrival->block);
        return;
    }
    struct mail_used *used = list_room(mail->used, mail->used_count, &mail->used_room, sizeof *used);
    if (!used)
        return;
    mail->used = used;
    used[mail->used_count++] = (struct mail_used){ loan, arrival->block, arrival->store };
}
/* Keeps a fault for the chip. */
void mail_fault(const struct place *place, const struct transaction *transaction, uint64_t time, struct access why);
/* It is done, but should not have been asked for. */
void mail_warn(const struct place *place, const struct transaction *transaction, uint64_t time, const char *why);
void mail_free(struct mail *mail);

/* ---- The end of the way --------------------------------------------------------------------------------------- */

/* A transaction is complete. True: its block has gone on, with the response in it; else it has been used. */
bool place_deliver(const struct place *place, struct transaction *transaction, const struct arrival *arrival);
/* What of it is done to memory: what a write brings is put where it belongs; a response, which brings this, is taken
 * in. */
struct access place_put(const struct place *place, const struct noc_request *request, const uint8_t *data);
struct access place_take(const struct place *place, const struct noc_request *request, const uint8_t *data,
                         uint64_t time);

#endif
