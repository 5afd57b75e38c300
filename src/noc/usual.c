/* What most requests are: a packet between two memories, with the same CTRL and PACKET_TAG as the one before. They are
 * made in one go. Whatever is special about a request, and everything that can be wrong with it, is left to request.c.
 *
 * Sources: as there.
 */
#include "noc/initiator.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

static inline bool is_like(const struct niu_head *head, const uint32_t *word) {
    uint32_t other = (head->ctrl ^ word[NIU_CTRL]) | (head->tag ^ word[NIU_PACKET_TAG]);
    return head->kept && !(other | word[NIU_SEC_CTRL]);
}

/* One packet, all of it in memory at both ends, and from an address that goes with where it goes to. */
static inline bool is_between_memories(const struct noc_grid *grid, const uint32_t *word, unsigned from, unsigned to) {
    uint64_t length = word[NIU_AT_LEN_BE], beyond = word[NIU_AT_LEN_BE_1] | word[NIU_TARG_MID] | word[NIU_RET_MID];
    return length - 1 < NOC_PACKET_MAX && !beyond && word[NIU_TARG_LO] + length <= grid->memory[from] &&
           word[NIU_RET_LO] + length <= grid->memory[to] &&
           !((word[NIU_TARG_LO] ^ word[NIU_RET_LO]) & (grid->unit[from] - 1u));
}

static inline void fill_in(struct noc_request *request, const uint32_t *word, unsigned targ, unsigned ret) {
    bool reads = request->kind == NOC_KIND_READ;
    request->target = (uint8_t)(reads ? targ : ret);
    request->reply = (uint8_t)(reads ? ret : request->marked ? targ : NOC_NOWHERE);
    request->atomic = 0;
    request->data = word[NIU_AT_DATA];
    request->length = word[NIU_AT_LEN_BE];
    request->source_address = reads ? 0 : word[NIU_TARG_LO];
    request->address = reads ? word[NIU_TARG_LO] : word[NIU_RET_LO];
    request->reply_address = reads ? word[NIU_RET_LO] : 0;
    request->mask = request->time = 0;
    request->area = (struct noc_area){ 0 };
}

static inline bool make_usual(const struct niu *niu, const struct noc_grid *grid, const uint32_t *word,
                              const struct niu_head *head, struct noc_request *request) {
    const uint8_t *sites = grid->site[niu->noc];
    unsigned targ = sites[bits_get(word[NIU_TARG_HI], 0, 12)], ret = sites[bits_get(word[NIU_RET_HI], 0, 12)];
    if (!is_like(head, word) || niu->own_tables || targ == NOC_NOWHERE || ret == NOC_NOWHERE || grid->dead[targ])
        return false;
    memcpy(request, head->bytes, sizeof head->bytes);
    if (!is_between_memories(grid, word, request->kind == NOC_KIND_READ ? targ : niu->site, ret))
        return false;
    fill_in(request, word, targ, ret);
    return true;
}

struct access request_make(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                           struct noc_request *request, unsigned *packets) {
    const uint32_t *word = niu->initiator[initiator];
    if (BH_UNLIKELY(!wire->head || !make_usual(niu, wire->grid, word, &wire->head[niu->noc][initiator], request)))
        return request_make_any(niu, wire, initiator, request, packets);
    *packets = 1;
    return access_done();
}
