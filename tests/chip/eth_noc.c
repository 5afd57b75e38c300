/* Ethernet tiles and the ARC tile on the NoCs: what cores of the former send and receive, and what a Tensix core reads
 * of the latter. */
#include "chip/chip.h"
#include "support/chip.h"
#include "support/noc_script.h"

enum { LIST = 0x10000, CODE = 0x1000, FROM = 0x20000, INTO = 0x30000, DONE = 0x100, COUNT = 0x200, BYTES = 1024 };

static const struct bh_xy TENSIX = { 1, 2 }, OTHER = { 2, 2 }, ETH = { 20, 25 }, ETH_2 = { 31, 25 }, ARC = { 8, 0 };
static const uint32_t IN_ORDER = SCRIPT_STATIC_VC | 1 << 13;

/* ---- The stage ---------------------------------------------------------------------------------------------- */

static int make(void **state) {
    *state = make_chip(1);
    return 0;
}

static void fill(bh_chip *chip, struct bh_xy tile, uint32_t address, uint32_t first) {
    for (uint32_t i = 0; i < BYTES / 4; i++)
        put_word(chip, tile, address + 4 * i, first + i);
}

static void assert_filled(bh_chip *chip, struct bh_xy tile, uint32_t address, uint32_t first) {
    for (uint32_t i = 0; i < BYTES / 4; i++)
        assert_int_equal(read_word(chip, tile, address + 4 * i), first + i);
}

/* Lets a core do what a script says, and then set DONE + 4 * core. */
static void start(bh_chip *chip, struct bh_xy tile, enum bh_core core, struct script *script) {
    uint32_t program[SCRIPT_PROGRAM], list = LIST + (uint32_t)core * 0x2000;
    script_put(script, SCRIPT_STORE, DONE + 4 * (uint32_t)core, 1);
    script_put(script, SCRIPT_STOP, 0, 0);
    assert_true(script->count * 4 <= 0x2000);
    script_program(program, list);
    assert_int_equal(bh_write(chip, tile, list, script->word, script->count * 4), BH_OK);
    start_at(chip, tile, core, CODE + (uint32_t)core * 0x400, program, sizeof program);
    script_free(script);
}

static bool is_done(bh_chip *chip, struct bh_xy tile, enum bh_core core) {
    return read_word(chip, tile, DONE + 4 * (uint32_t)core) == 1;
}

/* ---- Requests ------------------------------------------------------------------------------------------------ */

static uint32_t xy(struct bh_xy at) {
    return script_xy(at.x, at.y);
}

static struct script_request write_to(struct bh_xy from, uint32_t source, struct bh_xy to, uint32_t address,
                                      uint32_t length) {
    return (struct script_request){ .targ_lo = source,
                                    .targ_hi = xy(from),
                                    .ret_lo = address,
                                    .ret_hi = xy(to),
                                    .ctrl = SCRIPT_WRITE | SCRIPT_MARKED | IN_ORDER,
                                    .len = length };
}

static struct script_request read_from(struct bh_xy from, uint32_t address, struct bh_xy to, uint32_t into,
                                       uint32_t length) {
    return (struct script_request){ .targ_lo = address,
                                    .targ_hi = xy(from),
                                    .ret_lo = into,
                                    .ret_hi = xy(to),
                                    .ctrl = SCRIPT_READ | IN_ORDER,
                                    .len = length };
}

static struct script_request increment(struct bh_xy from, struct bh_xy to, uint32_t address, uint32_t result) {
    return (struct script_request){ .targ_lo = address,
                                    .targ_hi = xy(to),
                                    .ret_lo = result,
                                    .ret_hi = xy(from),
                                    .ctrl = SCRIPT_ATOMIC | SCRIPT_MARKED | IN_ORDER,
                                    .len = 0x1000 | 31 << 2 | (address / 4 & 3),
                                    .data = 1 };
}

/* Each core has a command buffer and an id of its own, and waits for what carries its id. */
static void request(struct script *script, enum bh_core core, unsigned noc, struct script_request r) {
    r.tag = (uint32_t)core << 10;
    script_request(script, noc, core == BH_BRISC ? 0 : 1, &r);
}

static void wait_for_answers(struct script *script, enum bh_core core, unsigned noc) {
    script_put(script, SCRIPT_WAIT, script_counter(noc, NIU_OUTSTANDING + (unsigned)core), 0);
}

/* ---- Ethernet sends ------------------------------------------------------------------------------------------- */

static void e0_writes_over_both_nocs(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    fill(chip, ETH, FROM, 0x1000);
    fill(chip, ETH, FROM + BYTES, 0x2000);
    for (uint32_t noc = 0; noc < 2; noc++)
        request(&script, BH_ERISC0, noc, write_to(ETH, FROM + noc * BYTES, TENSIX, INTO + noc * BYTES, BYTES));
    for (unsigned noc = 0; noc < 2; noc++)
        wait_for_answers(&script, BH_ERISC0, noc);
    start(chip, ETH, BH_ERISC0, &script);
    run_until_idle(chip);
    assert_true(is_done(chip, ETH, BH_ERISC0));
    assert_filled(chip, TENSIX, INTO, 0x1000);
    assert_filled(chip, TENSIX, INTO + BYTES, 0x2000);
    for (unsigned noc = 0; noc < 2; noc++) {
        assert_int_equal(read_word(chip, TENSIX, script_counter(noc, NIU_SLV_WR_ACK_SENT)), 1);
        assert_int_equal(read_word(chip, ETH, script_counter(noc, NIU_WR_ACK_RECEIVED)), 1);
    }
}

/* Both cores of one tile and one of another, with DRAM, each other's L1 and Tensix tiles. */
static void both_cores_read_and_write(void **state) {
    bh_chip *chip = *state;
    const struct bh_xy dram = { 17, 12 };
    struct script first = { 0 }, second = { 0 }, third = { 0 };
    fill(chip, OTHER, FROM, 0x3000);
    fill(chip, dram, 0x40, 0x4000);
    fill(chip, ETH_2, FROM, 0x5000);
    request(&first, BH_ERISC0, 0, read_from(OTHER, FROM, ETH, INTO, BYTES));
    request(&first, BH_ERISC0, 1, read_from(dram, 0x40, ETH, INTO + 0x1040, BYTES));
    request(&second, BH_ERISC1, 1, read_from(ETH_2, FROM, ETH, INTO + 0x2000, BYTES));
    request(&third, BH_ERISC1, 0, write_to(ETH_2, FROM, ETH, INTO + 0x3000, BYTES));
    wait_for_answers(&first, BH_ERISC0, 0);
    wait_for_answers(&first, BH_ERISC0, 1);
    wait_for_answers(&second, BH_ERISC1, 1);
    wait_for_answers(&third, BH_ERISC1, 0);
    start(chip, ETH, BH_ERISC0, &first);
    start(chip, ETH, BH_ERISC1, &second);
    start(chip, ETH_2, BH_ERISC1, &third);
    run_until_idle(chip);
    assert_true(is_done(chip, ETH, BH_ERISC0) && is_done(chip, ETH, BH_ERISC1) && is_done(chip, ETH_2, BH_ERISC1));
    assert_filled(chip, ETH, INTO, 0x3000);
    assert_filled(chip, ETH, INTO + 0x1040, 0x4000);
    assert_filled(chip, ETH, INTO + 0x2000, 0x5000);
    assert_filled(chip, ETH, INTO + 0x3000, 0x5000);
}

/* ---- Ethernet receives ---------------------------------------------------------------------------------------- */

/* A Tensix core reads, then counts up the word that E0 sleeps on. */
static void a_tensix_tile_reads_and_increments_ethernet_l1(void **state) {
    bh_chip *chip = *state;
    struct script tensix = { 0 }, eth = { 0 };
    struct bh_core_info info;
    fill(chip, ETH, FROM, 0x6000);
    put_word(chip, ETH, COUNT + 8, 41);
    script_put(&eth, SCRIPT_WAIT, COUNT + 8, 43);
    start(chip, ETH, BH_ERISC0, &eth);
    bh_run(chip, 20000, 0, NULL);
    assert_int_equal(bh_core_query(chip, ETH, BH_ERISC0, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_POLLING);
    request(&tensix, BH_BRISC, 0, read_from(ETH, FROM, TENSIX, INTO, BYTES));
    request(&tensix, BH_BRISC, 0, increment(TENSIX, ETH, COUNT + 8, COUNT));
    wait_for_answers(&tensix, BH_BRISC, 0);
    request(&tensix, BH_BRISC, 1, increment(TENSIX, ETH, COUNT + 8, COUNT + 4));
    wait_for_answers(&tensix, BH_BRISC, 1);
    start(chip, TENSIX, BH_BRISC, &tensix);
    run_until_idle(chip);
    assert_filled(chip, TENSIX, INTO, 0x6000);
    assert_int_equal(read_word(chip, TENSIX, COUNT), 41);
    assert_int_equal(read_word(chip, TENSIX, COUNT + 4), 42);
    assert_int_equal(read_word(chip, ETH, COUNT + 8), 43);
    assert_true(is_done(chip, ETH, BH_ERISC0));
}

/* As the firmware of a Tensix tile that starts an Ethernet core: its first pc, its reset, and a stream's register. */
static void a_tensix_core_starts_an_ethernet_core(void **state) {
    bh_chip *chip = *state;
    const struct {
        uint32_t address, value;
    } words[] = { { 0xFFB14000, CODE }, { 0xFFB40000 + 4 * 270, 3 << 6 }, { 0xFFB121B0, 0x1000 } };
    const uint32_t code[] = { rv_addi(10, 0, 77), rv_sw(10, COUNT, 0), rv_jal(0, 0) };
    struct script script = { 0 };
    assert_int_equal(bh_write(chip, ETH, CODE, code, sizeof code), BH_OK);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        request(&script, BH_BRISC, 0,
                (struct script_request){ .targ_lo = words[i].address,
                                         .targ_hi = xy(ETH),
                                         .ctrl = SCRIPT_WRITE | SCRIPT_INLINE | SCRIPT_MARKED | IN_ORDER,
                                         .data = words[i].value });
    }
    wait_for_answers(&script, BH_BRISC, 0);
    start(chip, TENSIX, BH_BRISC, &script);
    run_until_idle(chip);
    assert_int_equal(read_word(chip, ETH, COUNT), 77);
    assert_int_equal(read_word(chip, ETH, 0xFFB40000 + 4 * 297), 3);
}

static uint32_t after_multicast(bh_chip *chip) {
    struct script script = { 0 };
    put_word(chip, OTHER, FROM, 0x55);
    struct script_request r = write_to(OTHER, FROM, TENSIX, INTO, 16);
    r.ret_hi = script_area(ETH.x, ETH.y, 1, 3); /* on NoC 0 from (1,1) to (1,3) */
    r.ctrl = SCRIPT_WRITE | SCRIPT_MULTICAST | SCRIPT_RESERVE;
    request(&script, BH_BRISC, 0, r);
    start(chip, OTHER, BH_BRISC, &script);
    run_until_idle(chip);
    assert_int_equal(read_word(chip, TENSIX, INTO), 0x55);
    return read_word(chip, ETH, INTO);
}

static void ethernet_opts_in_to_multicasts(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(after_multicast(chip), 0);
    bh_reset(chip);
    put_word(chip, ETH, 0xFFB20108, 0);
    put_word(chip, ETH, 0xFFB20110, 0);
    assert_int_equal(after_multicast(chip), 0x55);
}

static void firmware_beats_for_the_noc_too(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    bh_run(chip, 256 * 1000, 0, NULL);
    request(&script, BH_BRISC, 0, read_from(ETH, 0x7CC70, TENSIX, INTO, 4));
    wait_for_answers(&script, BH_BRISC, 0);
    start(chip, TENSIX, BH_BRISC, &script);
    run_until_idle(chip);
    assert_in_range(read_word(chip, TENSIX, INTO), 0xABCD0000 + 1000, 0xABCD0000 + 1100);
}

/* ---- Faults ----------------------------------------------------------------------------------------------------- */

static void assert_fault(bh_chip *chip, struct bh_xy sender, enum bh_core core, enum bh_fault_kind kind,
                         const char *texts[2]) {
    struct bh_fault first = run_into_fault(chip), fault;
    assert_int_equal(first.kind, kind);
    assert_int_equal(first.core, core);
    assert_int_equal(first.tile.x, sender.x);
    assert_int_equal(first.tile.y, sender.y);
    for (unsigned i = 0; i < 2; i++)
        assert_says(first.text, texts[i]);
    assert_int_equal(bh_core_fault(chip, sender, core, &fault), BH_OK);
    assert_string_equal(fault.text, first.text);
}

static void e1_is_told_what_arc_has_not(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    request(&script, BH_ERISC1, 1, read_from(ARC, 0x80030000, ETH, INTO, 4));
    wait_for_answers(&script, BH_ERISC1, 1);
    start(chip, ETH, BH_ERISC1, &script);
    assert_fault(chip, ETH, BH_ERISC1, BH_FAULT_UNMODELLED,
                 (const char *[]){ "erisc1 at pc 0x", "read of 0x80030000 of tile (8,0)" });
}

static void a_tensix_core_is_told_what_ethernet_cannot(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    put_word(chip, TENSIX, FROM + 4, 1);
    request(&script, BH_BRISC, 0, write_to(TENSIX, FROM + 4, ETH, 0xFFB90004, 4));
    wait_for_answers(&script, BH_BRISC, 0);
    start(chip, TENSIX, BH_BRISC, &script);
    assert_fault(chip, TENSIX, BH_BRISC, BH_FAULT_UNMODELLED, (const char *[]){ "brisc at pc 0x", "no cable" });
}

static void l1_ends_at_512_kib(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    request(&script, BH_BRISC, 0, read_from(ETH, 0x7FFF0, TENSIX, INTO, 16));
    request(&script, BH_BRISC, 0, read_from(ETH, 0x7FFF0, TENSIX, INTO, 32));
    start(chip, TENSIX, BH_BRISC, &script);
    assert_fault(chip, TENSIX, BH_BRISC, BH_FAULT_UNMAPPED,
                 (const char *[]){ "TARG_ADDR_LO: 0x7fff0 + 32 bytes", "Ethernet tile" });
}

/* ---- ARC -------------------------------------------------------------------------------------------------------- */

enum { TELEMETRY = 64 };
#define REFCLK_LOW UINT32_C(0x800300E0)

static uint32_t telemetry(bh_chip *chip, unsigned tag) {
    uint32_t count = read_word(chip, TENSIX, INTO + 0x104);
    assert_in_range(count, 1, TELEMETRY);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = read_word(chip, TENSIX, INTO + 0x108 + 4 * i);
        if ((entry & 0xFFFF) == tag)
            return read_word(chip, TENSIX, INTO + 0x400 + 4 * (entry >> 16));
    }
    fail_msg("no tag %u", tag);
    return 0;
}

/* Where the low bits of an address in L1 are those of an address of ARC. */
static uint32_t like(uint32_t into, uint32_t address) {
    return into + address % 16;
}

static void a_tensix_core_reads_telemetry(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    uint32_t values = read_word(chip, ARC, 0x80030430), table = read_word(chip, ARC, 0x80030434);
    assert_int_equal((values | table) % 16 % 4, 0);
    request(&script, BH_BRISC, 0, read_from(ARC, 0x80030430, TENSIX, INTO, 4));
    request(&script, BH_BRISC, 1, read_from(ARC, 0x80030434, TENSIX, INTO + 0x14, 4));
    request(&script, BH_BRISC, 0, read_from(ARC, table, TENSIX, like(INTO + 0x1000, table), 8 + 4 * TELEMETRY));
    request(&script, BH_BRISC, 1, read_from(ARC, values, TENSIX, like(INTO + 0x2000, values), 4 * TELEMETRY));
    wait_for_answers(&script, BH_BRISC, 0);
    wait_for_answers(&script, BH_BRISC, 1);
    start(chip, TENSIX, BH_BRISC, &script);
    run_until_idle(chip);
    assert_int_equal(read_word(chip, TENSIX, INTO), values);
    assert_int_equal(read_word(chip, TENSIX, INTO + 0x14), table);
    for (uint32_t i = 0; i < TELEMETRY + 2; i++) /* to where telemetry() looks */
        put_word(chip, TENSIX, INTO + 0x100 + 4 * i, read_word(chip, TENSIX, like(INTO + 0x1000, table) + 4 * i));
    for (uint32_t i = 0; i < TELEMETRY; i++)
        put_word(chip, TENSIX, INTO + 0x400 + 4 * i, read_word(chip, TENSIX, like(INTO + 0x2000, values) + 4 * i));
    assert_int_equal(telemetry(chip, 14), 800);
    assert_int_equal(telemetry(chip, 34), 0x3FFF);
    assert_int_equal(telemetry(chip, 35), 0xFFF);
}

/* The request, the pointer behind it and the doorbell behind that arrive in order; so does the read of the answer. */
static void a_tensix_core_sends_a_message(void **state) {
    bh_chip *chip = *state;
    struct script script = { 0 };
    uint32_t block = read_word(chip, ARC, 0x8003042C), base = read_word(chip, ARC, block);
    uint32_t entries = read_word(chip, ARC, block + 4) & 0xFF;
    const uint32_t message[8] = { 0x90, 1233 };
    assert_int_equal(base % 16, 0);
    assert_int_equal(bh_write(chip, TENSIX, FROM, message, sizeof message), BH_OK);
    put_word(chip, TENSIX, FROM + 0x100, 1);
    put_word(chip, TENSIX, FROM + 0x200, 1 << 16);
    request(&script, BH_BRISC, 0, write_to(TENSIX, FROM, ARC, base + 32, 32));
    request(&script, BH_BRISC, 0, write_to(TENSIX, FROM + 0x100, ARC, base, 4));
    request(&script, BH_BRISC, 0, write_to(TENSIX, FROM + 0x200, ARC, 0x80030100, 4));
    request(&script, BH_BRISC, 0, read_from(ARC, base + 32 + entries * 32, TENSIX, INTO, 32));
    wait_for_answers(&script, BH_BRISC, 0);
    start(chip, TENSIX, BH_BRISC, &script);
    run_until_idle(chip);
    assert_int_equal(read_word(chip, TENSIX, INTO), 0);
    assert_int_equal(read_word(chip, TENSIX, INTO + 4), 1234);
    assert_int_equal(read_word(chip, ARC, base + 0x14), 1); /* one response */
}

/* The clock is read when the packet arrives, wherever runs and epochs end. */
static uint64_t clock_reader(uint64_t piece) {
    bh_chip *chip = make_with(1, 1, 16);
    struct script script = { 0 };
    for (uint32_t i = 0; i < 24; i++) {
        request(&script, BH_BRISC, 0, read_from(ARC, REFCLK_LOW, TENSIX, INTO + 16 * i, 4));
        wait_for_answers(&script, BH_BRISC, 0);
    }
    start(chip, TENSIX, BH_BRISC, &script);
    for (uint64_t left = 20000; left; left -= left < piece ? left : piece)
        assert_int_equal(bh_run(chip, left < piece ? left : piece, 0, NULL), BH_OK);
    assert_true(is_done(chip, TENSIX, BH_BRISC));
    assert_true(read_word(chip, TENSIX, INTO + 16 * 23) > read_word(chip, TENSIX, INTO));
    uint64_t hash = bh_state_hash(chip);
    bh_destroy(chip);
    return hash;
}

static void the_clock_is_that_of_the_arrival(void **state) {
    (void)state;
    uint64_t whole = clock_reader(20000);
    assert_true(clock_reader(1) == whole);
    assert_true(clock_reader(7) == whole);
    assert_true(clock_reader(100) == whole);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* Tile number i of those with cores; false if it is harvested. */
static bool find_tile(const bh_chip *chip, unsigned i, struct bh_xy *at) {
    const struct bh_tile_info *info = &chip->topology.site[topology_tile_site(&chip->topology, i)];
    *at = info->translated;
    return !info->harvested;
}

/* A core sends to the tile `step` further on, counts there, and reads from there what others have written. */
static void start_one(bh_chip *chip, unsigned i, enum bh_core core, unsigned step) {
    struct script script = { 0 };
    struct bh_xy from, to;
    unsigned noc = core == BH_NCRISC, j = (i + step) % TOPOLOGY_TILES;
    if (!find_tile(chip, i, &from))
        return;
    while (!find_tile(chip, j, &to))
        j = (j + 1) % TOPOLOGY_TILES;
    fill(chip, from, FROM + noc * BYTES, i << 16 | noc << 12);
    for (uint32_t round = 0; round < 4; round++) {
        request(&script, core, noc, write_to(from, FROM + noc * BYTES, to, INTO + noc * BYTES, BYTES - 64 * round));
        request(&script, core, noc, increment(from, to, COUNT + 4 * noc, COUNT + 16));
        request(&script, core, noc, read_from(to, INTO, from, INTO + 0x1000 + noc * BYTES, BYTES));
        wait_for_answers(&script, core, noc);
    }
    start(chip, from, core, &script);
}

struct outcome {
    uint64_t hash, cycle;
    uint32_t counted[2], eth_counted;
};

static struct outcome crowd(unsigned threads) {
    bh_chip *chip = make_chip(threads);
    struct bh_stop stop;
    struct outcome outcome = { 0 };
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        start_one(chip, i, BH_BRISC, 14);
        start_one(chip, i, BH_NCRISC, 77);
    }
    assert_int_equal(bh_run(chip, 1000000, BH_RUN_STOP_ON_IDLE | BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("%s", stop.fault.text);
    for (unsigned i = 0; i < TOPOLOGY_TILES; i++) {
        struct bh_xy at;
        if (!find_tile(chip, i, &at))
            continue;
        assert_true(is_done(chip, at, BH_BRISC) && is_done(chip, at, BH_NCRISC));
        for (unsigned noc = 0; noc < 2; noc++) {
            outcome.counted[noc] += read_word(chip, at, COUNT + 4 * noc);
            outcome.eth_counted += i >= TOPOLOGY_TENSIX ? read_word(chip, at, COUNT + 4 * noc) : 0;
        }
    }
    outcome.hash = bh_state_hash(chip);
    outcome.cycle = stop.cycle;
    assert_int_equal(chip->pool != NULL, threads > 1);
    bh_destroy(chip);
    return outcome;
}

static void threads_do_not_matter(void **state) {
    (void)state;
    enum { LIVE = 140 + 12, ROUNDS = 4 };
    struct outcome one = crowd(1);
    assert_int_equal(one.counted[0], LIVE * ROUNDS);
    assert_int_equal(one.counted[1], LIVE * ROUNDS);
    assert_in_range(one.eth_counted, 2 * 12 * ROUNDS, 2 * 14 * ROUNDS); /* two harvested ones' as well */
    for (unsigned threads = 2; threads <= 3; threads++) {
        struct outcome other = crowd(threads);
        assert_true(other.hash == one.hash);
        assert_true(other.cycle == one.cycle);
    }
}

int main(void) {
#define EACH(name) cmocka_unit_test_setup_teardown(name, make, teardown_chip)
    const struct CMUnitTest tests[] = {
        EACH(e0_writes_over_both_nocs),
        EACH(both_cores_read_and_write),
        EACH(a_tensix_tile_reads_and_increments_ethernet_l1),
        EACH(a_tensix_core_starts_an_ethernet_core),
        EACH(ethernet_opts_in_to_multicasts),
        EACH(firmware_beats_for_the_noc_too),
        EACH(e1_is_told_what_arc_has_not),
        EACH(a_tensix_core_is_told_what_ethernet_cannot),
        EACH(l1_ends_at_512_kib),
        EACH(a_tensix_core_reads_telemetry),
        EACH(a_tensix_core_sends_a_message),
        cmocka_unit_test(the_clock_is_that_of_the_arrival),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
