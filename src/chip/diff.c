/* The values in which two chips differ: in the state tables (base/state.h), packets in flight, and memories. The
 * comparison covers what enters the hash (hash.c). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/save.h"
#include "noc/table.h"

enum { PAGE = 4096, WORD = 4 };

struct diff {
    const bh_chip *chip[2];
    unsigned flags;
    bool (*on_difference)(void *user, const struct bh_difference *difference);
    void *user;
    struct bh_difference now; /* part, tile and bank that are being compared */
    bool ended;
};

static const char *const part_names[BH_PART_COUNT] = { "chip", "ARC", "tile", "packets", "L1", "DRAM" };

const char *bh_part_name(enum bh_part part) {
    return (unsigned)part < BH_PART_COUNT ? part_names[part] : "";
}

static void begin(struct diff *d, enum bh_part part, struct bh_xy tile) {
    d->now = (struct bh_difference){ .part = part, .tile = tile };
}

static void report(struct diff *d) {
    d->ended = !d->on_difference(d->user, &d->now);
}

/* ---- Registers ------------------------------------------------------------------------------------------ */

static bool on_value(void *user, const struct state_value *value) {
    struct diff *d = user;
    d->now.address = value->offset;
    d->now.size = value->size;
    d->now.time = value->time;
    memcpy(d->now.value, value->value, sizeof d->now.value);
    snprintf(d->now.name, sizeof d->now.name, "%s", value->name);
    report(d);
    return !d->ended;
}

static void diff_block(struct diff *d, const struct state_table *table, const void *a, const void *b, uint64_t now_a,
                       uint64_t now_b) {
    struct state_diff state = {
        .now = { now_a, now_b },
        .values = d->flags & BH_DIFF_VALUES,
        .report = on_value,
        .user = d,
    };
    if (!d->ended)
        state_compare(&state, table, a, b);
}

/* ---- Memories ------------------------------------------------------------------------------------------- */

/* Reports words of memory that differ. */
static void diff_words(struct diff *d, uint64_t address, const uint8_t *a, const uint8_t *b, size_t size) {
    for (size_t at = 0; at < size && !d->ended; at += WORD) {
        uint32_t left, right;
        memcpy(&left, a + at, WORD);
        memcpy(&right, b + at, WORD);
        if (left == right)
            continue;
        d->now.address = address + at;
        d->now.size = WORD;
        d->now.value[0] = left;
        d->now.value[1] = right;
        snprintf(d->now.name, sizeof d->now.name, "0x%08" PRIx64, d->now.address);
        report(d);
    }
}

static void diff_memory(struct diff *d, uint64_t address, const uint8_t *a, const uint8_t *b, size_t size) {
    for (size_t at = 0; at < size && !d->ended; at += PAGE)
        if (memcmp(a + at, b + at, PAGE) != 0)
            diff_words(d, address + at, a + at, b + at, PAGE);
}

static void diff_chunk(struct diff *d, unsigned bank, uint64_t chunk) {
    uint8_t page[2][PAGE];
    uint64_t start = chunk << DRAM_CHUNK_SHIFT, end = start + (UINT64_C(1) << DRAM_CHUNK_SHIFT);
    for (uint64_t at = start; at < end && !d->ended; at += PAGE) {
        for (unsigned i = 0; i < 2; i++)
            dram_read(&d->chip[i]->dram, bank, at, page[i], PAGE);
        diff_memory(d, at, page[0], page[1], PAGE);
    }
}

static void diff_bank(struct diff *d, unsigned bank) {
    const struct dram *a = &d->chip[0]->dram, *b = &d->chip[1]->dram;
    begin(d, BH_PART_DRAM, (struct bh_xy){ 255, 255 });
    d->now.bank = bank;
    for (uint64_t word = 0; word < DRAM_CHUNKS / 64; word++)
        for (uint64_t left = a->written[bank][word] | b->written[bank][word]; left && !d->ended; left &= left - 1)
            diff_chunk(d, bank, word * 64 + (unsigned)__builtin_ctzll(left));
}

/* ---- Packets -------------------------------------------------------------------------------------------- */

/* A packet in one of two mails. */
struct packet {
    const struct mail *mail;
    const struct arrival *arrival;
};

static uint32_t packet_count(const struct mail *mail) {
    return mail->inbox.count + mail->outbox.count;
}

static struct packet packet_at(const struct mail *mail, uint32_t i) {
    bool in = i < mail->inbox.count;
    return (struct packet){ mail, in ? &mail->inbox.heap[i] : &mail->outbox.list[i - mail->inbox.count] };
}

static bool has_packet(const struct mail *mail, uint64_t hash) {
    for (uint32_t i = 0; i < packet_count(mail); i++)
        if (chip_hash_packet(mail, packet_at(mail, i).arrival) == hash)
            return true;
    return false;
}

/* Returns the first packet that the other mail does not have; .arrival is NULL if there is none. */
static struct packet odd_one(const struct mail *mail, const struct mail *other) {
    struct packet first = { 0 };
    for (uint32_t i = 0; i < packet_count(mail); i++) {
        struct packet packet = packet_at(mail, i);
        if ((!first.arrival || packet.arrival->time < first.arrival->time) &&
            !has_packet(other, chip_hash_packet(mail, packet.arrival)))
            first = packet;
    }
    return first;
}

static void describe(const bh_chip *chip, struct packet packet, char *text, size_t size) {
    static const char *const kinds[] = { "read", "write", "masked write", "inline write", "atomic" };
    if (!packet.arrival)
        return;
    const struct transaction *t = mail_read(packet.mail, packet.arrival);
    const struct noc_request *request = &t->request;
    unsigned from = transaction_is_response(t) ? t->receiver : t->sender;
    struct bh_xy source = chip->topology.site[from].translated;
    int used = snprintf(text, size, "NoC %u: %s%s of %u bytes from %u,%u", request->noc, kinds[request->kind],
                        transaction_is_response(t) ? " response" : "", request->length, source.x, source.y);
    if (packet.arrival->to < NOC_SITES && used > 0 && (size_t)used < size) {
        struct bh_xy to = chip->topology.site[packet.arrival->to].translated;
        used += snprintf(text + used, size - (size_t)used, " to %u,%u", to.x, to.y);
    }
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " at 0x%" PRIx64 ", cycle %" PRIu64,
                 transaction_is_response(t) ? noc_response_address(request) : request->address, packet.arrival->time);
}

static void diff_mail(struct diff *d, const struct mail *a, const struct mail *b) {
    struct packet odd[2] = { { 0 } };
    if (d->ended || d->flags & BH_DIFF_VALUES)
        return;
    odd[0] = odd_one(a, b);
    odd[1] = odd_one(b, a);
    if (!odd[0].arrival && !odd[1].arrival)
        return;
    d->now.part = BH_PART_PACKETS;
    d->now.address = 0;
    d->now.size = 0;
    snprintf(d->now.name, sizeof d->now.name, "packet");
    for (unsigned i = 0; i < 2; i++) {
        d->now.value[i] = odd[i].arrival ? odd[i].arrival->time : 0;
        describe(d->chip[i], odd[i], d->now.text[i], sizeof d->now.text[i]);
    }
    report(d);
}

/* ---- The whole ------------------------------------------------------------------------------------------ */

static void diff_tile(struct diff *d, unsigned index) {
    const struct tile *tile[2];
    for (unsigned i = 0; i < 2; i++) {
        tile[i] = chip_made(d->chip[i], index);
        if (d->chip[i]->touched[index])
            chip_catch_up(d->chip[i], d->chip[i]->tile[index]);
    }
    begin(d, BH_PART_TILE, tile[0]->xy);
    diff_block(d, &tile_state, tile[0], tile[1], tile[0]->time, tile[1]->time);
    begin(d, BH_PART_TILE, tile[0]->xy);
    diff_mail(d, &tile[0]->mail, &tile[1]->mail);
    begin(d, BH_PART_L1, tile[0]->xy);
    if (d->chip[0]->touched[index] || d->chip[1]->touched[index])
        diff_memory(d, 0, tile[0]->l1, tile[1]->l1, tile_l1_size(tile[0]));
}

static void diff_chip(struct diff *d) {
    const bh_chip *a = d->chip[0], *b = d->chip[1];
    const uint8_t *csm[2];
    for (unsigned i = 0; i < 2; i++)
        csm[i] = arc_memory((struct arc *)(uintptr_t)&d->chip[i]->arc, ARC_CSM_BASE, ARC_CSM_SIZE, d->chip[i]->time);
    begin(d, BH_PART_CHIP, (struct bh_xy){ 255, 255 });
    diff_block(d, &chip_state, a, b, a->time, b->time);
    diff_mail(d, &a->exchange.mail, &b->exchange.mail);
    begin(d, BH_PART_ARC, (struct bh_xy){ 255, 255 });
    if (!(d->flags & BH_DIFF_VALUES)) /* telemetry shows the time */
        diff_memory(d, ARC_CSM_BASE, csm[0], csm[1], ARC_CSM_SIZE);
    for (unsigned i = 0; i < TOPOLOGY_TILES && !d->ended; i++)
        if (a->made[i] || b->made[i] || (a->unread && a->unread->tile[i].at) || (b->unread && b->unread->tile[i].at))
            diff_tile(d, i);
    for (unsigned bank = 0; bank < DRAM_BANKS && !d->ended; bank++)
        diff_bank(d, bank);
}

bh_status bh_state_diff(const bh_chip *a, const bh_chip *b, const struct bh_xy *at, unsigned flags,
                        bool (*on_difference)(void *user, const struct bh_difference *difference), void *user) {
    struct diff d = { .chip = { a, b }, .flags = flags, .on_difference = on_difference, .user = user };
    struct tile *tile = NULL;
    if (!a || !b || !on_difference)
        return chip_null(a, "chip or on_difference");
    if (flags & ~(unsigned)BH_DIFF_VALUES)
        return chip_fail(a, BH_ERR_ARGUMENT, "bh_state_diff: there is no such flag in 0x%x", flags);
    const struct bh_config *c = &a->config, *o = &b->config;
    if (c->board != o->board || c->tensix_harvest != o->tensix_harvest || c->eth_harvest != o->eth_harvest ||
        c->dram_harvest != o->dram_harvest)
        return chip_fail(a, BH_ERR_STATE, "bh_state_diff: the chips have different boards or harvesting");
    if (!at && (a->in_epoch || b->in_epoch))
        return chip_fail(a, BH_ERR_STATE, "bh_state_diff: tiles are running; name one");
    if (!at) {
        diff_chip(&d);
        return BH_OK;
    }
    bh_status status = chip_tile(a, *at, &tile);
    if (status == BH_OK)
        diff_tile(&d, tile->index);
    return status;
}
