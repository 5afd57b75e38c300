/* Ping between two Ethernet tiles, without workers: each packet is a write of bytes to L1 of the other tile, and then a
 * write to a register there, which counts packets. */
#include "kit/eth.h"
#include "kit/stream.h"

enum { PINGS = 64, BYTES = 0x30000, WHO = 0x20000, STREAM = 0 };
enum { SIZE = 10, UPDATE = 270, SPACE = 297 }; /* registers of a stream that counts */
enum { ONE = 1 << 6, COUNT_MASK = (1 << 17) - 1 };

GUEST_L1 char message[96];

/* Written by the host: which end this is, and the number of bytes of a packet. */
struct end {
    uint32_t first, bytes;
};

static void send(uint32_t bytes) {
    eth_send(0, BYTES, BYTES, bytes);
    eth_write_register(0, stream_address(STREAM, UPDATE), ONE);
}

static void receive(uint32_t number) {
    while ((stream_get(STREAM, SPACE) & COUNT_MASK) < number)
        ;
}

static void report(uint32_t bytes, uint32_t cycles) {
    char *at = put_number(put_text(message, "a packet of "), bytes);
    at = put_number(put_text(at, " bytes and a register take "), cycles);
    at = put_number(put_text(at, " cycles ("), (cycles * 1000 + 675) / 1350);
    put_text(at, " ns) there and back\n");
}

int erisc0(void) {
    const struct end end = *(volatile struct end *)WHO;
    stream_set(STREAM, SIZE, 0);
    while (!eth_link_is_up())
        ;
    if (end.first)
        for (uint64_t start = wall_clock(); wall_clock() - start < 1000;) /* until the other end counts */
            ;
    uint64_t start = wall_clock();
    for (uint32_t i = 1; i <= PINGS; i++) {
        if (end.first)
            send(end.bytes);
        receive(i);
        if (!end.first)
            send(end.bytes);
    }
    if (end.first)
        report(end.bytes, (uint32_t)(wall_clock() - start) / PINGS);
    return 0;
}
