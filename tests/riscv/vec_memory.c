/* Vector loads and stores: every addressing mode against a loop over bytes, then waiting, faults and traces. */
#include "vec_test.h"

/* ---- random, against a plain loop ---- */

enum mode { UNIT, FIRST, STRIDED, INDEXED, MASK, WHOLE };

struct kind {
    enum rv_id id;
    bool store;
    enum mode mode;
    unsigned eew; /* of data, or of the indexes; bits */
};

#define THREE(before, after, store, mode) \
    { RV_##before##8##after, store, mode, 8 }, { RV_##before##16##after, store, mode, 16 }, { \
        RV_##before##32##after, store, mode, 32 \
    }

static const struct kind kinds[] = {
    THREE(VLE, _V, false, UNIT),       THREE(VLE, FF_V, false, FIRST),    THREE(VLSE, _V, false, STRIDED),
    THREE(VLUXEI, _V, false, INDEXED), THREE(VLOXEI, _V, false, INDEXED), THREE(VL1RE, _V, false, WHOLE),
    THREE(VL2RE, _V, false, WHOLE),    THREE(VL4RE, _V, false, WHOLE),    THREE(VL8RE, _V, false, WHOLE),
    THREE(VSE, _V, true, UNIT),        THREE(VSSE, _V, true, STRIDED),    THREE(VSUXEI, _V, true, INDEXED),
    THREE(VSOXEI, _V, true, INDEXED),  { RV_VLM_V, false, MASK, 8 },      { RV_VSM_V, true, MASK, 8 },
    { RV_VS1R_V, true, WHOLE, 8 },     { RV_VS2R_V, true, WHOLE, 8 },     { RV_VS4R_V, true, WHOLE, 8 },
    { RV_VS8R_V, true, WHOLE, 8 },
};

enum { BASE_REG = 5, STRIDE_REG = 6, DATA = 8, INDEXES = 24 };

static uint32_t index_of(const struct machine *m, unsigned eew, unsigned i) {
    const uint8_t *p = &m->v.v[INDEXES][0] + i * (eew / 8);
    return p[0] | (eew > 8 ? (uint32_t)p[1] << 8 : 0) | (eew > 16 ? (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24 : 0);
}

/* Byte by byte. */
static void reference(struct machine *m, const struct kind *k, unsigned bytes, unsigned count, unsigned fields,
                      unsigned group, bool masked) {
    for (unsigned i = 0; i < count; i++) {
        if (masked && !(m->v.v[0][i / 8] >> (i % 8) & 1))
            continue;
        uint32_t at = m->x[BASE_REG] - TEST_MEMORY + i * fields * bytes;
        if (k->mode == STRIDED)
            at = m->x[BASE_REG] - TEST_MEMORY + i * m->x[STRIDE_REG];
        if (k->mode == INDEXED)
            at = m->x[BASE_REG] - TEST_MEMORY + index_of(m, k->eew, i);
        for (unsigned byte = 0; byte < fields * bytes; byte++) {
            uint8_t *in_register = &m->v.v[0][0] + (DATA + byte / bytes * group) * 16 + i * bytes + byte % bytes;
            if (k->store)
                m->memory[at + byte] = *in_register;
            else
                *in_register = m->memory[at + byte];
        }
    }
}

static int log2_of(unsigned bits) {
    return bits == 8 ? 3 : bits == 16 ? 4 : 5;
}

static unsigned whole_count(enum rv_id id) {
    return (unsigned)(rv_row(id)->name[2] - '0');
}

static void try_one(const struct kind *k, unsigned sew, int lmul, uint64_t *random) {
    static struct machine got, want;
    unsigned data = k->mode == INDEXED ? sew : k->eew, bytes = data / 8, other = k->mode == INDEXED ? k->eew : data;
    int emul = lmul + log2_of(data) - log2_of(sew), index_emul = lmul + log2_of(other) - log2_of(sew);
    unsigned registers = emul > 0 ? 1u << emul : 1, count, fields = 1;
    bool segments = k->mode != MASK && k->mode != WHOLE;

    test_fill(&got, random);
    got.v.vtype = test_vtype(sew, lmul);
    got.v.vl = test_random(random) % (test_vlmax(sew, lmul) + 1);
    if (segments && test_random(random) % 2)
        fields = 1 + test_random(random) % 8;
    got.x[BASE_REG] = TEST_MEMORY + 2048;
    got.x[STRIDE_REG] = (uint32_t)(((int)(test_random(random) % 13) - 6) * (int)bytes);
    for (unsigned i = INDEXES * 16; k->mode == INDEXED && i < 512; i++) /* aligned, less than 1024 */
        (&got.v.v[0][0])[i] &= (uint8_t)(i % (other / 8) == 0 ? -(int)bytes : i % (other / 8) == 1 ? 3 : 0);
    uint32_t word =
        test_word(k->id, DATA, k->mode == STRIDED ? STRIDE_REG : INDEXES, BASE_REG, test_random(random) % 2);
    word |= (fields - 1) << 29;
    bool masked = segments && !(word >> 25 & 1);
    want = got;

    enum vec_result result = test_run(&got, word);
    bool possible = !segments || (emul >= -3 && emul <= 3 && registers * fields <= 8);
    if (k->mode == INDEXED)
        possible = possible && index_emul >= -3 && index_emul <= 3;
    if (!possible) {
        assert_int_equal(result, VEC_ILLEGAL);
        assert_memory_equal(&got, &want, sizeof got);
        return;
    }
    count = k->mode == MASK ? (got.v.vl + 7) / 8 : k->mode == WHOLE ? whole_count(k->id) * 16 / bytes : got.v.vl;
    reference(&want, k, bytes, count, fields, registers, masked);
    if (result != VEC_DONE || memcmp(&got.v, &want.v, sizeof got.v) ||
        memcmp(got.memory, want.memory, sizeof got.memory))
        fail_msg("%s (%08x) sew %u lmul %d vl %u: result %d", rv_row(k->id)->name, word, sew, lmul, got.v.vl,
                 (int)result);
}

static void all_against_a_loop(void **state) {
    (void)state;
    uint64_t random = 99;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (unsigned sew = 8; sew <= 32; sew *= 2)
            for (int lmul = -3; lmul <= 3; lmul++)
                for (int round = 0; round < 24 && test_vlmax(sew, lmul); round++)
                    try_one(&kinds[i], sew, lmul, &random);
}

/* ---- waiting ---- */

/* An access that waits is made again, those before it are not, whatever the addressing. */
static void wait_goes_on(void **state) {
    (void)state;
    const uint32_t words[] = {
        test_word(RV_VLE16_V, 8, 0, 5, 1),
        test_word(RV_VLE16_V, 8, 0, 5, 1) | 2u << 29, /* three fields */
        test_word(RV_VSE16_V, 8, 0, 5, 0) | 1u << 29,
        test_word(RV_VLSE16_V, 8, 6, 5, 0),
    };
    for (unsigned w = 0; w < sizeof words / sizeof *words; w++) {
        static struct machine straight, stopped;
        uint64_t random = 7;
        test_fill(&straight, &random);
        straight.v.vtype = test_vtype(16, 1);
        straight.v.vl = 13;
        straight.x[5] = TEST_MEMORY + 64;
        straight.x[6] = 4;
        stopped = straight;
        assert_int_equal(test_run(&straight, words[w]), VEC_DONE);
        for (unsigned at = 1; at <= straight.accesses; at++) {
            struct machine m = stopped;
            m.wait_at = at;
            assert_int_equal(test_run(&m, words[w]), VEC_WAIT);
            assert_int_equal(m.accesses, at - 1);
            assert_int_equal(test_run(&m, words[w]), VEC_DONE);
            assert_memory_equal(m.trace, straight.trace, sizeof m.trace);
            assert_int_equal(m.accesses, straight.accesses);
            assert_memory_equal(m.v.v, straight.v.v, sizeof m.v.v);
            assert_memory_equal(m.memory, straight.memory, sizeof m.memory);
            /* Nothing is left over: once more begins at the beginning. */
            m.accesses = 0;
            assert_int_equal(test_run(&m, words[w]), VEC_DONE);
            assert_int_equal(m.accesses, straight.accesses);
        }
    }
}

/* Another load in between (the waiting one was given up) begins at its own beginning. */
static void wait_given_up(void **state) {
    (void)state;
    struct machine m = { .v = { .vl = 4, .vtype = test_vtype(32, 0) }, .x = { [5] = TEST_MEMORY } };
    m.wait_at = 3;
    assert_int_equal(test_run(&m, test_word(RV_VLE32_V, 8, 0, 5, 1)), VEC_WAIT);
    m.accesses = 0;
    assert_int_equal(test_run(&m, test_word(RV_VLE32_V, 9, 0, 5, 1)), VEC_DONE);
    assert_int_equal(m.accesses, 4);
    m.accesses = 0;
    assert_int_equal(test_run(&m, test_word(RV_VLE32_V, 8, 0, 5, 1)), VEC_DONE);
    assert_int_equal(m.accesses, 4);
}

/* ---- faults ---- */

static void fault_of_an_element(void **state) {
    (void)state;
    struct machine m = { .v = { .vl = 4, .vtype = test_vtype(32, 0) } };
    memset(m.v.v[8], 0x11, 16);
    memset(m.memory, 0x22, sizeof m.memory);
    m.x[5] = TEST_MEMORY + TEST_MEMORY_SIZE - 8;
    assert_int_equal(test_run(&m, test_word(RV_VLE32_V, 8, 0, 5, 1)), VEC_FAULT);
    assert_int_equal(m.accesses, 2);
    assert_int_equal(m.faults, 1);
    assert_int_equal(m.v.v[8][7], 0x22);
    assert_int_equal(m.v.v[8][8], 0x11);
    assert_int_equal(m.v.vl, 4);
    /* Masked off, the element makes no access. */
    m.v.v[0][0] = 0x3;
    assert_int_equal(test_run(&m, test_word(RV_VLE32_V, 8, 0, 5, 0)), VEC_DONE);
    assert_int_equal(m.faults, 1);
    /* Misaligned. */
    m.x[5] = TEST_MEMORY + 2;
    assert_int_equal(test_run(&m, test_word(RV_VSE32_V, 8, 0, 5, 1)), VEC_FAULT);
}

static void fault_only_first(void **state) {
    (void)state;
    struct machine m = { .v = { .vl = 4, .vtype = test_vtype(32, 0) } };
    memset(m.memory, 0x22, sizeof m.memory);
    m.x[5] = TEST_MEMORY + TEST_MEMORY_SIZE - 12;
    assert_int_equal(test_run(&m, test_word(RV_VLE32FF_V, 8, 0, 5, 1)), VEC_DONE);
    assert_int_equal(m.v.vl, 3);
    assert_int_equal(m.faults, 0);
    assert_int_equal(m.v.v[8][11], 0x22);
    assert_int_equal(m.v.v[8][12], 0);
    /* Element 0 faults. */
    m.x[5] = TEST_MEMORY + TEST_MEMORY_SIZE;
    assert_int_equal(test_run(&m, test_word(RV_VLE32FF_V, 8, 0, 5, 1)), VEC_FAULT);
    assert_int_equal(m.v.vl, 3);
    /* Unless it is masked off; then the first that is not ends the vector. */
    m.v.v[0][0] = 0xFE;
    assert_int_equal(test_run(&m, test_word(RV_VLE32FF_V, 8, 0, 5, 0)), VEC_DONE);
    assert_int_equal(m.v.vl, 1);
    /* Segments: no field of the element that would fault is loaded. */
    m.v.vl = 4;
    m.x[5] = TEST_MEMORY + TEST_MEMORY_SIZE - 12;
    memset(m.v.v[8], 0, 32);
    assert_int_equal(test_run(&m, test_word(RV_VLE32FF_V, 8, 0, 5, 1) | 1u << 29), VEC_DONE);
    assert_int_equal(m.v.vl, 1);
    assert_int_equal(m.v.v[8][4], 0);
}

/* Elements go in order, fields within them. */
static void order(void **state) {
    (void)state;
    struct machine m = { .v = { .vl = 3, .vtype = test_vtype(8, 0) }, .x = { [5] = TEST_MEMORY + 100 } };
    static const uint8_t indexes[3] = { 50, 0, 20 };
    memcpy(m.v.v[24], indexes, 3);
    assert_int_equal(test_run(&m, test_word(RV_VSOXEI8_V, 8, 24, 5, 1) | 1u << 29), VEC_DONE);
    static const uint32_t want[6] = { 150, 151, 100, 101, 120, 121 };
    assert_int_equal(m.accesses, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(m.trace[i], TEST_MEMORY + want[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_against_a_loop),  cmocka_unit_test(wait_goes_on),     cmocka_unit_test(wait_given_up),
        cmocka_unit_test(fault_of_an_element), cmocka_unit_test(fault_only_first), cmocka_unit_test(order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
