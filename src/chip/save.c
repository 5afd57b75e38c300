/* Saving a chip to a file, and loading one.
 *
 * A file has a head, the configuration, the layouts of the tables of state (base/state.h), and then the chip: its own
 * state, each tile that is in use with its L1 and its packets, and the memories. Host threads, observers and callbacks
 * belong to the process. Packets are written with their bytes, wherever these are; a loaded packet has a block of its
 * own. The head has a checksum, and a number that changes with the meaning of what follows.
 */
#include "chip/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mix.h"
#include "chip/chip.h"

enum { VERSION = 1 };
static const char magic[8] = { 'B', 'H', 'E', 'M', 'U', 'S', 'A', 'V' };

struct head {
    char magic[8];
    uint64_t version;
    uint64_t size;     /* of what follows the head */
    uint64_t checksum; /* of it */
};

/* The part of bh_config that state depends on, in whole words. */
struct saved_config {
    uint64_t board, tensix_harvest, eth_harvest, dram_harvest, timing, skew, epoch;
};

struct preamble {
    struct saved_config config;
    uint64_t chip_layout, tile_layout;
};

/* ---- Tables --------------------------------------------------------------------------------------------- */

#define SAVED(member)  STATE_SAVED(struct exchange, member)
#define WIRING(member) STATE_WIRING(struct exchange, member)
/* The lists of faults and the mail are written one by one. */
static const struct state_member exchange_members[] = {
    WIRING(grid),     WIRING(live_tile),     WIRING(tile_site),    WIRING(mail),
    WIRING(pool),     SAVED(link),           SAVED(tile_link),     SAVED(busy),
    SAVED(next_held), WIRING(orphan),        WIRING(orphan_count), WIRING(orphan_room),
    WIRING(warning),  WIRING(warning_count), WIRING(warning_room), WIRING(pools),
};
#undef SAVED
#undef WIRING
static const struct state_table exchange_state = STATE_TABLE("exchange", struct exchange, exchange_members);

static const struct state_member arc_members[] = {
    STATE_SAVED(struct arc, scratch), STATE_SAVED(struct arc, scratch_ram),  STATE_SAVED(struct arc, misc_control),
    STATE_SAVED(struct arc, aiclk),   STATE_SAVED(struct arc, forced_aiclk), STATE_SAVED(struct arc, busy),
    STATE_SAVED(struct arc, refclk),  STATE_SAVED(struct arc, refclk_time),  STATE_WIRING(struct arc, csm),
};
static const struct state_table arc_state = STATE_TABLE("arc", struct arc, arc_members);

#define SAVED(member)   STATE_SAVED(struct bh_chip, member)
#define DERIVED(member) STATE_DERIVED(struct bh_chip, member)
#define WIRING(member)  STATE_WIRING(struct bh_chip, member)
static const struct state_member chip_members[] = {
    SAVED(time),
    SAVED(idle),
    SAVED(unsettled),
    SAVED(awake),
    SAVED(fault_pending),
    WIRING(is_broken),
    SAVED(in_epoch),
    SAVED(open_ended_epoch),
    SAVED(only_tile),
    SAVED(epoch_end),
    SAVED(run_end),
    SAVED(quiet_since),
    SAVED(running_cores),
    SAVED(due),
    DERIVED(coming),
    SAVED(queued),
    SAVED(waiting),
    SAVED(held),
    WIRING(config),
    WIRING(topology),
    WIRING(small_index),
    WIRING(pcie_small),
    SAVED(pcie),
    STATE_INNER(struct bh_chip, arc, &arc_state),
    SAVED(small_niu),
    WIRING(dram),
    STATE_INNER(struct bh_chip, exchange, &exchange_state),
    SAVED(fresh_faults),
    WIRING(made),
    SAVED(touched),
    SAVED(staged),
    WIRING(error),
    WIRING(message),
    SAVED(muted),
    SAVED(arrival),
    WIRING(refusal),
    WIRING(texts),
    WIRING(arena),
    WIRING(arena_size),
    WIRING(tile),
    WIRING(stage),
    WIRING(packet_pool),
    WIRING(observers),
    WIRING(on_event),
    WIRING(event_user),
    WIRING(threads),
    WIRING(pool),
    DERIVED(short_epochs),
    DERIVED(pace),
};
const struct state_table chip_state = STATE_TABLE("bh_chip", struct bh_chip, chip_members);

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

/* ---- Packets -------------------------------------------------------------------------------------------- */

static unsigned class_of(const struct arrival *arrival) {
    return (arrival->block >> PACKET_POOL_CHUNK_SHIFT) % PACKET_POOL_CLASSES;
}

static void put_arrivals(struct state_out *out, const struct mail *mail, const struct arrival *list, uint32_t count) {
    state_put_u64(out, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct transaction *transaction = mail_read(mail, &list[i]);
        uint8_t class = (uint8_t)class_of(&list[i]);
        state_put(out, &list[i], sizeof list[i]);
        state_put(out, &class, sizeof class);
        state_put(out, transaction, sizeof *transaction);
        state_put(out, mail_bytes(mail, transaction), transaction_length(transaction));
    }
}

/* What a loosely timed tile has put off, each with the bytes that it carries. */
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

static void put_mail(struct state_out *out, const struct mail *mail) {
    state_put_u64(out, mail->outbox.sent);
    state_put_u64(out, mail->from_others);
    put_arrivals(out, mail, mail->inbox.heap, mail->inbox.count);
    put_arrivals(out, mail, mail->outbox.list, mail->outbox.count);
    state_put_u64(out, mail->fault_count);
    state_put(out, mail->fault, mail->fault_count * sizeof *mail->fault);
}

/* A block of the chip's own store for a transaction of this class. NULL: no memory, or there is no such class. */
static struct transaction *new_transaction(struct bh_chip *chip, unsigned class, uint32_t *block) {
    return class < PACKET_POOL_CLASSES ? packet_pool_take(&chip->exchange.pool, UINT32_C(64) << 2 * class, block)
                                       : NULL;
}

static bool is_possible(const struct transaction *transaction) {
    const struct noc_request *request = &transaction->request;
    return request->kind <= NOC_KIND_ATOMIC && transaction_length(transaction) <= NOC_PACKET_MAX;
}

static bool may_arrive(const struct arrival *arrival, const struct transaction *transaction, unsigned class) {
    return (arrival->to < NOC_SITES || arrival->to == NOC_NOWHERE) && arrival->noc < 2 && is_possible(transaction) &&
           packet_pool_class(transaction_length(transaction)) <= class;
}

static bool get_arrival(struct state_in *in, struct bh_chip *chip, struct arrival *arrival) {
    uint8_t class;
    state_get(in, arrival, sizeof *arrival);
    state_get(in, &class, sizeof class);
    struct transaction *transaction = new_transaction(chip, class, &arrival->block);
    if (!transaction)
        return false;
    arrival->pool = EXCHANGE_POOL;
    state_get(in, transaction, sizeof *transaction);
    if (in->failed || !may_arrive(arrival, transaction, class))
        return false;
    transaction->bytes = TRANSACTION_OWN;
    state_get(in, transaction_own(transaction), transaction_length(transaction));
    return !in->failed;
}

static void get_inbox(struct state_in *in, struct bh_chip *chip, struct inbox *box) {
    struct arrival arrival;
    for (uint64_t left = state_get_u64(in); left && !in->failed; left--)
        in->failed = !get_arrival(in, chip, &arrival) || !inbox_put(box, &arrival);
}

static void get_outbox(struct state_in *in, struct bh_chip *chip, struct outbox *box) {
    struct arrival arrival;
    for (uint64_t left = state_get_u64(in); left && !in->failed; left--)
        in->failed = !get_arrival(in, chip, &arrival) || !outbox_put(box, arrival);
}

static void get_deferred(struct state_in *in, struct loose_mail *loose) {
    for (uint64_t left = state_get_u64(in); left && !in->failed; left--) {
        struct transaction transaction;
        uint8_t bytes[NOC_PACKET_MAX];
        state_get(in, &transaction, sizeof transaction);
        in->failed = in->failed || !is_possible(&transaction);
        if (!in->failed)
            state_get(in, bytes, transaction_length(&transaction));
        in->failed = in->failed || !loose_restore(loose, &transaction, bytes);
    }
}

/* Entries of this size, written after their number. */
static void *get_list(struct state_in *in, size_t size, uint32_t *count, uint32_t *room) {
    uint64_t number = state_get_u64(in);
    *count = *room = 0;
    if (in->failed || number > (uint64_t)(in->end - in->at) / size) {
        in->failed = true;
        return NULL;
    }
    void *list = number ? malloc(number * size) : NULL;
    if (number && !list) {
        in->failed = true;
        return NULL;
    }
    *count = *room = (uint32_t)number;
    if (list)
        state_get(in, list, number * size);
    return list;
}

static void get_mail(struct state_in *in, struct bh_chip *chip, struct mail *mail) {
    mail->outbox.sent = state_get_u64(in);
    mail->from_others = state_get_u64(in);
    get_inbox(in, chip, &mail->inbox);
    get_outbox(in, chip, &mail->outbox);
    mail->fault = get_list(in, sizeof *mail->fault, &mail->fault_count, &mail->fault_room);
}

/* ---- Tiles ---------------------------------------------------------------------------------------------- */

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

static void get_tile(struct state_in *in, bh_chip *chip, unsigned index) {
    struct tile *tile = chip->tile[index];
    state_get_block(in, &tile_state, tile);
    tile_loaded(tile);
    get_mail(in, chip, &tile->mail);
    get_deferred(in, &tile->mail.loose);
    if (tile->kind == TILE_KIND_ETH) /* its firmware is there from power-on */
        memset(tile->l1, 0, tile_l1_size(tile));
    if (chip->touched[index])
        state_get_sparse(in, tile->l1, tile_l1_size(tile));
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (chip->staged[index] >> core & 1)
            state_get_sparse(in, chip->stage[index] + (size_t)core * CORE_LDM_MAX, CORE_LDM_MAX);
}

/* ---- DRAM ----------------------------------------------------------------------------------------------- */

static void put_chunk(void *user, unsigned bank, uint64_t address, const uint8_t *bytes, size_t size) {
    struct state_out *out = user;
    state_put_u64(out, bank);
    state_put_u64(out, address);
    state_put_u64(out, size);
    state_put_sparse(out, bytes, size);
}

static void put_dram(struct state_out *out, const struct dram *dram) {
    dram_visit(dram, put_chunk, out);
    state_put_u64(out, DRAM_BANKS);
}

static void get_dram(struct state_in *in, struct dram *dram) {
    for (;;) {
        uint64_t bank = state_get_u64(in);
        if (bank >= DRAM_BANKS || in->failed)
            return;
        uint64_t address = state_get_u64(in), size = state_get_u64(in);
        if (!dram_holds(address, size)) {
            in->failed = true;
            return;
        }
        state_get_sparse(in, dram_fill(dram, (unsigned)bank, address, size), size);
    }
}

/* ---- The whole ------------------------------------------------------------------------------------------ */

static void put_faults(struct state_out *out, const struct bh_fault *list, uint32_t count) {
    state_put_u64(out, count);
    state_put(out, list, count * sizeof *list);
}

static void put_chip(struct state_out *out, bh_chip *chip) {
    const struct exchange *x = &chip->exchange;
    state_put(out, chip->made, sizeof chip->made);
    state_put_block(out, &chip_state, chip);
    state_put_sparse(out, chip->arc.csm, ARC_CSM_SIZE);
    put_faults(out, x->orphan, x->orphan_count);
    put_faults(out, x->warning, x->warning_count);
    put_mail(out, &x->mail);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (chip->made[i])
            put_tile(out, chip, i);
    put_dram(out, &chip->dram);
}

/* ARC's memory has its firmware's tables from power-on. */
static void get_chip(struct state_in *in, bh_chip *chip) {
    struct exchange *x = &chip->exchange;
    bool made[TOPOLOGY_TILES];
    state_get(in, made, sizeof made);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (made[i])
            (void)chip_made(chip, i);
    state_get_block(in, &chip_state, chip);
    memset(chip->arc.csm, 0, ARC_CSM_SIZE);
    state_get_sparse(in, chip->arc.csm, ARC_CSM_SIZE);
    x->orphan = get_list(in, sizeof *x->orphan, &x->orphan_count, &x->orphan_room);
    x->warning = get_list(in, sizeof *x->warning, &x->warning_count, &x->warning_room);
    get_mail(in, chip, &x->mail);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
        if (made[i])
            get_tile(in, chip, i);
    get_dram(in, &chip->dram);
}

bh_status save_chip(bh_chip *chip, struct state_out *out) {
    struct head head = { .version = VERSION };
    const struct preamble preamble = preamble_of(chip);
    size_t start = out->count;
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

/* What is wrong with the bytes, in words; NULL: nothing. */
static const char *find_fault(const uint8_t *bytes, size_t size, struct preamble *preamble) {
    struct head head;
    if (size < sizeof head || memcmp(bytes, magic, sizeof magic) != 0)
        return "no saved state of bhemu";
    memcpy(&head, bytes, sizeof head);
    if (head.version != VERSION)
        return "saved by another version of bhemu";
    if (head.size != size - sizeof head || head.size < sizeof *preamble)
        return "cut off, or with something behind its end";
    if (head.checksum != mix_bytes(VERSION, bytes + sizeof head, head.size))
        return "damaged: its checksum is wrong";
    memcpy(preamble, bytes + sizeof head, sizeof *preamble);
    if (preamble->chip_layout != state_layout(&chip_state) || preamble->tile_layout != state_layout(&tile_state))
        return "saved by a build of bhemu whose state has another layout";
    return NULL;
}

/* The member in which two configurations differ; NULL: none. */
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

bh_status save_restore(bh_chip *chip, const uint8_t *bytes, size_t size) {
    struct preamble preamble;
    const char *fault = find_fault(bytes, size, &preamble);
    if (fault)
        return chip_fail(chip, BH_ERR_ARGUMENT, "%s", fault);
    const struct saved_config own = config_of(&chip->config);
    const char *member = differing(&preamble.config, &own);
    if (member)
        return chip_fail(chip, BH_ERR_STATE, "saved from a chip with another configuration: %s differs", member);
    chip_reset(chip);
    struct state_in in = { .at = bytes + sizeof(struct head) + sizeof preamble, .end = bytes + size };
    get_chip(&in, chip);
    chip->texts = in.texts;
    if (!in.failed && in.at == in.end)
        return BH_OK;
    chip_reset(chip);
    return chip_fail(chip, BH_ERR_ARGUMENT, "the state does not fit together; the chip has been reset");
}

/* ---- Files ---------------------------------------------------------------------------------------------- */

/* Prefixes the chip's message with the name of the file. */
static bh_status name_file(const bh_chip *chip, bh_status status, const char *path) {
    char why[CHIP_MESSAGE_SIZE];
    if (status == BH_OK)
        return status;
    memcpy(why, chip->message, sizeof why);
    return chip_fail(chip, status, "%.200s: %.100s", path, why);
}

static bool write_file(const char *path, const struct state_out *out) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(out->bytes, 1, out->count, file) == out->count;
    return (fclose(file) == 0) & written;
}

/* A file that was there stays as it was unless all has been written. */
static bh_status put_file(const bh_chip *chip, const char *path, const struct state_out *out) {
    size_t size = strlen(path) + sizeof ".part";
    char *part = malloc(size);
    if (!part)
        return chip_fail(chip, BH_ERR_MEMORY, "no memory left for the saved state");
    snprintf(part, size, "%s.part", path);
    bool ok = write_file(part, out) && rename(part, path) == 0;
    int error = errno;
    if (!ok)
        (void)remove(part);
    free(part);
    return ok ? BH_OK : chip_fail(chip, BH_ERR_FILE, "cannot be written: %s", strerror(error));
}

bh_status bh_save(bh_chip *chip, const char *path) {
    struct state_out out = { 0 };
    if (!chip || !path)
        return chip_null(chip, "path");
    if (atomic_load_explicit(&chip->is_broken, memory_order_relaxed))
        return chip_fail(chip, BH_ERR_STATE, "%.200s: a chip with an internal error is not saved", path);
    bh_status status = save_chip(chip, &out);
    if (status == BH_OK)
        status = put_file(chip, path, &out);
    free(out.bytes);
    return name_file(chip, status, path);
}

/* A file in memory; size 0: it cannot be read, errno says why. */
struct mapped {
    uint8_t *bytes;
    size_t size;
};

static struct mapped map_file(const char *path) {
    struct mapped none = { 0 };
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return none;
    void *at = fstat(file, &info) == 0 && info.st_size > 0
                   ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0)
                   : MAP_FAILED;
    int error = info.st_size > 0 ? errno : EINVAL;
    (void)close(file);
    errno = error;
    return at == MAP_FAILED ? none : (struct mapped){ at, (size_t)info.st_size };
}

bh_status bh_load(bh_chip *chip, const char *path) {
    if (!chip || !path)
        return chip_null(chip, "path");
    struct mapped file = map_file(path);
    if (!file.size)
        return chip_fail(chip, BH_ERR_FILE, "%.200s: cannot be read: %s", path, strerror(errno));
    bh_status status = save_restore(chip, file.bytes, file.size);
    (void)munmap(file.bytes, file.size);
    return name_file(chip, status, path);
}

bh_status bh_saved_config(const char *path, struct bh_config *config, char *message, size_t size) {
    struct preamble preamble;
    if (!path || !config)
        return BH_ERR_ARGUMENT;
    struct mapped file = map_file(path);
    const char *fault = file.size ? find_fault(file.bytes, file.size, &preamble) : strerror(errno);
    if (fault && message)
        snprintf(message, size, "%s: %s", path, fault);
    if (!file.size)
        return BH_ERR_FILE;
    (void)munmap(file.bytes, file.size);
    if (fault)
        return BH_ERR_ARGUMENT;
    config->board = (enum bh_board)preamble.config.board;
    config->tensix_harvest = (uint16_t)preamble.config.tensix_harvest;
    config->eth_harvest = (uint16_t)preamble.config.eth_harvest;
    config->dram_harvest = (uint8_t)preamble.config.dram_harvest;
    config->timing = (enum bh_timing)preamble.config.timing;
    config->skew = (unsigned)preamble.config.skew;
    config->epoch = (unsigned)preamble.config.epoch;
    return BH_OK;
}
