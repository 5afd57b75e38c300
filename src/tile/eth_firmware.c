/* The traces of firmware in Ethernet tiles: see eth_firmware.h. */
#include "tile/eth_firmware.h"

#include <string.h>

enum {
    POSTCODE = 0x7CC00,
    PORT_STATUS = 0x7CC04,
    HEARTBEAT = 0x7CC70,
    FUNCTIONS = 0x7CF00, /* addresses: send a message, serve messages, check the link */
    VERSION = 0x7CFBC,   /* patch, minor, major */

    PORT_DOWN = 2,
    VERSION_1_6_0 = 0x010600,
    RETURN = 0x8067,   /* the instruction ret */
    BEAT_CYCLES = 256, /* a guess */
};

#define POSTCODE_PASS UINT32_C(0xC0DEA000)

static void put(struct tile *tile, uint32_t address, uint32_t value) {
    memcpy(tile->l1 + address, &value, sizeof value);
}

void eth_firmware_init(struct tile *tile) {
    static const uint32_t functions[] = { 0x71574, 0x759AC, 0x75414 };
    put(tile, POSTCODE, POSTCODE_PASS);
    put(tile, PORT_STATUS, PORT_DOWN);
    put(tile, VERSION, VERSION_1_6_0);
    for (uint32_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        put(tile, FUNCTIONS + 4 * i, functions[i]);
        put(tile, functions[i], RETURN);
    }
}

void eth_firmware_beat(struct tile *tile, uint64_t address, size_t size, uint64_t time) {
    if (address > HEARTBEAT || address + size <= HEARTBEAT || tile->core[eth_core(0)].state != BH_CORE_IN_RESET)
        return;
    put(tile, HEARTBEAT, (uint32_t)(time / BEAT_CYCLES));
    tile_l1_written(tile, HEARTBEAT, 4, time);
}
