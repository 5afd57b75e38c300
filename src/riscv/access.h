/* The memory access that an instruction is about to make, according to its word and the present registers. */
#ifndef RISCV_ACCESS_H
#define RISCV_ACCESS_H

#include "riscv/core.h"

struct core_access {
    unsigned how; /* enum bh_access; 0: none, or a vector access, whose elements are reported one by one */
    uint32_t address, size;
    uint32_t stored; /* value of a store, in `size` bytes */
};

/* Returns the access of an instruction. Precondition: the instruction has not been executed yet. */
static inline struct core_access core_access_of(const struct core *core, uint32_t word) {
    enum { LOAD = 0x03, LOAD_FLOAT = 0x07, STORE = 0x23, STORE_FLOAT = 0x27, ATOMIC = 0x2F };
    unsigned opcode = word & 0x7F, width = word >> 12 & 7, number = word >> 20 & 31;
    bool is_float = opcode == LOAD_FLOAT || opcode == STORE_FLOAT;
    struct core_access access = { .address = core->x[word >> 15 & 31], .size = 1u << (width & 3) };
    if (is_float && width != 1 && width != 2) /* a vector load or store */
        return (struct core_access){ 0 };
    switch (opcode) {
    case LOAD:
    case LOAD_FLOAT:
        access.how = BH_ACCESS_READ;
        access.address += (uint32_t)((int32_t)word >> 20);
        return access;
    case STORE:
    case STORE_FLOAT:
        access.how = BH_ACCESS_WRITE;
        access.address += (uint32_t)(((int32_t)word >> 25) * 32) + (word >> 7 & 31);
        access.stored = is_float ? core->f[number] : core->x[number];
        access.stored &= access.size < 4 ? (1u << 8 * access.size) - 1 : UINT32_MAX;
        return access;
    case ATOMIC: access.how = BH_ACCESS_READ | BH_ACCESS_WRITE; return access;
    default: return (struct core_access){ 0 };
    }
}

#endif
