/* A chip as bytes.
 *
 * The bytes are a head, the configuration, the layouts of the state tables (base/state.h), and then the chip: its own
 * state, each tile in use with its L1 and its packets, and the memories. Host threads, observers and callbacks are not
 * saved. Packets are saved together with their data, wherever the data are; each loaded packet gets a block of its own.
 * The head has a checksum, and a version number that changes when the meaning of the bytes changes.
 *
 * A load reads everything twice: first into scratch memory, to check it, then into the chip. Sleeping tiles are read
 * the second time only when they are first used, because the first touch of a tile's memory is the largest cost. */
#include "chip/save.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mix.h"
#include "chip/chip.h"
#include "noc/table.h"

enum { VERSION = 9 };
static const char magic[8] = { 'B', 'H', 'E', 'M', 'U', 'S', 'A', 'V' };

struct head {
    char magic[8];
    uint64_t version;
    uint64_t size;     /* number of bytes after the head */
    uint64_t checksum; /* checksum of those bytes */
};

struct preamble {
    struct saved_config config;
    uint64_t chip_layout, tile_layout;
};

static struct saved_config config_of(const struct bh_config *config) {
    return (struct saved_config){
        .board = config->board,
        .tensix_harvest = config->tensix_harvest,
        .eth_harvest = config->eth_harvest,
        .dram_harvest = config->dram_harvest,
        .timing = config->timing,
        .skew = config->skew,
        .epoch = config->epoch,
    };
}

static struct preamble preamble_of(const bh_chip *chip) {
    return (struct preamble){ config_of(&chip->config), state_layout(&chip_state), state_layout(&tile_state) };
}

/* ---- Writing -------------------------------------------------------------------------------------------- */

static unsigned class_of(const struct arrival *arrival) {
    return (arrival->block >> PACKET_POOL_CHUNK_SHIFT) % PACKET_POOL_CLASSES;
}

/* Returns the packet with zeros in the members that have no meaning for a packet in flight and were never set. */
static struct transaction cleared(const struct transaction *packet) {
    struct transaction copy;
    memcpy(&copy, packet, sizeof copy);
    copy.bytes = TRANSACTION_OWN;
    copy.answered = false;
    copy.bytes_at = 0;
    memset(copy.unused, 0, sizeof copy.unused);
    if (!transaction_is_response(packet)) {
        copy.receiver = 0;
        copy.time = 0;
    }
    return copy;
}

static void put_arrivals(struct state_out *out, const struct mail *mail, const struct arrival *list, uint32_t count) {
    state_put_u64(out, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct transaction *transaction = mail_read(mail, &list[i]);
        const struct transaction copy = cleared(transaction);
        uint8_t class = (uint8_t)class_of(&list[i]);
        state_put(out, &list[i], sizeof list[i]);
        state_put(out, &class, sizeof class);
        state_put(out, &copy, sizeof copy);
        state_put(out, mail_bytes(mail, transaction), transaction_length(transaction));
    }
}

/* Writes the deferred transactions of a loosely timed tile, each with its data. */
static void put_deferred(struct state_out *out, const struct tile *tile) {
    const struct loose_mail *loose = &tile->mail.loose;
    uint8_t room[NOC_PACKET_MAX];
    state_put_u64(out, loose->count - loose->done);
    for (uint32_t i = loose->done; i < loose->count; i++) {
        const struct transaction *transaction = &loose->list[i];
        state_put(out, transaction, sizeof *transaction);
        state_put(out, loose_bytes(tile, i, transaction, room), transaction_length(transaction));
    }
}

static void put_list(struct state_out *out, const void *list, size_t size, uint32_t count) {
    state_put_u64(out, count);
    state_put(out, list, count * size);
}

static void put_mail(struct state_out *out, const struct mail *mail) {
    state_put_u64(out, mail->outbox.sent);
    state_put_u64(out, mail->from_others);
    put_arrivals(out, mail, mail->inbox.heap, mail->inbox.count);
    put_arrivals(out, mail, mail->outbox.list, mail->outbox.count);
    put_list(out, mail->fault, sizeof *mail->fault, mail->fault_count);
}

static void put_tile(struct state_out *out, bh_chip *chip, unsigned index) {
    const struct tile *tile = chip->tile[index];
    state_put_block(out, &tile_state, tile);
    put_mail(out, &tile->mail);
    put_deferred(out, tile);
    if (chip->touched[index])
        state_put_sparse(out, tile->l1, tile_l1_size(tile));
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (chip->staged[index] >> core & 1)
            state_put_sparse(out, chip->stage[index] + (size_t)core * CORE_LDM_MAX, CORE_LDM_MAX);
}

static void put_chunk(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size) {
    struct state_out *out = user;
    state_put_u64(out, bank);
    state_put_u64(out, address);
    state_put_sparse(out, bytes, size);
}

static void put_chip(struct state_out *out, bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    const struct inbox *leaving = departures_list(&x->leaving);
    state_put(out, chip->made, sizeof chip->made);
    state_put_block(out, &chip_state, chip);
    state_put_sparse(out, chip->arc.csm, ARC_CSM_SIZE);
    put_list(out, x->orphan, sizeof *x->orphan, x->orphan_count);
    put_list(out, x->warning, sizeof *x->warning, x->warning_count);
    put_mail(out, &x->mail);
    put_arrivals(out, &x->mail, leaving->heap, leaving->count);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (chip->made[i])
            put_tile(out, chip, i);
    dram_visit(&chip->dram, put_chunk, out);
    state_put_u64(out, DRAM_BANKS);
}

bh_status save_chip(bh_chip *chip, struct state_out *out) {
    struct head head = { .version = VERSION };
    const struct preamble preamble = preamble_of(chip);
    size_t start = out->count;
    for (unsigned i = 0; chip->unread && i < TOPOLOGY_TILES; i++)
        if (chip->unread->tile[i].at)
            (void)chip_made(chip, i);
    memcpy(head.magic, magic, sizeof magic);
    state_put(out, &head, sizeof head);
    state_put(out, &preamble, sizeof preamble);
    put_chip(out, chip);
    if (out->failed)
        return chip_fail(chip, BH_ERR_MEMORY, "no memory left for the saved state");
    head.size = out->count - start - sizeof head;
    head.checksum = mix_bytes(VERSION, out->bytes + start + sizeof head, head.size);
    memcpy(out->bytes + start, &head, sizeof head);
    return BH_OK;
}

/* ---- Packets -------------------------------------------------------------------------------------------- */

/* A packet without its data. */
struct packet {
    struct arrival arrival;
    struct transaction transaction;
    uint8_t class; /* size class of its block */
};

static bool is_possible(const struct packet *packet) {
    uint32_t length = transaction_length(&packet->transaction);
    return packet->class < PACKET_POOL_CLASSES && length <= NOC_PACKET_MAX &&
           packet_pool_class(length) <= packet->class &&
           packet->arrival.response == transaction_is_response(&packet->transaction) &&
           (packet->arrival.to < NOC_SITES ||
            (packet->arrival.to == NOC_NOWHERE && packet->transaction.to == NOC_NOWHERE));
}

static void get_packet(struct state_in *in, struct packet *packet) {
    state_get(in, &packet->arrival, sizeof packet->arrival);
    state_get(in, &packet->class, sizeof packet->class);
    state_get(in, &packet->transaction, sizeof packet->transaction);
    state_check(in, &arrival_state, &packet->arrival);
    state_check(in, &transaction_state, &packet->transaction);
    in->failed = in->failed || !is_possible(packet);
}

/* Reads a packet into a block of the chip's own packet pool. Returns false if there is no memory. */
static bool keep_packet(struct state_in *in, bh_chip *chip, struct packet *packet) {
    get_packet(in, packet);
    struct transaction *transaction =
        packet_pool_take(&chip->exchange.pool, UINT32_C(64) << 2 * packet->class, &packet->arrival.block);
    if (!transaction)
        return false;
    packet->arrival.pool = EXCHANGE_POOL;
    *transaction = packet->transaction;
    transaction->bytes = TRANSACTION_OWN;
    state_get(in, transaction_own(transaction), transaction_length(transaction));
    return true;
}

static bool get_inbox(struct state_in *in, bh_chip *chip, struct inbox *box) {
    bool good = true;
    for (uint64_t left = state_get_u64(in); left && good; left--) {
        struct packet packet;
        good = keep_packet(in, chip, &packet) && inbox_put(box, &packet.arrival);
    }
    return good;
}

static bool get_outbox(struct state_in *in, bh_chip *chip, struct outbox *box) {
    bool good = true;
    for (uint64_t left = state_get_u64(in); left && good; left--) {
        struct packet packet;
        good = keep_packet(in, chip, &packet) && outbox_put(box, packet.arrival);
    }
    return good;
}

static bool get_deferred(struct state_in *in, struct loose_mail *loose) {
    bool good = true;
    for (uint64_t left = state_get_u64(in); left && good; left--) {
        struct transaction transaction;
        uint8_t bytes[NOC_PACKET_MAX];
        state_get(in, &transaction, sizeof transaction);
        state_get(in, bytes, transaction_length(&transaction));
        good = loose_restore(loose, &transaction, bytes);
    }
    return good;
}

/* Reads a number and this many entries. Returns false if there is no memory. */
static bool get_list(struct state_in *in, void **list, size_t size, uint32_t *count, uint32_t *room) {
    uint64_t number = state_get_u64(in);
    *list = number ? malloc(number * size) : NULL;
    *count = *room = *list ? (uint32_t)number : 0;
    if (*list)
        state_get(in, *list, number * size);
    return *list || !number;
}

static bool get_mail(struct state_in *in, bh_chip *chip, struct mail *mail) {
    void *list = NULL;
    mail->outbox.sent = state_get_u64(in);
    mail->from_others = state_get_u64(in);
    bool good = get_inbox(in, chip, &mail->inbox) && mail_reserve(mail) && get_outbox(in, chip, &mail->outbox) &&
                get_list(in, &list, sizeof *mail->fault, &mail->fault_count, &mail->fault_room);
    mail->fault = list;
    return good;
}

/* ---- Checking ------------------------------------------------------------------------------------------- */

/* A pass over the bytes of a chip, which checks them. */
struct visit {
    struct state_in in;
    const bh_chip *chip; /* the chip to load into */
    bool made[TOPOLOGY_TILES], asleep[TOPOLOGY_TILES];
    bh_chip *saved;    /* scratch memory: the saved chip itself */
    struct tile *tile; /* scratch memory: the last tile that was read */
    const uint8_t *tiles_at, *dram_at;
    struct unread *unread;
};

static void refuse_unless(struct visit *v, bool possible) {
    v->in.failed = v->in.failed || !possible;
}

/* Checks packets and returns their number. site: the receiver of all of them; NOC_NOWHERE: any served tile; NOC_SITES:
 * any site. */
static uint64_t check_packets(struct visit *v, unsigned site) {
    uint64_t count = state_get_u64(&v->in);
    for (uint64_t left = count; left && !v->in.failed; left--) {
        struct packet packet;
        get_packet(&v->in, &packet);
        if (v->in.failed)
            break;
        unsigned to = packet.arrival.to;
        refuse_unless(v, site == NOC_SITES ||
                             (to < NOC_SITES &&
                              (site == NOC_NOWHERE ? v->chip->exchange.live_tile[to] == NOC_NOWHERE : to == site)));
        state_skip(&v->in, transaction_length(&packet.transaction));
    }
    return count;
}

static uint64_t check_deferred(struct visit *v) {
    uint64_t count = state_get_u64(&v->in);
    refuse_unless(v, !count || chip_is_loose(v->chip));
    for (uint64_t left = count; left && !v->in.failed; left--) {
        struct transaction transaction;
        state_get(&v->in, &transaction, sizeof transaction);
        state_check(&v->in, &transaction_state, &transaction);
        refuse_unless(v,
                      transaction.stage == TRANSACTION_REQUEST && transaction_length(&transaction) <= NOC_PACKET_MAX);
        if (!v->in.failed)
            state_skip(&v->in, transaction_length(&transaction));
    }
    return count;
}

/* Checks a number and this many entries against a table. Returns the number. */
static uint64_t check_list(struct visit *v, const struct state_table *table) {
    union {
        struct bh_fault fault;
        struct mail_fault mail_fault;
    } entry;
    uint64_t count = state_get_u64(&v->in);
    refuse_unless(v, count <= UINT32_MAX);
    for (uint64_t left = count; left && !v->in.failed; left--) {
        state_get(&v->in, &entry, table->size);
        state_check(&v->in, table, &entry);
    }
    return count;
}

/* Checks inbox and outbox. Returns whether they contain packets. */
static bool check_mail(struct visit *v, unsigned site) {
    uint64_t sent = state_get_u64(&v->in), from_others = state_get_u64(&v->in);
    refuse_unless(v, sent < UINT64_C(1) << ORDER_SITE_SHIFT && from_others <= 1);
    uint64_t count = check_packets(v, site);
    count += check_packets(v, NOC_SITES);
    count += check_list(v, &mail_fault_state);
    return count || from_others;
}

static bool bit_of(const uint64_t *mask, unsigned index) {
    return mask[index / 64] >> index % 64 & 1;
}

/* Returns whether the tile sleeps, according to the chip's own state. */
static bool is_quiet(const bh_chip *saved, unsigned index) {
    return !bit_of(saved->awake, index) && !bit_of(saved->queued, index) && !bit_of(saved->waiting, index) &&
           !bit_of(saved->held, index) && !saved->fresh_faults[index];
}

static unsigned count_waiting(const struct tile *tile) {
    unsigned count = 0;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        count += tile->core[i].state == BH_CORE_POLLING || tile->core[i].state == BH_CORE_BLOCKED;
    return count;
}

/* Returns whether the tile is consistent with its chip: cores that an Ethernet tile lacks are in reset, and its time is
 * possible. */
static bool fits(const struct visit *v, unsigned index) {
    v->tile->kind = index >= TOPOLOGY_TENSIX ? TILE_KIND_ETH : TILE_KIND_TENSIX;
    unsigned cores = tile_cores(v->tile);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (!(cores >> i & 1) && v->tile->core[i].state != BH_CORE_IN_RESET)
            return false;
    return v->tile->time <= v->saved->time + CHIP_EPOCH;
}

static void check_tile(struct visit *v, unsigned index) {
    struct unread_tile *unread = &v->unread->tile[index];
    size_t l1 = index >= TOPOLOGY_TENSIX ? (size_t)ETH_L1_SIZE : CORE_L1_SIZE;
    unread->at = v->in.at;
    state_get_block(&v->in, &tile_state, v->tile);
    if (v->in.failed || !fits(v, index)) {
        v->in.failed = true;
        return;
    }
    bool busy = check_mail(v, v->chip->exchange.tile_site[index]);
    busy |= check_deferred(v) != 0;
    if (v->saved->touched[index])
        state_skip_sparse(&v->in, l1);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (v->saved->staged[index] >> core & 1)
            state_skip_sparse(&v->in, CORE_LDM_MAX);
    unread->end = v->in.at;
    v->asleep[index] = !busy && is_quiet(v->saved, index) && v->tile->look_from == UINT64_MAX;
    unread->waiting = (uint8_t)count_waiting(v->tile);
    v->unread->count++;
}

static bool is_chunk(uint64_t address) {
    return address < DRAM_BANK_SIZE && address % (UINT64_C(1) << DRAM_CHUNK_SHIFT) == 0;
}

static void check_dram(struct visit *v) {
    for (;;) {
        uint64_t bank = state_get_u64(&v->in);
        if (v->in.failed || bank == DRAM_BANKS)
            return;
        refuse_unless(v, bank < DRAM_BANKS && is_chunk(state_get_u64(&v->in)));
        state_skip_sparse(&v->in, (size_t)1 << DRAM_CHUNK_SHIFT);
    }
}

/* Returns whether every tile that does not sleep is among the saved ones. */
static bool agrees(const struct visit *v) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (!v->made[i] && (!is_quiet(v->saved, i) || v->saved->touched[i] || v->saved->staged[i]))
            return false;
    return v->saved->only_tile >= TOPOLOGY_TILES || v->made[v->saved->only_tile];
}

static void check_made(struct visit *v) {
    uint8_t made[TOPOLOGY_TILES];
    state_get(&v->in, made, sizeof made);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        refuse_unless(v, made[i] <= 1);
        v->made[i] = made[i] == 1;
    }
}

static void check_chip(struct visit *v) {
    check_made(v);
    state_get_block(&v->in, &chip_state, v->saved);
    state_skip_sparse(&v->in, ARC_CSM_SIZE);
    check_list(v, &fault_state);
    check_list(v, &fault_state);
    check_mail(v, NOC_NOWHERE);
    check_packets(v, NOC_SITES);
    v->in.failed = v->in.failed || !agrees(v);
    for (unsigned i = 0; i < TOPOLOGY_TILES && !v->in.failed; i++)
        if (v->made[i])
            check_tile(v, i);
    v->dram_at = v->in.at;
    if (!v->in.failed)
        check_dram(v);
    refuse_unless(v, v->in.at == v->in.end);
}

/* ---- Reading -------------------------------------------------------------------------------------------- */

bool save_read_tile(bh_chip *chip, unsigned index) {
    struct unread_tile *unread = &chip->unread->tile[index];
    struct tile *tile = chip->tile[index];
    struct state_in in = { .at = unread->at, .end = unread->end, .fresh = true };
    *unread = (struct unread_tile){ 0 };
    state_get_block(&in, &tile_state, tile);
    tile_loaded(tile);
    bool good = get_mail(&in, chip, &tile->mail) && get_deferred(&in, &tile->mail.loose);
    if (tile->kind == TILE_KIND_ETH) /* L1 has the tile's firmware at power-on */
        memset(tile->l1, 0, tile_l1_size(tile));
    if (chip->touched[index])
        state_get_sparse(&in, tile->l1, tile_l1_size(tile));
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (chip->staged[index] >> core & 1)
            state_get_sparse(&in, chip->stage[index] + (size_t)core * CORE_LDM_MAX, CORE_LDM_MAX);
    if (--chip->unread->count == 0)
        save_forget(chip);
    return good;
}

void save_forget(bh_chip *chip) {
    if (chip->unread)
        save_bytes_free(&chip->unread->bytes);
    free(chip->unread);
    chip->unread = NULL;
}

static void get_dram(struct state_in *in, struct dram *dram) {
    for (uint64_t bank; (bank = state_get_u64(in)) < DRAM_BANKS;) {
        uint64_t address = state_get_u64(in);
        size_t size = (size_t)1 << DRAM_CHUNK_SHIFT;
        state_get_sparse(in, dram_fill(dram, (unsigned)bank, address, size), size);
    }
}

static bool get_faults(struct state_in *in, struct bh_fault **list, uint32_t *count, uint32_t *room) {
    void *at = NULL;
    bool good = get_list(in, &at, sizeof **list, count, room);
    *list = at;
    return good;
}

/* Reads the chip's own state. Clears ARC's memory first: at power-on it has the tables of its firmware. */
static bool get_chip(struct state_in *in, bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    state_skip(in, sizeof chip->made);
    state_get_block(in, &chip_state, chip);
    memset(chip->arc.csm, 0, ARC_USED);
    state_get_sparse(in, chip->arc.csm, ARC_CSM_SIZE);
    return get_faults(in, &x->orphan, &x->orphan_count, &x->orphan_room) &&
           get_faults(in, &x->warning, &x->warning_count, &x->warning_room) && get_mail(in, chip, &x->mail) &&
           get_inbox(in, chip, &x->leaving.others);
}

/* Reads the tiles that do not sleep, those that already exist because they are observed, and the only one of an epoch,
 * which goes on with it. An Ethernet tile that exists, and is not in the file, has its firmware in L1. */
static bool get_tiles(const struct visit *v, bh_chip *chip) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (!v->made[i] && chip->made[i])
            chip->touched[i] = i >= TOPOLOGY_TENSIX;
        if (!v->made[i] || (v->asleep[i] && !chip->made[i] && i != chip->only_tile))
            continue;
        if (!chip->made[i])
            chip_init_tile(chip, i);
        if (!save_read_tile(chip, i))
            return false;
    }
    return true;
}

static bh_status load(struct visit *v, bh_chip *chip, const uint8_t *start, const struct save_bytes *bytes) {
    struct state_in in = { .at = start, .end = v->in.end, .fresh = true },
                    dram = { .at = v->dram_at, .end = v->in.end };
    chip_reset(chip);
    chip->unread = v->unread;
    chip->unread->bytes = *bytes;
    v->unread = NULL;
    bool good = get_chip(&in, chip);
    get_dram(&dram, &chip->dram);
    if (good && get_tiles(v, chip)) {
        if (chip->unread && !chip->unread->count)
            save_forget(chip);
        if (chip->debug)
            chip_debug_again(chip);
        if (chip->hazards)
            chip_hazards_loaded(chip);
        return BH_OK;
    }
    chip_reset(chip);
    return chip_fail(chip, BH_ERR_MEMORY, "no memory left for the saved state; the chip has been reset");
}

/* ---- The whole ------------------------------------------------------------------------------------------ */

bool save_is_chip(const uint8_t *bytes, size_t size) {
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool save_is_broken(const bh_chip *chip) {
    return atomic_load_explicit(&chip->is_broken, memory_order_relaxed);
}

const char *save_inspect(const uint8_t *bytes, size_t size, struct saved_config *config) {
    struct preamble preamble;
    struct head head;
    if (size >= sizeof head && memcmp(bytes, (const char[8])SAVE_SYSTEM_MAGIC, sizeof magic) == 0)
        return "saved from a system of several chips, not from a single one";
    if (!save_is_chip(bytes, size) || size < sizeof head)
        return "no saved state of bhemu";
    memcpy(&head, bytes, sizeof head);
    if (head.version != VERSION)
        return "saved by another version of bhemu";
    if (head.size != size - sizeof head || head.size < sizeof preamble)
        return "cut off, or with something behind its end";
    if (head.checksum != mix_bytes(VERSION, bytes + sizeof head, head.size))
        return "damaged: its checksum is wrong";
    memcpy(&preamble, bytes + sizeof head, sizeof preamble);
    if (preamble.chip_layout != state_layout(&chip_state) || preamble.tile_layout != state_layout(&tile_state))
        return "saved by a build of bhemu whose state has another layout";
    *config = preamble.config;
    return NULL;
}

/* Returns the name of the first member in which two configurations differ; NULL if they are equal. */
static const char *differing(const struct saved_config *a, const struct saved_config *b) {
    return a->board != b->board                     ? "board"
           : a->tensix_harvest != b->tensix_harvest ? "tensix_harvest"
           : a->eth_harvest != b->eth_harvest       ? "eth_harvest"
           : a->dram_harvest != b->dram_harvest     ? "dram_harvest"
           : a->timing != b->timing                 ? "timing"
           : a->skew != b->skew                     ? "skew"
           : a->epoch != b->epoch                   ? "epoch"
                                                    : NULL;
}

static bh_status check_head(bh_chip *chip, const struct save_bytes *bytes) {
    struct saved_config config;
    const char *fault = save_inspect(bytes->at, bytes->size, &config);
    if (fault)
        return chip_fail(chip, BH_ERR_ARGUMENT, "%s", fault);
    const struct saved_config own = config_of(&chip->config);
    const char *member = differing(&config, &own);
    if (member)
        return chip_fail(chip, BH_ERR_STATE, "saved from a chip with another configuration: %s differs", member);
    return BH_OK;
}

static bh_status refuse(const struct visit *v) {
    const struct state_in *in = &v->in;
    if (!in->bad_table)
        return chip_fail(v->chip, BH_ERR_ARGUMENT, "the state does not fit together");
    if (!in->bad_member)
        return chip_fail(v->chip, BH_ERR_ARGUMENT, "the members of struct %s contradict each other",
                         in->bad_table->name);
    return chip_fail(v->chip, BH_ERR_ARGUMENT, "member %s of struct %s has an impossible value", in->bad_member->name,
                     in->bad_table->name);
}

/* Returns scratch memory with the alignment of tiles. */
static void *scratch(size_t size) {
    return aligned_alloc(_Alignof(struct tile),
                         (size + _Alignof(struct tile) - 1) / _Alignof(struct tile) * _Alignof(struct tile));
}

/* Checks the bytes and, if load_them is set, loads them. */
static bh_status visit(bh_chip *chip, const struct save_bytes *bytes, bool load_them, uint64_t *time, bool *taken) {
    bh_status status = check_head(chip, bytes);
    if (status != BH_OK)
        return status;
    const uint8_t *start = bytes->at + sizeof(struct head) + sizeof(struct preamble);
    struct visit v = {
        .in = { .at = start, .end = bytes->at + bytes->size, .scratch = true },
        .chip = chip,
        .saved = scratch(sizeof *chip),
        .tile = scratch(sizeof *v.tile),
        .unread = calloc(1, sizeof *v.unread),
    };
    if (!v.saved || !v.tile || !v.unread) {
        status = chip_fail(chip, BH_ERR_MEMORY, "no memory left for the saved state");
    } else {
        check_chip(&v);
        *time = v.saved->time;
        *taken = load_them && !v.in.failed;
        status = v.in.failed ? refuse(&v) : load_them ? load(&v, chip, start, bytes) : BH_OK;
    }
    free(v.saved);
    free(v.tile);
    free(v.unread);
    return status;
}

bh_status save_check(bh_chip *chip, const struct save_bytes *bytes, uint64_t *time) {
    bool taken = false;
    return visit(chip, bytes, false, time, &taken);
}

bh_status save_restore(bh_chip *chip, struct save_bytes *bytes) {
    uint64_t time;
    bool taken = false; /* the chip owns them now */
    bh_status status = visit(chip, bytes, true, &time, &taken);
    if (!taken)
        save_bytes_free(bytes);
    return status;
}
