/* Sending on a loosely timed NoC, and what a request does to a receiver: see loose.h. */
#include "tile/loose.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "noc/counters.h"
#include "noc/usual.h"
#include "tile/noc.h"
#include "tile/tile.h"

/* ---- Receivers ------------------------------------------------------------------------------------------------ */

static struct access read_bytes(const struct place *place, const struct noc_request *request, uint8_t *room,
                                const uint8_t **data) {
    *data = place->port->show(place->owner, request->address, request->length);
    if (BH_LIKELY(*data))
        return access_done();
    *data = room;
    return place->port->read(place->owner, request->noc, request->address, room, request->length);
}

static struct access do_atomic(const struct place *place, const struct noc_request *request, uint8_t *room,
                               const uint8_t **data) {
    uint32_t result = 0;
    struct access access = place->port->atomic(place->owner, request, &result);
    memcpy(room, &result, sizeof result);
    *data = room;
    return access;
}

struct access loose_arrive(const struct place *place, const struct noc_request *request, const uint8_t *bytes,
                           uint8_t *room, const uint8_t **data) {
    struct niu *niu = &place->niu[request->noc];
    struct access access;
    const struct noc_tally tally = noc_tally_of(request);
    niu_count(niu, NOC_ARRIVED, &tally);
    switch (request->kind) {
    case NOC_KIND_READ: access = read_bytes(place, request, room, data); break;
    case NOC_KIND_ATOMIC: access = do_atomic(place, request, room, data); break;
    default: access = place_put(place, request, bytes);
    }
    if (access.result == ACCESS_DONE && loose_is_answered(request))
        niu_count(niu, NOC_ANSWERED, &tally);
    return access;
}

/* ---- Answers -------------------------------------------------------------------------------------------------- */

/* The response to what the running core has just sent. */
static __attribute__((noinline)) void take_answer(struct tile *tile, const struct noc_request *request,
                                                  const uint8_t *data) {
    struct access access = place_take(&tile->place, request, data, request->time);
    if (BH_LIKELY(access.result == ACCESS_DONE))
        return;
    struct transaction transaction = {
        .sender = tile->site, .stage = TRANSACTION_RESPONSE, .receiver = request->target, .request = *request
    };
    noc_name_core(tile, &transaction);
    noc_fail_to_send(tile, &transaction, request->time, access);
}

/* ---- What is put off ------------------------------------------------------------------------------------------ */

/* The bits of loose_mail.dram for bytes there. */
static inline uint64_t grains_of(uint64_t address, uint32_t length) {
    enum { GRAIN_SHIFT = 14, GRAINS = 64 };
    uint64_t first = address >> GRAIN_SHIFT, last = (address + length - 1) >> GRAIN_SHIFT;
    return UINT64_C(1) << first % GRAINS | UINT64_C(1) << last % GRAINS;
}

static uint64_t grains(const struct noc_request *request) {
    return grains_of(request->address, request->length > NOC_MASKED_MAX ? request->length : NOC_MASKED_MAX);
}

/* When much waits, whoever sends more does too, until tiles meet. */
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

/* What comes after it may have to wait for it. */
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

/* ---- What is lent ---------------------------------------------------------------------------------------------- */

/* Is it more than what a loan costs? And does nobody else have to be asked for these bytes, or get them back? */
static inline bool is_worth_a_loan(const struct tile *tile, uint32_t length, unsigned target) {
    enum { WORTH_IT = 256 }; /* and no register has as many */
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
    if (!loose_has_lent(loose, address, LOOSE_GRAIN)) /* not any more */
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

/* The bytes that this grain has in common with `length` bytes from `first` on. */
static inline void restore(uint8_t *bytes, uint32_t first, uint32_t length, const struct loose_kept *kept) {
    uint32_t begin = first > kept->address ? first : kept->address, end = first + length;
    end = end < kept->address + LOOSE_GRAIN ? end : kept->address + LOOSE_GRAIN;
    if (begin < end)
        memcpy(bytes + (begin - first), kept->bytes + (begin - kept->address), end - begin);
}

/* The first grain that was kept after it was sent is the one to believe: it comes last. */
void loose_copy(const struct tile *tile, uint32_t index, uint32_t source, uint32_t length, uint8_t *to) {
    const struct loose_mail *loose = &tile->mail.loose;
    memcpy(to, tile->l1 + source, length);
    for (uint32_t i = loose->kept_count; i-- && loose->kept[i].sent > index;)
        restore(to, source, length, &loose->kept[i]);
}

/* ---- The list of what is put off ------------------------------------------------------------------------------- */

static __attribute__((noinline)) void fail_to_defer(struct tile *tile, const struct noc_request *request) {
    noc_fail_to_send(tile, &(struct transaction){ .sender = tile->site, .core = -1, .request = *request },
                     request->time, noc_no_memory());
}

/* In whole lines of the host's cache. False: no memory, and the list is as it was. */
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

/* Room for one more at the end of the list. NULL: no memory. */
static inline struct transaction *next_slot(struct loose_mail *loose) {
    if (BH_UNLIKELY(loose->count == loose->room) && !grow_list(loose))
        return NULL;
    return &loose->list[loose->count];
}

/* It is in the list, with its request and bytes; the rest of it is filled in. */
static inline void defer(struct tile *tile, struct transaction *transaction, bool settled) {
    transaction->order = tile->mail.outbox.sent++;
    transaction->to = transaction->request.target;
    transaction->sender = tile->site;
    transaction->stage = TRANSACTION_REQUEST;
    transaction->settled = settled;
    noc_name_core(tile, transaction);
    tile->mail.loose.count++;
}

/* What comes after a multicast may wait with it, for longer than to the next meeting, and must not seem done before. */
static inline bool is_settled(const struct tile *tile, const struct noc_request *request) {
    return !loose_is_answered(request) || (loose_is_acknowledged(request) && !tile->mail.loose.behind);
}

/* Nothing more is to be done about it before tiles meet. */
static inline void settle(struct tile *tile, const struct noc_request *request, bool settled) {
    note_put_off(tile, request);
    if (!settled || !request->marked)
        return;
    const struct noc_tally tally = noc_tally_of(request);
    niu_returned(&tile->niu[request->noc], &tile->wire, &tally, request->time);
}

static inline void lend(struct tile *tile, const struct noc_request *request) {
    bool settled = is_settled(tile, request);
    struct transaction *transaction = next_slot(&tile->mail.loose);
    if (BH_UNLIKELY(!transaction)) {
        fail_to_defer(tile, request);
        return;
    }
    transaction->request = *request;
    transaction->bytes = TRANSACTION_IN_L1;
    defer(tile, transaction, settled);
    note_lent(tile, (uint32_t)request->source_address, request->length);
    settle(tile, request, settled);
}

/* Room for so many bytes apart from the list. NULL: no memory. */
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
    bool settled = is_settled(tile, request);
    transaction->request = *request;
    transaction->bytes = TRANSACTION_APART;
    transaction->place = loose->apart_count;
    struct access access = size ? noc_load_bytes(tile, request, bytes) : access_done();
    if (access.result == ACCESS_DONE) {
        loose->apart_count += size;
        defer(tile, transaction, settled);
        settle(tile, request, settled);
        return;
    }
    transaction->sender = tile->site;
    transaction->stage = TRANSACTION_REQUEST;
    noc_name_core(tile, transaction);
    noc_fail_to_send(tile, transaction, request->time, access);
}

/* Where the bytes of the transaction after so many others are, maybe in the room that there is for them,
 * NOC_PACKET_MAX bytes. No register takes more than a flit: what is longer makes no tile send anything, and stays
 * where it is. */
const uint8_t *loose_bytes(const struct tile *from, uint32_t index, const struct transaction *transaction,
                           uint8_t *room) {
    const struct loose_mail *loose = &from->mail.loose;
    const struct noc_request *request = &transaction->request;
    uint32_t source = (uint32_t)request->source_address;
    uint32_t length = transaction_length(transaction);
    if (transaction->bytes == TRANSACTION_APART && (!length || length > NOC_FLIT))
        return length ? loose->apart + transaction->place : room;
    if (transaction->bytes == TRANSACTION_APART)
        return memcpy(room, loose->apart + transaction->place, length);
    if (!loose->kept_count)
        return from->l1 + source;
    loose_copy(from, index, source, request->length, room);
    return room;
}

/* What has come since has its bytes apart. */
static void forget_some(struct loose_mail *loose) {
    uint32_t rest = loose->count - loose->done, first = loose->apart_count;
    struct transaction *list = loose->list;
    memmove(list, list + loose->done, rest * sizeof *list);
    for (uint32_t i = rest; i--;)
        first = (uint32_t)list[i].place;
    memmove(loose->apart, loose->apart + first, loose->apart_count - first);
    for (uint32_t i = 0; i < rest; i++)
        list[i].place -= first;
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
    slot->place = loose->apart_count;
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

/* It has been done. */
static __attribute__((noinline)) void tell_observers(struct tile *tile, const struct noc_request *request) {
    struct transaction *transaction = next_slot(&tile->mail.loose);
    if (!transaction)
        return;
    transaction->request = *request;
    transaction->bytes = TRANSACTION_APART;
    transaction->place = tile->mail.loose.apart_count;
    defer(tile, transaction, true);
    transaction->stage = TRANSACTION_DONE;
}

/* ---- What is done at once --------------------------------------------------------------------------------------- */

static inline bool is_dram(const struct tile *tile, const struct noc_request *request) {
    return request->kind == NOC_KIND_READ && request->reply == tile->site &&
           tile->grid->kind[request->target] == BH_TILE_DRAM &&
           !(tile->mail.loose.dram && tile->mail.loose.dram & grains(request));
}

/* What it counts there. */
static inline void note_read(struct loose_mail *loose, unsigned site, unsigned noc, uint32_t length) {
    struct loose_reads *reads = &loose->read[site][noc];
    reads->requests++;
    reads->words += noc_data_flits(length);
    noc_sites_add(&loose->read_at, site);
    loose->read_count++;
}

/* False: it is not there, or not memory. */
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
        access = loose_arrive(&tile->place, request, room, room, &data);
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

/* What a request itself causes, by a write to CMD_CTRL, is put off: it could go on forever. */
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
        tell_observers(tile, request);
    loose->carrying = false;
}

/* ---- Usual requests ---------------------------------------------------------------------------------------------- */

/* As lend. */
static inline bool write_usual(struct tile *tile, const struct usual *usual) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t length = usual->word[NIU_AT_LEN_BE];
    bool marked = USUAL_HEAD(usual, marked);
    if (!is_worth_a_loan(tile, length, usual->ret) || (marked && usual->targ != tile->site) || loose->behind)
        return false; /* what is left of the transaction nobody looks at before tiles meet, if nothing is in its way */
    struct transaction *transaction = next_slot(loose);
    if (BH_UNLIKELY(!transaction))
        return false;
    usual_write(usual, &transaction->request);
    transaction->bytes = TRANSACTION_IN_L1;
    defer(tile, transaction, true);
    note_lent(tile, (uint32_t)transaction->request.source_address, length);
    note_bytes(tile, length);
    if (BH_UNLIKELY(tile->grid->kind[usual->ret] == BH_TILE_DRAM))
        loose->dram |= grains_of(transaction->request.address, length);
    return true;
}

/* As read_dram. */
static inline bool read_usual(struct tile *tile, const struct usual *usual, unsigned noc) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t length = usual->word[NIU_AT_LEN_BE], from = usual->word[NIU_TARG_LO], to = usual->word[NIU_RET_LO];
    if (usual->ret != tile->site || tile->grid->kind[usual->targ] != BH_TILE_DRAM || !l1_holds(tile, to, length))
        return false;
    if (loose->dram && loose->dram & grains_of(from, length > NOC_MASKED_MAX ? length : NOC_MASKED_MAX))
        return false;
    const uint8_t *data = tile->port->memory(tile->owner, usual->targ, from, length);
    if (!data)
        return false;
    note_read(loose, usual->targ, noc, length);
    loose->carrying = true;
    l1_write(tile, to, data, length, tile->time);
    loose->carrying = false;
    return true;
}

bool loose_send_usual(struct tile *tile, struct niu *niu, unsigned initiator, uint64_t time) {
    struct usual usual;
    if (BH_UNLIKELY(tile->mail.observer || tile->mail.loose.carrying || niu->linked) ||
        !usual_find(niu, &tile->wire, initiator, &usual) || USUAL_HEAD(&usual, linked))
        return false;
    bool reads = USUAL_HEAD(&usual, kind) == NOC_KIND_READ;
    tile->time = later(tile->time, time);
    if (!(reads ? read_usual(tile, &usual, niu->noc) : write_usual(tile, &usual)))
        return false;
    usual_done(niu, &tile->wire, &usual, time);
    return true;
}
