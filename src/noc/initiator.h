/* Inside the NIU: what request.c, usual.c, send.c and counters.c do for each other and for the registers (niu.c). */
#ifndef NOC_INITIATOR_H
#define NOC_INITIATOR_H

#include "noc/counters.h"
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

/* CLEAR_OUTSTANDING, RTZ_CLR, a read of RTZ_NUM. */
void count_clear(struct niu *niu, uint32_t ids);
void count_acknowledge(struct niu *niu, uint32_t ids);
uint32_t count_number(const struct niu *niu);
void count_number_read(struct niu *niu);

#endif
