/* Addresses inside a Tensix tile that several parts of the command line and of libttsim.so need. docs/registers.md
 * lists all of them. */
#ifndef TOOLS_ADDRESSES_H
#define TOOLS_ADDRESSES_H

#include "bhemu.h"

#define L1_SIZE      0x180000u
#define LOCAL_BASE   0xFFB00000u /* local memory, at the address by which its own core accesses it */
#define LOCAL_SIZE   0x2000u     /* at most */
#define STREAMS      0xFFB40000u /* the registers of the overlay streams, one stream after the other */
#define STREAM_SIZE  0x1000u
#define STREAM_COUNT 64u

static inline bool address_is_local(uint32_t address) {
    return address - LOCAL_BASE < LOCAL_SIZE;
}

/* Returns the address by which other agents access a core's local memory; other addresses as they are. */
static inline uint32_t address_from_outside(enum bh_core core, uint32_t address) {
    static const uint32_t window[BH_CORE_COUNT] = {
        [BH_BRISC] = 0xFFB14000,  [BH_NCRISC] = 0xFFB16000, [BH_TRISC0] = 0xFFB18000,
        [BH_TRISC1] = 0xFFB1A000, [BH_TRISC2] = 0xFFB1C000,
    };
    return address_is_local(address) ? address - LOCAL_BASE + window[core] : address;
}

#endif
