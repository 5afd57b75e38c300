/* Ports as bytes: see ports.h. The tables of tile/eth_table.c have the members; lists follow them. */
#include "system/ports.h"

#include <stdlib.h>

#include "base/mix.h"

/* ---- Frames -------------------------------------------------------------------------------------------------- */

void ports_put_frame(struct state_out *out, const struct eth_frame *frame) {
    state_put_block(out, &eth_frame_state, frame);
    state_put(out, frame->data, eth_frame_bytes(frame));
}

struct eth_frame *ports_get_frame(struct state_in *in) {
    struct eth_frame head = { 0 };
    state_get_block(in, &eth_frame_state, &head);
    in->failed = in->failed || eth_frame_bytes(&head) > (size_t)(in->end - in->at);
    struct eth_frame *frame = in->failed ? NULL : malloc(sizeof *frame + eth_frame_bytes(&head));
    if (!frame)
        return NULL;
    *frame = head;
    state_get(in, frame->data, eth_frame_bytes(&head));
    return frame;
}

static void put_frames(struct state_out *out, const struct eth_frames *frames) {
    state_put_u64(out, frames->count);
    for (const struct eth_frame *frame = frames->first; frame; frame = frame->next)
        ports_put_frame(out, frame);
}

/* Frames arrive in the order of their sending; those that wait for the cable have no times. */
static bool get_frames(struct state_in *in, struct eth_frames *frames, bool timed) {
    uint64_t before = 0;
    for (uint64_t count = state_get_u64(in); count && !in->failed; count--) {
        struct eth_frame *frame = ports_get_frame(in);
        if (!frame)
            return false;
        eth_frames_put(frames, frame);
        in->failed = timed && frame->arrives < before;
        before = frame->arrives;
    }
    return !in->failed;
}

static uint64_t hash_frames(uint64_t hash, const struct eth_frames *frames) {
    hash = mix(hash, frames->count);
    for (const struct eth_frame *frame = frames->first; frame; frame = frame->next)
        hash = mix_bytes(state_hash(hash, &eth_frame_state, frame, 0), frame->data, eth_frame_bytes(frame));
    return hash;
}

/* ---- Records ------------------------------------------------------------------------------------------------- */

static void put_records(struct state_out *out, const struct eth_port *port) {
    state_put_u64(out, port->record_count);
    for (uint32_t i = 0; i < port->record_count; i++)
        state_put_block(out, &eth_record_state, &port->record[i]);
}

/* A frame that waits has a record when the cable is back: there is room for it (eth_join). */
static bool get_records(struct state_in *in, struct eth_port *port) {
    uint64_t count = state_get_u64(in), room = count + port->held.count;
    in->failed = in->failed || count > (size_t)(in->end - in->at) || room > UINT32_MAX;
    if (in->failed || !room)
        return !in->failed;
    port->record = calloc(room, sizeof *port->record);
    if (!port->record)
        return false;
    port->record_room = (uint32_t)room;
    for (uint32_t i = 0; i < count; i++)
        state_get_block(in, &eth_record_state, &port->record[i]);
    port->record_count = (uint32_t)count;
    return !in->failed;
}

static uint64_t hash_records(uint64_t hash, const struct eth_port *port) {
    for (uint32_t i = 0; i < port->record_count; i++)
        hash = state_hash(hash, &eth_record_state, &port->record[i], 0);
    return hash;
}

/* ---- Ports --------------------------------------------------------------------------------------------------- */

void ports_put(struct state_out *out, const struct eth_port *port) {
    state_put_block(out, &eth_port_state, port);
    put_frames(out, &port->out);
    put_frames(out, &port->held);
    put_frames(out, &port->in);
    put_records(out, port);
}

bool ports_get(struct state_in *in, struct eth_port *port) {
    const struct eth_identity peer = port->peer;
    eth_port_clear(port);
    eth_port_init(port, port->latency, port->rate);
    port->peer = peer;
    state_get_block(in, &eth_port_state, port);
    bool ok = get_frames(in, &port->out, true) && get_frames(in, &port->held, false) &&
              get_frames(in, &port->in, true) && get_records(in, port);
    in->failed = in->failed || (port->up && port->held.count);
    return ok && !in->failed;
}

uint64_t ports_hash(uint64_t hash, const struct eth_port *port) {
    hash = state_hash(hash, &eth_port_state, port, 0);
    hash = hash_frames(hash_frames(hash_frames(hash, &port->out), &port->held), &port->in);
    return hash_records(hash, port);
}
