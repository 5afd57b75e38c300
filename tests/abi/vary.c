/* BHEMU_VARY: a session whose delays vary.
 * vary LIBTTSIM */
#include "client.h"

enum { RESULT = 0x600 };

/* BRISC of tile 1,2 reads 64 bytes of tile 2,2 to 0x500, lets time pass, and stores the first word at RESULT. */
static uint32_t read_without_wait(const struct ttsim *abi) {
    static const uint32_t program[] = {
        0xffb217b7, 0x40000713, 0x80e7a023, 0x8007a223, 0x08200713, 0x80e7a423, 0x50000693, 0x80d7a623,
        0x8007a823, 0xffb20637, 0x14862703, 0x80e7aa23, 0x8007ac23, 0x04000713, 0x82e7a023, 0x00002737,
        0x09070713, 0x80e7ae23, 0x20862283, 0x00100713, 0x84e7a023, 0x3e800313, 0xfff30313, 0xfe031ee3,
        0x00000013, 0x00000013, 0x0006a503, 0x60a02023, 0x0000006f,
    };
    for (unsigned i = 0; i < sizeof program / sizeof *program; i++)
        write32(abi, 1, 2, 4 * i, program[i]);
    write32(abi, 2, 2, 0x400, 1234);
    write32(abi, 1, 2, 0x500, 5);
    write32(abi, 1, 2, 0xFFB121B0, 0x47000);
    abi->clock(50);
    return read32(abi, 1, 2, RESULT);
}

static void reads_in_time(const struct ttsim *abi) {
    assert_int_equal(read_without_wait(abi), 1234);
    abi->exit();
}

static void reads_too_early(const struct ttsim *abi) {
    assert_int_equal(read_without_wait(abi), 5);
    abi->exit();
}

static void delays_change_the_session(void **state) {
    (void)state;
    static const char *const none[] = { NULL, "BHEMU_VARY=", "BHEMU_VARY=0", "BHEMU_VARY=none" };
    char text[400];
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(in_child(reads_in_time, 2, none[i], text, sizeof text), 0);
    assert_int_equal(
        in_child(reads_too_early, 2, "BHEMU_VARY=request@1,2-2,2#0=1500+response@2,2-1,2#0=1500", text, sizeof text),
        0);
}

static void nothing(const struct ttsim *abi) {
    (void)abi;
}

static void mistakes_are_found_at_the_beginning(void **state) {
    (void)state;
    char text[400];
    assert_int_equal(in_child(nothing, 1, "BHEMU_VARY=some", text, sizeof text), 1);
    assert_non_null(strstr(text, "ERROR: BadEnvironment: BHEMU_VARY=some: 'some' is neither a seed nor a delay"));
    assert_int_equal(in_child(nothing, 1, "BHEMU_VARY=99999999999999999999", text, sizeof text), 1);
    assert_non_null(strstr(text, "more than 64 bits"));
    setenv("BHEMU_TIMING", "loose", 1);
    assert_int_equal(in_child(nothing, 1, "BHEMU_VARY=1", text, sizeof text), 1);
    unsetenv("BHEMU_TIMING");
    assert_non_null(strstr(text, "cycle timing"));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_change_the_session),
        cmocka_unit_test(mistakes_are_found_at_the_beginning),
    };
    if (argc != 2)
        return 2;
    library = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
