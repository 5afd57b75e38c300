/* src/tensix/misc/misc.c: the instructions on address counters against their pages, how many a cycle, and those that no
 * document describes. */
#include "support/tensix_scene.h"

#include "support/random.h"

enum { ROUNDS = 200000 };

/* ---- As the pages have it ------------------------------------------------------------------------------ */

enum { WIDTH_X = 18, WIDTH_OTHER = 13 };

/* One counter with its CR, by name. */
struct counter {
    uint32_t *value, *cr;
    unsigned width;
};

static struct counter counter_of(struct adc *set, unsigned channel, char name) {
    unsigned axis = name == 'X' ? 0 : name == 'Y' ? 1 : name == 'Z' ? 2 : 3;
    return (struct counter){ &set->channel[channel].value[axis], &set->channel[channel].cr[axis],
                             name == 'X' ? WIDTH_X : WIDTH_OTHER };
}

static uint32_t wrap(uint64_t value, unsigned width) {
    return (uint32_t)(value % (UINT64_C(1) << width));
}

static unsigned bits(uint32_t word, unsigned low, unsigned width) {
    return word / (1u << low) % (1u << width);
}

static void set_counter(struct counter c, uint32_t value) {
    *c.value = wrap(value, c.width);
    *c.cr = wrap(value, c.width);
}

static void add_to_counter(struct counter c, uint32_t value) {
    *c.value = wrap((uint64_t)*c.value + value, c.width);
}

static void add_to_cr(struct counter c, uint32_t value) {
    *c.cr = wrap((uint64_t)*c.cr + value, c.width);
    *c.value = *c.cr;
}

/* names: "XY" or "ZW". */
static void page_four(struct adc *set, uint32_t word, const char *names, bool masked,
                      void (*verb)(struct counter, uint32_t)) {
    bool always = !masked;
    if (always || bits(word, 0, 1))
        verb(counter_of(set, 0, names[0]), bits(word, 6, 3));
    if (always || bits(word, 1, 1))
        verb(counter_of(set, 0, names[1]), bits(word, 9, 3));
    if (always || bits(word, 2, 1))
        verb(counter_of(set, 1, names[0]), bits(word, 12, 3));
    if (always || bits(word, 3, 1))
        verb(counter_of(set, 1, names[1]), bits(word, 15, 3));
}

static void page_set(struct adc *set, uint32_t word) {
    switch (word >> 24) {
    case 0x50: set_counter(counter_of(set, bits(word, 20, 1), "XYZW"[bits(word, 18, 2)]), bits(word, 0, 16)); break;
    case 0x51: page_four(set, word, "XY", true, set_counter); break;
    case 0x52: page_four(set, word, "XY", false, add_to_counter); break;
    case 0x53: page_four(set, word, "XY", true, add_to_cr); break;
    case 0x54: page_four(set, word, "ZW", true, set_counter); break;
    case 0x55: page_four(set, word, "ZW", false, add_to_counter); break;
    case 0x56: page_four(set, word, "ZW", true, add_to_cr); break;
    default:
        set_counter(counter_of(set, 0, 'X'), bits(word, 0, 10));
        set_counter(counter_of(set, 1, 'X'), bits(word, 10, 10));
        break;
    }
}

static unsigned page_thread(uint32_t word, unsigned thread) {
    unsigned override = 0;
    if (word >> 24 == 0x50)
        override = bits(word, 16, 2);
    else if (word >> 24 != 0x5E)
        override = bits(word, 18, 2);
    return override == 0 ? thread : override - 1;
}

static void page(struct adc adc[TENSIX_THREADS][ADC_COUNT], uint32_t word, unsigned thread) {
    struct adc *sets = adc[page_thread(word, thread)];
    if (bits(word, 21, 1))
        page_set(&sets[0], word);
    if (bits(word, 22, 1))
        page_set(&sets[1], word);
    if (bits(word, 23, 1))
        page_set(&sets[2], word);
}

/* ---- Every field ------------------------------------------------------------------------------------------ */

static const struct {
    uint8_t opcode;
    tensix_handler *handler;
} instructions[] = {
    { 0x50, execute_SETADC },   { 0x51, execute_SETADCXY }, { 0x52, execute_INCADCXY }, { 0x53, execute_ADDRCRXY },
    { 0x54, execute_SETADCZW }, { 0x55, execute_INCADCZW }, { 0x56, execute_ADDRCRZW }, { 0x5E, execute_SETADCXX },
};
enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions };

/* Often close to where they wrap. */
static void draw(struct adc adc[TENSIX_THREADS][ADC_COUNT], uint64_t *seed) {
    for (unsigned i = 0; i < TENSIX_THREADS * ADC_COUNT * 2 * ADC_AXES; i++) {
        struct adc_channel *channel = &adc[i / 24][i / 8 % 3].channel[i / 4 % 2];
        uint32_t top = 1u << (i % 4 ? WIDTH_OTHER : WIDTH_X);
        channel->value[i % 4] = random_below(seed, 2) ? random_below(seed, top) : top - 1 - random_below(seed, 8);
        channel->cr[i % 4] = random_below(seed, 2) ? random_below(seed, top) : top - 1 - random_below(seed, 8);
    }
}

static void every_field(void **state) {
    struct tensix_box *tb = *state;
    struct adc want[TENSIX_THREADS][ADC_COUNT];
    uint64_t seed = 6;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned which = random_below(&seed, INSTRUCTIONS), thread = random_below(&seed, 3);
        uint32_t word = (uint32_t)instructions[which].opcode << 24 | (random_next(&seed) & 0xFFFFFF);
        if (round % 64 == 0)
            draw(tb->x->adc, &seed);
        memcpy(want, tb->x->adc, sizeof want);
        page(want, word, thread);
        tb->x->next_other_event = round % 2 ? TENSIX_NEVER : round;
        assert_int_equal(instructions[which].handler(tb->x, thread, word, round), TENSIX_PASSED);
        tensix_run(tb->x, round + 1);
        if (memcmp(want, tb->x->adc, sizeof want) != 0)
            fail_msg("round %u: %08x of T%u", round, word, thread);
    }
}

/* Instructions in the same cycle see the old counters. */
static void seen_from_the_next_cycle_on(void **state) {
    struct tensix_box *tb = *state;
    const uint32_t word = TT(SETADC, 1, 0, ADC_Y, 77);
    tb->x->next_other_event = 0;
    assert_int_equal(execute_SETADC(tb->x, 1, word, 0), TENSIX_PASSED);
    assert_int_equal(tb->x->adc[1][ADC_UNPACKER0].channel[0].value[ADC_Y], 0);
    assert_int_equal(tb->x->next_landing, 1);
    tensix_run(tb->x, 1);
    assert_int_equal(tb->x->adc[1][ADC_UNPACKER0].channel[0].value[ADC_Y], 77);
}

/* ---- Edges by name ------------------------------------------------------------------------------------------ */

static void widths(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 0, TT(SETADC, 7, 0, ADC_X, 0xFFFF), TT(SETADC, 7, 0, ADC_Y, 0xFFFF),
                TT(SETADC, 7, 1, ADC_Z, 0xFFFF), TT(SETADC, 7, 1, ADC_W, 0xFFFF), TT(INCADCZW, 4, 0, 7, 0, 0),
                TT(ADDRCRZW, 2, 2, 0, 0, 0, 8));
    assert_true(tb_run(tb));
    for (unsigned i = 0; i < ADC_COUNT; i++) {
        const struct adc *adc = &tb->x->adc[0][i];
        assert_int_equal(adc->channel[0].value[ADC_X], 0xFFFF);
        assert_int_equal(adc->channel[0].value[ADC_Y], 0x1FFF);
        assert_int_equal(adc->channel[1].value[ADC_Z], i == ADC_PACKERS ? 6 : 0x1FFF);
        assert_int_equal(adc->channel[1].cr[ADC_Z], 0x1FFF);
        assert_int_equal(adc->channel[1].value[ADC_W], i == ADC_UNPACKER1 ? 1 : 0x1FFF);
        assert_int_equal(adc->channel[1].cr[ADC_W], i == ADC_UNPACKER1 ? 1 : 0x1FFF);
    }
}

/* The bits that name the thread are not part of the value. */
static void value_with_a_thread(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 0, TT(SETADC, 1, 0, ADC_X, 3u << 16 | 5), TT(SETADC, 1, 1, ADC_X, 2u << 16 | 6));
    assert_true(tb_run(tb));
    assert_int_equal(tb->x->adc[2][0].channel[0].value[ADC_X], 5);
    assert_int_equal(tb->x->adc[1][0].channel[1].cr[ADC_X], 6);
    assert_int_equal(tb->x->adc[0][0].channel[0].value[ADC_X], 0);
}

/* INC leaves CR; ADDRCR starts again from it. */
static void carriage_return(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 1, TT(SETADCXY, 4, 0, 0, 3, 0, 2), TT(INCADCXY, 4, 0, 0, 5, 0), TT(INCADCXY, 4, 0, 0, 7, 0));
    assert_true(tb_run(tb));
    const struct adc_channel *channel = &tb->x->adc[1][ADC_PACKERS].channel[0];
    assert_int_equal(channel->value[ADC_Y], 15);
    assert_int_equal(channel->cr[ADC_Y], 3);
    assert_int_equal(execute_ADDRCRXY(tb->x, 1, TT(ADDRCRXY, 4, 0, 0, 2, 0, 2), tb->now), TENSIX_PASSED);
    tensix_run(tb->x, tb->now + 1);
    assert_int_equal(channel->value[ADC_Y], 5);
    assert_int_equal(channel->cr[ADC_Y], 5);
}

static void masks_of_nothing(void **state) {
    struct tensix_box *tb = *state;
    TB_PUSH_ALL(tb, 2, TT(SETADC, 0, 0, 0, 99), TT(SETADCXX, 0, 9, 9), TT(SETADCXY, 0, 1, 1, 1, 1, 15),
                TT(SETADCZW, 7, 1, 1, 1, 1, 0), TT(INCADCXY, 0, 1, 1, 1, 1), TT(ADDRCRZW, 7, 1, 1, 1, 1, 0x30));
    struct adc before[TENSIX_THREADS][ADC_COUNT];
    memcpy(before, tb->x->adc, sizeof before);
    assert_true(tb_run(tb));
    assert_memory_equal(before, tb->x->adc, sizeof before);
    assert_int_equal(tb->passes[2], 6);
}

/* ---- Time ------------------------------------------------------------------------------------------------------ */

/* One a cycle from each thread, whatever the others do; no pipeline is busy afterwards. */
static void one_a_cycle_from_each_thread(void **state) {
    struct tensix_box *tb = *state;
    enum { COUNT = 12 };
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        tb_push(tb, thread, HELD(2));
        for (unsigned i = 0; i < COUNT; i++)
            tb_push(tb, thread, TT(INCADCXY, 7, 1 + (2 << 3), 1, 1, 1)); /* of T1 */
    }
    tb_start(tb);
    tb_step(tb, 300);
    tb->x->sync.semaphore[2].value = 1;
    tensix_wake(tb->x, tb->now);
    tb_step(tb, 400);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        for (unsigned i = 2; i < COUNT; i++)
            assert_int_equal(tb->at[thread][1 + i], tb->at[thread][i] + 1);
        assert_int_equal(tb->at[thread][1], tb->at[0][1]);
        assert_true(tb->x->thread[thread].idle_at <= tb->at[thread][COUNT] + 1);
    }
    assert_int_equal(tb->x->adc[1][ADC_PACKERS].channel[1].value[ADC_Y], 3 * COUNT);
    assert_int_equal(tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_Y], 0);
}

/* B0 holds them, and nothing else does. */
static void gate(void **state) {
    (void)state;
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        const struct tensix_row *row = tensix_decode((uint32_t)instructions[i].opcode << 24);
        assert_int_equal(row->gate, TENSIX_GATE_B0);
        assert_int_equal(row->unit, TENSIX_UNIT_MISC);
    }
}

/* ---- Without a description ------------------------------------------------------------------------------------- */

static void faults(struct tensix_box *tb, uint32_t word, const char *text) {
    tb_push(tb, 0, word);
    assert_false(tb_run(tb));
    assert_int_equal(tb->box->fault.kind, BH_FAULT_UNDEFINED);
    assert_non_null(strstr(tb->box->fault.text, text));
}

static void rstdma(void **state) {
    faults(*state, TT(RSTDMA, 0), "RSTDMA (pushed at pc");
}

static void tbufcmd(void **state) {
    faults(*state, TT(TBUFCMD, 0), "reserved");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(every_field),
        BOXED(seen_from_the_next_cycle_on),
        BOXED(widths),
        BOXED(value_with_a_thread),
        BOXED(carriage_return),
        BOXED(masks_of_nothing),
        BOXED(gate),
        BOXED(one_a_cycle_from_each_thread),
        BOXED(rstdma),
        BOXED(tbufcmd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
