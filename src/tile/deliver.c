/* Delivery of packets: see deliver.h. */
#include "tile/deliver.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/line.h"
#include "base/list.h"
#include "noc/counters.h"
#include "tile/eth.h"
#include "tile/loose.h"
#include "tile/debug.h"
#include "tile/hazards.h"
#include "tile/watch.h"

/* ---- Mail -------------------------------------------------------------------------------------------------- */

void mail_free(struct mail *mail) {
    inbox_free(&mail->inbox);
    outbox_free(&mail->outbox);
    free(mail->used);
    free(mail->fault);
    loose_free(&mail->loose);
    mail->used = NULL;
    mail->fault = NULL;
    mail->used_count = mail->used_room = mail->fault_count = mail->fault_room = 0;
}

/* ---- Faults ------------------------------------------------------------------------------------------------- */

static const char *name_of(const struct endpoint *endpoint, const struct transaction *transaction) {
    if (endpoint->grid->kind[transaction->sender] == BH_TILE_ETH)
        return eth_core_name((unsigned)transaction->core);
    return bh_core_name((enum bh_core)transaction->core);
}

/* Writes a line that gives the sender, its request, and the reason. */
static void describe(char *text, size_t size, const struct endpoint *endpoint, const struct transaction *transaction,
                     const char *why) {
    static const char *const request_verb[] = {
        [NOC_KIND_READ] = "read of",           [NOC_KIND_WRITE] = "write to",   [NOC_KIND_MASKED] = "masked write to",
        [NOC_KIND_INLINE] = "inline write to", [NOC_KIND_ATOMIC] = "atomic on",
    };
    static const char *const response_verb[] = {
        [NOC_KIND_READ] = "read data for",        [NOC_KIND_WRITE] = "acknowledgement to",
        [NOC_KIND_MASKED] = "acknowledgement to", [NOC_KIND_INLINE] = "acknowledgement to",
        [NOC_KIND_ATOMIC] = "atomic result for",
    };
    const struct noc_request *request = &transaction->request;
    bool back = transaction_is_response(transaction);
    struct bh_xy from = endpoint->grid->translated[back ? transaction->receiver : request->source];
    struct bh_xy to = endpoint->grid->translated[endpoint->site];
    line_put(text, size, "%s", "");
    if (transaction->core >= 0)
        line_put(text, size, "%s at pc 0x%x: ", name_of(endpoint, transaction), transaction->pc);
    if (!back && request->initiator == NOC_OVERLAY)
        line_add(text, size, "NoC %u, overlay stream %u of tile (%u,%u): %s 0x%llx of tile (%u,%u), %u bytes: %s",
                 request->noc, request->tag >> NOC_TAG_SENDER_SHIFT, from.x, from.y, request_verb[request->kind],
                 (unsigned long long)request->address, to.x, to.y, request->length, why);
    else if (back)
        line_add(text, size, "NoC %u, %s 0x%llx of tile (%u,%u) from tile (%u,%u), %u bytes: %s", request->noc,
                 response_verb[request->kind], (unsigned long long)noc_response_address(request), to.x, to.y, from.x,
                 from.y, noc_response_length(request), why);
    else
        line_add(text, size, "NoC %u, command buffer %u of tile (%u,%u): %s 0x%llx of tile (%u,%u), %u bytes: %s",
                 request->noc, request->initiator, from.x, from.y, request_verb[request->kind],
                 (unsigned long long)request->address, to.x, to.y, request->length, why);
}

static struct mail_fault *new_fault(struct mail *mail) {
    struct mail_fault *list = list_room(mail->fault, mail->fault_count, &mail->fault_room, sizeof *list);
    if (!list)
        return NULL;
    mail->fault = list;
    return &list[mail->fault_count++];
}

static void note(const struct endpoint *endpoint, const struct transaction *transaction, uint64_t time,
                 struct access why, bool harmless) {
    struct mail_fault *one = new_fault(endpoint->mail);
    if (!one)
        return;
    *one = (struct mail_fault){
        .fault = {
            .kind = why.kind,
            .core = transaction->core,
            .thread = -1,
            .pc = transaction->pc,
            .insn = transaction->insn,
            .address = transaction_is_response(transaction) ? noc_response_address(&transaction->request)
                                                            : transaction->request.address,
            .cycle = time,
        },
        .site = transaction->sender,
        .harmless = harmless,
    };
    describe(one->fault.text, sizeof one->fault.text, endpoint, transaction, why.text);
}

void mail_fault(const struct endpoint *endpoint, const struct transaction *transaction, uint64_t time,
                struct access why) {
    note(endpoint, transaction, time, why, false);
}

void mail_warn(const struct endpoint *endpoint, const struct transaction *transaction, uint64_t time, const char *why) {
    note(endpoint, transaction, time, access_refused(BH_FAULT_UNDEFINED, why), true);
}

void mail_fault_frame(const struct endpoint *endpoint, uint32_t address, uint64_t time, struct access why) {
    struct mail_fault *one = new_fault(endpoint->mail);
    if (!one)
        return;
    struct bh_xy at = endpoint->grid->translated[endpoint->site];
    *one = (struct mail_fault){
        .fault = { .kind = why.kind, .core = -1, .thread = -1, .address = address, .cycle = time },
        .site = endpoint->site,
    };
    line_put(one->fault.text, sizeof one->fault.text, "frame to Ethernet tile (%u,%u), address 0x%x: %s", at.x, at.y,
             address, why.text);
}

void mail_fault_stream(const struct endpoint *endpoint, unsigned stream, uint64_t time, struct access why) {
    struct mail_fault *one = new_fault(endpoint->mail);
    if (!one)
        return;
    struct bh_xy at = endpoint->grid->translated[endpoint->site];
    *one = (struct mail_fault){
        .fault = { .kind = why.kind, .core = -1, .thread = -1, .cycle = time },
        .site = endpoint->site,
    };
    line_put(one->fault.text, sizeof one->fault.text, "overlay stream %u of tile (%u,%u): %s", stream, at.x, at.y,
             why.text);
}

/* ---- Requests ------------------------------------------------------------------------------------------------ */

static struct access no_memory(void) {
    return access_refused(BH_FAULT_UNMODELLED, "the host has no memory left for a packet");
}

/* A request that has arrived, and the outcome of executing it. */
struct asked {
    struct transaction *transaction;
    const struct arrival *arrival;
    bool goes_on; /* the block of the request carries the response */
};

/* A response and the block that carries it. */
struct answer {
    struct transaction *transaction;
    uint64_t loan;
    uint32_t block;
    uint8_t owner, pool;
};

/* Takes a block for the response. A short response reuses the block of the request if no other receiver reads it.
 * Returns false without memory. */
static inline bool begin_answer(const struct endpoint *endpoint, const struct asked *asked, uint32_t size,
                                struct answer *answer) {
    enum { SHORT = 64 }; /* size that fits into every block */
    if (size <= SHORT && packet_pool_is_own(asked->transaction)) {
        *answer = (struct answer){ asked->transaction, TRANSACTION_NO_LOAN, asked->arrival->block,
                                   asked->arrival->owner, asked->arrival->pool };
        return true;
    }
    *answer =
        (struct answer){ .loan = TRANSACTION_NO_LOAN, .owner = endpoint->site, .pool = endpoint->mail->pool_number };
    answer->transaction = mail_write(endpoint->mail, size, &answer->block);
    return answer->transaction != NULL;
}

static void drop_answer(const struct endpoint *endpoint, const struct asked *asked, const struct answer *answer) {
    if (answer->transaction != asked->transaction)
        packet_pool_release(endpoint->mail->pool, answer->block);
    if (answer->loan != TRANSACTION_NO_LOAN)
        endpoint->port->take_back(endpoint->owner, answer->loan);
}

/* Returns the cycle in which a response leaves, which is the first one in which the NIU can send it. */
static inline uint64_t leaves(struct noc_link *link, uint64_t time, uint32_t cycles) {
    uint64_t start = time > link->out_free ? time : link->out_free;
    BH_ASSERT(cycles > 0);
    link->out_free = start + cycles + NOC_NEXT;
    return start;
}

/* Returns the cycle in which a read of L1 begins that arrives at `time`. */
static inline uint64_t reads(struct noc_link *link, uint64_t time) {
    uint64_t start = time > link->read_free ? time : link->read_free;
    link->read_free = start + NOC_L1_READ;
    return start;
}

/* Turns the transaction into a response. */
static inline void turn_round(const struct endpoint *endpoint, const struct asked *asked, const struct answer *answer,
                              uint64_t time) {
    BH_ASSERT(asked->transaction->stage == TRANSACTION_REQUEST && time >= asked->arrival->time);
    struct transaction *transaction = answer->transaction;
    if (transaction != asked->transaction) {
        transaction->pc = asked->transaction->pc;
        transaction->insn = asked->transaction->insn;
        transaction->sender = asked->transaction->sender;
        transaction->core = asked->transaction->core;
        transaction->answered = false;
        transaction->tick = asked->transaction->tick;
        transaction->request = asked->transaction->request;
    }
    transaction->stage = TRANSACTION_RESPONSE;
    transaction->receiver = endpoint->site;
    transaction->bytes = answer->loan == TRANSACTION_NO_LOAN ? TRANSACTION_OWN : TRANSACTION_IN_DRAM;
    transaction->time = time;
    transaction->bytes_at = answer->loan;
}

static struct access respond(const struct endpoint *endpoint, struct asked *asked, const struct answer *answer) {
    const struct noc_request *request = &asked->transaction->request;
    uint32_t flits = noc_response_flits(request);
    uint64_t ready = asked->arrival->time;
    if (endpoint->port->serve)
        ready = endpoint->port->serve(endpoint->owner, request, ready);
    else if (request->kind == NOC_KIND_READ)
        ready = reads(&endpoint->link[request->noc], ready) + NOC_L1_READ;
    uint64_t time = leaves(&endpoint->link[request->noc], ready, 1 + noc_fetch_cycles(noc_response_words(request)));
    struct arrival arrival = {
        .time = request->reply == endpoint->site ? route_response_arrives(request, endpoint->site, time) : time,
        .block = answer->block,
        .flits = (uint16_t)flits,
        .to = request->reply,
        .owner = answer->owner,
        .noc = request->noc,
        .pool = answer->pool,
        .response = true,
    };
    if (!mail_send(endpoint->mail, endpoint->site, endpoint->link, answer->transaction, arrival)) {
        drop_answer(endpoint, asked, answer);
        return no_memory();
    }
    const struct noc_tally tally = noc_tally_of(request);
    niu_count(&endpoint->niu[request->noc], NOC_ANSWERED, &tally);
    turn_round(endpoint, asked, answer, time);
    asked->goes_on = answer->transaction == asked->transaction;
    if (endpoint->mail->observer)
        watch_sent(endpoint->mail, endpoint->grid, answer->transaction);
    return access_done();
}

static struct access answer_read(const struct endpoint *endpoint, struct asked *asked) {
    const struct noc_request *request = &asked->transaction->request;
    struct answer answer;
    if (!begin_answer(endpoint, asked, request->length, &answer))
        return no_memory();
    if (endpoint->port->lend)
        answer.loan = endpoint->port->lend(endpoint->owner, request->address, request->length);
    if (answer.loan != TRANSACTION_NO_LOAN)
        return respond(endpoint, asked, &answer);
    struct access access = endpoint->port->read(endpoint->owner, request->noc, request->address,
                                                transaction_own(answer.transaction), request->length);
    if (access.result == ACCESS_DONE)
        return respond(endpoint, asked, &answer);
    drop_answer(endpoint, asked, &answer);
    return access;
}

/* Sends an acknowledgement, or the result of an atomic. */
static struct access acknowledge(const struct endpoint *endpoint, struct asked *asked, uint32_t result) {
    struct answer answer;
    if (!begin_answer(endpoint, asked, sizeof result, &answer))
        return no_memory();
    memcpy(transaction_own(answer.transaction), &result, sizeof result);
    return respond(endpoint, asked, &answer);
}

static struct access answer_atomic(const struct endpoint *endpoint, struct asked *asked) {
    const struct noc_request *request = &asked->transaction->request;
    uint32_t result;
    struct access access = endpoint->port->atomic(endpoint->owner, request, &result);
    return access.result == ACCESS_DONE && request->marked ? acknowledge(endpoint, asked, result) : access;
}

static struct access put(const struct endpoint *endpoint, unsigned noc, uint64_t address, const void *data,
                         uint32_t size) {
    return endpoint->port->write(endpoint->owner, noc, address, data, size);
}

static __attribute__((noinline)) struct access put_masked(const struct endpoint *endpoint,
                                                          const struct noc_request *request, const uint8_t *data) {
    struct access access = access_done();
    for (unsigned first = 0, end; first < NOC_MASKED_MAX && access.result == ACCESS_DONE; first = end) {
        for (end = first; end < NOC_MASKED_MAX && request->mask >> end & 1;)
            end++;
        if (end > first)
            access = put(endpoint, request->noc, request->address + first, data + first, end - first);
        else
            end++;
    }
    return access;
}

static __attribute__((noinline)) struct access put_inline(const struct endpoint *endpoint,
                                                          const struct noc_request *request) {
    const uint32_t line[] = { request->data, request->data, request->data, request->data };
    if (request->address < NOC_MMIO)
        return put_masked(endpoint, request, (const uint8_t *)line);
    return put(endpoint, request->noc, request->address, line, sizeof line[0]);
}

struct access endpoint_put(const struct endpoint *endpoint, const struct noc_request *request, const uint8_t *data) {
    if (BH_UNLIKELY(request->kind != NOC_KIND_WRITE))
        return request->kind == NOC_KIND_INLINE ? put_inline(endpoint, request) : put_masked(endpoint, request, data);
    struct access access = put(endpoint, request->noc, request->address, data, request->length);
    if (access.result == ACCESS_DONE && request->header_store && niu_stores_headers(&endpoint->niu[request->noc]))
        access = put(endpoint, request->noc, (uint64_t)request->data << 4, data, 16);
    if (BH_UNLIKELY(request->to_overlay) && access.result == ACCESS_DONE && endpoint->port->stream)
        access = endpoint->port->stream(endpoint->owner, request);
    return access;
}

static struct access answer_write(const struct endpoint *endpoint, struct asked *asked) {
    const struct noc_request *request = &asked->transaction->request;
    struct access access = endpoint_put(endpoint, request, transaction_own(asked->transaction));
    return access.result == ACCESS_DONE && request->marked ? acknowledge(endpoint, asked, 0) : access;
}

static struct access arrive(const struct endpoint *endpoint, struct asked *asked) {
    const struct noc_request *request = &asked->transaction->request;
    const struct noc_tally tally = noc_tally_of(request);
    niu_count(&endpoint->niu[request->noc], NOC_ARRIVED, &tally);
    switch (request->kind) {
    case NOC_KIND_READ: return answer_read(endpoint, asked);
    case NOC_KIND_ATOMIC: return answer_atomic(endpoint, asked);
    default: return answer_write(endpoint, asked);
    }
}

/* ---- Responses ------------------------------------------------------------------------------------------------ */

struct access endpoint_take(const struct endpoint *endpoint, const struct noc_request *request, const uint8_t *data,
                            uint64_t time) {
    struct access access = access_done();
    uint32_t length = noc_response_length(request);
    if (length)
        access = put(endpoint, request->noc, request->reply_address, data, length);
    const struct noc_tally tally = noc_tally_of(request);
    if (access.result == ACCESS_DONE)
        niu_returned(&endpoint->niu[request->noc], endpoint->wire, &tally, time);
    return access;
}

bool endpoint_deliver(const struct endpoint *endpoint, struct transaction *transaction, const struct arrival *arrival) {
    struct asked asked = { transaction, arrival, false };
    BH_ASSERT(arrival->to == endpoint->site && arrival->noc == transaction->request.noc);
    BH_ASSERT(transaction->stage == TRANSACTION_REQUEST || transaction->stage == TRANSACTION_RESPONSE);
    BH_ASSERT(!transaction_is_response(transaction) || transaction->request.reply == endpoint->site);
    if (endpoint->mail->observer)
        watch_came(endpoint, transaction, arrival->time);
    if (endpoint->mail->hazards)
        tile_hazards_arrived(endpoint->mail->hazards, transaction, arrival->time);
    if (endpoint->mail->debug)
        debug_came(endpoint->mail->debug, endpoint->grid, transaction);
    struct access access =
        transaction_is_response(transaction)
            ? endpoint_take(endpoint, &transaction->request, mail_bytes(endpoint->mail, transaction), arrival->time)
            : arrive(endpoint, &asked);
    if (access.result != ACCESS_DONE)
        mail_fault(endpoint, transaction, arrival->time, access);
    if (endpoint->mail->debug)
        debug_came(endpoint->mail->debug, NULL, NULL);
    return asked.goes_on;
}
