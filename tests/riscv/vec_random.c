/* Every instruction on integers, masks and places against the reference, over all SEW and LMUL, masked and not.
 *
 * Registers are chosen so that an encoding is legal whenever the widths are; whether they are is predicted here and the
 * prediction is tested too.
 */
#include "vec_reference.h"

/* Integer instructions of OP-V, but vset. */
static bool is_tested(enum rv_id id) {
    const struct rv_row *row = rv_row(id);
    bool op_v = (row->match & 0x7F) == 0x57;
    unsigned funct3 = row->match >> 12 & 7;
    return op_v && funct3 != 1 && funct3 != 5 && funct3 != 7;
}

static bool width_possible(unsigned width, unsigned sew, int lmul, bool scalar) {
    if (width <= 1)
        return true;
    int emul = lmul;
    for (unsigned w = sew; w < width; w *= 2)
        emul++;
    for (unsigned w = width; w < sew; w *= 2)
        emul--;
    return width >= 8 && width <= 32 && (scalar || (emul >= -3 && emul <= 3));
}

static bool possible(const char *name, unsigned sew, int lmul) {
    struct ref_widths w = reference_widths(name, sew);
    if (strncmp(name, "vmv", 3) == 0 && name[3] >= '1' && name[3] <= '8')
        return true;
    bool one = strcmp(name, "vmv.x.s") == 0;
    return width_possible(w.d, sew, lmul, w.d_scalar) && width_possible(w.a, sew, lmul, one) &&
           width_possible(w.b, sew, lmul, w.b_scalar);
}

/* Returns whether vd may be the same group as vs2. */
static bool may_share(const char *name, unsigned sew) {
    static const char *const never[] = { "vslideup", "vslide1up", "vrgather", "vcompress",
                                         "vmsbf",    "vmsif",     "vmsof",    "viota" };
    struct ref_widths w = reference_widths(name, sew);
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
        if (strncmp(name, never[i], strlen(never[i])) == 0)
            return false;
    return w.a != 0 && w.d <= w.a;
}

static void compare(const struct machine *got, const struct machine *want, const char *name, uint32_t word,
                    unsigned sew, int lmul) {
    if (memcmp(&got->v, &want->v, sizeof got->v) == 0 && memcmp(got->x, want->x, sizeof got->x) == 0)
        return;
    for (unsigned i = 0; i < 512; i++)
        if (got->v.v[i / 16][i % 16] != want->v.v[i / 16][i % 16])
            fail_msg("%s (%08x) sew %u lmul %d vl %u: v%u byte %u is %02x, not %02x", name, word, sew, lmul, got->v.vl,
                     i / 16, i % 16, got->v.v[i / 16][i % 16], want->v.v[i / 16][i % 16]);
    fail_msg("%s (%08x) sew %u lmul %d vl %u: vxsat %u, not %u, or an x register differs", name, word, sew, lmul,
             got->v.vl, got->v.vxsat, want->v.vxsat);
}

static void try_one(enum rv_id id, unsigned sew, int lmul, uint64_t *random) {
    static struct machine got, want;
    const char *name = rv_row(id)->name;
    uint32_t vlmax = test_vlmax(sew, lmul);
    unsigned vd = 8, vs2 = may_share(name, sew) && test_random(random) % 3 == 0 ? 8 : 16;
    const struct rv_shape *shape = rv_shape((enum rv_format)rv_row(id)->format);
    unsigned vs1 = shape->rs1 == RV_FIELD_V ? 24 : test_random(random) % 32;
    if (shape->rd == RV_FIELD_X)
        vd = test_random(random) % 32;
    uint32_t word = test_word(id, vd, vs2, vs1, test_random(random) % 2);

    test_fill(&got, random);
    got.v.vtype = test_vtype(sew, lmul) | (test_random(random) & 3) << 6;
    got.v.vl = test_random(random) % 2 ? vlmax : test_random(random) % (vlmax + 1);
    /* Indexes in reach, half of the time. */
    if (strstr(name, "gather") && test_random(random) % 2)
        for (unsigned i = 24 * 16; i < 512; i++)
            got.v.v[i / 16][i % 16] = (uint8_t)(i % (sew / 8) ? 0 : test_random(random) % (vlmax + 4));
    want = got;
    enum vec_result result = test_run(&got, word);
    if (!possible(name, sew, lmul)) {
        assert_int_equal(result, VEC_ILLEGAL);
        assert_memory_equal(&got, &want, sizeof got);
        return;
    }
    if (result != VEC_DONE)
        fail_msg("%s (%08x) sew %u lmul %d: refused", name, word, sew, lmul);
    reference_execute(&want, name, word, sew, vlmax);
    compare(&got, &want, name, word, sew, lmul);
}

static void all_against_the_reference(void **state) {
    (void)state;
    uint64_t random = 0x5DEECE66D;
    unsigned instructions = 0;
    for (unsigned id = RV_FIRST_V; id < RV_COUNT; id++) {
        if (!is_tested((enum rv_id)id))
            continue;
        instructions++;
        for (unsigned sew = 8; sew <= 32; sew *= 2)
            for (int lmul = -3; lmul <= 3; lmul++)
                for (int round = 0; round < 24 && test_vlmax(sew, lmul); round++)
                    try_one((enum rv_id)id, sew, lmul, &random);
    }
    assert_true(instructions > 190);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_against_the_reference) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
