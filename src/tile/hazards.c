/* Reports of a tile to the search for hazards: see hazards.h. Accesses to local memories and to the host's memory are
 * not reported. */
#include "tile/hazards.h"

#include <string.h>

#include "base/bits.h"
#include "isa/overlay.h"
#include "riscv/access.h"
#include "tensix/clock.h"
#include "tile/tile.h"

void tile_find_hazards(struct tile *tile, struct hazard_tile *hazards) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        tile->core[i].reports =
            (uint8_t)((tile->core[i].reports & ~CORE_REPORTS_HAZARDS) | (hazards ? CORE_REPORTS_HAZARDS : 0));
    if (hazards)
        hazards->l1 = tile->l1;
    tile->tensix.hazards = hazards;
    clock_end_handler_only(&tile->tensix, 0);
    tile->mail.hazards = hazards;
}

void tile_hazards_note_cores(struct tile *tile) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (tile->core[core].state != BH_CORE_IN_RESET)
            hazard_core_started(tile->mail.hazards, core, tile_first_pc(tile, core));
}

void tile_hazards_begin(struct tile *tile, bool is_new) {
    hazard_begin_counts(tile->mail.hazards, is_new);
    tile_hazards_note_cores(tile);
}

void tile_hazards_end_cores(struct tile *tile) {
    for (unsigned core = 0; core < BH_CORE_COUNT; core++)
        if (tile->core[core].state != BH_CORE_IN_RESET)
            hazard_core_stopped(tile->mail.hazards, core, tile->time);
}

/* ---- Registers --------------------------------------------------------------------------------------------------- */

_Static_assert((int)NIU_INITIATORS == (int)HAZARD_COMMAND_BUFFERS, "an initiator is a command buffer");

/* Records that a core has read a register that shows which command buffers are free. */
static void see_free(struct hazard_tile *h, unsigned core, const struct niu *niu, unsigned noc, unsigned buffers) {
    for (unsigned i = 0; i < NIU_INITIATORS; i++)
        if ((buffers & ~(unsigned)niu->busy) >> i & 1)
            hazard_core_saw_command_taken(h, core, noc, i);
}

static void read_counter(struct hazard_tile *h, unsigned core, unsigned noc, uint32_t offset) {
    unsigned counter = (offset % NIU_BLOCK - NIU_COUNTERS_AT) / 4;
    if (offset % NIU_BLOCK < NIU_COUNTERS_AT || counter >= NIU_SLV_ATOMIC_RESP_SENT)
        return;
    switch (counter) {
    case NIU_WR_ACK_RECEIVED:
        hazard_core_counted(h, core, noc, HAZARD_WRITE);
        hazard_core_counted_left(h, core, noc, HAZARD_WRITE_SOURCE);
        break;
    case NIU_RD_RESP_RECEIVED:
        for (unsigned id = 0; id < HAZARD_NOC_IDS; id++)
            hazard_core_counted(h, core, noc, HAZARD_READ + id);
        break;
    case NIU_ATOMIC_RESP_RECEIVED: hazard_core_counted(h, core, noc, HAZARD_ATOMIC); break;
    case NIU_WR_REQ_SENT: hazard_core_counted_left(h, core, noc, HAZARD_WRITE_SOURCE); break;
    case NIU_WR_REQ_SENT + 1: hazard_core_counted_left(h, core, noc, HAZARD_POSTED_SOURCE); break;
    default: break;
    }
    if (counter >= NIU_OUTGOING) {
        hazard_core_counted_left(h, core, noc, HAZARD_WRITE_SOURCE);
        hazard_core_counted_left(h, core, noc, HAZARD_POSTED_SOURCE);
    } else if (counter >= NIU_OUTSTANDING) {
        hazard_core_counted(h, core, noc, HAZARD_READ + (counter - NIU_OUTSTANDING));
        hazard_core_counted(h, core, noc, HAZARD_WRITE);
        hazard_core_counted(h, core, noc, HAZARD_ATOMIC);
    }
}

/* The counters of requests that the NIU has accepted, begun or sent show that command buffers are free. */
static void read_niu(const struct tile *tile, unsigned core, unsigned noc, uint32_t offset) {
    enum { ALL = (1 << NIU_INITIATORS) - 1, FIRST = NIU_CMD_ACCEPTED, LAST = NIU_ATOMIC_STARTED };
    struct hazard_tile *h = tile->mail.hazards;
    uint32_t at = offset % NIU_BLOCK;
    bool taken = at >= NIU_COUNTERS_AT + 4 * FIRST && at <= NIU_COUNTERS_AT + 4 * LAST;
    unsigned buffers = at == NIU_CMD_CTRL ? 1u << offset / NIU_BLOCK : taken ? ALL : 0;
    see_free(h, core, &tile->niu[noc], noc, buffers);
    read_counter(h, core, noc, offset);
}

/* Reports a store that a core is about to make to a register of a NIU. With FIFOs the NIU has its own copy of each
 * request, and the registers may change at any time. */
static void write_niu(const struct tile *tile, unsigned core, unsigned noc, uint32_t offset, uint32_t value) {
    unsigned buffer = offset / NIU_BLOCK;
    uint32_t at = offset % NIU_BLOCK;
    bool is_register = at < 4 * NIU_WORDS || (at == NIU_CMD_CTRL && value & 1);
    if (is_register && buffer < NIU_INITIATORS && !niu_has_fifos(&tile->niu[noc]))
        hazard_core_sets_command(tile->mail.hazards, core, noc, buffer);
}

/* A TRISC accesses the GPRs of its own thread, BRISC those of all threads. */
static void access_gpr(struct hazard_tile *h, unsigned core, uint32_t offset, bool writes, uint32_t value) {
    unsigned index = offset / 4 % (BH_THREADS * HAZARD_GPRS);
    unsigned thread = tensix_has_thread(core) ? core - BH_TRISC0 : index / HAZARD_GPRS;
    hazard_core_register(h, core, HAZARD_GPR, hazard_gpr(thread, index % HAZARD_GPRS), SHADOW_WORD, writes, value);
}

/* The two banks of Config come first in the region; registers after them are not checked. */
static void access_config(struct hazard_tile *h, unsigned core, uint32_t offset, bool writes, uint32_t value) {
    unsigned word = offset / 4;
    if (word < 2 * CONFIG_WORDS)
        hazard_core_register(h, core, HAZARD_CONFIG_BANKS, hazard_config(word / CONFIG_WORDS, word % CONFIG_WORDS, 0),
                             32 * SHADOW_WORD, writes, value);
}

/* The instructions from a load to the branch that tests the value. Compilers put instructions between the two that
 * narrow the value to its type. */
struct decision {
    struct rv_insn insn[4]; /* the last one is the branch */
    unsigned count;         /* 0: there is no branch */
};

static bool narrows(enum rv_id id) {
    return id == RV_ANDI || id == RV_ADDI || id == RV_SLTIU || id == RV_XORI;
}

static struct decision decision_at(const struct core *core, uint32_t pc) {
    struct decision d = { .count = 0 };
    for (unsigned i = 0; i < sizeof d.insn / sizeof *d.insn; i++, pc += 4) {
        enum rv_id id = pc < core->l1_limit[0] ? rv_decode(core_word(core, pc), &d.insn[i]) : RV_NONE;
        if (id != RV_NONE && rv_row(id)->class == RV_CLASS_BRANCH)
            d.count = i + 1;
        if (id == RV_NONE || !narrows(id))
            break;
    }
    return d;
}

/* Returns whether the branch would be taken if the load into rd had returned this value. */
static bool is_taken(const struct decision *d, const struct core *core, unsigned rd, uint32_t value) {
    uint32_t x[32];
    memcpy(x, core->x, sizeof x);
    x[rd] = value;
    for (unsigned i = 0; i + 1 < d->count; i++) {
        const struct rv_insn *insn = &d->insn[i];
        uint32_t a = insn->rs1 ? x[insn->rs1] : 0, b = (uint32_t)insn->imm;
        x[insn->rd] = insn->id == RV_ANDI ? a & b : insn->id == RV_ADDI ? a + b : insn->id == RV_XORI ? a ^ b : a < b;
    }
    const struct rv_insn *branch = &d->insn[d->count - 1];
    return core_branches(branch->id, branch->rs1 ? x[branch->rs1] : 0, branch->rs2 ? x[branch->rs2] : 0);
}

/* Reports that a core has just read a semaphore into a register. What the core then knows is not the value itself, but
 * the range of values with which it would have gone on in the same way. If a branch back follows, the core polls: the
 * range is the values with which the branch is not taken. If a branch forward follows, as in an assertion, the range is
 * the values around this one with which the branch goes the same way. Without a branch it is this value only. */
static void saw_semaphore(struct hazard_tile *h, const struct core *core, unsigned semaphore) {
    enum { TOP = 15 };
    const struct hazard_semaphore *s = &h->semaphore[semaphore];
    unsigned rd = core_word(core, core->pc) >> 7 & 31, now = (unsigned)(s->up.count - s->down.count);
    unsigned least = TOP + 1, most = 0;
    const struct decision d = decision_at(core, core->pc + 4);
    bool polls = d.count && d.insn[d.count - 1].imm < 0;
    bool way = d.count && !polls && is_taken(&d, core, rd, now);
    for (unsigned value = 0; d.count && value <= TOP; value++) {
        if (is_taken(&d, core, rd, value) == way) {
            least = value < least ? value : least;
            most = value;
        } else if (!polls && value < now) {
            least = TOP + 1;
        } else if (!polls) {
            break;
        }
    }
    bool depends = least <= TOP && (least > 0 || most < TOP);
    hazard_core_saw_semaphore(h, core->id, semaphore, depends ? least : now, depends ? most : now);
}

/* A load that the core's own cache serves is not an access to L1 unless L1 holds other bytes. A core that polls such a
 * word reads it until the line is dropped, which is not a hazard. */
static void load_l1(struct hazard_tile *h, const struct core *core, uint32_t address, uint32_t size) {
    const uint8_t *kept = core->caches ? l0_find(&core->l0, address) : NULL;
    if (kept && size <= L0_LINE - address % L0_LINE && memcmp(kept, core->l1 + address, size) != 0)
        hazard_core_loads_stale(h, core->id, address, size);
    else
        hazard_core_loads(h, core->id, address, size);
}

/* Returns the size in bytes of an element that a vector instruction loads or stores; the width of an index does not
 * matter. */
static unsigned element_size(const struct core *core, uint32_t word) {
    bool indexed = word >> 26 & 1;
    unsigned width = word >> 12 & 3;
    return 1u << (indexed ? core->vec.vtype >> 3 & 3 : width);
}

/* Names the core's instruction again, because other agents may have reported something since the instruction began. */
static void name_again(struct hazard_tile *h, const struct core *core) {
    h->pc = core->pc;
    h->word = core_word(core, core->pc);
    h->now = core_time(core);
}

void tile_hazards_loaded(void *owner, const struct core *by, uint32_t address) {
    const struct tile *tile = owner;
    struct hazard_tile *h = tile->mail.hazards;
    unsigned core = by->id;
    name_again(h, by);
    const struct memmap_region *region = tile_region(tile, address, core);
    uint32_t offset = region ? address - region->base : 0;
    if (!region)
        return;
    switch ((int)region->kind) {
    case MEMMAP_NIU: read_niu(tile, core, region->unit, offset); break;
    case MEMMAP_SEMAPHORE:
        if (offset / 4 < HAZARD_SEMAPHORES)
            saw_semaphore(h, by, offset / 4);
        break;
    case MEMMAP_MAILBOX:
        if (!(address & 4))
            hazard_message_read(h, region->unit, core);
        break;
    case MEMMAP_PCBUF_T: hazard_message_read(h, BH_BRISC, core); break;
    case MEMMAP_TTSYNC:
        if (offset == 0)
            hazard_core_synced(h, core, core - BH_TRISC0);
        else
            hazard_core_awaited_mop(h, core, core - BH_TRISC0);
        break;
    case MEMMAP_OVERLAY: hazard_stream_read(h, core, offset); break;
    case MEMMAP_GPR: access_gpr(h, core, offset, false, 0); break;
    case MEMMAP_CFG: access_config(h, core, offset, false, 0); break;
    case MEMMAP_L1: load_l1(h, by, address, element_size(by, h->word)); break;
    default: break;
    }
}

void tile_hazards_stored(void *owner, const struct core *by, uint32_t address, uint32_t value) {
    const struct tile *tile = owner;
    struct hazard_tile *h = tile->mail.hazards;
    unsigned core = by->id;
    name_again(h, by);
    const struct memmap_region *region = tile_region(tile, address, core);
    uint32_t offset = region ? address - region->base : 0;
    if (!region)
        return;
    switch ((int)region->kind) {
    case MEMMAP_SEMAPHORE:
        if (offset / 4 < HAZARD_SEMAPHORES)
            hazard_core_posts(h, core, offset / 4, !(value & 1));
        break;
    case MEMMAP_MAILBOX: hazard_message_sent(h, core, region->unit); break;
    case MEMMAP_PCBUF_B: hazard_message_sent(h, core, BH_TRISC0 + region->unit); break;
    case MEMMAP_OVERLAY: {
        struct hazard_actor actor = hazard_core_as(h, core, HAZARD_CORE);
        actor.knows = hazard_core_clock(h, core);
        hazard_stream_written(h, offset, value, &actor);
        break;
    }
    case MEMMAP_MOP: hazard_core_sets_mop(h, core, core - BH_TRISC0); break;
    case MEMMAP_GPR: access_gpr(h, core, offset, true, value); break;
    case MEMMAP_CFG: access_config(h, core, offset, true, value); break;
    case MEMMAP_L1: hazard_core_stored(h, core, address, element_size(by, h->word), value); break;
    default: break;
    }
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

enum { FENCE = 0x0F, SYSTEM = 0x73 };

/* A store to a busy command buffer is undefined and stops the core, so it is reported before it is made. */
static void about_to_store(const struct tile *tile, unsigned core, uint32_t address, uint32_t value) {
    const struct memmap_region *region = tile_region(tile, address, core);
    if (region && region->kind == MEMMAP_NIU)
        write_niu(tile, core, region->unit, address - region->base, value);
}

/* Vector loads and stores report each element when they access it. */
void tile_hazards_step(void *owner, const struct core *core, uint32_t pc, uint64_t time) {
    const struct tile *tile = owner;
    struct hazard_tile *h = tile->mail.hazards;
    uint32_t word = core_word(core, pc);
    struct core_access access = core_access_of(core, word);
    bool in_l1 = access.address < core->l1_limit[0];
    hazard_core_step(h, core->id, pc, word, time);
    if (access.how == BH_ACCESS_READ && in_l1)
        load_l1(h, core, access.address, access.size);
    if (access.how == BH_ACCESS_WRITE && in_l1)
        hazard_core_stores(h, core->id, access.address, access.size, access.stored);
    if (access.how == BH_ACCESS_WRITE && !in_l1)
        about_to_store(tile, core->id, access.address, access.stored);
    if (access.how == (BH_ACCESS_READ | BH_ACCESS_WRITE))
        hazard_core_changes(h, core->id, access.address);
    switch (word & 0x7F) {
    case FENCE: hazard_core_fences(h, core->id); break;
    case SYSTEM:
        if (!(word >> 12 & 7) && word >> 20 <= 1) /* ecall and ebreak */
            hazard_core_ends(h, core->id);
        break;
    default: break;
    }
}

/* ---- Packets ----------------------------------------------------------------------------------------------------- */

static unsigned agent_of(const struct noc_request *request) {
    switch (request->kind) {
    case NOC_KIND_READ: return HAZARD_READ + request->id;
    case NOC_KIND_ATOMIC: return HAZARD_ATOMIC;
    default: return request->marked ? HAZARD_WRITE : HAZARD_POSTED;
    }
}

/* Returns the channel of a request: NoC, virtual channel (8: the NoC chooses one) and receivers, as one number. */
static uint32_t channel_of(const struct noc_request *request) {
    const struct noc_area *area = &request->area;
    uint32_t to = request->target, vc = request->static_vc ? request->vc & 7u : 8;
    if (request->multicast)
        to = (uint32_t)area->start_x << 15 | (uint32_t)area->start_y << 10 | (uint32_t)area->end_x << 5 | area->end_y;
    return UINT32_C(1) << 31 | (uint32_t)request->noc << 30 | vc << 26 | to;
}

/* Reports the bytes that a mask selects, each run of them as one access. */
static void access_selected(struct hazard_tile *h, struct hazard_tile *sender, const struct noc_request *request,
                            unsigned agent, uint32_t tick, uint32_t address, enum hazard_how how) {
    for (uint32_t at = 0, end; at < NOC_MASKED_MAX; at = end + 1) {
        for (end = at; end < NOC_MASKED_MAX && request->mask >> end & 1;)
            end++;
        if (end > at)
            hazard_request_access(h, sender, request->noc, agent, tick, address + at, end - at, how);
    }
}

/* The read of the source of a write is a request of its own. Returns its tick; 0 if the request has no source in L1. */
static uint32_t read_source(struct hazard_tile *h, const struct noc_request *request, struct hazard_request_made made) {
    if (!noc_carries(request) || request->source_address >= NOC_MMIO)
        return 0;
    made.ordered = false;
    made.agent = request->marked ? HAZARD_WRITE_SOURCE : HAZARD_POSTED_SOURCE;
    uint32_t tick = hazard_request_begins(h, &made), source = (uint32_t)request->source_address;
    if (request->kind == NOC_KIND_MASKED)
        access_selected(h, h, request, made.agent, tick, source, HAZARD_READS);
    else
        hazard_request_access(h, h, request->noc, made.agent, tick, source, request->length, HAZARD_READS);
    return tick;
}

void tile_hazards_sent(struct hazard_tile *h, struct transaction *transaction) {
    const struct noc_request *request = &transaction->request;
    transaction->tick = 0;
    if (request->initiator == NOC_OVERLAY)
        return;
    struct hazard_request_made made = {
        .noc = request->noc,
        .core = transaction->core < 0 ? BH_CORE_COUNT : (uint8_t)transaction->core,
        .agent = (uint8_t)agent_of(request),
        .answered = request->marked || request->kind == NOC_KIND_READ,
        .channel = channel_of(request),
        .ordered = request->static_vc, /* requests on one static channel to the same receivers stay in order */
        .leaves = request->time,
    };
    h->pc = transaction->pc;
    h->word = transaction->insn;
    transaction->tick = hazard_request_begins(h, &made);
    uint32_t source = read_source(h, request, made);
    if (source)
        hazard_request_has_source(h, request->noc, made.agent, transaction->tick, source);
    if (request->initiator < NIU_INITIATORS)
        hazard_command_given(h, request->noc, request->initiator, made.agent, transaction->tick, source);
}

void tile_hazards_multicast_left(struct hazard_tile *h, const struct transaction *transaction, unsigned receivers) {
    const struct noc_request *request = &transaction->request;
    if (request->initiator == NOC_OVERLAY)
        return;
    hazard_request_leaves(h, request->noc, agent_of(request), transaction->tick, receivers);
}

/* Reports a packet of a stream. The receiving stream learns what the sending stream knows. Streams wait for what they
 * need, so their bytes are marked as written, but not compared with other accesses. */
static void came_from_stream(struct hazard_tile *h, const struct hazard_tile *sender,
                             const struct noc_request *request) {
    if (request->address < NOC_MMIO)
        hazard_forget(h, (uint32_t)request->address, request->length);
    if (request->header_store)
        hazard_forget(h, request->data << 4, 16);
    uint32_t at = (uint32_t)request->address - memmap[MEMMAP_ROW_OVERLAY].base;
    unsigned stream = request->to_overlay ? request->tag & NOC_TAG_STREAM : at / OVERLAY_STREAM_SIZE % HAZARD_STREAMS;
    if (request->to_overlay || request->address >= NOC_MMIO)
        hazard_stream_passed(h, stream, sender, request->tag >> NOC_TAG_SENDER_SHIFT);
}

static void came_request(struct hazard_tile *h, struct hazard_tile *sender, const struct transaction *transaction) {
    const struct noc_request *request = &transaction->request;
    unsigned agent = agent_of(request);
    const struct hazard_epoch step = { sender->number, (uint16_t)hazard_niu_agent(request->noc, agent),
                                       transaction->tick };
    uint32_t address = (uint32_t)request->address, length = request->length, at;
    enum hazard_how how = HAZARD_WRITES;
    if (request->initiator == NOC_OVERLAY) {
        came_from_stream(h, sender, request);
        return;
    }
    if (request->to_overlay)
        hazard_stream_requested(h, OVERLAY_STREAM_SIZE * (request->tag & NOC_TAG_STREAM), step);
    if (request->address >= NOC_MMIO) {
        at = address - memmap[MEMMAP_ROW_OVERLAY].base;
        if (at < memmap[MEMMAP_ROW_OVERLAY].size && request->kind != NOC_KIND_READ)
            hazard_stream_requested(h, at, step);
        return;
    }
    switch (request->kind) {
    case NOC_KIND_READ: how = HAZARD_READS; break;
    case NOC_KIND_MASKED:
    case NOC_KIND_INLINE: access_selected(h, sender, request, agent, transaction->tick, address, how); return;
    case NOC_KIND_ATOMIC:
        how = HAZARD_CHANGES;
        address &= ~3u;
        length = SHADOW_WORD;
        break;
    default: break;
    }
    hazard_request_access(h, sender, request->noc, agent, transaction->tick, address, length, how);
    if (request->header_store)
        hazard_request_access(h, sender, request->noc, agent, transaction->tick, request->data << 4, 16, how);
    if (how == HAZARD_CHANGES)
        hazard_word_counted(h, address, step);
}

void tile_hazards_arrived(struct hazard_tile *h, const struct transaction *transaction, uint64_t time) {
    const struct noc_request *request = &transaction->request;
    struct hazard_tile *sender = hazard_tile_of(h->search, transaction->sender);
    uint32_t length = noc_response_length(request);
    h->now = time;
    if (!sender) { /* the host, which waits for what it needs */
        if (!transaction_is_response(transaction) && request->address < NOC_MMIO && request->kind != NOC_KIND_READ)
            hazard_host_writes(h, (uint32_t)request->address, request->length, time);
        return;
    }
    if (!transaction_is_response(transaction)) {
        came_request(h, sender, transaction);
        return;
    }
    if (length && request->reply_address < NOC_MMIO)
        hazard_request_access(h, sender, request->noc, agent_of(request), transaction->tick,
                              (uint32_t)request->reply_address, length, HAZARD_WRITES);
    hazard_request_ends(sender, request->noc, agent_of(request), transaction->tick);
}
