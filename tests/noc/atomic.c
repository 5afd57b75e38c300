/* src/noc/atomic.c: every operation with every field against plain code, on lines with edges and with noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "noc/atomic.h"
#include "numeric/l1_add.h"

static uint64_t seed;

static uint32_t noise(void) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

/* Mostly noise; sometimes something near an end of a range. */
static uint32_t operand(void) {
    static const uint32_t edge[] = {
        0, 1, 5, 15, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00FF01FE, 0x3F800000, 0x7F80FF80
    };
    uint32_t pick = noise() % 32;
    return pick < sizeof edge / sizeof edge[0] ? edge[pick] : noise();
}

union line {
    uint32_t word[4];
    uint16_t half[8];
    uint8_t byte[16];
};

static union line a_line(void) {
    return (union line){ .word = { operand(), operand(), operand(), operand() } };
}

/* Does it at each of the four words as the address, and compares the whole line and the result. */
static void check(uint32_t at, uint32_t data, const union line *before, const union line *after) {
    assert_null(atomic_check(at));
    for (uint32_t address = 0x1000; address < 0x1010; address += 4) {
        union line line = *before;
        assert_int_equal(atomic_do(at, data, address, line.byte), before->word[address / 4 % 4]);
        assert_memory_equal(line.byte, after->byte, 16);
    }
}

/* ---- Words ---------------------------------------------------------------------------------------------- */

static void increment(void **state) {
    (void)state;
    for (unsigned fields = 0; fields < 128; fields++)
        for (unsigned round = 0; round < 32; round++) {
            union line before = a_line(), after = before;
            uint32_t data = operand();
            unsigned bits = (fields >> 2) + 1;
            uint64_t range = UINT64_C(1) << bits, value = before.word[fields & 3];
            after.word[fields & 3] = (uint32_t)(value - value % range + (value + data) % range);
            check(0x1000 | fields | (noise() & 0xF80), data, &before, &after);
        }
}

static void compare_and_swap(void **state) {
    (void)state;
    for (unsigned fields = 0; fields < 1024; fields++)
        for (unsigned equal = 0; equal < 2; equal++) {
            unsigned i = fields & 3, compare = fields >> 2 & 15, set = fields >> 6;
            union line before = a_line(), after;
            before.word[i] = equal ? compare : compare + (1u << noise() % 32);
            after = before;
            if (equal)
                after.word[i] = set;
            check(0x4000 | fields | (noise() & 0xC00), noise(), &before, &after);
        }
}

static void masked_swap(void **state) {
    (void)state;
    for (unsigned mask = 0; mask < 256; mask++) {
        union line before = a_line(), after = before;
        uint32_t data = noise();
        for (unsigned i = 0; i < 8; i++)
            if (mask & 1u << i)
                after.half[i] = (uint16_t)(i % 2 ? data >> 16 : data & 0xFFFF);
        check(0x3000 | mask << 2 | (noise() & 0xC03), data, &before, &after);
    }
}

static void indexed_swaps(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (unsigned round = 0; round < 64; round++) {
            union line before = a_line(), after = before;
            uint32_t data = operand();
            after.word[i] = data;
            check(0x6004 | i | (noise() & 0xFF8), data, &before, &after);
            check(0x7000 | i << 2 | (noise() & 0xFF3), data, &before, &after);
            check(0xA300 | i | (noise() & 0xFC), data, &before, &after);
        }
}

static uint32_t amo(unsigned operation, uint32_t old, uint32_t data) {
    int64_t a = (int32_t)old, b = (int32_t)data;
    switch (operation) {
    case 0: return (uint32_t)(a + b);
    case 1: return (old | data) - (old & data);
    case 2: return ~(~old & ~data);
    case 3: return ~(~old | ~data);
    case 4: return (uint32_t)(a < b ? a : b);
    case 5: return (uint32_t)(a < b ? b : a);
    case 6: return old < data ? old : data;
    default: return old < data ? data : old;
    }
}

static void zaamo(void **state) {
    (void)state;
    for (unsigned operation = 0; operation < 8; operation++)
        for (unsigned i = 0; i < 4; i++)
            for (unsigned round = 0; round < 256; round++) {
                union line before = a_line(), after = before;
                uint32_t data = operand();
                after.word[i] = amo(operation, before.word[i], data);
                check(0xA800 | operation << 8 | i | (noise() & 0xFC), data, &before, &after);
            }
}

/* ---- Lanes ---------------------------------------------------------------------------------------------- */

enum lanes { FP32, FP16, BF16, U32, U8, U8_SATURATING, NONE };
static const enum lanes lanes_of[16] = {
    FP32, FP16, BF16, NONE, U32, NONE, NONE, U8_SATURATING, FP32, FP16, BF16, NONE, U32, U32, NONE, U8,
};

static void add(enum lanes lanes, union line *line, uint32_t data) {
    for (unsigned i = 0; i < 4 && lanes == FP32; i++)
        line->word[i] = l1_add_fp32(line->word[i], data);
    for (unsigned i = 0; i < 4 && lanes == U32; i++)
        line->word[i] += data;
    for (unsigned i = 0; i < 8 && lanes == FP16; i++)
        line->half[i] = l1_add_fp16(line->half[i], (uint16_t)(data >> 16 * (i % 2)));
    for (unsigned i = 0; i < 8 && lanes == BF16; i++)
        line->half[i] = l1_add_bf16(line->half[i], (uint16_t)(data >> 16 * (i % 2)));
    for (unsigned i = 0; i < 16 && (lanes == U8 || lanes == U8_SATURATING); i++) {
        unsigned sum = line->byte[i] + (uint8_t)(data >> 8 * (i % 4));
        line->byte[i] = (uint8_t)(lanes == U8_SATURATING && sum > 255 ? 255 : sum);
    }
}

static void parallel_additions(void **state) {
    (void)state;
    for (unsigned format = 0; format < 16; format++)
        for (unsigned round = 0; round < 512 && lanes_of[format] != NONE; round++) {
            union line before = a_line(), after = before;
            uint32_t data = operand();
            add(lanes_of[format], &after, data);
            check(0x9000 | format | (noise() & 0xFF0), data, &before, &after);
        }
}

/* ---- Operations that do not exist ----------------------------------------------------------------------- */

static bool exists(uint32_t at) {
    unsigned opcode = at >> 12 & 15;
    switch (opcode) {
    case 1:
    case 3:
    case 4:
    case 7: return true;
    case 6: return (at & 4) != 0;
    case 9: return lanes_of[at & 15] != NONE;
    case 10: return (at >> 8 & 15) == 3 || (at >> 8 & 15) >= 8;
    default: return false;
    }
}

static void all_words(void **state) {
    (void)state;
    for (uint32_t at = 0; at < 0x10000; at++) {
        const char *wrong = atomic_check(at);
        assert_int_equal(wrong == NULL, exists(at));
        assert_true(!wrong || strncmp(wrong, "AT_LEN_BE", 9) == 0);
        assert_ptr_equal(atomic_check(at | 0xFFFF0000), wrong); /* bits without a meaning */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(increment),   cmocka_unit_test(compare_and_swap),
        cmocka_unit_test(masked_swap), cmocka_unit_test(indexed_swaps),
        cmocka_unit_test(zaamo),       cmocka_unit_test(parallel_additions),
        cmocka_unit_test(all_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
