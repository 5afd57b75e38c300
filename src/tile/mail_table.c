/* Tables of the state of packets in flight (deliver.h), for saving and hashing. */
#include "base/fault.h"
#include "base/state_rows.h"
#include "tile/deliver.h"

#define T struct arrival
static const struct state_member arrival_members[] = {
    SAVED(time),           SAVED(order),   SAVED(block), SAVED(flits),   SAVED(to), MOST(owner, uint8_t, NOC_SITES - 1),
    MOST(noc, uint8_t, 1), FLAG(taken_in), SAVED(pool),  FLAG(response),
};
const struct state_table arrival_state = STATE_TABLE("arrival", T, arrival_members);
#undef T

#define T struct mail_fault
static const struct state_member fault_members[] = {
    INNER(fault, fault_state),
    MOST(site, uint8_t, NOC_SITES - 1),
    FLAG(harmless),
};
const struct state_table mail_fault_state = STATE_TABLE("mail_fault", T, fault_members);
#undef T

#define T struct noc_link
static const struct state_member link_members[] = { SEEN_TIME(out_free), SEEN_TIME(read_free), SEEN_TIME(in_free),
                                                    SEEN_TIME(queued) };
const struct state_table noc_link_state = STATE_TABLE("noc_link", T, link_members);
#undef T
