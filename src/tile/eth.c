/* Registers and soft reset of an Ethernet tile: see eth.h. */
#include "tile/eth.h"

#include <stddef.h>

#include "tile/eth_port.h"
#include "tile/tile.h"
#include "tile/watchdog.h"

#define SOFT_RESET    ((uint32_t)REG_AT_CONTROL_SOFT_RESET_0)
#define CLOCK_LOW     ((uint32_t)REG_AT_CONTROL_WALL_CLOCK_0)
#define CLOCK_HIGH    ((uint32_t)REG_AT_CONTROL_WALL_CLOCK_1)
#define CLOCK_LATCHED ((uint32_t)REG_AT_CONTROL_WALL_CLOCK_1_AT)
#define FIRST_PC_0    UINT32_C(0xFFB14000)
#define FIRST_PC_1    UINT32_C(0xFFB14008)
#define LAST_PC_0     UINT32_C(0xFFB14004)
#define LAST_PC_1     UINT32_C(0xFFB1400C)
#define PIC           UINT32_C(0xFFB14020)
#define PIC_SIZE      UINT32_C(0x44)
#define TXQ           UINT32_C(0xFFB90000)
#define RXQ           UINT32_C(0xFFB94000)
#define PCS_STATUS    UINT32_C(0xFFB9800C)
#define EOP_GOOD      UINT32_C(0xFFB98120)
#define MAC_ROUTING   UINT32_C(0xFFB98150)
#define MAC_ADDRESSES UINT32_C(0xFFB98154)
#define HEADER        UINT32_C(0xFFB98200)
#define LDM_END       UINT32_C(0xFFB02000)
#define FIRMWARE_GP   UINT32_C(0xFFB007F0) /* of board firmware, whose data begins at 0xFFB00000; assumed */

enum { QUEUE_SIZE = 0x1000, HOLD_E0 = 11, HOLD_BOTH = 3 << HOLD_E0 };

/* Number words by offset, from one on, so that zero means none. */
enum class { NONE, KEEP, COUNT, STATUS, ZERO, SEND };

static const uint8_t txq_class[ETH_TXQ_WORDS] = {
#define CLASS_TXQ(offset, class) [(offset) / 4] = (class),
#define CLASS_RXQ(offset, class)
#define ETH_REG(block, offset, name, kind) CLASS_##block(offset, kind)
#include "tile/eth.def"
#undef CLASS_TXQ
#undef CLASS_RXQ
};

static const uint8_t rxq_class[ETH_RXQ_WORDS] = {
#define CLASS_TXQ(offset, class)
#define CLASS_RXQ(offset, class)           [(offset) / 4] = (class),
#define ETH_REG(block, offset, name, kind) CLASS_##block(offset, kind)
#include "tile/eth.def"
#undef CLASS_TXQ
#undef CLASS_RXQ
};

unsigned eth_core(unsigned i) {
    return i ? BH_NCRISC : BH_BRISC;
}

const char *eth_core_name(unsigned core) {
    return core == eth_core(0) ? "erisc0" : "erisc1";
}

/* Firmware does not use the third queue. Header 0 is a broadcast, header 1 a multicast for RX queue 1 (eth_firmware.c).
 * Unicasts go to RX queue 2. */
void eth_init(struct eth *eth) {
    enum { CFG_SEL_SW = 0x80 / 4, CFG_SEL_HW = 0x84 / 4, ADDRESS = 0x18 / 4, ENTRY = 0x80 / 4 };
    enum { MAX_PACKET = 0x0C / 4, STRIP = 0x18 / 4 };
    *eth = (struct eth){ .soft_reset = HOLD_BOTH, .mac_rx_address_routing = 0xA00, .eop_good = ETH_EOP_GOOD };
    for (unsigned i = 0; i < ETH_QUEUES; i++) {
        eth->txq[i][MAX_PACKET] = ETH_PACKET_BYTES;
        eth->rxq[i][STRIP] = ETH_MAC_HEADER;
    }
    for (unsigned i = 0; i < 2; i++) {
        eth->txq[i][0] = 1; /* TT-link */
        eth->rxq[i][0] = 2;
    }
    eth->txq[1][CFG_SEL_SW] = 0x111;
    eth->txq[1][CFG_SEL_HW] = 1;
    eth->header[ADDRESS] = UINT32_MAX;
    eth->header[ADDRESS + 1] = 0xFFFF;
    eth->header[ENTRY + ADDRESS] = 1;
    eth->header[ENTRY + ADDRESS + 1] = 0x100;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

struct spot {
    uint32_t *word; /* NULL: the register keeps nothing */
    enum class class;
};

static struct spot queue_spot(uint32_t offset, const uint8_t *classes, uint32_t *words, unsigned count) {
    unsigned queue = offset / QUEUE_SIZE, word = offset % QUEUE_SIZE / 4;
    if (word >= count)
        return (struct spot){ NULL, NONE };
    return (struct spot){ words + queue * count + word, (enum class)classes[word] };
}

static struct spot find(struct eth *eth, uint32_t address) {
    if (address - TXQ < ETH_QUEUES * QUEUE_SIZE)
        return queue_spot(address - TXQ, txq_class, eth->txq[0], ETH_TXQ_WORDS);
    if (address - RXQ < ETH_QUEUES * QUEUE_SIZE)
        return queue_spot(address - RXQ, rxq_class, eth->rxq[0], ETH_RXQ_WORDS);
    if (address - HEADER < sizeof eth->header)
        return (struct spot){ &eth->header[(address - HEADER) / 4], KEEP };
    if (address - PIC < PIC_SIZE)
        return (struct spot){ NULL, ZERO };
    switch (address) {
    case SOFT_RESET: return (struct spot){ &eth->soft_reset, KEEP };
    case FIRST_PC_0: return (struct spot){ &eth->first_pc[0], KEEP };
    case FIRST_PC_1: return (struct spot){ &eth->first_pc[1], KEEP };
    case LAST_PC_0: return (struct spot){ &eth->last_pc[0], KEEP };
    case LAST_PC_1: return (struct spot){ &eth->last_pc[1], KEEP };
    case EOP_GOOD: return (struct spot){ &eth->eop_good, KEEP };
    case CLOCK_LATCHED: return (struct spot){ &eth->clock_high, KEEP };
    case MAC_ROUTING: return (struct spot){ &eth->mac_rx_routing, KEEP };
    case MAC_ADDRESSES: return (struct spot){ &eth->mac_rx_address_routing, KEEP };
    case PCS_STATUS: return (struct spot){ NULL, ZERO };
    default: return (struct spot){ NULL, NONE };
    }
}

static struct access unmodelled(void) {
    return access_refused(BH_FAULT_UNMODELLED, "this register of an Ethernet tile is not modelled");
}

/* Returns whether the register is one for debugging that an Ethernet tile has like a Tensix tile. */
static bool is_debugging(uint32_t address) {
    switch ((int)address) {
    case REG_AT_CONTROL_DBG_L1_MEM_REG0:
    case REG_AT_CONTROL_DBG_L1_MEM_REG1:
    case REG_AT_CONTROL_DBG_L1_MEM_REG2:
    case REG_AT_CONTROL_DBG_BUS_CTRL:
    case REG_AT_CONTROL_DBG_RD_DATA: return true;
    default: return risc_debug_has(address) || watchdog_has(address);
    }
}

/* ---- Reads -------------------------------------------------------------------------------------- */

/* Returns what a word reads that is kept, counted or made up by a queue. */
static uint32_t value_at(const struct tile *tile, const struct spot *spot, uint32_t address, uint64_t time) {
    const struct eth_port *port = tile->eth_port;
    uint32_t kept = spot->word ? *spot->word : 0;
    if (address == PCS_STATUS)
        return port && port->up;
    if (!port)
        return spot->class == KEEP || spot->class == COUNT ? kept : 0;
    if (address - TXQ < ETH_QUEUES * QUEUE_SIZE && spot->class != SEND)
        return eth_txq_word(port, (address - TXQ) / QUEUE_SIZE, (address - TXQ) % QUEUE_SIZE, kept, time);
    if (address - RXQ < ETH_QUEUES * QUEUE_SIZE)
        return eth_rxq_word(port, (address - RXQ) / QUEUE_SIZE, (address - RXQ) % QUEUE_SIZE, kept, time);
    return spot->class == KEEP ? kept : 0;
}

struct access eth_peek(const struct tile *tile, uint32_t address, uint64_t time, uint32_t *value) {
    struct spot spot = find((struct eth *)(uintptr_t)&tile->eth, address);
    if ((int)address == REG_AT_CONTROL_DBG_RD_DATA)
        return debug_bus_read(tile, value);
    if (is_debugging(address))
        return control_peek(&tile->control, address, time, value);
    if (eth_classifier_has(address))
        *value = eth_classifier_read(&tile->eth.classifier, address);
    else if (address == CLOCK_LOW)
        *value = (uint32_t)time;
    else if (address == CLOCK_HIGH)
        *value = (uint32_t)(time >> 32);
    else if (spot.class == NONE)
        return unmodelled();
    else
        *value = value_at(tile, &spot, address, time);
    return access_done();
}

struct access eth_read(struct tile *tile, uint32_t address, uint64_t time, uint32_t *value) {
    if (address == CLOCK_LOW)
        tile->eth.clock_high = (uint32_t)(time >> 32);
    return eth_peek(tile, address, time, value);
}

bool eth_steady(uint32_t address) {
    return (int)address != REG_AT_CONTROL_DBG_RD_DATA && address != CLOCK_LOW && address != CLOCK_HIGH &&
           !watchdog_has(address);
}

bool eth_soon(const struct tile *tile, uint32_t address, uint64_t time) {
    enum { REMOTE_SEQUENCE = 0x44 };
    const struct eth_port *port = tile->eth_port;
    if (port && address - TXQ < ETH_QUEUES * QUEUE_SIZE)
        return !eth_txq_steady(port, (address - TXQ) / QUEUE_SIZE, (address - TXQ) % QUEUE_SIZE, time);
    if (port && address - RXQ < ETH_QUEUES * QUEUE_SIZE && (address - RXQ) % QUEUE_SIZE == REMOTE_SEQUENCE)
        return !eth_txq_steady(port, (address - RXQ) / QUEUE_SIZE, REMOTE_SEQUENCE, time);
    return false;
}

/* ---- Soft reset --------------------------------------------------------------------------------- */

uint32_t eth_first_pc(unsigned core) {
    return core == eth_core(0) ? FIRST_PC_0 : FIRST_PC_1;
}

uint32_t eth_reset_bits(unsigned cores) {
    return (cores >> eth_core(0) & 1) << HOLD_E0 | (cores >> eth_core(1) & 1) << (HOLD_E0 + 1);
}

/* Holds a core in reset or releases it. Returns whether the core's state has changed. E1 starts with its stack pointer
 * at the end of its local memory, as firmware leaves it (ttsim). */
static bool hold_or_release(struct tile *tile, unsigned i, bool hold, uint64_t time) {
    struct core *core = &tile->core[eth_core(i)];
    bool held = core->state == BH_CORE_IN_RESET;
    if (hold == held || (!hold && !tile->eth.first_pc[i]))
        return false;
    if (hold) {
        core_hold(core);
        risc_debug_held(tile, core->id);
        return true;
    }
    core_release(core, tile->eth.first_pc[i], time, false);
    if (i == 1)
        core->x[2] = LDM_END;
    return true;
}

void eth_start(struct tile *tile, unsigned i, uint32_t pc, uint32_t back, uint64_t time) {
    enum { RA = 1, SP = 2, GP = 3 };
    struct core *core = &tile->core[eth_core(i)];
    if (core->state != BH_CORE_IN_RESET)
        core_hold(core);
    core_release(core, pc, time, false);
    core->x[RA] = back;
    core->x[SP] = LDM_END;
    core->x[GP] = FIRMWARE_GP;
    tile->eth.soft_reset &= ~(UINT32_C(1) << (HOLD_E0 + i));
    tile_reschedule(tile);
}

static void soft_reset(struct tile *tile, uint32_t value, uint64_t time) {
    bool changed = false;
    tile->eth.soft_reset = value & HOLD_BOTH;
    for (unsigned i = 0; i < ETH_CORES; i++)
        changed |= hold_or_release(tile, i, value >> (HOLD_E0 + i) & 1, time);
    if (changed)
        tile_reschedule(tile);
}

/* ---- Writes ------------------------------------------------------------------------------------- */

/* Returns the bits of a register of class KEEP. */
static uint32_t bits_of(uint32_t address) {
#define ETH_BITS(block, offset, bits) \
    if (address - block < ETH_QUEUES * QUEUE_SIZE && (address - block) % QUEUE_SIZE == (offset)) \
        return bits;
#include "tile/eth.def"
    return UINT32_MAX;
}

/* Precondition: the spot is ETH_TXQ_CMD. */
static struct access send(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    if (!tile->eth_port)
        return access_refused(BH_FAULT_UNMODELLED, "nothing can be sent: no cable is connected");
    return eth_command(tile, (address - TXQ) / QUEUE_SIZE, value, time);
}

static struct access write_spot(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    struct spot spot = find(&tile->eth, address);
    if (address == MAC_ROUTING && value & 1)
        return access_refused(BH_FAULT_UNDEFINED, "MAC_RX_ROUTING: 1 and 3 are reserved");
    switch (spot.class) {
    case KEEP: *spot.word = value & bits_of(address); return access_done();
    case SEND: return send(tile, address, time, value);
    case COUNT:
    case STATUS:
    case ZERO: break;
    case NONE: return unmodelled();
    }
    if (address - PIC >= PIC_SIZE || !value) /* read-only, or switches something off */
        return access_done();
    return access_refused(BH_FAULT_UNMODELLED, "interrupts of Ethernet tiles are not modelled");
}

static struct access write_classifier(struct eth *eth, uint32_t address, uint32_t value) {
    eth->classifies = true;
    return eth_classifier_write(&eth->classifier, address, value);
}

struct access eth_write(struct tile *tile, uint32_t address, uint64_t time, uint32_t value) {
    if (risc_debug_has(address)) {
        risc_debug_write(tile, address, time, value);
        return access_done();
    }
    if ((int)address == REG_AT_CONTROL_DBG_L1_MEM_REG2)
        return debug_bus_write(tile, value, time);
    if (is_debugging(address))
        return control_write(&tile->control, address, value, time);
    if (eth_classifier_has(address))
        return write_classifier(&tile->eth, address, value);
    switch (address) {
    case SOFT_RESET: soft_reset(tile, value, time); return access_done();
    case CLOCK_LOW: tile->eth.clock_high = (uint32_t)(time >> 32); return access_done();
    case CLOCK_HIGH:
    case CLOCK_LATCHED: return access_done(); /* read-only */
    default: return write_spot(tile, address, time, value);
    }
}

struct access eth_poke(struct tile *tile, uint32_t address, uint32_t value) {
    struct spot spot = find(&tile->eth, address);
    if (address == SOFT_RESET)
        return access_refused(BH_FAULT_UNMODELLED, "SOFT_RESET_0 acts on cores: write it, or hold and release them");
    if (eth_classifier_has(address))
        return write_classifier(&tile->eth, address, value);
    if (spot.class != KEEP)
        return unmodelled();
    *spot.word = value & bits_of(address);
    return access_done();
}
