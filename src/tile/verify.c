/* The invariants of a tile and its mail: see verify.h. */
#include "tile/verify.h"

#include "base/check.h"
#include "base/order.h"
#include "noc/verify.h"

enum { DUE_SHIFT = 3 }; /* as in tile.c */

/* ---- Packets ----------------------------------------------------------------------------------------- */

void verify_pool(const struct packet_pool *pool) {
    uint32_t used = 0;
    for (unsigned class = 0; class < PACKET_POOL_CLASSES; class ++) {
        uint32_t free = pool->count[class] + (pool->next[class] != PACKET_POOL_NOTHING);
        BH_ASSERT(free <= pool->fresh[class]);
        BH_ASSERT(!pool->count[class] || pool->next[class] != PACKET_POOL_NOTHING);
        used += pool->fresh[class] - free;
    }
    BH_ASSERT(pool->used == used);
}

static void verify_arrival(const struct mail *mail, const struct arrival *arrival) {
    const struct packet_pool *pool = mail->pools[arrival->pool];
    const struct transaction *transaction = packet_pool_at(pool, arrival->block);
    BH_ASSERT(arrival->noc < 2 && arrival->flits > 0);
    BH_ASSERT(packet_pool_block_at(pool, arrival->block)->readers > 0);
    BH_ASSERT(transaction->stage <= TRANSACTION_RESPONSE && transaction->order == arrival->order);
    BH_ASSERT(transaction->request.noc == arrival->noc && transaction_flits(transaction) == arrival->flits);
    BH_ASSERT(transaction->bytes == TRANSACTION_OWN || transaction->bytes == TRANSACTION_IN_DRAM);
}

void verify_mail(const struct mail *mail, const struct noc_link link[2]) {
    const struct inbox *inbox = &mail->inbox;
    uint64_t queued[2] = { 0 };
    BH_ASSERT(inbox->count <= inbox->room && mail->outbox.count <= mail->outbox.room);
    BH_ASSERT(mail->used_count + inbox->count <= mail->used_room);
    for (uint32_t i = 0; i < inbox->count; i++) {
        const struct arrival *arrival = &inbox->heap[i];
        verify_arrival(mail, arrival);
        BH_ASSERT(!i || !arrival_earlier(arrival, &inbox->heap[(i - 1) / 2]));
        queued[arrival->noc] += arrival->taken_in ? 0 : arrival->flits;
    }
    for (uint32_t i = 0; i < mail->outbox.count; i++)
        verify_arrival(mail, &mail->outbox.list[i]);
    for (unsigned noc = 0; link && noc < 2; noc++)
        BH_ASSERT(link[noc].queued == queued[noc]);
}

static void verify_untimed(const struct mail *mail) {
    const struct loose_mail *loose = &mail->loose;
    BH_ASSERT(!mail->inbox.count && !mail->outbox.count);
    BH_ASSERT(loose->done <= loose->count && loose->count <= loose->room);
    BH_ASSERT(loose->lent_first <= loose->lent_end || !loose->lent_end);
    BH_ASSERT(loose->kept_count <= loose->kept_room && !loose->carrying);
}

/* ---- Agents ------------------------------------------------------------------------------------------- */

static void verify_core(const struct tile *tile, const struct core *core) {
    bool runs = core->state == BH_CORE_RUNNING;
    unsigned bit = 1u << core->id;
    BH_ASSERT(core->watch_count <= sizeof core->watch / sizeof core->watch[0]);
    if (tile->changed) /* due[] is not up to date */
        return;
    BH_ASSERT(runs == (tile->due[core->id] != UINT64_MAX));
    BH_ASSERT(!runs || tile->due[core->id] >> DUE_SHIFT == core_time(core));
    BH_ASSERT(!runs || core_time(core) >= tile->time);
    BH_ASSERT(core->state != BH_CORE_BLOCKED || (tile->tensix_waiters | tile->room_waiters) & bit);
    BH_ASSERT(!(tile->tensix_waiters & tile->room_waiters & bit));
}

/* Asserts that the core of an attached row is blocked until the row is pushed. */
static void verify_rows(const struct tile *tile) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct push_row *row = &tile->tensix.thread[i].row;
        bool groups = core_fuses(&tile->core[BH_TRISC0 + i]) || tile->loose;
        BH_ASSERT(tile->tensix.thread[i].frontend.accepts == (groups ? FRONTEND_ACCEPTS : FRONTEND_ACCEPTS_ONE));
        if (tensix_row_attached(row))
            BH_ASSERT(tile->core[BH_TRISC0 + i].state == BH_CORE_BLOCKED && row->at == row->counted);
    }
}

void tile_verify_all(const struct tile *tile) {
    unsigned agents = 0;
    BH_ASSERT(tile->running == TILE_AGENTS && !tile->horizon && !tile->by_tensix);
    BH_ASSERT(!tile->tensix.running);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        verify_core(tile, &tile->core[i]);
    for (unsigned i = 0; i < TILE_AGENTS; i++)
        agents |= (unsigned)(tile->due[i] != UINT64_MAX) << i;
    BH_ASSERT(tile->changed || tile->agents == agents);
    BH_ASSERT(tile->changed || tile->woken || tile->loose ||
              tile->due[TILE_TENSIX] >> DUE_SHIFT <= tensix_due(&tile->tensix));
    BH_ASSERT(tile->noc_due <= inbox_due(&tile->mail.inbox) && tile->noc_due <= tile->late_due);
    BH_ASSERT(inbox_due(&tile->mail.inbox) >= tile->time);
    BH_ASSERT(tile->next <= tile->noc_due);
    BH_ASSERT((tile->seen_from != UINT64_MAX) == (tile->mail.outbox.count != 0) || tile->mail.untimed);
    verify_rows(tile);
    for (unsigned noc = 0; noc < 2; noc++)
        niu_verify(&tile->niu[noc]);
    if (tile->mail.untimed)
        verify_untimed(&tile->mail);
    else if (tile->grid)
        verify_mail(&tile->mail, tile->link);
}
