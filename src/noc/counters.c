/* The interrupt that the counters of transaction ids drive (BlackholeA0/NoC/Counters.md, Interrupts.md).
 *
 * Assumed: RTZ_NUM returns the ids in turn; clearing a counter that is not zero counts as its return to zero.
 */
#include "noc/initiator.h"

enum { RTZ_KEEP = 1 << 28 };

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

void count_notify(struct niu *niu, const struct niu_wire *wire, uint64_t time) {
    niu->raised = !niu->raised;
    BH_ASSERT(niu->raised == (count_pending(niu) != 0));
    if (wire && wire->port->interrupt)
        wire->port->interrupt(wire->owner, niu->noc, niu->raised, time);
}
