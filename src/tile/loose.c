/* Sending on a loosely timed NoC, and what a request does to a receiver: see loose.h. */
#include "tile/loose.h"

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
    struct noc_response response = noc_response_to(request, request->target, request->time);
    struct access access = place_take(&tile->place, &response, data, request->time);
    if (BH_LIKELY(access.result == ACCESS_DONE))
        return;
    struct parcel parcel = { .sender = tile->site, .is_response = true, .response = response };
    noc_name_core(tile, &parcel);
    noc_fail_to_send(tile, &parcel, request->time, access);
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
    if (noc_carries_bytes(request))
        note_bytes(tile, request->length);
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
    for (uint32_t grain = address >> CORE_CODE_GRAIN; grain <= (address + size - 1) >> CORE_CODE_GRAIN; grain++)
        tile->marks[grain] |= MARK_LENT;
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
        noc_fail_to_send(tile, &(struct parcel){ .sender = tile->site, .core = -1 }, tile->time, noc_no_memory());
        return;
    }
    loose->kept = list;
    list += loose->kept_count++;
    list->address = address;
    list->sent = tile->mail.outbox.count + loose->write_count;
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

/* ---- Parcels --------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void fail_to_pack(struct tile *tile, const struct noc_request *request) {
    noc_fail_to_send(tile, &(struct parcel){ .sender = tile->site, .core = -1, .request = *request }, request->time,
                     noc_no_memory());
}

/* The request in the outbox, with room for so many bytes. NULL: no memory. */
static inline __attribute__((always_inline)) struct parcel *pack(struct tile *tile, const struct noc_request *request,
                                                                 uint32_t size, bool settled) {
    struct outbox *box = &tile->mail.outbox;
    uint32_t block;
    struct parcel *parcel = mail_write(&tile->mail, size, &block);
    if (BH_UNLIKELY(!parcel)) {
        fail_to_pack(tile, request);
        return NULL;
    }
    const struct arrival arrival = {
        .block = block, .to = request->target, .owner = tile->site, .store = tile->mail.store_number
    };
    if (BH_UNLIKELY(!outbox_put(box, arrival))) {
        fail_to_pack(tile, request);
        store_release(tile->mail.store, block);
        return NULL;
    }
    parcel->order = box->sent++;
    parcel->to = request->target;
    parcel->sender = tile->site;
    parcel->is_response = parcel->done = parcel->lent = false;
    parcel->settled = settled;
    parcel->request = *request;
    noc_name_core(tile, parcel);
    return parcel;
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
    bool settled = !request->marked || request->reply == tile->site;
    struct parcel *parcel = pack(tile, request, 0, settled);
    if (BH_UNLIKELY(!parcel))
        return;
    parcel->lent = true;
    note_lent(tile, (uint32_t)request->source_address, request->length);
    settle(tile, request, settled);
}

static __attribute__((noinline)) void put_off(struct tile *tile, const struct noc_request *request) {
    bool carries = noc_carries_bytes(request);
    bool settled = !loose_is_answered(request) || loose_is_acknowledged(request);
    struct parcel *parcel = pack(tile, request, carries ? request->length : 0, settled);
    if (BH_UNLIKELY(!parcel))
        return;
    struct access access = carries ? noc_load_bytes(tile, request, parcel->bytes) : access_done();
    if (access.result == ACCESS_DONE) {
        settle(tile, request, settled);
        return;
    }
    noc_fail_to_send(tile, parcel, request->time, access);
    store_release(tile->mail.store, tile->mail.outbox.list[--tile->mail.outbox.count].block);
}

/* It has been done. */
static __attribute__((noinline)) void tell_observers(struct tile *tile, const struct noc_request *request) {
    struct parcel *parcel = pack(tile, request, 0, true);
    if (parcel)
        parcel->done = true;
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
    if (BH_LIKELY(noc_put_l1(tile, request->reply_address, data, request->length)))
        niu_returned(&tile->niu[request->noc], &tile->wire, &tally, request->time);
    else
        take_answer(tile, request, data);
    return true;
}

static inline bool is_own(const struct tile *tile, const struct noc_request *request) {
    return request->target == tile->site && !tile->mail.loose.own &&
           (!loose_is_answered(request) || request->reply == tile->site);
}

static __attribute__((noinline)) void do_own(struct tile *tile, const struct noc_request *request) {
    uint8_t room[NOC_PACKET_MAX];
    const uint8_t *data = room;
    struct access access = noc_carries_bytes(request) ? noc_load_bytes(tile, request, room) : access_done();
    if (access.result == ACCESS_DONE)
        access = loose_arrive(&tile->place, request, room, room, &data);
    if (access.result == ACCESS_DONE) {
        if (loose_is_answered(request))
            take_answer(tile, request, data);
        return;
    }
    struct parcel parcel = { .sender = tile->site, .request = *request };
    noc_name_core(tile, &parcel);
    noc_fail_to_send(tile, &parcel, request->time, access);
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

/* In place of a parcel. NULL: no memory. */
static inline struct loose_write *new_write(struct loose_mail *loose) {
    struct loose_write *list = list_room(loose->write, loose->write_count, &loose->write_room, sizeof *list);
    if (BH_UNLIKELY(!list))
        return NULL;
    loose->write = list;
    return &list[loose->write_count];
}

/* As lend. */
static inline bool write_usual(struct tile *tile, const struct usual *usual, unsigned noc, unsigned initiator) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t length = usual->word[NIU_AT_LEN_BE], source = usual->word[NIU_TARG_LO], address = usual->word[NIU_RET_LO];
    bool marked = USUAL_HEAD(usual, marked);
    if (!is_worth_a_loan(tile, length, usual->ret) || (marked && usual->targ != tile->site))
        return false;
    struct loose_write *write = new_write(loose);
    if (BH_UNLIKELY(!write))
        return false;
    const struct core *core = &tile->core[tile->running];
    uint32_t pc = core->pc;
    *write = (struct loose_write){
        .before = tile->mail.outbox.count,
        .source = source,
        .address = address,
        .pc = pc,
        .insn = pc % 4 == 0 && pc < tile_l1_size(tile) ? core_word(core, pc) : 0,
        .length = (uint16_t)length,
        .to = usual->ret,
        .noc = (uint8_t)noc,
        .initiator = (uint8_t)initiator,
        .id = USUAL_HEAD(usual, id),
        .marked = marked,
        .core = (int8_t)core->id,
    };
    loose->write_count++;
    tile->mail.outbox.sent++;
    note_lent(tile, source, length);
    note_bytes(tile, length);
    if (BH_UNLIKELY(tile->grid->kind[usual->ret] == BH_TILE_DRAM))
        loose->dram |= grains_of(address, length);
    return true;
}

/* As read_dram. */
static inline bool read_usual(struct tile *tile, const struct usual *usual, unsigned noc) {
    struct loose_mail *loose = &tile->mail.loose;
    uint32_t length = usual->word[NIU_AT_LEN_BE], from = usual->word[NIU_TARG_LO], to = usual->word[NIU_RET_LO];
    if (usual->ret != tile->site || tile->grid->kind[usual->targ] != BH_TILE_DRAM || !noc_in_l1(tile, to, length))
        return false;
    if (loose->dram && loose->dram & grains_of(from, length > NOC_MASKED_MAX ? length : NOC_MASKED_MAX))
        return false;
    const uint8_t *data = tile->port->memory(tile->owner, usual->targ, from, length);
    if (!data)
        return false;
    note_read(loose, usual->targ, noc, length);
    loose->carrying = true;
    (void)noc_put_l1(tile, to, data, length);
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
    if (!(reads ? read_usual(tile, &usual, niu->noc) : write_usual(tile, &usual, niu->noc, initiator)))
        return false;
    usual_done(niu, &tile->wire, &usual, time);
    return true;
}
