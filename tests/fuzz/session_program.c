/* Draws programs of cores: loops of loads, stores, pushed Tensix words, NoC requests and soft resets, now and then any
 * word. See session.h.
 *
 * Registers: x5 an address, x6 a value, x7 what was loaded, x28 and x29 counters of loops, x8..x15 for arithmetic. */
#include "bhemu.h"
#include "session.h"
#include "support/rv.h"

enum { ADDRESS = 5, VALUE = 6, LOADED = 7, FIRST = 8, COUNTER = 28 };

#define SOFT_RESET_0 UINT32_C(0xFFB121B0)

struct program {
    struct session_dice *dice;
    unsigned core, count, depth;
    uint32_t *word;
};

/* ---- Dice ------------------------------------------------------------------------------------------------------- */

static uint32_t next_bytes(struct session_dice *dice, unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        if (dice->size) {
            value = value << 8 | *dice->bytes++;
            dice->size--;
        } else if (dice->state) { /* xorshift64* */
            dice->state ^= dice->state >> 12;
            dice->state ^= dice->state << 25;
            dice->state ^= dice->state >> 27;
            value = value << 8 | (uint32_t)(dice->state * UINT64_C(0x2545F4914F6CDD1D) >> 56);
        }
    }
    return value;
}

uint32_t dice_below(struct session_dice *dice, uint32_t limit) {
    unsigned bytes = limit <= 1 << 8 ? 1 : limit <= 1 << 16 ? 2 : 4;
    return limit ? next_bytes(dice, bytes) % limit : 0;
}

bool dice_once_in(struct session_dice *dice, uint32_t count) {
    return dice_below(dice, count) == count - 1; /* not with dice that are used up */
}

uint32_t dice_word(struct session_dice *dice) {
    return next_bytes(dice, 4);
}

bool dice_over(const struct session_dice *dice) {
    return !dice->size && !dice->state;
}

/* ---- Values and addresses --------------------------------------------------------------------------------------- */

uint32_t session_draw_value(struct session_dice *dice) {
    switch (dice_below(dice, 8)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return dice_below(dice, 16);
    case 3: return UINT32_C(1) << dice_below(dice, 32);
    case 4: return UINT32_MAX - dice_below(dice, 4);
    case 5: return session_draw_address(dice);
    case 6: return dice_below(dice, 1 << 16);
    default: return dice_word(dice);
    }
}

/* A few pages of L1, so that programs share them. */
static uint32_t draw_l1(struct session_dice *dice) {
    switch (dice_below(dice, 8)) {
    case 0: return dice_below(dice, 0x180000);
    case 1: return 0x180000 - 4 * dice_below(dice, 8);
    case 2: return 4 * dice_below(dice, 64);
    default: return 0x20000 + 16 * dice_below(dice, 64);
    }
}

static unsigned count_regions(void) {
    struct bh_region region;
    unsigned count = 0;
    while (bh_region_at(count, &region) == BH_OK)
        count++;
    return count;
}

uint32_t session_draw_address(struct session_dice *dice) {
    static const uint32_t favourites[] = {
        SOFT_RESET_0, 0xFFE00000, 0xFFE40000, 0xFFE50000, 0xFFE60000, 0xFFE80000, 0xFFE80020, 0xFFEF0000,
        0xFFB20000,   0xFFB30000, 0xFFB20200, 0xFFB80000, 0xFFB11000, 0xFFEC0000, 0xFFB13000, 0xFFB12000,
    };
    struct bh_region region;
    uint32_t kind = dice_below(dice, 16);
    if (kind < 5)
        return draw_l1(dice);
    if (kind < 11)
        return favourites[dice_below(dice, 16)] + 4 * dice_below(dice, dice_once_in(dice, 4) ? 256 : 16);
    if (kind == 15)
        return session_draw_value(dice);
    if (bh_region_at(dice_below(dice, count_regions()), &region) != BH_OK)
        return 0;
    uint32_t at = dice_once_in(dice, 8) ? region.size - 4 : 4 * dice_below(dice, region.size / 4);
    return region.base + at + (dice_once_in(dice, 16) ? dice_below(dice, 4) : 0);
}

/* ---- Tensix words -------------------------------------------------------------------------------------------------
 */

static uint32_t draw_field(struct session_dice *dice, unsigned width) {
    uint32_t mask = width < 32 ? (UINT32_C(1) << width) - 1 : UINT32_MAX;
    switch (dice_below(dice, 8)) {
    case 0: return mask;
    case 1: return dice_word(dice) & mask;
    case 2: return (UINT32_C(1) << dice_below(dice, width ? width : 1)) & mask;
    case 3:
    case 4: return dice_below(dice, 4) & mask;
    default: return 0;
    }
}

static unsigned count_rows(void) {
    struct bh_isa_row row;
    unsigned count = 0;
    while (bh_isa_at(count, &row) == BH_OK)
        count++;
    return count;
}

static uint32_t draw_opcode(struct session_dice *dice) {
    /* NOP, semaphores, mutexes, STALLWAIT, MOP, REPLAY, WRCFG, SETC16, SETDMAREG, ATCAS, ELWADD, MVMUL, UNPACR, PACR
     * ... */
    static const uint8_t often[] = {
        0x02, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0x01, 0x04, 0xB0, 0xB1, 0xB2, 0x45, 0x64, 0x28,
        0x30, 0x26, 0x42, 0x41, 0x12, 0x37, 0x36, 0x10, 0x67, 0x49, 0x66, 0x58, 0x60, 0x59, 0x43, 0x70,
    };
    struct bh_isa_row row;
    if (dice_below(dice, 3))
        return often[dice_below(dice, 32)];
    return bh_isa_at(dice_below(dice, count_rows()), &row) == BH_OK ? row.opcode : 2;
}

static uint32_t draw_tensix(struct session_dice *dice) {
    uint32_t opcode = draw_opcode(dice), word = opcode << 24;
    struct bh_isa_row row;
    for (unsigned i = 0; bh_isa_at(i, &row) == BH_OK; i++)
        for (unsigned f = 0; row.opcode == opcode && f < row.field_count; f++)
            word |= draw_field(dice, row.fields[f].width) << row.fields[f].low;
    return dice_once_in(dice, 32) ? dice_word(dice) : word;
}

/* ---- Pieces of programs -------------------------------------------------------------------------------------------
 */

static void put(struct program *p, uint32_t word) {
    if (p->count < SESSION_WORDS)
        p->word[p->count++] = word;
}

static void put_constant(struct program *p, unsigned rd, uint32_t value) {
    put(p, rv_lui(rd, rv_high(value)));
    put(p, rv_addi(rd, rd, rv_low(value)));
}

static void put_store(struct program *p, uint32_t address, uint32_t value) {
    put_constant(p, ADDRESS, address);
    put_constant(p, VALUE, value);
    put(p, rv_sw(VALUE, 0, ADDRESS));
}

static void put_access(struct program *p) {
    unsigned size = dice_once_in(p->dice, 6) ? dice_below(p->dice, 6) : 2;
    put_constant(p, ADDRESS, session_draw_address(p->dice));
    if (dice_below(p->dice, 2)) {
        put(p, rv_i(MAJOR_LOAD, size, LOADED, ADDRESS, (int32_t)(4 * dice_below(p->dice, 4))));
        return;
    }
    put_constant(p, VALUE, session_draw_value(p->dice));
    put(p, rv_s(MAJOR_STORE, size % 3, dice_once_in(p->dice, 4) ? LOADED : VALUE, ADDRESS,
                (int32_t)(4 * dice_below(p->dice, 4))));
}

/* Words in the stream of a TRISC, or by stores. */
static void put_pushes(struct program *p) {
    unsigned thread = p->core == BH_BRISC ? dice_below(p->dice, 3) : 0;
    bool stream = p->core != BH_BRISC && p->core != BH_NCRISC && dice_below(p->dice, 4);
    if (!stream)
        put_constant(p, ADDRESS, 0xFFE40000 + 0x10000 * thread);
    for (unsigned count = 1 + dice_below(p->dice, 6); count; count--) {
        uint32_t word = draw_tensix(p->dice);
        if (stream) {
            put(p, word << 2 | word >> 30);
            continue;
        }
        put_constant(p, VALUE, word);
        put(p, rv_sw(VALUE, 0, ADDRESS));
    }
}

/* The cores stay as they are, mostly, and a few bits change. */
static void put_soft_reset(struct program *p) {
    uint32_t bits = UINT32_C(1) << dice_below(p->dice, 32);
    if (dice_once_in(p->dice, 4))
        bits |= dice_word(p->dice) & 0xFFFFFF;
    put_constant(p, ADDRESS, SOFT_RESET_0);
    put(p, rv_lw(LOADED, 0, ADDRESS));
    put_constant(p, VALUE, bits);
    put(p, rv_xor(VALUE, VALUE, LOADED));
    put(p, rv_sw(VALUE, 0, ADDRESS));
    for (unsigned count = dice_below(p->dice, 4); count; count--)
        put(p, RV_NOP);
    if (dice_below(p->dice, 4))
        put(p, rv_sw(LOADED, 0, ADDRESS));
}

static uint32_t draw_xy(struct session_dice *dice) {
    uint32_t x = dice_below(dice, 8) ? 1 + dice_below(dice, 3) : dice_below(dice, 64);
    return x | (dice_below(dice, 8) ? 2 + dice_below(dice, 2) : dice_below(dice, 64)) << 6;
}

/* Registers of a command buffer, and the word that starts it. */
static void put_request(struct program *p) {
    static const uint32_t kinds[8] = { 0, 2, 0x10, 0x12, 0x1A, 0x0A, 0x11, 0x8032 };
    uint32_t base = 0xFFB20000 + 0x10000 * dice_below(p->dice, 2) + 0x800 * dice_below(p->dice, 4);
    uint32_t ctrl = kinds[dice_below(p->dice, 8)] | (dice_once_in(p->dice, 4) ? draw_field(p->dice, 18) : 0);
    uint32_t areas = dice_below(p->dice, 3) << 12;
    put_store(p, base, draw_l1(p->dice));
    put_store(p, base + 0x08, draw_xy(p->dice) | (ctrl & 0x20 ? areas : 0));
    put_store(p, base + 0x0C, draw_l1(p->dice));
    put_store(p, base + 0x14, draw_xy(p->dice) | (ctrl & 0x20 ? areas : 0));
    put_store(p, base + 0x1C, ctrl);
    put_store(p, base + 0x20, dice_once_in(p->dice, 8) ? session_draw_value(p->dice) : 4 * dice_below(p->dice, 600));
    put_store(p, base + 0x28, session_draw_value(p->dice));
    put_store(p, base + 0x40, 1);
}

/* Until a word is what it was not, or for ever. */
static void put_poll(struct program *p) {
    put_constant(p, ADDRESS, session_draw_address(p->dice));
    put_constant(p, VALUE, session_draw_value(p->dice) & 3);
    put(p, rv_lw(LOADED, 0, ADDRESS));
    put(p, rv_b(dice_below(p->dice, 2), LOADED, VALUE, -4));
}

static void put_arithmetic(struct program *p) {
    for (unsigned count = 1 + dice_below(p->dice, 6); count; count--)
        put(p, rv_r(MAJOR_OP, dice_below(p->dice, 8), dice_below(p->dice, 2), FIRST + dice_below(p->dice, 8),
                    FIRST + dice_below(p->dice, 8), FIRST + dice_below(p->dice, 8)));
}

/* Any instruction of a major opcode: CSRs, atomics, floats, vectors. */
static void put_any(struct program *p) {
    static const uint8_t majors[16] = { 0x73, 0x73, 0x2F, 0x53, 0x57, 0x07, 0x27, 0x0F,
                                        0x13, 0x33, 0x43, 0x57, 0x63, 0x6F, 0x67, 0x03 };
    put_constant(p, ADDRESS, draw_l1(p->dice));
    uint32_t word = (dice_word(p->dice) & ~0x7Fu) | majors[dice_below(p->dice, 16)];
    put(p, dice_once_in(p->dice, 2) ? (word & ~(0x1Fu << 15)) | ADDRESS << 15 : word);
}

static void put_piece(struct program *p);

static void put_loop(struct program *p) {
    unsigned counter = COUNTER + p->depth;
    if (p->depth >= 2 || p->count + 200 > SESSION_WORDS)
        return;
    p->depth++;
    put_constant(p, counter, 1 + dice_below(p->dice, dice_once_in(p->dice, 3) ? 2000 : 20));
    unsigned top = p->count;
    for (unsigned count = 1 + dice_below(p->dice, 4); count; count--)
        put_piece(p);
    put(p, rv_addi(counter, counter, -1));
    put(p, rv_bne(counter, 0, -4 * (int32_t)(p->count - top)));
    p->depth--;
}

static void put_piece(struct program *p) {
    switch (dice_below(p->dice, 20)) {
    case 0:
    case 1:
    case 2:
    case 3: put_access(p); break;
    case 4:
    case 5:
    case 6:
    case 7:
    case 8: put_pushes(p); break;
    case 9: put_soft_reset(p); break;
    case 10:
    case 11: put_request(p); break;
    case 12: put_poll(p); break;
    case 13:
    case 14: put_arithmetic(p); break;
    case 15: put_any(p); break;
    case 16: put(p, dice_once_in(p->dice, 4) ? dice_word(p->dice) : RV_NOP); break;
    default: put_loop(p); break;
    }
}

unsigned session_draw_program(struct session_dice *dice, unsigned core, uint32_t word[SESSION_WORDS]) {
    enum { EBREAK = 0x00100073, LARGE = SESSION_WORDS - 250 };
    struct program p = { .dice = dice, .core = core, .word = word };
    for (unsigned pieces = 1 + dice_below(dice, 12); pieces && p.count < LARGE; pieces--)
        put_piece(&p);
    switch (dice_below(dice, 4)) {
    case 0: put(&p, EBREAK); break;
    case 1: put(&p, rv_jal(0, -4 * (int32_t)p.count)); break;
    default: put(&p, rv_jal(0, 0)); break;
    }
    return p.count;
}
