/* Packets between tiles, and endpoints: see exchange.h. */
#include "chip/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "chip/chip.h"

/* ---- Life ---------------------------------------------------------------------------------------------------- */

void exchange_init(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    for (unsigned site = 0; site < NOC_SITES; site++) {
        const struct bh_tile_info *info = &chip->topology.site[site];
        bool lives = topology_tile(info) != TOPOLOGY_NONE && !info->harvested;
        x->grid.kind[site] = (uint8_t)info->kind;
        x->grid.dead[site] = info->harvested;
        x->grid.translated[site] = info->translated;
        x->live_tile[site] = lives ? (uint8_t)topology_tile(info) : NOC_NOWHERE;
    }
}

static void set_up_mail(struct bh_chip *chip, struct mail *mail, struct store *store) {
    mail->store = store;
    mail->stores = chip->exchange.stores;
}

void exchange_reset(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    memset(x->link, 0, sizeof x->link);
    memset(x->busy, 0, sizeof x->busy);
    x->loose_count = 0;
    for (unsigned site = 0; site < NOC_SITES; site++)
        x->stores[site] = &x->store;
    set_up_mail(chip, &x->mail, &x->store);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        x->stores[topology_tile_site(&chip->topology, i)] = chip->store[i];
        set_up_mail(chip, &chip->tile[i]->mail, chip->store[i]);
        chip->tile[i]->grid = &x->grid;
        chip->tile[i]->busy = (const uint64_t(*)[2])x->busy;
    }
}

void exchange_free(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct mail *mail = &chip->tile[i]->mail;
        if (mail->inbox.room || mail->outbox.room) /* else its store, lazily mapped, was never touched */
            store_free(mail->store);
        mail_free(mail);
    }
    mail_free(&x->mail);
    store_free(&x->store);
    free(x->loose);
    x->loose = NULL;
    x->loose_count = x->loose_room = 0;
}

/* ---- Endpoints ------------------------------------------------------------------------------------------------- */

/* The endpoint that a packet has arrived at. */
struct endpoint {
    struct bh_chip *chip;
    unsigned site;
};

static struct access access_endpoint(const struct endpoint *at, const struct chip_request *request) {
    switch (chip_access(at->chip, at->site, request)) {
    case BH_OK: return access_done();
    case BH_ERR_UNMODELLED: return access_refused(BH_FAULT_UNMODELLED, at->chip->refusal);
    case BH_ERR_ALIGNMENT: return access_refused(BH_FAULT_MISALIGNED, at->chip->refusal);
    default: return access_refused(BH_FAULT_UNMAPPED, at->chip->refusal);
    }
}

static struct access read_endpoint(void *owner, unsigned noc, uint64_t address, void *data, uint32_t size) {
    return access_endpoint(owner, &(struct chip_request){ CHIP_READ, (uint8_t)noc, address, data, size });
}

static struct access write_endpoint(void *owner, unsigned noc, uint64_t address, const void *data, uint32_t size) {
    void *from = (void *)(uintptr_t)data;
    return access_endpoint(owner, &(struct chip_request){ CHIP_WRITE, (uint8_t)noc, address, from, size });
}

static struct access atomic_at_endpoint(void *owner, const struct noc_request *request, uint32_t *result) {
    (void)owner;
    (void)request;
    (void)result;
    return access_refused(BH_FAULT_UNMAPPED, "atomics are for the L1 of Tensix and Ethernet tiles");
}

static const struct place_port endpoint_port = { read_endpoint, write_endpoint, atomic_at_endpoint };

static struct niu *niu_of(struct bh_chip *chip, unsigned site) {
    unsigned small = chip->small_index[site];
    return small == TOPOLOGY_NONE ? chip->tile[topology_tile(&chip->topology.site[site])]->niu : chip->small_niu[small];
}

/* mail_receive, with the links of whom it is for. */
static bool receive(struct exchange *x, struct parcel *parcel) {
    unsigned to = inbox_first(&x->mail.inbox)->to;
    return mail_receive(&x->mail, x->link[to], parcel);
}

void exchange_endpoints(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    chip->muted = true;
    while (inbox_due(&x->mail.inbox) < chip->time) {
        struct parcel parcel;
        if (!receive(x, &parcel))
            continue;
        struct endpoint at = { chip, parcel.to };
        const struct place place = {
            .port = &endpoint_port,
            .owner = &at,
            .grid = &x->grid,
            .mail = &x->mail,
            .niu = niu_of(chip, parcel.to),
            .link = x->link[parcel.to],
            .site = parcel.to,
        };
        place_deliver(&place, &parcel);
    }
    chip->muted = false;
}

/* ---- Moving ---------------------------------------------------------------------------------------------------- */

static void lose(struct bh_chip *chip, const struct parcel *parcel) {
    struct place place = { .grid = &chip->exchange.grid, .mail = &chip->exchange.mail, .site = parcel->to };
    mail_fault(&place, parcel, access_refused(BH_FAULT_UNMODELLED, "the host has no memory left for a packet"));
    if (parcel->block != STORE_NOTHING)
        store_release(chip->exchange.stores[parcel->owner], parcel->block);
}

static void put_into_tile(struct bh_chip *chip, unsigned index, const struct parcel *parcel) {
    struct tile *tile = chip->tile[index];
    if (!mail_expect(&tile->mail, tile->link, parcel)) {
        lose(chip, parcel);
        return;
    }
    if (parcel->arrives < tile->noc_due)
        tile->noc_due = parcel->arrives;
    chip_wake(chip, index, parcel->arrives);
    chip->waiting[index / 64] |= UINT64_C(1) << index % 64;
}

static void put_into_site(struct bh_chip *chip, struct parcel *parcel) {
    unsigned index = chip->exchange.live_tile[parcel->to];
    if (parcel->arrives < chip->time)
        parcel->arrives = chip->time;
    if (index != NOC_NOWHERE)
        put_into_tile(chip, index, parcel);
    else if (!mail_expect(&chip->exchange.mail, chip->exchange.link[parcel->to], parcel))
        lose(chip, parcel);
}

/* To everyone but the sender, who has kept its copy. */
static void put_everywhere(struct bh_chip *chip, const struct parcel *parcel) {
    const struct noc_request *request = &parcel->request;
    struct store *store = chip->exchange.stores[parcel->owner];
    struct noc_sites sites = route_area(request->noc, request->source, &request->area);
    noc_sites_remove(&sites, request->source);
    for (unsigned word = 0; word < sizeof sites.word / sizeof sites.word[0]; word++) {
        for (uint64_t left = sites.word[word]; left; left &= left - 1) {
            struct parcel copy = *parcel;
            copy.to = (uint8_t)(word * 64 + (unsigned)__builtin_ctzll(left));
            copy.arrives = route_request_arrives(request, copy.to) - (copy.flits - 1u);
            if (!niu_takes_multicast(&niu_of(chip, copy.to)[request->noc]))
                continue;
            if (copy.block != STORE_NOTHING)
                store_share(store, copy.block);
            put_into_site(chip, &copy);
        }
    }
    if (parcel->block != STORE_NOTHING)
        store_release(store, parcel->block);
}

/* ---- Faults ---------------------------------------------------------------------------------------------------- */

static struct core *sender_of(const struct bh_chip *chip, const struct mail_fault *fault) {
    unsigned index = chip->exchange.live_tile[fault->site];
    if (index == NOC_NOWHERE || fault->fault.core < 0)
        return NULL;
    struct core *core = &chip->tile[index]->core[fault->fault.core];
    return core->state == BH_CORE_IN_RESET || core->state == BH_CORE_FAULTED ? NULL : core;
}

static void keep_loose(struct exchange *x, const struct bh_fault *fault) {
    enum { FIRST_ROOM = 8 };
    if (x->loose_count == x->loose_room) {
        uint32_t room = x->loose_room ? 2 * x->loose_room : FIRST_ROOM;
        struct bh_fault *loose = realloc(x->loose, room * sizeof *loose);
        if (!loose)
            return;
        x->loose = loose;
        x->loose_room = room;
    }
    x->loose[x->loose_count++] = *fault;
}

/* The core that made the request stops, wherever it is now. */
static void raise(struct bh_chip *chip, struct mail_fault *fault) {
    struct core *core = sender_of(chip, fault);
    fault->fault.tile = chip->topology.site[fault->site].translated;
    atomic_store_explicit(&chip->fault_pending, true, memory_order_relaxed);
    if (!core) {
        keep_loose(&chip->exchange, &fault->fault);
        return;
    }
    core->fault = fault->fault;
    core->state = BH_CORE_FAULTED;
    core->waits_on = "";
    core->watch_count = 0;
    chip->fresh_faults[chip->exchange.live_tile[fault->site]] |= (uint8_t)(1u << core->id);
}

/* ---- The exchange ------------------------------------------------------------------------------------------------ */

static void empty(struct bh_chip *chip, struct mail *mail) {
    for (uint32_t i = 0; i < mail->outbox.count; i++) {
        struct parcel *parcel = &mail->outbox.item[i];
        if (parcel->to == NOC_NOWHERE)
            put_everywhere(chip, parcel);
        else
            put_into_site(chip, parcel);
    }
    mail->outbox.count = 0;
    for (uint32_t i = 0; i < mail->used_count; i++)
        store_release(mail->stores[mail->used[i].owner], mail->used[i].block);
    mail->used_count = 0;
    for (uint32_t i = 0; i < mail->fault_count; i++)
        raise(chip, &mail->fault[i]);
    mail->fault_count = 0;
}

/* What is on its way, for those who are going to send something. */
static void tell_busy(struct bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++)
        for (uint64_t left = chip->waiting[word]; left; left &= left - 1) {
            const struct tile *tile = chip->tile[word * 64 + (unsigned)__builtin_ctzll(left)];
            for (unsigned noc = 0; noc < 2; noc++)
                x->busy[tile->site][noc] = noc_link_busy_until(&tile->link[noc], chip->time);
        }
    for (unsigned site = 0; site < NOC_SITES && x->mail.inbox.count; site++)
        for (unsigned noc = 0; noc < 2 && x->live_tile[site] == NOC_NOWHERE; noc++)
            x->busy[site][noc] = noc_link_busy_until(&x->link[site][noc], chip->time);
}

void exchange(struct bh_chip *chip) {
    exchange_endpoints(chip);
    for (unsigned word = 0; word < CHIP_AWAKE_WORDS; word++) {
        for (uint64_t left = chip->posted[word]; left; left &= left - 1)
            empty(chip, &chip->tile[word * 64 + (unsigned)__builtin_ctzll(left)]->mail);
        chip->posted[word] = 0;
    }
    empty(chip, &chip->exchange.mail);
    tell_busy(chip);
}

bool exchange_in_flight(const struct bh_chip *chip) {
    uint64_t any = chip->exchange.mail.inbox.count;
    for (unsigned i = 0; i < CHIP_AWAKE_WORDS; i++)
        any |= chip->waiting[i];
    return any != 0;
}
