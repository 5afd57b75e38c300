/* Packets between tiles, and served tiles: see exchange.h. */
#include "chip/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/list.h"
#include "base/order.h"
#include "chip/chip.h"
#include "chip/loose.h"
#include "chip/run.h"
#include "chip/vary.h"
#include "chip/verify.h"

/* ---- Life ---------------------------------------------------------------------------------------------------- */

void exchange_init(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    for (unsigned site = 0; site < NOC_SITES; site++) {
        const struct bh_tile_info *info = &chip->topology.site[site];
        unsigned tile = info->harvested ? TOPOLOGY_NONE : topology_tile(info);
        x->grid.kind[site] = (uint8_t)info->kind;
        x->grid.dead[site] = info->harvested;
        x->grid.translated[site] = info->translated;
        x->live_tile[site] = tile == TOPOLOGY_NONE ? NOC_NOWHERE : (uint8_t)tile;
    }
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        x->tile_site[i] = (uint8_t)topology_tile_site(&chip->topology, i);
    route_firmware(&x->grid);
}

static void set_up_mail(struct bh_chip *chip, struct mail *mail, unsigned pool) {
    mail->pools = chip->exchange.pools;
    mail->dram = chip->dram.bytes;
    mail->untimed = chip_is_loose(chip);
    mail_write_to(mail, pool);
}

void exchange_wire_pools(struct bh_chip *chip) {
    chip->exchange.pool.error = &chip->error;
    for (unsigned i = 0; i < (chip->pool ? chip->threads : 1); i++) /* other pools are not mapped yet */
        chip->packet_pool[i]->error = &chip->error;
}

void exchange_reset(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    memset(x->link, 0, sizeof x->link);
    memset(x->tile_link, 0, sizeof x->tile_link);
    memset(&x->links, 0, sizeof x->links);
    memset(x->channel, 0, sizeof x->channel);
    memset(x->host_channel, 0, sizeof x->host_channel);
    x->left_until = 0;
    x->orphan_count = x->warning_count = x->next_held = 0;
    x->pools[EXCHANGE_POOL] = &x->pool;
    for (unsigned i = 0; i < BH_THREADS_MAX; i++)
        x->pools[EXCHANGE_THREAD_POOL + i] = chip->packet_pool[i];
    set_up_mail(chip, &x->mail, EXCHANGE_POOL);
    exchange_wire_pools(chip);
}

void exchange_join(struct bh_chip *chip, unsigned index) {
    struct tile *tile = chip->tile[index];
    set_up_mail(chip, &tile->mail, EXCHANGE_THREAD_POOL);
    tile->grid = &chip->exchange.grid;
    tile->link = chip->exchange.tile_link[index];
    tile->run_end = &chip->run_end;
}

void exchange_free(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct mail *mail = &chip->tile[i]->mail;
        if (chip->made[i])
            mail_free(mail);
    }
    mail_free(&x->mail);
    departures_free(&x->leaving);
    packet_pool_free(&x->pool);
    for (unsigned i = 0; i < (chip->pool ? chip->threads : 1); i++) /* other pools were never mapped */
        packet_pool_free(chip->packet_pool[i]);
    free(x->orphan);
    free(x->warning);
    x->orphan = x->warning = NULL;
    x->orphan_count = x->orphan_room = x->warning_count = x->warning_room = 0;
}

/* ---- Served tiles ---------------------------------------------------------------------------------------------- */

static struct access access_served(const struct served_tile *at, const struct chip_request *request) {
    switch (chip_access(at->chip, at->site, request)) {
    case BH_OK: return access_done();
    case BH_ERR_UNMODELLED: return access_refused(BH_FAULT_UNMODELLED, at->chip->refusal);
    case BH_ERR_ALIGNMENT: return access_refused(BH_FAULT_MISALIGNED, at->chip->refusal);
    default: return access_refused(BH_FAULT_UNMAPPED, at->chip->refusal);
    }
}

static struct access read_served(void *owner, unsigned noc, uint64_t address, void *data, uint32_t size) {
    return access_served(owner, &(struct chip_request){ CHIP_READ, (uint8_t)noc, address, data, size });
}

static struct access write_served(void *owner, unsigned noc, uint64_t address, const void *data, uint32_t size) {
    void *from = (void *)(uintptr_t)data;
    return access_served(owner, &(struct chip_request){ CHIP_WRITE, (uint8_t)noc, address, from, size });
}

/* Lends only memory of a bank of DRAM, and none that registers of a NIU overlap. */
static uint64_t lend_served(void *owner, uint64_t address, uint32_t size) {
    const struct served_tile *at = owner;
    const struct bh_tile_info *info = &at->chip->topology.site[at->site];
    if (info->kind != BH_TILE_DRAM || info->harvested || address >= NOC_MMIO - NOC_PACKET_MAX)
        return TRANSACTION_NO_LOAN;
    return dram_lend(&at->chip->dram, info->index, address, size);
}

static void take_back_served(void *owner, uint64_t loan) {
    const struct served_tile *at = owner;
    dram_give_back(&at->chip->dram, loan);
}

static const uint8_t *show_served(void *owner, uint64_t address, uint32_t size) {
    const struct served_tile *at = owner;
    return loose_memory(at->chip, at->site, address, size);
}

/* The channel of the memory behind a served tile, and its times. channel is NULL if there is no memory. */
struct backing {
    struct channel *channel;
    const struct channel_times *times;
};

/* Returns the memory that reads, or writes, of a served tile reach. */
static inline struct backing backing_of(struct bh_chip *chip, unsigned site, bool reads) {
    const struct bh_tile_info *info = &chip->topology.site[site];
    if (info->kind == BH_TILE_DRAM)
        return (struct backing){ &chip->exchange.channel[info->index], &channel_dram };
    if (info->kind == BH_TILE_PCIE)
        return (struct backing){ &chip->exchange.host_channel[reads], &channel_host };
    return (struct backing){ 0 };
}

/* Does the same for the address of a request, which may be that of a register. */
static struct backing backing_at(struct bh_chip *chip, unsigned site, const struct noc_request *request) {
    const struct bh_tile_info *info = &chip->topology.site[site];
    bool memory =
        info->kind == BH_TILE_PCIE ? pcie_is_host(request->address) : !info->harvested && request->address < NOC_MMIO;
    return memory ? backing_of(chip, site, request->kind == NOC_KIND_READ) : (struct backing){ 0 };
}

/* Returns the cycle in which a request has been served. DRAM and host memory have channels; everything else is as fast
 * as L1. A write got its time on the channel when it left the sender. */
static uint64_t serve_request(void *owner, const struct noc_request *request, uint64_t time) {
    const struct served_tile *at = owner;
    bool reads = request->kind == NOC_KIND_READ;
    struct backing to = backing_at(at->chip, at->site, request);
    uint32_t words = noc_data_flits(request->length);
    if (!to.channel)
        return time + (reads ? NOC_L1_READ : 0);
    if (!reads)
        return time + to.times->write;
    return channel_read(to.channel, to.times, request->noc, time, words) - noc_fetch_cycles(words);
}

/* Served tiles have no L1, so they refuse atomics. */
static struct access atomic_at_served(void *owner, const struct noc_request *request, uint32_t *result) {
    (void)owner, (void)request, (void)result;
    return access_refused(BH_FAULT_UNMAPPED, "atomics are for the L1 of Tensix and Ethernet tiles");
}

static const struct endpoint_port endpoint_port = {
    .read = read_served,
    .write = write_served,
    .lend = lend_served,
    .take_back = take_back_served,
    .show = show_served,
    .serve = serve_request,
    .atomic = atomic_at_served,
};

/* ---- Loans ----------------------------------------------------------------------------------------------------- */

_Static_assert(TRANSACTION_NO_LOAN == DRAM_NO_LOAN, "what is not lent is copied");

static void copy_loan(struct bh_chip *chip, struct transaction *transaction) {
    BH_ASSERT(transaction->bytes == TRANSACTION_IN_DRAM && transaction_is_response(transaction));
    memcpy(transaction_own(transaction), mail_bytes(&chip->exchange.mail, transaction),
           transaction_length(transaction));
    dram_give_back(&chip->dram, transaction->bytes_at);
    transaction->bytes = TRANSACTION_OWN;
}

static void copy_loans_of(struct bh_chip *chip, unsigned bank, const struct mail *mail, const struct arrival *list,
                          uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct transaction *transaction = mail_read(mail, &list[i]);
        if (transaction->bytes == TRANSACTION_IN_DRAM && transaction->bytes_at / DRAM_BANK_SIZE == bank)
            copy_loan(chip, transaction);
    }
}

void exchange_copy_loans(struct bh_chip *chip, unsigned bank) {
    const struct mail *mail = &chip->exchange.mail;
    copy_loans_of(chip, bank, mail, mail->inbox.heap, mail->inbox.count);
    copy_loans_of(chip, bank, mail, mail->outbox.list, mail->outbox.count);
    const struct inbox *leaving = departures_list(&chip->exchange.leaving);
    copy_loans_of(chip, bank, mail, leaving->heap, leaving->count);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        mail = &chip->tile[i]->mail;
        if (chip->made[i])
            copy_loans_of(chip, bank, mail, mail->inbox.heap, mail->inbox.count);
    }
    dram_all_copied(&chip->dram, bank);
}

/* ---- Arrivals at served tiles ----------------------------------------------------------------------------------- */

struct niu *exchange_niu(struct bh_chip *chip, unsigned site) {
    unsigned small = chip->small_index[site];
    return small == TOPOLOGY_NONE ? chip_made(chip, topology_tile(&chip->topology.site[site]))->niu
                                  : chip->small_niu[small];
}

struct endpoint exchange_endpoint(struct served_tile *at) {
    struct exchange *x = &at->chip->exchange;
    return (struct endpoint){
        .port = &endpoint_port,
        .owner = at,
        .grid = &x->grid,
        .mail = &x->mail,
        .niu = exchange_niu(at->chip, at->site),
        .link = x->link[at->site],
        .site = (uint8_t)at->site,
    };
}

/* Copies data on loan first, because the delivery may overwrite it. */
static bool arrive_at(struct bh_chip *chip, unsigned site, struct transaction *transaction,
                      const struct arrival *arrival) {
    struct served_tile at = { chip, site };
    const struct endpoint endpoint = exchange_endpoint(&at);
    if (transaction->bytes == TRANSACTION_IN_DRAM)
        copy_loan(chip, transaction);
    if (BH_UNLIKELY(chip->hazards != NULL))
        chip_hazards_arrived(chip, site, transaction, arrival->time);
    return endpoint_deliver(&endpoint, transaction, arrival);
}

static __attribute__((noinline)) void serve_due(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    BH_ASSERT(!chip->muted && !chip->in_epoch);
    chip->muted = true;
    while (inbox_due(&x->mail.inbox) < chip->time) {
        unsigned site = x->mail.inbox.heap[0].to;
        struct arrival arrival;
        if (!mail_receive(&x->mail, x->link[site], &arrival))
            continue;
        chip->arrival = arrival.time;
        BH_ASSERT(arrival.time < chip->time && chip->exchange.live_tile[site] == NOC_NOWHERE);
        struct transaction *transaction = mail_read(&x->mail, &arrival);
        if (x->mail.inbox.count) /* prefetch the next packet */
            __builtin_prefetch(mail_read(&x->mail, &x->mail.inbox.heap[0]));
        if (!arrive_at(chip, site, transaction, &arrival))
            mail_used(&x->mail, site, &arrival, transaction);
    }
    chip->muted = false;
}

void exchange_serve(struct bh_chip *chip) {
    if (inbox_due(&chip->exchange.mail.inbox) < chip->time)
        serve_due(chip);
}

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

static void lose(struct bh_chip *chip, const struct arrival *arrival) {
    struct mail *mail = &chip->exchange.mail;
    const struct endpoint endpoint = { .grid = &chip->exchange.grid, .mail = mail, .site = arrival->to };
    const struct transaction *transaction = mail_read(mail, arrival);
    mail_fault(&endpoint, transaction, arrival->time,
               access_refused(BH_FAULT_UNMODELLED, "the host has no memory left for a packet"));
    if (transaction->bytes == TRANSACTION_IN_DRAM)
        dram_give_back(&chip->dram, transaction->bytes_at);
    packet_pool_release(chip->exchange.pools[arrival->pool], arrival->block);
}

static inline void put_into_tile(struct bh_chip *chip, unsigned index, const struct arrival *arrival) {
    struct tile *tile = chip_made(chip, index);
    struct noc_link *link = chip->exchange.tile_link[index]; /* the link of the tile, without a read of struct tile */
    BH_ASSERT(tile->link == link && tile->site == arrival->to && arrival->time >= chip->time);
    if (!mail_expect(&tile->mail, link, arrival)) {
        lose(chip, arrival);
        return;
    }
    if (arrival->time < tile->noc_due) {
        tile->noc_due = arrival->time;
        chip->coming[index] = packet_pool_at(chip->exchange.pools[arrival->pool], arrival->block);
    }
    chip_wake(chip, index, arrival->time);
    chip->waiting[index / 64] |= UINT64_C(1) << index % 64;
}

static inline void put_into_served(struct bh_chip *chip, const struct arrival *arrival) {
    struct noc_link *link = chip->exchange.link[arrival->to];
    if (!mail_expect(&chip->exchange.mail, link, arrival))
        lose(chip, arrival);
}

/* Hands a packet to its receiver. In an epoch that is longer than the route, the packet may be late. */
static inline void put_into_site(struct bh_chip *chip, struct arrival *arrival) {
    unsigned index = chip->exchange.live_tile[arrival->to];
    if (BH_UNLIKELY(chip->vary != NULL))
        chip_delay_packet(chip, arrival);
    if (arrival->time < chip->time)
        arrival->time = chip->time;
    if (index != NOC_NOWHERE)
        put_into_tile(chip, index, arrival);
    else
        put_into_served(chip, arrival);
}

/* Hands a multicast to every receiver except the sender, which has kept its own copy. */
static void put_everywhere(struct bh_chip *chip, const struct arrival *sent, const struct noc_request *request,
                           struct noc_sites sites, uint64_t start) {
    struct packet_pool *pool = chip->exchange.pools[sent->pool];
    for (unsigned site; (site = noc_sites_next(&sites)) != NOC_NOWHERE;) {
        struct arrival arrival = *sent;
        arrival.time = route_request_arrives(request, site) + (start - request->time);
        arrival.to = (uint8_t)site;
        packet_pool_share(pool, arrival.block);
        put_into_site(chip, &arrival);
    }
    packet_pool_release(pool, sent->block);
}

/* ---- Leaving --------------------------------------------------------------------------------------------------- */

/* Returns the memory behind a served tile that the data of a packet comes from or goes to. Data of registers is one
 * flit. */
static struct backing backing_behind(struct bh_chip *chip, const struct arrival *sent, unsigned from) {
    unsigned site = sent->response ? from : sent->to;
    struct backing memory = { 0 };
    if (sent->flits > 1 && site < NOC_SITES)
        memory = backing_of(chip, site, sent->response);
    if (!memory.channel || sent->flits > 2) /* no need to read the packet, which is in no cache of the host */
        return memory;
    return backing_at(chip, site, &mail_read(&chip->exchange.mail, sent)->request);
}

/* Makes the packet occupy links for longer if the channel that its data comes from or goes to is busy. */
static inline void note_channel(struct links_route *route, const struct arrival *sent, const struct backing *memory,
                                uint64_t time) {
    uint32_t words = sent->flits - 1u;
    uint64_t last = time + route->cycles;
    if (!sent->response) {
        route->accepted_from = channel_accepts(memory->channel, memory->times, words);
        last += route_latency(route->path->hops);
    }
    if (sent->response ? channel_reads_on(memory->channel, memory->times, last) : route->accepted_from > last)
        route->busy = channel_cycles(memory->times, words);
}

/* Returns the receivers of a multicast, without its sender. */
static struct noc_sites receivers_of(struct bh_chip *chip, const struct noc_request *request) {
    struct noc_sites sites = route_area(request->noc, request->source, &request->area), all;
    noc_sites_remove(&sites, request->source);
    all = sites;
    for (unsigned site; (site = noc_sites_next(&all)) != NOC_NOWHERE;)
        if (!niu_takes_multicast(&exchange_niu(chip, site)[request->noc]))
            noc_sites_remove(&sites, site);
    return sites;
}

/* Keeps a packet in its NIU until a later exchange, and makes the packets after it wait. */
static void keep_in_niu(struct bh_chip *chip, struct arrival *sent, unsigned from, uint64_t until) {
    struct exchange *x = &chip->exchange;
    x->links.next_from[sent->noc][from][sent->response] = until;
    if (!departures_keep(&x->leaving, sent))
        lose(chip, sent);
}

static bool leave_everywhere(struct bh_chip *chip, struct arrival *sent, const struct links_route *route, uint64_t time,
                             uint64_t *delay) {
    const struct noc_request *request = &mail_read(&chip->exchange.mail, sent)->request;
    struct noc_sites sites = receivers_of(chip, request);
    if (!links_take_tree(&chip->exchange.links, route, &sites, request, time, delay))
        return false;
    if (BH_UNLIKELY(chip->hazards != NULL))
        chip_hazards_multicast_left(chip, mail_read(&chip->exchange.mail, sent), sites);
    put_everywhere(chip, sent, request, sites, time + *delay);
    return true;
}

static bool leave_for_one(struct bh_chip *chip, struct arrival *sent, const struct links_route *route,
                          const struct backing *memory, uint64_t time, uint64_t *delay) {
    unsigned index = chip->exchange.live_tile[sent->to];
    if (index != NOC_NOWHERE) /* no cache of the host holds what put_into_tile changes */
        __builtin_prefetch(&chip->tile[index]->mail, 1);
    if (!links_take(&chip->exchange.links, route, time, delay))
        return false;
    sent->time = time + *delay + route_latency(route->path->hops) + route->cycles - 1;
    if (memory->channel && !sent->response)
        channel_write(memory->channel, memory->times, sent->time, sent->flits - 1u);
    put_into_site(chip, sent);
    return true;
}

/* Lets a packet leave at `since` or later, and hands it to its receiver. If the packet would leave only after the
 * chip's time, or if a link of its route is too busy, keeps it in its NIU. */
static void leave(struct bh_chip *chip, struct arrival *sent, uint64_t since) {
    struct exchange *x = &chip->exchange;
    unsigned from = (unsigned)(sent->order >> ORDER_SITE_SHIFT), index = x->live_tile[from];
    uint64_t planned = sent->time, next_from = x->links.next_from[sent->noc][from][sent->response], delay = 0;
    uint64_t time = later(later(planned, since), later(x->links.inject[sent->noc][from], next_from));
    bool done = false;
    if (time < chip->time) {
        struct backing memory = backing_behind(chip, sent, from);
        uint32_t cycles = 1 + noc_fetch_cycles(sent->flits - 1u);
        struct links_route route = {
            .noc = sent->noc, .from = (uint8_t)from, .response = sent->response, .cycles = cycles, .busy = cycles
        };
        if (sent->to != NOC_NOWHERE)
            route.path = links_path(&x->paths, sent->noc, from, sent->to);
        if (memory.channel)
            note_channel(&route, sent, &memory, time);
        done = sent->to == NOC_NOWHERE ? leave_everywhere(chip, sent, &route, time, &delay)
                                       : leave_for_one(chip, sent, &route, &memory, time, &delay);
        next_from = time + delay;
    }
    if (!done)
        keep_in_niu(chip, sent, from, later(next_from, chip->time));
    if (index != NOC_NOWHERE && !sent->response && (!done || time != planned))
        niu_leaves(&chip->tile[index]->niu[sent->noc], planned, done ? time : chip->time);
}

/* Lets all packets leave that can, in the order in which they could have left. */
static void leave_due(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    uint64_t since = x->left_until;
    struct arrival *sent;
    while ((sent = departures_next(&x->leaving, chip->time)) != NULL)
        leave(chip, sent, since);
    departures_begin(&x->leaving, chip->time);
    x->left_until = chip->time;
}

/* ---- Faults ---------------------------------------------------------------------------------------------------- */

static struct core *sender_of(const struct bh_chip *chip, const struct mail_fault *fault) {
    unsigned index = chip->exchange.live_tile[fault->site];
    if (index == NOC_NOWHERE || fault->fault.core < 0)
        return NULL;
    struct core *core = &chip_made(chip, index)->core[fault->fault.core];
    return core->state == BH_CORE_IN_RESET || core->state == BH_CORE_FAULTED ? NULL : core;
}

static void keep(struct bh_fault **list, uint32_t *count, uint32_t *room, const struct bh_fault *fault) {
    struct bh_fault *grown = list_room(*list, *count, room, sizeof *grown);
    if (!grown)
        return;
    *list = grown;
    grown[(*count)++] = *fault;
}

static void keep_orphan(struct exchange *x, const struct bh_fault *fault) {
    keep(&x->orphan, &x->orphan_count, &x->orphan_room, fault);
}

static void keep_warning(struct exchange *x, const struct bh_fault *fault) {
    keep(&x->warning, &x->warning_count, &x->warning_room, fault);
}

/* Called between epochs, so that the callback may do anything to the chip. */
void exchange_warn(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    for (uint32_t i = 0; i < x->warning_count && chip->config.on_warning; i++) {
        struct bh_fault warning = x->warning[i];
        chip->config.on_warning(chip->config.user, chip, &warning);
    }
    x->warning_count = 0;
}

/* Stops the core that made the request, whatever instruction it executes now. */
static void raise(struct bh_chip *chip, struct mail_fault *fault) {
    struct core *core = sender_of(chip, fault);
    fault->fault.tile = chip->topology.site[fault->site].translated;
    if (fault->harmless) {
        keep_warning(&chip->exchange, &fault->fault);
        return;
    }
    atomic_store_explicit(&chip->fault_pending, true, memory_order_relaxed);
    if (!core) {
        keep_orphan(&chip->exchange, &fault->fault);
        return;
    }
    unsigned index = chip->exchange.live_tile[fault->site];
    if (core_is_trisc(core)) /* the core pushes no more words */
        tensix_detach_row(&chip->tile[index]->tensix, (unsigned)core->id - BH_TRISC0);
    core->fault = fault->fault;
    core->state = BH_CORE_FAULTED;
    chip->tile[index]->changed = true;
    core->waits_on = WAIT_NONE;
    core->watch_count = 0;
    chip->fresh_faults[index] |= (uint8_t)(1u << core->id);
}

/* ---- The exchange ------------------------------------------------------------------------------------------------ */

__attribute__((noinline)) void exchange_raise(struct bh_chip *chip, struct mail *mail) {
    run_end_looks(chip);
    for (uint32_t i = 0; i < mail->fault_count; i++)
        raise(chip, &mail->fault[i]);
    mail->fault_count = 0;
}

/* Prefetches the path that the packet is about to take: if many tiles send, no cache of the host holds it. */
static inline __attribute__((always_inline)) void prefetch_path(const struct links_paths *paths,
                                                                const struct arrival *sent) {
    unsigned from = (unsigned)(sent->order >> ORDER_SITE_SHIFT);
    __builtin_prefetch(&paths->path[links_place(links_key(sent->noc, from, sent->to))]);
}

static inline void empty(struct bh_chip *chip, struct mail *mail) {
    for (uint32_t i = 0; i < mail->outbox.count; i++) {
        struct arrival *arrival = &mail->outbox.list[i];
        BH_ASSERT(!i || arrival->order > arrival[-1].order ||
                  arrival->order >> ORDER_SITE_SHIFT != arrival[-1].order >> ORDER_SITE_SHIFT);
        prefetch_path(&chip->exchange.paths, arrival);
        if (!departures_put(&chip->exchange.leaving, arrival))
            lose(chip, arrival);
    }
    mail->outbox.count = 0;
    for (uint32_t i = 0; i < mail->used_count; i++) {
        const struct mail_used *used = &mail->used[i];
        packet_pool_release(mail->pools[used->pool], used->block);
        if (used->loan != TRANSACTION_NO_LOAN)
            dram_give_back(&chip->dram, used->loan);
    }
    mail->used_count = 0;
    mail->from_others = false;
    if (mail->fault_count)
        exchange_raise(chip, mail);
}

static void move_packets(struct bh_chip *chip) {
    exchange_serve(chip);
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++) {
        for (uint64_t left = chip->queued[word]; left; left &= left - 1) {
            struct tile *tile = chip->tile[word * 64 + (unsigned)__builtin_ctzll(left)];
            if (tile->mail.outbox.count)
                tile->seen_from = UINT64_MAX;
            empty(chip, &tile->mail);
        }
        chip->queued[word] = 0;
    }
    if (mail_is_full(&chip->exchange.mail))
        empty(chip, &chip->exchange.mail);
    leave_due(chip);
}

void exchange(struct bh_chip *chip) {
    if (chip_is_loose(chip))
        loose_exchange(chip);
    else
        move_packets(chip);
    chip_verify(chip);
    if (chip->exchange.warning_count && !chip->is_member)
        exchange_warn(chip);
}
