/* Helpers for tests of the vector unit: words, a memory, random numbers. */
#ifndef TESTS_RISCV_VEC_TEST_H
#define TESTS_RISCV_VEC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/riscv.h"
#include "riscv/rvv/vec.h"

#define TEST_MEMORY      0x1000u
#define TEST_MEMORY_SIZE 4096u

/* Everything an instruction can see. */
struct machine {
    struct vec_state v;
    uint32_t x[33], f[32], cfg0, fcsr;
    uint8_t memory[TEST_MEMORY_SIZE]; /* at TEST_MEMORY */
    unsigned accesses;                /* made */
    unsigned wait_at;                 /* the access that has to wait once, counted from 1; 0: none */
    unsigned faults;
    uint32_t trace[512]; /* addresses of the accesses */
};

static inline bool test_outside(uint32_t address, unsigned size) {
    return address % size || address < TEST_MEMORY || address - TEST_MEMORY > TEST_MEMORY_SIZE - size;
}

static inline enum bus_result test_access(struct machine *m, uint32_t address, unsigned size) {
    if (m->wait_at && m->wait_at == m->accesses + 1) {
        m->wait_at = 0;
        return BUS_WAIT;
    }
    if (test_outside(address, size)) {
        m->faults++;
        return BUS_FAULT;
    }
    m->trace[m->accesses++ % 512] = address;
    return BUS_OK;
}

static inline enum bus_result test_load(void *owner, uint32_t address, unsigned size, uint32_t *value) {
    struct machine *m = owner;
    enum bus_result result = test_access(m, address, size);
    *value = 0xDEADBEEF;
    if (result == BUS_OK) {
        *value = 0;
        memcpy(value, &m->memory[address - TEST_MEMORY], size);
    }
    return result;
}

static inline enum bus_result test_store(void *owner, uint32_t address, unsigned size, uint32_t value) {
    struct machine *m = owner;
    enum bus_result result = test_access(m, address, size);
    if (result == BUS_OK)
        memcpy(&m->memory[address - TEST_MEMORY], &value, size);
    return result;
}

static inline bool test_load_faults(void *owner, uint32_t address, unsigned size) {
    (void)owner;
    return test_outside(address, size);
}

/* The machine is all that an instruction may change; what it costs comes back apart. */
static inline enum vec_result test_run_cycles(struct machine *m, uint32_t word, unsigned *cycles) {
    const struct vec_port port = {
        .owner = m, .load = test_load, .store = test_store, .load_faults = test_load_faults
    };
    return vec_execute(&m->v, &port, word, m->x, m->f, m->cfg0, &m->fcsr, cycles);
}

static inline enum vec_result test_run(struct machine *m, uint32_t word) {
    unsigned cycles;
    return test_run_cycles(m, word, &cycles);
}

/* A word of this instruction; what its encoding fixes stays fixed. vm 1 is unmasked. */
static inline uint32_t test_word(enum rv_id id, unsigned vd, unsigned vs2, unsigned vs1, unsigned vm) {
    const struct rv_row *row = rv_row(id);
    return row->match | ((vd << 7 | vs1 << 15 | vs2 << 20 | vm << 25) & ~row->mask);
}

/* vtype from the width in bits and log2 of LMUL. */
static inline uint32_t test_vtype(unsigned sew, int lmul) {
    return (sew == 8 ? 0u : sew == 16 ? 1u : 2u) << 3 | ((unsigned)lmul & 7);
}

static inline uint32_t test_vlmax(unsigned sew, int lmul) {
    return lmul < 0 ? 128 / sew >> -lmul : 128 / sew << lmul;
}

/* xorshift; the state must not be 0. */
static inline uint32_t test_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 20);
}

/* Registers full of random bytes, with more zeros, ones and signs than chance gives. */
static inline void test_fill(struct machine *m, uint64_t *state) {
    static const uint8_t edges[] = { 0x00, 0x01, 0x7F, 0x80, 0xFF };
    memset(m, 0, sizeof *m);
    vec_reset(&m->v);
    for (unsigned i = 0; i < sizeof m->v.v; i++)
        ((uint8_t *)m->v.v)[i] =
            test_random(state) % 3 ? (uint8_t)test_random(state) : edges[test_random(state) % sizeof edges];
    for (unsigned i = 1; i < 32; i++)
        m->x[i] = test_random(state) % 2 ? test_random(state) : test_random(state) % 40;
    for (unsigned i = 0; i < 32; i++)
        m->f[i] = test_random(state);
    for (unsigned i = 0; i < sizeof m->memory; i++)
        m->memory[i] = (uint8_t)test_random(state);
    m->v.vxrm = test_random(state) & 3;
}

#endif
