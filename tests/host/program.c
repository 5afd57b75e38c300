/* Tests of src/host/program.c: programs get where they belong and start there. */
#include <string.h>

#include "support/chip.h"
#include "support/rv.h"

static const struct bh_xy TILE = { 6, 9 };

enum { WORDS = 4, DATA_WORDS = 2, FILE_SIZE = 116 + 4 * (WORDS + DATA_WORDS) };

/* Text at one address, and eight bytes (two of them zero-filled words more) at another. */
static void make_elf(uint8_t file[FILE_SIZE], uint32_t text, const uint32_t program[WORDS], uint32_t data) {
    const uint32_t header[13] = { 0x464C457F, 0x00010101, 0, 0, 0x00F30002, 1, text, 52, 0, 0, 0x00200034, 2, 0 };
    const uint32_t segment[2][8] = { { 1, 116, text, text, 4 * WORDS, 4 * WORDS, 5, 4 },
                                     { 1, 116 + 4 * WORDS, data, data, 4 * DATA_WORDS, 8 * DATA_WORDS, 6, 4 } };
    static const uint32_t values[DATA_WORDS] = { 0x11111111, 0x22222222 };
    memcpy(file, header, sizeof header);
    memcpy(file + 52, segment, sizeof segment);
    memcpy(file + 116, program, 4 * WORDS);
    memcpy(file + 116 + 4 * WORDS, values, sizeof values);
}

static uint32_t word_at(bh_chip *chip, uint64_t address) {
    return read_word(chip, TILE, address);
}

/* Every core copies the second word of its data to 0x400 + 4 * core. */
static void copy_program(uint32_t program[WORDS], enum bh_core core, uint32_t data) {
    program[0] = rv_lui(5, data);
    program[1] = rv_i(MAJOR_LOAD, 2, 6, 5, 4);
    program[2] = rv_s(MAJOR_STORE, 2, 6, 0, 0x400 + 4 * (int32_t)core);
    program[3] = rv_jal(0, 0);
}

static void every_core_starts_at_its_entry(void **state) {
    bh_chip *chip = *state;
    for (enum bh_core core = BH_BRISC; core < BH_CORE_COUNT; core++) {
        uint8_t file[FILE_SIZE];
        uint32_t program[WORDS], text = 0x8000 + 0x1000 * (uint32_t)core, data = 0x30000 + 0x1000 * (uint32_t)core;
        struct bh_image_info info;
        copy_program(program, core, data);
        make_elf(file, text, program, data);
        assert_int_equal(bh_load_elf(chip, TILE, core, file, sizeof file, &info), BH_OK);
        assert_int_equal(info.entry, text);
        assert_int_equal(info.low, core == BH_BRISC ? 0 : text);
        assert_int_equal(info.high, data + 8 * DATA_WORDS);
    }
    assert_int_equal(bh_release(chip, TILE, BH_ALL_CORES), BH_OK);
    assert_int_equal(bh_run(chip, 10000, 0, NULL), BH_OK);
    for (enum bh_core core = BH_BRISC; core < BH_CORE_COUNT; core++)
        assert_int_equal(word_at(chip, 0x400 + 4 * (uint64_t)core), 0x22222222);
}

static void beyond_the_reach_of_a_jump(void **state) {
    static const uint32_t places[] = { 0x4, 0xFFFFC, 0x100000, 0x100800, 0x17FFF0 };
    for (unsigned i = 1; i < sizeof places / sizeof places[0]; i++) {
        bh_chip *chip = *state;
        const uint32_t program[] = { rv_addi(7, 0, (int32_t)i), rv_s(MAJOR_STORE, 2, 7, 0, 0x40), rv_jal(0, 0) };
        size_t size = places[i] + sizeof program > 0x180000 ? 4 : sizeof program;
        bh_reset(chip);
        assert_int_equal(bh_load_raw(chip, TILE, BH_BRISC, places[i], program, size), BH_OK);
        assert_int_equal(bh_release(chip, TILE, 1), BH_OK);
        assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
        assert_int_equal(word_at(chip, 0x40), i);
    }
}

static void local_memory_is_placed_at_release(void **state) {
    bh_chip *chip = *state;
    uint8_t file[FILE_SIZE];
    uint32_t program[WORDS];
    for (unsigned round = 0; round < 2; round++) {
        for (enum bh_core core = BH_BRISC; core < BH_CORE_COUNT; core++) {
            copy_program(program, core, 0xFFB00000);
            make_elf(file, 0x8000 + 0x1000 * (uint32_t)core, program, 0xFFB00000);
            assert_int_equal(bh_load_elf(chip, TILE, core, file, sizeof file, NULL), BH_OK);
        }
        assert_int_equal(bh_release(chip, TILE, BH_ALL_CORES), BH_OK);
        assert_int_equal(bh_run(chip, 10000, 0, NULL), BH_OK);
        for (enum bh_core core = BH_BRISC; core < BH_CORE_COUNT; core++) {
            uint32_t zero = 0;
            assert_int_equal(word_at(chip, 0x400 + 4 * (uint64_t)core), 0x22222222);
            assert_int_equal(bh_write(chip, TILE, 0x400 + 4 * (uint64_t)core, &zero, 4), BH_OK);
        }
        assert_int_equal(bh_hold(chip, TILE, BH_ALL_CORES), BH_OK);
    }
    /* The image stays for the next release, until another program is loaded. */
    assert_int_equal(bh_release(chip, TILE, 1u << BH_TRISC1), BH_OK);
    assert_int_equal(bh_run(chip, 10000, 0, NULL), BH_OK);
    assert_int_equal(word_at(chip, 0x400 + 4 * BH_TRISC1), 0x22222222);
    assert_int_equal(word_at(chip, 0x400 + 4 * BH_TRISC2), 0);
}

/* A reset of the chip forgets the image: local memory that DISABLE_RESET keeps is not written at the next release. */
static void reset_forgets_the_image(void **state) {
    bh_chip *chip = *state;
    uint8_t file[FILE_SIZE];
    uint32_t program[WORDS];
    const uint32_t loop = rv_jal(0, 0);
    copy_program(program, BH_BRISC, 0xFFB00000);
    make_elf(file, 0x8000, program, 0xFFB00000);
    assert_int_equal(bh_load_elf(chip, TILE, BH_BRISC, file, sizeof file, NULL), BH_OK);
    bh_reset(chip);
    put_word(chip, TILE, 0xFFB12224, 1 << 6); /* DISABLE_RESET: of brisc */
    put_word(chip, TILE, 0xFFB14004, 0x1234);
    put_word(chip, TILE, 0, loop);
    assert_int_equal(bh_release(chip, TILE, 1u << BH_BRISC), BH_OK);
    assert_int_equal(word_at(chip, 0xFFB14004), 0x1234);
}

static void ethernet_cores_take_programs_too(void **state) {
    const struct bh_xy eth = { 21, 25 };
    bh_chip *chip = *state;
    uint8_t file[FILE_SIZE];
    uint32_t program[WORDS], value;
    struct bh_image_info info;
    copy_program(program, BH_ERISC0, 0xFFB00000);
    make_elf(file, 0x8000, program, 0xFFB00000);
    assert_int_equal(bh_load_elf(chip, eth, BH_ERISC0, file, sizeof file, &info), BH_OK);
    assert_int_equal(info.low, 0x8000); /* no jump is needed at 0 */
    assert_int_equal(bh_release(chip, eth, 1u << BH_ERISC0), BH_OK);
    assert_int_equal(bh_run(chip, 10000, 0, NULL), BH_OK);
    assert_int_equal(bh_read(chip, eth, 0x400, &value, 4), BH_OK);
    assert_int_equal(value, 0x22222222);
    make_elf(file, 0x7FFF0, program, 0x80000); /* data behind L1 */
    assert_int_equal(bh_load_elf(chip, eth, BH_ERISC1, file, sizeof file, NULL), BH_ERR_ELF);
    assert_non_null(strstr(bh_message(chip), "erisc1"));
    assert_int_equal(bh_load_raw(chip, eth, BH_ERISC1, 0, program, sizeof program), BH_ERR_ADDRESS);
    assert_non_null(strstr(bh_message(chip), "stays in reset"));
}

static void assert_refused(bh_chip *chip, enum bh_core core, const uint8_t *file, const char *text) {
    assert_refusal(chip, bh_load_elf(chip, TILE, core, file, FILE_SIZE, NULL), BH_ERR_ELF, text);
}

static void unsuitable_files_are_refused(void **state) {
    bh_chip *chip = *state;
    const uint32_t program[WORDS] = { RV_NOP, RV_NOP, RV_NOP, rv_jal(0, 0) };
    uint8_t file[FILE_SIZE];
    make_elf(file, 0x8000, program, 0x17FFF4);
    assert_refused(chip, BH_BRISC, file, "0x17fff4");
    make_elf(file, 0x8000, program, 0xFFB00FF8); /* fits 8 KiB, not 4 KiB */
    assert_refused(chip, BH_TRISC0, file, "trisc0");
    assert_int_equal(bh_load_elf(chip, TILE, BH_NCRISC, file, sizeof file, NULL), BH_OK);
    make_elf(file, 0x8002, program, 0x9000);
    assert_refused(chip, BH_BRISC, file, "e_entry");
    make_elf(file, 0x8000, program, 0);
    assert_refused(chip, BH_BRISC, file, "brisc starts at 0");
    assert_int_equal(bh_load_elf(chip, TILE, BH_TRISC0, file, sizeof file, NULL), BH_OK);
    file[24] = 0x40; /* entry outside */
    assert_refused(chip, BH_TRISC0, file, "e_entry");
    file[0] = 0;
    assert_refused(chip, BH_TRISC0, file, "e_ident");
    assert_int_equal(bh_load_elf(chip, (struct bh_xy){ 17, 12 }, BH_BRISC, file, sizeof file, NULL), BH_ERR_COORDINATE);
    assert_int_equal(bh_load_elf(chip, TILE, (enum bh_core)5, file, sizeof file, NULL), BH_ERR_ARGUMENT);
}

/* A core of an Ethernet tile cannot start at 0, and then nothing is loaded either. */
static void a_program_that_cannot_start_is_not_loaded(void **state) {
    const struct bh_xy eth = { 20, 25 };
    uint8_t file[FILE_SIZE];
    uint32_t program[WORDS];
    bh_chip *chip = *state;
    copy_program(program, BH_ERISC1, 0x30000);
    make_elf(file, 0, program, 0x30000);
    uint64_t before = bh_state_hash(chip);
    assert_refusal(chip, bh_load_elf(chip, eth, BH_ERISC1, file, sizeof file, NULL), BH_ERR_ADDRESS, "stays in reset");
    assert_refusal(chip, bh_load_raw(chip, eth, BH_ERISC1, 0, program, sizeof program), BH_ERR_ADDRESS,
                   "stays in reset");
    assert_true(bh_state_hash(chip) == before);
}

static void raw_bytes_are_checked(void **state) {
    bh_chip *chip = *state;
    const uint32_t program[] = { RV_NOP, rv_jal(0, 0) };
    assert_int_equal(bh_load_raw(chip, TILE, BH_TRISC0, 2, program, 8), BH_ERR_ARGUMENT);
    assert_int_equal(bh_load_raw(chip, TILE, BH_TRISC0, 0x17FFFC, program, 8), BH_ERR_ADDRESS);
    assert_int_equal(bh_load_raw(chip, TILE, BH_TRISC0, 0x180000, program, 8), BH_ERR_ADDRESS);
    assert_int_equal(bh_load_raw(chip, TILE, BH_TRISC0, 0, program, 0), BH_ERR_ADDRESS);
    assert_int_equal(bh_load_raw(chip, TILE, BH_TRISC0, 0, program, 8), BH_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)
    const struct CMUnitTest tests[] = {
        TEST(every_core_starts_at_its_entry),
        TEST(beyond_the_reach_of_a_jump),
        TEST(local_memory_is_placed_at_release),
        TEST(ethernet_cores_take_programs_too),
        TEST(reset_forgets_the_image),
        TEST(unsuitable_files_are_refused),
        TEST(a_program_that_cannot_start_is_not_loaded),
        TEST(raw_bytes_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
