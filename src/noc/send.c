/* The path of a request from CMD_CTRL to the NoC: virtual channels, the one link to the router, and the registers that
 * follow the request (BlackholeA0/NoC/MemoryMap.md, "NOC_CMD_CTRL"; Counters.md).
 *
 * Initiators queue for a virtual channel in the order of their stores. A channel carries one packet, and takes one more
 * meanwhile. The link accepts one flit a cycle. With FIFOs (NIU_CFG_0 bit 16) an initiator can have 16 requests in the
 * queue (tt-metal's noc_nonblocking_api.h of September 2024). Reserving the paths of a multicast takes time for each
 * hop to the furthest router and back (noc/timing.h).
 *
 * Assumed: a request gets a channel in the cycle after the store, one request a cycle. A request without a fixed
 * channel takes the channel that is free first. Packets do not interleave on the link. The packets of a split command
 * follow each other on one channel. */
#include "noc/initiator.h"

#include "base/check.h"
#include "base/order.h"

enum { MULTICAST_CLASS = 2 };

/* ---- Linked transactions -------------------------------------------------------------------------------- */

enum { LINKED_OPEN = 1, LINKED_MULTICAST = 2, LINKED_Y_MAJOR = 4 };

static uint32_t destination_key(const struct noc_request *request) {
    const struct noc_area *area = &request->area;
    if (!request->multicast)
        return request->target;
    return area->start_x | (uint32_t)area->start_y << 8 | (uint32_t)area->end_x << 16 | (uint32_t)area->end_y << 24;
}

static uint8_t linked_flags(const struct noc_request *request) {
    return (uint8_t)(LINKED_OPEN | (request->multicast ? LINKED_MULTICAST : 0) |
                     (request->multicast && request->area.y_major ? LINKED_Y_MAJOR : 0));
}

/* All requests of a linked transaction must take the same route and channel. */
static __attribute__((noinline)) struct access check_linked(struct niu *niu, const struct noc_request *request) {
    uint32_t exclude = request->multicast ? request->area.exclude : 0;
    if (niu->linked != linked_flags(request) || niu->linked_to != destination_key(request) ||
        niu->linked_exclude != exclude)
        return niu_refuse(niu, request->initiator, BH_FAULT_UNDEFINED,
                          "CTRL: the request before it is linked (VC_LINKED), but goes elsewhere");
    if (request->static_vc && request->vc != niu->linked_vc)
        return niu_refuse(niu, request->initiator, BH_FAULT_UNDEFINED,
                          "CTRL: virtual channel %u, but the request before it is linked (VC_LINKED) on %u",
                          request->vc, niu->linked_vc);
    return access_done();
}

static inline void follow_linked(struct niu *niu, const struct noc_request *request) {
    if (BH_LIKELY(!request->linked && !niu->linked)) /* the linked_ fields are zero already */
        return;
    niu->linked = request->linked ? linked_flags(request) : 0;
    niu->linked_to = request->linked ? destination_key(request) : 0;
    niu->linked_exclude = request->linked && request->multicast ? request->area.exclude : 0;
    niu->linked_vc = request->linked ? request->vc : 0;
    BH_ASSERT(!niu->linked || niu->linked_vc < NIU_VCS);
}

/* ---- Channels and times --------------------------------------------------------------------------------- */

static inline unsigned choose_vc(const struct niu *niu, const struct noc_request *request) {
    if (request->static_vc)
        return request->vc;
    if (niu->linked)
        return niu->linked_vc;
    unsigned first = request->multicast ? MULTICAST_CLASS << 1 : 0;
    unsigned end = request->multicast ? NIU_VCS : NIU_UNICAST_VCS, best = first;
    for (unsigned vc = first + 1; vc < end; vc++)
        if (niu->vc_free[vc] < niu->vc_free[best])
            best = vc;
    return best;
}

static __attribute__((noinline)) uint64_t reservation(const struct niu *niu, const struct noc_request *request) {
    unsigned furthest = 0;
    if (!request->reserve || niu->linked)
        return 0;
    struct noc_sites sites = route_area(niu->noc, niu->site, &request->area);
    for (unsigned site; (site = noc_sites_next(&sites)) != NOC_NOWHERE;) {
        unsigned hops = route_hops(niu->noc, niu->site, site);
        furthest = hops > furthest ? hops : furthest;
    }
    return NOC_RESERVE + 2 * (uint64_t)furthest * NOC_RESERVE_HOP;
}

/* Returns the number of cycles for which a packet occupies the link to the router. */
static inline uint64_t sending_cycles(const struct noc_request *request) {
    return 1 + noc_fetch_cycles(noc_request_words(request));
}

/* Returns the next free flight; NULL if there is none. The flight is not one of the NIU's before launch. */
static inline struct niu_flight *new_flight(struct niu *niu, const struct niu_wire *wire) {
    return BH_CHECK(wire->error, niu->flights < NIU_FLIGHTS) ? &niu->flight[niu->flights] : NULL;
}

/* Fills in the flight of a request: the cycles in which it gets its channel, starts and ends. */
static inline void schedule(const struct niu *niu, struct noc_request *request, uint64_t time, unsigned packets,
                            struct niu_flight *flight) {
    uint64_t asked = later(time, niu->assigned) + NOC_ASSIGN;
    uint64_t assigned = later(asked, niu->vc_room[request->vc]);
    request->reservation = (uint16_t)(BH_LIKELY(!request->multicast) ? 0 : reservation(niu, request));
    uint64_t start = later(later(assigned, niu->vc_free[request->vc]) + request->reservation, niu->link_free);
    BH_ASSERT(asked > time && assigned >= asked && start >= assigned);
    BH_ASSERT(request->vc < NIU_VCS && request->initiator <= NOC_OVERLAY);
    flight->assigned = assigned;
    flight->start = flight->planned = start;
    flight->end = flight->last_end = start + sending_cycles(request);
    flight->kind = request->kind;
    flight->id = request->id;
    flight->initiator = request->initiator;
    flight->marked = request->marked;
    flight->stage = NIU_WAITS;
    flight->packets = (uint8_t)packets;
    flight->words = flight->last_words = (uint16_t)noc_request_words(request);
    flight->vc = request->vc;
    flight->stream = flight->unused = 0;
}

/* The link is free for other requests while paths are being reserved. */
static void occupy(struct niu *niu, const struct noc_request *request, const struct niu_flight *flight) {
    BH_ASSERT(flight->assigned >= niu->assigned && flight->start >= niu->vc_free[request->vc]);
    BH_ASSERT(flight->start < flight->end && flight->end <= flight->last_end);
    niu->assigned = flight->assigned;
    niu->vc_room[request->vc] = niu->vc_free[request->vc];
    niu->vc_free[request->vc] = flight->last_end;
    niu->link_free = later(niu->link_free, flight->assigned) + (flight->last_end - flight->start);
}

/* ---- Flights -------------------------------------------------------------------------------------------- */

static uint64_t next_change(const struct niu_flight *flight) {
    switch (flight->stage) {
    case NIU_WAITS: return flight->assigned;
    case NIU_ASSIGNED: return flight->start;
    default: return flight->end;
    }
}

static inline void find_due(struct niu *niu) {
    uint64_t due = NIU_NEVER;
    for (unsigned i = 0; i < niu->flights; i++) {
        uint64_t change = next_change(&niu->flight[i]);
        due = change < due ? change : due;
    }
    niu->due = due;
}

unsigned send_waiting(const struct niu *niu, unsigned initiator) {
    unsigned count = 0;
    for (unsigned i = 0; i < niu->flights; i++)
        count +=
            niu->flight[i].initiator == initiator && (niu->flight[i].stage == NIU_WAITS || niu->flight[i].packets > 1);
    return count;
}

/* Updates the registers of an initiator to describe what is left of the transfer after a packet. */
static void advance(uint32_t *word) {
    word[NIU_AT_LEN_BE] -= NOC_PACKET_MAX;
    for (unsigned lo = NIU_TARG_LO; lo <= NIU_RET_LO; lo += NIU_RET_LO - NIU_TARG_LO) {
        word[lo] += NOC_PACKET_MAX;
        word[lo + 1] += word[lo] < NOC_PACKET_MAX;
    }
}

/* Gives the packet its channel. The initiator stays busy if more packets follow. */
static void assign(struct niu *niu, struct niu_flight *flight, const struct noc_tally *tally) {
    BH_ASSERT(flight->stage == NIU_WAITS);
    niu_count(niu, NOC_ASSIGNED, tally);
    flight->stage = NIU_ASSIGNED;
    if (flight->initiator == NOC_OVERLAY)
        return;
    BH_ASSERT(niu->busy >> flight->initiator & 1);
    if (flight->packets == 1) {
        if (niu_has_fifos(niu) && send_waiting(niu, flight->initiator))
            return;
        niu->busy &= (uint8_t) ~(1u << flight->initiator);
        niu->splits = niu->splits == flight->initiator + 1 ? 0 : niu->splits;
        return;
    }
    advance(niu->initiator[flight->initiator]);
}

static inline struct noc_tally tally_of(const struct niu_flight *flight) {
    return (struct noc_tally){
        .kind = flight->kind, .id = flight->id, .marked = flight->marked, .packets = 1, .words = flight->words
    };
}

/* Begins the next packet of the command. Returns false if there is none. */
static bool next_packet(struct niu_flight *flight) {
    BH_ASSERT(flight->stage == NIU_LEAVES && flight->packets);
    if (--flight->packets == 0)
        return false;
    BH_ASSERT(flight->words == noc_data_flits(NOC_PACKET_MAX) || flight->kind == NOC_KIND_READ);
    flight->words = flight->packets == 1 ? flight->last_words : flight->words;
    flight->assigned = flight->start = flight->planned = flight->end;
    flight->end = flight->start + 1 + noc_fetch_cycles(flight->words);
    flight->stage = NIU_WAITS;
    return true;
}

/* Applies the changes of a flight up to a time. Returns false if the flight has ended. kind: a constant, or the
 * flight's. */
static inline __attribute__((always_inline)) bool run_flight_of(struct niu *niu, struct niu_flight *flight,
                                                                uint8_t kind, uint64_t time) {
    do {
        struct noc_tally tally = tally_of(flight);
        tally.kind = kind;
        if (flight->stage == NIU_WAITS) {
            if (flight->assigned > time)
                return true;
            assign(niu, flight, &tally);
        }
        if (flight->stage == NIU_ASSIGNED) {
            if (flight->start > time)
                return true;
            niu_count(niu, NOC_STARTED, &tally);
            flight->stage = NIU_LEAVES;
        }
        if (flight->end > time)
            return true;
        niu_count(niu, NOC_LEFT, &tally);
    } while (next_packet(flight));
    return false;
}

static inline bool run_flight(struct niu *niu, struct niu_flight *flight, uint64_t time) {
    switch (flight->kind) {
    case NOC_KIND_READ: return run_flight_of(niu, flight, NOC_KIND_READ, time);
    case NOC_KIND_WRITE: return run_flight_of(niu, flight, NOC_KIND_WRITE, time);
    default: return run_flight_of(niu, flight, flight->kind, time);
    }
}

static void note_overlay_left(struct niu *niu, unsigned stream) {
    BH_ASSERT(niu->overlay_flights && niu->overlay_left < NIU_OVERLAY);
    niu->overlay_flights--;
    niu->overlay_stream[niu->overlay_left++] = (uint8_t)stream;
}

/* Removes a flight that has ended; the last one takes its place. */
static inline void remove_flight(struct niu *niu, struct niu_flight *flight) {
    struct niu_flight *last = &niu->flight[--niu->flights];
    if (BH_UNLIKELY(flight->initiator == NOC_OVERLAY))
        note_overlay_left(niu, flight->stream);
    if (flight != last)
        *flight = *last;
    *last = (struct niu_flight){ 0 };
}

void niu_run_due(struct niu *niu, uint64_t time) {
    struct niu_flight *flight = niu->flight;
    uint64_t due = NIU_NEVER;
    BH_ASSERT(niu->due <= time && niu->flights);
    while (flight < niu->flight + niu->flights) {
        uint64_t change = next_change(flight);
        if (change <= time) {
            if (!run_flight(niu, flight, time)) {
                remove_flight(niu, flight);
                continue;
            }
            change = next_change(flight);
        }
        due = smaller(due, change);
        flight++;
    }
    niu->due = due;
}

/* Delays the requests that wait for room in the channel, because the packet that they wait for is late. */
static void wait_longer(struct niu *niu, unsigned vc, uint64_t before, uint64_t end) {
    for (unsigned i = 0; i < niu->flights; i++) {
        struct niu_flight *flight = &niu->flight[i];
        if (flight->stage != NIU_WAITS || flight->vc != vc || flight->assigned != before)
            continue;
        uint64_t late = end - flight->assigned;
        flight->assigned += late;
        flight->start += late;
        flight->end += late;
        flight->last_end += late;
        niu->assigned = later(niu->assigned, flight->assigned);
    }
}

void niu_leaves(struct niu *niu, uint64_t planned, uint64_t time) {
    for (unsigned i = 0; i < niu->flights; i++) {
        struct niu_flight *flight = &niu->flight[i];
        if (flight->planned != planned || flight->start >= time || flight->stage == NIU_WAITS)
            continue;
        uint64_t before = flight->last_end, late = time - flight->start;
        unsigned vc = flight->vc;
        flight->start += late;
        flight->end += late;
        flight->last_end += late;
        uint64_t *free = niu->vc_free[vc] == before ? &niu->vc_free[vc] : &niu->vc_room[vc];
        *free = later(*free, flight->last_end);
        niu->link_free = later(niu->link_free, flight->last_end);
        wait_longer(niu, vc, before, flight->last_end);
        find_due(niu);
        return;
    }
}

/* ---- CMD_CTRL ------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void give_rest_away(const struct niu *niu, const struct niu_wire *wire,
                                                     struct noc_request *request, struct niu_flight *flight) {
    uint64_t total = request_length(niu, request);
    request->reservation = 0; /* the path is reserved already */
    for (unsigned packet = 1; packet < flight->packets; packet++) {
        request_advance(request, total, packet);
        request->time = flight->last_end;
        flight->last_end += sending_cycles(request);
        wire->port->send(wire->owner, request);
    }
    flight->last_words = (uint16_t)noc_request_words(request);
}

static inline void give_away(const struct niu *niu, const struct niu_wire *wire, struct noc_request *request,
                             struct niu_flight *flight) {
    request->time = flight->start;
    wire->port->send(wire->owner, request);
    if (BH_UNLIKELY(flight->packets > 1))
        give_rest_away(niu, wire, request, flight);
}

static inline void launch(struct niu *niu, const struct niu_flight *flight) {
    niu->flights++;
    niu->busy |= (uint8_t)(1u << flight->initiator);
    if (flight->packets > 1)
        niu->splits = (uint8_t)(flight->initiator + 1);
    niu->due = smaller(niu->due, flight->assigned);
}

/* Warns of inline data to L1: it needs all ports of the receiver's L1 at once, which may hang the NoC (tt-metal). */
static __attribute__((noinline)) void warn(struct niu *niu, const struct niu_wire *wire,
                                           const struct noc_request *request) {
    if (request->address >= NOC_MMIO || niu->warned || !wire->port->warn)
        return;
    niu->warned = 1;
    wire->port->warn(wire->owner, request, "inline data to L1 is not safe on Blackhole (CTRL bit 3)");
}

/* Makes and checks the request in the registers, and chooses its channel. */
static inline struct access prepare(struct niu *niu, const struct niu_wire *wire, unsigned initiator,
                                    struct noc_request *request, unsigned *packets) {
    struct access access = request_make(niu, wire, initiator, request, packets);
    if (access.result == ACCESS_DONE && niu->linked)
        access = check_linked(niu, request);
    if (access.result != ACCESS_DONE)
        return access;
    request->vc = (uint8_t)choose_vc(niu, request);
    BH_ASSERT(request->length && request->length <= NOC_PACKET_MAX && *packets);
    BH_ASSERT(request->source == niu->site && request->noc == niu->noc);
    BH_ASSERT(request->multicast == (request->target == NOC_NOWHERE));
    return access;
}

/* Counts all packets of a command at once. */
static inline void count_issued(struct niu *niu, const struct noc_request *request, unsigned packets) {
    const struct noc_tally tally = {
        .kind = request->kind, .id = request->id, .marked = request->marked, .packets = packets
    };
    niu_count(niu, NOC_ISSUED, &tally);
}

static inline void finish(struct niu *niu, const struct niu_wire *wire, const struct noc_request *request,
                          uint64_t time) {
    follow_linked(niu, request);
    if (BH_UNLIKELY(request->kind == NOC_KIND_INLINE))
        warn(niu, wire, request);
    count_interrupt(niu, wire, time);
}

static struct access refuse(struct niu *niu, const struct niu_wire *wire, struct access access, uint64_t time) {
    count_interrupt(niu, wire, time);
    return access;
}

struct access send_command(struct niu *niu, const struct niu_wire *wire, unsigned initiator, uint64_t time) {
    struct noc_request request;
    unsigned packets;
    struct access access = prepare(niu, wire, initiator, &request, &packets);
    if (BH_UNLIKELY(access.result != ACCESS_DONE))
        return refuse(niu, wire, access, time);
    struct niu_flight *flight = new_flight(niu, wire);
    if (BH_UNLIKELY(!flight))
        return access;
    schedule(niu, &request, time + (wire->delay ? wire->delay(wire->owner, niu->noc) : 0), packets, flight);
    count_issued(niu, &request, packets);
    give_away(niu, wire, &request, flight);
    occupy(niu, &request, flight);
    launch(niu, flight);
    finish(niu, wire, &request, time);
    return access;
}

/* ---- Without time --------------------------------------------------------------------------------------- */

/* Counts every moment of one packet at its sender. */
static inline void count_all(struct niu *niu, const struct noc_request *request) {
    const struct noc_tally tally = noc_tally_of(request);
    niu_count(niu, NOC_ASSIGNED, &tally);
    niu_count(niu, NOC_STARTED, &tally);
    niu_count(niu, NOC_LEFT, &tally);
}

static __attribute__((noinline)) void send_rest(struct niu *niu, const struct niu_wire *wire,
                                                struct noc_request *request, unsigned packets) {
    uint64_t total = request_length(niu, request);
    for (unsigned packet = 1; packet < packets; packet++) {
        request_advance(request, total, packet);
        advance(niu->initiator[request->initiator]);
        wire->port->send(wire->owner, request);
        count_all(niu, request);
    }
}

struct access niu_send_loosely(struct niu *niu, const struct niu_wire *wire, unsigned initiator, uint64_t time) {
    struct noc_request request;
    unsigned packets;
    struct access access = prepare(niu, wire, initiator, &request, &packets);
    if (BH_UNLIKELY(access.result != ACCESS_DONE))
        return refuse(niu, wire, access, time);
    count_issued(niu, &request, packets);
    request.time = time;
    wire->port->send(wire->owner, &request);
    count_all(niu, &request);
    if (BH_UNLIKELY(packets > 1))
        send_rest(niu, wire, &request, packets);
    finish(niu, wire, &request, time);
    return access;
}

/* ---- Packets of the overlay ------------------------------------------------------------------------------- */

bool niu_overlay_send(struct niu *niu, const struct niu_wire *wire, struct noc_request *request, unsigned stream,
                      uint64_t time) {
    BH_ASSERT(request->initiator == NOC_OVERLAY && request->static_vc && niu_overlay_has_room(niu));
    count_issued(niu, request, 1);
    if (wire->loose) {
        request->time = time;
        wire->port->send(wire->owner, request);
        count_all(niu, request);
        return true;
    }
    struct niu_flight *flight = new_flight(niu, wire);
    if (!flight)
        return true;
    schedule(niu, request, time + (wire->delay ? wire->delay(wire->owner, niu->noc) : 0), 1, flight);
    flight->stream = (uint16_t)stream;
    give_away(niu, wire, request, flight);
    occupy(niu, request, flight);
    niu->flights++;
    niu->overlay_flights++;
    niu->due = smaller(niu->due, flight->assigned);
    return false;
}
