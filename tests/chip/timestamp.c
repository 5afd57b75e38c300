/* The debug timestamper (src/tile/timestamp.h): events of every size, two buffers, its status, what is refused, and
 * random sessions against a second model that keeps the whole stream. */
#include <stdio.h>

#include "support/chip.h"
#include "support/rv.h"

#define CLOCK   0xFFB121F0u
#define COMMAND 0xFFB121FCu
#define CNTL    0xFFB12200u
#define STATUS  0xFFB12204u
#define FIRST   0xFFB12208u /* first and last place of buffer 0, then of buffer 1 */

enum { EVENT_128 = 0, EVENT_64 = 1, EVENT_32 = 2, FLUSH_64 = 3, EVENT_96 = 4, FLUSH_96 = 7 };
enum { BUFFER_0 = 0x20000, BUFFER_1 = 0x30000, EBREAK = 0x00100073 };

static const struct bh_xy tile = { 1, 2 };

static void set_buffers(bh_chip *chip, uint32_t places_0, uint32_t places_1) {
    const uint32_t words[4] = { BUFFER_0 / 16, BUFFER_0 / 16 + places_0 - 1, BUFFER_1 / 16,
                                BUFFER_1 / 16 + places_1 - 1 };
    for (unsigned i = 0; i < 4; i++)
        put_word(chip, tile, FIRST + 4 * i, words[i]);
}

static void assert_words(bh_chip *chip, uint32_t address, const uint32_t *expected, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(peek_word(chip, tile, address + 4 * i), expected[i]);
}

static void power_on(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(read_word(chip, tile, CNTL), 3);
    assert_int_equal(read_word(chip, tile, STATUS), 0);
    assert_int_equal(read_word(chip, tile, COMMAND), 0);
}

static void sixteen_bytes_go_to_l1_at_once(void **state) {
    bh_chip *chip = *state;
    set_buffers(chip, 4, 4);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    uint32_t now = read_word(chip, tile, CLOCK);
    put_word(chip, tile, COMMAND, 0xABCDEF00 | EVENT_128);
    assert_words(chip, BUFFER_0, (uint32_t[]){ 0xABCDEF00, now, 0, 0 }, 4);
    assert_int_equal(read_word(chip, tile, STATUS), 1 << 14);
}

static void smaller_events_gather(void **state) {
    bh_chip *chip = *state;
    set_buffers(chip, 8, 1);
    assert_int_equal(bh_run(chip, 100000, 0, NULL), BH_OK);
    uint32_t now = read_word(chip, tile, CLOCK), small = (now & 0x1FFFE0) << 11;
    assert_true(small);
    put_word(chip, tile, COMMAND, 0x10 | EVENT_64);
    assert_int_equal(read_word(chip, tile, STATUS), 1 << 8);
    assert_int_equal(peek_word(chip, tile, BUFFER_0), 0);
    put_word(chip, tile, COMMAND, 0x20 | EVENT_64);
    assert_words(chip, BUFFER_0, (uint32_t[]){ 0x11, now, 0x21, now }, 4);
    assert_int_equal(read_word(chip, tile, STATUS), 1 << 14);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(read_word(chip, tile, STATUS), 1u << 14 | i << 9);
        put_word(chip, tile, COMMAND, 0xFFFF0000 | i << 8 | EVENT_32);
    }
    assert_words(chip, BUFFER_0 + 16, (uint32_t[]){ small | 2, small | 0x102, small | 0x202, small | 0x302 }, 4);
    for (uint32_t i = 0; i < 4; i++) { /* the second straddles 16 bytes */
        assert_int_equal(read_word(chip, tile, STATUS) >> 11 & 3, i);
        put_word(chip, tile, COMMAND, i << 8 | EVENT_96);
    }
    assert_words(chip, BUFFER_0 + 32, (uint32_t[]){ 4, now, 0, 0x104, now, 0, 0x204, now, 0, 0x304, now, 0 }, 12);
    assert_int_equal(read_word(chip, tile, STATUS), 5 << 14);
}

static void flushing_fills_up_with_zeros(void **state) {
    bh_chip *chip = *state;
    set_buffers(chip, 8, 1);
    put_word(chip, tile, BUFFER_0 + 12, 99);
    put_word(chip, tile, COMMAND, 0x50 | EVENT_64);
    put_word(chip, tile, COMMAND, FLUSH_64);
    uint32_t now = read_word(chip, tile, CLOCK);
    assert_words(chip, BUFFER_0, (uint32_t[]){ 0x51, now, 0, 0 }, 4);
    put_word(chip, tile, COMMAND, 0x60 | EVENT_96);
    put_word(chip, tile, COMMAND, FLUSH_96);
    assert_words(chip, BUFFER_0 + 16, (uint32_t[]){ 0x64, now, 0, 0 }, 4);
    put_word(chip, tile, COMMAND, EVENT_128); /* of any size again */
    assert_int_equal(read_word(chip, tile, STATUS), 3 << 14);
}

static void a_full_buffer_is_followed_by_the_other(void **state) {
    bh_chip *chip = *state;
    set_buffers(chip, 2, 1);
    for (uint32_t i = 1; i <= 4; i++)
        put_word(chip, tile, COMMAND, i << 8);
    assert_int_equal(peek_word(chip, tile, BUFFER_0 + 16), 0x200);
    assert_int_equal(peek_word(chip, tile, BUFFER_1), 0x300);
    assert_int_equal(peek_word(chip, tile, BUFFER_0 + 32), 0);
    assert_int_equal(peek_word(chip, tile, BUFFER_1 + 16), 0);
    assert_int_equal(read_word(chip, tile, STATUS), 2u << 14 | 0x33); /* the fourth is lost */
    put_word(chip, tile, STATUS, 0x22);                               /* buffer 1 begins anew */
    assert_int_equal(read_word(chip, tile, STATUS), 2u << 14 | 0x11);
    put_word(chip, tile, COMMAND, 0x500);
    assert_int_equal(peek_word(chip, tile, BUFFER_1), 0x500);
    put_word(chip, tile, STATUS, 0x11);
    put_word(chip, tile, COMMAND, 0x600);
    assert_int_equal(peek_word(chip, tile, BUFFER_0), 0x600);
    assert_int_equal(read_word(chip, tile, STATUS), 1u << 14 | 2);
    put_word(chip, tile, CNTL, 2); /* buffer 0 is not valid, buffer 1 is full */
    put_word(chip, tile, COMMAND, 0x700);
    assert_int_equal(read_word(chip, tile, STATUS), 1u << 14 | 0x22);
}

static void the_stream_is_reset_while_the_bit_is_set(void **state) {
    bh_chip *chip = *state;
    set_buffers(chip, 1, 1);
    put_word(chip, tile, COMMAND, 0x100);
    put_word(chip, tile, COMMAND, 0x100);
    put_word(chip, tile, COMMAND, 0x100);
    put_word(chip, tile, COMMAND, EVENT_32);
    assert_int_equal(read_word(chip, tile, STATUS), 1u << 14 | 1 << 9 | 0x33);
    put_word(chip, tile, CNTL, 0x80000003);
    assert_int_equal(read_word(chip, tile, CNTL), 0x80000003);
    assert_int_equal(read_word(chip, tile, STATUS), 1u << 14);
    put_word(chip, tile, COMMAND, EVENT_64); /* is lost */
    put_word(chip, tile, CNTL, 3);
    assert_int_equal(read_word(chip, tile, STATUS), 1u << 14); /* of no size, but the position stays */
    put_word(chip, tile, COMMAND, EVENT_32);
    assert_int_equal(read_word(chip, tile, STATUS), 1u << 14 | 1 << 9);
}

static void refusals(void **state) {
    bh_chip *chip = *state;
    uint32_t token = 5;
    assert_refusal(chip, bh_write(chip, tile, COMMAND, &token, 4), BH_ERR_ADDRESS, "5 or 6");
    token = 6;
    assert_refusal(chip, bh_write(chip, tile, COMMAND, &token, 4), BH_ERR_ADDRESS, "5 or 6");
    put_word(chip, tile, COMMAND, EVENT_32);
    token = EVENT_64;
    assert_refusal(chip, bh_write(chip, tile, COMMAND, &token, 4), BH_ERR_ADDRESS, "another size");
    for (unsigned i = 0; i < 3; i++)
        put_word(chip, tile, COMMAND, EVENT_32);
    put_word(chip, tile, FIRST, 0x180000 / 16);
    put_word(chip, tile, FIRST + 4, UINT32_MAX);
    token = EVENT_128;
    assert_refusal(chip, bh_write(chip, tile, COMMAND, &token, 4), BH_ERR_ADDRESS, "does not lie in L1");
    assert_refusal(chip, bh_poke(chip, tile, CNTL, &token, 4), BH_ERR_UNMODELLED, "write it");
}

/* A core stamps before and after 100 cycles; the clock is that of the stores. */
static void stamps_of_a_core(void **state) {
    (void)state;
    for (unsigned timing = 0; timing < 2; timing++) {
        bh_chip *chip = make_timed((enum bh_timing)timing, 1);
        uint32_t program[110], n = 0;
        set_buffers(chip, 8, 1);
        program[n++] = rv_lui(5, 0xFFB12000);
        program[n++] = rv_addi(6, 0, 0x100);
        program[n++] = rv_sw(6, 0x1FC, 5);
        while (n < 103)
            program[n++] = rv_addi(7, 7, 1);
        program[n++] = rv_sw(6, 0x1FC, 5);
        program[n++] = EBREAK;
        start_at(chip, tile, BH_BRISC, 0, program, 4 * n);
        run_until_idle(chip);
        uint32_t first = peek_word(chip, tile, BUFFER_0 + 4), second = peek_word(chip, tile, BUFFER_0 + 20);
        assert_in_range(second - first, 101, 125); /* the code is not in the cache */
        assert_int_equal(peek_word(chip, tile, BUFFER_0 + 16), 0x100);
        bh_destroy(chip);
    }
}

/* ---- Random sessions ----------------------------------------------------------------------------------------- */

/* The whole stream, and what has become of it. */
struct model {
    uint32_t word[4096], words; /* that have been appended since the last flush or reset */
    unsigned size;              /* of the events among them; 0: none */
    uint32_t taken[2], places[2];
    bool valid[2], full[2], lost[2];
};

static void give(struct model *m, const uint32_t *words, uint32_t expected[2][64][4]) {
    for (unsigned i = 0; i < 2; i++) {
        if (!m->valid[i] || m->taken[i] >= m->places[i])
            continue;
        memcpy(expected[i][m->taken[i]++], words, 16);
        m->full[i] |= m->taken[i] == m->places[i];
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        m->lost[i] |= m->valid[i];
}

static uint32_t model_status(const struct model *m) {
    uint32_t gathered = m->size == 1 ? m->words << 9 : m->size == 2 ? m->words / 2 << 8 : 0;
    if (m->size == 3)
        gathered = ((4 - m->words) & 3) << 11;
    uint32_t flags = (uint32_t)(m->full[0] | m->full[1] << 1 | m->lost[0] << 4 | m->lost[1] << 5);
    return flags | gathered | m->taken[0] << 14;
}

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static void random_sessions(void **state) {
    static const uint8_t kinds[] = { EVENT_128, EVENT_64, EVENT_32, EVENT_96 }, sizes[] = { 4, 2, 1, 3 };
    bh_chip *chip = *state;
    for (uint32_t session = 0; session < 60; session++) {
        static uint32_t expected[2][64][4];
        uint32_t seed = session + 1;
        struct model m = { .places = { 1 + next(&seed) % 20, 1 + next(&seed) % 20 }, .valid = { true, true } };
        memset(expected, 0, sizeof expected);
        bh_reset(chip);
        set_buffers(chip, m.places[0], m.places[1]);
        for (unsigned step = 0; step < 150; step++) {
            unsigned kind = next(&seed) % 4;
            assert_int_equal(bh_run(chip, next(&seed) % 3000, 0, NULL), BH_OK);
            uint32_t clock = read_word(chip, tile, CLOCK);
            switch (m.size && m.size != sizes[kind] ? 5 : next(&seed) % 8) {
            case 0: /* a flag is cleared */
                kind = next(&seed) % 2;
                put_word(chip, tile, STATUS, 0x11u << kind);
                m.taken[kind] = 0;
                m.full[kind] = m.lost[kind] = false;
                break;
            case 1:
                kind = next(&seed) % 4;
                put_word(chip, tile, CNTL, kind);
                m.valid[0] = kind & 1;
                m.valid[1] = kind >> 1;
                break;
            case 5: /* events of one or three words cannot be flushed in every case; the stream is reset */
                put_word(chip, tile, CNTL, 0x80000003);
                put_word(chip, tile, CNTL, 3);
                m.valid[0] = m.valid[1] = true;
                m.words = m.size = 0;
                m.full[0] = m.full[1] = m.lost[0] = m.lost[1] = false;
                break;
            default: {
                uint32_t token = next(&seed) << 11 | kinds[kind];
                uint32_t event[4] = { token, clock };
                if (sizes[kind] == 1)
                    event[0] = (token & 0xFFFF) + ((clock & 0x1FFFE0) << 11);
                put_word(chip, tile, COMMAND, token);
                memcpy(m.word + m.words, event, 4u * sizes[kind]);
                m.words += sizes[kind];
                m.size = sizes[kind];
                if (m.words >= 4) {
                    give(&m, m.word, expected);
                    m.words -= 4;
                    memmove(m.word, m.word + 4, 4u * m.words);
                    m.size = m.words ? m.size : 0;
                }
            }
            }
            assert_int_equal(read_word(chip, tile, STATUS), model_status(&m));
        }
        for (unsigned i = 0; i < 2; i++)
            assert_words(chip, i ? BUFFER_1 : BUFFER_0, expected[i][0], 4 * m.places[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(power_on, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(sixteen_bytes_go_to_l1_at_once, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(smaller_events_gather, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(flushing_fills_up_with_zeros, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(a_full_buffer_is_followed_by_the_other, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(the_stream_is_reset_while_the_bit_is_set, setup_chip, teardown_chip),
        cmocka_unit_test_setup_teardown(refusals, setup_chip, teardown_chip),
        cmocka_unit_test(stamps_of_a_core),
        cmocka_unit_test_setup_teardown(random_sessions, setup_chip, teardown_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
