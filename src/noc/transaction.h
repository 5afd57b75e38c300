/* A transaction: one packet from its request to its response, in both timings. It is the request, as the NIU has made
 * it, and what became of it. A response says nothing of its own: where it goes, how long it is and what it counts
 * follows from the request.
 */
#ifndef NOC_TRANSACTION_H
#define NOC_TRANSACTION_H

#include "noc/packet.h"

enum transaction_stage {
    TRANSACTION_REQUEST,  /* on its way to its receivers */
    TRANSACTION_RESPONSE, /* carried out at `receiver`, and on its way back */
    TRANSACTION_DONE,     /* of interest to observers only (tile/loose.h) */
};

/* Where the bytes are that it carries. */
enum transaction_bytes {
    TRANSACTION_OWN,     /* behind it, in its block of a store (tile/transit.h) */
    TRANSACTION_IN_DRAM, /* on loan from there, at `place` of all banks (dram/dram.h) */
    TRANSACTION_IN_L1,   /* on loan from the sender's, at the request's source_address (tile/loose.h) */
    TRANSACTION_APART,   /* at `place` of the bytes that its sender has put off (tile/loose.h) */
};

/* The first line of the host's cache has all that there is to a write of bytes to one receiver. */
struct transaction {
    uint64_t order;   /* the sender's site, then its count of transactions: who comes first in the same cycle */
    uint32_t pc;      /* of the instruction that made the request: for faults */
    uint32_t insn;    /* its word */
    uint8_t to;       /* site; NOC_NOWHERE: everyone in the request's area but the sender */
    uint8_t sender;   /* site of the request's sender */
    int8_t core;      /* of the sender that made the request, -1: none */
    uint8_t stage;    /* enum transaction_stage */
    uint8_t receiver; /* site; TRANSACTION_RESPONSE only */
    uint8_t bytes;    /* enum transaction_bytes */
    bool settled;     /* its sender has its response, or wants none: only its receivers are left (tile/loose.h) */
    struct noc_request request;
    uint64_t time;  /* TRANSACTION_RESPONSE: cycle in which the first flit of the response leaves the NIU */
    uint64_t place; /* of the bytes; transaction_bytes says where */
    uint64_t unused[2];
};

enum { TRANSACTION_LINE = 64 };
_Static_assert(sizeof(struct transaction) % TRANSACTION_LINE == 0, "in whole lines");
_Static_assert(offsetof(struct transaction, request.atomic) == TRANSACTION_LINE, "the rest is in the second one");

static inline bool transaction_is_response(const struct transaction *transaction) {
    return transaction->stage == TRANSACTION_RESPONSE;
}

/* Bytes of a response that are written where it goes to. */
static inline uint32_t noc_response_length(const struct noc_request *request) {
    return request->kind == NOC_KIND_READ ? request->length : request->kind == NOC_KIND_ATOMIC ? 4 : 0;
}

/* And where that is. */
static inline uint64_t noc_response_address(const struct noc_request *request) {
    return noc_response_length(request) ? request->reply_address : 0;
}

/* Bytes that it carries on this part of its way. */
static inline uint32_t transaction_length(const struct transaction *transaction) {
    const struct noc_request *request = &transaction->request;
    if (transaction_is_response(transaction))
        return noc_response_length(request);
    return transaction->stage == TRANSACTION_REQUEST && noc_carries(request) ? request->length : 0;
}

/* Flits of the packet that it is on this part of its way. */
static inline uint32_t transaction_flits(const struct transaction *transaction) {
    return transaction_is_response(transaction) ? noc_response_flits(&transaction->request)
                                                : noc_request_flits(&transaction->request);
}

#endif
