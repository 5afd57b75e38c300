/* libttsim_by_id.so: chips that the client creates, selects and connects, called as tt-umd calls them.
 * by_id LIBRARY
 */
#include "../../abi/by_id.h"
#include "chips.h"
#include "debugger.h"

/* The functions besides those of struct ttsim. */
static struct {
    __typeof__(libttsim_create_device_by_id) *create;
    __typeof__(libttsim_select_device_by_id) *select;
    __typeof__(libttsim_clock_all_devices) *clock_all;
    __typeof__(libttsim_switch_reset) *reset;
    __typeof__(libttsim_switch_register) *enter;
    __typeof__(libttsim_switch_register_peer) *connect;
    __typeof__(libttsim_switch_drain) *drain;
    __typeof__(libttsim_configure_eth_link_virtual) *configure;
    __typeof__(libttsim_switch_register_fabric_node_id) *node;
    __typeof__(libttsim_switch_register_fabric_endpoint_direction) *direction;
    __typeof__(libttsim_dram_rd_bytes_by_id) *dram_read;
    __typeof__(libttsim_dram_wr_bytes_by_id) *dram_write;
    __typeof__(libttsim_dram_core_rd_bytes_by_id) *core_read;
    __typeof__(libttsim_dram_core_wr_bytes_by_id) *core_write;
} by_id;

static void find_all(void *handle) {
    const struct {
        const char *name;
        void *pointer;
    } functions[] = {
        { "libttsim_create_device_by_id", &by_id.create },
        { "libttsim_select_device_by_id", &by_id.select },
        { "libttsim_clock_all_devices", &by_id.clock_all },
        { "libttsim_switch_reset", &by_id.reset },
        { "libttsim_switch_register", &by_id.enter },
        { "libttsim_switch_register_peer", &by_id.connect },
        { "libttsim_switch_drain", &by_id.drain },
        { "libttsim_configure_eth_link_virtual", &by_id.configure },
        { "libttsim_switch_register_fabric_node_id", &by_id.node },
        { "libttsim_switch_register_fabric_endpoint_direction", &by_id.direction },
        { "libttsim_dram_rd_bytes_by_id", &by_id.dram_read },
        { "libttsim_dram_wr_bytes_by_id", &by_id.dram_write },
        { "libttsim_dram_core_rd_bytes_by_id", &by_id.core_read },
        { "libttsim_dram_core_wr_bytes_by_id", &by_id.core_write },
    };
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(handle, functions[i].name);
        if (!found)
            fail_msg("no symbol %s", functions[i].name);
        memcpy(functions[i].pointer, &found, sizeof found);
    }
}

static void begin(void) {
    start_with(NULL);
    find_all(abi.library);
}

/* tt-umd's wiring of a connection, with its MAC addresses. */
static void wire(void *one, unsigned chip, unsigned port, void *two, unsigned peer, unsigned peer_port) {
    by_id.configure(one, port, UINT64_C(0x021E52000000) | chip << 8 | port);
    by_id.configure(two, peer_port, UINT64_C(0x021E52000000) | peer << 8 | peer_port);
    by_id.connect(one, port, two, peer_port);
    by_id.connect(two, peer_port, one, port);
}

/* Every chip has the same addresses; the selected one answers. */
static void put_in(unsigned id, unsigned x, unsigned y, uint64_t address, uint32_t value) {
    by_id.select(id);
    put(&abi, BAR0, x, y, address, value);
}

static uint32_t get_from(unsigned id, unsigned x, unsigned y, uint64_t address) {
    by_id.select(id);
    return get(&abi, BAR0, x, y, address);
}

static void the_selected_chip_answers(void **state) {
    static const unsigned ids[3] = { 5, 0, HAS_ROOM_FOR_32 ? 31 : 7 };
    (void)state;
    begin();
    for (unsigned i = 0; i < 3; i++) {
        void *made = by_id.create(ids[i], (int)ids[i], 0);
        assert_non_null(made);
        assert_ptr_equal(by_id.create(ids[i], 0, 0), made);
    }
    for (unsigned i = 0; i < 3; i++) {
        by_id.select(ids[i]);
        assert_int_equal(abi.config_read(0, 0), 0xB1401E52);
        assert_true(bar_of(&abi, 0, 0) == BAR0 && bar_of(&abi, 0, 4) == BAR4);
        assert_int_equal(abi.config_read(1 << 3, 0), UINT32_MAX);
        put_in(ids[i], 3, 3, 0x40, 100 + i);
        abi.tile_write(3, 3, 0x44, &i, 4);
    }
    for (unsigned i = 0; i < 3; i++) {
        uint32_t word = 99;
        assert_int_equal(get_from(ids[i], 3, 3, 0x40), 100 + i);
        abi.tile_read(3, 3, 0x44, &word, 4);
        assert_int_equal(word, i);
        assert_int_equal(tag_of(BAR0, 62), 1 + ids[i]); /* the ASIC id */
    }
    stop();
}

static void clocks_are_for_all(void **state) {
    (void)state;
    begin();
    by_id.create(0, 0, 0);
    abi.clock(3);
    by_id.create(1, 1, 0); /* joins at the time of the others */
    for (unsigned i = 0; i < 2; i++) {
        by_id.select(i);
        start_on(&abi, BAR0, 1, 2);
    }
    abi.clock(2);
    by_id.clock_all(2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(get_from(i, 1, 2, 0x100), 0x55);
        assert_int_equal(get_from(i, 1, 2, 0xFFB121F0), 7 * 256);
    }
    stop();
}

static void connected_chips_exchange_frames(void **state) {
    void *chip[2];
    (void)state;
    begin();
    for (unsigned i = 0; i < 2; i++)
        chip[i] = by_id.create(1 - i, 0, 0); /* chip 1 is made first */
    by_id.reset();
    wire(chip[1], 0, 4, chip[0], 1, 7);
    by_id.select(0);
    assert_int_equal(port_state(BAR0, 4), PORT_UP);
    assert_int_equal(port_state(BAR0, 5), PORT_DOWN);
    send_number(BAR0, 4, 321);
    by_id.drain();
    by_id.select(1);
    assert_int_equal(received_number(BAR0, 7), 321);

    by_id.reset(); /* cut: frames wait */
    assert_int_equal(port_state(BAR0, 7), PORT_DOWN);
    send_number(BAR0, 7, 654);
    by_id.clock_all(20);
    by_id.select(0);
    assert_int_equal(received_number(BAR0, 4), 0);
    wire(chip[1], 0, 4, chip[0], 1, 7);
    by_id.clock_all(20);
    assert_int_equal(received_number(BAR0, 4), 654);
    stop();
}

static void dram_is_reached_without_selecting(void **state) {
    uint32_t word = 0;
    (void)state;
    begin();
    for (unsigned i = 0; i < 2; i++)
        by_id.create(i, 0, 0);
    by_id.select(0);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t other = 20 + i;
        by_id.dram_write(i, 4, 0x1000, &i, 4);
        by_id.core_write(i, 17, 13, 0x2000, &other, 4); /* a port of bank 0 */
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(get_from(i, 18, 12, 0x1000), i);
        assert_int_equal(get_from(i, 17, 12, 0x2000), 20 + i);
        by_id.select(0);
        by_id.dram_read(i, 0, 0x2000, &word, 4);
        assert_int_equal(word, 20 + i);
        by_id.core_read(i, 18, 14, 0x1000, &word, 4);
        assert_int_equal(word, i);
    }
    stop();
}

/* The boards come from BHEMU_SYSTEM then, and its cables are there unless the client cuts them. */
static void a_system_may_be_given(void **state) {
    void *chip[2];
    (void)state;
    start_with("p300");
    find_all(abi.library);
    for (unsigned i = 0; i < 2; i++)
        chip[i] = by_id.create(i, 0, 0);
    by_id.select(1);
    assert_int_equal(tag_of(BAR0, 1), 0x440);
    assert_int_equal(tag_of(BAR0, 52), 1);
    assert_int_equal(port_state(BAR0, 9), PORT_UP);
    by_id.reset();
    assert_int_equal(port_state(BAR0, 9), PORT_DOWN);
    wire(chip[0], 0, 2, chip[1], 1, 9);
    assert_int_equal(port_state(BAR0, 9), PORT_UP);
    assert_int_equal(port_state(BAR0, 8), PORT_DOWN);
    stop();
}

static void a_session_leaves_nothing_behind(void **state) {
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        begin();
        by_id.create(round, 0, 0);
        assert_int_equal(get_from(round, 1, 2, 0x40), 0);
        put_in(round, 1, 2, 0x40, 5);
        if (round == 1)
            close_abi(&abi); /* without exit */
        else
            stop();
    }
}

/* ---- Errors --------------------------------------------------------------------------------------------------- */

static void check_error(void (*work)(const struct ttsim *), bool init, const char *detail) {
    char text[500];
    static const char start[] = "[0] ERROR: UndefinedBehavior: ";
    if (spawn(work, init, 1, NULL, text, sizeof text) != 1)
        fail_msg("no error with \"%s\", but: %s", detail, text);
    if (strncmp(text, start, strlen(start)) != 0 || !strstr(text, detail))
        fail_msg("not \"%s\": %s", detail, text);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
}

#define DOES(name, action) \
    static void name(const struct ttsim *in) { \
        uint32_t word = 0; \
        (void)word; \
        find_all(in->library); \
        action; \
    }
DOES(create, by_id.create(0, 0, 0))
DOES(choose, by_id.select(3))
DOES(reset, by_id.reset())
DOES(create_33, by_id.create(32, 0, 0))
DOES(clock_nothing, in->clock(1))
DOES(read_nothing, in->read(BAR0, &word, 4))
DOES(connect_nothing, by_id.connect(&word, 0, &word, 1))
DOES(connect_null, by_id.connect(by_id.create(0, 0, 0), 0, NULL, 1))
DOES(connect_dead, by_id.connect(by_id.create(2, 0, 0), 12, by_id.create(1, 0, 0), 1))
DOES(enter_dead, by_id.enter(by_id.create(2, 0, 0), 77, 1))
DOES(place_nothing, by_id.node(&word, 0, 0))
DOES(direct_dead, by_id.direction(by_id.create(2, 0, 0), 13, 0))
DOES(no_bank, (by_id.create(4, 0, 0), by_id.dram_read(4, 8, 0, &word, 4)))
DOES(no_dram, (by_id.create(4, 0, 0), by_id.core_write(4, 1, 2, 0, &word, 4)))
DOES(past_dram, (by_id.create(4, 0, 0), by_id.core_read(4, 17, 12, UINT64_C(0x100000000), &word, 4)))

static void connect_twice(const struct ttsim *in) {
    find_all(in->library);
    void *one = by_id.create(0, 0, 0), *two = by_id.create(1, 0, 0);
    by_id.connect(one, 2, two, 3);
    by_id.connect(one, 2, two, 4);
}

/* The same from the other end, with numbers that are not in order. */
static void connect_taken(const struct ttsim *in) {
    find_all(in->library);
    void *one = by_id.create(7, 0, 0), *two = by_id.create(3, 0, 0);
    by_id.connect(one, 2, two, 5);
    by_id.connect(one, 9, two, 5);
}

static void connect_itself(const struct ttsim *in) {
    find_all(in->library);
    void *one = by_id.create(7, 0, 0);
    by_id.connect(one, 2, one, 2);
}

static void errors_name_the_function_and_the_chip(void **state) {
    (void)state;
    check_error(create, false, "libttsim_create_device_by_id: libttsim_init has not been called");
    check_error(reset, false, "libttsim_switch_reset: libttsim_init has not been called");
    check_error(choose, true, "libttsim_select_device_by_id: chip 3 has not been created");
    check_error(create_33, true, "libttsim_create_device_by_id: chip 32; numbers up to 31 are possible");
    check_error(clock_nothing, true, "libttsim_clock: no chip has been created");
    check_error(read_nothing, true, "libttsim_pci_mem_rd_bytes: no chip has been created");
    check_error(connect_nothing, true, "libttsim_switch_register_peer: ");
    check_error(connect_null, true, "is not a chip");
    check_error(connect_dead, true, "libttsim_switch_register_peer: chip 2 has no Ethernet port 12");
    check_error(enter_dead, true, "libttsim_switch_register: chip 2 has no Ethernet port 77");
    check_error(place_nothing, true, "is not a chip");
    check_error(direct_dead, true, "chip 2 has no Ethernet port 13");
    check_error(connect_twice, true, "port 2 of chip 0 already leads to port 3 of chip 1");
    check_error(connect_taken, true, "port 5 of chip 3 already leads to port 2 of chip 7");
    check_error(connect_itself, true, "both ends are port 2 of chip 7");
    check_error(no_bank, true, "libttsim_dram_rd_bytes_by_id: chip 4 has no DRAM bank 8");
    check_error(no_dram, true, "libttsim_dram_core_wr_bytes_by_id: chip 4 has no DRAM at (1,2)");
    check_error(past_dram, true, "chip 4: ");
    setenv("BHEMU_SYSTEM", "p150", 1);
    check_error(connect_twice, true, "there is no chip 1 in BHEMU_SYSTEM, which has 1");
    unsetenv("BHEMU_SYSTEM");
}

/* ---- Under gdb, and checked --------------------------------------------------------------------------------- */

/* BRISC of tile 2,2 counts from 2000 to 0, then stores the 0: 0c sw t0,0x100(zero) */
static void start_waiting(const struct ttsim *in) {
    static const uint32_t program[] = { 0x7D000293, 0xFFF28293, 0xFE029EE3, 0x10502023, 0x0000006F };
    for (unsigned i = 0; i < sizeof program / sizeof *program; i++)
        put(in, BAR0, 2, 2, 4 * i, program[i]);
    put(in, BAR0, 2, 2, 0xFFB121B0, 0x47000);
}

/* Chip 7 runs before there is a chip 3; both chips have the numbers that the client gave them. */
static void create_out_of_order(const struct ttsim *in) {
    abi = *in;
    find_all(in->library);
    void *seven = by_id.create(7, 7, 0);
    by_id.select(7);
    start_on(in, BAR0, 1, 2);
    in->clock(10);
    void *three = by_id.create(3, 3, 0);
    by_id.select(3);
    start_waiting(in);
    in->clock(5);
    by_id.connect(seven, 2, three, 5);
    in->clock(40);
    by_id.select(7);
    send_number(BAR0, 2, 4711);
    in->clock(10);
    by_id.select(3);
    assert_int_equal(received_number(BAR0, 5), 4711);
    in->exit();
}

/* Tile 1,2 of chip 7 is process 70102, 0x111d6; of chip 3, tile 2,2 is 30202, 0x75fa, and tile 25,25 is 32525, 0x7f0d.
 */
static void debug_both(void) {
    expect("?", "thread:p111d6.1");
    expect("Hgp111d6.1", "OK");
    expect("Z0,4,4", "OK");
    expect("vCont;c", "20:04000000;swbreak");
    expect("vAttach;75fa", "thread:p75fa.1");
    expect("Hgp75fa.1", "OK");
    expect("Z0,c,4", "OK");
    expect("vCont;c", "thread:p75fa.1");
    expect("p5", "00000000");
    expect("bc", "replaylog:begin"); /* the cable has come since the chip first ran: time begins with it */
    expect("vCont;c", "20:0c000000;swbreak");
    expect("vAttach;7f0d", "thread:p7f0d.");
    expect("Hgp7f0d.1", "OK");
    expect("Z2,20000,4", "OK");
    expect("vCont;c", "watch:20000");
    expect("bc", "watch:20000");
    expect("m20000,4", "00000000");
    expect("D", "OK");
}

static void debuggers_and_checks_know_the_numbers(void **state) {
    char text[4000];
    (void)state;
    assert_int_equal(debug_session(debug_both, create_out_of_order), 0);
    assert_int_equal(in_child(create_out_of_order, 2, "BHEMU_CHECK=1", text, sizeof text), 0);
    const char *last = "] BHEMU_CHECK: hazards of the session\nchip 3: no hazards\nchip 7: no hazards\n";
    assert_true(strlen(text) > strlen(last));
    assert_string_equal(text + strlen(text) - strlen(last), last);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_selected_chip_answers),
        cmocka_unit_test(clocks_are_for_all),
        cmocka_unit_test(connected_chips_exchange_frames),
        cmocka_unit_test(dram_is_reached_without_selecting),
        cmocka_unit_test(a_system_may_be_given),
        cmocka_unit_test(a_session_leaves_nothing_behind),
        cmocka_unit_test(errors_name_the_function_and_the_chip),
        cmocka_unit_test(debuggers_and_checks_know_the_numbers),
    };
    if (count < 2) {
        fprintf(stderr, "usage: by_id LIBRARY [PATTERN]\n");
        return 2;
    }
    library = arguments[1];
    if (count > 2)
        cmocka_set_test_filter(arguments[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
