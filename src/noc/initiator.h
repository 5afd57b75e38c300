/* Inside the NIU: what request.c, usual.c, send.c and counters.c do for each other and for the registers (niu.c). */
#ifndef NOC_INITIATOR_H
#define NOC_INITIATOR_H

#include "base/check.h"
#include "noc/niu.h"

/* A refusal that names NoC and command buffer. */
__attribute__((cold, format(printf, 4, 5))) struct access niu_refuse(struct niu *niu, unsigned initiator,
                                                                     enum bh_fault_kind kind, const char *format, ...);

/* The request in an initiator's registers, with the length of its first packet; and how many packets it takes. */
struct access request_make(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                           struct noc_request *request, unsigned *packets);
/* The same of any request, as if it were the first (request.c). */
struct access request_make_any(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                               struct noc_request *request, unsigned *packets);
/* Bytes of all packets together. */
uint64_t request_length(const struct niu *niu, const struct noc_request *request);
/* Turns one packet of so many bytes in total into the next; the first one stays as it is. */
void request_advance(struct noc_request *request, uint64_t total, unsigned packet);

/* A store to CMD_CTRL (send.c). */
struct access send_command(struct niu *niu, const struct niu_wire *wire, unsigned initiator, uint64_t time);
/* NIU_CFG_0: initiators have FIFOs. */
enum { CFG_REQUEST_FIFO = 1 << 16 };
static inline bool niu_has_fifos(const struct niu *niu) {
    return niu->config[0] & CFG_REQUEST_FIFO;
}
/* Requests of an initiator that wait for a channel. */
unsigned send_waiting(const struct niu *niu, unsigned initiator);

/* ---- Counting (counters.c) -------------------------------------------------------------------------------- */

static inline bool count_carries(unsigned kind) {
    return kind == NOC_KIND_WRITE || kind == NOC_KIND_MASKED;
}
/* Pairs of counters: the marked one first. */
static inline void count_pair(struct niu *niu, enum niu_counter pair, bool marked, uint32_t n) {
    niu->count[pair + !marked] += n;
}
static inline void count_outgoing(struct niu *niu, unsigned id, uint32_t n) {
    niu->count[NIU_OUTGOING + id] = (niu->count[NIU_OUTGOING + id] + n) & 255;
}

/* By id: eight bits. */
static inline void count_outstanding(struct niu *niu, unsigned id, uint32_t n) {
    uint32_t *count = &niu->count[NIU_OUTSTANDING + id], value = (*count + n) & 255;
    if (*count && !value)
        niu->rtz_source |= 1u << id;
    *count = value;
}

/* As CMD_CTRL is written; as a packet gets its channel; as it starts to leave; as it has left. */
static inline void count_issued(struct niu *niu, const struct noc_request *request, unsigned packets) {
    if (request->marked)
        count_outstanding(niu, request->id, packets);
    if (count_carries(request->kind))
        count_outgoing(niu, request->id, packets);
}

static inline void count_assigned(struct niu *niu, const struct niu_flight *flight) {
    niu->count[NIU_CMD_ACCEPTED]++;
    switch (flight->kind) {
    case NOC_KIND_READ: niu->count[NIU_RD_REQ_STARTED]++; break;
    case NOC_KIND_ATOMIC: niu->count[NIU_ATOMIC_STARTED] += flight->marked; break;
    default: count_pair(niu, NIU_WR_REQ_STARTED, flight->marked, 1);
    }
    if (flight->kind == NOC_KIND_INLINE)
        count_pair(niu, NIU_WR_REQ_SENT, flight->marked, 1);
}
static inline void count_started(struct niu *niu, const struct niu_flight *flight) {
    switch (flight->kind) {
    case NOC_KIND_READ: niu->count[NIU_RD_REQ_SENT]++; break;
    case NOC_KIND_ATOMIC: count_pair(niu, NIU_ATOMIC_SENT, flight->marked, 1); break;
    case NOC_KIND_INLINE: break;
    default:
        count_pair(niu, NIU_WR_REQ_SENT, flight->marked, 1);
        count_pair(niu, NIU_WR_DATA_WORD_SENT, flight->marked, flight->words);
    }
}
static inline void count_ended(struct niu *niu, const struct niu_flight *flight) {
    if (count_carries(flight->kind))
        count_outgoing(niu, flight->id, UINT32_MAX);
}

/* CLEAR_OUTSTANDING, RTZ_CLR, a read of RTZ_NUM. */
void count_clear(struct niu *niu, uint32_t ids);
void count_acknowledge(struct niu *niu, uint32_t ids);
uint32_t count_number(const struct niu *niu);
void count_number_read(struct niu *niu);
/* Ids that the interrupt is raised for. */
enum { COUNT_RTZ_CFG = 30 }; /* word of the configuration */
static inline uint32_t count_pending(const struct niu *niu) {
    return niu->rtz_source & niu->config[COUNT_RTZ_CFG] & 0xFFFF;
}
/* Its level has changed, and is told. */
void count_tell(struct niu *niu, const struct niu_wire *wire, uint64_t time);
/* If it has. */
static inline void count_interrupt(struct niu *niu, const struct niu_wire *wire, uint64_t time) {
    if (BH_UNLIKELY((count_pending(niu) != 0) != niu->raised))
        count_tell(niu, wire, time);
}

#endif
