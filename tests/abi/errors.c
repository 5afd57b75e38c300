/* The library's answers to wrong calls, and to programs that call the host.
 * errors LIBRARY
 */
#include "client.h"

enum { MIB = 1 << 20 };
#define SOFT_RESET UINT32_C(0xFFB121B0)

/* ---- Errors --------------------------------------------------------------------------------------------- */

static void check_error(void (*work)(const struct ttsim *), bool init, const char *category, const char *detail) {
    char text[500], begin[80];
    if (spawn(work, init, 1, NULL, text, sizeof text) != 1)
        fail_msg("no error with \"%s\", but: %s", detail, text);
    snprintf(begin, sizeof begin, "[0] ERROR: %s: ", category);
    if (strncmp(text, begin, strlen(begin)) != 0 || !strstr(text, detail))
        fail_msg("not \"%s\" with \"%s\": %s", begin, detail, text);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
}

#define DOES(name, action) \
    static void name(const struct ttsim *in) { \
        uint32_t word = 0; \
        (void)word, (void)in; \
        action; \
    }
DOES(exit_early, in->exit())
DOES(clock_early, in->clock(1))
DOES(config_read_early, in->config_read(0, 0))
DOES(config_write_early, in->config_write(0, 0x10, 0))
DOES(read_early, in->read(BAR0, &word, 4))
DOES(write_early, in->write(BAR0, &word, 4))
DOES(tile_read_early, in->tile_read(1, 2, 0, &word, 4))
DOES(tile_write_early, in->tile_write(1, 2, 0, &word, 4))

static void nothing_works_before_init(void **state) {
    (void)state;
    static void (*const calls[])(const struct ttsim *) = { exit_early,         clock_early,     config_read_early,
                                                           config_write_early, read_early,      write_early,
                                                           tile_read_early,    tile_write_early };
    static const char *const names[] = { "libttsim_exit",
                                         "libttsim_clock",
                                         "libttsim_pci_config_rd32",
                                         "libttsim_pci_config_wr32",
                                         "libttsim_pci_mem_rd_bytes",
                                         "libttsim_pci_mem_wr_bytes",
                                         "libttsim_tile_rd_bytes",
                                         "libttsim_tile_wr_bytes" };
    for (unsigned i = 0; i < 8; i++)
        check_error(calls[i], false, "UndefinedBehavior", names[i]);
}

DOES(past_a_window, in->read(BAR0 + 2 * MIB - 2, &word, 4))
DOES(past_a_large_window, in->write(BAR4 + (UINT64_C(1) << 32) - 2, &word, 4))
DOES(outside_all_bars, in->read(0x1000, &word, 4))
DOES(past_a_bar, in->read(BAR2 + MIB - 2, &word, 4))
DOES(half_a_descriptor, in->write(BAR0 + 0x1FC00002, &word, 4))
DOES(part_of_a_region, in->write(BAR2 + 0x1002, &word, 2))
DOES(odd_configuration, in->config_read(0, 2))
DOES(past_configuration, in->config_read(0, 0x1000))
DOES(register_unaligned, in->tile_read(1, 2, SOFT_RESET + 2, &word, 4))
DOES(register_byte, in->tile_write(1, 2, SOFT_RESET, &word, 1))
DOES(past_l1, in->tile_read(1, 2, 0x17FFFE, &word, 4))
DOES(past_dram, in->tile_read(17, 12, UINT64_C(0x100000000), &word, 4))
DOES(nobody_there, in->tile_read(33, 33, 0, &word, 4))
DOES(far_away, in->tile_read(1000, 2, 0, &word, 4))
DOES(beyond_the_grid, in->tile_read(99, 2, 0, &word, 4))
DOES(router_memory, in->tile_read(1, 0, 0, &word, 4))

static void read_multicast(const struct ttsim *in) {
    uint32_t word = 1 << 5;
    in->write(BAR0 + 0x1FC00008, &word, 4);
    in->read(BAR0, &word, 4);
}

static void use_noc_2(const struct ttsim *in) {
    uint32_t word = 1 << 4;
    in->write(BAR0 + 0x1FC00008, &word, 4);
    in->read(BAR0, &word, 4);
}

static void host_memory_without_callbacks(const struct ttsim *in) {
    (void)read32(in, 19, 24, UINT64_C(0x1000000000000000));
}

static void wrong_accesses_are_errors(void **state) {
    (void)state;
    static const struct {
        void (*work)(const struct ttsim *);
        const char *detail;
    } cases[] = {
        { past_a_window, "cross the end of the window" },
        { past_a_large_window, "cross the end of the window" },
        { outside_all_bars, "in no BAR" },
        { past_a_bar, "in no BAR" },
        { half_a_descriptor, "aligned 32-bit words" },
        { part_of_a_region, "aligned 32-bit words" },
        { odd_configuration, "multiple of 4" },
        { past_configuration, "beyond 4 KiB" },
        { register_unaligned, "0xffb121b2" },
        { register_byte, "0xffb121b0" },
        { past_l1, "0x17fffe" },
        { past_dram, "4 GiB" },
        { nobody_there, "(33,33)" },
        { far_away, "no such tile: no tile answers at (1000,2)" },
        { beyond_the_grid, "no tile answers at (99,2)" },
        { router_memory, "router" },
        { read_multicast, "multicast" },
        { host_memory_without_callbacks, "no DMA callback" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_error(cases[i].work, true, "UndefinedBehavior", cases[i].detail);
    check_error(use_noc_2, true, "UnimplementedFunctionality", "NoC 2");
}

/* ---- Semihosting ---------------------------------------------------------------------------------------- */

/* a7 = call; then li a0..a2; ecall; store a0 at 0x100; what would exit with 42 if the last instruction is ecall. */
static void call_and(uint32_t last, const struct ttsim *in, unsigned call, unsigned a0, unsigned a1, unsigned a2) {
    const uint32_t program[] = {
        0x00000893 | call << 20,
        0x00000513 | a0 << 20,
        0x00000593 | a1 << 20,
        0x00000613 | a2 << 20, /* li */
        0x00000073,            /* ecall */
        0x10A02023,            /* sw a0, 0x100(x0) */
        0x05D00893,
        0x02A00513,
        last, /* exit(42) */
    };
    for (unsigned i = 0; i < sizeof program / sizeof program[0]; i++)
        write32(in, 2, 2, 4 * i, program[i]);
    write32(in, 2, 2, SOFT_RESET, 0x47000);
    in->clock(4);
    printf("%u", read32(in, 2, 2, 0x100));
}

static void call_host(const struct ttsim *in, unsigned call, unsigned a0, unsigned a1, unsigned a2) {
    call_and(0x00000073, in, call, a0, a1, a2);
}

static void say_hello(const struct ttsim *in) {
    write32(in, 2, 2, 0x200, 0x6C6C6568); /* "hell" "o" */
    write32(in, 2, 2, 0x204, 0x0000006F);
    call_host(in, 64, 1, 0x200, 5);
}

static void stop_at_once(const struct ttsim *in) {
    call_host(in, 93, 7, 0, 0);
}

static void ask_for_a_heap(const struct ttsim *in) {
    write32(in, 2, 2, 0x100, 5);
    call_and(0x0000006F, in, 214, 0x400, 0, 0); /* does not exit */
}

static void ask_for_status(const struct ttsim *in) {
    for (unsigned i = 0; i < 29; i++)
        write32(in, 2, 2, 0x200 + 4 * i, 0xFFFFFFFF);
    call_and(0x0000006F, in, 80, 1, 0x200, 0); /* does not exit */
    bool right = read32(in, 2, 2, 0x200 + 112) == 0xFFFFFFFF;
    for (unsigned i = 0; i < 28; i++)
        right &= read32(in, 2, 2, 0x200 + 4 * i) == 0;
    _Exit(right ? 43 : 44);
}

static void ask_for_nonsense(const struct ttsim *in) {
    call_host(in, 1234, 0, 0, 0);
}

static void close_output(const struct ttsim *in) {
    call_host(in, 57, 1, 0, 0);
}

static void semihosting(void **state) {
    (void)state;
    char text[500];
    const char *on = "TTSIM_SEMIHOSTING=1";
    assert_int_equal(spawn(say_hello, true, 1, on, text, sizeof text), 42);
    assert_string_equal(text, "hello");
    assert_int_equal(spawn(stop_at_once, true, 1, on, text, sizeof text), 7);
    assert_int_equal(spawn(ask_for_a_heap, true, 1, on, text, sizeof text), 0);
    assert_string_equal(text, "0");
    assert_int_equal(spawn(close_output, true, 1, on, text, sizeof text), 42);
    assert_int_equal(spawn(ask_for_status, true, 1, on, text, sizeof text), 43);
    assert_int_equal(spawn(ask_for_nonsense, true, 1, on, text, sizeof text), 1);
    assert_non_null(strstr(text, "ERROR: UnimplementedFunctionality: tile (2,2): ecall 1234"));
    assert_int_equal(spawn(stop_at_once, true, 1, "TTSIM_SEMIHOSTING=yes", text, sizeof text), 1);
    assert_non_null(strstr(text, "TTSIM_SEMIHOSTING=yes"));
    assert_int_equal(spawn(stop_at_once, true, 1, NULL, text, sizeof text), 0); /* off: the core just stops */
    assert_string_equal(text, "0");
}

DOES(nothing, (void)0)

static void misspelt_variables(void **state) {
    (void)state;
    char text[500];
    assert_int_equal(spawn(nothing, true, 2, "BHEMU_TREADS=2", text, sizeof text), 0);
    assert_string_equal(text, "[0] WARNING: BHEMU_TREADS: no such variable; did you mean BHEMU_THREADS?\n");
    assert_int_equal(spawn(nothing, true, 2, "BHEMU_OF_SOMEBODY_ELSE=2", text, sizeof text), 0);
    assert_string_equal(text, "");
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_works_before_init),
        cmocka_unit_test(wrong_accesses_are_errors),
        cmocka_unit_test(semihosting),
        cmocka_unit_test(misspelt_variables),
    };
    if (count < 2) {
        fprintf(stderr, "usage: errors LIBRARY\n");
        return 2;
    }
    library = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
