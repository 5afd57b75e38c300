/* Transfers between tiles: see transfers.h. */
#include "transfers.h"

#include <string.h>

#include "guest.h"

enum { PIECE = 16384 };
enum { CLOCK_LOW = 0x1F0, CLOCK_HIGH = 0x1F8, EBREAK = 0x00100073 };
/* Registers of a command buffer, and counters. */
enum { TARG_LO = 0x0, TARG_MID = 0x4, TARG_HI = 0x8, RET_LO = 0xC, RET_MID = 0x10, RET_HI = 0x14, CTRL = 0x1C };
enum {
    LEN = 0x20,
    AT_DATA = 0x28,
    CMD_CTRL = 0x40,
    ID_LOGICAL = 0x148,
    ATOMIC_RESP_RECEIVED = 0x200,
    WR_ACK_RECEIVED = 0x204,
    RD_RESP_RECEIVED = 0x208
};
enum { CTRL_ATOMIC = 1, CTRL_WRITE = 1 << 1, CTRL_MARKED = 1 << 4, CTRL_MULTICAST = 1 << 5, CTRL_LINKED = 1 << 6 };
enum { CTRL_STATIC = 1 << 7, CTRL_RESERVE = 1 << 8, CTRL_VC_SHIFT = 13, CTRL_INCLUDE_SELF = 1 << 17 };
#define NIU     0xFFB20000u
#define CONTROL 0xFFB12000u
#define LOCAL   0xFFB00000u
enum { CODE = 0x10000, PLACES = 0x8000, RESULT = 0x9000, ZONE = 0x9100, MEET = 0x9200, POLLED = 0x9300 };
enum { VC_READ = 1, BEQ = 0 };

enum {
    R_NIU = 5,
    R_ONE,
    R_CTRL,
    R_FROM,
    R_TO,
    R_LEN,
    R_PLACE,
    R_LEFT,
    R_COUNTS,
    R_T0,
    R_T1,
    R_LIST,
    R_END,
    R_CONTROL,
    R_RESULT,
    R_DONE,
    R_PIECES,
    R_FIRST_FROM,
    R_FIRST_TO,
    R_STEP,
    R_START,
    R_ZONE,
    R_RESPONSES,
};

#define POLL_BRANCH 0u /* no instruction: emit_polls_again replaces it */

/* ---- The program ---------------------------------------------------------------------------------------------- */

static void emit_work(struct guest_code *code, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        guest_emit(code, rv_addi(R_STEP, R_STEP, 0));
}

/* Waits until the command buffer has taken the request before. The branch is taken only if it has not, to a jump behind
 * the program: so it costs one cycle in the usual case with any kind of prediction. */
static void emit_poll(struct guest_code *code) {
    guest_emit(code, rv_lw(R_T0, CMD_CTRL, R_NIU));
    guest_emit(code, POLL_BRANCH);
}

static void emit_polls_again(struct guest_code *code) {
    for (unsigned i = 0, end = code->count; i < end; i++) {
        if (code->word[i] != POLL_BRANCH)
            continue;
        code->word[i] = rv_bne(R_T0, 0, (int32_t)(code->count - i) * 4);
        guest_emit(code, rv_jal(0, ((int32_t)i - 1 - (int32_t)code->count) * 4));
    }
}

static void emit_state(struct guest_code *code, const struct transfers *what) {
    emit_poll(code);
    if (!what->reads)
        guest_emit(code, rv_sw(R_CTRL, CTRL, R_NIU));
    guest_emit(code, rv_sw(0, what->reads ? TARG_MID : RET_MID, R_NIU));
    guest_emit(code, rv_sw(R_PLACE, what->reads ? TARG_HI : RET_HI, R_NIU));
    guest_emit(code, rv_sw(R_LEN, LEN, R_NIU));
}

static void emit_request(struct guest_code *code, const struct transfers *what) {
    emit_poll(code);
    if (!what->stateful && !what->reads)
        guest_emit(code, rv_sw(R_CTRL, CTRL, R_NIU));
    guest_emit(code, rv_sw(R_FROM, TARG_LO, R_NIU));
    guest_emit(code, rv_sw(R_TO, RET_LO, R_NIU));
    if (!what->stateful) {
        guest_emit(code, rv_sw(0, what->reads ? TARG_MID : RET_MID, R_NIU));
        guest_emit(code, rv_sw(R_PLACE, what->reads ? TARG_HI : RET_HI, R_NIU));
        guest_emit(code, rv_sw(R_LEN, LEN, R_NIU));
    }
    guest_emit(code, rv_sw(R_ONE, CMD_CTRL, R_NIU));
    guest_emit(code, rv_lw(R_T0, 0, R_COUNTS));
    if (what->reads) {
        guest_emit(code, rv_addi(R_T0, R_T0, 1));
        guest_emit(code, rv_sw(R_T0, 0, R_COUNTS));
        return;
    }
    guest_emit(code, rv_lw(R_T1, 4, R_COUNTS));
    guest_emit(code, rv_add(R_T0, R_T0, R_RESPONSES));
    guest_emit(code, rv_addi(R_T1, R_T1, 1));
    guest_emit(code, rv_sw(R_T0, 0, R_COUNTS));
    guest_emit(code, rv_sw(R_T1, 4, R_COUNTS));
}

static void emit_back(struct guest_code *code, unsigned reg, unsigned other, unsigned target) {
    guest_emit(code, rv_bne(reg, other, ((int32_t)target - (int32_t)code->count) * 4));
}

/* All pieces of one transaction. */
static void emit_transaction(struct guest_code *code, const struct transfers *what) {
    unsigned pieces = (what->bytes + PIECE - 1) / PIECE, loop;
    if (pieces == 1) {
        emit_request(code, what);
        emit_work(code, what->work);
        return;
    }
    guest_emit(code, rv_addi(R_PIECES, 0, (int32_t)pieces));
    guest_emit(code, rv_addi(R_FROM, R_FIRST_FROM, 0));
    guest_emit(code, rv_addi(R_TO, R_FIRST_TO, 0));
    loop = code->count;
    emit_request(code, what);
    emit_work(code, what->work);
    guest_emit(code, rv_add(R_FROM, R_FROM, R_LEN));
    guest_emit(code, rv_add(R_TO, R_TO, R_LEN));
    guest_emit(code, rv_addi(R_PIECES, R_PIECES, -1));
    emit_back(code, R_PIECES, 0, loop);
}

static void emit_clock(struct guest_code *code, const struct transfers *what, unsigned into, int32_t at) {
    if (what->bare_clock) {
        guest_emit(code, rv_lw(into, CLOCK_LOW, R_CONTROL));
        return;
    }
    guest_emit(code, rv_lw(R_T0, CLOCK_HIGH, R_CONTROL));
    guest_emit(code, rv_slli(R_T0, R_T0, 20));
    guest_emit(code, rv_srli(R_T0, R_T0, 20));
    guest_emit(code, rv_or(R_T0, R_T0, R_ZONE));
    guest_emit(code, rv_sw(R_T0, at, R_RESULT));
    guest_emit(code, rv_lw(into, CLOCK_LOW, R_CONTROL));
    guest_emit(code, rv_sw(into, at + 4, R_RESULT));
}

static void emit_setup(struct guest_code *code, const struct transfers *what) {
    uint32_t ctrl = CTRL_STATIC | what->vc << CTRL_VC_SHIFT;
    if (!what->reads)
        ctrl |= CTRL_WRITE | CTRL_MARKED;
    if (what->multicast)
        ctrl |= (uint32_t)(CTRL_MULTICAST | CTRL_RESERVE) | (what->loopback ? CTRL_INCLUDE_SELF : 0);
    uint32_t from = what->reads ? what->remote : what->local, to = what->reads ? what->local : what->remote;
    guest_constant(code, R_T0, 1 << 3);
    guest_emit(code, guest_csrrs(0, 0x7C0, R_T0));
    guest_constant(code, R_NIU, NIU + what->noc * 0x10000u + (what->reads ? 0x800u : 0));
    guest_constant(code, R_ONE, 1);
    guest_constant(code, R_CTRL, ctrl | (what->linked ? CTRL_LINKED : 0));
    guest_emit(code, rv_sw(R_CTRL, CTRL, R_NIU));
    guest_constant(code, R_FROM, from);
    guest_constant(code, R_TO, to);
    guest_constant(code, R_FIRST_FROM, from);
    guest_constant(code, R_FIRST_TO, to);
    guest_constant(code, R_LEN, what->bytes < PIECE ? what->bytes : PIECE);
    guest_constant(code, R_COUNTS, LOCAL);
    guest_emit(code, rv_sw(0, 0, R_COUNTS));
    guest_emit(code, rv_sw(0, 4, R_COUNTS));
    guest_constant(code, R_LIST, PLACES);
    guest_constant(code, R_END, PLACES + 4 * what->places);
    guest_constant(code, R_CONTROL, CONTROL);
    guest_constant(code, R_RESULT, RESULT);
    guest_constant(code, R_ZONE, ZONE);
    guest_constant(code, R_RESPONSES, what->responses);
    guest_constant(code, R_DONE, NIU + what->noc * 0x10000u + (what->reads ? RD_RESP_RECEIVED : WR_ACK_RECEIVED));
    /* this tile's coordinates */
    guest_emit(code, rv_lw(R_T0, ID_LOGICAL, R_NIU));
    guest_emit(code, rv_slli(R_T0, R_T0, 20));
    guest_emit(code, rv_srli(R_T0, R_T0, 20));
    guest_emit(code, rv_sw(R_T0, what->reads ? RET_HI : TARG_HI, R_NIU));
}

/* Each tile adds one to a word of a tile and reads it again and again until it is complete. */
static void emit_meet(struct guest_code *code, const struct transfers *what) {
    const uint32_t niu = NIU + what->noc * 0x10000u, increment = 1 << 12 | 31 << 2;
    const struct {
        int32_t at;
        uint32_t value;
    } atomic[] = { { TARG_LO, MEET },  { TARG_MID, 0 }, { TARG_HI, what->meet_at },
                   { RET_LO, POLLED }, { RET_MID, 0 },  { CTRL, CTRL_ATOMIC | CTRL_MARKED },
                   { LEN, increment }, { AT_DATA, 1 },  { CMD_CTRL, 1 } };
    guest_emit(code, rv_lw(R_PLACE, ID_LOGICAL, R_NIU));
    guest_emit(code, rv_slli(R_PLACE, R_PLACE, 20));
    guest_emit(code, rv_srli(R_PLACE, R_PLACE, 20));
    guest_constant(code, R_LEFT, niu + 0x1800);
    guest_emit(code, rv_sw(R_PLACE, RET_HI, R_LEFT));
    for (unsigned i = 0; i < sizeof atomic / sizeof *atomic; i++) {
        guest_constant(code, R_T0, atomic[i].value);
        guest_emit(code, rv_sw(R_T0, atomic[i].at, R_LEFT));
    }
    guest_constant(code, R_LEFT, niu);
    guest_emit(code, rv_lw(R_T0, ATOMIC_RESP_RECEIVED, R_LEFT));
    guest_emit(code, rv_b(BEQ, R_T0, 0, -4));
    const struct {
        int32_t at;
        uint32_t value;
    } read[] = { { TARG_LO, MEET },
                 { TARG_MID, 0 },
                 { TARG_HI, what->meet_at },
                 { RET_LO, POLLED },
                 { RET_MID, 0 },
                 { LEN, 4 },
                 { CTRL, CTRL_STATIC | VC_READ << CTRL_VC_SHIFT } };
    guest_constant(code, R_LEFT, niu + 0x800);
    guest_emit(code, rv_sw(R_PLACE, RET_HI, R_LEFT));
    for (unsigned i = 0; i < sizeof read / sizeof *read; i++) {
        guest_constant(code, R_T0, read[i].value);
        guest_emit(code, rv_sw(R_T0, read[i].at, R_LEFT));
    }
    guest_constant(code, R_PLACE, niu);
    guest_constant(code, R_PIECES, POLLED);
    guest_constant(code, R_STEP, what->meet);
    guest_emit(code, rv_addi(R_T1, 0, 0));
    unsigned poll = code->count;
    guest_emit(code, rv_sw(R_ONE, CMD_CTRL, R_LEFT));
    guest_emit(code, rv_addi(R_T1, R_T1, 1));
    guest_emit(code, rv_lw(R_T0, RD_RESP_RECEIVED, R_PLACE));
    guest_emit(code, rv_bne(R_T0, R_T1, -4));
    guest_emit(code, rv_lw(R_T0, 0, R_PIECES));
    emit_back(code, R_T0, R_STEP, poll);
    if (what->reads)
        guest_emit(code, rv_sw(R_T1, 0, R_COUNTS)); /* these reads count, too */
}

/* A transaction for each place in turn. */
static void emit_turns(struct guest_code *code, const struct transfers *what) {
    unsigned turn, place;
    guest_constant(code, R_LEFT, what->count);
    turn = code->count;
    guest_constant(code, R_LIST, PLACES);
    place = code->count;
    guest_emit(code, rv_lw(R_PLACE, 0, R_LIST));
    guest_emit(code, rv_addi(R_LIST, R_LIST, 4));
    emit_transaction(code, what);
    emit_back(code, R_LIST, R_END, place);
    guest_emit(code, rv_addi(R_LEFT, R_LEFT, -1));
    emit_back(code, R_LEFT, 0, turn);
}

/* All transactions for a place, then the next place. */
static void emit_places(struct guest_code *code, const struct transfers *task) {
    struct transfers rest = *task, *const what = &rest;
    unsigned places, transactions;
    rest.work -= task->place_spares;
    places = code->count;
    guest_emit(code, rv_lw(R_PLACE, 0, R_LIST));
    guest_emit(code, rv_addi(R_LIST, R_LIST, 4));
    guest_constant(code, R_LEFT, what->count - what->linked);
    emit_work(code, what->place_work);
    if (what->stateful)
        emit_state(code, what);
    if (what->place_spares)
        guest_emit(code, rv_jal(0, (int32_t)(what->place_spares + 1) * 4));
    transactions = code->count;
    emit_work(code, what->place_spares);
    if (what->count > what->linked) {
        emit_transaction(code, what);
        guest_emit(code, rv_addi(R_LEFT, R_LEFT, -1));
        emit_back(code, R_LEFT, 0, transactions);
    }
    if (what->linked) { /* the last one ends the transaction */
        guest_emit(code, rv_addi(R_CTRL, R_CTRL, -CTRL_LINKED));
        emit_transaction(code, what);
    }
    emit_back(code, R_LIST, R_END, places);
}

static void emit_program(struct guest_code *code, const struct transfers *what) {
    unsigned barrier;
    emit_setup(code, what);
    emit_work(code, 64); /* the tiles have started */
    if (what->meet)
        emit_meet(code, what);
    emit_clock(code, what, R_START, 0);
    emit_work(code, what->start_work);
    if (what->by_turns)
        emit_turns(code, what);
    else
        emit_places(code, what);
    barrier = code->count;
    guest_emit(code, rv_lw(R_T0, 0, R_DONE));
    guest_emit(code, rv_lw(R_T1, 0, R_COUNTS));
    emit_back(code, R_T0, R_T1, barrier);
    emit_clock(code, what, R_T1, 8);
    guest_emit(code, rv_sub(R_T1, R_T1, R_START));
    guest_emit(code, rv_sw(R_T1, 16, R_RESULT));
    guest_emit(code, EBREAK);
    emit_polls_again(code);
}

/* ---- The chip -------------------------------------------------------------------------------------------------- */

/* Host memory: zeros that forget what is written. */
static void host_read(void *user, uint64_t address, void *data, size_t size) {
    (void)user, (void)address;
    memset(data, 0, size);
}
static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    (void)user, (void)address, (void)data, (void)size;
}

bool transfers_open(struct transfers_chip *at) {
    struct bh_config config;
    bh_config_init(&config);
    config.threads = 1;
    config.tensix_harvest = 0x3000; /* columns x = 7 and 10 */
    config.host_read = host_read;
    config.host_write = host_write;
    *at = (struct transfers_chip){ 0 };
    return bh_create(&config, &at->chip, NULL, 0) == BH_OK;
}

void transfers_close(struct transfers_chip *at) {
    bh_destroy(at->chip);
    at->chip = NULL;
}

struct bh_xy transfers_tile(unsigned column, unsigned row) {
    static const uint8_t x[] = { 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14 };
    return (struct bh_xy){ x[column], (uint8_t)(row + 2) };
}

uint32_t transfers_coordinates(struct bh_xy tile) {
    return tile.x | (uint32_t)tile.y << 6;
}

uint32_t transfers_area(struct bh_xy first, struct bh_xy last) {
    return transfers_coordinates(last) | transfers_coordinates(first) << 12;
}

/* The ports that the vendor's software uses for each NoC. */
struct bh_xy transfers_bank(unsigned bank, unsigned noc) {
    unsigned port = noc ? 1 : bank >= 1 && bank <= 3 ? 0 : 2;
    return (struct bh_xy){ (uint8_t)(bank < 4 ? 17 : 18), (uint8_t)(12 + bank % 4 * 3 + port) };
}

bool transfers_add(struct transfers_chip *at, struct bh_xy tile, const struct transfers *what) {
    static struct guest_code code; /* too large for a stack */
    enum bh_core core = what->reads ? BH_NCRISC : BH_BRISC;
    code.count = 0;
    emit_program(&code, what);
    at->tile[at->tiles++] = tile;
    return bh_load_raw(at->chip, tile, core, CODE, code.word, code.count * sizeof *code.word) == BH_OK &&
           bh_write(at->chip, tile, PLACES, what->place, what->places * sizeof *what->place) == BH_OK &&
           bh_release(at->chip, tile, 1u << core) == BH_OK;
}

bool transfers_go(struct transfers_chip *at, const struct silicon_point *point, uint32_t cycles[TRANSFERS_TILES],
                  struct silicon_error *error) {
    struct bh_stop stop;
    if (bh_run(at->chip, UINT64_C(1) << 40, BH_RUN_STOP_ON_FAULT | BH_RUN_STOP_ON_IDLE, &stop) != BH_OK)
        return silicon_fail(point, error, "%s", bh_message(at->chip));
    if (stop.reason == BH_STOP_FAULT)
        return silicon_fail(point, error, "%s", stop.fault.text);
    for (unsigned i = 0; i < at->tiles; i++) {
        uint32_t word = 0;
        bh_peek(at->chip, at->tile[i], RESULT + 16, &word, sizeof word);
        if (!word)
            return silicon_fail(point, error, "tile (%u,%u) has not ended", at->tile[i].x, at->tile[i].y);
        cycles[i] = word;
    }
    return true;
}

uint32_t transfers_wall(const struct transfers_chip *at) {
    uint32_t first = UINT32_MAX, last = 0;
    for (unsigned i = 0; i < at->tiles; i++) {
        uint32_t start = 0, end = 0;
        bh_peek(at->chip, at->tile[i], RESULT + 4, &start, sizeof start);
        bh_peek(at->chip, at->tile[i], RESULT + 12, &end, sizeof end);
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    return last - first;
}
