/* What most requests are: a packet between two memories, with the same CTRL and PACKET_TAG as the one before. They are
 * made in one go. Whatever is special about a request, and everything that can be wrong with it, is left to request.c.
 *
 * Sources: as there.
 */
#include "noc/usual.h"

#include "base/check.h"
#include "noc/initiator.h"

static inline bool make_usual(const struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                              struct noc_request *request) {
    struct usual usual;
    if (!usual_find(niu, wire, initiator, &usual))
        return false;
    usual_request(&usual, request);
    return true;
}

struct access request_make(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                           struct noc_request *request, unsigned *packets) {
    if (BH_UNLIKELY(!wire->head || !make_usual(niu, wire, initiator, request)))
        return request_make_any(niu, wire, initiator, request, packets);
    *packets = 1;
    return access_done();
}

/* Its kind is a constant, so that nothing of the other kinds is left of the table. */
static inline __attribute__((always_inline)) void count_done(struct niu *niu, const struct niu_wire *wire,
                                                             const struct noc_tally *tally, uint64_t time) {
    niu_count(niu, NOC_ISSUED, tally);
    niu_count(niu, NOC_ASSIGNED, tally);
    niu_count(niu, NOC_STARTED, tally);
    niu_count(niu, NOC_LEFT, tally);
    niu_count(niu, NOC_RETURNED, tally);
    niu_count(niu, NOC_SETTLED, tally);
    count_interrupt(niu, wire, time);
}

/* Whoever is told of an interrupt does not look at the counters, so that the order does not matter. */
void usual_done(struct niu *niu, const struct niu_wire *wire, const struct usual *usual, uint64_t time) {
    const uint32_t words = noc_data_flits(usual->word[NIU_AT_LEN_BE]);
    const uint8_t id = USUAL_HEAD(usual, id);
    if (USUAL_HEAD(usual, kind) == NOC_KIND_READ)
        count_done(niu, wire, &(struct noc_tally){ NOC_KIND_READ, id, true, 1, words }, time);
    else
        count_done(niu, wire, &(struct noc_tally){ NOC_KIND_WRITE, id, USUAL_HEAD(usual, marked), 1, words }, time);
}
