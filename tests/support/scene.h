/* Random programs for the four cores of a tile that reach the coprocessor: they push words, look at the coprocessor,
 * write its registers and toggle bits of SOFT_RESET_0. */
#ifndef SUPPORT_SCENE_H
#define SUPPORT_SCENE_H

#include <string.h>

#include "bhemu.h"
#include "isa/tensix.h"
#include "support/random.h"
#include "support/rv.h"

enum { EBREAK = 0x00100073, CODE_WORDS = 3000, STEPS = 120 };
#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

/* What a scene may have. Races: writes of a core to L1, which the coprocessor sees as early as the skew allows, and the
 * reset of a core, which may have run ahead by that much. Expanders: words that are recorded or consumed. */
enum { SOFT_RESETS = 1, RACES = 2, LONG_WAITS = 4, EXPANDERS = 8 };

struct scene {
    uint64_t random;
    unsigned flags;
    struct code {
        uint32_t word[CODE_WORDS];
        unsigned count;
    } code[BH_CORE_COUNT];
};

static uint32_t below(struct scene *s, uint32_t limit) {
    return random_below(&s->random, limit);
}

static void emit(struct code *code, uint32_t word) {
    if (code->count < CODE_WORDS)
        code->word[code->count++] = word;
}

static void set(struct code *code, unsigned rd, uint32_t value) {
    emit(code, rv_lui(rd, rv_high(value)));
    emit(code, rv_addi(rd, rd, rv_low(value)));
}

/* Words of most units; what they do to each other is as random as their order. */
static uint32_t any_word(struct scene *s, unsigned thread) {
    uint32_t a = below(s, 64), b = below(s, 64), half = below(s, 120), semaphores = 1u << below(s, 8);
    switch (below(s, s->flags & LONG_WAITS ? 32 : 24)) {
    case 0: return TT(SETDMAREG, 0, (uint32_t)random_next(&s->random) & 0x3FFF, 0, half);
    case 1: return TT(ADDDMAREG, 1, a, b, a);
    case 2: return TT(MULDMAREG, 0, a, b, a);
    case 3: return TT(WRCFG, a, 0, 120 + below(s, 8));
    case 4: return TT(RDCFG, a, 120 + below(s, 8));
    case 5: return TT(RMWCIB0, 0xFF, below(s, 256), 120 + below(s, 8));
    case 6: return TT(SETC16, 37 + below(s, 8), below(s, 65536));
    case 7: return TT(SEMPOST, semaphores);
    case 8: return TT(SEMGET, semaphores);
    case 9: return TT(SEMINIT, 1 + below(s, 15), below(s, 4), semaphores);
    case 10: return TT(STALLWAIT, below(s, 512), below(s, 16) | below(s, 8) << 10);
    case 11: return TT(STALLWAIT, 0x1FF, 1u << below(s, 5));
    case 12: return TT(MOVA2D, 0, 0, 0, 0, 0);
    case 13: return TENSIX_DMANOP << 24;
    case 14: return TT(ZEROACC, 0, 0, 0, 0, 0);
    case 15: return TT(SETRWC, 0, 0, 0, 0, 0, 0);
    case 16: return TT(UNPACR_NOP, below(s, 2), 0, 0, 0, 0, 0, 0, 0, 1);
    case 17: return TT(SETRWC, 3, 0, 0, 0, 0, 0xF);
    case 18: return TT(SFPLOADI, below(s, 4), 8, below(s, 65536));
    case 19: return TT(SFPMAD, below(s, 4), below(s, 4), below(s, 4), below(s, 4), 0);
    case 20: return TT(STOREIND, 1, 0, 1, 2 * 9, 0, a, 10);
    case 21: return TT(LOADIND, 1, 2 * 9, 0, a, 10);
    case 22:
        if (!(s->flags & EXPANDERS))
            return TENSIX_NOP << 24;
        return below(s, 2) ? TT(REPLAY, 0, 4, 0, 1) : TT(REPLAY, 0, 1 + below(s, 4), 0, 0);
    case 23: return s->flags & EXPANDERS ? TT(MOP, 1, 0, 0) : TENSIX_NOP << 24;
    case 24: return TT(ATCAS, 0, below(s, 16), below(s, 16), 0, a, 11);
    case 25: return TT(FLUSHDMA, below(s, 16));
    case 26: return below(s, 6) ? TENSIX_NOP << 24 : TT(ATGETM, thread);
    case 27: return below(s, 6) ? TENSIX_NOP << 24 : TT(ATRELM, thread);
    case 28: return TT(ELWADD, 0, 0, 0, 0, 0);
    case 29: return TT(MVMUL, 0, 0, 0, 0);
    case 30: return TT(STALLWAIT, below(s, 512), below(s, 0x2000));
    default: return below(s, 8) ? TENSIX_NOP << 24 : TT(SEMWAIT, 0x1FF, semaphores, 1 + below(s, 2));
    }
}

static uint32_t window_of(struct scene *s, unsigned core, bool writes) {
    const uint32_t places[] = { 0xFFE00000, 0xFFEF0000 + 4 * 120, 0xFFE80020, writes ? 0xFFB80000 : 0xFFE80000 };
    uint32_t base = places[below(s, core == BH_BRISC ? 2 : 4)];
    return base + (base == 0xFFE80000 ? 4 : 4 * below(s, 8));
}

/* Pauses make cores drift apart. */
static void pause_for(struct scene *s, struct code *code) {
    set(code, 6, 1 + below(s, 100));
    emit(code, rv_addi(6, 6, -1));
    emit(code, rv_bne(6, 0, -4));
}

static void push(struct scene *s, unsigned core, struct code *code) {
    unsigned count = 1 + below(s, below(s, 4) ? 8 : 40), thread = core - BH_TRISC0;
    if (core == BH_BRISC) {
        thread = below(s, 3);
        set(code, 5, 0xFFE40000 + 0x10000 * thread);
        set(code, 6, any_word(s, thread));
        emit(code, rv_sw(6, 0, 5));
        return;
    }
    uint32_t same = any_word(s, thread);
    for (unsigned i = 0; i < count; i++)
        emit(code, tensix_to_stream(count > 8 ? same : any_word(s, thread)));
}

static void look(struct scene *s, unsigned core, struct code *code) {
    set(code, 5, window_of(s, core, false));
    for (unsigned i = below(s, 6) + 1; i-- > 0;) {
        emit(code, rv_lw(7, 0, 5));
        emit(code, rv_add(8, 8, 7));
    }
}

static void write_window(struct scene *s, unsigned core, struct code *code) {
    set(code, 5, window_of(s, core, true));
    set(code, 6, below(s, 4) ? below(s, 16) : (uint32_t)random_next(&s->random));
    emit(code, rv_sw(6, 0, 5));
}

static void read_status(struct scene *s, struct code *code) {
    emit(code, (0xBC0 + below(s, 2)) << 20 | 2u << 12 | 7u << 7 | 0x73); /* csrrs x7, qstatus or bstatus, x0 */
    emit(code, rv_add(8, 8, 7));
}

/* Cores that run stay out of reset, but for TRISC2 at times. */
static void reset(struct scene *s, struct code *code) {
    uint32_t value = 1u << below(s, 24);
    value &= ~(uint32_t)(1u << 11 | 1u << 18 | 1u << 12 | 1u << 13 | (s->flags & RACES && !below(s, 4) ? 0 : 1u << 14));
    set(code, 5, 0xFFB121B0);
    set(code, 6, value);
    emit(code, rv_sw(6, 0, 5));
    for (unsigned i = below(s, 20); i-- > 0;)
        emit(code, RV_NOP);
    emit(code, rv_sw(0, 0, 5));
}

/* What ATCAS, LOADIND and STOREIND of all threads look at. */
static void write_l1(struct scene *s, struct code *code) {
    set(code, 5, 0x20000 + 4 * below(s, 8));
    emit(code, rv_addi(6, 0, (int32_t)below(s, 16)));
    emit(code, rv_sw(6, 0, 5));
}

static void step(struct scene *s, unsigned core, struct code *code) {
    bool trisc = core >= BH_TRISC0 && core <= BH_TRISC2;
    switch (below(s, 8)) {
    case 0: pause_for(s, code); break;
    case 1:
    case 2: push(s, core, code); break;
    case 3: look(s, core, code); break;
    case 4: write_window(s, core, code); break;
    case 5:
        if (trisc)
            read_status(s, code);
        break;
    case 6:
        if (core == BH_BRISC && (s->flags & SOFT_RESETS))
            reset(s, code);
        break;
    default:
        if (core == BH_BRISC && (s->flags & RACES))
            write_l1(s, code);
        break;
    }
}

static void make_scene(struct scene *s, uint64_t seed, unsigned allowed) {
    memset(s, 0, sizeof *s);
    s->random = seed;
    s->flags = (unsigned)seed & allowed;
    for (unsigned core = BH_BRISC; core <= BH_TRISC2; core++) {
        struct code *code = &s->code[core];
        if (core >= BH_TRISC0) {
            emit(code, tensix_to_stream(TT(SETDMAREG, 0, 0x2000, 0, 2 * 10)));
            emit(code, tensix_to_stream(TT(SETDMAREG, 0, 0x2000, 0, 2 * 11)));
        }
        for (unsigned i = 0; i < STEPS && code->count < CODE_WORDS - 60; i++)
            step(s, core, code);
        emit(code, EBREAK);
    }
}

#endif
