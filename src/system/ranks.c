/* A system over several processes: see ranks.h. */
#include "system/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mix.h"
#include "chip/chip.h"
#include "chip/member.h"
#include "system/ports.h"

enum { CALL_SIZE = 24, RANKS_MAX = BH_SYSTEM_RANKS };

/* The beginning of every message. Ranks are equal in size and order of bytes, which ranks_begin checks. */
struct head {
    uint64_t magic;
    char call[CALL_SIZE]; /* what the rank is doing, */
    uint64_t argument[2]; /* and with what */
    uint32_t status;      /* its outcome so far: bh_status */
    uint32_t size;        /* of what follows */
    char message[SYSTEM_MESSAGE_SIZE];
};

/* "bhemu", and the order of bytes. */
#define MAGIC (UINT64_C(0x756D656862000000) + sizeof(struct eth_port) + sizeof(struct head))

struct ranks {
    bool failed; /* no call sends anything any more */
    char reason[SYSTEM_MESSAGE_SIZE];
    struct state_out out[RANKS_MAX]; /* a message for each rank, without its head */
    struct state_out whole;          /* the message that is sent */
    struct state_out in[RANKS_MAX];  /* the bytes behind the head of what has come */
    struct head head[RANKS_MAX];
};

static struct state_in part_of(const struct ranks *ranks, unsigned rank) {
    const struct state_out *in = &ranks->in[rank];
    return (struct state_in){ .at = in->bytes, .end = in->count ? in->bytes + in->count : in->bytes };
}

/* Returns false if the message is too short. */
static bool take(struct state_in *part, void *data, size_t size) {
    state_get(part, data, size);
    return !part->failed;
}

static bool has_memory(const struct ranks *ranks) {
    bool failed = ranks->whole.failed;
    for (unsigned i = 0; i < RANKS_MAX; i++)
        failed = failed || ranks->out[i].failed || ranks->in[i].failed;
    return !failed;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

static bh_status fail(bh_system *system, bh_status status) {
    system->ranks->failed = true;
    memcpy(system->ranks->reason, system->message, sizeof system->ranks->reason);
    return status;
}

static bh_status fail_transport(bh_system *system, const char *what, unsigned rank) {
    const struct bh_transport *transport = &system->transport;
    const char *why = transport->message ? transport->message(transport->user) : "";
    (void)system_fail(system, BH_ERR_STATE, "rank %u: %s rank %u: %s", transport->rank, what, rank, why);
    return fail(system, BH_ERR_STATE);
}

/* Returns whether all ranks are at the same point, and none has failed. All of them come to the same conclusion. */
static bh_status compare(bh_system *system) {
    const struct ranks *ranks = system->ranks;
    const struct head *first = &ranks->head[0];
    unsigned count = system->transport.ranks;
    for (unsigned i = 0; i < count; i++) {
        const struct head *head = &ranks->head[i];
        if (head->status == BH_OK)
            continue;
        (void)system_fail(system, (bh_status)head->status, "rank %u: %s", i, head->message);
        return fail(system, (bh_status)head->status);
    }
    for (unsigned i = 1; i < count; i++) {
        const struct head *head = &ranks->head[i];
        if (strncmp(head->call, first->call, sizeof head->call) != 0)
            (void)system_fail(system, BH_ERR_STATE, "rank %u is in %s, but rank 0 in %s: all ranks make the same calls",
                              i, head->call, first->call);
        else if (memcmp(head->argument, first->argument, sizeof head->argument) != 0)
            (void)system_fail(system, BH_ERR_STATE,
                              "%s: rank %u has %" PRIu64 ", %" PRIu64 ", but rank 0 %" PRIu64 ", %" PRIu64
                              ": all ranks make the same calls",
                              first->call, i, head->argument[0], head->argument[1], first->argument[0],
                              first->argument[1]);
        else
            continue;
        return fail(system, BH_ERR_STATE);
    }
    return BH_OK;
}

static bh_status send_all(bh_system *system, const struct head *head) {
    const struct bh_transport *transport = &system->transport;
    struct ranks *ranks = system->ranks;
    for (unsigned i = 0; i < transport->ranks; i++) {
        if (i == transport->rank)
            continue;
        struct head own = *head;
        own.size = head->status == BH_OK ? (uint32_t)ranks->out[i].count : 0;
        ranks->whole.count = 0;
        state_put(&ranks->whole, &own, sizeof own);
        state_put(&ranks->whole, ranks->out[i].bytes, own.size);
        ranks->out[i].count = 0;
        if (ranks->whole.failed || !transport->send(transport->user, i, ranks->whole.bytes, ranks->whole.count))
            return fail_transport(system, "cannot send to", i);
    }
    return BH_OK;
}

static bh_status receive_one(bh_system *system, unsigned from) {
    const struct bh_transport *transport = &system->transport;
    struct ranks *ranks = system->ranks;
    const void *data;
    size_t size;
    if (!transport->receive(transport->user, from, &data, &size))
        return fail_transport(system, "nothing comes from", from);
    struct state_in part = { .at = data, .end = (const uint8_t *)data + size };
    struct head *head = &ranks->head[from];
    if (!take(&part, head, sizeof *head) || head->magic != MAGIC || head->size != (size_t)(part.end - part.at)) {
        (void)system_fail(system, BH_ERR_STATE, "rank %u is no bhemu of this version, or runs on another kind of host",
                          from);
        return fail(system, BH_ERR_STATE);
    }
    head->call[CALL_SIZE - 1] = head->message[SYSTEM_MESSAGE_SIZE - 1] = '\0';
    ranks->in[from].count = 0;
    if (head->size)
        state_put(&ranks->in[from], part.at, head->size);
    return BH_OK;
}

/* Sends what `out` has to all other ranks, and fills `in`. */
static bh_status trade(bh_system *system, const char *call, uint64_t first, uint64_t second, bh_status status) {
    const struct bh_transport *transport = &system->transport;
    struct ranks *ranks = system->ranks;
    for (unsigned i = 0; ranks->failed && i < transport->ranks; i++)
        ranks->out[i].count = 0;
    if (ranks->failed)
        return system_fail(system, BH_ERR_STATE, "%s", ranks->reason);
    if (status == BH_OK && !has_memory(ranks))
        status = system_fail(system, BH_ERR_MEMORY, "no memory for messages to other ranks");
    struct head *own = &ranks->head[transport->rank];
    *own = (struct head){ .magic = MAGIC, .argument = { first, second }, .status = (uint32_t)status };
    snprintf(own->call, sizeof own->call, "%s", call);
    if (status != BH_OK)
        memcpy(own->message, system->message, sizeof own->message);
    bh_status sent = send_all(system, own);
    for (unsigned i = 0; i < transport->ranks && sent == BH_OK; i++)
        if (i != transport->rank)
            sent = receive_one(system, i);
    if (sent == BH_OK && !has_memory(ranks))
        return fail(system, system_fail(system, BH_ERR_MEMORY, "no memory for messages of other ranks"));
    return sent == BH_OK ? compare(system) : sent;
}

static void put_to_all(bh_system *system, const void *data, size_t size) {
    for (unsigned i = 0; i < system->transport.ranks; i++)
        if (i != system->transport.rank)
            state_put(&system->ranks->out[i], data, size);
}

static bh_status broken(bh_system *system, unsigned rank) {
    return fail(system, system_fail(system, BH_ERR_STATE, "rank %u has sent something that cannot be read", rank));
}

/* ---- Cables ------------------------------------------------------------------------------------------------------ */

static void put_cables(bh_system *system) {
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            if (ranks_own(system, system->cable[i]->link.chip[end]))
                for (unsigned rank = 0; rank < system->transport.ranks; rank++)
                    if (rank != system->transport.rank)
                        ports_put(&system->ranks->out[rank], &system->cable[i]->end[end]);
}

static bh_status take_cables(bh_system *system, struct state_in *part) {
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++) {
            unsigned rank = ranks_of(system, system->cable[i]->link.chip[end]);
            if (rank != system->transport.rank && !ports_get(&part[rank], &system->cable[i]->end[end]))
                return broken(system, rank);
        }
    return BH_OK;
}

static void find_parts(const bh_system *system, struct state_in *part) {
    for (unsigned i = 0; i < system->transport.ranks; i++)
        part[i] = part_of(system->ranks, i);
}

bh_status ranks_share_cables(bh_system *system, const char *call, uint64_t argument) {
    struct state_in part[RANKS_MAX];
    if (!system->ranks)
        return BH_OK;
    put_cables(system);
    bh_status status = trade(system, call, argument, system->time, BH_OK);
    find_parts(system, part);
    return status == BH_OK ? take_cables(system, part) : status;
}

bh_status ranks_share_hashes(bh_system *system, uint64_t *hash) {
    for (unsigned i = 0; i < system->chip_count; i++)
        if (ranks_own(system, i))
            put_to_all(system, &hash[i], sizeof hash[i]);
    bh_status status = trade(system, "bh_system_hash", system->time, 0, BH_OK);
    struct state_in part[RANKS_MAX];
    find_parts(system, part);
    for (unsigned i = 0; i < system->chip_count && status == BH_OK; i++)
        if (!ranks_own(system, i) && !take(&part[ranks_of(system, i)], &hash[i], sizeof hash[i]))
            return broken(system, ranks_of(system, i));
    return status;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

/* Combines the views of all ranks, which their messages begin with. */
static bh_status combine(bh_system *system, struct state_in *part, struct ranks_view *view) {
    find_parts(system, part);
    for (unsigned i = 0; i < system->transport.ranks; i++) {
        struct ranks_view other;
        if (i == system->transport.rank)
            continue;
        if (!take(&part[i], &other, sizeof other))
            return broken(system, i);
        view->idle &= other.idle;
        view->drained &= other.drained;
        view->faulted |= other.faulted;
    }
    return BH_OK;
}

bh_status ranks_begin(bh_system *system, uint64_t end, unsigned flags, struct ranks_view *view) {
    struct state_in part[RANKS_MAX];
    put_to_all(system, view, sizeof *view);
    bh_status status = trade(system, "bh_system_run", end, flags, BH_OK);
    return status == BH_OK ? combine(system, part, view) : status;
}

/* Where a frame goes to, before the frame. */
struct address {
    uint32_t link, end;
};

/* Moves the frames of one end of a cable to the other end, here or in a message. */
static void send_frames(bh_system *system, unsigned link, unsigned from, bool *expects) {
    struct cable *cable = system->cable[link];
    struct eth_port *port = &cable->end[from];
    unsigned rank = ranks_of(system, cable->link.chip[!from]);
    if (rank == system->transport.rank) {
        *expects |= port->out.first != NULL;
        eth_frames_append(&cable->end[!from].in, &port->out);
        return;
    }
    for (struct eth_frame *frame; (frame = eth_frames_take(&port->out));) {
        const struct address to = { link, !from };
        state_put(&system->ranks->out[rank], &to, sizeof to);
        ports_put_frame(&system->ranks->out[rank], frame);
        free(frame);
    }
}

static bh_status receive_frames(bh_system *system, unsigned rank, struct state_in *part, bool (*expects)[2]) {
    struct address to;
    while (part->at != part->end) {
        state_get(part, &to, sizeof to);
        struct eth_frame *frame = ports_get_frame(part);
        if (!frame || to.link >= system->link_count || to.end > 1) {
            free(frame);
            return broken(system, rank);
        }
        eth_frames_put(&system->cable[to.link]->end[to.end].in, frame);
        expects[to.link][to.end] = true;
    }
    return BH_OK;
}

/* Settles the ends of this rank. Returns whether nothing is left to exchange. */
static bool drain(bh_system *system, uint64_t time) {
    bool drained = true;
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++) {
            const struct cable *cable = system->cable[i];
            if (!cable->end[end].record_count || !ranks_own(system, cable->link.chip[end]))
                continue;
            eth_settle(member_eth_tile(system->chip[cable->link.chip[end]], cable->link.port[end]), time);
            drained &= !cable->end[end].record_count;
        }
    return drained;
}

bh_status ranks_meet(bh_system *system, uint64_t time, bh_status status, struct ranks_view *view) {
    struct state_in part[RANKS_MAX];
    bool expects[BH_SYSTEM_LINKS][2] = { { false } };
    view->drained = drain(system, time);
    put_to_all(system, view, sizeof *view);
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            if (ranks_own(system, system->cable[i]->link.chip[end]))
                send_frames(system, i, end, &expects[i][!end]);
    status = trade(system, "a meeting", time, system->time, status);
    if (status == BH_OK)
        status = combine(system, part, view);
    for (unsigned i = 0; i < system->transport.ranks && status == BH_OK; i++)
        if (i != system->transport.rank)
            status = receive_frames(system, i, &part[i], expects);
    for (unsigned i = 0; i < system->link_count; i++)
        for (unsigned end = 0; end < 2; end++)
            if (expects[i][end])
                member_expect(system->chip[system->cable[i]->link.chip[end]], system->cable[i]->link.port[end]);
    return status;
}

static bool is_first(const struct bh_system_stop *a, const struct bh_system_stop *b) {
    return a->fault.cycle < b->fault.cycle || (a->fault.cycle == b->fault.cycle && a->chip < b->chip);
}

bh_status ranks_end(bh_system *system, bh_status status, struct ranks_end *end) {
    struct state_in part[RANKS_MAX];
    put_to_all(system, end, sizeof *end);
    put_cables(system);
    status = trade(system, "the end of a run", system->time, 0, status);
    if (status != BH_OK)
        return status;
    find_parts(system, part);
    for (unsigned i = 0; i < system->transport.ranks; i++) {
        struct ranks_end other;
        if (i == system->transport.rank)
            continue;
        if (!take(&part[i], &other, sizeof other))
            return broken(system, i);
        if (other.faulted && (!end->faulted || is_first(&other.fault, &end->fault)))
            end->fault = other.fault;
        if (other.deadlocked && (!end->deadlocked || other.deadlock.chip < end->deadlock.chip))
            end->deadlock = other.deadlock;
        end->faulted |= other.faulted;
        end->deadlocked |= other.deadlocked;
        end->waiting += other.waiting;
    }
    return take_cables(system, part);
}

/* ---- The beginning ----------------------------------------------------------------------------------------------- */

/* What has to be the same in all ranks. */
struct outline {
    char version[16];
    uint32_t chips, links;
    uint64_t chip_hash, link_hash, time;
};

static uint64_t hash_chips(const bh_system *system) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < system->chip_count; i++) {
        const struct bh_config *config = &system->chip[i]->config;
        const uint64_t word[] = { config->board,    config->tensix_harvest, config->eth_harvest, config->dram_harvest,
                                  config->location, config->serial,         config->number,      config->timing,
                                  config->skew,     config->epoch,          config->debug_flaws };
        hash = mix_bytes(hash, word, sizeof word);
    }
    return hash;
}

static uint64_t hash_links(const bh_system *system) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < system->link_count; i++) {
        const struct bh_link *link = &system->cable[i]->link;
        const uint64_t word[] = { link->chip[0], link->chip[1], link->port[0],       link->port[1],
                                  link->latency, link->rate,    system->cable[i]->up };
        hash = mix_bytes(hash, word, sizeof word);
    }
    return hash;
}

static bh_status compare_outline(bh_system *system, unsigned rank, const struct outline *a, const struct outline *b) {
    bh_status wrong = BH_ERR_ARGUMENT;
    if (strncmp(a->version, b->version, sizeof a->version) != 0)
        (void)system_fail(system, wrong, "rank %u is bhemu %.15s, but rank 0 %.15s", rank, b->version, a->version);
    else if (a->chips != b->chips || a->links != b->links)
        (void)system_fail(system, wrong, "rank %u has %u chips and %u links, but rank 0 %u and %u", rank, b->chips,
                          b->links, a->chips, a->links);
    else if (a->chip_hash != b->chip_hash)
        (void)system_fail(system, wrong, "rank %u has other chips than rank 0: boards, harvesting or timing differ",
                          rank);
    else if (a->link_hash != b->link_hash)
        (void)system_fail(system, wrong, "rank %u has other links than rank 0", rank);
    else if (a->time != b->time)
        (void)system_fail(system, wrong, "rank %u is in cycle %" PRIu64 ", but rank 0 in %" PRIu64, rank, b->time,
                          a->time);
    else
        return BH_OK;
    return fail(system, wrong);
}

static bh_status compare_outlines(bh_system *system) {
    struct outline all[RANKS_MAX] = { 0 };
    struct outline *own = &all[system->transport.rank];
    *own = (struct outline){ .chips = system->chip_count,
                             .links = system->link_count,
                             .chip_hash = hash_chips(system),
                             .link_hash = hash_links(system),
                             .time = system->time };
    snprintf(own->version, sizeof own->version, "%s", bh_version());
    put_to_all(system, own, sizeof *own);
    bh_status status = trade(system, "bh_system_ranks", system->transport.ranks, 0, BH_OK);
    for (unsigned i = 0; i < system->transport.ranks && status == BH_OK; i++) {
        struct state_in part = part_of(system->ranks, i);
        if (i != system->transport.rank && !take(&part, &all[i], sizeof all[i]))
            status = broken(system, i);
    }
    for (unsigned i = 1; i < system->transport.ranks && status == BH_OK; i++)
        status = compare_outline(system, i, &all[0], &all[i]);
    return status;
}

static bh_status check(bh_system *system, const struct bh_transport *transport) {
    if (!transport->send || !transport->receive)
        return system_fail(system, BH_ERR_ARGUMENT, "the transport has no function to send or to receive");
    if (system->in_run || system->ranks)
        return system_fail(system, BH_ERR_STATE, "bh_system_ranks: once, and not while the system runs");
    if (transport->rank >= transport->ranks)
        return system_fail(system, BH_ERR_ARGUMENT, "there is no rank %u of %u", transport->rank, transport->ranks);
    return BH_OK;
}

bh_status bh_system_ranks(bh_system *system, const struct bh_transport *transport) {
    if (!system || !transport)
        return system_null(system, "transport");
    bh_status status = check(system, transport);
    if (status != BH_OK)
        return status;
    if (transport->ranks > RANKS_MAX) /* all ranks know this without each other */
        return system_fail(system, BH_ERR_ARGUMENT, "%u ranks: at most %d are possible", transport->ranks, RANKS_MAX);
    system->ranks = calloc(1, sizeof *system->ranks);
    if (!system->ranks)
        return system_fail(system, BH_ERR_MEMORY, "no memory for ranks");
    system->transport = *transport;
    status = compare_outlines(system);
    if (status == BH_OK && transport->ranks > system->chip_count) {
        (void)system_fail(system, BH_ERR_ARGUMENT, "there are more ranks (%u) than chips (%u)", transport->ranks,
                          system->chip_count);
        status = fail(system, BH_ERR_ARGUMENT);
    }
    return status;
}

unsigned bh_system_rank_of(const bh_system *system, unsigned chip) {
    return system && chip < system->chip_count ? ranks_of(system, chip) : 0;
}

void ranks_free(struct ranks *ranks) {
    for (unsigned i = 0; ranks && i < RANKS_MAX; i++) {
        free(ranks->out[i].bytes);
        free(ranks->in[i].bytes);
    }
    if (ranks)
        free(ranks->whole.bytes);
    free(ranks);
}
