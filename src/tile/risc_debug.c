/* The debug interface of the cores: see risc_debug.h. */
#include "tile/risc_debug.h"

#include <string.h>

#include "riscv/ops.h"
#include "tile/debug.h"
#include "tile/tile.h"

enum {
    DR_STATUS,
    DR_COMMAND,
    DR_ARGUMENT_0,
    DR_ARGUMENT_1,
    DR_RESULT,
    DR_MODES,
    DR_ADDRESS = 10,
    DR_MASK = 0x7FF, /* of the number of a DR, in CNTL_0 */
};

enum {
    STATUS_PAUSED = 1 << 0,
    STATUS_BREAKPOINT = 1 << 1,
    STATUS_WATCHPOINT = 1 << 2,
    STATUS_EBREAK = 1 << 3,
    STATUS_POINT = 1 << 8, /* the first of eight bits */
};

enum {
    COMMAND_PAUSE = 1 << 0,
    COMMAND_STEP = 1 << 1,
    COMMAND_CONTINUE = 1 << 2,
    COMMAND_GET = 1 << 3,
    COMMAND_SET = 1 << 4,
    COMMAND_READ = 1 << 5,
    COMMAND_WRITE = 1 << 6,
    COMMAND_CLEAR = 1 << 7,
    COMMAND_JUMP = 1 << 8,
};
#define COMMAND_SLOW (UINT32_C(1) << 31)

/* Bits of CNTL_0 and STATUS_0. */
enum { WRITES_BIT = 16, CORE_SHIFT = 17, ECHO_SHIFT = 13 };
#define TRIGGER (UINT32_C(1) << 31)
#define VALID   (UINT32_C(1) << 30)

enum { INDEX_PC = 32, LDM_HALF = 8 };

static struct risc_debug_core *state_of(struct tile *tile, const struct core *core) {
    return &tile->risc_debug.core[core->id];
}

/* Returns the core that CNTL_0 selects; NULL if the tile has no core with this number. */
static struct core *named(struct tile *tile, uint32_t control) {
    unsigned i = control >> CORE_SHIFT & 3;
    if (tile->kind != TILE_KIND_ETH)
        return &tile->core[BH_BRISC + i];
    return i < ETH_CORES ? &tile->core[eth_core(i)] : NULL;
}

/* Returns whether the core's bit of DISABLE_RESET is set. */
static bool keeps_state(const struct tile *tile, unsigned core) {
    static const uint8_t bit[BH_CORE_COUNT] = { 7, 1, 3, 5, 9 };
    return tile->kind != TILE_KIND_ETH && tile->control.value[REG_CONTROL_DISABLE_RESET] >> bit[core] & 1;
}

/* A faulted core can be inspected, but not continued. */
static bool is_stopped(const struct core *core) {
    return core->state == BH_CORE_PAUSED || core->state == BH_CORE_FAULTED;
}

static bool is_at_ebreak(const struct core *core) {
    return core->state == BH_CORE_PAUSED && (core->waits_on == WAIT_EBREAK || core->waits_on == WAIT_ECALL);
}

static unsigned mode_of(const struct risc_debug_core *r, unsigned point) {
    return r->modes >> 4 * point & 15;
}

static bool is_enabled(unsigned mode) {
    return mode >= 8 && mode <= 11;
}

/* Sets whether the core looks for requests before each instruction. A core that runs begins to do so in its next
 * turn. */
static void refresh(struct tile *tile, unsigned i) {
    const struct risc_debug_core *r = &tile->risc_debug.core[i];
    struct core *core = &tile->core[i];
    bool looks = r->request || r->stepping || r->armed;
    for (unsigned point = 0; point < RISC_DEBUG_POINTS; point++)
        looks |= is_enabled(mode_of(r, point));
    core->debugged = (uint8_t)((core->debugged & ~(unsigned)CORE_DEBUG_GUEST) | (looks ? CORE_DEBUG_GUEST : 0));
}

void risc_debug_refresh(struct tile *tile) {
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        refresh(tile, i);
}

/* Cancels everything that was requested of the core. */
static void forget(struct risc_debug_core *r) {
    r->request = RISC_DEBUG_NOTHING;
    r->stepping = r->armed = r->half_step = false;
    r->reasons = 0;
}

void risc_debug_held(struct tile *tile, unsigned core) {
    struct risc_debug_core *r = &tile->risc_debug.core[core];
    forget(r);
    if (!keeps_state(tile, core))
        *r = (struct risc_debug_core){ 0 };
    refresh(tile, core);
}

void risc_debug_resumed(struct tile *tile, unsigned core) {
    forget(&tile->risc_debug.core[core]);
    refresh(tile, core);
}

/* ---- In the core's turn ------------------------------------------------------------------------------- */

static enum core_debug pause_core(struct tile *tile, struct core *core) {
    struct risc_debug_core *r = state_of(tile, core);
    r->request = RISC_DEBUG_NOTHING;
    r->stepping = r->armed = false;
    core->state = BH_CORE_PAUSED;
    core->waits_on = WAIT_DEBUGGER;
    core->waits_at = 0;
    refresh(tile, core->id);
    return CORE_DEBUG_LEAVE;
}

/* The access does not wait until local memory has been cleared after a reset: a debugger comes later than that. */
static enum bus_result access_local(struct core *core, uint32_t offset, bool reads, uint32_t *value) {
    memcpy(reads ? (void *)value : core->ldm + offset, reads ? core->ldm + offset : (const void *)value, sizeof *value);
    return BUS_OK;
}

static enum bus_result access_by_core(struct core *core, uint32_t address, bool reads, uint32_t *value) {
    uint32_t offset = address - CORE_LDM_BASE;
    unsigned latency = 0;
    if (offset < core->ldm_size && offset % sizeof *value == 0)
        return access_local(core, offset, reads, value);
    if (!reads)
        return slow_store(core, address, sizeof *value, *value);
    enum bus_result result = slow_load(core, address, sizeof *value, value, &latency);
    core->stalled += result == BUS_OK ? latency : 0;
    return result;
}

/* Lets the core load or store for the debugger. The core repeats an access that has to wait, as it does with its
 * own. */
static enum core_debug access_memory(struct tile *tile, struct core *core) {
    struct risc_debug_core *r = state_of(tile, core);
    uint32_t value = r->argument[1], address = r->argument[0];
    bool reads = r->request == RISC_DEBUG_READ;
    enum bus_result result = access_by_core(core, address, reads, &value);
    if (result == BUS_FAULT)
        r->request = RISC_DEBUG_NOTHING;
    if (result != BUS_OK || core->moved)
        return CORE_DEBUG_LEAVE;
    bool lost =
        tile->debug_flaws && core->id == BH_TRISC2 && address - CORE_LDM_BASE < CORE_LDM_MAX && address & LDM_HALF;
    if (reads)
        r->result = lost ? 0 : value;
    return pause_core(tile, core);
}

static bool holds(uint32_t first, uint32_t size, uint32_t address) {
    return address - first < size;
}

/* Returns a mask of the points that the instruction at pc hits. */
static uint32_t hits(const struct risc_debug_core *r, const struct core *core) {
    uint32_t address = 0, size = 0, found = 0;
    unsigned access = debug_access(core, &address, &size);
    for (unsigned i = 0; i < RISC_DEBUG_POINTS; i++) {
        unsigned mode = mode_of(r, i);
        if (!is_enabled(mode))
            continue;
        unsigned wanted = (mode & 1 ? BH_ACCESS_READ : 0) | (mode & 2 ? BH_ACCESS_WRITE : 0);
        if (!wanted && core->pc == r->address[i])
            found |= STATUS_BREAKPOINT | (uint32_t)STATUS_POINT << i;
        if (access & wanted && holds(address, size, r->address[i]))
            found |= STATUS_WATCHPOINT | (uint32_t)STATUS_POINT << i;
    }
    return found;
}

static void arm(struct risc_debug_core *r, const struct core *core) {
    uint32_t reasons = hits(r, core);
    if (!reasons && !r->stepping)
        return;
    r->reasons = reasons;
    r->armed = true;
    r->number = core->retired;
}

enum core_debug risc_debug_step(struct tile *tile, struct core *core) {
    struct risc_debug_core *r = state_of(tile, core);
    if (r->request == RISC_DEBUG_READ || r->request == RISC_DEBUG_WRITE)
        return access_memory(tile, core);
    if (r->armed && core->retired != r->number)
        return pause_core(tile, core);
    if (r->request == RISC_DEBUG_HALT && core_time(core) >= r->from) {
        r->reasons = 0; /* the instruction of an armed core has not been executed */
        return pause_core(tile, core);
    }
    if (!r->armed)
        arm(r, core);
    return CORE_DEBUG_GO;
}

bool risc_debug_push(struct core *core) {
    if (debug_row(core) == 1)
        return false;
    slow_push_one(core);
    return true;
}

/* ---- Commands -------------------------------------------------------------------------------------------- */

/* Makes a request of a core. A core whose access waits, or that sleeps in a loop, handles the request before it tries
 * again. */
static void ask(struct tile *tile, struct core *core, enum risc_debug_request request, uint64_t time) {
    struct risc_debug_core *r = state_of(tile, core);
    r->request = (uint8_t)request;
    r->from = time;
    refresh(tile, core->id);
    tile_rouse(tile, core->id, time);
}

/* With flaws, an instruction has to complete before the core pauses: a core that is blocked continues to wait. */
static void halt(struct tile *tile, struct core *core, uint64_t time) {
    struct risc_debug_core *r = state_of(tile, core);
    if (!tile->debug_flaws) {
        ask(tile, core, RISC_DEBUG_HALT, time);
        return;
    }
    r->reasons = 0;
    r->armed = true;
    r->number = core->retired;
    refresh(tile, core->id);
    if (core->state != BH_CORE_BLOCKED)
        tile_rouse(tile, core->id, time);
}

static void continue_core(struct tile *tile, struct core *core, bool steps, uint64_t time) {
    struct risc_debug_core *r = state_of(tile, core);
    if (core->state != BH_CORE_PAUSED)
        return;
    if (steps && tile->debug_flaws && !r->half_step) {
        r->half_step = true;
        return;
    }
    forget(r);
    r->stepping = steps;
    refresh(tile, core->id);
    tile_rouse(tile, core->id, time);
}

/* Sets pc. The core gives up what it was about to do. */
static void jump(struct tile *tile, struct core *core, uint32_t pc) {
    struct risc_debug_core *r = state_of(tile, core);
    core->pc = pc;
    core->vec.wait_word = 0;
    core->waited = 0;
    core->poll_pc = UINT32_MAX;
    memset(core->fetch.taken, 0, sizeof core->fetch.taken);
    if (core_is_trisc(core) && tile->kind == TILE_KIND_TENSIX)
        pcbuf_reader_gone(&tile->pcbufs, core->id - BH_TRISC0);
    if (core->state == BH_CORE_PAUSED)
        core->waits_on = WAIT_DEBUGGER;
    forget(r);
    refresh(tile, core->id);
}

static void set_register(struct core *core, uint32_t index, uint32_t value) {
    if (index == 0 || index > 31)
        return;
    core->x[index] = value;
    core->ready8[index] = 0;
}

static uint32_t get_register(const struct tile *tile, const struct core *core, uint32_t index) {
    if (index == INDEX_PC)
        return tile->debug_flaws ? 0 : core->pc;
    return index < 32 ? core->x[index] : 0;
}

/* Accesses memory without side effects, for a core that has faulted and cannot do it itself. */
static void access_by_host(struct tile *tile, const struct core *core, bool reads) {
    struct risc_debug_core *r = state_of(tile, core);
    const char *why;
    if (!reads)
        (void)tile_core_poke(tile, core->id, r->argument[0], &r->argument[1], sizeof r->argument[1], &why);
    else if (tile_core_peek(tile, core->id, r->argument[0], &r->result, sizeof r->result, &why) != BH_OK)
        r->result = 0;
}

static void begin_access(struct tile *tile, struct core *core, bool reads, uint64_t time) {
    if (core->state == BH_CORE_FAULTED) {
        access_by_host(tile, core, reads);
        return;
    }
    state_of(tile, core)->reasons |= is_at_ebreak(core) ? STATUS_EBREAK : 0;
    ask(tile, core, reads ? RISC_DEBUG_READ : RISC_DEBUG_WRITE, time);
}

static void command_stopped(struct tile *tile, struct core *core, uint32_t command, uint64_t time) {
    struct risc_debug_core *r = state_of(tile, core);
    if (command & COMMAND_GET)
        r->result = get_register(tile, core, r->argument[0]);
    if (command & COMMAND_SET)
        set_register(core, r->argument[0], r->argument[1]);
    for (uint32_t i = 1; i < 32 && command & COMMAND_CLEAR; i++)
        set_register(core, i, 0);
    if (command & COMMAND_JUMP)
        jump(tile, core, command & COMMAND_SLOW ? r->argument[1] : tile_first_pc(tile, core->id));
    if (command & (COMMAND_READ | COMMAND_WRITE))
        begin_access(tile, core, command & COMMAND_READ, time);
    else if (command & COMMAND_CONTINUE)
        continue_core(tile, core, false, time);
    else if (command & COMMAND_STEP && !(command & COMMAND_JUMP))
        continue_core(tile, core, true, time);
}

static void command_core(struct tile *tile, struct core *core, uint32_t command, uint64_t time) {
    if (is_stopped(core))
        command_stopped(tile, core, command, time);
    else if (command & COMMAND_PAUSE && core->state != BH_CORE_IN_RESET)
        halt(tile, core, time);
}

/* ---- DR(i) ---------------------------------------------------------------------------------------------- */

static uint32_t status_of(const struct risc_debug_core *r, const struct core *core) {
    if (!is_stopped(core))
        return 0;
    return STATUS_PAUSED | r->reasons | (is_at_ebreak(core) ? STATUS_EBREAK : 0);
}

static uint32_t read_dr(const struct risc_debug_core *r, const struct core *core, uint32_t i) {
    switch (i) {
    case DR_STATUS: return status_of(r, core);
    case DR_COMMAND: return r->command;
    case DR_ARGUMENT_0:
    case DR_ARGUMENT_1: return r->argument[i - DR_ARGUMENT_0];
    case DR_RESULT: return r->result;
    case DR_MODES: return r->modes;
    default: return i - DR_ADDRESS < RISC_DEBUG_POINTS ? r->address[i - DR_ADDRESS] : 0;
    }
}

/* Handles a possible change of points: a core that sleeps in a loop tests them when it wakes. */
static void points_changed(struct tile *tile, const struct core *core, uint64_t time) {
    refresh(tile, core->id);
    if (core->state == BH_CORE_POLLING || core->state == BH_CORE_RUNNING)
        tile_rouse(tile, core->id, time);
}

static void write_dr(struct tile *tile, struct core *core, uint32_t i, uint32_t value, uint64_t time) {
    struct risc_debug_core *r = state_of(tile, core);
    if (core->state == BH_CORE_IN_RESET && !keeps_state(tile, core->id))
        return;
    switch (i) {
    case DR_COMMAND:
        r->command = value;
        command_core(tile, core, value, time);
        break;
    case DR_ARGUMENT_0:
    case DR_ARGUMENT_1: r->argument[i - DR_ARGUMENT_0] = value; break;
    case DR_MODES:
        r->modes = value;
        points_changed(tile, core, time);
        break;
    default:
        if (i - DR_ADDRESS < RISC_DEBUG_POINTS) {
            r->address[i - DR_ADDRESS] = value;
            points_changed(tile, core, time);
        }
        break;
    }
}

/* ---- The four registers ------------------------------------------------------------------------------------- */

bool risc_debug_has(uint32_t address) {
    return address - (uint32_t)REG_AT_CONTROL_RISC_DBG_CNTL_0 < 16;
}

static void trigger(struct tile *tile, uint32_t control, uint64_t time) {
    uint32_t *value = tile->control.value, i = control & DR_MASK;
    struct core *core = named(tile, control);
    bool writes = control >> WRITES_BIT & 1;
    value[REG_CONTROL_RISC_DBG_STATUS_0] &= ~VALID;
    if (writes && core)
        write_dr(tile, core, i, value[REG_CONTROL_RISC_DBG_CNTL_1], time);
    if (writes)
        return;
    value[REG_CONTROL_RISC_DBG_STATUS_1] = core ? read_dr(state_of(tile, core), core, i) : 0;
    value[REG_CONTROL_RISC_DBG_STATUS_0] |= VALID;
}

void risc_debug_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    uint32_t *control = tile->control.value, *status = &control[REG_CONTROL_RISC_DBG_STATUS_0];
    if ((int)address == REG_AT_CONTROL_RISC_DBG_CNTL_1)
        control[REG_CONTROL_RISC_DBG_CNTL_1] = value;
    if ((int)address != REG_AT_CONTROL_RISC_DBG_CNTL_0)
        return;
    bool rises = value & TRIGGER && !(control[REG_CONTROL_RISC_DBG_CNTL_0] & TRIGGER);
    control[REG_CONTROL_RISC_DBG_CNTL_0] = value;
    if (rises)
        trigger(tile, value, time);
    uint32_t writer = (value >> WRITES_BIT & 1) << (value >> CORE_SHIFT & 3);
    *status = (*status & VALID) | (value & (TRIGGER | DR_MASK)) | writer << ECHO_SHIFT;
}
