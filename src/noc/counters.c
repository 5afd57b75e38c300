/* The NIU's counters and the interrupt that they drive (BlackholeA0/NoC/Counters.md, Interrupts.md).
 *
 * Assumed: RTZ_NUM gives the ids in turn; clearing a counter that is not zero counts as its return to zero.
 */
#include "noc/initiator.h"

enum { RTZ_KEEP = 1 << 28 };

/* ---- The receiver --------------------------------------------------------------------------------------- */

void niu_arrived(struct niu *niu, const struct noc_request *request) {
    uint32_t words = request->kind == NOC_KIND_INLINE ? 1 : noc_request_words(request);
    switch (request->kind) {
    case NOC_KIND_READ:
        niu->count[NIU_SLV_REQ_ACCEPTED]++;
        niu->count[NIU_SLV_RD_REQ_RECEIVED]++;
        break;
    case NOC_KIND_ATOMIC:
        niu->count[NIU_SLV_REQ_ACCEPTED]++;
        count_pair(niu, NIU_SLV_ATOMIC_RECEIVED, request->marked, 1);
        break;
    default:
        count_pair(niu, NIU_SLV_WR_REQ_STARTED, request->marked, 1);
        count_pair(niu, NIU_SLV_WR_DATA_WORD_RECEIVED, request->marked, words);
        count_pair(niu, NIU_SLV_WR_REQ_RECEIVED, request->marked, 1);
    }
}

void niu_answered(struct niu *niu, const struct noc_request *request) {
    switch (request->kind) {
    case NOC_KIND_READ:
        niu->count[NIU_SLV_RD_RESP_SENT]++;
        niu->count[NIU_SLV_RD_DATA_WORD_SENT] += noc_data_flits(request->length);
        break;
    case NOC_KIND_ATOMIC: niu->count[NIU_SLV_ATOMIC_RESP_SENT]++; break;
    default: niu->count[NIU_SLV_WR_ACK_SENT]++;
    }
}

void niu_written(struct niu *niu, uint32_t length, bool marked) {
    count_pair(niu, NIU_SLV_WR_REQ_STARTED, marked, 1);
    count_pair(niu, NIU_SLV_WR_DATA_WORD_RECEIVED, marked, noc_data_flits(length));
    count_pair(niu, NIU_SLV_WR_REQ_RECEIVED, marked, 1);
    niu->count[NIU_SLV_WR_ACK_SENT] += marked;
}

/* ---- The target of a response --------------------------------------------------------------------------- */

static inline void come_back(struct niu *niu, const struct niu_wire *wire, unsigned id, uint64_t time) {
    count_outstanding(niu, id, UINT32_MAX);
    count_interrupt(niu, wire, time);
}

void niu_acknowledged(struct niu *niu, const struct niu_wire *wire, unsigned id, uint64_t time) {
    niu->count[NIU_WR_ACK_RECEIVED]++;
    come_back(niu, wire, id, time);
}

void niu_has_read(struct niu *niu, const struct niu_wire *wire, unsigned id, uint32_t length, uint64_t time) {
    niu->count[NIU_RD_RESP_RECEIVED]++;
    niu->count[NIU_RD_DATA_WORD_RECEIVED] += noc_data_flits(length);
    come_back(niu, wire, id, time);
}

void niu_response(struct niu *niu, const struct niu_wire *wire, const struct noc_response *response, uint64_t time) {
    switch (response->kind) {
    case NOC_READ_DATA: niu_has_read(niu, wire, response->id, response->length, time); break;
    case NOC_WRITE_ACK: niu_acknowledged(niu, wire, response->id, time); break;
    default: niu->count[NIU_ATOMIC_RESP_RECEIVED]++; come_back(niu, wire, response->id, time);
    }
}

/* ---- Interrupts ----------------------------------------------------------------------------------------- */

void count_clear(struct niu *niu, uint32_t ids) {
    for (unsigned id = 0; id < NIU_IDS; id++)
        if (ids >> id & 1)
            count_outstanding(niu, id, 0 - niu->count[NIU_OUTSTANDING + id]);
}

void count_acknowledge(struct niu *niu, uint32_t ids) {
    niu->rtz_source &= ~ids;
}

uint32_t count_number(const struct niu *niu) {
    uint32_t ids = count_pending(niu);
    for (unsigned i = 0; i < NIU_IDS; i++) {
        unsigned id = (niu->rtz_next + i) % NIU_IDS;
        if (ids >> id & 1)
            return id;
    }
    return 0;
}

void count_number_read(struct niu *niu) {
    if (!count_pending(niu))
        return;
    uint32_t id = count_number(niu);
    niu->rtz_next = (uint8_t)((id + 1) % NIU_IDS);
    if (!(niu->config[COUNT_RTZ_CFG] & RTZ_KEEP))
        niu->rtz_source &= ~(1u << id);
}

void count_tell(struct niu *niu, const struct niu_wire *wire, uint64_t time) {
    niu->raised = !niu->raised;
    if (wire && wire->port->interrupt)
        wire->port->interrupt(wire->owner, niu->noc, niu->raised, time);
}
