/* The words of Config and ThreadConfig: what each instruction does to them, and what follows from a write. */
#include "config_bench.h"

#include <string.h>

static void bank_of_thread(struct bench *bench, unsigned thread, unsigned bank) {
    bench->x.config.thread[thread][0] = (uint16_t)bank;
}

/* What a word of Config keeps of a value. */
static uint32_t kept(unsigned index, uint32_t value) {
    return value & ~config_missing[index];
}

/* ---- Instructions over their fields --------------------------------------------------------------- */

static void every_gpr_to_every_word(void **state) {
    (void)state;
    for (unsigned thread = 0; thread < 3; thread++) {
        struct bench *bench = bench_create();
        uint64_t cycle = 10;
        for (unsigned i = 0; i < TENSIX_GPRS; i++)
            bench->x.gpr[thread][i] = 0x1000000 * thread + i + 1;
        for (unsigned index = 0; index < CONFIG_WORDS; index++) {
            if (index == CONFIG_WORD_STATE_RESET_EN)
                continue;
            unsigned bank = index % 2, gpr = index * 5 % 64;
            uint32_t other = bench->x.config.bank[!bank][index];
            bank_of_thread(bench, thread, bank);
            assert_int_equal(bench_offer(bench, thread, wrcfg(gpr, false, index), cycle), 0);
            bench_to(bench, cycle += 4);
            uint32_t value = kept(index, 0x1000000 * thread + gpr + 1);
            assert_int_equal(bench->x.config.bank[bank][index], value);
            assert_int_equal(bench->x.config.bank[!bank][index], index < CONFIG_BASE_GLOBAL ? other : value);
        }
        bench_destroy(bench);
    }
}

/* Both indices are taken down to a multiple of four. */
static void four_gprs_at_once(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t cycle = 10;
    for (unsigned i = 0; i < TENSIX_GPRS; i++)
        bench->x.gpr[1][i] = 0xA000 + i;
    for (unsigned index = 8; index < CONFIG_WORDS; index++) {
        unsigned gpr = index * 7 % 64;
        memset(bench->x.config.bank, 0, sizeof bench->x.config.bank);
        assert_int_equal(bench_offer(bench, 1, wrcfg(gpr, true, index), cycle), 0);
        bench_to(bench, cycle += 4);
        for (unsigned i = 0; i < CONFIG_WORDS; i++)
            assert_int_equal(bench->x.config.bank[0][i],
                             i / 4 == index / 4 ? kept(i, 0xA000 + gpr / 4 * 4 + i % 4) : 0);
    }
    bench_destroy(bench);
}

static void every_word_to_every_gpr(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t cycle = 10;
    for (unsigned i = 0; i < 2 * CONFIG_WORDS; i++)
        bench->x.config.bank[i / CONFIG_WORDS][i % CONFIG_WORDS] = 0xC0000 + i;
    for (unsigned i = 0; i < 2 * CONFIG_WORDS; i++) {
        unsigned thread = i % 3, gpr = i % 64, bank = i / CONFIG_WORDS;
        bank_of_thread(bench, thread, bank);
        assert_int_equal(bench_offer(bench, thread, rdcfg(gpr, i % CONFIG_WORDS), cycle), 0);
        bench_to(bench, cycle += 4);
        assert_int_equal(bench->x.gpr[thread][gpr], 0xC0000 + i);
    }
    bench_destroy(bench);
}

/* Bits of the encoders' fields that the hardware does not look at change nothing. */
static void unused_bits(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.gpr[0][5] = 77;
    assert_int_equal(bench_offer(bench, 0, wrcfg(5 | 0xC0, false, 20 | 0x7800), 1), 0);
    assert_int_equal(bench_offer(bench, 0, rdcfg(6 | 0xC0, 20 | 0xF800), 5), 0);
    bench_to(bench, 9);
    assert_int_equal(bench->x.config.bank[0][20], 77);
    assert_int_equal(bench->x.gpr[0][6], 77);
    bench_destroy(bench);
}

static void bytes(void **state) {
    (void)state;
    static const unsigned masks[] = { 0, 1, 0x80, 0x0F, 0xF0, 0x5A, 0xFF };
    struct bench *bench = bench_create();
    uint64_t cycle = 10;
    for (unsigned byte = 0; byte < 4; byte++)
        for (unsigned m = 0; m < sizeof masks / sizeof masks[0]; m++)
            for (unsigned data = 0; data < 256; data += 5) {
                unsigned index = (data * 3 + byte) % CONFIG_WORDS;
                uint32_t mask = masks[m] << 8 * byte;
                bench->x.config.bank[0][index] = bench->x.config.bank[1][index] = 0x89ABCDEF;
                assert_int_equal(bench_offer(bench, 2, rmwcib(byte, masks[m], data, index), cycle), 0);
                bench_to(bench, cycle += 2);
                assert_int_equal(bench->x.config.bank[0][index],
                                 kept(index, (0x89ABCDEF & ~mask) | (data << 8 * byte & mask)));
            }
    bench_destroy(bench);
}

/* A value of its own for every register; one of PERF_CNT_CMD that is no command. */
static uint16_t thread_value(unsigned thread, unsigned i) {
    return (uint16_t)(0x8000 + thread * 256 + (i == CONFIG_WORD_PERF_CNT_CMD_Cmd0Start ? 0 : i));
}

static void thread_registers(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned i = 0; i < CONFIG_THREAD_WORDS; i++)
            assert_int_equal(bench_offer(bench, thread, setc16(i, thread_value(thread, i)), 5 + i), 0);
    for (unsigned thread = 0; thread < 3; thread++)
        for (unsigned i = 0; i < CONFIG_THREAD_WORDS; i++)
            assert_int_equal(bench->x.config.thread[thread][i], thread_value(thread, i));
    bench_destroy(bench);
}

/* The page's text as plain arithmetic, bit by bit where it says rotate and mask. */
static uint32_t shift_mask(bool keep, unsigned operation, unsigned width, unsigned rotate, uint32_t scratch,
                           uint32_t old) {
    uint32_t field = 0, moved = 0;
    for (unsigned bit = 0; bit <= width && bit < 32; bit++) {
        unsigned to = (bit + 32 - rotate) % 32;
        field |= 1u << to;
        moved |= (scratch >> bit & 1) << to;
    }
    if (!keep)
        old &= ~field;
    switch (operation) {
    case 0: return old | moved;
    case 1: return old & moved;
    case 2: return old ^ moved;
    case 3: return old + moved;
    case 4: return old | ~moved;
    case 5: return old & ~moved;
    case 6: return old ^ ~moved;
    default: return old - moved;
    }
}

static void scratch_into_words(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t cycle = 10, random = 1;
    for (unsigned n = 0; n < 2 * 8 * 32 * 32; n++) {
        bool keep = n & 1;
        unsigned operation = n >> 1 & 7, width = n >> 4 & 31, rotate = n >> 9 & 31;
        unsigned select = n % 4, thread = n % 3, index = 8 + n % 172, bank = n / 7 % 2;
        uint32_t old = bench_random(&random), scratch[3];
        for (unsigned i = 0; i < 3; i++) {
            scratch[i] = bench_random(&random);
            bench->x.config.bank[0][209 + i] = bench->x.config.bank[1][209 + i] = scratch[i];
        }
        bench->x.config.bank[bank][index] = old;
        bank_of_thread(bench, thread, bank);
        uint32_t word = cfgshiftmask(keep, operation, width, rotate, select, index);
        assert_int_equal(bench_offer(bench, thread, word, cycle), 0);
        bench_to(bench, cycle += 2);
        uint32_t value = shift_mask(keep, operation, width, rotate, scratch[select < 3 ? select : thread], old);
        assert_int_equal(bench->x.config.bank[bank][index], kept(index, value));
    }
    bench_destroy(bench);
}

/* The instruction may change the scratch word that it reads, and a global word in both banks. */
static void scratch_into_itself(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.config.bank[0][210] = bench->x.config.bank[1][210] = 21;
    bench_offer(bench, 0, cfgshiftmask(true, 3, 31, 0, 1, 210), 1);
    bench_to(bench, 3);
    assert_int_equal(bench->x.config.bank[0][210], 42);
    assert_int_equal(bench->x.config.bank[1][210], 42);
    bench_destroy(bench);
}

static void streams_into_words(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    uint64_t cycle = 10;
    for (unsigned n = 0; n < 256; n++) {
        unsigned thread = n % 3, select = n % 4, stream = n * 11 % 64, reg = n * 37 % 1000, index = 5 + n % 175;
        bench->x.config.thread[thread][59 + select] = (uint16_t)(stream | 0xFFC0);
        bench->stream[stream][reg] = 0x5000000 + n;
        bank_of_thread(bench, thread, n & 1);
        assert_int_equal(bench_offer(bench, thread, streamwrcfg(select, reg, index), cycle), 0);
        bench_to(bench, cycle += 6);
        assert_int_equal(bench->x.config.bank[n & 1][index], kept(index, 0x5000000 + n));
    }
    bench_destroy(bench);
}

/* Bits that belong to no field ignore every write. The values are those of the official simulator. */
static void bits_without_a_field(void **state) {
    (void)state;
    static const struct {
        unsigned index;
        uint32_t full, some; /* read after writes of ones, and of 0x5A5A5A5A */
    } words[] = {
        { 3, 0x1FFFFFFF, 0x1A5A5A5A },  { 12, UINT32_MAX, 0x5A5A5A5A },
        { 17, 0x3FFFF, 0x25A5A },       { 18, 0xF, 0xA },
        { 24, 0x1FFFFFF, 0x5A5A5A },    { 71, 0xFFDFFFFF, 0x5A5A5A5A },
        { 73, 0xFFFF1FFF, 0x5A5A1A5A }, { 220, 0xF, 0xA },
    };
    struct bench *bench = bench_create();
    uint64_t cycle = 10;
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        unsigned index = words[i].index;
        bench->x.gpr[0][4] = UINT32_MAX;
        bench_offer(bench, 0, wrcfg(4, false, index), cycle);
        bench_offer(bench, 0, rdcfg(5, index), cycle + 4);
        bench_to(bench, cycle += 10);
        assert_int_equal(bench->x.gpr[0][5], words[i].full);
        tensix_config_write(&bench->x, BH_TRISC0, index * 4, cycle, 0x5A5A5A5A);
        bench_to(bench, cycle += 10);
        assert_int_equal(config_peek(&bench->x, index * 4), words[i].some);
    }
    bench_offer(bench, 0, rmwcib(0, 0xE5, 117, 18), cycle);
    bench_to(bench, cycle += 4);
    assert_int_equal(bench->x.config.bank[0][18], 0xF);
    bench_destroy(bench);
}

/* Bits 15:13 of word 73 are missing: a carry out of bit 12 is lost unless the scratch word passes it on. The values are
 * those of the official simulator. */
static void sums_without_a_field(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.config.bank[0][73] = 0x00011FFF;
    bench->x.config.bank[0][209] = 0xE001;
    bench_offer(bench, 0, cfgshiftmask(true, 3, 31, 0, 0, 73), 1);
    bench_to(bench, 5);
    assert_int_equal(bench->x.config.bank[0][73], 0x20000);
    bench->x.config.bank[0][209] = 0x6001;
    bench_offer(bench, 0, cfgshiftmask(true, 3, 31, 0, 0, 73), 6);
    bench_to(bench, 10);
    assert_int_equal(bench->x.config.bank[0][73], 0x20001);
    bench_destroy(bench);
}

/* ---- Undefined accesses ------------------------------------------------------------------------------ */

static void faults(void **state) {
    (void)state;
    static const struct {
        uint32_t word;
        enum bh_fault_kind kind;
        const char *text;
    } cases[] = {
        { (uint32_t)TENSIX_WRCFG << 24 | 224, BH_FAULT_UNDEFINED, "no word 224" },
        { (uint32_t)TENSIX_WRCFG << 24 | 1 << 15 | 2047, BH_FAULT_UNDEFINED, "no word 2047" },
        { (uint32_t)TENSIX_RDCFG << 24 | 224, BH_FAULT_UNDEFINED, "no word 224" },
        { (uint32_t)TENSIX_RDCFG << 24 | 1024, BH_FAULT_UNDEFINED, "no word 1024" },
        { (uint32_t)TENSIX_SETC16 << 24 | 68 << 16, BH_FAULT_UNDEFINED, "no register 68" },
        { (uint32_t)TENSIX_SETC16 << 24 | 255 << 16, BH_FAULT_UNDEFINED, "no register 255" },
        { (uint32_t)TENSIX_RMWCIB0 << 24 | 224, BH_FAULT_UNDEFINED, "no word 224" },
        { (uint32_t)TENSIX_RMWCIB3 << 24 | 255, BH_FAULT_UNDEFINED, "no word 255" },
        { (uint32_t)TENSIX_CFGSHIFTMASK << 24 | 224, BH_FAULT_UNDEFINED, "no word 224" },
        { (uint32_t)TENSIX_STREAMWRCFG << 24 | 224, BH_FAULT_UNDEFINED, "no word 224" },
        { (uint32_t)TENSIX_STREAMWRCFG << 24 | BENCH_NO_REGISTER << 11 | 5, BH_FAULT_UNMODELLED, "register 1000" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench *bench = bench_create();
        assert_true(bench_offer(bench, 1, cases[i].word, 7) == TENSIX_NEVER);
        assert_int_equal(bench->faults, 1);
        assert_int_equal(bench->fault.kind, cases[i].kind);
        assert_int_equal(bench->fault.thread, 1);
        assert_int_equal(bench->fault.cycle, 7);
        assert_non_null(strstr(bench->fault.text, cases[i].text));
        assert_memory_equal(&bench->x.config.pipe, &(struct config_pipe){ 0 }, sizeof bench->x.config.pipe);
        assert_int_equal(bench->x.landings, 0);
        bench_destroy(bench);
    }
}

/* ---- Effects of a write -------------------------------------------------------------------------------- */

static void fill(struct bench *bench) {
    for (unsigned i = 0; i < CONFIG_WORDS; i++)
        bench->x.config.bank[0][i] = bench->x.config.bank[1][i] = 0xF0000 + i;
}

static void assert_reset(struct bench *bench, unsigned banks) {
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned i = 0; i < CONFIG_WORDS; i++)
            if ((banks >> bank & 1) && i < CONFIG_BASE_GLOBAL)
                assert_int_equal(bench->x.config.bank[bank][i], 0);
            else
                assert_int_equal(bench->x.config.bank[bank][i], 0xF0000 + i);
}

static void any_write_resets_the_bank(void **state) {
    (void)state;
    const uint32_t words[] = { wrcfg(3, false, 4), wrcfg(3, true, 6), streamwrcfg(0, 1, 4),
                               cfgshiftmask(true, 0, 0, 0, 0, 4) };
    for (unsigned i = 0; i < 4; i++)
        for (unsigned bank = 0; bank < 2; bank++) {
            struct bench *bench = bench_create();
            fill(bench);
            memset(bench->x.gpr, 0x55, sizeof bench->x.gpr);
            bank_of_thread(bench, 2, bank);
            bench_offer(bench, 2, words[i], 1);
            bench_to(bench, 10);
            assert_reset(bench, 1u << bank);
            bench_destroy(bench);
        }
}

static void cores_reset_banks(void **state) {
    (void)state;
    static const struct {
        uint32_t offset;
        unsigned banks;
    } cases[] = { { 4 * 4, 1 }, { CONFIG_AT_BANK1 + 4 * 4, 2 }, { CONFIG_AT_DUAL + 4 * 4, 3 } };
    for (unsigned i = 0; i < 3; i++) {
        struct bench *bench = bench_create();
        fill(bench);
        assert_int_equal(tensix_config_write(&bench->x, BH_BRISC, cases[i].offset, 5, 0).result, ACCESS_DONE);
        bench_to(bench, 6);
        assert_reset(bench, cases[i].banks);
        bench_destroy(bench);
    }
}

static void rmwcib_does_not_reset(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    fill(bench);
    bench_offer(bench, 0, rmwcib(0, 1, 1, 4), 1);
    bench_to(bench, 5);
    assert_int_equal(bench->x.config.bank[0][4], 1);
    bench->x.config.bank[0][4] = 0xF0004;
    assert_reset(bench, 0);
    bench_destroy(bench);
}

static void seeds_are_counted(void **state) {
    (void)state;
    struct bench *bench = bench_create();
    bench->x.gpr[0][0] = 0x12345678;
    bench_offer(bench, 0, wrcfg(0, false, CONFIG_WORD_PRNG_SEED_Seed_Val), 1);
    bench_to(bench, 2);
    assert_int_equal(bench->x.config.prng_seeds, 0);
    bench_to(bench, 3);
    assert_int_equal(bench->x.config.prng_seeds, 1);
    assert_int_equal(bench->x.config.prng_seed, 0x12345678);
    tensix_config_write(&bench->x, BH_TRISC1, CONFIG_AT_DUAL + 4 * CONFIG_WORD_PRNG_SEED_Seed_Val, 9, 7);
    bench_to(bench, 10);
    assert_int_equal(bench->x.config.prng_seeds, 2);
    assert_int_equal(bench->x.config.prng_seed, 7);
    bench_offer(bench, 0, rmwcib(3, 0xFF, 1, CONFIG_WORD_PRNG_SEED_Seed_Val), 11);
    bench_to(bench, 12);
    assert_int_equal(bench->x.config.prng_seeds, 3);
    assert_int_equal(bench->x.config.prng_seed, 0x01000007);
    bench_destroy(bench);
}

static void context_counters(void **state) {
    (void)state;
    static const struct {
        unsigned value, cleared;
    } cases[] = { { 0, 0 }, { 0xCFEF, 0 }, { 0x10, 1 }, { 0x1000, 2 }, { 0x1010, 3 } };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench *bench = bench_create();
        memset(bench->x.config.context_count, 6, sizeof bench->x.config.context_count);
        bench_offer(bench, 1, setc16(41, cases[i].value), 1);
        for (unsigned thread = 0; thread < 3; thread++)
            for (unsigned unpacker = 0; unpacker < 2; unpacker++)
                assert_int_equal(bench->x.config.context_count[thread][unpacker],
                                 thread == 1 && (cases[i].cleared >> unpacker & 1) ? 0 : 6);
        bench_offer(bench, 1, setc16(40, 0xFFFF), 2);
        assert_int_equal(bench->x.config.context_count[0][0], 6);
        bench_destroy(bench);
    }
}

/* With bit 9 of SOFT_RESET_0 the words from THCON to GLOBAL keep what they have. */
static void thcon_in_reset(void **state) {
    (void)state;
    for (unsigned held = 0; held < 2; held++) {
        struct bench *bench = bench_create();
        uint64_t cycle = 1;
        bench->x.held = held ? 1u << 9 : ~(1u << 9);
        bench->x.gpr[0][0] = 9;
        for (unsigned i = 5; i < CONFIG_WORDS; i++, cycle += 3) {
            bench_offer(bench, 0, wrcfg(0, false, i), cycle);
            bench_to(bench, cycle + 2);
            assert_int_equal(bench->x.config.bank[0][i], held && i >= 64 && i < 180 ? 0 : kept(i, 9));
        }
        bench_destroy(bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gpr_to_every_word),
        cmocka_unit_test(four_gprs_at_once),
        cmocka_unit_test(every_word_to_every_gpr),
        cmocka_unit_test(unused_bits),
        cmocka_unit_test(bytes),
        cmocka_unit_test(thread_registers),
        cmocka_unit_test(scratch_into_words),
        cmocka_unit_test(scratch_into_itself),
        cmocka_unit_test(streams_into_words),
        cmocka_unit_test(bits_without_a_field),
        cmocka_unit_test(sums_without_a_field),
        cmocka_unit_test(faults),
        cmocka_unit_test(any_write_resets_the_bank),
        cmocka_unit_test(cores_reset_banks),
        cmocka_unit_test(rmwcib_does_not_reset),
        cmocka_unit_test(seeds_are_counted),
        cmocka_unit_test(context_counters),
        cmocka_unit_test(thcon_in_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
