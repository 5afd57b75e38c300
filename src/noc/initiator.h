/* Functions that the files of the NIU share: request.c, planned.c, send.c and counters.c, and the registers in
 * niu.c. */
#ifndef NOC_INITIATOR_H
#define NOC_INITIATOR_H

#include "noc/counters.h"
#include "noc/niu.h"

/* Refuses a request. The text names the NoC and the command buffer. */
__attribute__((cold, format(printf, 4, 5))) struct access niu_refuse(struct niu *niu, unsigned initiator,
                                                                     enum bh_fault_kind kind, const char *format, ...);

/* Makes the request that an initiator's registers describe, with the length of its first packet, and counts its
 * packets. Uses the initiator's plan if the plan applies. */
struct access request_make(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                           struct noc_request *request, unsigned *packets);
/* Does the same without a plan: checks everything, and stores a plan for the requests that follow (request.c). */
struct access request_prepare(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                              struct noc_request *request, unsigned *packets);
/* Returns the total number of bytes of all packets of a request. */
uint64_t request_length(const struct niu *niu, const struct noc_request *request);
/* Turns a packet into the next packet of a request of `total` bytes. Packet 0 stays unchanged. */
void request_advance(struct noc_request *request, uint64_t total, unsigned packet);

/* Executes a store to CMD_CTRL (send.c). */
struct access send_command(struct niu *niu, const struct niu_wire *wire, unsigned initiator, uint64_t time);
/* Returns the number of requests of an initiator that wait for a channel. */
unsigned send_waiting(const struct niu *niu, unsigned initiator);

/* ---- Counting (counters.c) -------------------------------------------------------------------------------- */

/* Apply a write to CLEAR_OUTSTANDING, a write to RTZ_CLR, and a read of RTZ_NUM. */
void count_clear(struct niu *niu, uint32_t ids);
void count_acknowledge(struct niu *niu, uint32_t ids);
uint32_t count_number(const struct niu *niu);
void count_number_read(struct niu *niu);

#endif
