/* src/noc/overlay.c: every register in every stream: its width, the streams that have it, the side effects of a
 * write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "noc/overlay.h"

static struct overlay overlay;
static struct overlay_wire no_tile;

static uint32_t at(unsigned stream, unsigned index) {
    return 0x1000 * stream + 4 * index;
}

static uint32_t get(unsigned stream, unsigned index) {
    uint32_t read = 0xDEAD, peeked = 0xBEEF, asked = 0xF00D;
    assert_int_equal(overlay_read(&overlay, at(stream, index), &read).result, ACCESS_DONE);
    assert_int_equal(overlay_peek(&overlay, at(stream, index), &peeked).result, ACCESS_DONE);
    assert_int_equal(overlay_stream(&overlay, stream, index, &asked).result, ACCESS_DONE);
    assert_int_equal(read, peeked);
    assert_int_equal(read, asked);
    return read;
}

static void put(unsigned stream, unsigned index, uint32_t value) {
    assert_int_equal(overlay_write(&overlay, &no_tile, at(stream, index), value).result, ACCESS_DONE);
}

static void assert_refused(struct access access, enum bh_fault_kind kind, const char *text) {
    assert_int_equal(access.result, ACCESS_REFUSED);
    assert_int_equal(access.kind, kind);
    assert_non_null(strstr(access.text, text));
}

/* Written down again, from the pages. */
static const struct {
    unsigned index, bits;
    uint64_t streams;
} plain[] = {
    { 2, 11, UINT64_MAX },  { 3, 23, UINT64_MAX },   { 4, 24, UINT64_MAX },  { 5, 20, UINT64_MAX },
    { 6, 4, UINT64_MAX },   { 7, 18, UINT64_MAX },   { 8, 17, UINT64_MAX },  { 9, 15, 0xF0F },
    { 10, 17, UINT64_MAX }, { 11, 17, UINT64_MAX },  { 13, 17, UINT64_MAX }, { 14, 15, 0xF0F },
    { 12, 3, UINT64_MAX },  { 15, 9, UINT64_MAX },   { 21, 3, UINT64_MAX },  { 27, 24, UINT64_MAX },
    { 33, 21, 1 },          { 206, 17, UINT64_MAX }, { 499, 8, 1 },          { 16, 7, UINT64_MAX },
    { 17, 17, UINT64_MAX }, { 18, 17, UINT64_MAX },  { 19, 18, UINT64_MAX }, { 20, 18, UINT64_MAX },
    { 22, 17, UINT64_MAX }, { 23, 17, UINT64_MAX },  { 24, 19, 0xF },        { 25, 6, 0xF },
    { 26, 18, 0x3F },       { 28, 20, UINT64_MAX },  { 29, 20, UINT64_MAX }, { 30, 17, UINT64_MAX },
    { 31, 17, UINT64_MAX }, { 35, 16, 1 },           { 36, 24, 0xF0F },      { 37, 24, 0xF0F },
    { 38, 24, 0xF0F },      { 39, 24, 0xF0F },       { 40, 24, 0xF0F },      { 41, 24, 0xF0F },
    { 224, 24, 0x3F },      { 225, 24, 0x3F },       { 226, 16, 0x3F },      { 256, 32, 0xF3F },
};
enum { PLAIN = sizeof plain / sizeof plain[0] };

static void widths(void **state) {
    (void)state;
    for (unsigned i = 0; i < PLAIN; i++)
        for (unsigned stream = 0; stream < 64; stream++) {
            uint32_t mask = plain[i].bits == 32 ? UINT32_MAX : (1u << plain[i].bits) - 1;
            uint32_t keep = plain[i].index == 2 ? ~1u : ~0u; /* PHASE_AUTO_CONFIG would start the stream */
            memset(&overlay, 0, sizeof overlay);
            if (!(plain[i].streams >> stream & 1))
                mask = 0;
            assert_int_equal(get(stream, plain[i].index), 0);
            put(stream, plain[i].index, 0xFFFFFFFF & keep);
            assert_int_equal(get(stream, plain[i].index), mask & keep);
            put(stream, plain[i].index, 0xA5A5A5A5 & keep);
            assert_int_equal(get(stream, plain[i].index), 0xA5A5A5A5 & mask & keep);
            put(stream, plain[i].index, 0);
            assert_int_equal(get(stream, plain[i].index), 0);
        }
}

/* Each keeps its own: no two registers or streams share a word. */
static void all_at_once(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    for (unsigned stream = 0; stream < 64; stream++)
        for (unsigned i = 0; i < PLAIN; i++) /* in an order in which effects come before what they change */
            if (plain[i].index != 28 && plain[i].index != 30)
                put(stream, plain[i].index, (stream * 77 + i * 3) & ~1u);
    for (unsigned stream = 0; stream < 64; stream++)
        for (unsigned i = 0; i < PLAIN; i++)
            if (plain[i].index != 28 && plain[i].index != 30 && (plain[i].streams >> stream & 1))
                assert_int_equal(get(stream, plain[i].index),
                                 (stream * 77 + i * 3) & ~1u & (uint32_t)((UINT64_C(1) << plain[i].bits) - 1));
}

/* Read-only, write-only, neither. Together with those above they are all that documents name. */
static const struct {
    unsigned first, count;
} others[] = {
    { 0, 2 },   { 32, 1 },  { 34, 1 },  { 207, 2 },  { 254, 1 },  { 257, 22 },
    { 279, 8 }, { 288, 3 }, { 291, 4 }, { 297, 32 }, { 329, 96 }, { 500, 11 },
};

static bool is_named(unsigned index) {
    for (unsigned i = 0; i < PLAIN; i++)
        if (plain[i].index == index)
            return true;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (index - others[i].first < others[i].count)
            return true;
    return false;
}

/* STREAMWRCFG and cores read every register that a document names, in every stream. */
static void all_named_can_be_read(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    for (unsigned stream = 0; stream < 64; stream++)
        for (unsigned index = 0; index < 512; index++)
            if (is_named(index) && (index < 298 || index > 328 || stream < 4))
                (void)get(stream, index);
    static const unsigned zero[] = { 0, 1, 32, 207, 208, 254, 264, 265, 266, 267, 268, 269, 270, 271, 288, 291, 500 };
    for (unsigned i = 0; i < sizeof zero / sizeof zero[0]; i++)
        assert_int_equal(get(3, zero[i]), 0);
    put(3, 208, 5);
    put(3, 288, UINT32_MAX);
    put(3, 500, UINT32_MAX);
    assert_int_equal(get(3, 208) | get(3, 288) | get(3, 500), 0);
}

/* Every number that is not in the tables is refused, in both directions. */
static void the_rest_is_refused(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    for (unsigned index = 0; index < 1024; index++) {
        uint32_t value;
        if (is_named(index))
            continue;
        enum bh_fault_kind kind = index < 512 ? BH_FAULT_UNMODELLED : BH_FAULT_UNMAPPED;
        assert_refused(overlay_read(&overlay, at(0, index), &value), kind, "");
        assert_refused(overlay_write(&overlay, &no_tile, at(63, index), 0), kind, "");
    }
}

static void refusals_name_the_register(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    assert_refused(overlay_write(&overlay, &no_tile, at(3, 267), 1), BH_FAULT_UNMODELLED,
                   "STREAM_PHASE_ADVANCE (overlay register 267)");
    assert_refused(overlay_write(&overlay, &no_tile, at(3, 268), 32), BH_FAULT_UNDEFINED,
                   "STREAM_DEST_PHASE_READY_UPDATE (overlay register 268)");
    assert_refused(overlay_write(&overlay, &no_tile, at(3, 269), 1 << 18), BH_FAULT_UNMODELLED, "tokens");
    assert_refused(overlay_write(&overlay, &no_tile, at(3, 2), 1), BH_FAULT_UNMODELLED, "register 2)");
    static const unsigned not_yet[] = { 32, 207, 254 };
    for (unsigned i = 0; i < sizeof not_yet / sizeof not_yet[0]; i++)
        assert_refused(overlay_write(&overlay, &no_tile, at(3, not_yet[i]), 1), BH_FAULT_UNMODELLED, "is not modelled");
    for (unsigned index = 257; index <= 259; index++)
        assert_refused(overlay_write(&overlay, &no_tile, at(3, index), 1), BH_FAULT_UNDEFINED, "read-only");
    static const unsigned shown[] = { 260, 261, 262, 263, 272, 275, 278, 279, 286,
                                      290, 297, 298, 328, 329, 424, 501, 503, 510 };
    for (unsigned i = 0; i < sizeof shown / sizeof shown[0]; i++)
        assert_refused(overlay_write(&overlay, &no_tile, at(3, shown[i]), 1), BH_FAULT_UNDEFINED, "read-only");
}

static void bad_offsets(void **state) {
    (void)state;
    static const uint32_t offsets[] = { 0x40000, 0x40010, 0xFFFFFFFC, 0x11, 0x12, 0x13, 0x800, 0xFFC };
    uint32_t value;
    memset(&overlay, 0, sizeof overlay);
    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        assert_refused(overlay_read(&overlay, offsets[i], &value), BH_FAULT_UNMAPPED, "");
        assert_refused(overlay_peek(&overlay, offsets[i], &value), BH_FAULT_UNMAPPED, "");
        assert_refused(overlay_write(&overlay, &no_tile, offsets[i], 0), BH_FAULT_UNMAPPED, "");
    }
    assert_refused(overlay_stream(&overlay, 64, 4, &value), BH_FAULT_UNMAPPED, "");
    assert_refused(overlay_stream(&overlay, 0, 512, &value), BH_FAULT_UNMAPPED, "");
    assert_int_equal(get(63, 4), 0);
}

/* ---- Space ------------------------------------------------------------------------------------------- */

static void size_sets_space(void **state) {
    (void)state;
    uint32_t value;
    memset(&overlay, 0, sizeof overlay);
    for (unsigned stream = 0; stream < 64; stream++) {
        unsigned count = stream < 4 ? 32 : 1;
        put(stream, 10, 0xFFFE0000 + stream);
        for (unsigned i = 0; i < count; i++)
            assert_int_equal(get(stream, 297 + i), stream);
        if (count == 1)
            assert_refused(overlay_read(&overlay, at(stream, 298), &value), BH_FAULT_UNMODELLED, "");
    }
    assert_int_equal(get(5, 297), 5);
}

static void space_is_added(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    for (unsigned stream = 0; stream < 64; stream++) {
        unsigned count = stream < 4 ? 32 : 1;
        for (unsigned i = 0; i < count; i++) {
            put(stream, 270, (100 + i) << 6 | i);
            put(stream, 270, 0x1FFFFu << 6 | i); /* less one */
            assert_int_equal(get(stream, 297 + i), 99 + i);
        }
        assert_int_equal(get(stream, 10), 0);
        assert_refused(overlay_write(&overlay, &no_tile, at(stream, 270), 1 << 6 | count), BH_FAULT_UNDEFINED, "270");
        assert_refused(overlay_write(&overlay, &no_tile, at(stream, 270), 1 << 6 | 63), BH_FAULT_UNDEFINED, "270");
    }
}

/* How dispatch clears a count: it adds what is missing to 2^17, with ones above. */
static void space_wraps(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    put(48, 270, 0x1FFFE << 6);
    put(48, 270, 5 << 6);
    assert_int_equal(get(48, 297), 3);
    put(48, 270, (uint32_t)-3 << 6);
    assert_int_equal(get(48, 297), 0);
    put(48, 10, 0x1FFFF);
    put(48, 270, 1 << 6);
    assert_int_equal(get(48, 297), 0);
    assert_int_equal(get(48, 10), 0x1FFFF);
}

static void debug_status(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    assert_int_equal(get(20, 503) >> 3 & 1, 0);
    put(20, 270, 1 << 6);
    assert_int_equal(get(20, 503) >> 3 & 1, 1);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(get(1, 503) >> 3 & 1, 0);
        put(1, 270, 1 << 6 | i);
    }
    assert_int_equal(get(1, 503) >> 3 & 1, 1);
}

/* ---- Phases and pointers -------------------------------------------------------------------------------- */

static void bases(void **state) {
    (void)state;
    static const struct {
        unsigned index, base;
        uint32_t mask;
    } cases[] = { { 29, 28, 0xFFFFF }, { 5, 28, 0xFFFFF }, { 31, 30, 0x1FFFF } };
    for (unsigned i = 0; i < 3; i++) {
        memset(&overlay, 0, sizeof overlay);
        put(9, cases[i].base, 0x12345);
        assert_int_equal(get(9, cases[i].index), (0u - 0x12345) & cases[i].mask);
        put(9, cases[i].index, 7);
        assert_int_equal(get(9, cases[i].index), 7);
        put(9, cases[i].base, 0x12340); /* the sum stays */
        assert_int_equal(get(9, cases[i].index), 12);
        put(9, cases[i].index, cases[i].mask);
        assert_int_equal(get(9, cases[i].index), cases[i].mask);
        put(9, cases[i].base, 0);
        assert_int_equal(get(9, cases[i].index), 0x1233F);
        assert_int_equal(get(8, cases[i].index), 0);
    }
}

static void header_adds_to_the_phase(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    put(2, 28, 0x100);
    put(2, 29, 0xFFFFE);
    put(2, 34, 0xAB123005);
    assert_int_equal(get(2, 29), 3);
    assert_int_equal(get(2, 34), 0xAB123123);
    put(2, 34, 0xFFF);
    assert_int_equal(get(2, 29), 0x1002);
    assert_int_equal(get(2, 34), 0);
    assert_int_equal(get(2, 28), 0x100);
}

static void starts_reset_pointers(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    put(7, 11, 55);
    put(7, 8, 99);
    assert_int_equal(get(7, 8), 99);
    assert_int_equal(get(7, 11), 0);
    put(7, 19, 5);
    put(7, 20, 6);
    put(7, 17, 0x1FFFF);
    assert_int_equal(get(7, 19), 0);
    assert_int_equal(get(7, 20), 0);
    put(7, 20, 6);
    put(7, 19, 5);
    assert_int_equal(get(7, 262), 4); /* 0x1FFFF + 5 in 17 bits */
    assert_int_equal(get(7, 263), 0);
    assert_int_equal(get(7, 20), 6);
    assert_int_equal(get(8, 262), 0);
}

static void streams_at_rest(void **state) {
    (void)state;
    memset(&overlay, 0, sizeof overlay);
    for (unsigned stream = 0; stream < 64; stream++) {
        assert_int_equal(get(stream, 257), 1); /* waits to be started, state 0 */
        assert_int_equal(get(stream, 258), 0);
        assert_int_equal(get(stream, 259), 0);
        assert_int_equal(get(stream, 275), 1);
        put(stream, 22, 5);
        assert_int_equal(get(stream, 275), 0);
        put(stream, 23, 5);
        assert_int_equal(get(stream, 275), 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(all_named_can_be_read),
        cmocka_unit_test(the_rest_is_refused),
        cmocka_unit_test(refusals_name_the_register),
        cmocka_unit_test(bad_offsets),
        cmocka_unit_test(size_sets_space),
        cmocka_unit_test(space_is_added),
        cmocka_unit_test(space_wraps),
        cmocka_unit_test(debug_status),
        cmocka_unit_test(bases),
        cmocka_unit_test(header_adds_to_the_phase),
        cmocka_unit_test(starts_reset_pointers),
        cmocka_unit_test(streams_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
