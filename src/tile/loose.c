/* Sending with loose timing, and the execution of requests at receivers: see loose.h. */
#include "tile/loose.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "noc/counters.h"
#include "noc/planned.h"
#include "tile/noc.h"
#include "tile/tile.h"

/* ---- Receivers ------------------------------------------------------------------------------------------------ */

static struct access read_bytes(const struct endpoint *endpoint, const struct noc_request *request, uint8_t *room,
                                const uint8_t **data) {
    *data = endpoint->port->show(endpoint->owner, request->address, request->length);
    if (BH_LIKELY(*data))
        return access_done();
    *data = room;
    return endpoint->port->read(endpoint->owner, request->noc, request->address, room, request->length);
}

static struct access do_atomic(const struct endpoint *endpoint, const struct noc_request *request, uint8_t *room,
                               const uint8_t **data) {
    uint32_t result = 0;
    struct access access = endpoint->port->atomic(endpoint->owner, request, &result);
    memcpy(room, &result, sizeof result);
    *data = room;
    return access;
}

struct access loose_arrive(const struct endpoint *endpoint, const struct noc_request *request, const uint8_t *bytes,
                           uint8_t *room, const uint8_t **data) {
    struct niu *niu = &endpoint->niu[request->noc];
    struct access access;
    const struct noc_tally tally = noc_tally_of(request);
    niu_count(niu, NOC_ARRIVED, &tally);
    switch (request->kind) {
    case NOC_KIND_READ: access = read_bytes(endpoint, request, room, data); break;
    case NOC_KIND_ATOMIC: access = do_atomic(endpoint, request, room, data); break;
    default: access = endpoint_put(endpoint, request, bytes);
    }
    if (access.result == ACCESS_DONE && loose_is_answered(request))
        niu_count(niu, NOC_ANSWERED, &tally);
    return access;
}

/* ---- Responses ------------------------------------------------------------------------------------------------ */

/* Delivers the response to the request that the running core has just sent. */
static __attribute__((noinline)) void take_answer(struct tile *tile, const struct noc_request *request,
                                                  const uint8_t *data) {
    struct access access = endpoint_take(&tile->endpoint, request, data, request->time);
    if (BH_LIKELY(access.result == ACCESS_DONE))
        return;
    struct transaction transaction = {
        .sender = tile->site, .stage = TRANSACTION_RESPONSE, .receiver = request->target, .request = *request
    };
    noc_name_core(tile, &transaction);
    noc_fail_to_send(tile, &transaction, request->time, access);
}

/* ---- Limits of what is deferred ------------------------------------------------------------------------------- */

/* Returns the bits of loose_mail.dram for these bytes of DRAM. */
static inline uint64_t grains_of(uint64_t address, uint32_t length) {
    enum { GRAIN_SHIFT = 14, GRAINS = 64 };
    uint64_t first = address >> GRAIN_SHIFT, last = (address + length - 1) >> GRAIN_SHIFT;
    return UINT64_C(1) << first % GRAINS | UINT64_C(1) << last % GRAINS;
}

static uint64_t grains(const struct noc_request *request) {
    return grains_of(request->address, request->length > NOC_MASKED_MAX ? request->length : NOC_MASKED_MAX);
}

/* Stalls a core that sends more until the end of the epoch, because too many bytes are deferred. */
static __attribute__((noinline)) void hold_back(struct tile *tile) {
    struct core *core = &tile->core[tile->running % BH_CORE_COUNT];
    if (tile->running < BH_CORE_COUNT && core_time(core) < tile->until)
        core->stalled += (int64_t)(tile->until - core_time(core));
}

static inline void note_bytes(struct tile *tile, uint32_t size) {
    enum { MUCH = 0x10000 };
    if ((tile->mail.loose.bytes += size) >= MUCH)
        hold_back(tile);
}

/* Records what later requests may have to wait for. */
static inline void note_put_off(struct tile *tile, const struct noc_request *request) {
    struct loose_mail *loose = &tile->mail.loose;
    if (noc_carries(request))
        note_bytes(tile, request->length);
    loose->behind |= request->multicast;
    if (request->multicast || request->target == tile->site)
        loose->own = true;
    else if (tile->grid->kind[request->target] == BH_TILE_DRAM && request->kind != NOC_KIND_READ)
        loose->dram |= request->header_store ? UINT64_MAX : grains(request);
}

/* ---- Loans ----------------------------------------------------------------------------------------------------- */

/* Returns whether a loan costs less than a copy, and the bytes are plain L1 that goes to another tile. */
static inline bool is_worth_a_loan(const struct tile *tile, uint32_t length, unsigned target) {
    enum { WORTH_IT = 256 }; /* at least this many bytes, which is more than any register has */
    return length >= WORTH_IT && target != tile->site && tile->kind == TILE_KIND_TENSIX;
}

static inline bool is_lent(const struct tile *tile, const struct noc_request *request) {
    return request->kind == NOC_KIND_WRITE && is_worth_a_loan(tile, request->length, request->target);
}

static inline void note_lent(struct tile *tile, uint32_t address, uint32_t size) {
    struct loose_mail *loose = &tile->mail.loose;
    core_mark_l1(tile->marks, address, size, MARK_LENT);
    loose->lent_first = loose->lent_end && loose->lent_first < address ? loose->lent_first : address;
    loose->lent_end = loose->lent_end > address + size ? loose->lent_end : address + size;
}

static void keep_grain(struct tile *tile, uint32_t grain) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t address = grain << CORE_CODE_GRAIN;
    tile->marks[grain] &= (uint8_t)~MARK_LENT;
    if (!loose_has_lent(loose, address, LOOSE_GRAIN)) /* the loan has ended */
        return;
    struct loose_kept *list = list_room(loose->kept, loose->kept_count, &loose->kept_room, sizeof *list);
    if (BH_UNLIKELY(!list)) {
        noc_fail_to_send(tile, &(struct transaction){ .sender = tile->site, .core = -1 }, tile->time, noc_no_memory());
        return;
    }
    loose->kept = list;
    list += loose->kept_count++;
    list->address = address;
    list->sent = loose->count;
    memcpy(list->bytes, tile->l1 + address, LOOSE_GRAIN);
}

__attribute__((noinline)) void loose_keep(struct tile *tile, uint32_t address, uint32_t size) {
    for (uint32_t grain = address >> CORE_CODE_GRAIN; grain <= (address + size - 1) >> CORE_CODE_GRAIN; grain++)
        if (tile->marks[grain] & MARK_LENT)
            keep_grain(tile, grain);
}

/* Copies the bytes that a kept grain shares with `length` bytes from `first` on. */
static inline void restore(uint8_t *bytes, uint32_t first, uint32_t length, const struct loose_kept *kept) {
    uint32_t begin = first > kept->address ? first : kept->address, end = first + length;
    end = end < kept->address + LOOSE_GRAIN ? end : kept->address + LOOSE_GRAIN;
    if (begin < end)
        memcpy(bytes + (begin - first), kept->bytes + (begin - kept->address), end - begin);
}

/* If a grain was kept several times, the oldest copy after the request is right, so it is copied last. */
void loose_copy(const struct tile *tile, uint32_t index, uint32_t source, uint32_t length, uint8_t *to) {
    const struct loose_mail *loose = &tile->mail.loose;
    memcpy(to, tile->l1 + source, length);
    for (uint32_t i = loose->kept_count; i-- && loose->kept[i].sent > index;)
        restore(to, source, length, &loose->kept[i]);
}

/* ---- The list of deferred transactions ------------------------------------------------------------------------- */

static __attribute__((noinline)) void fail_to_defer(struct tile *tile, const struct noc_request *request) {
    noc_fail_to_send(tile, &(struct transaction){ .sender = tile->site, .core = -1, .request = *request },
                     request->time, noc_no_memory());
}

/* Doubles the list, in whole cache lines. Returns false without memory; the list is unchanged then. */
static __attribute__((noinline)) bool grow_list(struct loose_mail *loose) {
    enum { FIRST_ROOM = 16 };
    uint32_t room = loose->room ? 2 * loose->room : FIRST_ROOM;
    struct transaction *list = aligned_alloc(TRANSACTION_LINE, room * sizeof *list);
    if (!list)
        return false;
    if (loose->count)
        memcpy(list, loose->list, loose->count * sizeof *list);
    free(loose->list);
    loose->list = list;
    loose->room = room;
    return true;
}

/* Returns room for one more transaction at the end of the list; NULL without memory. */
static inline struct transaction *next_slot(struct loose_mail *loose) {
    if (BH_UNLIKELY(loose->count == loose->room) && !grow_list(loose))
        return NULL;
    return &loose->list[loose->count];
}

/* Fills in a transaction that has its request and bytes, and appends it to the list. */
static inline void defer(struct tile *tile, struct transaction *transaction, bool answered) {
    transaction->order = tile->mail.outbox.sent++;
    transaction->to = transaction->request.target;
    transaction->sender = tile->site;
    transaction->stage = TRANSACTION_REQUEST;
    transaction->answered = answered;
    noc_name_core(tile, transaction);
    tile->mail.loose.count++;
}

/* Returns whether the sender counts the response now. A transaction after a multicast may wait for several exchanges
 * and must not seem complete before. */
static inline bool is_answered_early(const struct tile *tile, const struct noc_request *request) {
    return !loose_is_answered(request) || (loose_is_acknowledged(request) && !tile->mail.loose.behind);
}

/* Counts a deferred transaction at its sender. */
static inline void finish_deferred(struct tile *tile, const struct noc_request *request, bool answered) {
    note_put_off(tile, request);
    if (!answered || !request->marked)
        return;
    const struct noc_tally tally = noc_tally_of(request);
    niu_returned(&tile->niu[request->noc], &tile->wire, &tally, request->time);
}

static inline void lend(struct tile *tile, const struct noc_request *request) {
    bool answered = is_answered_early(tile, request);
    struct transaction *transaction = next_slot(&tile->mail.loose);
    if (BH_UNLIKELY(!transaction)) {
        fail_to_defer(tile, request);
        return;
    }
    transaction->request = *request;
    transaction->bytes = TRANSACTION_IN_L1;
    defer(tile, transaction, answered);
    note_lent(tile, (uint32_t)request->source_address, request->length);
    finish_deferred(tile, request, answered);
}

/* Returns room for `size` bytes of a transaction without a loan; NULL without memory. */
static uint8_t *next_bytes(struct loose_mail *loose, uint32_t size) {
    uint32_t room = loose->apart_room;
    while (room - loose->apart_count < size)
        room = room ? 2 * room : 4 * NOC_PACKET_MAX;
    if (room != loose->apart_room) {
        uint8_t *grown = realloc(loose->apart, room);
        if (!grown)
            return NULL;
        loose->apart = grown;
        loose->apart_room = room;
    }
    return loose->apart + loose->apart_count;
}

static __attribute__((noinline)) void put_off(struct tile *tile, const struct noc_request *request) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t size = noc_carries(request) ? request->length : 0;
    uint8_t *bytes = size ? next_bytes(loose, size) : NULL;
    struct transaction *transaction = next_slot(loose);
    if (BH_UNLIKELY((size && !bytes) || !transaction)) {
        fail_to_defer(tile, request);
        return;
    }
    bool answered = is_answered_early(tile, request);
    transaction->request = *request;
    transaction->bytes = TRANSACTION_APART;
    transaction->bytes_at = loose->apart_count;
    struct access access = size ? noc_load_bytes(tile, request, bytes) : access_done();
    if (access.result == ACCESS_DONE) {
        loose->apart_count += size;
        defer(tile, transaction, answered);
        finish_deferred(tile, request, answered);
        return;
    }
    transaction->sender = tile->site;
    transaction->stage = TRANSACTION_REQUEST;
    noc_name_core(tile, transaction);
    noc_fail_to_send(tile, transaction, request->time, access);
}

/* A write that is longer than a flit cannot be to a register, so it cannot make a tile send anything: its bytes can be
 * read in place. */
const uint8_t *loose_bytes(const struct tile *from, uint32_t index, const struct transaction *transaction,
                           uint8_t *room) {
    const struct loose_mail *loose = &from->mail.loose;
    const struct noc_request *request = &transaction->request;
    uint32_t source = (uint32_t)request->source_address;
    uint32_t length = transaction_length(transaction);
    if (transaction->bytes == TRANSACTION_APART && (!length || length > NOC_FLIT))
        return length ? loose->apart + transaction->bytes_at : room;
    if (transaction->bytes == TRANSACTION_APART)
        return memcpy(room, loose->apart + transaction->bytes_at, length);
    if (!loose->kept_count)
        return from->l1 + source;
    loose_copy(from, index, source, request->length, room);
    return room;
}

/* Removes the executed transactions; those that were deferred meanwhile have no loans. Precondition: there is such a
 * transaction. */
static void forget_some(struct loose_mail *loose) {
    uint32_t rest = loose->count - loose->done;
    struct transaction *list = loose->list;
    memmove(list, list + loose->done, rest * sizeof *list);
    uint32_t first = (uint32_t)list->bytes_at;
    if (first < loose->apart_count)
        memmove(loose->apart, loose->apart + first, loose->apart_count - first);
    for (uint32_t i = 0; i < rest; i++)
        list[i].bytes_at -= first;
    loose->count = rest;
    loose->apart_count -= first;
}

void loose_forget(struct loose_mail *loose) {
    loose->lent_first = loose->lent_end = loose->kept_count = 0;
    if (BH_UNLIKELY(loose->done < loose->count))
        forget_some(loose);
    else
        loose->count = loose->apart_count = 0;
    loose->done = 0;
}

bool loose_restore(struct loose_mail *loose, const struct transaction *transaction, const uint8_t *bytes) {
    uint32_t size = transaction_length(transaction);
    uint8_t *room = size ? next_bytes(loose, size) : NULL;
    struct transaction *slot = next_slot(loose);
    if ((size && !room) || !slot)
        return false;
    if (size)
        memcpy(room, bytes, size);
    *slot = *transaction;
    slot->bytes = TRANSACTION_APART;
    slot->bytes_at = loose->apart_count;
    loose->apart_count += size;
    loose->count++;
    loose->own = loose->behind = true;
    loose->dram = UINT64_MAX;
    return true;
}

void loose_free(struct loose_mail *loose) {
    free(loose->kept);
    free(loose->list);
    free(loose->apart);
    loose->kept = NULL;
    loose->list = NULL;
    loose->apart = NULL;
    loose->kept_count = loose->kept_room = loose->count = loose->room = loose->done = 0;
    loose->apart_count = loose->apart_room = 0;
}

/* Records a request that has been executed, and its response, as packets. */
static __attribute__((noinline)) void record_packets(struct tile *tile, const struct noc_request *request) {
    struct transaction *transaction = next_slot(&tile->mail.loose);
    if (!transaction)
        return;
    transaction->request = *request;
    transaction->bytes = TRANSACTION_APART;
    transaction->bytes_at = tile->mail.loose.apart_count;
    defer(tile, transaction, true);
    transaction->stage = TRANSACTION_DONE;
}

/* ---- Requests that are executed at once ------------------------------------------------------------------------- */

static inline bool is_dram(const struct tile *tile, const struct noc_request *request) {
    return request->kind == NOC_KIND_READ && request->reply == tile->site &&
           tile->grid->kind[request->target] == BH_TILE_DRAM &&
           !(tile->mail.loose.dram && tile->mail.loose.dram & grains(request));
}

/* Records a read, for the counters of the receiver. */
static inline void note_read(struct loose_mail *loose, unsigned site, unsigned noc, uint32_t length) {
    struct loose_reads *reads = &loose->read[site][noc];
    reads->requests++;
    reads->words += noc_data_flits(length);
    noc_sites_add(&loose->read_at, site);
    loose->read_count++;
}

/* Executes a read of DRAM. Returns false if the bytes are not in DRAM, or a deferred write may change them. */
static inline bool read_dram(struct tile *tile, const struct noc_request *request) {
    const uint8_t *data = tile->port->memory(tile->owner, request->target, request->address, request->length);
    if (!data)
        return false;
    note_read(&tile->mail.loose, request->target, request->noc, request->length);
    const struct noc_tally tally = noc_tally_of(request);
    if (BH_UNLIKELY(!l1_holds(tile, request->reply_address, request->length))) {
        take_answer(tile, request, data);
        return true;
    }
    l1_write(tile, (uint32_t)request->reply_address, data, request->length, tile->time);
    niu_returned(&tile->niu[request->noc], &tile->wire, &tally, request->time);
    return true;
}

static inline bool is_own(const struct tile *tile, const struct noc_request *request) {
    return request->target == tile->site && !tile->mail.loose.own &&
           (!loose_is_answered(request) || request->reply == tile->site);
}

static __attribute__((noinline)) void do_own(struct tile *tile, const struct noc_request *request) {
    uint8_t room[NOC_PACKET_MAX];
    const uint8_t *data = room;
    struct access access = noc_carries(request) ? noc_load_bytes(tile, request, room) : access_done();
    if (access.result == ACCESS_DONE)
        access = loose_arrive(&tile->endpoint, request, room, room, &data);
    if (access.result == ACCESS_DONE) {
        if (loose_is_answered(request))
            take_answer(tile, request, data);
        return;
    }
    struct transaction transaction = { .sender = tile->site, .request = *request };
    noc_name_core(tile, &transaction);
    noc_fail_to_send(tile, &transaction, request->time, access);
}

static inline bool do_at_once(struct tile *tile, const struct noc_request *request) {
    if (is_dram(tile, request))
        return read_dram(tile, request);
    if (!is_own(tile, request))
        return false;
    do_own(tile, request);
    return true;
}

/* A request that is caused by the execution of another one, through a write to CMD_CTRL, is deferred: otherwise a chain
 * of requests could continue forever. */
void loose_send(void *owner, const struct noc_request *request) {
    struct tile *tile = owner;
    struct loose_mail *loose = &tile->mail.loose;
    if (BH_UNLIKELY(loose->carrying || tile->running >= BH_CORE_COUNT || request->multicast)) {
        put_off(tile, request);
        return;
    }
    tile->time = later(tile->time, request->time);
    if (is_lent(tile, request)) {
        lend(tile, request);
        return;
    }
    loose->carrying = true;
    if (!do_at_once(tile, request))
        put_off(tile, request);
    else if (BH_UNLIKELY(tile->mail.observer != NULL))
        record_packets(tile, request);
    loose->carrying = false;
}

/* ---- Planned requests -------------------------------------------------------------------------------------------- */

/* Does what lend does, for a planned write. */
static inline bool write_planned(struct tile *tile, const struct planned *planned) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t length = planned->word[NIU_AT_LEN_BE];
    bool marked = PLAN_FIELD(planned, marked);
    if (!is_worth_a_loan(tile, length, planned->ret) || (marked && planned->targ != tile->site) || loose->behind)
        return false; /* only a transaction that nothing precedes can be counted at once */
    struct transaction *transaction = next_slot(loose);
    if (BH_UNLIKELY(!transaction))
        return false;
    planned_write(planned, &transaction->request);
    transaction->bytes = TRANSACTION_IN_L1;
    defer(tile, transaction, true);
    note_lent(tile, (uint32_t)transaction->request.source_address, length);
    note_bytes(tile, length);
    if (BH_UNLIKELY(tile->grid->kind[planned->ret] == BH_TILE_DRAM))
        loose->dram |= grains_of(transaction->request.address, length);
    return true;
}

/* Does what read_dram does, for a planned read. */
static inline bool read_planned(struct tile *tile, const struct planned *planned, unsigned noc) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t length = planned->word[NIU_AT_LEN_BE], from = planned->word[NIU_TARG_LO], to = planned->word[NIU_RET_LO];
    if (planned->ret != tile->site || tile->grid->kind[planned->targ] != BH_TILE_DRAM || !l1_holds(tile, to, length))
        return false;
    if (loose->dram && loose->dram & grains_of(from, length > NOC_MASKED_MAX ? length : NOC_MASKED_MAX))
        return false;
    const uint8_t *data = tile->port->memory(tile->owner, planned->targ, from, length);
    if (!data)
        return false;
    note_read(loose, planned->targ, noc, length);
    loose->carrying = true;
    l1_write(tile, to, data, length, tile->time);
    loose->carrying = false;
    return true;
}

bool loose_send_planned(struct tile *tile, struct niu *niu, unsigned initiator, uint64_t time) {
    struct planned planned;
    if (BH_UNLIKELY(tile->mail.observer || tile->mail.loose.carrying || niu->linked) ||
        !planned_find(niu, &tile->wire, initiator, &planned) || PLAN_FIELD(&planned, linked))
        return false;
    bool reads = PLAN_FIELD(&planned, kind) == NOC_KIND_READ;
    tile->time = later(tile->time, time);
    if (!(reads ? read_planned(tile, &planned, niu->noc) : write_planned(tile, &planned)))
        return false;
    planned_count(niu, &tile->wire, &planned, time);
    return true;
}
