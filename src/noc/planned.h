/* Requests that use the plan of their initiator, without checking CTRL and PACKET_TAG again (planned.c). */
#ifndef NOC_PLANNED_H
#define NOC_PLANNED_H

#include <string.h>

#include "base/bits.h"
#include "noc/niu.h"

/* A packet between two memories, for an initiator whose CTRL and PACKET_TAG are those of its plan. */
struct planned {
    const uint32_t *word; /* registers of the initiator */
    const struct niu_plan *plan;
    uint8_t targ, ret; /* sites of TARG and RET */
};

/* A member of the request that the plan determines. */
#define PLAN_FIELD(planned, field) ((planned)->plan->bytes[offsetof(struct noc_request, field)])

static inline bool planned_matches(const struct niu_plan *plan, const uint32_t *word) {
    uint32_t other = (plan->ctrl ^ word[NIU_CTRL]) | (plan->tag ^ word[NIU_PACKET_TAG]);
    return plan->kept && !(other | word[NIU_SEC_CTRL]);
}

/* Returns whether the request is a single packet that is in memory at both ends, with congruent addresses. */
static inline bool planned_is_between_memories(const struct noc_grid *grid, const uint32_t *word, unsigned from,
                                               unsigned to) {
    uint64_t length = word[NIU_AT_LEN_BE], beyond = word[NIU_AT_LEN_BE_1] | word[NIU_TARG_MID] | word[NIU_RET_MID];
    return length - 1 < NOC_PACKET_MAX && !beyond && word[NIU_TARG_LO] + length <= grid->memory[from] &&
           word[NIU_RET_LO] + length <= grid->memory[to] &&
           !((word[NIU_TARG_LO] ^ word[NIU_RET_LO]) & (grid->unit[from] - 1u));
}

/* Finds the plan and the sites of a request. Returns false if the request needs request_prepare. */
static inline bool planned_find(const struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                                struct planned *planned) {
    const struct noc_grid *grid = wire->grid;
    const uint32_t *word = niu->initiator[initiator];
    const uint8_t *sites = grid->site[niu->noc];
    unsigned targ = sites[bits_get(word[NIU_TARG_HI], 0, 12)], ret = sites[bits_get(word[NIU_RET_HI], 0, 12)];
    *planned = (struct planned){ word, &wire->plan[niu->noc][initiator], (uint8_t)targ, (uint8_t)ret };
    if (!planned_matches(planned->plan, word) || niu->own_tables || targ == NOC_NOWHERE || ret == NOC_NOWHERE ||
        grid->dead[targ])
        return false;
    return planned_is_between_memories(grid, word, PLAN_FIELD(planned, kind) == NOC_KIND_READ ? targ : niu->site, ret);
}

/* Makes the request up to its addresses, in the way of request_make. A write needs no more. */
static inline void planned_write(const struct planned *planned, struct noc_request *request) {
    const uint32_t *word = planned->word;
    memcpy(request, planned->plan->bytes, sizeof planned->plan->bytes);
    bool reads = request->kind == NOC_KIND_READ;
    request->target = reads ? planned->targ : planned->ret;
    request->reply = reads ? planned->ret : request->marked ? planned->targ : NOC_NOWHERE;
    request->length = word[NIU_AT_LEN_BE];
    request->data = word[NIU_AT_DATA];
    request->address = word[reads ? NIU_TARG_LO : NIU_RET_LO];
    request->source_address = word[reads ? NIU_RET_LO : NIU_TARG_LO]; /* or reply_address */
}

/* Makes the whole request, except for its time. */
static inline void planned_request(const struct planned *planned, struct noc_request *request) {
    planned_write(planned, request);
    request->atomic = 0;
    request->area = (struct noc_area){ 0 };
    request->mask = request->time = 0;
}

/* Counts every moment of a planned request that is sent, executed and, if marked, answered in one step. */
void planned_count(struct niu *niu, const struct niu_wire *wire, const struct planned *planned, uint64_t time);

#endif
