/* Records of packets: see watch.h. Inexact: a NIU is busy with one packet at a time; packets that overlap count
 * once. */
#include "tile/eth_port.h"
#include "tile/watch.h"

#include "tensix/clock.h"
#include "tile/tile.h"

/* Attaches the observer to a core. The time of a sleeping core does not advance: its sleep before the observation does
 * not count. */
static void watch_core(struct core *core, struct observer *observer, uint64_t now) {
    bool sleeps = core->state == BH_CORE_POLLING || core->state == BH_CORE_BLOCKED;
    uint64_t since = sleeps && now > core_time(core) ? now : core_time(core);
    core->observer = observer;
    core->profile = observer ? observer->profile[core->id] : NULL;
    core->steps = observer ? observer->steps[core->id] : NULL;
    if (core->steps)
        *core->steps = (struct observe_steps){ .observer = observer };
    if (observer)
        observer->core[core->id] = (struct observe_core){
            .counts = core->state != BH_CORE_IN_RESET,
            .since = since,
            .retired_out = core->retired,
        };
    if (!core->profile)
        return;
    core->profile->pc = core->pc;
    core->profile->time = core->profile->slept_until = since;
    core->profile->retired = core->retired;
}

void tile_watch(struct tile *tile, struct observer *observer, uint64_t now) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        watch_core(&tile->core[i], observer, now);
    tile->tensix.observer = observer;
    clock_end_handler_only(&tile->tensix, 0);
    tile->mail.observer = observer;
}

/* ---- Packets --------------------------------------------------------------------------------------------- */

static const char *const request_names[] = {
    [NOC_KIND_READ] = "read",           [NOC_KIND_WRITE] = "write",   [NOC_KIND_MASKED] = "masked write",
    [NOC_KIND_INLINE] = "inline write", [NOC_KIND_ATOMIC] = "atomic",
};
static const char *const response_names[] = {
    [NOC_KIND_READ] = "read data",         [NOC_KIND_WRITE] = "acknowledgement", [NOC_KIND_MASKED] = "acknowledgement",
    [NOC_KIND_INLINE] = "acknowledgement", [NOC_KIND_ATOMIC] = "atomic result",
};

/* Returns the number of bytes that a request carries; those of a read come with the response. */
static uint32_t bytes_of(const struct noc_request *request) {
    switch (request->kind) {
    case NOC_KIND_READ: return 0;
    case NOC_KIND_WRITE: return request->length;
    case NOC_KIND_MASKED: return (uint32_t)__builtin_popcountll(request->mask);
    default: return 4;
    }
}

static struct bh_event event_of(const struct transaction *transaction) {
    const struct noc_request *request = &transaction->request;
    if (transaction_is_response(transaction))
        return (struct bh_event){ .start = transaction->time,
                                  .name = response_names[request->kind],
                                  .count = 1,
                                  .pc = transaction->pc,
                                  .at = noc_response_address(request),
                                  .bytes = noc_response_length(request) };
    return (struct bh_event){ .start = request->time,
                              .name = request_names[request->kind],
                              .count = 1,
                              .pc = transaction->pc,
                              .at = request->address,
                              .bytes = bytes_of(request) };
}

/* Returns a corner of the receivers of a multicast in coordinates of NoC 0. */
static struct bh_xy corner(const struct noc_request *request, uint8_t x, uint8_t y) {
    if (!request->multicast)
        return (struct bh_xy){ 0 };
    return request->noc ? (struct bh_xy){ (uint8_t)(NOC_WIDTH - 1 - x), (uint8_t)(NOC_HEIGHT - 1 - y) }
                        : (struct bh_xy){ x, y };
}

static void record_request(struct observer *o, struct bh_event event, const struct transaction *transaction) {
    const struct noc_request *request = &transaction->request;
    event.kind = BH_EVENT_REQUEST;
    event.asked = request->kind == NOC_KIND_READ ? request->length : 0;
    event.core = transaction->core;
    event.vc = request->vc;
    event.posted = !request->marked && request->kind != NOC_KIND_READ;
    event.from = corner(request, request->area.start_x, request->area.start_y);
    event.to = corner(request, request->area.end_x, request->area.end_y);
    observe_record(o, (enum bh_track)(BH_TRACK_NOC0 + request->noc), &event);
}

void watch_sent(const struct mail *mail, const struct noc_grid *grid, const struct transaction *transaction) {
    struct bh_event event = event_of(transaction);
    unsigned noc = transaction->request.noc;
    event.end = event.start + transaction_flits(transaction);
    event.peer = transaction->to == NOC_NOWHERE ? (struct bh_xy){ 255, 255 } : grid->translated[transaction->to];
    if ((mail->observer->what & BH_WATCH_INSTRUCTIONS) && !transaction_is_response(transaction))
        record_request(mail->observer, event, transaction);
    mail->observer->noc[noc].bytes_out += event.bytes;
    observe_work(mail->observer, (enum bh_track)(BH_TRACK_NOC0 + noc), event);
}

void watch_came(const struct endpoint *endpoint, const struct transaction *transaction, uint64_t time) {
    struct observer *o = endpoint->mail->observer;
    struct bh_event event = event_of(transaction);
    unsigned noc = transaction->request.noc;
    event.kind = BH_EVENT_PACKET;
    event.end = time > event.start ? time : event.start + 1;
    event.peer =
        endpoint->grid
            ->translated[transaction_is_response(transaction) ? transaction->receiver : transaction->request.source];
    o->noc[noc].bytes_in += event.bytes;
    o->noc[noc].packets_in++;
    o->tile = endpoint->grid->translated[endpoint->site]; /* one observer serves all tiles without cores */
    observe_record(o, (enum bh_track)(BH_TRACK_NOC0 + noc), &event);
}

static struct bh_event event_of_frame(const struct eth_frame *frame) {
    static const char *const names[] = {
        [ETH_FRAME_RAW] = "raw frame", [ETH_FRAME_DATA] = "write", [ETH_FRAME_REGISTER] = "write to a register"
    };
    return (struct bh_event){ .start = frame->start,
                              .end = frame->end,
                              .name = names[frame->kind],
                              .count = 1,
                              .at = frame->kind == ETH_FRAME_RAW ? 0 : frame->address,
                              .bytes = frame->length + ETH_CRC,
                              .peer = { 255, 255 } };
}

void watch_frame_sent(const struct mail *mail, const struct eth_frame *frame) {
    struct bh_event event = event_of_frame(frame);
    mail->observer->noc[BH_TRACK_ETH - BH_TRACK_NOC0].bytes_out += event.bytes;
    observe_work(mail->observer, BH_TRACK_ETH, event);
}

void watch_frame_came(const struct mail *mail, const struct eth_frame *frame) {
    struct observe_noc *cable = &mail->observer->noc[BH_TRACK_ETH - BH_TRACK_NOC0];
    struct bh_event event = event_of_frame(frame);
    event.kind = BH_EVENT_PACKET;
    event.end = frame->arrives;
    cable->bytes_in += event.bytes;
    cable->packets_in++;
    observe_record(mail->observer, BH_TRACK_ETH, &event);
}
