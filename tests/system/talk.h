/* Programs for both cores of an Ethernet tile: E0 sends packets of drawn sizes through TX queue 0 into eight slots of
 * the peer, E1 takes what arrives in order, and returns credits through TX queue 1. What E1 has seen is one number. */
#ifndef TESTS_SYSTEM_TALK_H
#define TESTS_SYSTEM_TALK_H

#include "support/chip.h"
#include "support/rv.h"
#include "system/pair.h"

enum {
    TALK_SLOTS = 8,
    TALK_SLOT = 1024,
    TALK_FROM = 0x10000, /* slots to send from, */
    TALK_TO = 0x14000,   /* and to receive in */
    TALK_CREDIT = 0x300, /* packets that the peer has taken */
    TALK_OWN = 0x310,    /* packets that this end has taken, to be sent */
    TALK_SEEN = 0x320,   /* their sum */
    TALK_TAKEN = 0x324,  /* their number, at the end */
    TALK_CODE_0 = 0x4000,
    TALK_CODE_1 = 0x5000,
};

/* Code that is put together word by word, with labels for jumps back and forth. */
struct code {
    uint32_t word[128];
    unsigned count;
};

static inline unsigned emit(struct code *code, uint32_t word) {
    assert_true(code->count < 128);
    code->word[code->count] = word;
    return code->count++;
}

static inline void emit_set(struct code *code, unsigned rd, uint32_t value) {
    emit(code, rv_lui(rd, rv_high(value)));
    emit(code, rv_addi(rd, rd, rv_low(value)));
}

/* A branch to a label behind or before. */
static inline void emit_branch(struct code *code, unsigned kind, unsigned a, unsigned b, unsigned to) {
    emit(code, rv_b(kind, a, b, ((int32_t)to - (int32_t)code->count) * 4));
}

enum { BEQ = 0, BNE = 1, BLTU = 6, BGEU = 7 };
enum { R_TXQ = 8, R_I = 9, R_N = 18, R_X = 19, R_MEM = 20, R_T = 5, R_U = 6, R_V = 7, R_W = 28, R_S = 29, R_SUM = 21 };

static inline void emit_step(struct code *code, unsigned x, unsigned t) {
    emit(code, rv_slli(t, x, 13));
    emit(code, rv_xor(x, x, t));
    emit(code, rv_srli(t, x, 17));
    emit(code, rv_xor(x, x, t));
    emit(code, rv_slli(t, x, 5));
    emit(code, rv_xor(x, x, t));
}

static inline uint32_t talk_step(uint32_t x) {
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/* Waits until the queue takes a command, and gives it one. */
static inline void emit_send(struct code *code, unsigned from, unsigned to, unsigned size, unsigned t) {
    unsigned wait = emit(code, rv_lw(t, TX_CMD, R_TXQ));
    emit(code, rv_lw(t, TX_STATUS, R_TXQ));
    emit_branch(code, BNE, t, 0, wait);
    emit(code, rv_sw(from, TX_FROM, R_TXQ));
    emit(code, rv_sw(to, TX_TO, R_TXQ));
    emit(code, rv_sw(size, TX_SIZE, R_TXQ));
    emit(code, rv_addi(t, 0, SEND_DATA));
    emit(code, rv_sw(t, TX_CMD, R_TXQ));
}

static inline void talk_code_0(struct code *code, uint32_t count, uint32_t seed, unsigned ahead) {
    *code = (struct code){ 0 };
    emit_set(code, R_TXQ, TXQ0);
    emit_set(code, R_N, count);
    emit_set(code, R_X, seed);
    emit(code, rv_addi(R_I, 0, 0));
    emit(code, rv_addi(R_T, 0, (int32_t)ahead));
    emit(code, rv_sw(R_T, TX_AHEAD, R_TXQ));
    unsigned loop = emit(code, rv_lw(R_T, TALK_CREDIT, 0));
    emit(code, rv_sub(R_T, R_I, R_T));
    emit(code, rv_addi(R_U, 0, TALK_SLOTS));
    emit_branch(code, BGEU, R_T, R_U, loop);
    emit_step(code, R_X, R_T);
    emit(code, rv_andi(R_T, R_I, TALK_SLOTS - 1)); /* the slot */
    emit(code, rv_slli(R_T, R_T, 10));
    emit_set(code, R_MEM, TALK_FROM);
    emit(code, rv_add(R_MEM, R_MEM, R_T));
    emit_set(code, R_W, TALK_TO);
    emit(code, rv_add(R_W, R_W, R_T));
    emit(code, rv_addi(R_T, R_I, 1)); /* its words: the number, what was drawn, the size, and a last one */
    emit(code, rv_andi(R_S, R_X, 31));
    emit(code, rv_addi(R_S, R_S, 1));
    emit(code, rv_slli(R_S, R_S, 4));
    emit(code, rv_sw(R_X, 4, R_MEM));
    emit(code, rv_sw(R_S, 8, R_MEM));
    emit(code, rv_add(R_U, R_MEM, R_S));
    emit(code, rv_xor(R_V, R_X, R_I));
    emit(code, rv_sw(R_V, -4, R_U));
    emit(code, rv_sw(R_T, 0, R_MEM));
    emit_send(code, R_MEM, R_W, R_S, R_T);
    emit(code, rv_addi(R_I, R_I, 1));
    emit_branch(code, BNE, R_I, R_N, loop);
    emit(code, rv_jal(0, 0));
}

static inline void talk_code_1(struct code *code, uint32_t count) {
    *code = (struct code){ 0 };
    emit_set(code, R_TXQ, TXQ0 + QUEUE);
    emit_set(code, R_N, count);
    emit(code, rv_addi(R_I, 0, 0));
    emit(code, rv_addi(R_SUM, 0, 0));
    unsigned loop = emit(code, rv_andi(R_T, R_I, TALK_SLOTS - 1));
    emit(code, rv_slli(R_T, R_T, 10));
    emit_set(code, R_MEM, TALK_TO);
    emit(code, rv_add(R_MEM, R_MEM, R_T));
    emit(code, rv_addi(R_I, R_I, 1));
    unsigned wait = emit(code, rv_lw(R_T, 0, R_MEM));
    emit_branch(code, BNE, R_T, R_I, wait);
    emit(code, rv_lw(R_X, 4, R_MEM));
    emit(code, rv_lw(R_S, 8, R_MEM));
    emit(code, rv_add(R_U, R_MEM, R_S));
    emit(code, rv_lw(R_V, -4, R_U));
    emit(code, rv_slli(R_T, R_SUM, 5)); /* sum = sum * 33 + drawn; sum = sum * 33 + last */
    emit(code, rv_add(R_SUM, R_SUM, R_T));
    emit(code, rv_add(R_SUM, R_SUM, R_X));
    emit(code, rv_slli(R_T, R_SUM, 5));
    emit(code, rv_add(R_SUM, R_SUM, R_T));
    emit(code, rv_add(R_SUM, R_SUM, R_V));
    emit(code, rv_sw(R_SUM, TALK_SEEN, 0));
    emit(code, rv_sw(R_I, TALK_TAKEN, 0));
    emit(code, rv_sw(R_I, TALK_OWN, 0));
    emit_set(code, R_U, TALK_OWN);
    emit_set(code, R_V, TALK_CREDIT);
    emit(code, rv_addi(R_W, 0, 16));
    emit_send(code, R_U, R_V, R_W, R_T);
    emit_branch(code, BNE, R_I, R_N, loop);
    emit(code, rv_jal(0, 0));
}

/* What the receiver of these packets has seen at the end. */
static inline uint32_t talk_sum(uint32_t count, uint32_t seed) {
    uint32_t sum = 0, x = seed;
    for (uint32_t i = 0; i < count; i++) {
        x = talk_step(x);
        uint32_t size = ((x & 31) + 1) * 16, last = x ^ i;
        (void)size;
        sum = sum * 33 + x;
        sum = sum * 33 + last;
    }
    return sum;
}

static inline void talk_start(bh_chip *chip, unsigned port, uint32_t count, uint32_t seed, unsigned ahead) {
    struct code code;
    struct bh_xy tile = eth_xy(port);
    talk_code_0(&code, count, seed, ahead);
    start_at(chip, tile, BH_ERISC0, TALK_CODE_0, code.word, sizeof code.word);
    talk_code_1(&code, count);
    start_at(chip, tile, BH_ERISC1, TALK_CODE_1, code.word, sizeof code.word);
}

#endif
