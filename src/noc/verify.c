/* The invariants of a NIU: see verify.h. */
#include "noc/verify.h"

#include "base/check.h"
#include "base/order.h"
#include "noc/initiator.h"

static void verify_flight(const struct niu *niu, const struct niu_flight *flight) {
    BH_ASSERT(flight->stage <= NIU_LEAVES && flight->kind <= NOC_KIND_ATOMIC);
    BH_ASSERT(flight->initiator <= NOC_OVERLAY && flight->id < NIU_IDS);
    BH_ASSERT(flight->assigned <= flight->start && flight->start < flight->end && flight->end <= flight->last_end);
    BH_ASSERT(flight->packets >= 1);
    BH_ASSERT(flight->packets == 1 || niu->splits == flight->initiator + 1);
    BH_ASSERT(flight->words <= noc_data_flits(NOC_PACKET_MAX) && flight->last_words <= flight->words);
}

static uint64_t next_change(const struct niu_flight *flight) {
    return flight->stage == NIU_WAITS ? flight->assigned : flight->stage == NIU_ASSIGNED ? flight->start : flight->end;
}

void niu_verify_all(const struct niu *niu) {
    uint64_t due = NIU_NEVER;
    unsigned busy = 0, overlay = 0;
    BH_ASSERT(niu->noc < 2 && niu->site < NOC_SITES);
    BH_ASSERT(niu->flights <= NIU_FLIGHTS && niu->splits <= NIU_INITIATORS);
    for (unsigned i = 0; i < niu->flights; i++) {
        const struct niu_flight *flight = &niu->flight[i];
        verify_flight(niu, flight);
        due = smaller(due, next_change(flight));
        overlay += flight->initiator == NOC_OVERLAY;
        if (flight->initiator != NOC_OVERLAY)
            busy |= (unsigned)(flight->stage == NIU_WAITS || flight->packets > 1) << flight->initiator;
    }
    BH_ASSERT(niu->due == due);
    BH_ASSERT(niu->busy == busy);
    BH_ASSERT(niu->overlay_flights == overlay && overlay + niu->overlay_left <= NIU_OVERLAY);
    BH_ASSERT(!niu->splits || niu->busy >> (niu->splits - 1) & 1);
    BH_ASSERT(niu->linked || !(niu->linked_to | niu->linked_exclude | niu->linked_vc));
    BH_ASSERT(niu->rtz_next < NIU_IDS && niu->rtz_source >> NIU_IDS == 0);
    for (unsigned id = 0; id < NIU_IDS; id++)
        BH_ASSERT(niu->count[NIU_OUTSTANDING + id] < 256 && niu->count[NIU_OUTGOING + id] < 256);
}
