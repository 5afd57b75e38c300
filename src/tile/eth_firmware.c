/* Effects of firmware in Ethernet tiles: see eth_firmware.h. */
#include "tile/eth_firmware.h"

#include <string.h>

#include "tile/l1.h"

enum {
    POSTCODE = 0x7CC00,
    PORT_STATUS = 0x7CC04,
    TRAIN_STATUS = 0x7CC08,
    TRAIN_SPEED = 0x7CC0C,
    HEARTBEAT = 0x7CC70,
    RETRAIN_COUNT = 0x7CE00,
    RX_LINK_UP = 0x7CE04,
    LINK_FLAPS = 0x7CE08,
    COUNTS = 0x7CE20,    /* 64 bits each, in the order below */
    FUNCTIONS = 0x7CF00, /* addresses of functions: send a message, serve messages, check the link, initialise NoC
                            counters, recover the link */
    VERSION = 0x7CFBC,   /* patch, minor, major */
    LOCAL = 0x7CFC0,     /* identity of this end of the link */
    REMOTE = 0x7CFE0,    /* identity of the other end */
    MAILBOXES = 0x7D000, /* one for the host and three others, each with a message and three words for it */

    SERVE = 1, /* index in FUNCTIONS */
    SERVE_AT = 0x759AC,
    IDLE_AT = 0x70000, /* where a kernel that returns to firmware ends */

    PORT_UP = 1,
    PORT_DOWN = 2,
    TRAINING = 0,
    TRAINED = 2,
    VERSION_1_6_0 = 0x010600,
    RETURN = 0x8067,              /* the instruction ret */
    BEAT_CYCLES = 256,            /* a guess */
    MULTICASTS_TO_QUEUE_1 = 0x50, /* MAC_RX_ADDR_ROUTING: TX queue 1 sends multicasts (eth_init) */
    MAX_PACKET = 0x0C / 4,
    RESEND_CNT = 0x68 / 4,
    DROP_CNT = 0x4C / 4,
};

/* Offsets in an identity. */
enum { LOCATION = 1, CHANNEL = 2, LIVE_CHANNEL = 3, BOARD_HIGH = 4, BOARD_LOW = 8, ASIC_HIGH = 20, ASIC_LOW = 24 };

/* Counts, in their order at COUNTS. The indices left out stay 0. */
enum {
    FRAMES_SENT,
    FRAMES_SENT_WELL,
    BYTES_SENT = 3,
    BYTES_SENT_WELL,
    FRAMES_CAME = 6,
    FRAMES_CAME_WELL,
    FRAMES_DROPPED = 9,
    BYTES_CAME,
    BYTES_CAME_WELL,
    RESENT = 16,                   /* for each TX queue */
    DROPPED = RESENT + ETH_QUEUES, /* for each RX queue */
    COUNTS_END = DROPPED + ETH_QUEUES,
};

#define POSTCODE_PASS  UINT32_C(0xC0DEA000)
#define HEARTBEAT_MARK UINT32_C(0xABCD0000) /* upper half of the heartbeat of board firmware; the lower half counts */

/* A message has a mark in its upper half and its type in the lower half. */
#define MESSAGE_MASK UINT32_C(0xFFFF0000)
#define MESSAGE_CALL UINT32_C(0xCA110000)
#define MESSAGE_DONE UINT32_C(0xD0E50000)
enum { RELEASE_CORE = 2, MAILBOX = 16 };

/* The code that answers each message: for (t0 = MAILBOXES, t1 = 4; t1; t0 += 16, t1--), if the mark is CALL, it becomes
 * DONE. */
static const uint32_t serve[] = {
    0x0007D2B7, /*       lui  t0, 0x7d          */
    0x00400313, /*       li   t1, 4             */
    0xCA110EB7, /*       lui  t4, 0xca110       */
    0xD0E50F37, /*       lui  t5, 0xd0e50       */
    0x0002A383, /* next: lw   t2, 0(t0)         */
    0x0103DE13, /*       srli t3, t2, 16        */
    0x010E1E13, /*       slli t3, t3, 16        */
    0x01DE1A63, /*       bne  t3, t4, done      */
    0x01039393, /*       slli t2, t2, 16        */
    0x0103D393, /*       srli t2, t2, 16        */
    0x01E3E3B3, /*       or   t2, t2, t5        */
    0x0072A023, /*       sw   t2, 0(t0)         */
    0x01028293, /* done: addi t0, t0, 16        */
    0xFFF30313, /*       addi t1, t1, -1        */
    0xFC031CE3, /*       bnez t1, next          */
    RETURN,
};

static void put(struct tile *tile, uint32_t address, uint32_t value) {
    l1_write(tile, address, &value, sizeof value, tile->time);
}

static uint32_t get(const struct tile *tile, uint32_t address) {
    uint32_t value;
    memcpy(&value, tile->l1 + address, sizeof value);
    return value;
}

static void put_byte(struct tile *tile, uint32_t address, uint8_t value) {
    l1_write(tile, address, &value, sizeof value, tile->time);
}

static void put_identity(struct tile *tile, uint32_t at, const struct eth_identity *identity) {
    put_byte(tile, at + LOCATION, identity->location);
    put_byte(tile, at + CHANNEL, identity->channel);
    put_byte(tile, at + LIVE_CHANNEL, identity->live_channel);
    put(tile, at + BOARD_HIGH, (uint32_t)(identity->board_id >> 32));
    put(tile, at + BOARD_LOW, (uint32_t)identity->board_id);
    put(tile, at + ASIC_HIGH, (uint32_t)(identity->asic_id >> 32));
    put(tile, at + ASIC_LOW, (uint32_t)identity->asic_id);
}

/* ---- The link ------------------------------------------------------------------------------------------------- */

/* Firmware that has trained a link runs on E0, so that E0 is shown as released (ttsim). Programs of the host start on
 * E0 all the same once its first pc is set. */
static void show_firmware(struct tile *tile) {
    if (tile->core[eth_core(0)].state == BH_CORE_IN_RESET && !tile->eth.first_pc[0])
        tile->eth.soft_reset &= ~eth_reset_bits(1u << eth_core(0));
}

/* Without a cable, training never ends. */
void eth_firmware_link(struct tile *tile) {
    const struct eth_port *port = tile->eth_port;
    bool up = port && port->up;
    if (up)
        show_firmware(tile);
    put(tile, PORT_STATUS, up ? PORT_UP : PORT_DOWN);
    put(tile, TRAIN_STATUS, up ? TRAINED : TRAINING);
    put(tile, TRAIN_SPEED, up ? port->rate : 0);
    put(tile, RX_LINK_UP, up);
    put(tile, RETRAIN_COUNT, port && port->trainings > 1 ? port->trainings - 1 : 0);
    put(tile, LINK_FLAPS, port ? port->cuts : 0);
    put_identity(tile, REMOTE, port ? &port->peer : &(struct eth_identity){ 0 });
}

static void put_counts(struct tile *tile, uint64_t time) {
    const struct eth_port *port = tile->eth_port;
    const uint64_t count[COUNTS_END] = {
        [FRAMES_SENT] = port->sent.frames,
        [FRAMES_SENT_WELL] = port->sent.frames,
        [BYTES_SENT] = port->sent.bytes,
        [BYTES_SENT_WELL] = port->sent.bytes,
        [FRAMES_CAME] = port->received.frames,
        [FRAMES_CAME_WELL] = port->received.frames,
        [FRAMES_DROPPED] = port->dropped,
        [BYTES_CAME] = port->received.bytes,
        [BYTES_CAME_WELL] = port->received.bytes,
        [RESENT] = tile->eth.txq[0][RESEND_CNT],
        [RESENT + 1] = tile->eth.txq[1][RESEND_CNT],
        [RESENT + 2] = tile->eth.txq[2][RESEND_CNT],
        [DROPPED] = tile->eth.rxq[0][DROP_CNT],
        [DROPPED + 1] = tile->eth.rxq[1][DROP_CNT],
        [DROPPED + 2] = tile->eth.rxq[2][DROP_CNT],
    };
    l1_write(tile, COUNTS, count, sizeof count, time);
}

/* ---- Life ------------------------------------------------------------------------------------------------------ */

void eth_firmware_init(struct tile *tile, const struct eth_identity *identity) {
    static const uint32_t functions[] = { 0x71574, SERVE_AT, 0x75414, 0x75418, 0x7541C };
    put(tile, POSTCODE, POSTCODE_PASS);
    put(tile, VERSION, VERSION_1_6_0);
    put_identity(tile, LOCAL, identity);
    for (uint32_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        put(tile, FUNCTIONS + 4 * i, functions[i]);
        put(tile, functions[i], RETURN);
    }
    l1_write(tile, SERVE_AT, serve, sizeof serve, tile->time);
    put(tile, IDLE_AT, 0x6F); /* a jump to itself */
    if (tile->eth_port) {
        tile->eth.mac_rx_address_routing |= MULTICASTS_TO_QUEUE_1;
        tile->eth.txq[0][MAX_PACKET] = tile->eth.txq[1][MAX_PACKET] = ETH_LINK_BYTES;
    }
    eth_firmware_link(tile);
}

static bool meets(uint64_t address, size_t size, uint32_t at, uint32_t length) {
    return address < (uint64_t)at + length && address + size > at;
}

/* Returns whether firmware has E0: no kernel has started, or the kernel has returned. */
static bool has_core(const struct tile *tile) {
    const struct core *core = &tile->core[eth_core(0)];
    return core->state == BH_CORE_IN_RESET || core->pc == IDLE_AT;
}

void eth_firmware_beat(struct tile *tile, uint64_t address, size_t size, uint64_t time) {
    if (tile->eth_port && meets(address, size, COUNTS, COUNTS_END * sizeof(uint64_t)))
        put_counts(tile, time);
    if (!meets(address, size, HEARTBEAT, 1) || !has_core(tile))
        return;
    const uint32_t beat = HEARTBEAT_MARK | (uint32_t)(time / BEAT_CYCLES & 0xFFFF);
    l1_write(tile, HEARTBEAT, &beat, sizeof beat, time);
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

void eth_firmware_message(struct tile *tile, uint64_t address, size_t size, uint64_t time) {
    uint32_t message = get(tile, MAILBOXES);
    if (!meets(address, size, MAILBOXES, 4) || (message & MESSAGE_MASK) != MESSAGE_CALL || !has_core(tile))
        return;
    put(tile, MAILBOXES, MESSAGE_DONE | (message & ~MESSAGE_MASK));
    if ((message & ~MESSAGE_MASK) == RELEASE_CORE)
        eth_start(tile, 0, get(tile, MAILBOXES + 4), IDLE_AT, time);
}
