/* Waits: deadlocks, and the report of all agents that wait.
 *
 * Within a tile the lines of threads come first, then those of blocked cores, then those of cores that poll or that a
 * debugger has halted, so that the first line is the most useful one. A core that jumps to itself waits for nothing and
 * has no line. Unpackers have a line if no thread and no core of the tile waits. */
#include <string.h>

#include "base/line.h"
#include "chip/chip.h"
#include "isa/memmap.h"
#include "isa/text.h"

enum { TILE_TEXT = 8192, EXPLAIN_TEXT = 1024 };
enum { WHOLE_INSTRUCTION = TENSIX_DISASM_SIZE, SHORT_INSTRUCTION = 64 }; /* the latter for faults of one line */

/* ---- One line ------------------------------------------------------------------------------------------- */

static bool polls(const struct core *core) {
    return core->state == BH_CORE_POLLING && core->watch_count;
}

/* Puts the line of a thread. most: bytes for the instruction. */
static void put_thread(struct text *out, const struct tensix *x, unsigned thread, size_t most) {
    struct frontend_word head = { 0 };
    char instruction[WHOLE_INSTRUCTION], why[EXPLAIN_TEXT];
    tensix_at_gate(x, thread, &head);
    line_fit(instruction, most, tensix_disasm(head.word, instruction, most));
    tensix_explain(x, thread, why, sizeof why);
    text_put(out, "T%u at %s (pushed at pc 0x%x): %s", thread, instruction, head.pc, why);
}

static uint32_t word_of(const struct core *core) {
    return core->pc < core->l1_limit[0] ? core_word(core, core->pc) : 0;
}

/* Returns whether a debugger has halted the core; the host can let it run again. */
static bool is_halted(const struct core *core) {
    return core->state == BH_CORE_PAUSED && core->waits_on == WAIT_DEBUGGER;
}

static void put_core(struct text *out, const struct core *core) {
    char instruction[WHOLE_INSTRUCTION];
    bh_disassemble(core->pc, word_of(core), instruction, sizeof instruction);
    text_put(out, "%s at pc 0x%x, %s: %s: %s", core_name(core), core->pc, instruction,
             is_halted(core)                  ? "halted"
             : core->state == BH_CORE_BLOCKED ? "blocked"
                                              : "polling",
             wait_text(core->waits_on));
    if (core->waits_at)
        text_put(out, " (0x%08x)", core->waits_at);
}

/* Puts what a core of an Ethernet tile may wait for: frames, and from where they would come. Identities count chips
 * from 1 on. */
static void put_cable(struct text *out, const struct eth_port *port) {
    const struct eth_identity *peer = &port->peer;
    unsigned long long came = port->received.frames;
    text_put(out, "; its cable leads to port %u of chip %llu: ", peer->live_channel,
             (unsigned long long)peer->asic_id - 1);
    if (!port->up)
        text_put(out, "it is cut; ");
    if (came)
        text_put(out, "%llu frame%s come", came, came == 1 ? " has" : "s have");
    else
        text_put(out, "no frame has come");
    if (port->in.count)
        text_put(out, ", %llu on the way", (unsigned long long)port->in.count);
}

static void put_unpacker(struct text *out, const struct tensix *x, unsigned unpacker, size_t most) {
    const struct unpacker *u = &x->unpack.unit[unpacker];
    char instruction[WHOLE_INSTRUCTION];
    line_fit(instruction, most, tensix_disasm(u->job[u->first].word, instruction, most));
    text_put(out, "unpacker %u has %s of T%u and %u more: it waits for %s", unpacker, instruction,
             u->job[u->first].thread, u->count - 1u, wait_text(unpack_waits_for(&x->unpack, unpacker)));
}

/* ---- A tile --------------------------------------------------------------------------------------------- */

/* Returns whether a thread waits, or a core is blocked in an access. */
static bool has_waiter(const struct tile *tile) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (tensix_waits(&tile->tensix, i))
            return true;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tile->core[i].state == BH_CORE_BLOCKED)
            return true;
    return false;
}

/* Puts a line for each agent of the tile that waits, beginning with the prefix. */
static void put_tile(struct text *out, const struct tile *tile, const char *prefix) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        if (!tensix_waits(&tile->tensix, i))
            continue;
        text_put(out, "%s", prefix);
        put_thread(out, &tile->tensix, i, WHOLE_INSTRUCTION);
        text_put(out, "\n");
    }
    for (unsigned i = 0; i < 2 * BH_CORE_COUNT; i++) {
        const struct core *core = &tile->core[i % BH_CORE_COUNT];
        if (i < BH_CORE_COUNT ? core->state != BH_CORE_BLOCKED : !polls(core) && !is_halted(core))
            continue;
        text_put(out, "%s", prefix);
        put_core(out, core);
        if (tile->eth_port && !is_halted(core))
            put_cable(out, tile->eth_port);
        text_put(out, "\n");
    }
    for (unsigned i = 0; i < UNPACKERS && !has_waiter(tile); i++) {
        if (!unpack_waits_for(&tile->tensix.unpack, i))
            continue;
        text_put(out, "%s", prefix);
        put_unpacker(out, &tile->tensix, i, WHOLE_INSTRUCTION);
        text_put(out, "\n");
    }
}

static bool is_stuck(const struct tile *tile) {
    bool stuck = has_waiter(tile);
    for (unsigned i = 0; i < UNPACKERS; i++)
        stuck |= unpack_waits_for(&tile->tensix.unpack, i) != WAIT_NONE;
    return stuck;
}

static bool polls_what_others_write(const struct tile *tile, const struct core *core) {
    for (unsigned i = 0; core->state == BH_CORE_POLLING && i < core->watch_count; i++) {
        uint32_t address = core->watch[i].address;
        if (tile_region(tile, address, MEMMAP_NOC) || tile_region(tile, address, core->id)->kind == MEMMAP_LDM)
            return true;
    }
    return false;
}

/* A stream can be woken from outside the tile: the NoC also writes registers of overlay streams. */
static bool waits_for_stream(const struct gate *gate) {
    return gate->opcode == TENSIX_STREAMWAIT && gate->free_at == TENSIX_NEVER;
}

/* Returns whether the host or another tile could wake an agent of the tile without a reset. */
static bool can_be_woken(const struct tile *tile) {
    if (tile->pic_armed || tile->watch_size) /* an interrupt, or the word of L1 that an atomic waits for */
        return true;
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (polls_what_others_write(tile, &tile->core[i]) || is_halted(&tile->core[i]))
            return true;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (waits_for_stream(&tile->tensix.thread[i].gate))
            return true;
    return false;
}

/* ---- Deadlock ------------------------------------------------------------------------------------------- */

static void blame_thread(struct bh_fault *fault, const struct tile *tile, unsigned thread) {
    struct frontend_word head = { 0 };
    struct text out = text_init(fault->text, sizeof fault->text);
    tensix_at_gate(&tile->tensix, thread, &head);
    fault->thread = (int)thread;
    fault->pc = head.pc;
    fault->insn = head.word;
    put_thread(&out, &tile->tensix, thread, SHORT_INSTRUCTION);
    line_fit(fault->text, sizeof fault->text, out.length);
}

static void blame_core(struct bh_fault *fault, const struct core *core) {
    struct text out = text_init(fault->text, sizeof fault->text);
    fault->core = core->id;
    fault->pc = core->pc;
    fault->insn = word_of(core);
    fault->address = core->waits_at;
    put_core(&out, core);
    line_fit(fault->text, sizeof fault->text, out.length);
}

static void blame_unpacker(struct bh_fault *fault, const struct tensix *x, unsigned unpacker) {
    const struct unpacker *u = &x->unpack.unit[unpacker];
    struct text out = text_init(fault->text, sizeof fault->text);
    fault->thread = u->job[u->first].thread;
    fault->insn = u->job[u->first].word;
    put_unpacker(&out, x, unpacker, SHORT_INSTRUCTION);
    line_fit(fault->text, sizeof fault->text, out.length);
}

/* Puts the first agent that is stuck into the fault. */
static void blame(struct bh_fault *fault, const struct tile *tile) {
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        if (tensix_waits(&tile->tensix, i)) {
            blame_thread(fault, tile, i);
            return;
        }
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (tile->core[i].state == BH_CORE_BLOCKED) {
            blame_core(fault, &tile->core[i]);
            return;
        }
    for (unsigned i = 0; i < UNPACKERS; i++)
        if (unpack_waits_for(&tile->tensix.unpack, i)) {
            blame_unpacker(fault, &tile->tensix, i);
            return;
        }
}

bool chip_deadlock(const struct bh_chip *chip, struct bh_fault *fault) {
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        if (!chip->touched[i])
            continue;
        struct tile *tile = chip_made(chip, i);
        chip_catch_up(chip, tile);
        if (!is_stuck(tile) || can_be_woken(tile))
            continue;
        *fault = (struct bh_fault){
            .kind = BH_FAULT_DEADLOCK, .tile = tile->xy, .core = -1, .thread = -1, .cycle = chip->time
        };
        blame(fault, tile);
        return true;
    }
    return false;
}

/* ---- The report --------------------------------------------------------------------------------------------- */

/* Returns the FNV-1a hash of the tile's lines; 0 if no agent of the tile waits. */
static uint64_t fingerprint(const struct tile *tile) {
    char lines[TILE_TEXT];
    struct text out = text_init(lines, sizeof lines);
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    put_tile(&out, tile, "");
    if (!out.length)
        return 0;
    for (const char *at = lines; *at; at++)
        hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001B3);
    return hash;
}

/* Counts the later tiles that have the same lines, and removes them from the list. */
static unsigned take_alike(uint64_t print[TOPOLOGY_TILES], unsigned tile) {
    unsigned count = 0;
    for (unsigned i = tile + 1; i < TOPOLOGY_TILES; i++) {
        if (print[i] != print[tile])
            continue;
        print[i] = 0;
        count++;
    }
    return count;
}

size_t bh_report(const bh_chip *chip, char *text, size_t size) {
    uint64_t print[TOPOLOGY_TILES] = { 0 };
    struct text out = text_init(text, size);
    for (unsigned i = 0; chip && i < TOPOLOGY_TILES; i++) {
        if (!chip->touched[i])
            continue;
        chip_catch_up(chip, chip_made(chip, i));
        print[i] = fingerprint(chip->tile[i]);
    }
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        char prefix[24];
        if (!print[i])
            continue;
        line_put(prefix, sizeof prefix, "tile %u,%u: ", chip->tile[i]->xy.x, chip->tile[i]->xy.y);
        put_tile(&out, chip->tile[i], prefix);
        unsigned alike = take_alike(print, i);
        if (alike)
            text_put(&out, "and %u more tile%s like it\n", alike, alike == 1 ? "" : "s");
    }
    return out.length;
}
