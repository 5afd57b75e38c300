/* Tests of the host's side: window descriptors (src/host/tlb.h) and accesses by BAR (src/host/host.c). */
#include <stdlib.h>
#include <string.h>

#include "dram/dram.h"
#include "host/host.h"
#include "support/chip.h"

#define BAR0 UINT64_C(0x100000000)
#define BAR2 UINT64_C(0x120000000)
#define BAR4 UINT64_C(0x800000000)

static uint8_t host_memory[0x3000];

static void host_read(void *user, uint64_t address, void *data, size_t size) {
    (void)user;
    assert_true(address + size <= sizeof host_memory);
    memcpy(data, host_memory + address, size);
}

static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    (void)user;
    assert_true(address + size <= sizeof host_memory);
    memcpy(host_memory + address, data, size);
}

static int setup_board(void **state, enum bh_board board) {
    struct bh_config config;
    bh_config_board(&config, board);
    config.host_read = host_read;
    config.host_write = host_write;
    memset(host_memory, 0, sizeof host_memory);
    *state = make_configured(&config);
    return 0;
}

static int make(void **state) {
    return setup_board(state, BH_BOARD_P150);
}

static int make_p100a(void **state) {
    return setup_board(state, BH_BOARD_P100A);
}

/* ---- A window by its fields ------------------------------------------------------------------------------ */

struct window {
    uint64_t address; /* a multiple of the window's size */
    unsigned x, y, x_start, y_start, noc, multicast, ordering, linked;
};

static void put(uint64_t word[2], unsigned at, uint64_t value) {
    if (at < 64)
        word[0] |= value << at;
    if (at < 64 && at && value >> (64 - at))
        word[1] |= value >> (64 - at);
    if (at >= 64)
        word[1] |= value << (at - 64);
}

static void set_window(bh_chip *chip, unsigned number, struct window w) {
    uint64_t word[2] = { 0, 0 };
    bool large = number >= TLB_SMALL;
    unsigned at = large ? 32 : 43;
    put(word, 0, w.address >> (large ? 32 : 21));
    put(word, at, w.x);
    put(word, at + 6, w.y);
    put(word, at + 12, w.x_start);
    put(word, at + 18, w.y_start);
    put(word, at + 24, w.noc);
    put(word, at + 26, w.multicast);
    put(word, at + 27, w.ordering);
    put(word, at + 29, w.linked);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t part = (uint32_t)(word[i / 2] >> 32 * (i % 2)), back;
        uint64_t address = BAR0 + 0x1FC00000 + 12 * number + 4 * i;
        assert_int_equal(bh_pci_write(chip, address, &part, 4), BH_OK);
        assert_int_equal(bh_pci_read(chip, address, &back, 4), BH_OK);
        assert_int_equal(back, part);
    }
}

static uint32_t word_at(bh_chip *chip, unsigned x, unsigned y, uint64_t address) {
    return read_word(chip, (struct bh_xy){ (uint8_t)x, (uint8_t)y }, address);
}

static uint32_t pci_word(bh_chip *chip, uint64_t address) {
    uint32_t value = 0;
    bh_status status = bh_pci_read(chip, address, &value, 4);
    if (status != BH_OK)
        fail_msg("0x%llx: %s", (unsigned long long)address, bh_message(chip));
    return value;
}

/* ---- Windows --------------------------------------------------------------------------------------------- */

static void all_fields_decode(void **state) {
    bh_chip *chip = *state;
    struct tlb *tlb = &host_of(chip)->tlb;
    const struct window w = { .address = UINT64_C(0xFEDCBA9876400000),
                              .x = 33,
                              .y = 44,
                              .x_start = 21,
                              .y_start = 58,
                              .noc = 2,
                              .multicast = 1 };
    for (unsigned i = 0; i < TLB_WINDOWS; i++) {
        struct window used = w;
        if (i >= TLB_SMALL)
            used.address = UINT64_C(0xFEDCBA9800000000);
        set_window(chip, i, used);
        struct tlb_target target = tlb_decode(tlb, i);
        assert_true(target.address == used.address);
        assert_int_equal(target.end.x, 33);
        assert_int_equal(target.end.y, 44);
        assert_int_equal(target.start.x, 21);
        assert_int_equal(target.start.y, 58);
        assert_int_equal(target.noc, 2);
        assert_true(target.multicast);
    }
    for (unsigned ordering = 0; ordering < 4; ordering++)
        for (unsigned i = 0; i < TLB_WINDOWS; i += 209) {
            set_window(chip, i, (struct window){ .x = 1, .y = 2, .ordering = ordering });
            assert_int_equal(tlb_decode(tlb, i).posted, ordering == 2);
        }
    set_window(chip, 209, (struct window){ .address = UINT64_C(0xFFFFFFFF00000000), .x = 1, .noc = 1 });
    assert_true(tlb_decode(tlb, 209).address == UINT64_C(0xFFFFFFFF00000000));
    assert_int_equal(tlb_decode(tlb, 209).noc, 1);
    assert_false(tlb_decode(tlb, 209).multicast);
}

static void small_window_reaches_l1_and_registers(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 0x12345678;
    set_window(chip, 0, (struct window){ .x = 1, .y = 2, .ordering = 1, .linked = 1 });
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x1234, &value, 4), BH_OK);
    assert_int_equal(word_at(chip, 1, 2, 0x1234), value);
    set_window(chip, 201, (struct window){ .address = 0xFFA00000, .x = 1, .y = 2 });
    uint64_t base = BAR0 + (UINT64_C(201) << 21);
    assert_int_equal(pci_word(chip, base + 0x1121B0), 0x47800);
    value = 0x47000;
    assert_int_equal(bh_pci_write(chip, base + 0x1121B0, &value, 4), BH_OK);
    assert_int_equal(word_at(chip, 1, 2, 0xFFB121B0), 0x47000);
    assert_int_equal(pci_word(chip, base + 0x120044), 0x10611081);
}

static void large_window_reaches_all_of_a_bank(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 0xCAFE0001;
    set_window(chip, 209, (struct window){ .x = 18, .y = 23 });
    assert_int_equal(bh_pci_write(chip, BAR4 + (UINT64_C(7) << 32) + DRAM_BANK_SIZE - 16, &value, 4), BH_OK);
    assert_int_equal(word_at(chip, 18, 23, DRAM_BANK_SIZE - 16), value);
}

static void whole_window_at_once(void **state) {
    bh_chip *chip = *state;
    size_t size = 2 << 20;
    uint8_t *bytes = malloc(size), *back = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    set_window(chip, 5, (struct window){ .address = 0x4000000, .x = 17, .y = 13 });
    assert_int_equal(bh_pci_write(chip, BAR0 + (5 << 21), bytes, size), BH_OK);
    assert_int_equal(bh_pci_read(chip, BAR0 + (5 << 21), back, size), BH_OK);
    assert_memory_equal(bytes, back, size);
    assert_int_equal(bh_pci_write(chip, BAR0 + (5 << 21) + 1, bytes, size), BH_ERR_ADDRESS);
    assert_non_null(strstr(bh_message(chip), "cross"));
    free(bytes);
    free(back);
}

static unsigned count_marked(bh_chip *chip, uint32_t value) {
    struct bh_tile_info info;
    unsigned count = 0;
    for (unsigned i = 0; bh_tile_at(chip, i, &info) == BH_OK; i++)
        if (info.kind == BH_TILE_TENSIX && !info.harvested)
            count += word_at(chip, info.translated.x, info.translated.y, 0x500) == value;
    return count;
}

static void mark(bh_chip *chip, struct window w, uint32_t value) {
    w.multicast = 1;
    set_window(chip, 3, w);
    assert_int_equal(bh_pci_write(chip, BAR0 + (3 << 21) + 0x500, &value, 4), BH_OK);
}

static void multicast_reaches_the_rectangle(void **state) {
    bh_chip *chip = *state;
    uint32_t value;
    mark(chip, (struct window){ .x_start = 1, .y_start = 2, .x = 16, .y = 11 }, 1);
    assert_int_equal(count_marked(chip, 1), 140);
    mark(chip, (struct window){ .x_start = 6, .y_start = 3, .x = 11, .y = 4 }, 2); /* around x = 8 and 9 */
    assert_int_equal(count_marked(chip, 2), 8);
    assert_int_equal(word_at(chip, 7, 4, 0x500), 2);
    assert_int_equal(word_at(chip, 5, 4, 0x500), 1);
    mark(chip, (struct window){ .x_start = 16, .y_start = 11, .x = 1, .y = 2 }, 3); /* around the torus */
    assert_int_equal(count_marked(chip, 3), 4);
    assert_int_equal(word_at(chip, 16, 2, 0x500), 3);
    mark(chip, (struct window){ .noc = 1, .x_start = 3, .y_start = 5, .x = 1, .y = 4 }, 4); /* NoC 1 runs backwards */
    assert_int_equal(count_marked(chip, 4), 6);
    assert_int_equal(word_at(chip, 2, 5, 0x500), 4);
    assert_int_equal(bh_pci_read(chip, BAR0 + (3 << 21) + 0x500, &value, 4), BH_ERR_ARGUMENT);
    assert_non_null(strstr(bh_message(chip), "multicast"));
    set_window(chip, 3, (struct window){ .x_start = 50, .x = 1, .y = 2, .multicast = 1 });
    assert_int_equal(bh_pci_write(chip, BAR0 + (3 << 21), &value, 4), BH_ERR_COORDINATE);
}

/* Live tiles only, though the raw rectangle has the dead columns inside. */
static void multicast_leaves_harvested_tiles_out(void **state) {
    bh_chip *chip = *state;
    mark(chip, (struct window){ .x_start = 1, .y_start = 2, .x = 14, .y = 11 }, 1);
    assert_int_equal(count_marked(chip, 1), 120);
    mark(chip, (struct window){ .x_start = 3, .y_start = 2, .x = 4, .y = 2 }, 2);
    assert_int_equal(count_marked(chip, 2), 2);
}

static void leave_out(bh_chip *chip, unsigned window, uint32_t strided) {
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x1FC009D8 + 4 * window, &strided, 4), BH_OK);
    assert_int_equal(pci_word(chip, BAR0 + 0x1FC009D8 + 4 * window), strided);
}

static void windows_leave_tiles_out(void **state) {
    enum { KEEP_1_SKIP_1 = 1 | 1 << 2, APPLY = 1 << 19, RIGHT = 1 << 17, DOWN = 1 << 18 };
    const struct window w = { .x_start = 1, .y_start = 2, .x = 5, .y = 4, .multicast = 1 };
    bh_chip *chip = *state;
    uint32_t value = 9;
    leave_out(chip, 3, KEEP_1_SKIP_1 | 9u << 21); /* three columns of three */
    mark(chip, w, 1);
    assert_int_equal(count_marked(chip, 1), 9);
    assert_int_equal(word_at(chip, 3, 4, 0x500), 1);
    assert_int_equal(word_at(chip, 2, 2, 0x500), 0);
    leave_out(chip, 3, KEEP_1_SKIP_1 << 4 | 10u << 21); /* two rows of three, in all columns */
    mark(chip, w, 2);
    assert_int_equal(count_marked(chip, 2), 10);
    assert_int_equal(word_at(chip, 2, 3, 0x500), 0);
    leave_out(chip, 3, 4 << 8 | 3 << 13 | RIGHT | DOWN | APPLY | 11u << 21); /* from (4,3) on */
    mark(chip, w, 3);
    assert_int_equal(count_marked(chip, 3), 11);
    assert_int_equal(word_at(chip, 5, 2, 0x500), 3);
    assert_int_equal(word_at(chip, 4, 3, 0x500), 0);
    leave_out(chip, 3, 1 | 7u << 29); /* without `skip` no column is left out */
    mark(chip, w, 4);
    assert_int_equal(count_marked(chip, 4), 15);
    leave_out(chip, 3, 14u << 21);
    assert_int_equal(bh_pci_write(chip, BAR0 + (3 << 21) + 0x500, &value, 4), BH_ERR_ARGUMENT);
    assert_non_null(strstr(bh_message(chip), "there are 14 receivers, not 15"));
    leave_out(chip, 3, KEEP_1_SKIP_1);
    assert_int_equal(bh_pci_write(chip, BAR0 + (3 << 21) + 0x500, &value, 4), BH_ERR_ARGUMENT);
    assert_non_null(strstr(bh_message(chip), "there are 0 receivers, not 9"));
    leave_out(chip, 3, 2 | 1 << 2 | 9u << 21);
    mark(chip, (struct window){ .x_start = 1, .y_start = 2, .x = 4, .y = 4 }, 5);
    assert_int_equal(count_marked(chip, 5), 9);
    set_window(chip, 3, (struct window){ .x_start = 15, .y_start = 2, .x = 2, .y = 4, .multicast = 1 });
    assert_int_equal(bh_pci_write(chip, BAR0 + (3 << 21) + 0x500, &value, 4), BH_ERR_ARGUMENT);
    assert_non_null(strstr(bh_message(chip), "power of two"));
    set_window(chip, 3, (struct window){ .x = 7, .y = 4 }); /* to one tile */
    assert_int_equal(bh_pci_write(chip, BAR0 + (3 << 21) + 0x500, &value, 4), BH_OK);
    leave_out(chip, 31, KEEP_1_SKIP_1);
    set_window(chip, 32, w);
    assert_int_equal(bh_pci_write(chip, BAR0 + (32 << 21) + 0x500, &value, 4), BH_OK);
    assert_int_equal(count_marked(chip, 9), 16);
}

/* A tile with the bit of its column or row in its own masks takes no multicasts; an Ethernet tile may opt in. */
static void tiles_opt_out_of_multicasts(void **state) {
    const struct bh_xy tile = { 3, 4 }, eth = { 20, 25 }; /* (1,1) on NoC 0 */
    bh_chip *chip = *state;
    put_word(chip, tile, 0xFFB20108, peek_word(chip, tile, 0xFFB20108) | 1 << 3);
    mark(chip, (struct window){ .x_start = 2, .y_start = 4, .x = 4, .y = 4 }, 1);
    assert_int_equal(count_marked(chip, 1), 2);
    assert_int_equal(word_at(chip, 3, 4, 0x500), 0);
    mark(chip, (struct window){ .noc = 1, .x_start = 4, .y_start = 4, .x = 2, .y = 4 }, 2); /* its other NIU */
    assert_int_equal(count_marked(chip, 2), 3);
    mark(chip, (struct window){ .x_start = 1, .y_start = 1, .x = 1, .y = 2 }, 3);
    assert_int_equal(word_at(chip, eth.x, eth.y, 0x500), 0);
    put_word(chip, eth, 0xFFB20108, 0);
    put_word(chip, eth, 0xFFB20110, 0);
    mark(chip, (struct window){ .x_start = 1, .y_start = 1, .x = 1, .y = 2 }, 4);
    assert_int_equal(word_at(chip, eth.x, eth.y, 0x500), 4);
    assert_int_equal(count_marked(chip, 4), 1);
}

/* Windows use the translation of the PCIe tile's NIU. Column 4 of a P100A is dead, so (4,2) is the tile at x = 5. */
static void windows_without_translation(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 0x11;
    set_window(chip, 0, (struct window){ .x = 5, .y = 2 });
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x80, &value, 4), BH_OK);
    assert_int_equal(word_at(chip, 5, 2, 0x80), 0x11);
    value = 0;
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x1FD04100, &value, 4), BH_OK);
    value = 0x22;
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x80, &value, 4), BH_OK);
    assert_int_equal(word_at(chip, 5, 2, 0x80), 0x11);
    assert_int_equal(word_at(chip, 4, 2, 0x80), 0x22);
    mark(chip, (struct window){ .x_start = 5, .y_start = 2, .x = 5, .y = 2 }, 3);
    assert_int_equal(word_at(chip, 4, 2, 0x500), 3);
    set_window(chip, 0, (struct window){ .x = 17, .y = 12 });
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x80, &value, 4), BH_ERR_COORDINATE);
    assert_non_null(strstr(bh_message(chip), "no tile answers at (17,12) on NoC 0"));
    set_window(chip, 0, (struct window){ .noc = 1, .x = 17, .y = 12 }); /* the other NIU translates */
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x80, &value, 4), BH_OK);
    value = 0x4000;
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x1FD04100, &value, 4), BH_OK);
    set_window(chip, 0, (struct window){ .x = 5, .y = 2 });
    value = 0x33;
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x80, &value, 4), BH_OK);
    assert_int_equal(word_at(chip, 5, 2, 0x80), 0x33);
}

static void noc_1_and_beyond(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 5;
    set_window(chip, 0, (struct window){ .noc = 1, .x = 3, .y = 4 });
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x80, &value, 4), BH_OK);
    assert_int_equal(word_at(chip, 3, 4, 0x80), 5);
    set_window(chip, 0, (struct window){ .address = UINT64_C(0xFFFFFFFFFF000000), .noc = 1, .x = 8, .y = 0 });
    assert_int_equal(pci_word(chip, BAR0 + 0x44), 0x006112C8); /* ARC by NoC 1 shows NIU 1 */
    set_window(chip, 0, (struct window){ .noc = 2, .x = 3, .y = 4 });
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x80, &value, 4), BH_ERR_UNMODELLED);
    assert_non_null(strstr(bh_message(chip), "NoC 2"));
}

/* ---- Registers -------------------------------------------------------------------------------------------- */

static void niu_of_the_pcie_tile(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(pci_word(chip, BAR0 + 0x1FD04044), 0x10611002);
    assert_int_equal(pci_word(chip, BAR0 + 0x1FD14044), 0x006112CE);
    assert_int_equal(pci_word(chip, BAR0 + 0x1FD04100), 0x4000);
    assert_int_equal(pci_word(chip, BAR0 + 0x1FD04148), 19 | 24 << 6);
}

static void what_is_not_there_is_named(void **state) {
    bh_chip *chip = *state;
    uint8_t data[16] = { 0 };
    static const struct {
        uint64_t address;
        size_t size;
        bh_status status;
        const char *text;
    } cases[] = {
        { BAR0 + 0x1FC00001, 4, BH_ERR_ALIGNMENT, "BAR 0 + 0x1fc00001" },
        { BAR0 + 0x1FC00000 + 12 * 210 + 4 * 32, 4, BH_ERR_ADDRESS, "BAR 0" },
        { BAR0 + 0x1FE80000, 4, BH_ERR_ADDRESS, "0x1fe80000" },
        { BAR0 + 0x1FD04044, 2, BH_ERR_ALIGNMENT, "32-bit" },
        { BAR2 + 0x3000, 4, BH_ERR_ADDRESS, "BAR 2 + 0x3000" },
        { BAR2 + 0x1002, 4, BH_ERR_ALIGNMENT, "BAR 2" },
        { 0x1000, 4, BH_ERR_ADDRESS, "no BAR" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(bh_pci_write(chip, cases[i].address, data, cases[i].size), cases[i].status);
        assert_non_null(strstr(bh_message(chip), cases[i].text));
        assert_int_equal(bh_pci_read(chip, cases[i].address, data, cases[i].size), cases[i].status);
    }
    assert_int_equal(bh_bar_read(chip, 1, 0, data, 4), BH_ERR_ARGUMENT);
    assert_int_equal(bh_bar_read(chip, 2, 0xFFFFE, data, 4), BH_ERR_ADDRESS);
    assert_int_equal(bh_pci_config_read(chip, 2, (uint32_t *)(void *)data), BH_ERR_ALIGNMENT);
    assert_int_equal(bh_pci_config_read(chip, 4096, (uint32_t *)(void *)data), BH_ERR_ADDRESS);
}

/* As drivers do it: window 0 to the PCIe tile, region 0 to where the host's buffer is. */
static void host_memory_through_the_iatu(void **state) {
    bh_chip *chip = *state;
    static const struct {
        uint32_t offset, value;
    } sequence[] = { { 0x04, 0 },     { 0x00, 0 },      { 0x08, 0 }, { 0x0C, 0 },
                     { 0x10, 0xFFF }, { 0x14, 0x2000 }, { 0x18, 0 }, { 0x04, 0x80000000 } };
    uint32_t value = 0x77777777;
    for (unsigned i = 0; i < sizeof sequence / sizeof sequence[0]; i++)
        assert_int_equal(bh_pci_write(chip, BAR2 + 0x1000 + sequence[i].offset, &sequence[i].value, 4), BH_OK);
    assert_int_equal(pci_word(chip, BAR2 + 0x1014), 0x2000);
    set_window(chip, 0, (struct window){ .address = UINT64_C(0x1000000000000000), .x = 19, .y = 24 });
    assert_int_equal(bh_pci_write(chip, BAR0 + 0x10, &value, 4), BH_OK);
    assert_memory_equal(host_memory + 0x2010, &value, 4);
    assert_int_equal(pci_word(chip, BAR0 + 0x10), value);
    uint8_t bytes[16];
    memset(bytes, 0xA5, sizeof bytes);
    assert_int_equal(bh_pci_write(chip, BAR0 + 0xFF8, bytes, sizeof bytes), BH_OK); /* over the region's end */
    assert_memory_equal(host_memory + 0x2FF8, bytes, 8);
    assert_memory_equal(host_memory + 0x1000, bytes, 8);
}

static void dma_from_the_host(void **state) {
    bh_chip *chip = *state;
    static const struct {
        uint32_t offset, value;
    } sequence[] = { { 0x100, 1 }, { 0x120, 0x100 }, { 0x124, 0 }, { 0x128, 0x2000 },
                     { 0x12C, 0 }, { 0x11C, 6000 },  { 0x104, 1 } };
    uint8_t back[6000];
    for (unsigned i = 0; i < sizeof host_memory; i++)
        host_memory[i] = (uint8_t)(i % 251);
    set_window(chip, 0, (struct window){ .x = 4, .y = 7 });
    for (unsigned i = 0; i < sizeof sequence / sizeof sequence[0]; i++)
        assert_int_equal(bh_pci_write(chip, BAR2 + sequence[i].offset, &sequence[i].value, 4), BH_OK);
    assert_int_equal(pci_word(chip, BAR2 + 0x11C), 0);
    assert_int_equal(bh_read(chip, (struct bh_xy){ 4, 7 }, 0x2000, back, sizeof back), BH_OK);
    assert_memory_equal(back, host_memory + 0x100, sizeof back);
    uint32_t value = 0;
    assert_int_equal(bh_pci_write(chip, BAR2 + 0x100, &value, 4), BH_OK);
    value = 1;
    assert_int_equal(bh_pci_write(chip, BAR2 + 0x104, &value, 4), BH_ERR_STATE);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, teardown_chip)
    const struct CMUnitTest tests[] = {
        TEST(all_fields_decode),
        TEST(small_window_reaches_l1_and_registers),
        TEST(large_window_reaches_all_of_a_bank),
        TEST(whole_window_at_once),
        TEST(multicast_reaches_the_rectangle),
        cmocka_unit_test_setup_teardown(multicast_leaves_harvested_tiles_out, make_p100a, teardown_chip),
        TEST(windows_leave_tiles_out),
        TEST(tiles_opt_out_of_multicasts),
        cmocka_unit_test_setup_teardown(windows_without_translation, make_p100a, teardown_chip),
        TEST(noc_1_and_beyond),
        TEST(niu_of_the_pcie_tile),
        TEST(what_is_not_there_is_named),
        TEST(host_memory_through_the_iatu),
        TEST(dma_from_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
