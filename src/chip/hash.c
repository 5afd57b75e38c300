/* The hash of everything that software can observe: the state that the tables mark as seen (base/state.h), the packets
 * in flight, and the memories.
 *
 * Two things do not enter: whatever only makes the host faster (decoded code, marks, whether a polling core sleeps or
 * iterates), and how far a core has run ahead of chip time. Memory is hashed page by page without zero pages, so
 * untouched memory and zeros give the same hash. */
#include "base/mix.h"
#include "chip/chip.h"
#include "noc/table.h"

/* ---- Packets -------------------------------------------------------------------------------------------- */

static uint64_t mix_transaction(uint64_t hash, const struct transaction *t, const uint8_t *bytes) {
    return mix_bytes(state_hash(hash, &transaction_state, t, 0), bytes, transaction_length(t));
}

uint64_t chip_hash_packet(const struct mail *mail, const struct arrival *arrival) {
    const struct transaction *transaction = mail_read(mail, arrival);
    uint64_t time = arrival->time;
    bool taken_in = arrival->taken_in;
    return mix_transaction(mix(mix(0, time), taken_in), transaction, mail_bytes(mail, transaction));
}

static uint64_t mix_deferred(uint64_t hash, const struct tile *tile) {
    const struct loose_mail *loose = &tile->mail.loose;
    uint8_t room[NOC_PACKET_MAX];
    for (uint32_t i = loose->done; i < loose->count; i++)
        hash = mix_transaction(hash, &loose->list[i], loose_bytes(tile, i, &loose->list[i], room));
    return hash;
}

/* Adds up the hashes of packets: their order in a mail does not matter, only their times of arrival. */
static uint64_t mix_mail(uint64_t hash, const struct mail *mail) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < mail->inbox.count; i++)
        sum += chip_hash_packet(mail, &mail->inbox.heap[i]);
    for (uint32_t i = 0; i < mail->outbox.count; i++)
        sum += chip_hash_packet(mail, &mail->outbox.list[i]);
    return sum ? mix(hash, sum) : hash;
}

/* ---- Memories ------------------------------------------------------------------------------------------- */

enum { PAGE = 4096 };

static uint64_t mix_memory(uint64_t hash, uint64_t name, const uint8_t *bytes, size_t size) {
    for (size_t at = 0; at < size; at += PAGE)
        if (!bytes_are_zero(bytes + at, PAGE))
            hash = mix_bytes(mix(hash, name + at), bytes + at, PAGE);
    return hash;
}

static void mix_chunk(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size) {
    uint64_t *hash = user;
    *hash = mix_memory(*hash, (uint64_t)(bank + 1) << 32 | address, bytes, size);
}

/* ---- The hash ------------------------------------------------------------------------------------------- */

/* l1: L1 may have bytes that are not zero. */
static uint64_t mix_tile(uint64_t hash, const struct tile *tile, bool l1) {
    hash = state_hash(hash, &tile_state, tile, tile->time);
    hash = mix_deferred(mix_mail(hash, &tile->mail), tile);
    return l1 ? mix_memory(hash, 0, tile->l1, tile_l1_size(tile)) : hash;
}

uint64_t bh_state_hash(const bh_chip *chip) {
    if (!chip)
        return 0;
    struct arc *arc = (struct arc *)(uintptr_t)&chip->arc;
    const uint8_t *csm = arc_memory(arc, ARC_CSM_BASE, ARC_CSM_SIZE, chip->time);
    uint64_t hash = state_hash(0, &chip_state, chip, chip->time);
    hash = mix_memory(mix_mail(hash, &chip->exchange.mail), 0, csm, ARC_CSM_SIZE);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct tile *tile = chip_made(chip, i);
        if (chip->touched[i])
            chip_catch_up(chip, tile);
        hash = mix_tile(mix(hash, i), tile, chip->touched[i]);
    }
    dram_visit(&chip->dram, mix_chunk, &hash);
    return hash;
}
