/* A guest program that does what a list in L1 says: store a word, wait until a word has a value, and so on. With it a
 * test describes the work of a core, NoC requests above all, as data. It runs on every core and on every library with
 * the libttsim ABI.
 *
 *     an entry:  what, address, value
 */
#ifndef SUPPORT_NOC_SCRIPT_H
#define SUPPORT_NOC_SCRIPT_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/rv.h"

enum script_what {
    SCRIPT_STOP,
    SCRIPT_STORE,
    SCRIPT_WAIT, /* until the word is equal to the value */
    SCRIPT_ADD,
    SCRIPT_JUMP, /* the list goes on at the address */
    SCRIPT_STOP_IF,
};

struct script {
    uint32_t *word;
    uint32_t count, room;
    uint8_t rare[2]; /* by NoC: command buffers with a register that is not zero, of those that few requests need */
};

static inline void script_put(struct script *script, enum script_what what, uint32_t address, uint32_t value) {
    if (script->count + 3 > script->room) {
        script->room = script->room ? 2 * script->room : 384;
        script->word = realloc(script->word, script->room * sizeof *script->word);
        assert(script->word);
    }
    script->word[script->count++] = what;
    script->word[script->count++] = address;
    script->word[script->count++] = value;
}

static inline void script_free(struct script *script) {
    free(script->word);
    *script = (struct script){ 0 };
}

/* The program: words to be placed where the core starts. list: a multiple of 4096. */
enum { SCRIPT_PROGRAM = 29 };
static inline void script_program(uint32_t word[SCRIPT_PROGRAM], uint32_t list) {
    enum { BEQ };
    const uint32_t program[SCRIPT_PROGRAM] = {
        rv_lui(31, list),
        /* 1 */
        rv_lw(10, 0, 31), rv_lw(11, 4, 31), rv_lw(12, 8, 31), rv_addi(31, 31, 12), rv_b(BEQ, 10, 0, 4 * (28 - 5)),
        rv_addi(10, 10, -1), rv_b(BEQ, 10, 0, 4 * (17 - 7)), rv_addi(10, 10, -1), rv_b(BEQ, 10, 0, 4 * (19 - 9)),
        rv_addi(10, 10, -1), rv_b(BEQ, 10, 0, 4 * (22 - 11)), rv_addi(10, 10, -1), rv_b(BEQ, 10, 0, 4 * (26 - 13)),
        rv_lw(14, 0, 11),                                                                  /* stop if */
        rv_b(BEQ, 14, 12, 4 * (28 - 15)), rv_jal(0, 4 * (1 - 16)), rv_sw(12, 0, 11),       /* 17, store */
        rv_jal(0, 4 * (1 - 18)), rv_lw(14, 0, 11),                                         /* 19, wait */
        rv_bne(14, 12, -4), rv_jal(0, 4 * (1 - 21)), rv_lw(14, 0, 11),                     /* 22, add */
        rv_add(14, 14, 12), rv_sw(14, 0, 11), rv_jal(0, 4 * (1 - 25)), rv_addi(31, 11, 0), /* 26, jump */
        rv_jal(0, 4 * (1 - 27)), rv_jal(0, 0),                                             /* 28 */
    };
    for (unsigned i = 0; i < SCRIPT_PROGRAM; i++)
        word[i] = program[i];
}

/* ---- NIU requests --------------------------------------------------------------------------------------- */

/* Registers of a command buffer, in the order of their offsets (4 bytes each). */
struct script_request {
    uint32_t targ_lo, targ_mid, targ_hi, ret_lo, ret_mid, ret_hi, tag, ctrl, len, len_1, data, exclude;
};

enum {
    SCRIPT_READ = 0,
    SCRIPT_ATOMIC = 1,
    SCRIPT_WRITE = 2,
    SCRIPT_BYTE_ENABLE = 1 << 2,
    SCRIPT_INLINE = 1 << 3,
    SCRIPT_MARKED = 1 << 4,
    SCRIPT_MULTICAST = 1 << 5,
    SCRIPT_LINKED = 1 << 6,
    SCRIPT_STATIC_VC = 1 << 7,
    SCRIPT_RESERVE = 1 << 8,
    SCRIPT_INCLUDE_SELF = 1 << 17,
};

static inline uint32_t script_niu(unsigned noc, unsigned buffer) {
    return 0xFFB20000u + noc * 0x10000u + buffer * 0x800u;
}
static inline uint32_t script_xy(unsigned x, unsigned y) {
    return x | y << 6;
}
static inline uint32_t script_area(unsigned x0, unsigned y0, unsigned x1, unsigned y1) {
    return script_xy(x1, y1) | script_xy(x0, y0) << 12;
}
static inline uint32_t script_counter(unsigned noc, unsigned index) {
    return script_niu(noc, 0) + 0x200 + 4 * index;
}

/* Waits for the command buffer, fills it in and starts it. Rarely needed registers are not written as long as they are
 * zero: some libraries do not know them. */
static inline void script_request(struct script *script, unsigned noc, unsigned buffer,
                                  const struct script_request *request) {
    enum { CMD_CTRL = 0x40, LEN_1 = 9, EXCLUDE = 11 };
    const uint32_t *field = &request->targ_lo;
    uint32_t niu = script_niu(noc, buffer);
    bool rare = request->len_1 || request->exclude;
    script_put(script, SCRIPT_WAIT, niu + CMD_CTRL, 0);
    for (uint32_t i = 0; i < sizeof *request / 4; i++)
        if ((i != LEN_1 && i != EXCLUDE) || rare || script->rare[noc] >> buffer & 1)
            script_put(script, SCRIPT_STORE, niu + 4 * i, field[i]);
    script_put(script, SCRIPT_STORE, niu + CMD_CTRL, 1);
    script->rare[noc] |= (uint8_t)(rare << buffer);
}

#endif
