/* For files whose tests have several chips: words of a chip by its BAR 0, and the links that firmware reports. */
#ifndef TESTS_ABI_CHIPS_H
#define TESTS_ABI_CHIPS_H

#include "client.h"
#include "support/sanitizers.h"

enum { ETH_X = 20, ETH_Y = 25, PORTS = 12, PORT_UP = 1, PORT_DOWN = 2 };

/* Registers of TX queue 0 of an Ethernet tile. */
enum { SEND_DATA = 2 };
#define TX_CMD  UINT32_C(0xFFB90004)
#define TX_FROM UINT32_C(0xFFB90014)
#define TX_SIZE UINT32_C(0xFFB90018)
#define TX_TO   UINT32_C(0xFFB9001C)

static struct ttsim abi; /* of the test that runs */

static inline void start_with(const char *machine) {
    if (machine)
        setenv("BHEMU_SYSTEM", machine, 1);
    memset(host_memory, 0, sizeof host_memory);
    abi = load();
    abi.callbacks(dma_read, dma_write);
    abi.init();
    unsetenv("BHEMU_SYSTEM");
}

static inline void stop(void) {
    abi.exit();
    close_abi(&abi);
}

static inline uint64_t bar_of(const struct ttsim *in, unsigned chip, unsigned bar) {
    uint64_t low = in->config_read(chip << 3, 0x10 + 4 * bar), high = in->config_read(chip << 3, 0x14 + 4 * bar);
    return (high << 32 | low) & ~UINT64_C(15);
}

/* ---- Words of tiles, through window 0 of a BAR 0 -------------------------------------------------------- */

static inline void aim(const struct ttsim *in, uint64_t bar0, unsigned x, unsigned y, uint64_t address) {
    uint64_t low = address >> 21 | (uint64_t)x << 43 | (uint64_t)y << 49;
    uint32_t word[3] = { (uint32_t)low, (uint32_t)(low >> 32), 0 };
    for (unsigned i = 0; i < 3; i++)
        in->write(bar0 + 0x1FC00000 + 4 * i, &word[i], 4);
}

static inline void put(const struct ttsim *in, uint64_t bar0, unsigned x, unsigned y, uint64_t address,
                       uint32_t value) {
    aim(in, bar0, x, y, address);
    in->write(bar0 + address % (1 << 21), &value, 4);
}

static inline uint32_t get(const struct ttsim *in, uint64_t bar0, unsigned x, unsigned y, uint64_t address) {
    uint32_t value = 0;
    aim(in, bar0, x, y, address);
    in->read(bar0 + address % (1 << 21), &value, 4);
    return value;
}

/* Bus address of BAR 0 of a chip, where the library has put it. */
static inline uint64_t home(unsigned chip) {
    return BAR0 + ((uint64_t)chip << 36);
}

/* ---- Programs and frames ---------------------------------------------------------------------------------- */

/* Stores 0x55 at 0x100 of the tile, then stays where it is. */
static inline void start_on(const struct ttsim *in, uint64_t bar0, unsigned x, unsigned y) {
    static const uint32_t program[] = { 0x05500293, 0x10502023, 0x0000006F };
    for (unsigned i = 0; i < 3; i++)
        put(in, bar0, x, y, 4 * i, program[i]);
    put(in, bar0, x, y, 0xFFB121B0, 0x47000);
}

/* Sends 16 bytes with this number in front from a port, to 0x20000 of the tile at the other end. */
static inline void send_number(uint64_t bar0, unsigned port, uint32_t number) {
    put(&abi, bar0, ETH_X + port, ETH_Y, 0x10000, number);
    put(&abi, bar0, ETH_X + port, ETH_Y, TX_FROM, 0x10000);
    put(&abi, bar0, ETH_X + port, ETH_Y, TX_TO, 0x20000);
    put(&abi, bar0, ETH_X + port, ETH_Y, TX_SIZE, 16);
    put(&abi, bar0, ETH_X + port, ETH_Y, TX_CMD, SEND_DATA);
}

static inline uint32_t received_number(uint64_t bar0, unsigned port) {
    return get(&abi, bar0, ETH_X + port, ETH_Y, 0x20000);
}

static inline uint32_t port_state(uint64_t bar0, unsigned port) {
    return get(&abi, bar0, ETH_X + port, ETH_Y, 0x7CC04);
}

/* Value of a telemetry tag. */
static inline uint32_t tag_of(uint64_t bar0, unsigned tag) {
    uint32_t values = get(&abi, bar0, 8, 0, 0x80030430), table = get(&abi, bar0, 8, 0, 0x80030434);
    for (uint32_t i = 0, count = get(&abi, bar0, 8, 0, table + 4); i < count; i++) {
        uint32_t entry = get(&abi, bar0, 8, 0, table + 8 + 4 * i);
        if ((entry & 0xFFFF) == tag)
            return get(&abi, bar0, 8, 0, values + 4 * (entry >> 16));
    }
    fail_msg("no telemetry tag %u", tag);
    return 0;
}

#endif
