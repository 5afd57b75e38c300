/* A transaction: one packet from its request to its response, in both timings. It consists of the request as the NIU
 * has made it, and of its outcome. Target, length and counts of a response follow from the request. */
#ifndef NOC_TRANSACTION_H
#define NOC_TRANSACTION_H

#include "noc/packet.h"

enum transaction_stage {
    TRANSACTION_REQUEST,  /* in flight to its receivers */
    TRANSACTION_RESPONSE, /* executed at `receiver`, and in flight back */
    TRANSACTION_DONE,     /* complete, and kept for observers only (tile/loose.h) */
};

/* Where the bytes of a transaction are. */
enum transaction_bytes {
    TRANSACTION_OWN,     /* after the transaction, in its block of a packet pool (tile/transit.h) */
    TRANSACTION_IN_DRAM, /* on loan from DRAM, at `bytes_at` of all banks (dram/dram.h) */
    TRANSACTION_IN_L1,   /* on loan from the sender's L1, at the request's source_address (tile/loose.h) */
    TRANSACTION_APART,   /* at `bytes_at` of the sender's bytes for deferred transactions (tile/loose.h) */
};

/* The first cache line has everything about a plain write to one receiver. */
struct transaction {
    uint64_t order;   /* sender's site, and the sender's count of transactions below it: decides the order within a
                       * cycle */
    uint32_t pc;      /* pc of the instruction that made the request, for faults */
    uint32_t insn;    /* word of that instruction */
    uint8_t to;       /* site; NOC_NOWHERE: every site in the request's area except the sender */
    uint8_t sender;   /* site of the request's sender */
    int8_t core;      /* core of the sender that made the request; -1: none */
    uint8_t stage;    /* enum transaction_stage */
    uint8_t receiver; /* site; TRANSACTION_RESPONSE only */
    uint8_t bytes;    /* enum transaction_bytes */
    bool answered;    /* the sender has its response or wants none: only the receivers are left (tile/loose.h) */
    struct noc_request request;
    uint64_t time;     /* TRANSACTION_RESPONSE: cycle in which the first flit of the response leaves the NIU */
    uint64_t bytes_at; /* position of the bytes in the memory that `bytes` names */
    uint32_t tick;     /* number of the request's step in a search for hazards */
    uint32_t unused[3];
};

enum { TRANSACTION_LINE = 64 };
_Static_assert(sizeof(struct transaction) % TRANSACTION_LINE == 0, "in whole lines");
_Static_assert(offsetof(struct transaction, request.atomic) == TRANSACTION_LINE, "the rest is in the second one");

static inline bool transaction_is_response(const struct transaction *transaction) {
    return transaction->stage == TRANSACTION_RESPONSE;
}

/* Returns the number of bytes that a response writes. */
static inline uint32_t noc_response_length(const struct noc_request *request) {
    return request->kind == NOC_KIND_READ ? request->length : request->kind == NOC_KIND_ATOMIC ? 4 : 0;
}

/* Returns the address to which a response writes. */
static inline uint64_t noc_response_address(const struct noc_request *request) {
    return noc_response_length(request) ? request->reply_address : 0;
}

/* Returns the number of bytes that the transaction carries in its current stage. */
static inline uint32_t transaction_length(const struct transaction *transaction) {
    const struct noc_request *request = &transaction->request;
    if (transaction_is_response(transaction))
        return noc_response_length(request);
    return transaction->stage == TRANSACTION_REQUEST && noc_carries(request) ? request->length : 0;
}

/* Returns the number of flits of the packet in its current stage. */
static inline uint32_t transaction_flits(const struct transaction *transaction) {
    return transaction_is_response(transaction) ? noc_response_flits(&transaction->request)
                                                : noc_request_flits(&transaction->request);
}

#endif
