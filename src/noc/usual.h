/* Requests that are like the one before: what there is to know of them without making them (usual.c). */
#ifndef NOC_USUAL_H
#define NOC_USUAL_H

#include <string.h>

#include "base/bits.h"
#include "noc/niu.h"

/* A packet between two memories, in the registers of an initiator whose CTRL and PACKET_TAG are those of its head. */
struct usual {
    const uint32_t *word; /* the registers */
    const struct niu_head *head;
    uint8_t targ, ret; /* sites of TARG and RET */
};

/* A field that the head of a request has. */
#define USUAL_HEAD(usual, field) ((usual)->head->bytes[offsetof(struct noc_request, field)])

static inline bool usual_is_like(const struct niu_head *head, const uint32_t *word) {
    uint32_t other = (head->ctrl ^ word[NIU_CTRL]) | (head->tag ^ word[NIU_PACKET_TAG]);
    return head->kept && !(other | word[NIU_SEC_CTRL]);
}

/* One packet, all of it in memory at both ends, and from an address that goes with where it goes to. */
static inline bool usual_is_between_memories(const struct noc_grid *grid, const uint32_t *word, unsigned from,
                                             unsigned to) {
    uint64_t length = word[NIU_AT_LEN_BE], beyond = word[NIU_AT_LEN_BE_1] | word[NIU_TARG_MID] | word[NIU_RET_MID];
    return length - 1 < NOC_PACKET_MAX && !beyond && word[NIU_TARG_LO] + length <= grid->memory[from] &&
           word[NIU_RET_LO] + length <= grid->memory[to] &&
           !((word[NIU_TARG_LO] ^ word[NIU_RET_LO]) & (grid->unit[from] - 1u));
}

/* False: it is not usual. */
static inline bool usual_find(const struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                              struct usual *usual) {
    const struct noc_grid *grid = wire->grid;
    const uint32_t *word = niu->initiator[initiator];
    const uint8_t *sites = grid->site[niu->noc];
    unsigned targ = sites[bits_get(word[NIU_TARG_HI], 0, 12)], ret = sites[bits_get(word[NIU_RET_HI], 0, 12)];
    *usual = (struct usual){ word, &wire->head[niu->noc][initiator], (uint8_t)targ, (uint8_t)ret };
    if (!usual_is_like(usual->head, word) || niu->own_tables || targ == NOC_NOWHERE || ret == NOC_NOWHERE ||
        grid->dead[targ])
        return false;
    return usual_is_between_memories(grid, word, USUAL_HEAD(usual, kind) == NOC_KIND_READ ? targ : niu->site, ret);
}

/* As request_make makes it, up to the addresses: that is all there is to a write. */
static inline void usual_write(const struct usual *usual, struct noc_request *request) {
    const uint32_t *word = usual->word;
    memcpy(request, usual->head->bytes, sizeof usual->head->bytes);
    bool reads = request->kind == NOC_KIND_READ;
    request->target = reads ? usual->targ : usual->ret;
    request->reply = reads ? usual->ret : request->marked ? usual->targ : NOC_NOWHERE;
    request->length = word[NIU_AT_LEN_BE];
    request->data = word[NIU_AT_DATA];
    request->address = word[reads ? NIU_TARG_LO : NIU_RET_LO];
    request->source_address = word[reads ? NIU_RET_LO : NIU_TARG_LO]; /* or the reply's */
}

/* All of it; it leaves at no time yet. */
static inline void usual_request(const struct usual *usual, struct noc_request *request) {
    usual_write(usual, request);
    request->atomic = 0;
    request->area = (struct noc_area){ 0 };
    request->mask = request->time = 0;
}

/* It is sent, done and, if it is marked, answered, all in one: what the NIU counts of it. */
void usual_done(struct niu *niu, const struct niu_wire *wire, const struct usual *usual, uint64_t time);

#endif
