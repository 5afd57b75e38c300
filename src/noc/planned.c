/* Requests that use a plan. Most requests are a packet between two memories with the CTRL and PACKET_TAG of their
 * predecessor: these are made in one step. request.c checks and makes all others.
 *
 * Sources: see request.c. */
#include "noc/planned.h"

#include "base/check.h"
#include "noc/initiator.h"

static inline bool make_planned(const struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                                struct noc_request *request) {
    struct planned planned;
    if (!planned_find(niu, wire, initiator, &planned))
        return false;
    planned_request(&planned, request);
    return true;
}

struct access request_make(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                           struct noc_request *request, unsigned *packets) {
    if (BH_UNLIKELY(!wire->plan || !make_planned(niu, wire, initiator, request)))
        return request_prepare(niu, wire, initiator, request, packets);
    *packets = 1;
    return access_done();
}

/* Precondition: the kind is a constant, so that the compiler drops the rows of the other kinds. */
static inline __attribute__((always_inline)) void count_done(struct niu *niu, const struct niu_wire *wire,
                                                             const struct noc_tally *tally, uint64_t time) {
    niu_count(niu, NOC_ISSUED, tally);
    niu_count(niu, NOC_ASSIGNED, tally);
    niu_count(niu, NOC_STARTED, tally);
    niu_count(niu, NOC_LEFT, tally);
    niu_count(niu, NOC_RETURNED, tally);
    niu_count(niu, NOC_RELEASED, tally);
    count_interrupt(niu, wire, time);
}

/* The receiver of an interrupt does not look at the counters, so the order of counting does not matter. */
void planned_count(struct niu *niu, const struct niu_wire *wire, const struct planned *planned, uint64_t time) {
    const uint32_t words = noc_data_flits(planned->word[NIU_AT_LEN_BE]);
    const uint8_t id = PLAN_FIELD(planned, id);
    if (PLAN_FIELD(planned, kind) == NOC_KIND_READ)
        count_done(niu, wire, &(struct noc_tally){ NOC_KIND_READ, id, true, 1, words }, time);
    else
        count_done(niu, wire, &(struct noc_tally){ NOC_KIND_WRITE, id, PLAN_FIELD(planned, marked), 1, words }, time);
}
