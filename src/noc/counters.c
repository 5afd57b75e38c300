/* The NIU's counters and the interrupt that they drive (BlackholeA0/NoC/Counters.md, Interrupts.md).
 *
 * Assumed: RTZ_NUM gives the ids in turn; clearing a counter that is not zero counts as its return to zero.
 */
#include "noc/initiator.h"

enum { RTZ_CFG = 30, RTZ_ENABLE = 0xFFFF, RTZ_KEEP = 1 << 28 };

/* ---- By id: eight bits ---------------------------------------------------------------------------------- */

static void set_outstanding(struct niu *niu, unsigned id, uint32_t value) {
    uint32_t *count = &niu->count[NIU_OUTSTANDING + id];
    if (*count && !(value & 255))
        niu->rtz_source |= 1u << id;
    *count = value & 255;
}

/* ---- The sender ----------------------------------------------------------------------------------------- */

void count_issued(struct niu *niu, const struct noc_request *request, unsigned packets) {
    if (request->marked)
        set_outstanding(niu, request->id, niu->count[NIU_OUTSTANDING + request->id] + packets);
    if (count_carries(request->kind))
        count_outgoing(niu, request->id, packets);
}

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

/* ---- The target of a response --------------------------------------------------------------------------- */

void niu_response(struct niu *niu, const struct niu_wire *wire, const struct noc_response *response, uint64_t time) {
    switch (response->kind) {
    case NOC_READ_DATA:
        niu->count[NIU_RD_RESP_RECEIVED]++;
        niu->count[NIU_RD_DATA_WORD_RECEIVED] += noc_response_words(response);
        break;
    case NOC_WRITE_ACK: niu->count[NIU_WR_ACK_RECEIVED]++; break;
    case NOC_ATOMIC_RESULT: niu->count[NIU_ATOMIC_RESP_RECEIVED]++; break;
    default: break;
    }
    set_outstanding(niu, response->id, niu->count[NIU_OUTSTANDING + response->id] - 1);
    count_interrupt(niu, wire, time);
}

/* ---- Interrupts ----------------------------------------------------------------------------------------- */

static uint32_t pending(const struct niu *niu) {
    return niu->rtz_source & niu->config[RTZ_CFG] & RTZ_ENABLE;
}

void count_clear(struct niu *niu, uint32_t ids) {
    for (unsigned id = 0; id < NIU_IDS; id++)
        if (ids >> id & 1)
            set_outstanding(niu, id, 0);
}

void count_acknowledge(struct niu *niu, uint32_t ids) {
    niu->rtz_source &= ~ids;
}

uint32_t count_number(const struct niu *niu) {
    uint32_t ids = pending(niu);
    for (unsigned i = 0; i < NIU_IDS; i++) {
        unsigned id = (niu->rtz_next + i) % NIU_IDS;
        if (ids >> id & 1)
            return id;
    }
    return 0;
}

void count_number_read(struct niu *niu) {
    if (!pending(niu))
        return;
    uint32_t id = count_number(niu);
    niu->rtz_next = (uint8_t)((id + 1) % NIU_IDS);
    if (!(niu->config[RTZ_CFG] & RTZ_KEEP))
        niu->rtz_source &= ~(1u << id);
}

void count_interrupt(struct niu *niu, const struct niu_wire *wire, uint64_t time) {
    bool raised = pending(niu) != 0;
    if (raised == niu->raised)
        return;
    niu->raised = raised;
    if (wire && wire->port->interrupt)
        wire->port->interrupt(wire->owner, niu->noc, raised, time);
}
