/* The network: accesses memory of other tiles, DRAM and the host. BH pages NoC/MemoryMap, Counters, Atomics.
 *
 * A request is written to a command buffer of the tile's network interface (NIU), which carries it out and counts what
 * has come back; the _done functions wait for that. Tiles have the coordinates of my_x(), my_y() and the host. Both
 * addresses of a transfer must agree in their lowest four bits (six for reads of DRAM).
 */
#ifndef KIT_NOC_H
#define KIT_NOC_H

#include "bhemu_guest.h"

enum { NOC_BUFFER_WRITE = 0, NOC_BUFFER_READ = 1, NOC_BUFFER_REGISTER = 2, NOC_BUFFER_ATOMIC = 3 };
enum { NOC_LARGEST = 16384 }; /* most bytes of a request */

/* Registers of a command buffer. */
enum {
    NOC_TARGET = 0x00, /* the address to read or increment; for a write, that of the data. Three words */
    NOC_RETURN = 0x0C, /* the address that the data go to. Three words */
    NOC_TAG = 0x18,
    NOC_CTRL = 0x1C,
    NOC_LENGTH = 0x20, /* or the atomic operation */
    NOC_DATA = 0x28,
    NOC_GO = 0x40, /* write 1 to start; not 0 while the buffer is busy */
};
enum {
    NOC_READ = 0,
    NOC_ATOMIC = 1,
    NOC_WRITE = 2,
    NOC_INLINE = 1 << 3,  /* write the word in NOC_DATA */
    NOC_RESPOND = 1 << 4, /* count the arrival */
    NOC_MULTICAST = 1 << 5,
    NOC_LINKED = 1 << 6,         /* the next request of the buffer goes to the same tiles, none in between */
    NOC_STATIC_CHANNEL = 1 << 7, /* requests on one channel stay in order */
    NOC_RESERVE_PATH = 1 << 8,
    NOC_CHANNEL = 1 << 13, /* multiply by the number of the channel */
};
enum { NOC_COUNT_ATOMIC = 0x200, NOC_COUNT_WRITE = 0x204, NOC_COUNT_READ = 0x208, NOC_COUNT_SENT = 0x228 };
enum { NOC_OUTSTANDING = 0x240 }; /* a word for each of 16 ids: number of unanswered requests */

#define NOC_NUMBER    (GUEST_CORE == GUEST_NCRISC)
#define NOC_REGISTERS (NOC_NUMBER ? MAP_NIU1 : MAP_NIU0)

/* Values of the counters after everything has completed; noc_sent: after the data of all writes have left the tile. */
static uint32_t noc_reads, noc_writes, noc_atomics, noc_sent;
static uint32_t noc_id;                 /* id of the next reads */
GUEST_L1 static uint32_t noc_old_value; /* where atomics store the old value */

static inline void noc_init(void) {
    noc_reads = reg_read(NOC_REGISTERS + NOC_COUNT_READ);
    noc_writes = reg_read(NOC_REGISTERS + NOC_COUNT_WRITE);
    noc_atomics = reg_read(NOC_REGISTERS + NOC_COUNT_ATOMIC);
    noc_sent = reg_read(NOC_REGISTERS + NOC_COUNT_SENT);
}

static inline uint32_t noc_tile(uint32_t x, uint32_t y) {
    return x | y << 6;
}

static inline uint32_t noc_self(void) {
    return reg_read(NOC_ID_LOGICAL) & 0xFFF;
}

/* Returns the rectangle from (x0, y0) to (x1, y1), x0 <= x1 and y0 <= y1. NoC 1 runs in the opposite direction. */
static inline uint32_t noc_rectangle(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1) {
    return NOC_NUMBER ? noc_tile(x0, y0) | noc_tile(x1, y1) << 12 : noc_tile(x1, y1) | noc_tile(x0, y0) << 12;
}

static inline uint32_t noc_wait_for_buffer(unsigned buffer) {
    uint32_t at = NOC_REGISTERS + 0x800 * buffer;
    while (reg_read(at + NOC_GO))
        ;
    return at;
}

static inline void noc_place(uint32_t at, uint32_t tile, uint64_t address) {
    reg_write(at + 0, (uint32_t)address);
    reg_write(at + 4, (uint32_t)(address >> 32));
    reg_write(at + 8, tile);
}

static inline void noc_send(unsigned buffer, uint32_t target, uint64_t target_address, uint32_t back,
                            uint64_t back_address, uint32_t length, uint32_t control) {
    uint32_t at = noc_wait_for_buffer(buffer);
    noc_place(at + NOC_TARGET, target, target_address);
    noc_place(at + NOC_RETURN, back, back_address);
    reg_write(at + NOC_TAG, buffer == NOC_BUFFER_READ ? noc_id << 10 : 0);
    reg_write(at + NOC_LENGTH, length);
    reg_write(at + NOC_CTRL, control);
    reg_write(at + NOC_GO, 1);
}

/* Reads from another tile's memory to own L1. */
static inline void noc_read(uint32_t tile, uint64_t from, uint32_t to, uint32_t bytes) {
    for (uint32_t part; bytes; bytes -= part, from += part, to += part) {
        part = bytes < NOC_LARGEST ? bytes : (unsigned)NOC_LARGEST;
        noc_send(NOC_BUFFER_READ, tile, from, noc_self(), to, part,
                 NOC_READ | NOC_RESPOND | NOC_STATIC_CHANNEL | NOC_CHANNEL);
        noc_reads++;
    }
}

/* Waits until the core's earlier stores are in L1, where a NoC write can read them. A fence alone only sends them on
 * their way; a load from L1 returns after them. at: address of any word of L1. */
static inline void noc_stores_done(uint32_t at) {
    fence();
    uint32_t word = *(volatile uint32_t *)(uintptr_t)at;
    __asm__ volatile("mv zero, %0" : : "r"(word) : "memory"); /* waits for the load */
}

static inline void noc_write_to(uint32_t tiles, uint64_t to, uint32_t from, uint32_t bytes, uint32_t control,
                                uint32_t receivers) {
    fence(); /* the core's stores are on their way to L1 now: see noc_stores_done */
    for (uint32_t part; bytes; bytes -= part, from += part, to += part) {
        part = bytes < NOC_LARGEST ? bytes : (unsigned)NOC_LARGEST;
        noc_send(NOC_BUFFER_WRITE, noc_self(), from, tiles, to, part, NOC_WRITE | NOC_RESPOND | control);
        noc_writes += receivers;
        noc_sent++;
    }
}

/* Writes from own L1 to another tile's memory. */
static inline void noc_write(uint32_t tile, uint64_t to, uint32_t from, uint32_t bytes) {
    noc_write_to(tile, to, from, bytes, NOC_STATIC_CHANNEL | NOC_CHANNEL, 1);
}

/* Writes to the same address of all tiles of a rectangle except the sender's; receivers: the number of these tiles. */
static inline void noc_multicast(uint32_t rectangle, uint32_t to, uint32_t from, uint32_t bytes, uint32_t receivers) {
    noc_write_to(rectangle, to, from, bytes, NOC_MULTICAST | NOC_RESERVE_PATH | NOC_STATIC_CHANNEL | 4 * NOC_CHANNEL,
                 receivers);
}

/* Writes a register of another tile, without counting it. Not for L1: inline writes there are not safe on Blackhole. */
static inline void noc_write_register(uint32_t tile, uint32_t address, uint32_t value) {
    uint32_t at = noc_wait_for_buffer(NOC_BUFFER_REGISTER);
    reg_write(at + NOC_DATA, value);
    noc_send(NOC_BUFFER_REGISTER, tile, address, noc_self(), 0, 4,
             NOC_WRITE | NOC_INLINE | NOC_STATIC_CHANNEL | NOC_CHANNEL);
}

/* Adds to a word of another tile's L1. The address is a multiple of 16. */
static inline void noc_increment(uint32_t tile, uint32_t address, uint32_t by) {
    uint32_t at = noc_wait_for_buffer(NOC_BUFFER_ATOMIC);
    reg_write(at + NOC_DATA, by);
    noc_send(NOC_BUFFER_ATOMIC, tile, address, noc_self(), (uint32_t)(uintptr_t)&noc_old_value,
             0x1000 | 31 << 2 /* increment, all 32 bits */,
             NOC_ATOMIC | NOC_RESPOND | NOC_STATIC_CHANNEL | NOC_CHANNEL);
    noc_atomics++;
}

static inline void noc_count_to(uint32_t counter, uint32_t count) {
    while ((int32_t)(reg_read(NOC_REGISTERS + counter) - count) < 0)
        ;
    fence();
}

static inline void noc_reads_done(void) {
    noc_count_to(NOC_COUNT_READ, noc_reads);
}

static inline void noc_writes_done(void) {
    noc_count_to(NOC_COUNT_WRITE, noc_writes);
}

/* Waits until the data of all writes have left, so that the core may change them. */
static inline void noc_writes_sent(void) {
    noc_count_to(NOC_COUNT_SENT, noc_sent);
}

/* Waits for the reads that were made with this noc_id. */
static inline void noc_id_done(uint32_t id) {
    while (reg_read(NOC_REGISTERS + NOC_OUTSTANDING + 4 * id))
        ;
    fence();
}

static inline void noc_atomics_done(void) {
    noc_count_to(NOC_COUNT_ATOMIC, noc_atomics);
}

#endif
