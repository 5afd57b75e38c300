/* Public functions about delays, and the delays of packets: see vary.h.
 *
 * A delayed packet is late at its receiver; links and NIUs on its way do not see the delay. */
#include "chip/vary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "chip/chip.h"
#include "tile/late.h"
#include "vary/vary.h"

/* The delays of a chip. They belong to the process, and are not state. */
struct chip_vary {
    struct vary vary;
    struct vary_tile tile[TOPOLOGY_TILES];
    struct vary_tile packets;
    struct vary_delay *sorted; /* the delays of all logs, sorted when there were `count` of them */
    size_t count;
};

/* ---- Packets ---------------------------------------------------------------------------------------------------- */

static unsigned sender_of(const struct arrival *arrival) {
    return (unsigned)(arrival->order >> ORDER_SITE_SHIFT);
}

/* Returns whether two packets to the same tile use one channel. All responses of a tile do. */
static bool share_channel(const struct mail *mail, const struct arrival *a, const struct arrival *b) {
    if (a->to != b->to || a->noc != b->noc || a->response != b->response || sender_of(a) != sender_of(b))
        return false;
    return a->response || mail_read(mail, a)->request.vc == mail_read(mail, b)->request.vc;
}

/* Returns the first cycle in which the packet may arrive: not before earlier packets on its channel. */
static uint64_t behind_others(const struct mail *mail, const struct arrival *arrival) {
    uint64_t time = 0;
    for (uint32_t i = 0; i < mail->inbox.count; i++)
        if (share_channel(mail, &mail->inbox.heap[i], arrival))
            time = later(time, mail->inbox.heap[i].time + 1);
    return time;
}

static enum bh_delay_kind kind_of(const struct bh_chip *chip, const struct arrival *arrival) {
    if (!arrival->response)
        return BH_DELAY_REQUEST;
    return chip->topology.site[sender_of(arrival)].kind == BH_TILE_DRAM ? BH_DELAY_DRAM : BH_DELAY_RESPONSE;
}

void chip_delay_packet(struct bh_chip *chip, struct arrival *arrival) {
    unsigned index = chip->exchange.live_tile[arrival->to];
    const struct mail *mail = index == NOC_NOWHERE ? &chip->exchange.mail : &chip_made(chip, index)->mail;
    const struct vary_event event = {
        .kind = (uint8_t)kind_of(chip, arrival),
        .site = (uint8_t)sender_of(arrival),
        .agent = arrival->to,
        .number = arrival->order & ((UINT64_C(1) << ORDER_SITE_SHIFT) - 1),
    };
    uint32_t cycles = vary_draw(&chip->vary->packets, event);
    if (cycles) {
        const struct transaction *transaction = mail_read(mail, arrival);
        vary_note(&chip->vary->packets, arrival->time, transaction->core, transaction->pc);
    }
    arrival->time = later(arrival->time + cycles, behind_others(mail, arrival));
}

/* ---- Wiring ----------------------------------------------------------------------------------------------------- */

void chip_vary_tile(struct bh_chip *chip, unsigned index) {
    struct vary_tile *vary = &chip->vary->tile[index];
    vary->vary = &chip->vary->vary;
    vary->site = chip->tile[index]->site;
    memset(vary->last_evicted, 0xFF, sizeof vary->last_evicted); /* a number of instructions that no core reaches */
    tile_vary(chip->tile[index], vary);
}

void chip_free_vary(struct bh_chip *chip) {
    struct chip_vary *vary = chip->vary;
    chip->vary = NULL;
    if (!vary)
        return;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        vary_free_log(&vary->tile[i]);
    vary_free_log(&vary->packets);
    free(vary->vary.list);
    free(vary->sorted);
    free(vary);
}

/* Replaces the delays of the chip. vary: NULL removes them. */
static void set(struct bh_chip *chip, struct chip_vary *vary) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (chip->made[i] && chip->vary) {
            tile_vary(chip->tile[i], NULL);
            chip_wake(chip, i, chip->time);
        }
    chip_free_vary(chip);
    chip->vary = vary;
    for (unsigned i = 0; i < TOPOLOGY_TILES && vary; i++)
        if (chip->made[i])
            chip_vary_tile(chip, i);
}

static bh_status make(struct bh_chip *chip, struct chip_vary **made) {
    if (chip_is_loose(chip))
        return chip_fail(chip, BH_ERR_STATE, "bh_vary: delays need cycle timing");
    *made = calloc(1, sizeof **made);
    if (!*made)
        return chip_fail(chip, BH_ERR_MEMORY, "bh_vary: no memory");
    (*made)->packets.vary = &(*made)->vary;
    return BH_OK;
}

bh_status bh_vary(bh_chip *chip, uint64_t seed) {
    struct chip_vary *vary = NULL;
    if (!chip)
        return BH_ERR_ARGUMENT;
    bh_status status = seed ? make(chip, &vary) : BH_OK;
    if (status != BH_OK)
        return status;
    if (vary)
        vary->vary.seed = seed;
    set(chip, vary);
    return BH_OK;
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

static bool is_packet(enum bh_delay_kind kind) {
    return kind == BH_DELAY_REQUEST || kind == BH_DELAY_RESPONSE || kind == BH_DELAY_DRAM;
}

static bool take(const struct bh_chip *chip, const struct bh_delay *from, struct vary_delay *to) {
    unsigned site = topology_find(&chip->topology, 0, from->tile), receiver = from->agent;
    if (is_packet(from->kind))
        receiver = topology_find(&chip->topology, 0, from->to);
    *to = (struct vary_delay){
        .event = { (uint8_t)from->kind, (uint8_t)site, (uint8_t)receiver, from->number },
        .cycles = from->cycles,
    };
    return (unsigned)from->kind < BH_DELAY_KIND_COUNT && site != TOPOLOGY_NONE && receiver != TOPOLOGY_NONE &&
           from->cycles <= bh_delay_kind_most(from->kind);
}

bh_status bh_vary_only(bh_chip *chip, const struct bh_delay *delays, size_t count) {
    struct chip_vary *vary = NULL;
    if (!chip || (!delays && count))
        return chip_null(chip, "delays");
    bh_status status = make(chip, &vary);
    if (status != BH_OK)
        return status;
    vary->vary.listed = true;
    vary->vary.list = count < UINT32_MAX ? calloc(count + 1, sizeof *vary->vary.list) : NULL;
    if (!vary->vary.list) {
        free(vary);
        return chip_fail(chip, BH_ERR_MEMORY, "bh_vary_only: no memory");
    }
    for (size_t i = 0; i < count && status == BH_OK; i++)
        if (!take(chip, &delays[i], &vary->vary.list[i]))
            status =
                chip_fail(chip, BH_ERR_ARGUMENT, "bh_vary_only: delay %zu: no such tile, kind or so many cycles", i);
    if (status != BH_OK) {
        free(vary->vary.list);
        free(vary);
        return status;
    }
    vary->vary.count = (uint32_t)count;
    qsort(vary->vary.list, count, sizeof *vary->vary.list, vary_compare);
    set(chip, vary);
    return BH_OK;
}

/* Parses delays with + between them. Returns false if there is no memory, or with *bad at the first error. */
static bool read_list(const char *text, struct bh_delay **list, uint32_t *count, const char **bad) {
    uint32_t room = 0;
    for (const char *at = text; at; at = *at == '+' ? at + 1 : NULL) {
        struct bh_delay *more = list_room(*list, *count, &room, sizeof *more);
        if (!more)
            return false;
        *list = more;
        *bad = at;
        at = bh_delay_parse(at, &more[*count]);
        if (!at)
            return false;
        ++*count;
    }
    *bad = NULL;
    return true;
}

static bh_status vary_list(bh_chip *chip, const char *text) {
    struct bh_delay *list = NULL;
    uint32_t count = 0;
    const char *bad = NULL;
    bh_status status = BH_OK;
    if (strcmp(text, "none") == 0 || read_list(text, &list, &count, &bad))
        status = bh_vary_only(chip, list, count);
    else if (bad)
        status =
            chip_fail(chip, BH_ERR_ARGUMENT, "'%.60s' is neither a seed nor a delay, as store@1,2.brisc#5=40", bad);
    else
        status = chip_fail(chip, BH_ERR_MEMORY, "bh_vary_text: no memory");
    free(list);
    return status;
}

bh_status bh_vary_text(bh_chip *chip, const char *text) {
    if (!chip || !text)
        return chip_null(chip, "text");
    if (!*text || text[strspn(text, "0123456789")])
        return vary_list(chip, text);
    errno = 0;
    uint64_t seed = strtoull(text, NULL, 10);
    return errno ? chip_fail(chip, BH_ERR_ARGUMENT, "the seed %.30s has more than 64 bits", text) : bh_vary(chip, seed);
}

static int earlier(const void *left, const void *right) {
    const struct vary_delay *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return vary_compare(left, right);
}

static size_t logged(const struct chip_vary *vary) {
    size_t count = vary->packets.count;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        count += vary->tile[i].count;
    return count;
}

static size_t append(struct vary_delay *list, size_t at, const struct vary_tile *log) {
    if (log->count)
        memcpy(&list[at], log->log, log->count * sizeof *list);
    return at + log->count;
}

/* Sorts the logs again if they have grown. Returns false if there is no memory. */
static bool sort(struct chip_vary *vary) {
    size_t count = logged(vary), at = 0;
    if (vary->sorted && vary->count == count)
        return true;
    struct vary_delay *list = realloc(vary->sorted, (count + 1) * sizeof *list);
    if (!list)
        return false;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        at = append(list, at, &vary->tile[i]);
    append(list, at, &vary->packets);
    qsort(list, count, sizeof *list, earlier);
    vary->sorted = list;
    vary->count = count;
    return true;
}

size_t bh_delay_count(const bh_chip *chip) {
    return chip && chip->vary ? logged(chip->vary) : 0;
}

bh_status bh_delay_at(const bh_chip *chip, size_t index, struct bh_delay *delay) {
    if (!chip || !delay)
        return chip_null(chip, "delay");
    if (index >= bh_delay_count(chip))
        return chip_fail(chip, BH_ERR_ARGUMENT, "delay %zu: there are %zu, from 0", index, bh_delay_count(chip));
    if (!sort(chip->vary))
        return chip_fail(chip, BH_ERR_MEMORY, "bh_delay_at: no memory");
    const struct vary_delay *from = &chip->vary->sorted[index];
    enum bh_delay_kind kind = (enum bh_delay_kind)from->event.kind;
    *delay = (struct bh_delay){
        .kind = kind,
        .tile = chip->topology.site[from->event.site].translated,
        .number = from->event.number,
        .cycles = from->cycles,
        .cycle = from->time,
        .core = from->core,
        .pc = from->pc,
    };
    if (is_packet(kind))
        delay->to = chip->topology.site[from->event.agent].translated;
    else
        delay->agent = from->event.agent;
    return BH_OK;
}

bool bh_delays_incomplete(const bh_chip *chip) {
    bool incomplete = chip && chip->vary && chip->vary->packets.incomplete;
    for (unsigned i = 0; chip && chip->vary && i < TOPOLOGY_TILES; i++)
        incomplete |= chip->vary->tile[i].incomplete;
    return incomplete;
}
