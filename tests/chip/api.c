/* Tests of the public functions about tiles, memories and cores (src/chip/api.c, src/chip/access.c). */
#include <string.h>

#include "dram/dram.h"
#include "support/chip.h"
#include "support/rv.h"

static const struct bh_xy TENSIX = { 1, 2 }, DRAM = { 17, 12 }, ETH = { 20, 25 }, PCIE = { 19, 24 }, ARC = { 8, 0 };

static uint8_t host_memory[4096];

static void host_read(void *user, uint64_t address, void *data, size_t size) {
    assert_ptr_equal(user, host_memory);
    assert_true(address + size <= sizeof host_memory);
    memcpy(data, host_memory + address, size);
}

static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    assert_ptr_equal(user, host_memory);
    assert_true(address + size <= sizeof host_memory);
    memcpy(host_memory + address, data, size);
}

static int make(void **state) {
    struct bh_config config;
    bh_config_init(&config);
    config.host_read = host_read;
    config.host_write = host_write;
    config.user = host_memory;
    memset(host_memory, 0, sizeof host_memory);
    *state = make_configured(&config);
    return 0;
}

static void assert_refused(bh_chip *chip, struct bh_xy tile, uint64_t address, size_t size, bh_status expected,
                           const char *text) {
    uint8_t data[64] = { 0 };
    assert_refusal(chip, bh_read(chip, tile, address, data, size), expected, text);
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

static void any_size_and_alignment(void **state) {
    static const struct {
        struct bh_xy tile;
        uint64_t end;
    } memories[] = { { { 1, 2 }, 0x180000 }, { { 17, 12 }, DRAM_BANK_SIZE }, { { 20, 25 }, 0x80000 } };
    bh_chip *chip = *state;
    uint8_t out[5000], in[5000];
    for (unsigned i = 0; i < sizeof out; i++)
        out[i] = (uint8_t)(i * 7 + 1);
    for (unsigned i = 0; i < 3; i++) {
        struct bh_xy tile = memories[i].tile;
        for (size_t size = 1; size <= sizeof out; size += 833) {
            uint64_t last = memories[i].end - size;
            memset(in, 0, sizeof in);
            assert_int_equal(bh_write(chip, tile, 0x33, out, size), BH_OK);
            assert_int_equal(bh_read(chip, tile, 0x33, in, size), BH_OK);
            assert_memory_equal(in, out, size);
            assert_int_equal(bh_poke(chip, tile, last, out, size), BH_OK);
            assert_int_equal(bh_peek(chip, tile, last, in, size), BH_OK);
            assert_memory_equal(in, out, size);
        }
    }
    assert_int_equal(bh_read(chip, TENSIX, 0, in, 0), BH_OK);
}

static void ports_of_a_bank_are_one_memory(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 0x600DF00D;
    assert_int_equal(bh_write(chip, DRAM, 0x1000, &value, 4), BH_OK);
    assert_int_equal(read_word(chip, (struct bh_xy){ 17, 13 }, 0x1000), value);
    assert_int_equal(read_word(chip, (struct bh_xy){ 17, 14 }, 0x1000), value);
    assert_int_equal(read_word(chip, (struct bh_xy){ 0, 11 }, 0x1000), value); /* raw */
    assert_int_equal(read_word(chip, (struct bh_xy){ 17, 15 }, 0x1000), 0);
}

static void refusals_name_tile_address_and_reason(void **state) {
    bh_chip *chip = *state;
    assert_refused(chip, (struct bh_xy){ 40, 40 }, 0, 4, BH_ERR_COORDINATE, "(40,40)");
    assert_refused(chip, TENSIX, 0xFF000000, 4, BH_ERR_ADDRESS, "0xff000000");
    assert_refused(chip, TENSIX, 0x17FFFE, 4, BH_ERR_ADDRESS, "Tensix tile (1,2)");
    assert_refused(chip, TENSIX, 0xFFB121B2, 4, BH_ERR_ALIGNMENT, "aligned");
    assert_refused(chip, DRAM, UINT64_C(1) << 32, 4, BH_ERR_ADDRESS, "4 GiB");
    assert_refused(chip, DRAM, 0xFFFFFFFE, 4, BH_ERR_ADDRESS, "DRAM tile (17,12)");
    assert_refused(chip, ETH, 0x80000, 4, BH_ERR_ADDRESS, "Ethernet tile (20,25)");
    assert_refused(chip, ETH, 0xFFB9C008, 4, BH_ERR_UNMODELLED, "0xffb9c008");
    assert_refused(chip, ETH, 0xFFB121B2, 4, BH_ERR_ALIGNMENT, "32-bit");
    assert_refused(chip, ARC, 0x20000000, 4, BH_ERR_UNMODELLED, "ARC tile (8,0)");
    assert_refused(chip, (struct bh_xy){ 8, 26 }, 0x2010000, 4, BH_ERR_UNMODELLED,
                   "0x2010000 (4 bytes) in L2CPU tile (8,26)");
    assert_refused(chip, (struct bh_xy){ 8, 30 }, 0x40, 4, BH_ERR_UNMODELLED, "fuses");
    assert_refused(chip, (struct bh_xy){ 8, 4 }, 0, 4, BH_ERR_ADDRESS, "router");
    assert_refused(chip, (struct bh_xy){ 11, 0 }, 0, 4, BH_ERR_ADDRESS, "no host");
    assert_refused(chip, PCIE, UINT64_C(9) << 58, 4, BH_ERR_UNMODELLED, "windows 0..7");
    assert_refused(chip, TENSIX, UINT64_MAX - 1, 4, BH_ERR_ADDRESS, "wraps");
}

static void host_memory_behind_pcie(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 0xABCD0123;
    assert_int_equal(bh_write(chip, PCIE, UINT64_C(0x1000000000000000) + 0x40, &value, 4), BH_OK);
    assert_memory_equal(host_memory + 0x40, &value, 4);
    assert_int_equal(read_word(chip, PCIE, 0x40), value);
    assert_int_equal(read_word(chip, (struct bh_xy){ 2, 0 }, UINT64_C(0x1000000000000040)), value);
}

/* Accesses that reach beyond L1, or beyond a register, change nothing. */
static void a_refused_access_has_no_part(void **state) {
    bh_chip *chip = *state;
    const uint8_t out[16] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    uint8_t in[16] = { 0 };
    uint64_t before = bh_state_hash(chip);
    assert_int_equal(bh_write(chip, TENSIX, 0x17FFFC, out, 8), BH_ERR_ADDRESS);
    assert_int_equal(bh_poke(chip, TENSIX, 0x17FFFC, out, 8), BH_ERR_ADDRESS);
    assert_int_equal(bh_write(chip, ETH, 0x7FFFE, out, 4), BH_ERR_ADDRESS);
    assert_int_equal(bh_core_poke(chip, TENSIX, BH_NCRISC, 0x17FFFF, out, 2), BH_ERR_ADDRESS);
    assert_int_equal(bh_write(chip, TENSIX, 0xFFB12230, out, 6), BH_ERR_ALIGNMENT);
    assert_true(bh_state_hash(chip) == before);
    assert_int_equal(bh_read(chip, TENSIX, 0x17FFFC, in, 8), BH_ERR_ADDRESS);
    assert_int_equal(in[0], 0);
    assert_int_equal(bh_write(chip, TENSIX, 0xFFB12228, out, 8), BH_OK); /* two registers */
    assert_int_equal(read_word(chip, TENSIX, 0xFFB1222C), 0x08070605);
}

static void peeks_of_cores_say_why_not(void **state) {
    bh_chip *chip = *state;
    uint32_t value;
    assert_refusal(chip, bh_core_peek(chip, TENSIX, BH_TRISC1, 0x10000000, &value, 4), BH_ERR_ADDRESS,
                   "peek at 0x10000000 (4 bytes) of trisc1 of tile (1,2): the core sees nothing at this address");
    assert_refusal(chip, bh_core_poke(chip, ETH, BH_ERISC1, 0xFFB12002, &value, 4), BH_ERR_ALIGNMENT,
                   "of erisc1 of tile (20,25): registers take aligned 32-bit words");
}

static void unknown_flags_are_refused(void **state) {
    bh_chip *chip = *state;
    struct bh_stop stop;
    for (unsigned bit = 2; bit < 32; bit++)
        assert_refusal(chip, bh_run(chip, 10, 1u << bit, &stop), BH_ERR_ARGUMENT, "bh_run: there is no such flag in");
    assert_int_equal(bh_cycle(chip), 0);
    assert_int_equal(bh_run(chip, 10, BH_RUN_STOP_ON_FAULT | BH_RUN_STOP_ON_IDLE, &stop), BH_OK);
}

/* bh_reset from a callback of bh_run would take away what the run works on. */
static void reset_in_run(void *user, bh_chip *chip, const struct bh_fault *fault) {
    (void)fault;
    bh_reset(chip);
    *(bool *)user = strstr(bh_message(chip), "bh_reset: a run is under way") != NULL;
}

static void no_reset_inside_a_run(void **state) {
    static const uint32_t zero = 0;
    struct bh_config config;
    bool refused = false;
    (void)state;
    bh_config_init(&config);
    config.on_fault = reset_in_run;
    config.user = &refused;
    bh_chip *chip = make_configured(&config);
    start_at(chip, TENSIX, BH_BRISC, 0, &zero, sizeof zero);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_true(refused);
    assert_int_equal(bh_cycle(chip), 1000);
    bh_reset(chip);
    assert_int_equal(bh_cycle(chip), 0);
    assert_string_equal(bh_message(chip), "");
    bh_destroy(chip);
}

static void without_host_memory(void **state) {
    (void)state;
    bh_chip *chip = make_board(BH_BOARD_P150);
    assert_refused(chip, PCIE, 0x40, 4, BH_ERR_STATE, "no host memory");
    bh_destroy(chip);
}

/* ---- Identity ------------------------------------------------------------------------------------------ */

static void every_tile_tells_who_it_is(void **state) {
    bh_chip *chip = *state;
    struct bh_tile_info info;
    unsigned count = 0;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++, count++) {
        bool top = info.kind != BH_TILE_TENSIX && info.kind != BH_TILE_ETH && info.kind != BH_TILE_DRAM;
        uint64_t base = top ? UINT64_C(0xFFFFFFFFFFB20000) : 0xFFB20000;
        uint32_t node = info.noc0.x | (uint32_t)info.noc0.y << 6 | 17u << 12 | 12u << 19 | 1u << 28;
        assert_int_equal(read_word(chip, info.translated, base + 0x44), node);
        assert_int_equal(read_word(chip, info.translated, base + 0x148),
                         info.translated.x | (uint32_t)info.translated.y << 6);
        if (info.kind != BH_TILE_PCIE && info.kind != BH_TILE_ROUTER)
            assert_int_equal(read_word(chip, info.translated, 0xFFB30044),
                             info.noc1.x | (uint32_t)info.noc1.y << 6 | 17u << 12 | 12u << 19);
    }
    assert_int_equal(count, 204);
    assert_int_equal(read_word(chip, TENSIX, 0xFFB20044), 0x10611081);
    assert_int_equal(read_word(chip, TENSIX, 0xFFB30044), 0x0061124F);
    assert_int_equal(read_word(chip, (struct bh_xy){ 14, 1 }, 0xFFB20044), 0x1061104E);
    assert_int_equal(read_word(chip, (struct bh_xy){ 14, 1 }, 0xFFB30044), 0x00611282);
    assert_int_equal(read_word(chip, ETH, 0xFFB20148), 0x654);
    assert_int_equal(read_word(chip, PCIE, UINT64_C(0xFFFFFFFFFF000044)), 0x10611002);
    assert_int_equal(read_word(chip, (struct bh_xy){ 8, 4 }, 0xFF000044), 0x10611108);
    assert_int_equal(read_word(chip, ARC, 0x80050044), 0x10611008);
    assert_int_equal(read_word(chip, ARC, 0x80058044), 0x006112C8);
    assert_int_equal(read_word(chip, DRAM, 0xFFB20048), 0x00080000);
}

static void finds_tiles(void **state) {
    bh_chip *chip = *state;
    struct bh_tile_info info;
    assert_int_equal(bh_tile_find(chip, ETH, &info), BH_OK);
    assert_int_equal(info.kind, BH_TILE_ETH);
    assert_int_equal(info.noc0.x, 1);
    assert_int_equal(bh_tile_find(chip, (struct bh_xy){ 63, 63 }, &info), BH_ERR_COORDINATE);
    assert_string_equal(bh_core_name_at(chip, ETH, BH_ERISC0), "erisc0");
    assert_string_equal(bh_core_name_at(chip, ETH, BH_ERISC1), "erisc1");
    assert_string_equal(bh_core_name_at(chip, ETH, BH_TRISC1), "no core");
    assert_string_equal(bh_core_name_at(chip, (struct bh_xy){ 1, 2 }, BH_BRISC), "brisc");
    assert_string_equal(bh_core_name_at(chip, (struct bh_xy){ 63, 63 }, BH_NCRISC), "ncrisc");
    assert_string_equal(bh_core_name_at(NULL, ETH, BH_NCRISC), "ncrisc");
    assert_string_equal(bh_core_name_at(chip, ETH, (enum bh_core) - 1), "no core");
    assert_int_equal(bh_tile_at(chip, 204, &info), BH_ERR_ARGUMENT);
    assert_string_equal(bh_tile_kind_name(BH_TILE_L2CPU), "L2CPU");
}

static void harvested_tiles_answer_with_their_niu(void **state) {
    (void)state;
    bh_chip *chip = make_board(BH_BOARD_P100A);
    struct bh_tile_info info;
    assert_int_equal(bh_tile_find(chip, (struct bh_xy){ 16, 2 }, &info), BH_OK);
    assert_true(info.harvested);
    assert_int_equal(read_word(chip, (struct bh_xy){ 16, 2 }, 0xFFB20044) & 0xFFF, 0x84); /* (4,2) */
    /* NIU_CFG_0: bit 12 says that the tile is fused off, bit 15 that the NoC sees memory. */
    assert_int_equal(read_word(chip, (struct bh_xy){ 16, 2 }, 0xFFB20100), 0x5000);
    assert_int_equal(read_word(chip, (struct bh_xy){ 1, 1 }, 0xFFB30100), 0x5000);
    assert_int_equal(read_word(chip, (struct bh_xy){ 18, 21 }, 0xFFB20100), 0xD000);
    assert_int_equal(read_word(chip, (struct bh_xy){ 18, 12 }, 0xFFB20100), 0xC000);
    assert_int_equal(read_word(chip, (struct bh_xy){ 1, 2 }, 0xFFB20100), 0x4000);
    assert_refused(chip, (struct bh_xy){ 18, 12 }, UINT64_C(0x2000000000), 4, BH_ERR_UNMODELLED, "DRAM tile's core");
    assert_refused(chip, (struct bh_xy){ 16, 2 }, 0, 4, BH_ERR_ADDRESS, "harvested Tensix tile (16,2)");
    assert_refused(chip, (struct bh_xy){ 18, 21 }, 0, 4, BH_ERR_ADDRESS, "harvested DRAM tile");
    assert_refused(chip, (struct bh_xy){ 1, 1 }, 0, 4, BH_ERR_ADDRESS, "harvested Ethernet tile");
    /* Both NIUs, from the first word on, and nothing beside them. */
    assert_int_equal(bh_read(chip, (struct bh_xy){ 16, 2 }, 0xFFB20000, &(uint32_t){ 0 }, 4), BH_OK);
    assert_int_equal(read_word(chip, (struct bh_xy){ 16, 2 }, 0xFFB30044) & 0xFFF, 0x24C); /* (12,9) */
    assert_refused(chip, (struct bh_xy){ 16, 2 }, 0xFFB1FFFC, 4, BH_ERR_ADDRESS, "harvested Tensix tile (16,2)");
    assert_refused(chip, (struct bh_xy){ 16, 2 }, 0xFFB40000, 4, BH_ERR_ADDRESS, "harvested Tensix tile (16,2)");
    assert_refused(chip, (struct bh_xy){ 18, 21 }, 0xFFB40000, 4, BH_ERR_ADDRESS, "harvested DRAM tile");
    assert_int_equal(bh_release(chip, (struct bh_xy){ 16, 2 }, 1), BH_ERR_COORDINATE);
    assert_int_equal(read_word(chip, (struct bh_xy){ 18, 12 }, 0), 0);
    bh_destroy(chip);
}

static void ethernet_registers_store(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 0x800;
    assert_int_equal(read_word(chip, ETH, 0xFFB121B0), 0x1800);
    assert_int_equal(bh_write(chip, ETH, 0xFFB121B0, &value, 4), BH_OK);
    assert_int_equal(bh_write(chip, ETH, 0xFFB14008, &value, 4), BH_OK);
    assert_int_equal(read_word(chip, ETH, 0xFFB121B0), 0x800);
    assert_int_equal(read_word(chip, ETH, 0xFFB14008), 0x800);
    assert_int_equal(read_word(chip, (struct bh_xy){ 21, 25 }, 0xFFB121B0), 0x1800);
    assert_int_equal(read_word(chip, ETH, 0x7CC00), 0xC0DEA000);
    assert_int_equal(read_word(chip, ETH, 0x7CC04), 2);
}

/* ---- Cores ------------------------------------------------------------------------------------------- */

static void hold_and_release_are_the_register(void **state) {
    bh_chip *chip = *state;
    struct bh_core_info info;
    uint32_t loop = rv_jal(0, 0);
    assert_int_equal(read_word(chip, TENSIX, 0xFFB121B0), 0x47800);
    assert_int_equal(bh_write(chip, TENSIX, 0x6000, &loop, 4), BH_OK);
    assert_int_equal(bh_write(chip, TENSIX, 0x12000, &loop, 4), BH_OK);
    assert_int_equal(bh_release(chip, TENSIX, 1u << BH_TRISC0 | 1u << BH_NCRISC), BH_OK);
    assert_int_equal(read_word(chip, TENSIX, 0xFFB121B0), 0x6800);
    assert_int_equal(bh_run(chip, 5000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_TRISC0, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_POLLING);
    assert_int_equal(info.pc, 0x6000);
    assert_true(info.cycle >= 5000 && info.retired > 1000);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_BRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_IN_RESET);
    assert_string_equal(info.waits_on, "");
    assert_int_equal(bh_hold(chip, TENSIX, 1u << BH_TRISC0), BH_OK);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_TRISC0, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_IN_RESET);
    assert_int_equal(read_word(chip, TENSIX, 0xFFB121B0), 0x7800);
    assert_int_equal(bh_hold(chip, TENSIX, 0x20), BH_ERR_ARGUMENT);
    assert_int_equal(bh_release(chip, DRAM, 1), BH_ERR_COORDINATE);
    assert_non_null(strstr(bh_message(chip), "DRAM"));
}

static void registers_of_a_core(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 77;
    assert_int_equal(bh_core_set(chip, TENSIX, BH_TRISC1, 5, 0x1234), BH_OK);
    assert_int_equal(bh_core_set(chip, TENSIX, BH_TRISC1, BH_REG_F0 + 31, 0x3F800000), BH_OK);
    assert_int_equal(bh_core_set(chip, TENSIX, BH_TRISC1, BH_REG_X0, 5), BH_OK);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, 5, &value), BH_OK);
    assert_int_equal(value, 0x1234);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, BH_REG_F0 + 31, &value), BH_OK);
    assert_int_equal(value, 0x3F800000);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, BH_REG_X0, &value), BH_OK);
    assert_int_equal(value, 0);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, BH_REG_CSR + 0x7C0, &value), BH_OK);
    assert_int_equal(value, 0x20000);
    assert_int_equal(bh_core_set(chip, TENSIX, BH_TRISC1, BH_REG_CSR + 0x7C0, 0x20008), BH_OK);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, BH_REG_CSR + 0x7C0, &value), BH_OK);
    assert_int_equal(value, 0x20008);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, BH_REG_CSR + 0x345, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, 65, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_TRISC1, BH_REG_CSR + 0x1000, &value), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_set(chip, TENSIX, BH_TRISC1, BH_REG_PC, 2), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_get(chip, TENSIX, (enum bh_core)9, 0, &value), BH_ERR_ARGUMENT);
}

/* A sleeping core notices a register that the debugger changes. */
static void setting_a_register_wakes(void **state) {
    bh_chip *chip = *state;
    const uint32_t program[] = { rv_jal(0, 0), rv_addi(6, 0, 42), rv_jal(0, 0) };
    uint32_t value;
    start_at(chip, TENSIX, BH_BRISC, 0, program, sizeof program);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_set(chip, TENSIX, BH_BRISC, BH_REG_PC, 4), BH_OK);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_BRISC, 6, &value), BH_OK);
    assert_int_equal(value, 42);
}

/* ebreak pauses; the time that passes then counts. */
/* Neither does it change the chip, nor does a core that waits look again. */
static void a_register_that_is_none(void **state) {
    const uint32_t program[] = { rv_lw(6, 0x100, 0), rv_b(0, 6, 0, -4) }; /* polls a word */
    static const unsigned none[] = { 65, BH_REG_CSR, BH_REG_CSR + 0xFFF, BH_REG_V0, UINT32_MAX };
    bh_chip *chip = *state;
    struct bh_core_info info;
    start_at(chip, TENSIX, BH_BRISC, 0, program, sizeof program);
    assert_int_equal(bh_run(chip, 3000, 0, NULL), BH_OK);
    uint64_t hash = bh_state_hash(chip), changes = bh_host_changes(chip);
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(bh_core_set(chip, TENSIX, BH_BRISC, none[i], 1), BH_ERR_ARGUMENT);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_BRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_POLLING);
    assert_true(bh_state_hash(chip) == hash && bh_host_changes(chip) == changes);
}

static void a_paused_core_goes_on(void **state) {
    bh_chip *chip = *state;
    const uint32_t program[] = { rv_addi(6, 0, 1), 0x00100073, rv_addi(6, 6, 41), rv_jal(0, 0) };
    struct bh_core_info info;
    uint32_t value;
    assert_int_equal(bh_core_resume(chip, TENSIX, BH_BRISC), BH_ERR_STATE);
    start_at(chip, TENSIX, BH_BRISC, 0, program, sizeof program);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_BRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_PAUSED);
    assert_int_equal(bh_core_resume(chip, TENSIX, BH_BRISC), BH_OK);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_BRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_RUNNING);
    assert_true(info.cycle >= 1000);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_get(chip, TENSIX, BH_BRISC, 6, &value), BH_OK);
    assert_int_equal(value, 42);
    assert_int_equal(bh_core_resume(chip, TENSIX, BH_BRISC), BH_ERR_STATE);
    assert_int_equal(bh_core_resume(chip, TENSIX, (enum bh_core)9), BH_ERR_ARGUMENT);
}

static void faults_of_a_core(void **state) {
    bh_chip *chip = *state;
    struct bh_fault fault;
    struct bh_core_info info;
    uint32_t illegal = 0xFFFFFFFF;
    assert_int_equal(bh_core_fault(chip, TENSIX, BH_BRISC, &fault), BH_ERR_STATE);
    assert_int_equal(bh_write(chip, TENSIX, 0, &illegal, 4), BH_OK);
    assert_int_equal(bh_release(chip, TENSIX, 1), BH_OK);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    assert_int_equal(bh_core_fault(chip, TENSIX, BH_BRISC, &fault), BH_OK);
    assert_int_equal(fault.kind, BH_FAULT_ILLEGAL_INSTRUCTION);
    assert_int_equal(fault.insn, 0xFFFFFFFF);
    assert_int_equal(fault.tile.x, 1);
    assert_int_equal(bh_core_query(chip, TENSIX, BH_BRISC, &info), BH_OK);
    assert_int_equal(info.state, BH_CORE_FAULTED);
}

/* Each word that was run counts once, however often it is run. */
static void test_coverage(void **state) {
    /* addi a0, x0, 3 · addi a0, a0, -1 · bne a0, x0, -4 · ebreak */
    static const uint32_t program[] = { 0x00300513, 0xFFF50513, 0xFE051EE3, 0x00100073 };
    bh_chip *chip = make_board(BH_BOARD_P150);
    unsigned found = 0, index = 0;
    struct bh_coverage row;
    (void)state;
    for (uint8_t y = 2; y < 4; y++)
        start_at(chip, (struct bh_xy){ 1, y }, BH_BRISC, 0, program, sizeof program);
    assert_int_equal(bh_run(chip, 1000, 0, NULL), BH_OK);
    for (; bh_coverage_at(chip, index, &row) == BH_OK; index++) {
        uint64_t expected = !strcmp(row.name, "addi")                                 ? 4
                            : !strcmp(row.name, "bne") || !strcmp(row.name, "ebreak") ? 2
                                                                                      : 0;
        assert_int_equal(row.words, expected);
        found += expected != 0;
    }
    assert_int_equal(found, 3);
    assert_true(index > 137 + 138); /* all Tensix opcodes and all scalar instructions */
    bh_destroy(chip);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, teardown_chip)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        TEST(any_size_and_alignment),
        TEST(ports_of_a_bank_are_one_memory),
        TEST(refusals_name_tile_address_and_reason),
        TEST(host_memory_behind_pcie),
        TEST(a_refused_access_has_no_part),
        TEST(peeks_of_cores_say_why_not),
        TEST(unknown_flags_are_refused),
        cmocka_unit_test(no_reset_inside_a_run),
        cmocka_unit_test(without_host_memory),
        TEST(every_tile_tells_who_it_is),
        TEST(finds_tiles),
        cmocka_unit_test(harvested_tiles_answer_with_their_niu),
        TEST(ethernet_registers_store),
        TEST(hold_and_release_are_the_register),
        TEST(registers_of_a_core),
        TEST(setting_a_register_wakes),
        TEST(a_register_that_is_none),
        TEST(a_paused_core_goes_on),
        TEST(faults_of_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
