/* Late stores and requests: see late.h.
 *
 * Inexact: accesses to local memories and Dst never vary; of the stores to registers, only those to Config do
 * (tensix/config/requests.c). If a queue is full, its entries land early. */
#include "tile/late.h"

#include "base/order.h"
#include "tensix/clock.h"
#include "tile/eth_port.h"
#include "tile/l1.h"
#include "tile/noc.h"
#include "tile/tile.h"
#include "tile/watchdog.h"

/* ---- Queue of stores ----------------------------------------------------------------------------------------- */

void late_find_due(struct tile *tile) {
    const struct late *late = &tile->late;
    tile->late_due = smaller(tile->debug_bus.due, eth_due(tile->eth_port));
    tile->late_due = smaller(tile->late_due, watchdog_due(tile));
    for (unsigned i = 0; i < late->stores; i++)
        tile->late_due = smaller(tile->late_due, late->store[i].time);
    for (unsigned i = 0; i < late->sends; i++)
        tile->late_due = smaller(tile->late_due, late->send[i].request.time);
}

/* Lands a store, and removes it from the queue. */
static void land_one(struct tile *tile, unsigned index, uint64_t time) {
    struct late *late = &tile->late;
    struct late_store store = late->store[index];
    late->stores--;
    for (unsigned i = index; i < late->stores; i++)
        late->store[i] = late->store[i + 1];
    late->store[late->stores] = (struct late_store){ 0 };
    l1_write(tile, store.address, &store.value, store.size, time);
}

static bool has_any(const struct late *late, unsigned core) {
    for (unsigned i = 0; i < late->stores; i++)
        if (late->store[i].core == core)
            return true;
    return false;
}

/* Lands the stores of a core, or of all cores (BH_CORE_COUNT). */
static void land_all(struct tile *tile, unsigned core, uint64_t time) {
    for (unsigned i = 0; i < tile->late.stores;)
        if (core == BH_CORE_COUNT || tile->late.store[i].core == core)
            land_one(tile, i, time);
        else
            i++;
    late_find_due(tile);
}

/* Returns the time at which the last store of a core to any of these bytes lands; 0 if there is none. */
static uint64_t last_landing(const struct late *late, unsigned core, uint32_t address, uint32_t size) {
    uint64_t last = 0;
    for (unsigned i = 0; i < late->stores; i++) {
        const struct late_store *store = &late->store[i];
        if (store->core == core && store->address < address + size && address < store->address + store->size)
            last = later(last, store->time);
    }
    return last;
}

/* ---- Queue of requests ----------------------------------------------------------------------------------------- */

static void send_one(struct tile *tile, unsigned index) {
    struct late *late = &tile->late;
    struct transaction send = late->send[index];
    late->sends--;
    for (unsigned i = index; i < late->sends; i++)
        late->send[i] = late->send[i + 1];
    late->send[late->sends] = (struct transaction){ 0 };
    noc_send(tile, &send.request, &send);
}

/* During a search for hazards, the bytes of a request are read at once, because tile_hazards_sent looks at the running
 * core. */
bool late_sends(struct tile *tile, const struct noc_request *request) {
    struct late *late = &tile->late;
    if (!noc_carries(request) || tile->mail.hazards || late->sends == LATE_SENDS)
        return false;
    struct transaction *send = &late->send[late->sends++];
    *send = (struct transaction){ .sender = tile->site, .to = request->target, .request = *request };
    noc_name_core(tile, send);
    tile->late_due = smaller(tile->late_due, request->time);
    return true;
}

/* ---- Landing --------------------------------------------------------------------------------------------------- */

void late_land(struct tile *tile) {
    struct late *late = &tile->late;
    debug_bus_run(tile);
    watchdog_look(tile, tile->time);
    for (unsigned i = 0; i < late->stores;)
        if (late->store[i].time <= tile->time)
            land_one(tile, i, tile->time);
        else
            i++;
    for (unsigned i = 0; i < late->sends;)
        if (late->send[i].request.time <= tile->time)
            send_one(tile, i);
        else
            i++;
    late_find_due(tile);
}

/* ---- Cores ------------------------------------------------------------------------------------------------------ */

void late_gap(struct tile *tile, struct core *core) {
    uint32_t cycles = vary_next(tile->vary, BH_DELAY_GAP, core->id);
    if (!cycles)
        return;
    vary_note(tile->vary, core_time(core), core->id, core->pc);
    core->stalled += cycles;
    core->preempted = true;
}

/* Major opcodes (bits 6:0). */
enum { LOAD = 0x03, LOAD_FLOAT = 0x07, FENCE = 0x0F, AMO = 0x2F };

static uint32_t word_at(const struct core *core, uint32_t pc) {
    return pc % 4 == 0 && pc < core->l1_limit[0] ? core_word(core, pc) : 0;
}

bool late_stores(struct tile *tile, uint32_t address, uint32_t value, unsigned size, uint64_t time) {
    struct late *late = &tile->late;
    if (tile->running >= BH_CORE_COUNT)
        return false;
    struct core *core = &tile->core[tile->running];
    bool atomic = (word_at(core, core->pc) & 0x7F) == AMO;
    uint32_t cycles = atomic ? 0 : vary_next(tile->vary, BH_DELAY_STORE, core->id);
    uint64_t before = last_landing(late, core->id, 0, tile_l1_size(tile));
    if (cycles)
        vary_note(tile->vary, time, core->id, core->pc);
    if (late->stores == LATE_STORES)
        land_all(tile, core->id, time);
    late_gap(tile, core);
    if ((!cycles && !has_any(late, core->id)) || late->stores == LATE_STORES)
        return false;
    late->store[late->stores++] = (struct late_store){
        .time = later(time + cycles, before),
        .address = address,
        .value = value,
        .size = (uint8_t)size,
        .core = core->id,
    };
    late_find_due(tile);
    tile_noc_touched(tile, time);
    return true;
}

/* Returns the cycle until which a load has to wait. */
static uint64_t load_waits(const struct tile *tile, const struct core *core, uint32_t word) {
    enum { VECTOR_WIDTHS = 1u << 0 | 1u << 5 | 1u << 6 | 1u << 7 };
    unsigned function = word >> 12 & 7;
    uint32_t address = core->x[word >> 15 & 31] + (uint32_t)((int32_t)word >> 20);
    bool vector = (word & 0x7F) == LOAD_FLOAT && VECTOR_WIDTHS >> function & 1;
    if (vector || (tile->late.fenced >> core->id & 1 && address < core->l1_limit[0]))
        return last_landing(&tile->late, core->id, 0, tile_l1_size(tile));
    return last_landing(&tile->late, core->id, address, 1u << (function & 3));
}

static bool loads_l1(const struct core *core, uint32_t word) {
    uint32_t address = core->x[word >> 15 & 31] + (uint32_t)((int32_t)word >> 20);
    return (word & 0x7F) == LOAD && address < core->l1_limit[0];
}

/* Empties the core's L0 cache if the draw says so. An instruction that is tried again is the same event. */
static void evict(struct tile *tile, struct core *core, uint32_t pc, uint64_t time) {
    const struct vary_event event = { BH_DELAY_EVICT, tile->vary->site, core->id, core->retired };
    if (core->retired == tile->vary->last_evicted[core->id] || !vary_draw(tile->vary, event))
        return;
    tile->vary->last_evicted[core->id] = core->retired;
    vary_note(tile->vary, time, core->id, pc);
    l0_flush(&core->l0);
}

/* Lands the core's own stores, since a core may have run past their landing (core_run). */
static void land_own(struct tile *tile, unsigned core, uint64_t time) {
    bool landed = false;
    for (unsigned i = 0; i < tile->late.stores;) {
        bool due = tile->late.store[i].core == core && tile->late.store[i].time <= time;
        if (due)
            land_one(tile, i, time);
        landed |= due;
        i += !due;
    }
    if (landed)
        late_find_due(tile);
}

unsigned late_holds(struct tile *tile, struct core *core, uint32_t pc, uint64_t time) {
    struct late *late = &tile->late;
    uint32_t word = word_at(core, pc), opcode = word & 0x7F;
    uint64_t until = 0;
    land_own(tile, core->id, time);
    if (core->caches && !(core->cfg0 & CFG0_DIS_L0_FLUSH) && loads_l1(core, word))
        evict(tile, core, pc, time);
    if (!late->stores || !has_any(late, core->id)) {
        late->fenced &= (uint8_t) ~(1u << core->id);
        return 0;
    }
    if (opcode == FENCE)
        late->fenced |= (uint8_t)(1u << core->id);
    else if (opcode == AMO)
        until = last_landing(late, core->id, 0, tile_l1_size(tile));
    else if (opcode == LOAD || opcode == LOAD_FLOAT)
        until = load_waits(tile, core, word);
    return until > time ? (unsigned)(until - time) : 0;
}

/* ---- Wiring ------------------------------------------------------------------------------------------------------ */

static uint32_t delay_request(void *owner, unsigned noc) {
    struct tile *tile = owner;
    uint32_t cycles = vary_next(tile->vary, BH_DELAY_SEND, noc);
    const struct core *core = tile->running < BH_CORE_COUNT ? &tile->core[tile->running] : NULL;
    if (cycles)
        vary_note(tile->vary, core ? core_time(core) : tile->time, core ? core->id : -1, core ? core->pc : 0);
    return cycles;
}

void tile_vary(struct tile *tile, struct vary_tile *vary) {
    tile->vary = tile->tensix.vary = vary;
    tile->wire.delay = vary ? delay_request : NULL;
    clock_end_handler_only(&tile->tensix, 0);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        uint8_t *reports = &tile->core[i].reports;
        *reports = (uint8_t)((*reports & ~CORE_REPORTS_DELAYS) | (vary ? CORE_REPORTS_DELAYS : 0));
    }
    for (uint32_t grain = 0; grain < tile_l1_size(tile) >> CORE_CODE_GRAIN; grain++)
        tile->marks[grain] = (uint8_t)((tile->marks[grain] & ~MARK_LATE) | (vary ? MARK_LATE : 0));
    if (vary) {
        vary->number = tile->late.events;
        return;
    }
    while (tile->late.sends)
        send_one(tile, 0);
    land_all(tile, BH_CORE_COUNT, tile->time);
    tile_noc_touched(tile, tile->time);
}
