/* Configurations in L1 that a stream loads by itself (WormholeB0/NoC/Overlay/LoadConfigurationFromL1.md).
 *
 *     word 0          a value for PHASE_AUTO_CFG_HEADER: phase increment[11:0] messages[23:12] words that follow in the
 *                     next configuration[31:24]
 *     other words     a value[23:0] for register [31:24]
 *
 * Inexact: loading takes no time. PHASE_AUTO_CFG_PTR has 17 bits (AsGeneralUse.md), so configurations are in the first
 * 128 KiB of L1. Assumed: BLOB_NEXT_AUTO_CFG_DONE returns the streams in turn. */
#include "noc/stream.h"

#include <string.h>

void blob_done(const struct step *s) {
    s->overlay->done |= UINT64_C(1) << s->stream;
}

void blob_header(uint32_t *own, uint32_t value) {
    uint32_t *header = &own[OVERLAY_SLOT_PHASE_AUTO_CFG_HEADER], *pointer = &own[OVERLAY_SLOT_PHASE_AUTO_CFG_PTR];
    uint32_t words = *header >> 24;
    own[OVERLAY_SLOT_CURR_PHASE] = (own[OVERLAY_SLOT_CURR_PHASE] + (value & 0xFFF)) & 0xFFFFF;
    if (own[OVERLAY_SLOT_ONETIME_MISC_CFG] & STREAM_AUTO_CONFIG)
        *pointer = (*pointer + (words + 1) * 4) & STREAM_BITS_17;
    *header = (value & 0xFFFFF000) | (value >> 12 & 0xFFF);
}

static uint32_t word_at(const struct step *s, uint32_t address) {
    uint32_t word;
    memcpy(&word, s->wire->l1 + address, sizeof word);
    return word;
}

static struct access write_all(const struct step *s, uint32_t address, uint32_t words) {
    struct access access = access_done();
    blob_header(s->own, word_at(s, address));
    s->overlay->loading = 1;
    for (uint32_t i = 1; i <= words && access.result == ACCESS_DONE; i++) {
        uint32_t word = word_at(s, (address + 4 * i) & STREAM_BITS_17);
        access = overlay_set(s->overlay, s->wire, s->stream, word >> 24, word & 0xFFFFFF);
    }
    s->overlay->loading = 0;
    return access;
}

struct access blob_load(const struct step *s) {
    uint32_t address = s->own[OVERLAY_SLOT_PHASE_AUTO_CFG_PTR];
    if (!s->wire->l1)
        return stream_unmodelled(
            "STREAM_ONETIME_MISC_CFG (overlay register 2): streams of an Ethernet tile cannot load "
            "their configuration");
    if (address % 4)
        return stream_undefined("STREAM_PHASE_AUTO_CFG_PTR (overlay register 31) is not a multiple of 4");
    struct access access = write_all(s, address, s->own[OVERLAY_SLOT_PHASE_AUTO_CFG_HEADER] >> 24);
    if (access.result != ACCESS_DONE)
        return access;
    s->m->state = MESSAGES_LOADED;
    if (s->own[OVERLAY_SLOT_ONETIME_MISC_CFG] & STREAM_AUTO_ADVANCE)
        return stream_start(s);
    return access;
}

/* Returns the stream whose turn it is. Precondition: a stream is done. */
static unsigned turn(const struct overlay *overlay) {
    uint64_t from = overlay->done >> overlay->next_done << overlay->next_done;
    return (unsigned)__builtin_ctzll(from ? from : overlay->done);
}

uint32_t blob_next(const struct overlay *overlay) {
    enum { VALID = 0x10000 };
    return overlay->done ? VALID + turn(overlay) : 0;
}

void blob_next_read(struct overlay *overlay) {
    if (!overlay->done)
        return;
    unsigned stream = turn(overlay);
    overlay->done &= ~(UINT64_C(1) << stream);
    overlay->next_done = (uint8_t)((stream + 1) % OVERLAY_STREAMS);
}
