/* Packets at the end of their way: see deliver.h. */
#include "tile/deliver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/list.h"
#include "noc/counters.h"
#include "tile/eth.h"
#include "tile/watch.h"

/* ---- Mail -------------------------------------------------------------------------------------------------- */

void mail_free(struct mail *mail) {
    inbox_free(&mail->inbox);
    outbox_free(&mail->outbox);
    free(mail->used);
    free(mail->fault);
    free(mail->loose.kept);
    free(mail->loose.write);
    mail->loose.kept = NULL;
    mail->loose.write = NULL;
    mail->loose.kept_count = mail->loose.kept_room = mail->loose.write_count = mail->loose.write_room = 0;
    mail->used = NULL;
    mail->fault = NULL;
    mail->used_count = mail->used_room = mail->fault_count = mail->fault_room = 0;
}

/* ---- Faults ------------------------------------------------------------------------------------------------- */

static const char *name_of(const struct place *place, const struct parcel *parcel) {
    if (place->grid->kind[parcel->sender] == BH_TILE_ETH)
        return eth_core_name((unsigned)parcel->core);
    return bh_core_name((enum bh_core)parcel->core);
}

/* One line: who, with which request, and why not. */
static void describe(char *text, size_t size, const struct place *place, const struct parcel *parcel, const char *why) {
    static const char *const request_verb[] = {
        [NOC_KIND_READ] = "read of",           [NOC_KIND_WRITE] = "write to",   [NOC_KIND_MASKED] = "masked write to",
        [NOC_KIND_INLINE] = "inline write to", [NOC_KIND_ATOMIC] = "atomic on",
    };
    static const char *const response_verb[] = {
        [NOC_READ_DATA] = "read data for",
        [NOC_WRITE_ACK] = "acknowledgement to",
        [NOC_ATOMIC_RESULT] = "atomic result for",
    };
    const struct noc_request *request = &parcel->request;
    const struct noc_response *response = &parcel->response;
    struct bh_xy from = place->grid->translated[parcel->is_response ? response->source : request->source];
    struct bh_xy to = place->grid->translated[place->site];
    if (parcel->core >= 0) {
        int length = snprintf(text, size, "%s at pc 0x%x: ", name_of(place, parcel), parcel->pc);
        text += length;
        size -= (size_t)length;
    }
    if (parcel->is_response)
        snprintf(text, size, "NoC %u, %s 0x%llx of tile (%u,%u) from tile (%u,%u), %u bytes: %s", response->noc,
                 response_verb[response->kind], (unsigned long long)response->address, to.x, to.y, from.x, from.y,
                 response->length, why);
    else
        snprintf(text, size, "NoC %u, command buffer %u of tile (%u,%u): %s 0x%llx of tile (%u,%u), %u bytes: %s",
                 request->noc, request->initiator, from.x, from.y, request_verb[request->kind],
                 (unsigned long long)request->address, to.x, to.y, request->length, why);
}

static void note(const struct place *place, const struct parcel *parcel, uint64_t time, struct access why,
                 bool harmless) {
    struct mail *mail = place->mail;
    struct mail_fault *list = list_room(mail->fault, mail->fault_count, &mail->fault_room, sizeof *list);
    if (!list)
        return;
    mail->fault = list;
    struct mail_fault *one = &list[mail->fault_count++];
    *one = (struct mail_fault){
        .fault = {
            .kind = why.kind,
            .core = parcel->core,
            .thread = -1,
            .pc = parcel->pc,
            .insn = parcel->insn,
            .address = parcel->is_response ? parcel->response.address : parcel->request.address,
            .cycle = time,
        },
        .site = parcel->sender,
        .harmless = harmless,
    };
    describe(one->fault.text, sizeof one->fault.text, place, parcel, why.text);
}

void mail_fault(const struct place *place, const struct parcel *parcel, uint64_t time, struct access why) {
    note(place, parcel, time, why, false);
}

void mail_warn(const struct place *place, const struct parcel *parcel, uint64_t time, const char *why) {
    note(place, parcel, time, access_refused(BH_FAULT_UNDEFINED, why), true);
}

/* ---- Requests ------------------------------------------------------------------------------------------------ */

static struct access no_memory(void) {
    return access_refused(BH_FAULT_UNMODELLED, "the host has no memory left for a packet");
}

/* What came, and what became of it. */
struct asked {
    struct parcel *parcel;
    const struct noc_request *request;
    const struct arrival *arrival;
    bool goes_on; /* its block has the response */
};

/* The response, and where it is. */
struct answer {
    struct parcel *parcel;
    uint64_t loan;
    uint32_t block;
    uint8_t owner, store;
};

/* A short one takes the block of the request if nobody else is to read that. False: no memory. */
static inline bool begin_answer(const struct place *place, const struct asked *asked, uint32_t size,
                                struct answer *answer) {
    enum { SHORT = 64 }; /* bytes for which every block has room */
    if (size <= SHORT && store_is_own(asked->parcel)) {
        *answer = (struct answer){ asked->parcel, PARCEL_OWN_BYTES, asked->arrival->block, asked->arrival->owner,
                                   asked->arrival->store };
        return true;
    }
    *answer = (struct answer){ .loan = PARCEL_OWN_BYTES, .owner = place->site, .store = place->mail->store_number };
    answer->parcel = mail_write(place->mail, size, &answer->block);
    return answer->parcel != NULL;
}

static void drop_answer(const struct place *place, const struct asked *asked, const struct answer *answer) {
    if (answer->parcel != asked->parcel)
        store_release(place->mail->store, answer->block);
}

/* When a response of so many flits leaves: as soon as the link is free. */
static inline uint64_t leaves(struct noc_link *link, uint64_t time, uint32_t flits) {
    uint64_t start = time > link->out_free ? time : link->out_free;
    link->out_free = start + flits;
    return start;
}

/* What of the request is to be known is read before it is overwritten. */
static struct access respond(const struct place *place, struct asked *asked, const struct answer *answer) {
    const struct noc_request *request = asked->request;
    struct parcel *parcel = answer->parcel;
    struct noc_response response = noc_response_to(request, place->site, asked->arrival->time);
    uint32_t flits = noc_response_flits(&response);
    response.time = leaves(&place->link[request->noc], response.time, flits);
    struct arrival arrival = {
        .time = route_response_arrives(&response),
        .block = answer->block,
        .flits = (uint16_t)flits,
        .to = request->reply,
        .owner = answer->owner,
        .noc = request->noc,
        .store = answer->store,
    };
    if (!mail_send(place->mail, place->site, place->link, parcel, arrival)) {
        drop_answer(place, asked, answer);
        return no_memory();
    }
    const struct noc_tally tally = noc_tally_of(request);
    niu_count(&place->niu[request->noc], NOC_ANSWERED, &tally);
    parcel->pc = asked->parcel->pc;
    parcel->insn = asked->parcel->insn;
    parcel->sender = asked->parcel->sender;
    parcel->core = asked->parcel->core;
    parcel->is_response = true;
    parcel->response = response;
    parcel->loan = answer->loan;
    asked->goes_on = parcel == asked->parcel;
    if (place->mail->observer)
        watch_sent(place->mail, place->grid, parcel);
    return access_done();
}

static struct access answer_read(const struct place *place, struct asked *asked) {
    const struct noc_request *request = asked->request;
    struct answer answer;
    if (!begin_answer(place, asked, request->length, &answer))
        return no_memory();
    if (place->port->lend)
        answer.loan = place->port->lend(place->owner, request->address, request->length);
    if (answer.loan != PARCEL_OWN_BYTES)
        return respond(place, asked, &answer);
    struct access access =
        place->port->read(place->owner, request->noc, request->address, answer.parcel->bytes, request->length);
    if (access.result == ACCESS_DONE)
        return respond(place, asked, &answer);
    drop_answer(place, asked, &answer);
    return access;
}

/* An acknowledgement, or the result of an atomic. */
static struct access acknowledge(const struct place *place, struct asked *asked, uint32_t result) {
    struct answer answer;
    if (!begin_answer(place, asked, sizeof result, &answer))
        return no_memory();
    memcpy(answer.parcel->bytes, &result, sizeof result);
    return respond(place, asked, &answer);
}

static struct access answer_atomic(const struct place *place, struct asked *asked) {
    uint32_t result;
    struct access access = place->port->atomic(place->owner, asked->request, &result);
    return access.result == ACCESS_DONE && asked->request->marked ? acknowledge(place, asked, result) : access;
}

static struct access put(const struct place *place, unsigned noc, uint64_t address, const void *data, uint32_t size) {
    return place->port->write(place->owner, noc, address, data, size);
}

static __attribute__((noinline)) struct access put_masked(const struct place *place, const struct noc_request *request,
                                                          const uint8_t *data) {
    struct access access = access_done();
    for (unsigned first = 0, end; first < NOC_MASKED_MAX && access.result == ACCESS_DONE; first = end) {
        for (end = first; end < NOC_MASKED_MAX && request->mask >> end & 1;)
            end++;
        if (end > first)
            access = put(place, request->noc, request->address + first, data + first, end - first);
        else
            end++;
    }
    return access;
}

static __attribute__((noinline)) struct access put_inline(const struct place *place,
                                                          const struct noc_request *request) {
    const uint32_t line[] = { request->data, request->data, request->data, request->data };
    if (request->address < NOC_MMIO)
        return put_masked(place, request, (const uint8_t *)line);
    return put(place, request->noc, request->address, line, sizeof line[0]);
}

struct access place_put(const struct place *place, const struct noc_request *request, const uint8_t *data) {
    if (BH_UNLIKELY(request->kind != NOC_KIND_WRITE))
        return request->kind == NOC_KIND_INLINE ? put_inline(place, request) : put_masked(place, request, data);
    struct access access = put(place, request->noc, request->address, data, request->length);
    if (access.result == ACCESS_DONE && request->header_store && niu_stores_headers(&place->niu[request->noc]))
        access = put(place, request->noc, (uint64_t)request->data << 4, data, 16);
    return access;
}

static struct access answer_write(const struct place *place, struct asked *asked) {
    struct access access = place_put(place, asked->request, asked->parcel->bytes);
    return access.result == ACCESS_DONE && asked->request->marked ? acknowledge(place, asked, 0) : access;
}

static struct access arrive(const struct place *place, struct asked *asked) {
    const struct noc_tally tally = noc_tally_of(asked->request);
    niu_count(&place->niu[asked->request->noc], NOC_ARRIVED, &tally);
    switch (asked->request->kind) {
    case NOC_KIND_READ: return answer_read(place, asked);
    case NOC_KIND_ATOMIC: return answer_atomic(place, asked);
    default: return answer_write(place, asked);
    }
}

/* ---- Responses ------------------------------------------------------------------------------------------------ */

struct access place_take(const struct place *place, const struct noc_response *response, const uint8_t *data,
                         uint64_t time) {
    struct access access = access_done();
    if (response->kind != NOC_WRITE_ACK)
        access = put(place, response->noc, response->address, data, response->length);
    const struct noc_tally tally = noc_tally_back(response);
    if (access.result == ACCESS_DONE)
        niu_returned(&place->niu[response->noc], place->wire, &tally, time);
    return access;
}

static struct access come_back(const struct place *place, const struct parcel *parcel, uint64_t time) {
    return place_take(place, &parcel->response, mail_bytes(place->mail, parcel), time);
}

bool place_deliver(const struct place *place, struct parcel *parcel, const struct arrival *arrival) {
    struct asked asked = { parcel, &parcel->request, arrival, false };
    if (place->mail->observer)
        watch_came(place, parcel, arrival->time);
    struct access access = parcel->is_response ? come_back(place, parcel, arrival->time) : arrive(place, &asked);
    if (access.result != ACCESS_DONE)
        mail_fault(place, parcel, arrival->time, access);
    return asked.goes_on;
}
