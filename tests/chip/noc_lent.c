/* A write with loose timing leaves its bytes in the sender's L1 until the exchange (src/tile/loose.h). Whatever is
 * written there meanwhile, the receiver gets the bytes of the time of sending, as with cycle timing.
 * tests/tensix/loose_lent.c has writes by the coprocessor. */
#include "support/noc_stage.h"

#include "isa/riscv.h"
#include "support/random.h"

enum { BYTES = 1024, WORDS = BYTES / 4, OTHER = 900, FAR = 5000, PLACES = 9 };

/* Within the bytes that are sent: at both ends of grains, and in the middle. */
static const uint32_t places[PLACES] = { 0, 4, 252, 256, 508, 512, 764, 1000, 1020 };

/* ---- Programs -------------------------------------------------------------------------------------------- */

struct program {
    uint32_t word[700];
    uint32_t count;
};

static void emit(struct program *p, uint32_t word) {
    assert_true(p->count < sizeof p->word / sizeof *p->word);
    p->word[p->count++] = word;
}

/* x10: an address in L1, x11: what is stored there; x16, x17: command buffers. */
static void emit_address(struct program *p, uint32_t address) {
    emit(p, rv_lui(10, address + 0x800));
    emit(p, rv_addi(10, 10, (int32_t)(address & 0xFFF) - (address & 0x800 ? 0x1000 : 0)));
}

static void emit_begin(struct program *p) {
    emit(p, rv_lui(16, 0xFFB20000));
    emit(p, rv_lui(17, 0xFFB21000));
    emit(p, rv_addi(17, 17, -0x800));
    emit(p, rv_addi(11, 0, OTHER));
    emit(p, rv_addi(12, 0, 1));
}

static void emit_send(struct program *p, unsigned buffer) {
    emit(p, rv_sw(12, NIU_CMD_CTRL, 16 + buffer));
}

static void emit_end(struct program *p) {
    emit(p, rv_jal(0, 0));
}

/* The fields of a command buffer. */
static void prepare(bh_chip *chip, struct bh_xy tile, unsigned buffer, struct script_request r) {
    uint32_t word[12];
    memcpy(word, &r, sizeof word);
    for (uint32_t i = 0; i < 12; i++)
        put_word(chip, tile, script_niu(0, buffer) + 4 * i, word[i]);
}

/* ---- One tile writes to itself --------------------------------------------------------------------------- */

/* Words that store something to x10. */
struct writer {
    const char *name;
    enum bh_core core;
    unsigned bytes;
    uint32_t before[3], words[2];
};

#define VSE32 (0x02006027u | 10 << 15 | 8 << 7) /* vse32.v v8, (x10) */

static const struct writer *writers(unsigned *count) {
    static struct writer list[8];
    const struct writer all[] = {
        { "sb", BH_BRISC, 1, { 0 }, { rv_s(MAJOR_STORE, 0, 11, 10, 0) } },
        { "sh", BH_BRISC, 2, { 0 }, { rv_s(MAJOR_STORE, 1, 11, 10, 0) } },
        { "sw", BH_NCRISC, 4, { 0 }, { rv_sw(11, 0, 10) } },
        { "two sw", BH_TRISC1, 4, { 0 }, { rv_sw(12, 0, 10), rv_sw(11, 0, 10) } },
        { "amoadd", BH_BRISC, 4, { 0 }, { rv_r(MAJOR_AMO, 2, 0, 0, 10, 11) } },
        { "fsw", BH_TRISC2, 4, { rv_r(MAJOR_OP_FP, 0, 0x78, 1, 11, 0) }, { rv_s(MAJOR_STORE_FP, 2, 1, 10, 0) } },
        { "vse32",
          BH_TRISC2,
          4,
          { 0xC1017057u /* vsetivli x0, 2, e32 */, 0x5E05C457u /* vmv.v.x v8, x11 */ },
          { VSE32 } },
    };
    *count = sizeof all / sizeof *all;
    memcpy(list, all, sizeof all);
    return list;
}

static void emit_words(struct program *p, const uint32_t *words, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (words[i])
            emit(p, words[i]);
}

static void start_program(bh_chip *chip, struct bh_xy tile, enum bh_core core, struct program *p) {
    emit_end(p);
    start_at(chip, tile, core, 0x1000 + (uint32_t)core * 0x400, p->word, p->count * 4);
}

/* Each place is written between two sends: the second one takes the new bytes. */
static void play_writer(const struct writer *w, enum bh_timing timing, uint32_t place) {
    bh_chip *chip = make_timed(timing, 1);
    struct program p = { .count = 0 };
    fill(chip, here, DATA, WORDS + 16, 7);
    prepare(chip, here, 0, write_to(here, DATA, there, DATA, BYTES));
    prepare(chip, here, 1, write_to(here, DATA, there, DATA + 2 * BYTES, BYTES));
    emit_begin(&p);
    emit_address(&p, DATA + place);
    emit_words(&p, w->before, 3);
    emit_send(&p, 0);
    emit_words(&p, w->words, 2);
    emit_send(&p, 1);
    emit_words(&p, w->words, 2);
    emit(&p, rv_sw(12, 0, 10));
    start_program(chip, here, w->core, &p);
    run(chip);
    assert_filled(chip, there, DATA, WORDS, 7);
    uint32_t first = 7 + place / 4, mask = w->bytes == 4 ? UINT32_MAX : (1u << 8 * w->bytes) - 1;
    uint32_t then = !strcmp(w->name, "amoadd") ? first + OTHER : (OTHER & mask) | (first & ~mask);
    if (peek_word(chip, there, DATA + 2 * BYTES + place) != then)
        fail_msg("%s at %u: 0x%x, not 0x%x", w->name, (unsigned)place,
                 (unsigned)peek_word(chip, there, DATA + 2 * BYTES + place), (unsigned)then);
    assert_filled(chip, there, DATA + 2 * BYTES, place / 4, 7);
    assert_int_equal(peek_word(chip, here, DATA + place), 1);
    bh_destroy(chip);
}

static void cores_write(void **state) {
    unsigned count;
    const struct writer *list = writers(&count);
    (void)state;
    for (unsigned i = 0; i < count; i++)
        for (unsigned place = 0; place < PLACES; place++) {
            play_writer(&list[i], BH_TIMING_LOOSE, places[place]);
            if (place % 4 == 0)
                play_writer(&list[i], BH_TIMING_CYCLES, places[place]);
        }
}

/* ---- Packets --------------------------------------------------------------------------------------------- */

static const struct bh_xy bank = { 17, 12 };

/* The second request brings something to where the bytes of the first one are. */
static void play_request(enum bh_timing timing, struct script_request second, uint32_t place, bool before) {
    bh_chip *chip = make_timed(timing, 1);
    struct program p = { .count = 0 };
    fill(chip, here, DATA, WORDS, 7);
    fill(chip, here, DATA + 4 * BYTES, WORDS, FAR);
    fill(chip, there, DATA + 4 * BYTES, WORDS, FAR);
    fill(chip, bank, DATA, WORDS, FAR);
    prepare(chip, here, 0, write_to(here, DATA, there, DATA, BYTES));
    prepare(chip, here, 1, second);
    emit_begin(&p);
    emit_send(&p, before);
    emit_send(&p, !before);
    start_program(chip, here, BH_BRISC, &p);
    run(chip);
    if (!before) {
        assert_filled(chip, there, DATA, WORDS, 7);
        assert_int_not_equal(peek_word(chip, here, DATA + place), 7 + place / 4);
    }
    bh_destroy(chip);
}

static void own_requests_write(void **state) {
    (void)state;
    for (unsigned i = 0; i < PLACES; i++) {
        uint32_t place = places[i] & ~63u, word = places[i] & ~3u;
        const struct script_request requests[] = {
            read_from(bank, DATA + place, here, DATA + place, 64),
            write_to(here, DATA + 4 * BYTES + place, here, DATA + place, 16),
            read_from(there, DATA + 4 * BYTES + place, here, DATA + place, 64),
            increment(here, here, DATA + word, DATA + 8 * BYTES),
        };
        for (unsigned kind = 0; kind < sizeof requests / sizeof *requests; kind++) {
            play_request(BH_TIMING_LOOSE, requests[kind], kind == 3 ? word : place, false);
            if (i % 4 == 0)
                play_request(BH_TIMING_CYCLES, requests[kind], kind == 3 ? word : place, false);
        }
    }
}

/* A read that was sent before comes back while the write still waits. */
static void answers_come_first(void **state) {
    (void)state;
    for (unsigned steps = 0; steps < 8; steps++) {
        bh_chip *chip = make_timed(BH_TIMING_LOOSE, 1);
        struct program p = { .count = 0 };
        fill(chip, here, DATA, WORDS, 7);
        fill(chip, there, DATA + 4 * BYTES, WORDS, FAR);
        prepare(chip, here, 0, read_from(there, DATA + 4 * BYTES, here, DATA + 256, 512));
        prepare(chip, here, 1, write_to(here, DATA, there, DATA, BYTES));
        emit_begin(&p);
        for (unsigned i = 0; i < steps; i++)
            emit(&p, rv_addi(13, 13, 1));
        emit_send(&p, 0);
        emit_send(&p, 1);
        start_program(chip, here, BH_BRISC, &p);
        run(chip);
        assert_filled(chip, there, DATA, WORDS, 7);
        assert_filled(chip, here, DATA + 256, 128, FAR);
        bh_destroy(chip);
    }
}

/* Each of three tiles writes to where the next one has the bytes that it sends itself, in whatever order they come. */
static void others_write(void **state) {
    static const struct bh_xy third = { 3, 2 };
    (void)state;
    for (unsigned steps = 0; steps < 24; steps++) {
        bh_chip *chip = make_timed(BH_TIMING_LOOSE, 1 + steps % 3);
        const struct bh_xy tiles[] = { here, there, third };
        for (unsigned i = 0; i < 3; i++) {
            struct program p = { .count = 0 };
            fill(chip, tiles[i], DATA, WORDS, 1000 * (i + 1));
            prepare(chip, tiles[i], 0, write_to(tiles[i], DATA, tiles[(i + 1) % 3], DATA, BYTES));
            emit_begin(&p);
            for (unsigned n = 0; n < 16 * steps % 150; n++)
                emit(&p, rv_addi(13, 13, 1));
            emit_send(&p, 0);
            start_program(chip, tiles[i], BH_BRISC, &p);
        }
        run(chip);
        for (unsigned i = 0; i < 3; i++)
            assert_filled(chip, tiles[(i + 1) % 3], DATA, WORDS, 1000 * (i + 1));
        bh_destroy(chip);
    }
}

/* ---- At the receiver ------------------------------------------------------------------------------------- */

/* A core sleeps on a word in any of the grains that are written, at the end of L1 too. */
static void play_sleeper(enum bh_timing timing, uint32_t at, uint32_t length, uint32_t word) {
    bh_chip *chip = make_timed(timing, 1);
    struct script sender = { 0 }, sleeper = { 0 };
    fill(chip, here, DATA, length / 4, FAR);
    script_put(&sleeper, SCRIPT_WAIT, at + word, FAR + word / 4);
    script_put(&sleeper, SCRIPT_STORE, DONE, 1);
    for (unsigned i = 0; i < 100; i++)
        script_put(&sender, SCRIPT_ADD, DONE + 4, 0);
    request(&sender, 0, write_to(here, DATA, there, at, length));
    start(chip, there, BH_NCRISC, &sleeper);
    start(chip, here, BH_BRISC, &sender);
    run(chip);
    if (!peek_word(chip, there, DONE))
        fail_msg("%u bytes at 0x%x: who looks at 0x%x has not been woken", (unsigned)length, (unsigned)at,
                 (unsigned)(at + word));
    bh_destroy(chip);
}

static void sleepers_wake(void **state) {
    const struct {
        uint32_t at, length;
    } writes[] = { { DATA, 256 }, { DATA, 1024 }, { DATA + 128, 2048 }, { DATA, 4096 }, { CORE_L1_SIZE - 1024, 1024 } };
    (void)state;
    for (unsigned i = 0; i < sizeof writes / sizeof *writes; i++)
        for (uint32_t word = 0; word < writes[i].length; word += 252) {
            play_sleeper(BH_TIMING_LOOSE, writes[i].at, writes[i].length, word);
            if (word % 5 == 0)
                play_sleeper(BH_TIMING_CYCLES, writes[i].at, writes[i].length, word);
        }
}

/* ---- One after the other --------------------------------------------------------------------------------- */

/* Long writes, which are planned from the second on, between short ones, reads of DRAM into the bytes that are sent,
 * and stores to these bytes: two receivers get what a list of plain copies gives.
 */
enum { WINDOW = 4096, LINE = 64, STEPS = 60, KINDS = 4 };
static const uint32_t kind_length[KINDS] = { 1024, 256, 64, 512 }; /* by command buffer; the last one reads DRAM */

struct copies {
    uint8_t from[WINDOW], to[2][WINDOW], dram[WINDOW];
};

/* x20 and on: command buffers. */
static void emit_store(struct program *p, uint32_t value, uint32_t offset, unsigned base) {
    emit_address(p, value);
    emit(p, rv_sw(10, (int32_t)offset, base));
}

static void draw_step(struct program *p, struct copies *model, uint64_t *seed) {
    unsigned kind = random_below(seed, KINDS + 1), other = random_below(seed, 2), niu = 20 + kind;
    uint32_t length = kind < KINDS ? kind_length[kind] : LINE, spots = (WINDOW - length) / LINE;
    uint32_t a = random_below(seed, spots) * LINE, b = random_below(seed, spots) * LINE;
    if (kind == KINDS) {
        emit_address(p, DATA + a);
        emit(p, rv_sw(10, 4, 10)); /* the address itself */
        memcpy(model->from + a + 4, &(uint32_t){ DATA + a }, 4);
        return;
    }
    emit_store(p, kind == KINDS - 1 ? a : DATA + a, 4 * NIU_TARG_LO, niu);
    emit_store(p, DATA + b, 4 * NIU_RET_LO, niu);
    if (kind != KINDS - 1)
        emit_store(p, xy(other ? (struct bh_xy){ 3, 2 } : there), 4 * NIU_RET_HI, niu);
    emit(p, rv_sw(12, NIU_CMD_CTRL, niu));
    if (kind == KINDS - 1)
        memcpy(model->from + b, model->dram + a, length);
    else
        memcpy(model->to[other] + b, model->from + a, length);
}

static void hear(void *user, const struct bh_event *event) {
    uint64_t *packets = user;
    *packets += event->kind == BH_EVENT_PACKET;
}

static uint64_t play_copies(uint64_t seed, bool watched) {
    bh_chip *chip = make_timed(BH_TIMING_LOOSE, 1);
    struct program p = { .count = 0 };
    struct copies model = { .from = { 0 } };
    uint8_t bytes[WINDOW];
    uint64_t packets = 0;
    for (unsigned i = 0; i < WINDOW; i++) {
        model.from[i] = (uint8_t)random_below(&seed, 256);
        model.dram[i] = (uint8_t)random_below(&seed, 256);
    }
    put(chip, here, DATA, model.from, WINDOW);
    put(chip, bank, 0, model.dram, WINDOW);
    if (watched)
        assert_int_equal(bh_observe(chip, BH_WATCH_EVENTS, hear, &packets), BH_OK);
    for (unsigned kind = 0; kind < KINDS; kind++)
        prepare(chip, here, kind,
                kind == KINDS - 1 ? read_from(bank, 0, here, DATA, kind_length[kind])
                                  : write_to(here, DATA, there, DATA, kind_length[kind]));
    emit_begin(&p);
    for (unsigned kind = 0; kind < KINDS; kind++)
        emit_address(&p, script_niu(0, kind)), emit(&p, rv_addi(20 + kind, 10, 0));
    for (unsigned i = 0; i < STEPS; i++)
        draw_step(&p, &model, &seed);
    start_program(chip, here, BH_BRISC, &p);
    run(chip);
    for (unsigned other = 0; other < 2; other++) {
        assert_int_equal(bh_peek(chip, other ? (struct bh_xy){ 3, 2 } : there, DATA, bytes, WINDOW), BH_OK);
        assert_memory_equal(bytes, model.to[other], WINDOW);
    }
    assert_int_equal(bh_peek(chip, here, DATA, bytes, WINDOW), BH_OK);
    assert_memory_equal(bytes, model.from, WINDOW);
    assert_int_equal(packets > 0, watched);
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

/* With an observer no request is planned. */
static void one_after_the_other(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        assert_int_equal(play_copies(seed, false), play_copies(seed, true));
}

/* The fault of a write to a tile that is gone names sender and instruction like any other. */
static void faults_name_the_sender(void **state) {
    struct bh_fault fault[2];
    (void)state;
    for (unsigned watched = 0; watched < 2; watched++) {
        bh_chip *chip = make_timed(BH_TIMING_LOOSE, 1);
        struct program p = { .count = 0 };
        struct bh_stop stop;
        uint64_t packets = 0;
        if (watched)
            assert_int_equal(bh_observe(chip, BH_WATCH_EVENTS, hear, &packets), BH_OK);
        struct tile *tile = chip_made(chip, 1);
        assert_true(tile->xy.x == there.x && tile->xy.y == there.y);
        tile->kind = TILE_KIND_ETH; /* with less L1 than the sender knows of */
        prepare(chip, here, 0, write_to(here, DATA, there, DATA, BYTES));
        emit_begin(&p);
        emit_address(&p, 0x100000);
        emit_send(&p, 0);
        emit(&p, rv_sw(10, 4 * NIU_RET_LO, 16));
        emit_send(&p, 0); /* planned by now */
        start_program(chip, here, BH_BRISC, &p);
        assert_int_equal(bh_run(chip, 2000, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
        assert_int_equal(stop.reason, BH_STOP_FAULT);
        fault[watched] = stop.fault;
        tile->kind = TILE_KIND_TENSIX;
        bh_destroy(chip);
    }
    assert_string_equal(fault[0].text, fault[1].text);
    assert_int_equal(fault[0].pc, fault[1].pc);
    assert_int_equal(fault[0].insn, fault[1].insn);
    assert_int_equal(fault[0].core, BH_BRISC);
    assert_int_equal(fault[0].address, 0x100000);
    assert_int_equal(fault[0].cycle, fault[1].cycle);
}

/* ---- Nothing is left ------------------------------------------------------------------------------------- */

/* After the exchange nothing is on loan, and a core that finds a stale mark removes it. */
static void loans_end(void **state) {
    bh_chip *chip = make_timed(BH_TIMING_LOOSE, 1);
    const struct tile *tile = chip_made(chip, 0);
    struct program p = { .count = 0 };
    (void)state;
    fill(chip, here, DATA, WORDS, 7);
    prepare(chip, here, 0, write_to(here, DATA, there, DATA, BYTES));
    emit_begin(&p);
    emit_address(&p, DATA + 300);
    emit_send(&p, 0);
    for (unsigned i = 0; i < 100; i++)
        emit(&p, rv_addi(13, 13, 1));
    emit(&p, rv_lui(14, 0x1000)); /* for more than an epoch */
    emit(&p, rv_addi(14, 14, -1));
    emit(&p, rv_bne(14, 0, -4));
    emit(&p, rv_sw(11, 0, 10));
    start_program(chip, here, BH_BRISC, &p);
    run(chip);
    assert_int_equal(tile->mail.loose.lent_end, 0);
    assert_int_equal(tile->mail.loose.kept_count, 0);
    assert_int_equal(tile->mail.pool->used, 0);
    assert_int_equal(tile->marks[(DATA + 300) >> CORE_CODE_GRAIN] & MARK_LENT, 0);
    assert_filled(chip, there, DATA, WORDS, 7);
    bh_destroy(chip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_write),
        cmocka_unit_test(own_requests_write),
        cmocka_unit_test(answers_come_first),
        cmocka_unit_test(others_write),
        cmocka_unit_test(sleepers_wake),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(faults_name_the_sender),
        cmocka_unit_test(loans_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
