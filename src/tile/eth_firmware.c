/* Effects of firmware in Ethernet tiles: see eth_firmware.h. */
#include "tile/eth_firmware.h"

#include "tile/l1.h"

enum {
    POSTCODE = 0x7CC00,
    PORT_STATUS = 0x7CC04,
    HEARTBEAT = 0x7CC70,
    FUNCTIONS = 0x7CF00, /* addresses: send a message, serve messages, check the link */
    VERSION = 0x7CFBC,   /* patch, minor, major */
    LOCAL = 0x7CFC0,     /* identity of the link as its peer would see it: bytes and words at */
    LOCAL_CHANNEL = LOCAL + 2,
    LOCAL_LIVE_CHANNEL = LOCAL + 3, /* counts live channels only */
    LOCAL_BOARD_HIGH = LOCAL + 4,
    LOCAL_BOARD_LOW = LOCAL + 8,
    LOCAL_ASIC_LOW = LOCAL + 24, /* the rest is zero: location on the board, ASIC_ID_HIGH */

    PORT_DOWN = 2,
    VERSION_1_6_0 = 0x010600,
    RETURN = 0x8067,   /* the instruction ret */
    BEAT_CYCLES = 256, /* a guess */
};

#define POSTCODE_PASS  UINT32_C(0xC0DEA000)
#define HEARTBEAT_MARK UINT32_C(0xABCD0000) /* mark of board firmware; bits 15:0 count */

static void put(struct tile *tile, uint32_t address, uint32_t value) {
    l1_write(tile, address, &value, sizeof value, tile->time);
}

static void put_byte(struct tile *tile, uint32_t address, uint8_t value) {
    l1_write(tile, address, &value, sizeof value, tile->time);
}

static void put_identity(struct tile *tile, uint64_t board_id, const struct bh_tile_info *info) {
    put_byte(tile, LOCAL_CHANNEL, info->index);
    put_byte(tile, LOCAL_LIVE_CHANNEL, info->logical.y);
    put(tile, LOCAL_BOARD_HIGH, (uint32_t)(board_id >> 32));
    put(tile, LOCAL_BOARD_LOW, (uint32_t)board_id);
    put(tile, LOCAL_ASIC_LOW, 1);
}

void eth_firmware_init(struct tile *tile, uint64_t board_id, const struct bh_tile_info *info) {
    static const uint32_t functions[] = { 0x71574, 0x759AC, 0x75414 };
    put(tile, POSTCODE, POSTCODE_PASS);
    put(tile, PORT_STATUS, PORT_DOWN);
    put(tile, VERSION, VERSION_1_6_0);
    put_identity(tile, board_id, info);
    for (uint32_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        put(tile, FUNCTIONS + 4 * i, functions[i]);
        put(tile, functions[i], RETURN);
    }
}

void eth_firmware_beat(struct tile *tile, uint64_t address, size_t size, uint64_t time) {
    if (address > HEARTBEAT || address + size <= HEARTBEAT || tile->core[eth_core(0)].state != BH_CORE_IN_RESET)
        return;
    const uint32_t beat = HEARTBEAT_MARK | (uint32_t)(time / BEAT_CYCLES & 0xFFFF);
    l1_write(tile, HEARTBEAT, &beat, sizeof beat, time);
}
