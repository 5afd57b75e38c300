/* What most requests are: a packet between two memories, with the same CTRL and PACKET_TAG as the one before. They are
 * made in one go. Whatever is special about a request, and everything that can be wrong with it, is left to request.c.
 *
 * Sources: as there.
 */
#include "noc/usual.h"

#include <string.h>

#include "base/check.h"
#include "noc/initiator.h"

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

static inline bool make_usual(const struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                              struct noc_request *request) {
    struct usual usual;
    if (!usual_find(niu, wire, initiator, &usual))
        return false;
    memcpy(request, usual.head->bytes, sizeof usual.head->bytes);
    fill_in(request, usual.word, usual.targ, usual.ret);
    return true;
}

struct access request_make(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                           struct noc_request *request, unsigned *packets) {
    if (BH_UNLIKELY(!wire->head || !make_usual(niu, wire, initiator, request)))
        return request_make_any(niu, wire, initiator, request, packets);
    *packets = 1;
    return access_done();
}

/* Whoever is told of an interrupt does not look at the counters, so that the order does not matter. */
void usual_done(struct niu *niu, const struct niu_wire *wire, const struct usual *usual, uint64_t time) {
    unsigned id = USUAL_HEAD(usual, id);
    bool marked = USUAL_HEAD(usual, marked);
    uint32_t words = noc_data_flits(usual->word[NIU_AT_LEN_BE]);
    if (marked) {
        count_outstanding(niu, id, 1);
        count_outstanding(niu, id, UINT32_MAX);
    }
    niu->count[NIU_CMD_ACCEPTED]++;
    if (USUAL_HEAD(usual, kind) == NOC_KIND_READ) {
        niu->count[NIU_RD_REQ_STARTED]++;
        niu->count[NIU_RD_REQ_SENT]++;
        niu->count[NIU_RD_RESP_RECEIVED]++;
        niu->count[NIU_RD_DATA_WORD_RECEIVED] += words;
    } else {
        count_outgoing(niu, id, 0); /* there and gone */
        count_pair(niu, NIU_WR_REQ_STARTED, marked, 1);
        count_pair(niu, NIU_WR_REQ_SENT, marked, 1);
        count_pair(niu, NIU_WR_DATA_WORD_SENT, marked, words);
        niu->count[NIU_WR_ACK_RECEIVED] += marked;
    }
    count_interrupt(niu, wire, time);
}
