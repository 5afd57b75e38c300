/* The work of ARC's firmware that others can see: telemetry, and answers to messages. Sources: see arc.h.
 *
 * Inexact: answers come at once. Messages that would change something that is not modelled (voltages, resets, flash,
 * fans) are answered like unknown ones, with status 0xFF; docs/tiles.md has the list. */
#include <string.h>

#include "base/check.h"
#include "chip/arc.h"
#include "chip/topology.h"

/* ---- Words in CSM ---------------------------------------------------------------------------- */

static uint32_t get(const struct arc *arc, uint32_t offset) {
    uint32_t value;
    memcpy(&value, arc->csm + offset, sizeof value);
    return value;
}

static void put(struct arc *arc, uint32_t offset, uint32_t value) {
    BH_ASSERT(offset + sizeof value <= ARC_USED);
    memcpy(arc->csm + offset, &value, sizeof value);
}

/* ---- Telemetry ------------------------------------------------------------------------------- */

/* The telemetry table: version, count, then tag | index << 16 for each value. */
enum {
    TABLE_VERSION = 1,
    TABLE_HEADER = 8,
    UPDATE_MS = 100, /* milliseconds between two updates by firmware */
    UPDATE_TICKS = UPDATE_MS * ARC_REFCLK_MHZ * 1000,
    CELSIUS = 1 << 16, /* temperatures are in 1/65536 degrees */
    ALL_L2CPU = (1 << TOPOLOGY_L2CPU) - 1,
};

static uint32_t enabled_columns(const struct bh_config *config) {
    return ((1u << TOPOLOGY_TENSIX_COLUMNS) - 1) & ~(uint32_t)config->tensix_harvest;
}

static uint32_t enabled_eth(const struct bh_config *config) {
    return ((1u << TOPOLOGY_ETH) - 1) & ~(uint32_t)config->eth_harvest;
}

static uint32_t enabled_dram(const struct bh_config *config) {
    return ((1u << TOPOLOGY_DRAM_BANKS) - 1) & ~(uint32_t)config->dram_harvest;
}

/* Two bits for each bank: trained, error. */
static uint32_t dram_status(const struct bh_config *config) {
    uint32_t status = 0;
    for (unsigned bank = 0; bank < TOPOLOGY_DRAM_BANKS; bank++)
        status |= (enabled_dram(config) >> bank & 1) << (2 * bank);
    return status;
}

/* Two bits for each PCIe tile. 1: endpoint, visible to the host. */
static uint32_t pcie_usage(const struct bh_config *config) {
    return 1u << 2 * topology_host_pcie(config);
}

enum telemetry_index {
#define TELEMETRY(tag, name, value) INDEX_##name,
#include "chip/telemetry.def"
    VALUES
};

_Static_assert(ARC_TABLE_AT + TABLE_HEADER + 4 * VALUES <= ARC_VALUES_AT, "the table runs into the values");
_Static_assert(ARC_VALUES_AT + 4 * VALUES <= ARC_BLOCK_AT, "the values run into the queues");

static void put_value(struct arc *arc, enum telemetry_index index, uint32_t value) {
    put(arc, ARC_VALUES_AT + 4 * index, value);
}

static void put_entry(struct arc *arc, enum telemetry_index index, uint32_t tag, uint32_t value) {
    put(arc, ARC_TABLE_AT + TABLE_HEADER + 4 * index, tag | (uint32_t)index << 16);
    put_value(arc, index, value);
}

static void init_telemetry(struct arc *arc, const struct bh_config *config) {
    put(arc, ARC_TABLE_AT, TABLE_VERSION);
    put(arc, ARC_TABLE_AT + 4, VALUES);
#define TELEMETRY(tag, name, value) put_entry(arc, INDEX_##name, tag, value);
#include "chip/telemetry.def"
    arc->scratch_ram[ARC_TELEMETRY_DATA] = ARC_CSM_BASE + ARC_VALUES_AT;
    arc->scratch_ram[ARC_TELEMETRY_TABLE] = ARC_CSM_BASE + ARC_TABLE_AT;
}

void arc_firmware_update(struct arc *arc, uint64_t time) {
    put_value(arc, INDEX_TIMER_HEARTBEAT, (uint32_t)(1 + arc_refclk(arc, time) / UPDATE_TICKS));
}

/* ---- Clock ------------------------------------------------------------------------------------- */

enum { AICLK_LOWEST = 200, AICLK_HIGHEST = 1400, MODE_FORCED = 2, MODE_FREE = 3 };

static void set_aiclk(struct arc *arc, uint64_t time) {
    uint32_t free = arc->busy ? ARC_AICLK_BUSY : ARC_AICLK_IDLE;
    arc->refclk = arc_refclk(arc, time); /* from now on a cycle has another length */
    arc->refclk_time = time;
    arc->aiclk = arc->forced_aiclk ? arc->forced_aiclk : free;
    put_value(arc, INDEX_AICLK, arc->aiclk);
}

static uint32_t go(struct arc *arc, bool busy, uint64_t time) {
    arc->busy = busy;
    set_aiclk(arc, time);
    return 0;
}

static uint32_t force_aiclk(struct arc *arc, uint32_t mhz, uint64_t time) {
    if (mhz && (mhz < AICLK_LOWEST || mhz > AICLK_HIGHEST))
        return 1;
    arc->forced_aiclk = mhz;
    set_aiclk(arc, time);
    return 0;
}

/* Bits 11:8 are the number of flags that are valid; they follow from bit 16 on. The first one asks for the highest
 * clock. The others wake memory PHYs and enable clocks of Tensix and L2CPU tiles, which always run here. */
static uint32_t set_power(struct arc *arc, uint32_t request, uint64_t time) {
    bool valid = request >> 8 & 0xF, highest = request >> 16 & 1;
    return valid ? go(arc, highest, time) : 0;
}

static uint32_t answer_aiclk(const struct arc *arc, uint32_t *answer) {
    answer[1] = arc->aiclk;
    answer[2] = arc->forced_aiclk ? MODE_FORCED : MODE_FREE;
    return 0;
}

/* ---- Messages ------------------------------------------------------------------------------------ */

enum code {
    NOP = 0x11,
    REPORT_SCRATCH_ONLY = 0x16,
    POWER_SETTING = 0x21,
    FORCE_AICLK = 0x33,
    GET_AICLK = 0x34,
    AICLK_GO_BUSY = 0x52,
    AICLK_GO_LONG_IDLE = 0x54,
    TEST = 0x90,
    ASIC_STATE_0 = 0xA0,
    ASIC_STATE_3 = 0xA3,
    SET_LAST_SERIAL = 0xBE,
    SET_WATCHDOG = 0xC1,
};

enum { STATUS_UNKNOWN = 0xFF, STATUS_SCRATCH_ONLY = 0xFE };
enum { POST_MESSAGES_DONE = 0x3F, POST_TELEMETRY_DONE = 0x41 };

#define POST_CODE(code) (UINT32_C(0xC0DE0000) | (uint32_t)(code))

enum {
    QUEUE_SIZE = ARC_QUEUE_HEADER + 2 * ARC_QUEUE_ENTRIES * ARC_MESSAGE_SIZE,
    POINTER_WRAP = 2 * ARC_QUEUE_ENTRIES,
};

/* Writes the answer to word 1 and the following. Returns the status. */
static uint32_t answer_test(const struct arc *arc, uint32_t queue, const uint32_t *request, uint32_t *answer) {
    answer[1] = request[1] + 1;
    answer[2] = get(arc, queue + ARC_LAST_SERIAL) + 1;
    return 0;
}

static uint32_t serve(struct arc *arc, uint32_t queue, const uint32_t *request, uint32_t *answer, uint64_t time) {
    switch (request[0] & 0xFF) {
    case NOP:
    case ASIC_STATE_0: /* firmware stores these where nobody can see them */
    case ASIC_STATE_3:
    case SET_WATCHDOG: return 0; /* the watchdog is for firmware that hangs, which does not happen here */
    case REPORT_SCRATCH_ONLY: return STATUS_SCRATCH_ONLY;
    case POWER_SETTING: return set_power(arc, request[0], time);
    case FORCE_AICLK: return force_aiclk(arc, request[1], time);
    case GET_AICLK: return answer_aiclk(arc, answer);
    case AICLK_GO_BUSY: return go(arc, true, time);
    case AICLK_GO_LONG_IDLE: return go(arc, false, time);
    case TEST: return answer_test(arc, queue, request, answer);
    case SET_LAST_SERIAL: put(arc, queue + ARC_LAST_SERIAL, request[1]); return 0;
    default: return STATUS_UNKNOWN;
    }
}

static void serve_next(struct arc *arc, uint32_t queue, uint64_t time) {
    uint32_t from = get(arc, queue + ARC_REQUEST_READ), to = get(arc, queue + ARC_RESPONSE_WRITE);
    uint32_t requests = queue + ARC_QUEUE_HEADER, responses = requests + ARC_QUEUE_ENTRIES * ARC_MESSAGE_SIZE;
    uint32_t request[ARC_MESSAGE_WORDS], answer[ARC_MESSAGE_WORDS] = { 0 };
    memcpy(request, arc->csm + requests + from % ARC_QUEUE_ENTRIES * ARC_MESSAGE_SIZE, sizeof request);
    answer[0] = serve(arc, queue, request, answer, time);
    memcpy(arc->csm + responses + to % ARC_QUEUE_ENTRIES * ARC_MESSAGE_SIZE, answer, sizeof answer);
    put(arc, queue + ARC_REQUEST_READ, (from + 1) % POINTER_WRAP);
    put(arc, queue + ARC_RESPONSE_WRITE, (to + 1) % POINTER_WRAP);
    if ((request[0] & 0xFF) != SET_LAST_SERIAL)
        put(arc, queue + ARC_LAST_SERIAL, get(arc, queue + ARC_LAST_SERIAL) + 1);
}

/* Returns whether there is a request, and room for its answer. The pointers of an empty queue are equal; those of a
 * full one differ by the number of entries. */
static bool has_next(const struct arc *arc, uint32_t queue) {
    uint32_t room = get(arc, queue + ARC_RESPONSE_WRITE) - get(arc, queue + ARC_RESPONSE_READ);
    return get(arc, queue + ARC_REQUEST_WRITE) != get(arc, queue + ARC_REQUEST_READ) &&
           room % POINTER_WRAP != ARC_QUEUE_ENTRIES;
}

static bool makes_sense(const struct arc *arc, uint32_t queue) {
    uint32_t write = get(arc, queue + ARC_REQUEST_WRITE), read = get(arc, queue + ARC_REQUEST_READ);
    return write < POINTER_WRAP && read < POINTER_WRAP && get(arc, queue + ARC_RESPONSE_READ) < POINTER_WRAP &&
           get(arc, queue + ARC_RESPONSE_WRITE) < POINTER_WRAP && (write - read) % POINTER_WRAP <= ARC_QUEUE_ENTRIES;
}

struct access arc_firmware_messages(struct arc *arc, uint64_t time) {
    for (uint32_t i = 0; i < ARC_QUEUES; i++) {
        uint32_t queue = ARC_QUEUES_AT + i * QUEUE_SIZE;
        if (!makes_sense(arc, queue))
            return access_refused(BH_FAULT_UNDEFINED, "ARC's doorbell: a queue has a pointer beyond twice its size, or "
                                                      "more requests than it holds");
        while (has_next(arc, queue))
            serve_next(arc, queue, time);
    }
    arc->scratch[0] = POST_CODE(POST_MESSAGES_DONE);
    return access_done();
}

void arc_firmware_init(struct arc *arc, const struct bh_config *config) {
    enum { READY = 1 << 0, INITIALISED = 2 << 1 };
    init_telemetry(arc, config);
    put(arc, ARC_BLOCK_AT, ARC_CSM_BASE + ARC_QUEUES_AT);
    put(arc, ARC_BLOCK_AT + 4, ARC_QUEUE_ENTRIES | ARC_QUEUES << 8);
    arc->scratch_ram[ARC_QUEUE_BLOCK] = ARC_CSM_BASE + ARC_BLOCK_AT;
    arc->scratch_ram[ARC_BOOT_STATUS] = READY | INITIALISED;
    arc->scratch[0] = POST_CODE(POST_TELEMETRY_DONE);
}
