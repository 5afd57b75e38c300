/* The tile's side of a loosely timed NoC, on which no packet is ever in flight.
 *
 * The tile executes a request to itself, and a read of DRAM, inside the store to CMD_CTRL; DRAM does not change while
 * tiles run. All other transactions are deferred to the end of the epoch, when the chip executes them in the order in
 * which the tile has sent them (chip/loose.c). The sender counts the acknowledgement of a write to another tile at
 * once. That is safe because later requests leave in program order: no tile can see the write as missing. The counters
 * of a NIU then change from their values before the request to those after its response in one step.
 *
 * The data of a deferred write stays in L1 on loan, which saves a copy. Every write to L1, by a core, the coprocessor
 * or a packet, is announced (l1_begin), and the old bytes are copied first. */
#ifndef TILE_LOOSE_H
#define TILE_LOOSE_H

#include "tile/deliver.h"

struct tile;

/* Sends a request: the function for niu_port.send. */
void loose_send(void *owner, const struct noc_request *request);
/* Sends a core's planned request (noc/planned.h) and counts it. Returns false without any effect if the request needs
 * loose_send. Precondition: niu_is_command, and no sleeping core watches a NIU. */
bool loose_send_planned(struct tile *tile, struct niu *niu, unsigned initiator, uint64_t time);

/* loose_is_answered returns whether a request gets a response; loose_is_acknowledged, whether the sender counts the
 * response when it sends the request. */
static inline bool loose_is_answered(const struct noc_request *request) {
    return request->marked || request->kind == NOC_KIND_READ;
}
static inline bool loose_is_acknowledged(const struct noc_request *request) {
    bool writes = request->kind != NOC_KIND_READ && request->kind != NOC_KIND_ATOMIC;
    return writes && request->marked && !request->multicast && request->target != request->source &&
           request->reply == request->source;
}

/* Executes a request at a receiver. Sets *data to the data of the response, which may be in `room`. Precondition:
 * `room` has NOC_PACKET_MAX bytes. */
struct access loose_arrive(const struct endpoint *endpoint, const struct noc_request *request, const uint8_t *bytes,
                           uint8_t *room, const uint8_t **data);

/* Returns whether any of these bytes of L1 may be on loan to transactions. */
static inline bool loose_has_lent(const struct loose_mail *loose, uint32_t address, uint32_t size) {
    return address < loose->lent_end && address + size > loose->lent_first;
}
/* Copies the old contents of bytes on loan, before a write. */
void loose_keep(struct tile *tile, uint32_t address, uint32_t size);
/* loose_copy copies bytes that transaction `index` of the list has on loan. loose_bytes returns the bytes of that
 * transaction, in place or in `room`. Precondition: `room` has NOC_PACKET_MAX bytes. */
void loose_copy(const struct tile *tile, uint32_t index, uint32_t source, uint32_t length, uint8_t *to);
const uint8_t *loose_bytes(const struct tile *from, uint32_t index, const struct transaction *transaction,
                           uint8_t *room);
/* Removes the first loose->done transactions from the list. Precondition: no other transaction has a loan. */
void loose_forget(struct loose_mail *loose);
/* Appends a transaction of a saved chip to the list. Returns false without memory. */
bool loose_restore(struct loose_mail *loose, const struct transaction *transaction, const uint8_t *bytes);
void loose_free(struct loose_mail *loose);

#endif
