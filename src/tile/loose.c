/* Sending on a loosely timed NoC, and what a request does to a receiver: see loose.h. */
#include "tile/loose.h"

#include <string.h>

#include "base/order.h"
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
    niu_arrived(niu, request);
    switch (request->kind) {
    case NOC_KIND_READ: access = read_bytes(place, request, room, data); break;
    case NOC_KIND_ATOMIC: access = do_atomic(place, request, room, data); break;
    default: access = place_put(place, request, bytes);
    }
    if (access.result == ACCESS_DONE && loose_is_answered(request))
        niu_answered(niu, request);
    return access;
}

/* ---- Answers -------------------------------------------------------------------------------------------------- */

/* The response to what the running core has just sent. */
static void take_answer(struct tile *tile, const struct noc_request *request, const uint8_t *data) {
    struct noc_response response = noc_response_to(request, request->target, request->time);
    struct access access = place_take(&tile->place, &response, data, request->time);
    if (BH_LIKELY(access.result == ACCESS_DONE))
        return;
    struct parcel parcel = { .sender = tile->site, .is_response = true, .response = response };
    noc_name_core(tile, &parcel);
    noc_fail_to_send(tile, &parcel, request->time, access);
}

static void acknowledge(struct tile *tile, const struct noc_request *request) {
    const struct noc_response response = { .kind = NOC_WRITE_ACK, .noc = request->noc, .id = request->id };
    niu_response(&tile->niu[request->noc], &tile->wire, &response, request->time);
}

/* ---- What is put off ------------------------------------------------------------------------------------------ */

/* The bits of loose_mail.dram for the bytes of a request. */
static uint64_t grains(const struct noc_request *request) {
    enum { GRAIN_SHIFT = 14, GRAINS = 64, MASKED = NOC_MASKED_MAX };
    uint32_t length = request->length > MASKED ? request->length : MASKED;
    uint64_t first = request->address >> GRAIN_SHIFT, last = (request->address + length - 1) >> GRAIN_SHIFT;
    return UINT64_C(1) << first % GRAINS | UINT64_C(1) << last % GRAINS;
}

/* When much waits, whoever sends more does too, until tiles meet. */
static void hold_back(struct tile *tile, uint32_t length) {
    enum { MUCH = 0x10000 };
    struct core *core = &tile->core[tile->running % BH_CORE_COUNT];
    tile->mail.loose.bytes += length;
    if (tile->mail.loose.bytes >= MUCH && tile->running < BH_CORE_COUNT && core_time(core) < tile->until)
        core->stalled += (int64_t)(tile->until - core_time(core));
}

/* What comes after it may have to wait for it. */
static void note_put_off(struct tile *tile, const struct noc_request *request) {
    struct loose_mail *loose = &tile->mail.loose;
    if (noc_carries_bytes(request))
        hold_back(tile, request->length);
    if (request->multicast || request->target == tile->site)
        loose->own = true;
    else if (tile->grid->kind[request->target] == BH_TILE_DRAM && request->kind != NOC_KIND_READ)
        loose->dram |= request->header_store ? UINT64_MAX : grains(request);
}

static struct parcel *pack(struct tile *tile, const struct noc_request *request, bool done, uint32_t *block) {
    struct parcel *parcel = mail_write(&tile->mail, noc_carries_bytes(request) ? request->length : 0, block);
    if (BH_UNLIKELY(!parcel)) {
        noc_fail_to_send(tile, &(struct parcel){ .sender = tile->site, .core = -1, .request = *request }, request->time,
                         noc_no_memory());
        return NULL;
    }
    parcel->order = tile->mail.outbox.sent++;
    parcel->to = request->target;
    parcel->sender = tile->site;
    parcel->is_response = false;
    parcel->done = done;
    parcel->request = *request;
    noc_name_core(tile, parcel);
    return parcel;
}

static void put_off(struct tile *tile, const struct noc_request *request, bool done) {
    uint32_t block;
    struct parcel *parcel = pack(tile, request, done, &block);
    struct access access = access_done();
    if (BH_UNLIKELY(!parcel))
        return;
    if (noc_carries_bytes(request) && !done)
        access = noc_load_bytes(tile, request, parcel->bytes);
    if (access.result == ACCESS_DONE &&
        !outbox_put(&tile->mail.outbox, (struct arrival){ .block = block, .to = parcel->to, .owner = tile->site }))
        access = noc_no_memory();
    if (BH_UNLIKELY(access.result != ACCESS_DONE)) {
        noc_fail_to_send(tile, parcel, request->time, access);
        store_release(tile->mail.store, block);
        return;
    }
    if (done)
        return;
    note_put_off(tile, request);
    if (loose_is_acknowledged(request))
        acknowledge(tile, request);
}

/* ---- What is done at once --------------------------------------------------------------------------------------- */

static bool is_dram(const struct tile *tile, const struct noc_request *request) {
    return request->kind == NOC_KIND_READ && request->reply == tile->site &&
           tile->grid->kind[request->target] == BH_TILE_DRAM && !(tile->mail.loose.dram & grains(request));
}

/* False: it is not there, or not memory. */
static bool read_dram(struct tile *tile, const struct noc_request *request) {
    struct loose_mail *loose = &tile->mail.loose;
    const uint8_t *data = tile->port->memory(tile->owner, request->target, request->address, request->length);
    if (!data)
        return false;
    struct loose_reads *reads = &loose->read[request->target][request->noc];
    reads->requests++;
    reads->words += noc_data_flits(request->length);
    noc_sites_add(&loose->read_at, request->target);
    loose->read_count++;
    take_answer(tile, request, data);
    return true;
}

static bool is_own(const struct tile *tile, const struct noc_request *request) {
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

static bool do_at_once(struct tile *tile, const struct noc_request *request) {
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
    if (loose->carrying || tile->running >= BH_CORE_COUNT || request->multicast) {
        put_off(tile, request, false);
        return;
    }
    tile->time = later(tile->time, request->time);
    loose->carrying = true;
    bool done = do_at_once(tile, request);
    if (!done || tile->mail.observer)
        put_off(tile, request, done);
    loose->carrying = false;
}
