/* Tables of the state of NIUs, requests, transactions and overlay streams, for saving and hashing. */
#include "noc/table.h"

#include <string.h>

#include "base/mix.h"
#include "base/state_rows.h"
#include "noc/niu.h"
#include "noc/overlay.h"
#include "noc/transaction.h"

/* ---- Transactions ----------------------------------------------------------------------------------------- */

#define T struct noc_area
static const struct state_member area_members[] = {
    SEEN(exclude),
    MOST(start_x, uint8_t, NOC_WIDTH - 1),
    MOST(start_y, uint8_t, NOC_HEIGHT - 1),
    MOST(end_x, uint8_t, NOC_WIDTH - 1),
    MOST(end_y, uint8_t, NOC_HEIGHT - 1),
    FLAG(y_major),
    FLAG(include_source),
};
static const struct state_table area_state = STATE_TABLE("noc_area", T, area_members);
#undef T

#define T struct noc_request
static const struct state_member request_members[] = {
    SEEN_MOST(kind, uint8_t, NOC_KIND_ATOMIC),
    SEEN_MOST(noc, uint8_t, 1),
    SEEN_MOST(initiator, uint8_t, NOC_HOST),
    SEEN_MOST(id, uint8_t, NIU_IDS - 1),
    SEEN_MOST(source, uint8_t, NOC_SITES - 1),
    SAVED(target),
    SEEN(reply),
    SEEN_MOST(vc, uint8_t, 15),
    SAVED(priority),
    SEEN_FLAG(marked),
    FLAG(multicast),
    FLAG(linked),
    FLAG(static_vc),
    FLAG(reserve),
    SEEN_FLAG(header_store),
    SEEN_FLAG(to_overlay),
    SEEN_MOST(length, uint32_t, NOC_PACKET_MAX),
    SEEN(data),
    SEEN(address),
    SEEN(reply_address),
    SEEN(atomic),
    SEEN(reservation),
    INNER(area, area_state),
    SEEN(mask),
    SAVED(time),
};

static bool is_possible_request(const void *block) {
    const struct noc_request *request = block;
    bool answered = request->marked || request->kind == NOC_KIND_READ;
    if (request->reply >= NOC_SITES && (answered || request->reply != NOC_NOWHERE))
        return false;
    return request->target < NOC_SITES || (request->target == NOC_NOWHERE && request->multicast);
}

static const struct state_table request_state =
    STATE_CHECKED_TABLE("noc_request", T, request_members, is_possible_request);
#undef T

/* The receiver is set in responses only. */
static uint64_t see_stage(uint64_t hash, const void *block, uint64_t now) {
    const struct transaction *t = block;
    (void)now;
    return mix(hash, transaction_is_response(t) ? t->receiver : NOC_NOWHERE);
}

#define T struct transaction
static const struct state_member transaction_members[] = {
    SEEN(order),
    SAVED(pc),
    SAVED(insn),
    SEEN(to),
    MOST(sender, uint8_t, NOC_SITES - 1),
    SAVED(core),
    VIEW_MOST(stage, uint8_t, TRANSACTION_DONE, see_stage),
    SAVED(receiver),
    MOST(bytes, uint8_t, TRANSACTION_APART),
    FLAG(answered),
    INNER(request, request_state),
    SAVED(time),
    SAVED(bytes_at),
    WIRING(tick),
    SAVED(unused),
};

static bool is_possible_transaction(const void *block) {
    const struct transaction *t = block;
    if (t->core < -1 || t->core >= BH_CORE_COUNT)
        return false;
    if (transaction_is_response(t) && (t->receiver >= NOC_SITES || t->to >= NOC_SITES))
        return false;
    return t->to < NOC_SITES || (t->to == NOC_NOWHERE && t->request.multicast);
}

const struct state_table transaction_state =
    STATE_CHECKED_TABLE("transaction", T, transaction_members, is_possible_transaction);
#undef T

/* ---- NIUs ------------------------------------------------------------------------------------------------- */

#define T struct niu_flight
static const struct state_member flight_members[] = {
    SEEN_TIME(assigned),
    SEEN_TIME(start),
    SEEN_TIME(end),
    SEEN_TIME(last_end),
    SEEN_TIME(planned),
    SEEN_MOST(kind, uint8_t, NOC_KIND_ATOMIC),
    SEEN_MOST(id, uint8_t, NIU_IDS - 1),
    SEEN_MOST(initiator, uint8_t, NOC_HOST),
    SEEN_MOST(marked, uint8_t, 1),
    SEEN_MOST(stage, uint8_t, NIU_LEAVES),
    SEEN(packets),
    SEEN(words),
    SEEN(last_words),
    SEEN_MOST(vc, uint16_t, NIU_VCS - 1),
    SEEN_MOST(stream, uint16_t, NIU_STREAM_DATA | NOC_TAG_STREAM),
    SEEN(unused),
};
static const struct state_table flight_state = STATE_TABLE("niu_flight", T, flight_members);
#undef T

#define T struct niu
static const struct state_member niu_members[] = {
    SEEN_TIME(due),
    SEEN_TIME(assigned),
    SEEN_TIME(link_free),
    SEEN_MOST(flights, uint32_t, NIU_FLIGHTS),
    SEEN(rtz_source),
    SEEN(linked_to),
    SEEN(linked_exclude),
    SEEN(linked),
    SEEN(linked_vc),
    SEEN_MOST(noc, uint8_t, 1),
    SEEN_MOST(site, uint8_t, NOC_SITES - 1),
    SEEN_MOST(busy, uint8_t, (1 << NIU_INITIATORS) - 1),
    SEEN_MOST(splits, uint8_t, NOC_HOST + 1),
    SEEN_MOST(rtz_next, uint8_t, NIU_IDS - 1),
    SEEN(raised),
    SEEN(warned),
    SEEN(overflow),
    SEEN(own_tables),
    SEEN_MOST(overlay_flights, uint8_t, NIU_OVERLAY),
    SEEN_MOST(overlay_left, uint8_t, NIU_OVERLAY),
    SEEN(overlay_stream),
    SEEN(unused),
    SEEN(node_id),
    SEEN(endpoint_id),
    SEEN_TIME(vc_free),
    SEEN_TIME(vc_room),
    SEEN(unused_too),
    SEEN(count),
    SEEN_GRID(initiator),
    SEEN(config),
    INNER_ZERO(flight, flight_state),
    SEEN(why),
};

static bool is_possible_niu(const void *block) {
    const struct niu *niu = block;
    return memchr(niu->why, '\0', sizeof niu->why);
}

/* Runs a copy of the NIU up to the beginning of cycle `now`: the changes of that cycle belong to its end. */
static void bring_niu(void *copy, uint64_t now) {
    if (now)
        niu_run(copy, now - 1);
}

_Static_assert(sizeof(struct niu) <= STATE_COPY_MAX, "room for a copy");
const struct state_table niu_state = {
    "niu", sizeof(T), sizeof niu_members / sizeof niu_members[0], niu_members, is_possible_niu, bring_niu,
};
#undef T

/* ---- Overlay streams -------------------------------------------------------------------------------------- */

#define T struct messages
static const struct state_member messages_members[] = {
    SEEN_MOST(state, uint8_t, MESSAGES_FORWARD),
    SEEN_MOST(count, uint8_t, MESSAGES_MAX),
    SEEN_MOST(reads, uint8_t, MESSAGES_READS),
    SEEN(flags),
    SEEN(to_receive),
    SEEN(to_transmit),
    SEEN(load_offset),
    SEEN(address),
    SEEN(size),
    SEEN(read_size),
    SEEN(from),
    SEEN(read_from),
    SEEN(sent),
    SEEN(arrived),
    SEEN(freed),
    SEEN(ready),
    SEEN(source),
    SEEN(early),
    SEEN(repeat),
    SEEN(source_how),
    SEEN_MOST(group, uint8_t, OVERLAY_STREAMS - 1),
    SEEN_MOST(member, uint8_t, 3),
    SEEN(unused),
    SEEN(in_order),
};
static bool are_streams(const uint8_t *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (list[i] >= OVERLAY_STREAMS)
            return false;
    return true;
}

static bool is_possible_stream(const void *block) {
    const struct messages *m = block;
    return are_streams(m->from, MESSAGES_MAX) && are_streams(m->read_from, MESSAGES_READS) &&
           m->group + m->member < OVERLAY_STREAMS;
}

static const struct state_table messages_state =
    STATE_CHECKED_TABLE("messages", T, messages_members, is_possible_stream);
#undef T

#define T struct overlay_ready
static const struct state_member ready_members[] = {
    SEEN(phase),
    SEEN(destinations),
    SEEN_MOST(stream, uint32_t, OVERLAY_STREAMS - 1),
};
static const struct state_table ready_state = STATE_TABLE("overlay_ready", T, ready_members);
#undef T

#define T struct overlay
static const struct state_member overlay_members[] = {
    SEEN_ZERO(value),
    SEEN_ZERO(more_space),
    INNER_ZERO(messages, messages_state),
    SEEN_ZERO(headers),
    INNER_ZERO(ready, ready_state),
    SEEN(dirty),
    SEEN(waiting),
    SEEN(done),
    SEEN(moved),
    SEEN(next),
    SEEN(next_ready),
    SEEN_MOST(next_done, uint8_t, OVERLAY_STREAMS - 1),
    SEEN_MOST(running, uint8_t, 1),
    SEEN_MOST(loading, uint8_t, 1),
    SEEN_MOST(raised, uint8_t, 1),
};

static bool is_possible_overlay(const void *block) {
    const struct overlay *overlay = block;
    return are_streams(overlay->next, 2) && overlay->next_ready[0] < OVERLAY_READY &&
           overlay->next_ready[1] < OVERLAY_READY_MCAST;
}

const struct state_table overlay_state = STATE_CHECKED_TABLE("overlay", T, overlay_members, is_possible_overlay);
#undef T
