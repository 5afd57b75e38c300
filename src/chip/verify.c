/* The invariants of the chip after an exchange: see verify.h. */
#include "chip/verify.h"

#include "base/check.h"
#include "tile/verify.h"

/* Counts over the packets of all tiles. Packets read blocks, and may have loans. */
struct tally {
    uint64_t packets; /* includes blocks that have been read and not returned */
    uint32_t loans[DRAM_BANKS];
};

static void count_list(const struct mail *mail, const struct inbox *list, struct tally *tally) {
    for (uint32_t i = 0; i < list->count; i++) {
        const struct transaction *transaction = mail_read(mail, &list->heap[i]);
        tally->packets++;
        if (transaction->bytes == TRANSACTION_IN_DRAM)
            tally->loans[transaction->bytes_at / DRAM_BANK_SIZE]++;
    }
}

static void count_packets(const struct mail *mail, struct tally *tally) {
    tally->packets += mail->used_count;
    for (uint32_t i = 0; i < mail->used_count; i++)
        BH_ASSERT(mail->used[i].loan == TRANSACTION_NO_LOAN); /* the exchange returns loans */
    count_list(mail, &mail->inbox, tally);
}

static bool has_bit(const uint64_t set[CHIP_AWAKE_WORDS], unsigned index) {
    return set[index / 64] >> index % 64 & 1;
}

static void verify_tile(const struct bh_chip *chip, unsigned index, struct tally *tally) {
    const struct tile *tile = chip->tile[index];
    const struct mail *mail = &tile->mail;
    bool queued = has_bit(chip->queued, index), waiting = has_bit(chip->waiting, index);
    bool awake = has_bit(chip->awake, index);
    BH_ASSERT(tile->index == index && !tile->stop_at_send);
    BH_ASSERT(tile->time <= chip->time || tile->time <= chip->epoch_end);
    BH_ASSERT(!queued);
    BH_ASSERT(!mail->outbox.count && !mail->fault_count);
    BH_ASSERT(waiting == (mail->inbox.count != 0));
    BH_ASSERT(!mail->inbox.count || awake);
    BH_ASSERT(!mail->inbox.count || chip->due[index] <= inbox_due(&mail->inbox));
    verify_mail(mail, tile->link);
    count_packets(mail, tally);
}

static uint64_t blocks_in_use(const struct bh_chip *chip) {
    uint64_t used = 0;
    for (unsigned i = 0; i < EXCHANGE_THREAD_POOL + (chip->pool ? chip->threads : 1); i++) {
        verify_pool(chip->exchange.pools[i]);
        used += chip->exchange.pools[i]->used;
    }
    return used;
}

void chip_verify_all(const struct bh_chip *chip) {
    struct tally tally = { 0 };
    struct departures *leaving = (struct departures *)(uintptr_t)&chip->exchange.leaving; /* looks the same to all */
    uint64_t used = blocks_in_use(chip);
    BH_ASSERT(!chip->in_epoch && (chip->only_tile <= CHIP_SEVERAL || chip->only_tile == TOPOLOGY_NONE));
    if (chip_is_loose(chip))
        return;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        BH_ASSERT(chip->made[i] || !has_bit(chip->awake, i));
        if (chip->made[i])
            verify_tile(chip, i, &tally);
    }
    verify_mail(&chip->exchange.mail, NULL);
    count_packets(&chip->exchange.mail, &tally);
    count_list(&chip->exchange.mail, departures_list(leaving), &tally);
    BH_ASSERT(used <= tally.packets);
    for (unsigned bank = 0; bank < DRAM_BANKS; bank++)
        BH_ASSERT(chip->dram.loan[bank].count == tally.loans[bank]);
}
