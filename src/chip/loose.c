/* Execution of deferred transactions: see loose.h. */
#include "chip/loose.h"

#include <string.h>

#include "base/check.h"
#include "base/order.h"
#include "chip/chip.h"
#include "noc/counters.h"
#include "tile/sleep.h"
#include "tile/loose.h"
#include "tile/noc.h"
#include "tile/watch.h"

const uint8_t *loose_memory(void *owner, unsigned site, uint64_t address, uint32_t size) {
    const struct bh_chip *chip = owner;
    const struct bh_tile_info *info = &chip->topology.site[site];
    if (info->kind != BH_TILE_DRAM || info->harvested || address >= NOC_MMIO - size)
        return NULL;
    return chip->dram.bytes + info->index * DRAM_BANK_SIZE + address;
}

/* ---- Receivers and responses ------------------------------------------------------------------------------------ */

struct end {
    struct tile *tile; /* NULL: a served tile */
    struct served_tile served;
    struct endpoint own; /* a served tile as packets see it */
    const struct endpoint *endpoint;
    struct sleep_views before;
};

static inline void begin(struct bh_chip *chip, unsigned site, struct end *end) {
    unsigned index = chip->exchange.live_tile[site];
    end->tile = index == NOC_NOWHERE ? NULL : chip_made(chip, index);
    if (!end->tile) {
        end->served = (struct served_tile){ chip, site };
        end->own = exchange_endpoint(&end->served);
        end->endpoint = &end->own;
        return;
    }
    chip->touched[index] = true;
    end->tile->time = later(end->tile->time, chip->time);
    end->endpoint = &end->tile->endpoint;
    sleep_look(end->tile, &end->before);
}

static void finish(struct end *end) {
    if (end->tile)
        sleep_wake(end->tile, &end->before, end->tile->time);
}

/* ---- One request ------------------------------------------------------------------------------------------------ */

static void fail(struct bh_chip *chip, const struct endpoint *endpoint, const struct transaction *transaction,
                 struct access why) {
    mail_fault(endpoint, transaction, chip->time, why);
    exchange_raise(chip, endpoint->mail);
}

/* Returns the response of a transaction that has been executed at this site, for observers. */
static struct transaction answer_to(const struct bh_chip *chip, const struct transaction *transaction, unsigned site) {
    struct transaction answer = *transaction;
    answer.stage = TRANSACTION_RESPONSE;
    answer.receiver = (uint8_t)site;
    answer.to = transaction->request.reply;
    answer.time = chip->time;
    return answer;
}

static void come_back(struct bh_chip *chip, const struct transaction *transaction, unsigned site, const uint8_t *data) {
    struct end back;
    begin(chip, transaction->request.reply, &back);
    struct access access = endpoint_take(back.endpoint, &transaction->request, data, chip->time);
    if (BH_UNLIKELY(access.result != ACCESS_DONE)) {
        struct transaction answer = answer_to(chip, transaction, site);
        fail(chip, back.endpoint, &answer, access);
    }
    finish(&back);
}

/* Records the request at this receiver, and the response at both ends. */
static void watch(struct bh_chip *chip, const struct transaction *transaction, unsigned site) {
    struct end at, back;
    begin(chip, site, &at);
    watch_came(at.endpoint, transaction, chip->time);
    if (!loose_is_answered(&transaction->request))
        return;
    struct transaction answer = answer_to(chip, transaction, site);
    watch_sent(at.endpoint->mail, at.endpoint->grid, &answer);
    begin(chip, transaction->request.reply, &back);
    watch_came(back.endpoint, &answer, chip->time);
}

static void carry_to(struct bh_chip *chip, const struct transaction *transaction, const uint8_t *bytes, unsigned site) {
    uint8_t room[NOC_PACKET_MAX];
    const uint8_t *data = NULL;
    struct end at;
    if (BH_UNLIKELY(chip->observers))
        watch(chip, transaction, site);
    if (transaction->stage == TRANSACTION_DONE)
        return;
    begin(chip, site, &at);
    struct access access = loose_arrive(at.endpoint, &transaction->request, bytes, room, &data);
    if (BH_UNLIKELY(access.result != ACCESS_DONE))
        fail(chip, at.endpoint, transaction, access);
    finish(&at);
    if (access.result == ACCESS_DONE && !transaction->answered)
        come_back(chip, transaction, site, data);
}

/* Executes a multicast at every receiver. Returns the bytes moved. */
static uint64_t carry_everywhere(struct bh_chip *chip, const struct transaction *transaction, const uint8_t *bytes) {
    const struct noc_request *request = &transaction->request;
    struct noc_sites sites = route_area(request->noc, request->source, &request->area);
    uint64_t moved = 0;
    for (unsigned site; (site = noc_sites_next(&sites)) != NOC_NOWHERE;)
        if (niu_takes_multicast(exchange_niu(chip, site) + request->noc)) {
            carry_to(chip, transaction, bytes, site);
            moved += request->length;
        }
    return moved;
}

/* Executes transaction `index` of a tile, of any kind. Copies it, since its effects may move the list. Returns the
 * bytes moved by a multicast. */
static __attribute__((noinline)) uint64_t carry_away(struct bh_chip *chip, const struct tile *from, uint32_t index) {
    const struct transaction transaction = from->mail.loose.list[index];
    uint8_t room[NOC_PACKET_MAX];
    const uint8_t *bytes = loose_bytes(from, index, &transaction, room);
    if (from->mail.observer)
        watch_sent(&from->mail, from->grid, &transaction);
    if (transaction.request.multicast)
        return carry_everywhere(chip, &transaction, bytes);
    carry_to(chip, &transaction, bytes, transaction.to);
    return 0;
}

/* ---- A write to L1 ---------------------------------------------------------------------------------------------- */

/* Executes a plain write to L1 without observers, the most frequent transaction. Returns false for any other
 * transaction. */
static inline bool write_l1(struct bh_chip *chip, const struct tile *from, uint32_t index) {
    const struct transaction *transaction = &from->mail.loose.list[index];
    const struct noc_request *request = &transaction->request;
    struct end at;
    if (request->kind != NOC_KIND_WRITE || !transaction->answered || request->header_store || request->to_overlay ||
        request->multicast || transaction->stage == TRANSACTION_DONE || chip->observers ||
        chip->exchange.live_tile[transaction->to] == NOC_NOWHERE)
        return false;
    begin(chip, transaction->to, &at);
    if (!l1_holds(at.tile, request->address, request->length))
        return false;
    const uint32_t address = (uint32_t)request->address;
    uint8_t *to = l1_begin(at.tile, address, request->length);
    if (transaction->bytes == TRANSACTION_APART)
        memcpy(to, from->mail.loose.apart + transaction->bytes_at, request->length);
    else
        loose_copy(from, index, (uint32_t)request->source_address, request->length, to);
    l1_end(at.tile, address, request->length, at.tile->time);
    const struct noc_tally tally = { NOC_KIND_WRITE, 0, request->marked, 1, noc_data_flits(request->length) };
    niu_count(&at.tile->niu[request->noc], NOC_ARRIVED, &tally);
    niu_count(&at.tile->niu[request->noc], NOC_ANSWERED, &tally);
    finish(&at);
    return true;
}

/* ---- One tile --------------------------------------------------------------------------------------------------- */

/* Counts the tile's reads of DRAM in the NIUs of the receivers. */
static __attribute__((noinline)) void count_reads(struct bh_chip *chip, struct loose_mail *loose) {
    for (unsigned site; (site = noc_sites_next(&loose->read_at)) != NOC_NOWHERE;)
        for (unsigned noc = 0; noc < 2; noc++) {
            struct loose_reads *reads = &loose->read[site][noc];
            const struct noc_tally tally = { NOC_KIND_READ, 0, true, reads->requests, reads->words };
            struct niu *niu = &exchange_niu(chip, site)[noc];
            niu_count(niu, NOC_ARRIVED, &tally);
            niu_count(niu, NOC_ANSWERED, &tally);
            *reads = (struct loose_reads){ 0 };
        }
    loose->read_count = 0;
}

/* Keeps the rest of the list and makes the tile wait. */
static void hold(struct bh_chip *chip, struct tile *tile) {
    struct loose_mail *loose = &tile->mail.loose;
    loose->own = loose->behind = true;
    loose->dram = UINT64_MAX;
    chip->held[tile->index / 64] |= UINT64_C(1) << tile->index % 64;
    chip->queued[tile->index / 64] |= UINT64_C(1) << tile->index % 64;
}

/* Executes the list of a tile. Requests that the tile sends as an effect of this stay in the list until the next
 * exchange. bytes: how many bytes multicasts may still move. Returns false if the tile has to wait for the next
 * exchange because of that limit. */
static bool empty(struct bh_chip *chip, struct tile *tile, uint64_t *bytes) {
    struct loose_mail *loose = &tile->mail.loose;
    const uint32_t count = loose->count;
    loose->dram = loose->bytes = 0;
    loose->own = loose->behind = false;
    if (loose->read_count)
        count_reads(chip, loose);
    for (; loose->done < count; loose->done++) {
        if (write_l1(chip, tile, loose->done))
            continue;
        if (loose->list[loose->done].request.multicast && !*bytes) {
            hold(chip, tile);
            return false;
        }
        uint64_t moved = carry_away(chip, tile, loose->done);
        *bytes -= moved < *bytes ? moved : *bytes;
    }
    loose_forget(loose);
    if (tile->mail.fault_count)
        exchange_raise(chip, &tile->mail);
    return true;
}

/* ---- The exchange ------------------------------------------------------------------------------------------------ */

static unsigned lowest(uint64_t word) {
    return (unsigned)__builtin_ctzll(word);
}

static unsigned highest(uint64_t word) {
    return 63 - (unsigned)__builtin_clzll(word);
}

/* Lists the tiles that have something for the exchange, in ascending or descending order. */
static unsigned list_queued(struct bh_chip *chip, bool backward, uint8_t list[TOPOLOGY_TILES]) {
    unsigned count = 0;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++) {
        unsigned word = backward ? CHIP_AWAKE_WORDS - 1 - i : i;
        for (uint64_t left = chip->queued[word]; left;) {
            unsigned bit = backward ? highest(left) : lowest(left);
            left ^= UINT64_C(1) << bit;
            list[count++] = (uint8_t)(word * 64 + bit);
        }
        chip->queued[word] = 0; /* tiles that send meanwhile are listed in the next exchange */
    }
    return count;
}

static void prefetch_mail(const struct bh_chip *chip, unsigned index) {
    __builtin_prefetch(&chip->tile[index]->mail.loose);
}

/* The list may be shorter than what is prefetched, or not be there. */
static void prefetch_list(const struct bh_chip *chip, unsigned index) {
    uintptr_t list = (uintptr_t)chip->tile[index]->mail.loose.list;
    for (unsigned i = 0; i < 4; i++)
        __builtin_prefetch((const void *)(list + i * sizeof(struct transaction)));
}

/* Returns the position in the list at which to start: tiles that had to wait take turns. */
static unsigned first_of(const struct bh_chip *chip, const uint8_t *list, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (list[i] >= chip->exchange.next_held)
            return i;
    return 0;
}

void loose_exchange(struct bh_chip *chip) {
    uint8_t list[TOPOLOGY_TILES];
    bool held = chip_holds_any(chip);
    unsigned count = list_queued(chip, !held && chip->time / CHIP_EPOCH & 1, list);
    unsigned first = held ? first_of(chip, list, count) : 0;
    uint64_t bytes = LOOSE_MULTICAST_BYTES;
    bool all = true;
    memset(chip->held, 0, sizeof chip->held);
    chip->muted = true;
    chip->arrival = chip->time;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = (first + i) % count;
        if (i + 2 < count)
            prefetch_mail(chip, list[(at + 2) % count]);
        if (i + 1 < count)
            prefetch_list(chip, list[(at + 1) % count]);
        if (!empty(chip, chip->tile[list[at]], &bytes) && all) {
            chip->exchange.next_held = list[at];
            all = false;
        }
    }
    chip->muted = false;
}
