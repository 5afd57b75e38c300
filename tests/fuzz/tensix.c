/* Fuzzes the coprocessor from the side of the cores. The input is a list of actions of ten bytes or less: pushes, loads
 * and stores of any core at any register, bits of SOFT_RESET_0, registers of streams, and cycles that pass. No core
 * runs; what it would have to wait for is given up.
 *
 * Whatever the actions: no thread is left with an instruction and without a reason, the work stays within bounds, and
 * the outcome does not depend on the steps in which time passes. With loose timing all that can be done is in the end,
 * and what is counted adds up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/overlay.h"
#include "support/box.h"

enum { ACTIONS = 256, AT_THE_END = 1000, EVENTS_A_CYCLE = 64, L1_BY_CORES = 0x10000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "fuzz tensix: %s\n", what);
    abort();
}

/* ---- The input ------------------------------------------------------------------------------------ */

struct input {
    const uint8_t *data;
    size_t size;
};

static uint32_t take(struct input *in, unsigned bytes) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes && in->size; i++) {
        value |= (uint32_t)*in->data++ << 8 * i;
        in->size--;
    }
    return value;
}

/* Any word, but mostly an instruction that has a handler. */
static uint32_t take_word(struct input *in) {
    static const uint8_t done[] = {
#define STATE_done(opcode)   opcode,
#define STATE_faults(opcode) opcode,
#define STATE_todo(opcode)
#define TENSIX_OP(opcode, name, state, ...) STATE_##state(opcode)
#include "isa/tensix.def"
    };
    uint32_t first = take(in, 1), rest = take(in, 3);
    return (first < 0xE0 ? done[first % sizeof done] : first - 0x20) << 24 | rest;
}

/* ---- The tile --------------------------------------------------------------------------------------- */

struct play {
    struct box *box;
    struct tensix *x;
    struct tensix_port port;
    uint32_t streams[OVERLAY_STREAMS][OVERLAY_STREAM_SIZE / 4];
    unsigned step; /* in which time passes; 0: at once */
    uint64_t now;
    unsigned last_core; /* that acted in this cycle, BH_CORE_COUNT: none yet */
    uint64_t events;
    uint64_t hash;
};

static struct play *playing;                             /* the port's owner is the tile */
static uint32_t written_from = CORE_L1_SIZE, written_to; /* in L1, by the coprocessor */

static void mix_word(struct play *p, uint64_t word) {
    p->hash = (p->hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    p->hash ^= p->hash >> 29;
}

static void mix(struct play *p, const void *data, size_t size) {
    uint16_t half;
    for (size_t i = 0; i < size; i += sizeof half) {
        memcpy(&half, (const uint8_t *)data + i, sizeof half);
        mix_word(p, half);
    }
}

static struct access read_stream(void *owner, unsigned stream, unsigned index, uint32_t *value) {
    (void)owner;
    *value = playing->streams[stream][index];
    return access_done();
}

static void count_event(void *owner, uint64_t time, unsigned cores) {
    playing->events++;
    tile_tensix_port.event(owner, time, cores);
}

static void note_written(void *owner, enum bh_track unit, uint32_t address, uint32_t size, uint64_t time) {
    written_from = address < written_from ? address : written_from;
    written_to = address + size > written_to ? address + size : written_to;
    tile_tensix_port.l1_written(owner, unit, address, size, time);
}

/* Cores act only on command, and have done nothing since: none is behind. */
static uint64_t core_is_at(void *owner, enum bh_core core) {
    (void)owner, (void)core;
    return playing->now;
}

static void pass(struct play *p, uint64_t cycles) {
    uint64_t until = p->now + cycles;
    for (uint64_t t = p->now + 1; p->step && t < until; t++)
        if (t % p->step == 0)
            tensix_run(p->x, t);
    tensix_run(p->x, until);
    p->now = until;
    p->last_core = BH_CORE_COUNT;
}

/* In a cycle each core acts once, in the order of their numbers. */
static struct core *turn_of(struct play *p, unsigned number) {
    if (p->last_core != BH_CORE_COUNT && number <= p->last_core)
        pass(p, 1);
    p->last_core = number;
    struct core *core = &p->box->tile.core[number];
    core->retired = 0;
    core->stalled = (int64_t)p->now;
    return core;
}

/* ---- Actions ------------------------------------------------------------------------------------------ */

static void push(struct play *p, struct input *in) {
    uint32_t how = take(in, 1), words[4];
    unsigned number = how & 3, count = number == BH_BRISC ? 1 : 1 + (how >> 2 & 3);
    for (unsigned i = 0; i < count; i++)
        words[i] = take_word(in);
    struct core *core = turn_of(p, number);
    if (number == BH_BRISC)
        mix_word(p, tile_core_port.store(&p->box->tile, core, 0xFFE40000 + (how >> 2 & 3) % 3 * 0x10000, 4, words[0]));
    else {
        unsigned shape = push_shape(count, 1, CORE_FUSED_MAX, false) | PUSH_WAITS;
        struct core_push pushed = core->port->push(&p->box->tile, core, words, shape, core->pc, core_time(core));
        mix_word(p, pushed.result ^ pushed.count << 4);
    }
}

static uint32_t take_address(struct input *in) {
    static const uint32_t bases[16] = {
        0xFFE00000, 0xFFE00000, 0xFFEF0000, 0xFFEF0000, 0xFFEF3000, 0xFFB80000, 0xFFE80000, 0xFFE80000,
        0xFFE80020, 0xFFB11000, 0xFFB12000, 0xFFB12000, 0xFFB20000, 0xFFEC0000, 0xFFE40000, 0x00000000,
    };
    uint32_t where = take(in, 1), offset = take(in, 2);
    return bases[where & 15] + (where & 0x80 ? offset : where & 0x40 ? offset & 0xFFFC : offset & 0xFC);
}

static const uint8_t commands[4] = { 0x40, 0x46, 0x66, 0x89 };

static void store(struct play *p, struct input *in) {
    unsigned number = take(in, 1) % BH_CORE_COUNT;
    uint32_t address = take_address(in), value = take(in, 4);
    struct core *core = turn_of(p, number);
    if ((int)address == REG_AT_TDMA_COMMAND_ADDR) /* mostly one that there is */
        value = (value & 0xFFFFFF00) | (value & 0xF0 ? commands[value & 3] : value & 15);
    mix_word(p, tile_core_port.store(&p->box->tile, core, address, 4, value));
}

static void load(struct play *p, struct input *in) {
    uint32_t how = take(in, 1), address = take_address(in), value = 0;
    unsigned latency = 0;
    struct core *core = turn_of(p, how % BH_CORE_COUNT);
    unsigned size = how & 0x40 ? 1u << (how >> 7) : 4;
    mix_word(p, tile_core_port.load(&p->box->tile, core, address, size, &value, &latency));
    mix_word(p, value);
}

static void look_at_status(struct play *p, struct input *in) {
    uint32_t how = take(in, 1);
    const struct core *core = turn_of(p, how & 3);
    mix_word(p, tile_core_port.status_csr(&p->box->tile, core, 0xBC0 + (how >> 2 & 1)));
}

static void set_stream(struct play *p, struct input *in) {
    unsigned stream = take(in, 1) % OVERLAY_STREAMS, index = take(in, 2) % (OVERLAY_STREAM_SIZE / 4);
    p->streams[stream][index] = take(in, 2);
    tensix_run(p->x, p->now);
    tensix_wake(p->x, p->now);
}

static void soft_reset(struct play *p, struct input *in) {
    uint32_t value = take(in, 3);
    struct core *core = turn_of(p, BH_BRISC);
    mix_word(p, tile_core_port.store(&p->box->tile, core, 0xFFB121B0, 4, value));
}

static void act(struct play *p, struct input *in) {
    uint32_t what = take(in, 1);
    switch (what & 15) {
    case 0: pass(p, 1 + (what >> 4)); break;
    case 1: pass(p, 1 + take(in, 1)); break;
    case 2:
    case 3: load(p, in); break;
    case 4:
    case 5:
    case 6: store(p, in); break;
    case 7: soft_reset(p, in); break;
    case 8: set_stream(p, in); break;
    case 9: look_at_status(p, in); break;
    default: push(p, in); break;
    }
}

/* ---- The outcome ----------------------------------------------------------------------------------------- */

static void check_thread(struct play *p, unsigned i) {
    struct tensix_thread *t = &p->x->thread[i];
    char text[256];
    bool idle = tensix_idle(p->x, i, p->now);
    check(idle || t->faulted || t->waits_on || t->due != TENSIX_NEVER || frontend_empty(&t->frontend),
          "a thread with instructions that nothing will ever look at");
    check(t->due >= p->x->time || p->x->loose, "a thread whose turn is over");
    check(!t->faulted || t->fault.text[0], "a fault without a text");
    tensix_explain(p->x, i, text, sizeof text);
    check(!tensix_waits(p->x, i) || text[0], "a thread that waits without a reason");
}

static void check_counts(const struct frontend *f) {
    unsigned special = 0;
    for (unsigned i = 0; i < frontend_first_count(f); i++) {
        uint32_t opcode = frontend_nth(f, i).word >> 24;
        special += opcode <= TENSIX_RESOURCEDECL && opcode != TENSIX_NOP;
    }
    check(f->special == special, "words in the first FIFO that are not what was counted");
    check(f->in_flight <= FRONTEND_FIRST && f->mops <= FRONTEND_FIRST + 1, "more words than there is room for");
    check(f->in_flight >= frontend_first_count(f), "words that are not in flight");
    check(f->mops || !f->mop.active, "a MOP that is not counted");
    check(!frontend_empty(f) || !(f->in_flight | f->mops), "words in flight that are nowhere");
}

/* Runs until no agent has anything to do. */
static void come_to_rest(struct play *p) {
    enum { MOST = 100000 };
    unsigned turns = 0;
    for (uint64_t due; (due = tensix_due(p->x)) != TENSIX_NEVER && turns < MOST; turns++)
        pass(p, due >= p->now ? due + 1 - p->now : 1);
    check(turns < MOST, "no rest");
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        check_counts(&p->x->thread[i].frontend);
}

/* Checks the known contents of a bank. */
static void check_bank(const struct src *src, unsigned file, unsigned bank) {
    uint32_t filled = src->filled[file][bank];
    for (unsigned i = 0; filled && i < SRC_ROWS * SRC_COLUMNS; i++)
        check(src_get(&src->bank[file][bank], i / SRC_COLUMNS, i % SRC_COLUMNS) == filled - 1,
              "a bank of Src that is not what it was filled with");
}

static void mix_thread(struct play *p, const struct tensix_thread *t) {
    mix_word(p, t->frontend.passes);
    mix_word(p, frontend_passed_at(&t->frontend));
    mix_word(p, t->faulted);
    mix_word(p, t->idle_at);
    mix_word(p, t->frontend.in_flight);
    mix_word(p, t->frontend.lost);
    mix(p, t->frontend.replay.word, sizeof t->frontend.replay.word);
    mix(p, t->frontend.ttsync.declared, sizeof t->frontend.ttsync.declared);
}

static void mix_outcome(struct play *p) {
    const struct tensix *x = p->x;
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        mix_thread(p, &x->thread[i]);
    mix(p, x->gpr, sizeof x->gpr);
    mix(p, x->config.bank, sizeof x->config.bank);
    mix(p, x->config.thread, sizeof x->config.thread);
    mix_word(p, x->config.busy_until);
    mix_word(p, x->mover.busy_until);
    mix_word(p, x->mover.tdma.commands);
    for (unsigned i = 0; i < SYNC_SEMAPHORES; i++)
        mix_word(p, (uint64_t)x->sync.semaphore[i].value << 8 | x->sync.semaphore[i].max);
    for (unsigned i = 0; i < SYNC_MUTEXES; i++)
        mix_word(p, x->sync.mutex[i].held_by);
    mix(p, x->adc, sizeof x->adc);
    mix(p, &x->src, sizeof x->src);
}

/* The one box of either timing, as it was made: most of its memory is never touched. */
static struct box *clean_box(bool loose) {
    static struct box *boxes[2];
    static struct tile made[2];
    if (!boxes[loose]) {
        boxes[loose] = box_create_timed(1, loose);
        made[loose] = boxes[loose]->tile;
    }
    struct box *box = boxes[loose];
    memset(box->tile.l1, 0, L1_BY_CORES);
    if (written_from < written_to)
        memset(box->tile.l1 + written_from, 0, written_to - written_from);
    memset(box->tile.marks, 0, TILE_MARKS);
    box->tile = made[loose];
    written_from = CORE_L1_SIZE;
    written_to = 0;
    return box;
}

static uint64_t outcome(const uint8_t *data, size_t size, unsigned step, bool loose) {
    struct input in = { data, size };
    struct play p = { .box = clean_box(loose), .step = step, .hash = 1, .last_core = BH_CORE_COUNT };
    playing = &p;
    p.x = &p.box->tile.tensix;
    p.port = *p.x->port;
    p.port.stream = read_stream;
    p.port.event = count_event;
    p.port.l1_written = note_written;
    p.port.core_time = core_is_at;
    p.x->port = &p.port;
    pass(&p, 1);
    for (unsigned i = 0; i < ACTIONS && in.size; i++)
        act(&p, &in);
    pass(&p, AT_THE_END);
    if (loose)
        come_to_rest(&p);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        check_thread(&p, i);
    for (unsigned i = 0; i < SRC_FILES * SRC_BANKS; i++)
        check_bank(&p.x->src, i / SRC_BANKS, i % SRC_BANKS);
    check(p.events <= EVENTS_A_CYCLE * p.now, "more events than time for them");
    mix_outcome(&p);
    return p.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t at_once = outcome(data, size, 0, false);
    check(outcome(data, size, 7, false) == at_once, "steps of 7 cycles end elsewhere than one step");
    check(outcome(data, size, 1, false) == at_once, "steps of one cycle end elsewhere than one step");
    outcome(data, size, 0, true);
    return 0;
}
