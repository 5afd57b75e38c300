/* A single tile in a box: its memory, a port that keeps what the tile reports, and an assembler of one line an
 * instruction on top of the instruction table. For tests of src/riscv and src/tile. */
#ifndef SUPPORT_BOX_H
#define SUPPORT_BOX_H

#include <stdlib.h>
#include <string.h>

#include "isa/riscv.h"
#include "tile/tile.h"

struct box {
    struct tile tile;
    struct bh_fault fault; /* the last one */
    unsigned faults, awakes;
};

static inline void box_on_fault(void *owner, struct tile *tile, const struct bh_fault *fault) {
    struct box *box = owner;
    (void)tile;
    box->fault = *fault;
    box->faults++;
}

static inline void box_on_awake(void *owner, struct tile *tile) {
    (void)tile;
    ((struct box *)owner)->awakes++;
}

static inline struct box *box_create_timed(unsigned skew, bool loose) {
    static const struct tile_port port = { .fault = box_on_fault, .awake = box_on_awake };
    struct box *box = calloc(1, sizeof *box);
    box->tile.l1 = calloc(1, CORE_L1_SIZE);
    box->tile.slots = calloc(1, TILE_SLOT_BYTES);
    box->tile.marks = calloc(1, TILE_MARKS);
    box->tile.port = &port;
    box->tile.owner = box;
    box->tile.skew = skew;
    box->tile.xy = box->tile.noc0 = (struct bh_xy){ 1, 2 };
    box->tile.tensix.loose = loose;
    tile_init(&box->tile);
    return box;
}

static inline struct box *box_create(unsigned skew) {
    return box_create_timed(skew, false);
}

static inline void box_destroy(struct box *box) {
    free(box->tile.l1);
    free(box->tile.slots);
    free(box->tile.marks);
    free(box);
}

static inline void box_poke(struct box *box, uint32_t address, const void *data, size_t size) {
    const char *why;
    if (tile_write(&box->tile, address, data, size, &why) != BH_OK)
        abort();
}

static inline void box_poke32(struct box *box, uint32_t address, uint32_t value) {
    box_poke(box, address, &value, sizeof value);
}

static inline uint32_t box_peek32(struct box *box, uint32_t address) {
    uint32_t value;
    const char *why;
    if (tile_peek(&box->tile, address, &value, sizeof value, &why) != BH_OK)
        abort();
    return value;
}

/* Lets cores of a mask run, keeping their local memory as it is and without the sweep. The L0 data cache is off, as the
 * vendor's firmware leaves it. */
static inline void box_release(struct box *box, unsigned cores) {
    static const uint32_t bit[BH_CORE_COUNT] = { 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 18 };
    uint32_t held = 0x47800;
    box_poke32(box, 0xFFB12224, 0x155); /* DISABLE_RESET */
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (cores >> i & 1)
            held &= ~bit[i];
    box_poke32(box, 0xFFB121B0, held);
    for (unsigned i = 0; i < BH_CORE_COUNT; i++)
        if (cores >> i & 1) {
            box->tile.core[i].cfg0 |= CFG0_DIS_L0;
            core_configured(&box->tile.core[i]);
        }
}

/* ---- Words ------------------------------------------------------------------------------ */

static inline uint32_t asm_r(enum rv_id id, unsigned rd, unsigned rs1, unsigned rs2) {
    return rv_row(id)->match | rd << 7 | rs1 << 15 | rs2 << 20;
}
static inline uint32_t asm_i(enum rv_id id, unsigned rd, unsigned rs1, int32_t imm) {
    return rv_row(id)->match | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}
static inline uint32_t asm_s(enum rv_id id, unsigned rs2, int32_t imm, unsigned rs1) {
    uint32_t u = (uint32_t)imm;
    return rv_row(id)->match | (u & 31) << 7 | rs1 << 15 | rs2 << 20 | (u >> 5 & 0x7F) << 25;
}
static inline uint32_t asm_b(enum rv_id id, unsigned rs1, unsigned rs2, int32_t offset) {
    uint32_t u = (uint32_t)offset;
    return rv_row(id)->match | rs1 << 15 | rs2 << 20 | (u >> 12 & 1) << 31 | (u >> 5 & 0x3F) << 25 |
           (u >> 1 & 0xF) << 8 | (u >> 11 & 1) << 7;
}
static inline uint32_t asm_u(enum rv_id id, unsigned rd, uint32_t value) {
    return rv_row(id)->match | rd << 7 | (value & 0xFFFFF000);
}
static inline uint32_t asm_j(unsigned rd, int32_t offset) {
    uint32_t u = (uint32_t)offset;
    return rv_row(RV_JAL)->match | rd << 7 | (u >> 20 & 1) << 31 | (u >> 1 & 0x3FF) << 21 | (u >> 11 & 1) << 20 |
           (u >> 12 & 0xFF) << 12;
}
static inline uint32_t asm_csr(enum rv_id id, unsigned rd, unsigned csr, unsigned rs1) {
    return rv_row(id)->match | rd << 7 | rs1 << 15 | csr << 20;
}

#define EBREAK 0x00100073u
#define ECALL  0x00000073u
#define NOP    0x00000013u
#define FENCE  0x0FF0000Fu

/* Places words at the default reset pc of a core. */
static inline void box_code(struct box *box, enum bh_core core, const uint32_t *words, size_t count) {
    box_poke(box, box->tile.core[core].default_pc, words, count * sizeof *words);
}
#define BOX_CODE(box, core, ...) \
    box_code(box, core, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

#endif
