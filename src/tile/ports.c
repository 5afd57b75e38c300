/* How cores that access L1 in bursts (riscv/burst.h) slow each other down at access ports and banks (L1.md, of
 * Wormhole; measurements on Blackhole agree that TRISC1 and TRISC2 share a port which TRISC0 does not use).
 *
 * A port serves its clients in turn. Each gets its share of the port, or what the others leave if that is more. An
 * access to a bank that another port is using waits for the rest of that use: on average, half the sum of the squared
 * durations of the uses, weighted with their rates. An access waits for the port or for the bank, whichever takes
 * longer.
 *
 * Inexact: accesses of the coprocessor, of the NIUs and of instruction caches do not count, nor do those of cores
 * outside bursts. Waits are averages over a window, computed from an earlier window. */
#include "tile/ports.h"

#include "isa/riscv.h"

enum { CORES_MOST = BH_CORE_COUNT, WINDOW8 = 8 * BURST_WINDOW, PARTS = 8 * RV_PART_LOAD_QUEUE /* in a cycle */ };

/* Eighths of a cycle for which an access holds its port. */
static const uint32_t port8[BURST_KINDS] = {
    [BURST_LOAD] = RV_PART_LOAD_PORT_EIGHTHS, [BURST_STORE] = RV_PART_STORE_PORT_EIGHTHS
};
/* Cycles for which an access holds its bank. */
static const uint32_t bank_cycles[BURST_KINDS] = { [BURST_LOAD] = 1, [BURST_STORE] = RV_PART_STORE_PORT_EIGHTHS / 8 };

static unsigned port_of(unsigned core) {
    return core == BH_TRISC1 || core == BH_TRISC2;
}

static uint32_t accesses(const struct burst_window *window, enum burst_kind kind) {
    uint32_t sum = 0;
    for (unsigned bank = 0; bank < BURST_BANKS; bank++)
        sum += window->count[kind][bank];
    return sum;
}

/* Returns how much of a window the core can use its port, in eighths of a cycle. */
static uint32_t part8_of(const struct tile *tile, unsigned core, uint64_t window) {
    uint32_t taken8 = 0, clients = 1;
    for (unsigned i = 0; i < CORES_MOST; i++) {
        const struct burst_window *other = burst_of(&tile->core[i].burst, window);
        if (i == core || port_of(i) != port_of(core) || !other)
            continue;
        clients++;
        for (unsigned kind = 0; kind < BURST_KINDS; kind++)
            taken8 += accesses(other, kind) * port8[kind];
    }
    uint32_t turn8 = WINDOW8 / clients, rest8 = taken8 < WINDOW8 ? WINDOW8 - taken8 : 0;
    return rest8 > turn8 ? rest8 : turn8;
}

/* Returns the mean wait of an access for a bank, in cycles / PARTS, given the accesses of the core in the window. */
static uint32_t bank_wait(const struct tile *tile, unsigned core, uint64_t window) {
    const struct burst_window *own = burst_of(&tile->core[core].burst, window), *other;
    uint32_t sum = 0, all = own ? accesses(own, BURST_LOAD) + accesses(own, BURST_STORE) : 0;
    for (unsigned i = 0; i < CORES_MOST && all; i++) {
        if (port_of(i) == port_of(core) || !(other = burst_of(&tile->core[i].burst, window)))
            continue;
        for (unsigned bank = 0; bank < BURST_BANKS; bank++)
            for (unsigned kind = 0; kind < BURST_KINDS; kind++)
                sum += (uint32_t)(own->count[BURST_LOAD][bank] + own->count[BURST_STORE][bank]) *
                       other->count[kind][bank] * bank_cycles[kind] * bank_cycles[kind];
    }
    return all ? sum * PARTS / 2 / BURST_WINDOW / all : 0;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Returns whether every other agent that has a time has left the window. */
static bool is_complete(const struct tile *tile, unsigned core, uint64_t window) {
    const uint64_t end = (window + 1) * BURST_WINDOW;
    for (unsigned i = 0; i < TILE_AGENTS; i++)
        if (i != core && tile_due(tile, i) < end)
            return false;
    return true;
}

bool ports_share(struct tile *tile, struct core *core) {
    enum { QUEUE8 = 8 * RV_PART_LOAD_HELD, LOADS8 = RV_PART_LOAD_QUEUE * RV_PART_LOAD_PORT_EIGHTHS };
    struct core_burst *burst = &core->burst;
    uint64_t present = burst_window(core_time(core));
    uint32_t part8 = WINDOW8, wait = 0;
    if (present >= BURST_DELAY && tile->kind == TILE_KIND_TENSIX) {
        if (tile->running == core->id && !is_complete(tile, core->id, present - BURST_DELAY))
            return false;
        part8 = part8_of(tile, core->id, present - BURST_DELAY);
        wait = bank_wait(tile, core->id, present - BURST_DELAY);
    }
    burst->present = present + 1;
    /* A port keeps the order of its accesses: if one of the loads in the queue waits, so do those after it. */
    burst->hold8 = larger(RV_PART_LOAD_QUEUE * wait * 8 / PARTS, larger(LOADS8 * WINDOW8 / part8, QUEUE8) - QUEUE8);
    burst->store8 = larger(RV_PART_STORE_EIGHTHS + wait * 8 / PARTS, RV_PART_STORE_PORT_EIGHTHS * WINDOW8 / part8);
    return true;
}
