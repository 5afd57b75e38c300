/* BHEMU_SYSTEM: several chips in one library, as devices of a PCI bus.
 * several LIBRARY [FOLDER [PATTERN]]      FOLDER: has the descriptors of the build
 */
#include "chips.h"

#define GIB (UINT64_C(1) << 30)

/* ---- The bus ------------------------------------------------------------------------------------------------ */

static void check_devices(const char *machine, unsigned count) {
    start_with(machine);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(abi.config_read(i << 3, 0), i < count ? 0xB1401E52 : UINT32_MAX);
        if (i >= count)
            continue;
        assert_int_equal(abi.config_read(i << 3, 8), 0x12000000);
        assert_int_equal(abi.config_read(i << 3, 0x3C), 0xFF);
        assert_true(bar_of(&abi, i, 0) == 4 * GIB + i * 64 * GIB);
        assert_true(bar_of(&abi, i, 2) == 4 * GIB + GIB / 2 + i * 64 * GIB);
        assert_true(bar_of(&abi, i, 4) == 32 * GIB + i * 64 * GIB);
        assert_int_equal(abi.config_read(i << 3 | 1, 0), UINT32_MAX);
    }
    assert_int_equal(abi.config_read(1 << 8, 0), UINT32_MAX); /* another bus */
    abi.config_write(31 << 3 | 7, 0x10, 0);                   /* nobody there */
    stop();
}

/* The devices, ids and BARs of ttsim's libraries of several chips. */
static void chips_are_devices_of_the_bus(void **state) {
    (void)state;
    check_devices("p150", 1);
    check_devices("p300", 2);
    check_devices("quietbox", 4);
    check_devices("quietbox2", 4);
    if (HAS_ROOM_FOR_32)
        check_devices("galaxy", 32);
    check_devices(NULL, 1);
}

static void each_chip_has_its_memory(void **state) {
    (void)state;
    start_with("quietbox");
    for (unsigned i = 0; i < 4; i++) {
        put(&abi, home(i), 3, 3, 0x40, 100 + i);
        put(&abi, home(i), 17, 12, 0x40, 200 + i); /* DRAM */
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t word = 0;
        assert_int_equal(get(&abi, home(i), 3, 3, 0x40), 100 + i);
        assert_int_equal(get(&abi, home(i), 17, 12, 0x40), 200 + i);
        put(&abi, home(i), 8, 0, 0x80030408, 0);    /* leaves window 0 elsewhere */
        uint32_t large[3] = { 0, 17 | 12 << 6, 0 }; /* the first window of 4 GiB */
        for (unsigned k = 0; k < 3; k++)
            abi.write(home(i) + 0x1FC00000 + 12 * 202 + 4 * k, &large[k], 4);
        abi.read(bar_of(&abi, i, 4) + 0x40, &word, 4);
        assert_int_equal(word, 200 + i);
    }
    stop();
}

static void bars_can_be_moved(void **state) {
    (void)state;
    start_with("p300");
    put(&abi, home(1), 3, 3, 0x40, 7);
    abi.config_write(1 << 3, 0x10, 0xFFFFFFFF);
    assert_int_equal(abi.config_read(1 << 3, 0x10), 0xE0000004); /* 512 MiB */
    abi.config_write(1 << 3, 0x10, 0x40000000);
    abi.config_write(1 << 3, 0x14, 0x500);
    assert_true(bar_of(&abi, 1, 0) == UINT64_C(0x50040000000));
    assert_int_equal(get(&abi, UINT64_C(0x50040000000), 3, 3, 0x40), 7);
    put(&abi, home(0), 3, 3, 0x40, 8);
    assert_int_equal(get(&abi, UINT64_C(0x50040000000), 3, 3, 0x40), 7);
    stop();
}

/* tt-umd gives each chip a part of host memory by a region of its iATU. */
static void host_memory_is_reached_through_the_iatu_of_the_chip(void **state) {
    (void)state;
    start_with("p300");
    for (unsigned i = 0; i < 2; i++) {
        static const uint32_t offset[] = { 0x04, 0x00, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x04 };
        const uint32_t value[] = { 0, 0, 0, 0, 0x3FFFFFFF, 0x1000 + 0x2000 * i, 0, 1u << 31 };
        for (unsigned k = 0; k < 8; k++)
            abi.write(bar_of(&abi, i, 2) + 0x1000 + offset[k], &value[k], 4);
    }
    for (unsigned i = 0; i < 2; i++)
        put(&abi, home(i), 19, 24, (UINT64_C(1) << 60) + 0x30, 0xAB00 + i);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t word;
        memcpy(&word, host_memory + 0x1030 + 0x2000 * i, 4);
        assert_int_equal(word, 0xAB00 + i);
    }
    stop();
}

/* ---- Time ----------------------------------------------------------------------------------------------------- */

static void time_is_common(void **state) {
    (void)state;
    start_with("quietbox2");
    for (unsigned i = 0; i < 4; i++)
        start_on(&abi, home(i), 1 + i, 2);
    abi.clock(7);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(get(&abi, home(i), 1 + i, 2, 0x100), 0x55);
        assert_int_equal(get(&abi, home(i), 1, 2, 0xFFB121F0), 7 * 256); /* the wall clock */
    }
    stop();
}

/* As with one chip: a read comes after the effects of writes. */
static void a_read_settles_its_chip(void **state) {
    (void)state;
    start_with("p300");
    start_on(&abi, home(1), 1, 2);
    assert_int_equal(get(&abi, home(0), 1, 2, 0x100), 0);
    assert_int_equal(get(&abi, home(1), 1, 2, 0x100), 0x55);
    stop();
}

/* ---- Links ---------------------------------------------------------------------------------------------------- */

/* What tt-umd reads to find out what a link leads to: place on the board, channel, board, chip. */
struct identity {
    uint32_t word[5];
};

static struct identity identity_at(unsigned chip, unsigned port, uint64_t address) {
    static const uint8_t offset[5] = { 0, 4, 8, 20, 24 };
    struct identity identity;
    for (unsigned i = 0; i < 5; i++)
        identity.word[i] = get(&abi, home(chip), ETH_X + port, ETH_Y, address + offset[i]);
    return identity;
}

/* Returns the chip and the port of an ASIC. */
static void find_peer(unsigned chip, unsigned port, unsigned *peer, unsigned *peer_port) {
    struct identity far = identity_at(chip, port, 0x7CFE0), own = identity_at(chip, port, 0x7CFC0);
    *peer = far.word[4] - 1;
    *peer_port = far.word[0] >> 24;
    struct identity there = identity_at(*peer, *peer_port, 0x7CFC0);
    assert_memory_equal(&far, &there, sizeof far);
    struct identity back = identity_at(*peer, *peer_port, 0x7CFE0);
    assert_memory_equal(&own, &back, sizeof own);
}

/* Every link that is up leads to a link that leads back. */
static void check_links(const char *machine, unsigned chips, unsigned links) {
    unsigned up = 0;
    start_with(machine);
    for (unsigned chip = 0; chip < chips; chip++)
        for (unsigned port = 0; port < PORTS; port++) {
            unsigned peer, peer_port;
            if (port_state(home(chip), port) != PORT_UP)
                continue;
            find_peer(chip, port, &peer, &peer_port);
            assert_int_not_equal(peer, chip);
            up++;
        }
    assert_int_equal(up, 2 * links);
    stop();
}

static void links_lead_to_each_other(void **state) {
    (void)state;
    check_links("p300", 2, 2);
    check_links("quietbox", 4, 16);
    check_links("quietbox2", 4, 8);
    if (HAS_ROOM_FOR_32)
        check_links("galaxy", 32, 140);
}

/* As ttsim's library of four chips has them. */
static void a_quietbox_2_has_the_links_of_ttsim(void **state) {
    static const uint8_t link[8][4] = { { 0, 2, 3, 5 }, { 0, 4, 3, 4 }, { 0, 8, 1, 3 }, { 0, 9, 1, 2 },
                                        { 1, 4, 2, 4 }, { 1, 5, 2, 2 }, { 2, 8, 3, 3 }, { 2, 9, 3, 2 } };
    (void)state;
    start_with("quietbox2");
    for (unsigned i = 0; i < 8; i++) {
        unsigned peer, peer_port;
        find_peer(link[i][0], link[i][1], &peer, &peer_port);
        assert_int_equal(peer, link[i][2]);
        assert_int_equal(peer_port, link[i][3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(tag_of(home(i), 1), 0x440); /* P300 */
        assert_int_equal(tag_of(home(i), 2), 1 + i / 2);
        assert_int_equal(tag_of(home(i), 38), i % 2 ? 1 : 4); /* which PCIe tile is the endpoint */
        assert_int_equal(tag_of(home(i), 52), i % 2 == 0);    /* location on the board */
        assert_int_equal(tag_of(home(i), 62), 1 + i);
    }
    stop();
}

static void frames_cross_a_link(void **state) {
    (void)state;
    start_with("p300");
    send_number(home(0), 2, 1234);
    send_number(home(1), 8, 4321);
    assert_int_equal(received_number(home(1), 9), 0);
    abi.clock(10);
    assert_int_equal(received_number(home(1), 9), 1234);
    assert_int_equal(received_number(home(0), 3), 4321);
    assert_int_equal(received_number(home(0), 2), 0);
    stop();
}

/* Results do not depend on threads, nor on whether there are callbacks, which keep the chips on the caller's thread. */
static void threads_change_nothing(void **state) {
    uint32_t seen[3] = { 0 };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        setenv("BHEMU_THREADS", i ? "4" : "1", 1);
        setenv("BHEMU_SYSTEM", "quietbox", 1);
        abi = load();
        abi.callbacks(i == 2 ? dma_read : NULL, i == 2 ? dma_write : NULL);
        abi.init();
        for (unsigned chip = 0; chip < 4; chip++)
            for (unsigned x = 1; x < 8; x++)
                start_on(&abi, home(chip), x, 2 + chip);
        send_number(home(0), 4, 77);
        abi.clock(50);
        seen[i] = received_number(home(2), 4) + get(&abi, home(3), 7, 5, 0x100);
        stop();
    }
    unsetenv("BHEMU_THREADS");
    unsetenv("BHEMU_SYSTEM");
    assert_int_equal(seen[0], 77 + 0x55);
    assert_int_equal(seen[1], seen[0]);
    assert_int_equal(seen[2], seen[0]);
}

/* ---- Processes ------------------------------------------------------------------------------------------------ */

/* Every chip has something to do, so that host threads run chips. */
static void start_everywhere(void) {
    for (unsigned chip = 0; chip < 4; chip++)
        for (unsigned x = 1; x < 8; x++)
            start_on(&abi, home(chip), x, 2 + chip);
}

static void start_with_threads(void) {
    setenv("BHEMU_THREADS", "4", 1);
    setenv("BHEMU_SYSTEM", "quietbox", 1);
    abi = load();
    abi.callbacks(NULL, NULL);
    abi.init();
    unsetenv("BHEMU_THREADS");
    unsetenv("BHEMU_SYSTEM");
    start_everywhere();
    abi.clock(20);
}

/* The child of a fork goes on without the threads. */
static void a_fork_takes_all_chips_along(void **state) {
    int status;
    (void)state;
    start_with_threads();
    send_number(home(0), 4, 5);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        abi.clock(20);
        _Exit(received_number(home(2), 4) == 5 ? 42 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    abi.clock(20);
    assert_int_equal(received_number(home(2), 4), 5);
    stop();
}

/* Closing without exit ends threads and chips. */
static void closing_ends_everything(void **state) {
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        start_with_threads();
        close_abi(&abi);
    }
    start_with("p300");
    assert_int_equal(get(&abi, home(1), 1, 2, 0x100), 0);
    stop();
}

/* Two users of one library share the chips. */
static void users_share_the_chips(void **state) {
    (void)state;
    start_with("p300");
    abi.init();
    put(&abi, home(1), 3, 3, 0x40, 9);
    abi.exit();
    assert_int_equal(get(&abi, home(1), 3, 3, 0x40), 9);
    stop();
}

/* ---- Errors --------------------------------------------------------------------------------------------------- */

static void just_start(const struct ttsim *in) {
    (void)in;
}

static void check_error(const char *variable, void (*work)(const struct ttsim *), const char *category,
                        const char *detail) {
    char text[600], begin[80];
    if (in_child(work, 1, variable, text, sizeof text) != 1)
        fail_msg("no error with \"%s\", but: %s", detail, text);
    snprintf(begin, sizeof begin, "] ERROR: %s: ", category);
    if (!strstr(text, begin) || !strstr(text, detail))
        fail_msg("not \"%s\" with \"%s\": %s", begin, detail, text);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
}

/* A descriptor in a file, whose name is in `variable` as a value of BHEMU_SYSTEM. */
static void write_descriptor(const char *text, char *variable, size_t size) {
    char path[] = "/tmp/several.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    snprintf(variable, size, "BHEMU_SYSTEM=%s", path);
}

static void check_descriptor(const char *text, void (*work)(const struct ttsim *), const char *detail) {
    char variable[60];
    write_descriptor(text, variable, sizeof variable);
    check_error(variable, work, "BadEnvironment", detail);
    unlink(strchr(variable, '=') + 1);
}

static void wrong_systems_are_named(void **state) {
    (void)state;
    check_error("BHEMU_SYSTEM=p301", just_start, "BadEnvironment",
                "BHEMU_SYSTEM=p301: the name of no machine (p150, p300, quietbox, galaxy, quietbox2), and as a file: "
                "cannot read 'p301'");
    check_error("BHEMU_SYSTEM=/tmp", just_start, "BadEnvironment", "cannot read '/tmp': Is a directory");
    check_descriptor("chips: 33\n", just_start, ": 33 chips; at most 32 are possible");
    check_descriptor("chips: 2\nlinks:\n  - 0.4 2.4\n", just_start, ": line 3: a link leads to a chip that");
    check_descriptor("arch:\n  0: wormhole_b0\n", just_start, ": line 2: arch: only chips of the architecture");
    check_descriptor("", just_start, "the text is empty");
}

static void wrong_variables_are_named(void **state) {
    (void)state;
    setenv("BHEMU_SYSTEM", "p300", 1);
    check_error("BHEMU_BOARD=p100a", just_start, "BadEnvironment", "BHEMU_BOARD=p100a: the chips of BHEMU_SYSTEM");
    setenv("BHEMU_TIMING", "loose", 1);
    check_error("BHEMU_CHECK=1", just_start, "BadEnvironment", "BHEMU_CHECK=1: bh_check: hazards need cycle timing");
    unsetenv("BHEMU_TIMING");
    check_error("BHEMU_GDB=here", just_start, "BadEnvironment", "BHEMU_GDB=here: a port must be a number");
    unsetenv("BHEMU_SYSTEM");
}

static void read_between(const struct ttsim *in) {
    uint32_t word;
    in->read(home(2), &word, 4);
}

static void read_past_bar(const struct ttsim *in) {
    uint32_t word;
    in->read(home(1) + (512 << 20) - 2, &word, 4);
}

static void read_no_tile(const struct ttsim *in) {
    (void)get(in, home(1), 40, 40, 0);
}

static void read_a_tile(const struct ttsim *in) {
    uint32_t word;
    in->tile_read(1, 2, 0, &word, 4);
}

static void write_a_tile(const struct ttsim *in) {
    uint32_t word = 0;
    in->tile_write(1, 2, 0, &word, 4);
}

static void odd_offset(const struct ttsim *in) {
    (void)in->config_read(1 << 3, 2);
}

static void touch_host_memory(const struct ttsim *in) {
    put(in, home(1), 19, 24, 0x1000, 1);
}

static void wrong_accesses_name_the_chip(void **state) {
    static const char p300[] = "BHEMU_SYSTEM=p300";
    (void)state;
    check_error(p300, read_between, "UndefinedBehavior",
                "bus address 0x2100000000 (4 bytes) is in no BAR of the 2 devices");
    check_error(p300, read_past_bar, "UndefinedBehavior", "chip 1: ");
    check_error(p300, read_no_tile, "UndefinedBehavior", "chip 1: no such tile: ");
    check_error(p300, odd_offset, "UndefinedBehavior", "chip 1: ");
    check_error(p300, read_a_tile, "UndefinedBehavior", "libttsim_tile_rd_bytes: of the 2 chips, the call names none");
    check_error(p300, write_a_tile, "UndefinedBehavior", "libttsim_tile_wr_bytes: of the 2 chips, the call names none");
    check_error(p300, touch_host_memory, "UndefinedBehavior", "chip 1: ");
}

static void run_into_nothing(const struct ttsim *in) {
    in->clock(3);
    put(in, home(1), 2, 2, 0, 0xFFFFFFFF);
    put(in, home(1), 2, 2, 0xFFB121B0, 0x47000);
    in->clock(100);
    printf("alive");
}

static void faults_name_the_chip(void **state) {
    char text[500];
    (void)state;
    check_error("BHEMU_SYSTEM=quietbox2", run_into_nothing, "UndefinedBehavior", "chip 1: tile (2,2): ");
    setenv("BHEMU_SYSTEM", "quietbox2", 1);
    assert_int_equal(in_child(run_into_nothing, 2, "BHEMU_ON_FAULT=stop", text, sizeof text), 0);
    assert_non_null(strstr(text, "ERROR: UndefinedBehavior: chip 1: tile (2,2): "));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* once */
    unsetenv("BHEMU_SYSTEM");
}

/* BRISC of two chips waits for a mailbox that stays empty. */
static void wait_for_ever(const struct ttsim *in) {
    for (unsigned chip = 1; chip <= 3; chip += 2) {
        put(in, home(chip), 2, 2, 0, 0xFFEC1537); /* lui a0, 0xFFEC1 */
        put(in, home(chip), 2, 2, 4, 0x00052503); /* lw a0, 0(a0) */
        put(in, home(chip), 2, 2, 0xFFB121B0, 0x47000);
    }
    for (unsigned i = 0; i < 3; i++)
        in->clock(5000);
    printf("alive");
}

static void deadlocks_name_the_chip(void **state) {
    char text[2000];
    (void)state;
    assert_int_equal(in_child(wait_for_ever, 1, "BHEMU_SYSTEM=quietbox", text, sizeof text), 0);
    assert_string_equal(text, "alive");
    assert_int_equal(in_child(wait_for_ever, 2, "BHEMU_SYSTEM=quietbox", text, sizeof text), 0);
    for (unsigned chip = 1; chip <= 3; chip += 2) {
        char line[100];
        snprintf(line, sizeof line, "] WARNING: Deadlock: chip %u: nobody", chip);
        assert_non_null(strstr(text, line));
        assert_null(strstr(strstr(text, line) + 1, line)); /* once */
        snprintf(line, sizeof line, "\nchip %u: tile 2,2: brisc at pc 0x4, lw a0,0(a0): blocked: ", chip);
        assert_non_null(strstr(text, line));
    }
    assert_null(strstr(text, "chip 0"));
}

/* BRISC of the second chip ends the process with status 42. */
static void leave_by_ecall(const struct ttsim *in) {
    static const uint32_t program[] = { 0x02A00513, 0x05D00893, 0x00000073 }; /* a0 = 42, a7 = 93, ecall */
    for (unsigned i = 0; i < 3; i++)
        put(in, home(1), 1, 2, 4 * i, program[i]);
    put(in, home(1), 1, 2, 0xFFB121B0, 0x47000);
    in->clock(100);
}

static void programs_on_any_chip_may_call_the_host(void **state) {
    char text[200];
    (void)state;
    setenv("BHEMU_SYSTEM", "p300", 1);
    assert_int_equal(in_child(leave_by_ecall, 1, "TTSIM_SEMIHOSTING=1", text, sizeof text), 42);
    unsetenv("BHEMU_SYSTEM");
}

/* ---- Descriptors ----------------------------------------------------------------------------------- */

static void a_file_describes_chips(void **state) {
    char variable[60];
    (void)state;
    write_descriptor("chips: 3\nlinks:\n  - 0.4 2.5\n", variable, sizeof variable);
    start_with(strchr(variable, '=') + 1);
    send_number(home(2), 5, 99);
    abi.clock(10);
    assert_int_equal(received_number(home(0), 4), 99);
    assert_int_equal(abi.config_read(3 << 3, 0), UINT32_MAX);
    stop();
    unlink(strchr(variable, '=') + 1);
}

/* tt-metal's descriptor of two P150 with four cables. */
static void a_mesh_graph_describes_chips(void **state) {
    char variable[60];
    (void)state;
    write_descriptor("mesh_descriptors { name: \"M\" arch: BLACKHOLE device_topology { dims: [ 1, 2 ] } channels { "
                     "count: 4 } host_topology { dims: [ 1, 1 ] } }\n"
                     "top_level_instance { mesh { mesh_descriptor: \"M\" mesh_id: 0 } }\n",
                     variable, sizeof variable);
    start_with(strchr(variable, '=') + 1);
    for (unsigned port = 0; port < 4; port++)
        send_number(home(1), port, 10 + port);
    abi.clock(10);
    for (unsigned port = 0; port < 4; port++)
        assert_int_equal(received_number(home(0), port), 10 + port);
    assert_int_equal(abi.config_read(2 << 3, 0), UINT32_MAX);
    stop();
    unlink(strchr(variable, '=') + 1);
}

/* All that tt-umd reads of chips and links. */
struct view {
    uint32_t tag[4][5];
    struct identity own[4][PORTS], far[4][PORTS];
    uint32_t state[4][PORTS];
};

static void look(const char *system, struct view *view) {
    static const uint8_t tags[5] = { 1, 2, 35, 38, 52 };
    memset(view, 0, sizeof *view);
    start_with(system);
    for (unsigned chip = 0; chip < 4 && abi.config_read(chip << 3, 0) != UINT32_MAX; chip++) {
        for (unsigned i = 0; i < 5; i++)
            view->tag[chip][i] = tag_of(home(chip), tags[i]);
        for (unsigned port = 0; port < PORTS; port++) {
            view->own[chip][port] = identity_at(chip, port, 0x7CFC0);
            view->far[chip][port] = identity_at(chip, port, 0x7CFE0);
            view->state[chip][port] = port_state(home(chip), port);
        }
    }
    stop();
}

static const char *folder; /* of the descriptors beside the library */

/* A descriptor beside the library describes the machine that it was made of. */
static void descriptors_describe_the_machines(void **state) {
    static const char *const machine[] = { "p150", "p300", "quietbox", "quietbox2" };
    (void)state;
    if (!folder)
        skip();
    for (unsigned i = 0; i < 4; i++) {
        struct view named, described;
        char path[4096];
        snprintf(path, sizeof path, "%s/cluster_%s.yaml", folder, machine[i]);
        look(machine[i], &named);
        look(path, &described);
        assert_memory_equal(&named, &described, sizeof named);
    }
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chips_are_devices_of_the_bus),
        cmocka_unit_test(each_chip_has_its_memory),
        cmocka_unit_test(bars_can_be_moved),
        cmocka_unit_test(host_memory_is_reached_through_the_iatu_of_the_chip),
        cmocka_unit_test(time_is_common),
        cmocka_unit_test(a_read_settles_its_chip),
        cmocka_unit_test(links_lead_to_each_other),
        cmocka_unit_test(a_quietbox_2_has_the_links_of_ttsim),
        cmocka_unit_test(frames_cross_a_link),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(a_fork_takes_all_chips_along),
        cmocka_unit_test(closing_ends_everything),
        cmocka_unit_test(users_share_the_chips),
        cmocka_unit_test(wrong_systems_are_named),
        cmocka_unit_test(wrong_variables_are_named),
        cmocka_unit_test(wrong_accesses_name_the_chip),
        cmocka_unit_test(faults_name_the_chip),
        cmocka_unit_test(deadlocks_name_the_chip),
        cmocka_unit_test(programs_on_any_chip_may_call_the_host),
        cmocka_unit_test(a_file_describes_chips),
        cmocka_unit_test(a_mesh_graph_describes_chips),
        cmocka_unit_test(descriptors_describe_the_machines),
    };
    if (count < 2) {
        fprintf(stderr, "usage: several LIBRARY [FOLDER [PATTERN]]\n");
        return 2;
    }
    library = arguments[1];
    folder = count > 2 ? arguments[2] : NULL;
    if (count > 3)
        cmocka_set_test_filter(arguments[3]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
