/* Facts on which clients of the libttsim ABI rely: addresses, identities, sizes. abi.c tests life and loading, errors.c
 * errors.
 * contract LIBRARY
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "chip.h"
#include "support/sanitizers.h"

enum { MIB = 1 << 20, RESET = 0x47800 };
#define SOFT_RESET UINT32_C(0xFFB121B0)
#define TLB        (BAR0 + 0x1FC00000)

static bool is_tensix_column(unsigned x) {
    return (x >= 1 && x <= 7) || (x >= 10 && x <= 16);
}

static void set_bus_word(uint64_t address, uint32_t value) {
    abi.write(address, &value, 4);
}

static uint32_t tile_word(unsigned x, unsigned y, uint64_t address) {
    uint32_t value = 0;
    abi.tile_read(x, y, address, &value, 4);
    return value;
}

/* A descriptor as a whole: the first 64 bits, then the rest. */
static void describe(unsigned window, uint64_t low, uint32_t high) {
    set_bus_word(TLB + 12 * window, (uint32_t)low);
    set_bus_word(TLB + 12 * window + 4, (uint32_t)(low >> 32));
    set_bus_word(TLB + 12 * window + 8, high);
}

static uint64_t small_target(uint64_t address, unsigned x, unsigned y) {
    return address >> 21 | (uint64_t)x << 43 | (uint64_t)y << 49;
}

static uint64_t large_target(uint64_t address, unsigned x, unsigned y) {
    return address >> 32 | (uint64_t)x << 32 | (uint64_t)y << 38;
}

/* A word by window 0 on NoC 1. */
static uint32_t read_by_noc1(unsigned x, unsigned y, uint64_t address) {
    describe(0, small_target(address, x, y), 1 << 3);
    return bus_word(BAR0 + address % (2 * MIB));
}

/* ---- Loading -------------------------------------------------------------------------------------------- */

static const char *dynamic_text(const uint8_t *file, const ElfW(Dyn) * entries, uint64_t value) {
    const ElfW(Ehdr) *header = (const void *)file;
    const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_DYNAMIC && file + sections[i].sh_offset == (const uint8_t *)entries)
            return (const char *)file + sections[sections[i].sh_link].sh_offset + value;
    fail();
    return "";
}

static const ElfW(Dyn) * dynamic_section(const uint8_t *file) {
    const ElfW(Ehdr) *header = (const void *)file;
    const ElfW(Phdr) *segments = (const void *)(file + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_DYNAMIC)
            return (const void *)(file + segments[i].p_offset);
    fail();
    return NULL;
}

static void needs_libc_only(void **state) {
    (void)state;
    static const char *const allowed[] = { "libc.so",  "ld-linux", "libpthread.so", "libasan",
                                           "libubsan", "libtsan",  "libgcc_s",      "libm.so" };
    struct stat info;
    unsigned libraries = 0;
    int file = open(library, O_RDONLY);
    assert_true(file >= 0 && fstat(file, &info) == 0);
    const uint8_t *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    assert_true(bytes != MAP_FAILED);
    for (const ElfW(Dyn) *entries = dynamic_section(bytes), *at = entries; at->d_tag != DT_NULL; at++) {
        bool known = at->d_tag != DT_NEEDED;
        const char *name = known ? "" : dynamic_text(bytes, entries, at->d_un.d_val);
        unsigned count = SANITIZED ? sizeof allowed / sizeof allowed[0] : 3;
        for (unsigned i = 0; i < count; i++)
            known |= strncmp(name, allowed[i], strlen(allowed[i])) == 0;
        if (!known)
            fail_msg("needs %s", name);
        libraries += at->d_tag == DT_NEEDED;
        assert_true(at->d_tag != DT_FLAGS_1 || !(at->d_un.d_val & DF_1_NODELETE));
    }
    assert_true(libraries > 0);
    munmap((void *)(uintptr_t)bytes, (size_t)info.st_size);
    close(file);
}

static void is_for_one_chip(void **state) {
    (void)state;
    assert_null(dlsym(abi.library, "libttsim_create_device_by_id"));
    assert_null(dlsym(abi.library, "libttsim_select_device_by_id"));
}

static char *text_beside(const char *name) {
    static char text[16384];
    char path[4096];
    const char *slash = strrchr(library, '/');
    snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - library) : 1, slash ? library : ".", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s is not there", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static unsigned entries_of(const char *text, const char *key) {
    const char *at = strstr(text, key);
    assert_non_null(at);
    unsigned count = 0;
    for (at = strchr(at, '['); *at != ']'; at++)
        count += *at == '-';
    return count;
}

static void descriptors_lie_beside_the_library(void **state) {
    (void)state;
    const char *text = text_beside("soc_descriptor.yaml");
    assert_int_equal(entries_of(text, "functional_workers:"), 140);
    assert_int_equal(entries_of(text, "eth:"), 14);
    assert_int_equal(entries_of(text, "router_only:"), 18);
    assert_non_null(strstr(text, "arch_name: BLACKHOLE"));
    text = text_beside("cluster_p150.yaml");
    assert_non_null(strstr(text, "eth_harvesting_mask: 12288\n"));
    assert_non_null(strstr(text, "pcie_harvesting_mask: 2\n"));
    assert_non_null(strstr(text, "board_type: p150\n"));
}

/* ---- Configuration space -------------------------------------------------------------------------------- */

static void configuration_space(void **state) {
    (void)state;
    static const struct {
        uint32_t offset, value;
    } words[] = {
        { 0x00, 0xB1401E52 }, { 0x08, 0x12000000 }, { 0x10, 4 },    { 0x14, 1 }, { 0x18, 0x20000004 }, { 0x1C, 1 },
        { 0x20, 4 },          { 0x24, 8 },          { 0x3C, 0xFF }, { 0x40, 0 }, { 0xFFC, 0 },
    };
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_int_equal(abi.config_read(0, words[i].offset), words[i].value);
    for (unsigned bdf = 1; bdf < 0x10000; bdf += 7)
        assert_int_equal(abi.config_read(bdf, 0), 0xFFFFFFFF);
}

/* As firmware does it: all ones, then what is left says the size. */
static void bars_can_be_sized(void **state) {
    (void)state;
    static const uint64_t size[] = { UINT64_C(512) << 20, UINT64_C(1) << 20, UINT64_C(32) << 30 };
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t low = abi.config_read(0, 0x10 + 8 * i), high = abi.config_read(0, 0x14 + 8 * i);
        abi.config_write(0, 0x10 + 8 * i, 0xFFFFFFFF);
        abi.config_write(0, 0x14 + 8 * i, 0xFFFFFFFF);
        uint64_t mask = abi.config_read(0, 0x10 + 8 * i) | (uint64_t)abi.config_read(0, 0x14 + 8 * i) << 32;
        assert_true(mask == (-size[i] | 4));
        abi.config_write(0, 0x10 + 8 * i, low);
        abi.config_write(0, 0x14 + 8 * i, high);
        assert_int_equal(abi.config_read(0, 0x10 + 8 * i), low);
    }
    assert_int_equal(bus_word(BAR0 + 0x1FD04044), 0x10611002); /* back where it was */
}

/* ---- Windows -------------------------------------------------------------------------------------------- */

static void all_small_windows(void **state) {
    (void)state;
    for (unsigned i = 0; i < 202; i++)
        describe(i, small_target(0, i % 7 + 1, i / 7 % 10 + 2), 0);
    for (uint32_t i = 0; i < 202; i++)
        set_bus_word(BAR0 + (uint64_t)i * 2 * MIB + 4 * i, i + 1);
    for (uint32_t i = 0; i < 202; i++)
        assert_int_equal(tile_word(i % 7 + 1, i / 7 % 10 + 2, 4 * i), i + 1);
}

static void all_large_windows(void **state) {
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        describe(202 + i, large_target(0, 17 + i / 4, 12 + i % 4 * 3), 0);
    for (uint32_t i = 0; i < 8; i++)
        set_bus_word(BAR4 + ((uint64_t)i << 32) + HIGH_IN_BANK + 4 * i, i + 1);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(tile_word(17 + i / 4, 12 + i % 4 * 3, HIGH_IN_BANK + 4 * i), i + 1);
}

static void descriptors_read_back(void **state) {
    (void)state;
    describe(7, UINT64_C(0x0123456789ABCDEF), 0x2F8);
    assert_int_equal(bus_word(TLB + 84), 0x89ABCDEF);
    assert_int_equal(bus_word(TLB + 88), 0x01234567);
    assert_int_equal(bus_word(TLB + 92), 0x2F8);
}

/* The start's x and y fields are for multicast only; orderings and virtual channels change no value. */
static void other_fields_change_no_value(void **state) {
    (void)state;
    for (uint32_t ordering = 0; ordering < 4; ordering++) {
        uint64_t low = small_target(0, 5, 6) | UINT64_C(9) << 55 | UINT64_C(3) << 61;
        describe(0, low, ordering << 6 | 1 << 9 | 1 << 11);
        set_bus_word(BAR0 + 0x400, ordering + 1);
        assert_int_equal(tile_word(5, 6, 0x400), ordering + 1);
        assert_int_equal(bus_word(BAR0 + 0x400), ordering + 1);
    }
}

static void noc_1_windows(void **state) {
    (void)state;
    assert_int_equal(read_by_noc1(1, 2, 0xFFB30044), 0x0061124F); /* translated: the same tile by both */
    assert_int_equal(read_by_noc1(1, 2, 0xFFB20044), 0x10611081);
    uint32_t value = 0x1234;
    abi.tile_write(1, 2, 0x500, &value, 4);
    assert_int_equal(read_by_noc1(1, 2, 0x500), 0x1234);
}

/* On NoC 1 the translated coordinates of tiles that are routers only keep its x: measured on cards by tt-umd's tests.
 */
static void routers_on_noc_1(void **state) {
    (void)state;
    static const uint8_t column[] = { 15, 13, 12, 11, 10, 9, 6, 4, 3, 2, 1, 0 };
    static const uint8_t row[][2] = { { 10, 1 }, { 1, 10 }, { 3, 8 }, { 5, 6 }, { 7, 4 }, { 0, 11 } };
    for (unsigned i = 0; i < sizeof column; i++)
        assert_int_equal(read_by_noc1(column[i], 0, 0xFF000044) & 0xFFF, column[i] | 11 << 6);
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_int_equal(read_by_noc1(8, row[i][1], 0xFF000044) & 0xFFF, 8 | row[i][0] << 6);
}

/* From column 7 to 10: two columns of other tiles in between. */
static void multicast_reaches_tensix_tiles_only(void **state) {
    (void)state;
    uint64_t start_at = UINT64_C(7) << 55 | UINT64_C(4) << 61; /* y: the lower three bits of six */
    describe(3, small_target(0, 10, 5) | start_at, 1 << 5);
    set_bus_word(BAR0 + 3 * 2 * MIB + 0x600, 77);
    for (unsigned y = 2; y <= 11; y++)
        for (unsigned x = 1; x <= 16; x++)
            if (is_tensix_column(x) && tile_word(x, y, 0x600) != ((x == 7 || x == 10) && (y == 4 || y == 5) ? 77 : 0))
                fail_msg("tile (%u,%u) has %u", x, y, tile_word(x, y, 0x600));
    assert_int_equal(tile_word(9, 4, 0x600), 0); /* a DRAM port in the rectangle */
}

static void niu_of_the_pcie_tile(void **state) {
    (void)state;
    assert_int_equal(bus_word(BAR0 + 0x1FD04044), 0x10611002);
    assert_int_equal(bus_word(BAR0 + 0x1FD04100), 0x4000);
    assert_int_equal(bus_word(BAR0 + 0x1FD14044) & 0xFFF, 14 | 11 << 6);
}

/* ---- BAR 2 ---------------------------------------------------------------------------------------------- */

/* In tt-umd's order. */
static void set_region(unsigned region, uint32_t base, uint32_t limit, uint64_t target) {
    uint64_t at = BAR2 + 0x1000 + 0x200 * region;
    set_bus_word(at + 4, 0);
    set_bus_word(at, 0);
    set_bus_word(at + 8, base);
    set_bus_word(at + 0xC, 0);
    set_bus_word(at + 0x10, limit);
    set_bus_word(at + 0x14, (uint32_t)target);
    set_bus_word(at + 0x18, (uint32_t)(target >> 32));
    set_bus_word(at + 4, 0x80000000);
}

static void four_channels_of_host_memory(void **state) {
    (void)state;
    static const uint32_t limit[] = { 0x3FFFFFFF, 0x7FFFFFFF, 0xBFFFFFFF, 0xEFFFFFFF };
    for (uint32_t i = 0; i < 4; i++)
        set_region(i, i << 30, limit[i], UINT64_C(0x1000) * (4 - i));
    for (uint32_t i = 0; i < 4; i++)
        write32(&abi, 19, 24, UINT64_C(0x1000000000000000) + ((uint64_t)i << 30) + 0x40, 0x51 + i);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(host_memory[0x1000 * (4 - i) + 0x40], 0x51 + i);
}

/* The upper six bits: 0 to 3 go to the host as they are, 4 to 7 through the iATU, unchanged where no region is. */
static void ways_to_host_memory(void **state) {
    (void)state;
    set_region(5, 0x2000, 0x2FFF, 0x4000);
    for (unsigned way = 0; way < 8; way++) {
        write32(&abi, 19, 24, (uint64_t)way << 58 | 0x2010, way + 1);
        assert_int_equal(host_memory[way < 4 ? 0x2010 : 0x4010], way + 1);
        write32(&abi, 2, 0, (uint64_t)way << 58 | 0x3010, way + 1); /* raw; outside the region */
        assert_int_equal(host_memory[0x3010], way + 1);
        assert_int_equal(read32(&abi, 19, 24, (uint64_t)way << 58 | 0x3010), way + 1);
    }
}

static void dma_from_the_host(void **state) {
    (void)state;
    for (unsigned i = 0; i < 5000; i++)
        host_memory[0x800 + i] = (uint8_t)(i * 7);
    describe(9, small_target(0, 4, 4), 0);
    set_bus_word(BAR2 + 0x100, 1);
    set_bus_word(BAR2 + 0x11C, 5000);
    set_bus_word(BAR2 + 0x120, 0x800);
    set_bus_word(BAR2 + 0x124, 0);
    set_bus_word(BAR2 + 0x128, 9 * 2 * MIB + 0x1000);
    set_bus_word(BAR2 + 0x12C, 0);
    set_bus_word(BAR2 + 0x104, 1);
    assert_int_equal(bus_word(BAR2 + 0x11C), 0);
    uint8_t bytes[5000];
    abi.tile_read(4, 4, 0x1000, bytes, sizeof bytes);
    assert_memory_equal(bytes, host_memory + 0x800, sizeof bytes);
}

/* ---- Coordinates ---------------------------------------------------------------------------------------- */

static uint32_t node_id(unsigned noc, unsigned x, unsigned y) {
    return noc ? (16 - x) | (11 - y) << 6 | 17 << 12 | 12 << 19 : x | y << 6 | 17 << 12 | 12 << 19 | 1u << 28;
}

static void tensix_tiles_know_where_they_are(void **state) {
    (void)state;
    unsigned count = 0;
    for (unsigned y = 2; y <= 11; y++)
        for (unsigned x = 1; x <= 16; x++) {
            if (!is_tensix_column(x))
                continue;
            assert_int_equal(read32(&abi, x, y, 0xFFB20044), node_id(0, x, y));
            assert_int_equal(read32(&abi, x, y, 0xFFB30044), node_id(1, x, y));
            assert_int_equal(read32(&abi, x, y, 0xFFB20148), x | y << 6);
            assert_int_equal(read32(&abi, x, y, 0xFFB30148), x | y << 6); /* not turned round */
            assert_int_equal(read32(&abi, x, y, SOFT_RESET), RESET);
            count++;
        }
    assert_int_equal(count, 140);
}

static void three_ports_of_a_bank(void **state) {
    (void)state;
    for (uint32_t bank = 0; bank < 8; bank++)
        write32(&abi, 17 + bank / 4, 12 + bank % 4 * 3, 0x123400, bank + 1);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(read32(&abi, 17 + i / 12, 12 + i % 12, 0x123400), i / 3 + 1);
    assert_int_equal(read32(&abi, 0, 0, 0x123400), 1); /* raw: bank 0, and the first of the right half */
    assert_int_equal(read32(&abi, 9, 0, 0x123400), 5);
}

static void ethernet_tiles(void **state) {
    (void)state;
    for (unsigned channel = 0; channel < 12; channel++) {
        uint32_t place = read32(&abi, 20 + channel, 25, 0xFFB20044);
        unsigned x = place & 63, y = place >> 6 & 63;
        assert_int_equal(y, 1);
        assert_int_equal(place, node_id(0, x, y));
        assert_int_equal(read32(&abi, 20 + channel, 25, 0xFFB30044), node_id(1, x, y));
        assert_int_equal(read32(&abi, 20 + channel, 25, 0xFFB20148), (20 + channel) | 25 << 6);
        assert_int_equal(read32(&abi, 20 + channel, 25, 0x7CC00), 0xC0DEA000);
        assert_int_equal(read32(&abi, 20 + channel, 25, 0x7CC04), 2);
        write32(&abi, 20 + channel, 25, 0x1000, channel + 1);
        assert_int_equal(read32(&abi, x, 1, 0x1000), channel + 1); /* raw */
    }
}

/* The two of mask 0x3000. */
static void harvested_ethernet_tiles(void **state) {
    (void)state;
    static const uint8_t column[] = { 7, 10 };
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(read32(&abi, column[i], 1, 0xFFB20044), node_id(0, column[i], 1));
        assert_int_equal(read32(&abi, column[i], 1, 0xFFB30044), node_id(1, column[i], 1));
    }
}

static void tiles_of_other_kinds_know_where_they_are(void **state) {
    (void)state;
    static const uint8_t at[][2] = { { 8, 0 }, { 8, 2 }, { 8, 3 }, { 8, 5 }, { 8, 7 }, { 8, 9 }, { 2, 0 } };
    const uint64_t niu = UINT64_C(0xFFFFFFFFFF000044); /* ARC, security, L2CPU, PCIe */
    for (unsigned i = 0; i < sizeof at / sizeof at[0]; i++)
        assert_int_equal(read32(&abi, at[i][0], at[i][1], niu), node_id(0, at[i][0], at[i][1]));
    assert_int_equal(read32(&abi, 19, 24, niu), node_id(0, 2, 0));
    for (unsigned i = 0; i < 12; i++)
        assert_int_equal(read32(&abi, 0, i, 0xFFB20044), node_id(0, 0, i)); /* DRAM */
}

/* ---- Memory, resets, ARC -------------------------------------------------------------------------------- */

static void any_size_at_once(void **state) {
    (void)state;
    static const uint32_t sizes[] = { 1, 4, 5, 20, 40, 48, 256, 1024, 4096, 1568768, 1572864, 2097152 };
    static uint8_t out[2 * MIB], in[2 * MIB];
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bool dram = sizes[i] > 1572864;
        uint32_t offset = dram || sizes[i] > 4096 ? 0 : 3;
        for (uint32_t k = 0; k < sizes[i]; k++)
            out[k] = (uint8_t)(k * 31 + i + (k >> 8));
        set_window(&abi, dram ? 18 : 16, dram ? 23 : 11, 0);
        if (sizes[i] == 1568768)
            offset = 0x1000;
        abi.write(BAR0 + offset, out, sizes[i]);
        memset(in, 0, sizeof in);
        abi.read(BAR0 + offset, in, sizes[i]);
        assert_memory_equal(in, out, sizes[i]);
    }
}

/* li t0, value; sw t0, 0x100 + 4 * core; j . */
static void put_marker(uint32_t pc, unsigned core, unsigned value) {
    write32(&abi, 6, 6, pc, 0x00000293 | value << 20);
    write32(&abi, 6, 6, pc + 4, 0x10502023 | core << 9);
    write32(&abi, 6, 6, pc + 8, 0x0000006F);
}

static const uint32_t held_by[] = { 0x800, 0x1000, 0x2000, 0x4000, 0x40000 };

static void cores_start_where_they_should(void **state) {
    (void)state;
    static const uint32_t first_pc[] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };
    for (unsigned i = 0; i < 5; i++)
        put_marker(first_pc[i], i, 0x50 + i);
    for (unsigned i = 0; i < 5; i++) {
        write32(&abi, 6, 6, SOFT_RESET, RESET & ~held_by[i]);
        abi.clock(100);
        for (unsigned k = 0; k < 5; k++)
            assert_int_equal(read32(&abi, 6, 6, 0x100 + 4 * k), k <= i ? 0x50 + k : 0);
    }
}

static void first_pcs_can_be_changed(void **state) {
    (void)state;
    static const uint32_t pc_at[] = { 0xFFB12228, 0xFFB1222C, 0xFFB12230, 0xFFB12238 };
    for (unsigned i = 0; i < 4; i++) {
        put_marker(0x20000 + 0x1000 * i, i + 1, 0x60 + i);
        write32(&abi, 6, 6, pc_at[i], 0x20000 + 0x1000 * i);
    }
    write32(&abi, 6, 6, 0xFFB12234, 7);
    write32(&abi, 6, 6, 0xFFB1223C, 1);
    write32(&abi, 6, 6, SOFT_RESET, 0x800);
    abi.clock(100);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(read32(&abi, 6, 6, 0x104 + 4 * i), 0x60 + i);
}

static void arc_says_where_things_are(void **state) {
    (void)state;
    const uint64_t apb = 0x80000000;
    assert_int_equal(read32(&abi, 8, 0, apb + 0x30408), 5);
    uint32_t queues = read32(&abi, 8, 0, apb + 0x3042C);
    uint32_t values = read32(&abi, 8, 0, apb + 0x30430);
    uint32_t table = read32(&abi, 8, 0, apb + 0x30434);
    assert_in_range(queues, 0x10000000, 0x1007FFFF);
    assert_in_range(values, 0x10000000, 0x1007FFFF);
    assert_in_range(table, 0x10000000, 0x1007FFFF);
    assert_int_equal(read32(&abi, 8, 0, queues + 4) & 0xFFFF, 4 << 8 | 8); /* four queues of eight */
    bool known[64] = { false };
    for (uint32_t i = 0, count = read32(&abi, 8, 0, table + 4); i < count; i++)
        known[read32(&abi, 8, 0, table + 8 + 4 * i) & 63] = true;
    static const uint8_t wanted[] = { 1, 2, 11, 13, 14, 15, 16, 28, 32, 34, 35, 36, 37, 38, 40, 52, 61, 62 };
    for (unsigned i = 0; i < sizeof wanted; i++)
        if (!known[wanted[i]])
            fail_msg("telemetry has no tag %u", wanted[i]);
}

/* ---- Processes and threads ------------------------------------------------------------------------------ */

static void *use_elsewhere(void *argument) {
    (void)argument;
    write32(&abi, 3, 3, 0x40, 99);
    abi.clock(3);
    return NULL;
}

static void calls_come_from_several_threads(void **state) {
    (void)state;
    pthread_t thread;
    write32(&abi, 3, 3, 0x40, 98);
    assert_int_equal(pthread_create(&thread, NULL, use_elsewhere, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(read32(&abi, 3, 3, 0x40), 99);
}

static void a_fork_is_a_chip_of_its_own(void **state) {
    (void)state;
    int status;
    start_program(&abi, 3, 3);
    start_program(&abi, 4, 3);
    abi.clock(1);
    write32(&abi, 3, 3, 0x100, 7);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool right = read32(&abi, 3, 3, 0x100) == 7 && read32(&abi, 4, 3, 0x100) == 0x55;
        write32(&abi, 3, 3, 0x100, 8);
        start_program(&abi, 5, 3);
        abi.clock(1);
        _Exit(right && read32(&abi, 5, 3, 0x100) == 0x55 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(read32(&abi, 3, 3, 0x100), 7);
    assert_int_equal(read32(&abi, 5, 3, 0x100), 0);
}

/* The calls of tt-umd for each word that it reads: three words of a descriptor, the word, a clock. */
static void small_accesses_are_cheap(void **state) {
    (void)state;
    enum { READS = 200000 };
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (unsigned i = 0; i < READS; i++) {
        (void)read32(&abi, 1 + i % 7, 2, 0x40);
        abi.clock(1);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    double each = ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / READS;
    print_message("a read of a word with its window and a clock takes %.0f ns\n", each);
    assert_true(each < 5000); /* really 30; emulators and sanitizers have to pass too */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_libc_only),
        TEST(is_for_one_chip),
        cmocka_unit_test(descriptors_lie_beside_the_library),
        TEST(configuration_space),
        TEST(bars_can_be_sized),
        TEST(all_small_windows),
        TEST(all_large_windows),
        TEST(descriptors_read_back),
        TEST(other_fields_change_no_value),
        TEST(noc_1_windows),
        TEST(routers_on_noc_1),
        TEST(multicast_reaches_tensix_tiles_only),
        TEST(niu_of_the_pcie_tile),
        TEST(four_channels_of_host_memory),
        TEST(ways_to_host_memory),
        TEST(dma_from_the_host),
        TEST(tensix_tiles_know_where_they_are),
        TEST(three_ports_of_a_bank),
        TEST(ethernet_tiles),
        TEST(harvested_ethernet_tiles),
        TEST(tiles_of_other_kinds_know_where_they_are),
        TEST(any_size_at_once),
        TEST(cores_start_where_they_should),
        TEST(first_pcs_can_be_changed),
        TEST(arc_says_where_things_are),
        TEST(calls_come_from_several_threads),
        TEST(a_fork_is_a_chip_of_its_own),
        TEST(small_accesses_are_cheap),
    };
    if (count < 2) {
        fprintf(stderr, "usage: contract LIBRARY\n");
        return 2;
    }
    library = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
