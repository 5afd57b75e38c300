/* The tile's side of a loosely timed NoC: no packet is ever on its way.
 *
 * What a tile asks of itself is done when CMD_CTRL is written, and so is a read of DRAM, which stays as it is while
 * tiles run. Everything else is put off until tiles meet, which is when the chip carries it out, in the order in which
 * the tile has sent it (chip/loose.c). A write to somebody else is acknowledged though when it is sent: whoever could
 * tell that it has not been done asks later, for nothing gets out of the tile but in that order. Then counters of a NIU
 * go from before to after without a pause.
 *
 * What a write sends stays in L1 until then: the host's caches have better things to do than to hold two copies of
 * everything. Whoever is about to write to L1, be it a core, the coprocessor or a packet, says so (l1_begin),
 * and what was there is kept.
 */
#ifndef TILE_LOOSE_H
#define TILE_LOOSE_H

#include "tile/deliver.h"

struct tile;

/* niu_port.send. */
void loose_send(void *owner, const struct noc_request *request);
/* A core's usual request (noc/usual.h) in the registers of an initiator, to which nothing stands in the way: all of it,
 * what the NIU counts included. False: nothing has been done, as there is more to it. */
bool loose_send_usual(struct tile *tile, struct niu *niu, unsigned initiator, uint64_t time);

/* Does the request get an answer? And has it had it when it was sent? */
static inline bool loose_is_answered(const struct noc_request *request) {
    return request->marked || request->kind == NOC_KIND_READ;
}
static inline bool loose_is_acknowledged(const struct noc_request *request) {
    bool writes = request->kind != NOC_KIND_READ && request->kind != NOC_KIND_ATOMIC;
    return writes && request->marked && !request->multicast && request->target != request->source &&
           request->reply == request->source;
}

/* Carries out a request at a receiver. What its answer brings is at *data then, maybe in the room that there is for
 * it, NOC_PACKET_MAX bytes. */
struct access loose_arrive(const struct place *place, const struct noc_request *request, const uint8_t *bytes,
                           uint8_t *room, const uint8_t **data);

/* May transactions have some of these bytes of L1 on loan? */
static inline bool loose_has_lent(const struct loose_mail *loose, uint32_t address, uint32_t size) {
    return address < loose->lent_end && address + size > loose->lent_first;
}
/* Copies of them are kept. */
void loose_keep(struct tile *tile, uint32_t address, uint32_t size);
/* Copies bytes that the transaction that was put off after so many others has on loan. */
void loose_copy(const struct tile *tile, uint32_t index, uint32_t source, uint32_t length, uint8_t *to);
const uint8_t *loose_bytes(const struct tile *from, uint32_t index, const struct transaction *transaction,
                           uint8_t *room);
/* So many of the list as `done` says have been carried out, and all that have anything on loan: they go. */
void loose_forget(struct loose_mail *loose);
/* One more at the end of the list, from a chip that was saved. False: no memory. */
bool loose_restore(struct loose_mail *loose, const struct transaction *transaction, const uint8_t *bytes);
void loose_free(struct loose_mail *loose);

#endif
