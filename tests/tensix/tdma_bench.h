/* A tile whose TDMA registers a test stores to and loads from, a cycle each (src/tensix/mover/tdma.c). */
#ifndef TESTS_TENSIX_TDMA_BENCH_H
#define TESTS_TENSIX_TDMA_BENCH_H

#include "support/random.h"
#include "support/tensix_scene.h"

#define TDMA 0xFFB11000u

enum {
    SRC = 0x00,
    DST = 0x04,
    SIZE = 0x08,
    DIRECTION = 0x0C,
    COMMAND = 0x10,
    STATUS = 0x14,
    PACKED_SIZE = 0x18,
    ACC_SIZE = 0x1C,
    ZERO_FLAGS = 0x20,
    GATE_EN = 0x24,
    GATE_HYST = 0x28,
    L1_BASE = 0x2C,
    FIFO_SIZE = 0x30,
    FIFO_FLAGS = 0x34,
    FIFO_STATUS = 0x38,
    SCALERS0 = 0x3C,
    SCALERS1 = 0x13C,
};

enum { MOVE = 0x40, WAIT = 0x46, WRITE4 = 0x666, WRITE8 = 0x766 };
#define SHORT_NOP 0x80000089u

/* A store in the cycle before tb->now, by default of BRISC. */
static inline struct access store_by(struct tensix_box *tb, enum bh_core core, uint32_t offset, uint32_t value) {
    struct access access = tensix_tdma_write(tb->x, core, offset, tb->now, value);
    if (access.result == ACCESS_DONE)
        tb_step(tb, tb->now + 1);
    return access;
}

static inline void store(struct tensix_box *tb, uint32_t offset, uint32_t value) {
    struct access access = store_by(tb, BH_BRISC, offset, value);
    if (access.result != ACCESS_DONE)
        fail_msg("%s", access.text);
}

static inline uint32_t load_by(struct tensix_box *tb, enum bh_core core, uint32_t offset) {
    uint32_t value = 0xDEADBEEF;
    assert_int_equal(tensix_tdma_read(tb->x, core, offset, tb->now, &value).result, ACCESS_DONE);
    return value;
}

static inline uint32_t load(struct tensix_box *tb, uint32_t offset) {
    return load_by(tb, BH_BRISC, offset);
}

static inline void parameters(struct tensix_box *tb, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    store(tb, SRC, a);
    store(tb, DST, b);
    store(tb, SIZE, c);
    store(tb, DIRECTION, d);
}

#endif
