/* Tests of src/host/elf.c: one good file, then every field of it made wrong in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "host/elf.h"

enum { PHDR0 = 52, PHDR1 = 84, TEXT = 116, FILE_SIZE = 132 };

static void put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value & 0xFFFF);
    put16(at + 2, value >> 16);
}

static void put_segment(uint8_t *at, uint32_t vaddr, uint32_t paddr, uint32_t file_size, uint32_t memory_size) {
    const uint32_t words[8] = { 1, TEXT, vaddr, paddr, file_size, memory_size, 5, 4 };
    for (unsigned i = 0; i < 8; i++)
        put32(at + 4 * i, words[i]);
}

static void make(uint8_t file[FILE_SIZE]) {
    static const uint8_t ident[] = { 0x7F, 'E', 'L', 'F', 1, 1, 1 };
    memset(file, 0, FILE_SIZE);
    memcpy(file, ident, sizeof ident);
    put16(file + 16, 2);
    put16(file + 18, 243);
    put32(file + 20, 1);
    put32(file + 24, 0x1000);
    put32(file + 28, PHDR0);
    put16(file + 40, 52);
    put16(file + 42, 32);
    put16(file + 44, 2);
    put_segment(file + PHDR0, 0x1000, 0x1000, 16, 32);
    put_segment(file + PHDR1, 0xFFB00000, 0xFFB00000, 4, 4);
}

static bool read(const uint8_t *file, size_t size, struct elf_image *image, char message[200]) {
    message[0] = '\0';
    return elf_read(image, file, size, message, 200);
}

static void accepts_a_good_file(void **state) {
    (void)state;
    uint8_t file[FILE_SIZE];
    struct elf_image image;
    char message[200];
    make(file);
    assert_true(read(file, sizeof file, &image, message));
    assert_int_equal(image.entry, 0x1000);
    assert_int_equal(image.count, 2);
    assert_int_equal(image.segment[0].address, 0x1000);
    assert_int_equal(image.segment[0].offset, TEXT);
    assert_int_equal(image.segment[0].file_size, 16);
    assert_int_equal(image.segment[0].memory_size, 32);
    assert_int_equal(image.segment[1].address, 0xFFB00000);
}

static void physical_addresses_count(void **state) {
    (void)state;
    uint8_t file[FILE_SIZE];
    struct elf_image image;
    char message[200];
    make(file);
    put32(file + PHDR1 + 12, 0x3000);
    assert_true(read(file, sizeof file, &image, message));
    assert_int_equal(image.segment[1].address, 0x3000);
    put32(file + PHDR0 + 12, 0);
    put32(file + PHDR1 + 12, 0);
    assert_true(read(file, sizeof file, &image, message));
    assert_int_equal(image.segment[0].address, 0x1000);
    assert_int_equal(image.segment[1].address, 0xFFB00000);
}

static void names_the_bad_field(void **state) {
    (void)state;
    static const struct {
        unsigned at, size;
        uint32_t value;
        const char *field;
    } cases[] = {
        { 0, 1, 0x7E, "e_ident" },
        { 4, 1, 2, "EI_CLASS" },
        { 5, 1, 2, "EI_DATA" },
        { 6, 1, 0, "EI_VERSION" },
        { 16, 2, 3, "e_type" },
        { 18, 2, 62, "e_machine" },
        { 20, 4, 2, "e_version" },
        { 28, 4, FILE_SIZE - 63, "e_phoff" },
        { 28, 4, 0xFFFFFFFF, "e_phoff" },
        { 42, 2, 56, "e_phentsize" },
        { 44, 2, 0, "e_phnum" },
        { 44, 2, 0xFFFF, "e_phoff" },
        { PHDR0 + 4, 4, FILE_SIZE, "p_offset" },
        { PHDR0 + 4, 4, 0xFFFFFFF8, "p_offset" },
        { PHDR0 + 16, 4, 33, "p_filesz" },
        { PHDR0 + 16, 4, 0xFFFFFFFF, "p_filesz" },
        { PHDR1 + 20, 4, 0x500001, "p_memsz" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t file[FILE_SIZE];
        struct elf_image image;
        char message[200];
        make(file);
        for (unsigned b = 0; b < cases[i].size; b++)
            file[cases[i].at + b] = (uint8_t)(cases[i].value >> 8 * b);
        assert_false(read(file, sizeof file, &image, message));
        if (!strstr(message, cases[i].field))
            fail_msg("case %u: '%s' does not name %s", i, message, cases[i].field);
    }
}

static void every_truncation_is_refused(void **state) {
    (void)state;
    uint8_t file[FILE_SIZE];
    struct elf_image image;
    char message[200];
    make(file);
    for (size_t size = 0; size < FILE_SIZE; size++) {
        assert_false(read(file, size, &image, message));
        assert_memory_equal(message, "ELF: ", 5);
    }
}

static void empty_segments_do_not_count(void **state) {
    (void)state;
    uint8_t file[FILE_SIZE];
    struct elf_image image;
    char message[200];
    make(file);
    put_segment(file + PHDR1, 0, 0, 0, 0);
    assert_true(read(file, sizeof file, &image, message));
    assert_int_equal(image.count, 1);
    put32(file + PHDR0, 2); /* not PT_LOAD */
    assert_false(read(file, sizeof file, &image, message));
    assert_non_null(strstr(message, "PT_LOAD"));
}

static void up_to_the_end_of_the_address_space(void **state) {
    (void)state;
    uint8_t file[FILE_SIZE];
    struct elf_image image;
    char message[200];
    make(file);
    put_segment(file + PHDR1, 0xFFFFFFFC, 0xFFFFFFFC, 4, 4);
    assert_true(read(file, sizeof file, &image, message));
    put_segment(file + PHDR1, 0xFFFFFFFC, 0xFFFFFFFC, 4, 5);
    assert_false(read(file, sizeof file, &image, message));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_a_good_file),         cmocka_unit_test(physical_addresses_count),
        cmocka_unit_test(names_the_bad_field),         cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(empty_segments_do_not_count), cmocka_unit_test(up_to_the_end_of_the_address_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
