/* The hash of a system: its chips, and what is on its cables. */
#include "base/mix.h"
#include "system/ranks.h"

static uint64_t add_frames(uint64_t hash, const struct eth_frames *frames) {
    hash = mix(hash, frames->count);
    for (const struct eth_frame *frame = frames->first; frame; frame = frame->next) {
        hash = mix(hash, frame->arrives);
        hash = mix(hash, (uint64_t)frame->address << 32 | frame->size);
        hash = mix(hash, (uint64_t)frame->kind << 16 | (uint64_t)frame->queue << 8 | frame->sequence);
        hash = mix_bytes(hash, frame->data, eth_frame_bytes(frame));
    }
    return hash;
}

static uint64_t add_queue(uint64_t hash, const struct eth_queue *queue) {
    hash = mix(mix(hash, queue->latched), (uint64_t)queue->count << 8 | queue->sequence);
    for (unsigned i = 0; i < queue->count; i++)
        hash = mix(hash, queue->ends[(queue->first + i) % ETH_RING]);
    return hash;
}

static uint64_t add_port(uint64_t hash, const struct eth_port *port) {
    hash = mix(mix(hash, port->up), port->wire_free);
    for (unsigned i = 0; i < ETH_QUEUES; i++)
        hash = add_queue(hash, &port->queue[i]);
    hash = add_frames(add_frames(add_frames(hash, &port->out), &port->held), &port->in);
    for (uint32_t i = 0; i < port->record_count; i++)
        hash = mix(mix(hash, port->record[i].end), port->record[i].sequence);
    hash = mix(mix(hash, port->sent.frames), port->sent.bytes);
    hash = mix(mix(hash, port->received.frames), port->received.bytes);
    return mix(mix(mix(hash, port->resent), port->lost), port->dropped);
}

uint64_t bh_system_hash(const bh_system *system) {
    uint64_t chip[BH_SYSTEM_CHIPS];
    bh_system *owner = (bh_system *)(uintptr_t)system; /* other ranks' cables are known here, and are no new state */
    if (!system)
        return 0;
    for (unsigned i = 0; i < system->chip_count; i++)
        chip[i] = ranks_own(system, i) ? bh_state_hash(system->chip[i]) : 0;
    if (system->ranks && (ranks_share_hashes(owner, chip) != BH_OK ||
                          ranks_share_cables(owner, "bh_system_hash", system->time) != BH_OK))
        return 0;
    uint64_t hash = mix(0, system->time);
    for (unsigned i = 0; i < system->chip_count; i++)
        hash = mix(hash, chip[i]);
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            hash = add_port(hash, &system->cable[i]->end[end]);
    return hash;
}
