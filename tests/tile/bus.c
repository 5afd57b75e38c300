/* src/tile/bus*.c and the map by which it decodes: the view of each agent, and the texts of refusals. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

#include "isa/memmap.h"

/* ---- The map -------------------------------------------------------------------------------- */

static void regions_are_sorted_and_disjoint_for_each_viewer(void **state) {
    (void)state;
    for (unsigned i = 1; i < MEMMAP_COUNT; i++)
        assert_true(memmap[i - 1].base <= memmap[i].base);
    for (unsigned i = 0; i < MEMMAP_COUNT; i++)
        for (unsigned j = i + 1; j < MEMMAP_COUNT; j++)
            if (memmap[i].seen_by & memmap[j].seen_by)
                assert_true((uint64_t)memmap[i].base + memmap[i].size <= memmap[j].base);
}

/* Both ends of every region, for every viewer, against the plain definition. */
static void find_agrees_with_a_scan(void **state) {
    (void)state;
    for (unsigned i = 0; i < MEMMAP_COUNT; i++) {
        const uint32_t edges[] = { memmap[i].base - 1, memmap[i].base, memmap[i].base + memmap[i].size - 1,
                                   memmap[i].base + memmap[i].size };
        for (unsigned e = 0; e < 4; e++)
            for (unsigned viewer = 0; viewer <= MEMMAP_NOC; viewer++) {
                const struct memmap_region *expected = NULL;
                for (unsigned j = 0; j < MEMMAP_COUNT; j++)
                    if (edges[e] - memmap[j].base < memmap[j].size && (memmap[j].seen_by >> viewer & 1))
                        expected = &memmap[j];
                assert_ptr_equal(memmap_find(edges[e], viewer), expected);
            }
    }
}

/* The table of page BabyRISCV/README.md: B T0 T1 T2 NC NoC. */
static void visibility_is_the_documented_one(void **state) {
    static const struct {
        uint32_t address;
        const char *seen;
    } cases[] = {
        { 0x00000000, "111111" }, { 0x0017FFFF, "111111" }, { 0x00180000, "000000" }, { 0xFFB00000, "111110" },
        { 0xFFB00FFF, "111110" }, { 0xFFB01000, "100010" }, { 0xFFB02000, "000000" }, { 0xFFB11024, "111100" },
        { 0xFFB12000, "111111" }, { 0xFFB13000, "111111" }, { 0xFFB1314B, "111111" }, { 0xFFB1314C, "000000" },
        { 0xFFB14000, "111111" }, { 0xFFB1DFFF, "111111" }, { 0xFFB1E000, "000000" }, { 0xFFB20000, "111111" },
        { 0xFFB3FFFF, "111111" }, { 0xFFB7FFFF, "111111" }, { 0xFFB80000, "011100" }, { 0xFFB80024, "000000" },
        { 0xFFBD8000, "011100" }, { 0xFFE00000, "111100" }, { 0xFFE40000, "111100" }, { 0xFFE50000, "100000" },
        { 0xFFE6FFFF, "100000" }, { 0xFFE80000, "111100" }, { 0xFFE80004, "111100" }, { 0xFFE8FFFF, "111100" },
        { 0xFFE90000, "100000" }, { 0xFFEA0000, "100000" }, { 0xFFEC3FFF, "111100" }, { 0xFFEC4000, "000000" },
        { 0xFFEF0000, "111100" }, { 0xFFFFFFFF, "000000" },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char seen[7] = "";
        for (unsigned viewer = 0; viewer < 6; viewer++)
            seen[viewer] = memmap_find(cases[i].address, viewer) ? '1' : '0';
        assert_string_equal(seen, cases[i].seen);
    }
}

static void regions_are_listed_for_tools(void **state) {
    struct bh_region region;
    unsigned count = 0;
    (void)state;
    while (bh_region_at(count, &region) == BH_OK)
        count++;
    unsigned expected = 0, push1 = 0;
    for (unsigned i = 0; i < MEMMAP_COUNT; i++) {
        push1 = i == MEMMAP_ROW_PUSH1 ? expected : push1;
        expected += (memmap[i].seen_by & SEEN_ALL) != 0; /* those of a Tensix tile */
    }
    assert_int_equal(count, expected);
    assert_int_equal(bh_region_at(0, NULL), BH_ERR_ARGUMENT);
    assert_int_equal(bh_region_at(0, &region), BH_OK);
    assert_string_equal(region.name, "L1");
    assert_int_equal(region.size, 1536 * 1024);
    assert_int_equal(region.cores, BH_ALL_CORES);
    assert_true(region.noc);
    assert_int_equal(region.load_latency, 8);
    assert_int_equal(bh_region_at(push1, &region), BH_OK);
    assert_int_equal(region.cores, 1u << BH_BRISC);
    assert_false(region.noc);
}

/* ---- Faults -------------------------------------------------------------------------------- */

static void refused(unsigned core, enum bus_result result, enum bh_fault_kind kind, const char *text) {
    assert_int_equal(result, BUS_FAULT);
    assert_int_equal(fake.faults, 1);
    assert_int_equal(fake.fault.kind, kind);
    assert_int_equal(fake.fault.core, core);
    assert_string_equal(fake.fault.text, text);
    fake_setup(NULL);
}

static void unmapped_accesses_name_core_address_and_region(void **state) {
    uint32_t value;
    (void)state;
    refused(BH_NCRISC, store(BH_NCRISC, 0xFFE40000, 1), BH_FAULT_UNMAPPED,
            "store to 0xffe40000 (push to T0 or own thread), which is not mapped for ncrisc");
    refused(BH_BRISC, load(BH_BRISC, 0x00180000, &value), BH_FAULT_UNMAPPED,
            "load from 0x00180000, which is not mapped for brisc");
    refused(BH_TRISC1, load(BH_TRISC1, 0xFFB01000, &value), BH_FAULT_UNMAPPED,
            "load from 0xffb01000 (own local memory), which is not mapped for trisc1");
    refused(BH_NCRISC, load(BH_NCRISC, 0xFFEC0000, &value), BH_FAULT_UNMAPPED,
            "load from 0xffec0000 (mailboxes with brisc), which is not mapped for ncrisc");
    refused(BH_BRISC, store(BH_BRISC, 0xFFB12194, 63), BH_FAULT_UNMAPPED,
            "store to 0xffb12194 (tile control registers): there is no register at this offset");
}

/* PushTensixInstruction.md */
static void a_trisc_hangs_on_the_push_window_of_another_thread(void **state) {
    (void)state;
    for (unsigned core = BH_TRISC0; core <= BH_TRISC2; core++) {
        assert_int_equal(store(core, 0xFFE50000, 1), BUS_WAIT);
        assert_int_equal(store(core, 0xFFE60000, 1), BUS_WAIT);
        assert_non_null(strstr(wait_text(fake.tile.core[core].waits_on), "hangs"));
    }
    assert_int_equal(fake.faults, 0);
}

static void faults_carry_place_and_instruction(void **state) {
    const uint32_t insn = 0x00052023;
    (void)state;
    fake.tile.core[BH_TRISC2].pc = 0x40;
    memcpy(fake.l1 + 0x40, &insn, 4);
    assert_int_equal(store(BH_TRISC2, 0xFFE90008, 1), BUS_FAULT);
    assert_int_equal(fake.fault.tile.x, 3);
    assert_int_equal(fake.fault.tile.y, 4);
    assert_int_equal(fake.tile.core[BH_TRISC2].fault.tile.y, 4);
    assert_int_equal(fake.fault.address, 0xFFE90008);
    assert_int_equal(fake.fault.pc, 0x40);
    assert_int_equal(fake.fault.insn, insn);
}

static void misaligned_and_narrow_accesses_fault(void **state) {
    uint32_t value;
    (void)state;
    refused(BH_BRISC, load(BH_BRISC, 0xFFB121B2, &value), BH_FAULT_MISALIGNED,
            "4-byte load from 0xffb121b2 (tile control registers): misaligned");
    refused(BH_BRISC, store_size(BH_BRISC, 0xFFB121B0, 1, 0), BH_FAULT_MISALIGNED,
            "1-byte store to 0xffb121b0 (tile control registers): registers take 32-bit words only");
    refused(BH_TRISC0, load_size(BH_TRISC0, 0xFFEC0004, 2, &value), BH_FAULT_MISALIGNED,
            "2-byte load from 0xffec0004 (mailboxes with brisc): registers take 32-bit words only");
    refused(BH_TRISC0, load_size(BH_TRISC0, 0x101, 2, &value), BH_FAULT_MISALIGNED,
            "2-byte load from 0x00000101 (L1): misaligned");
}

static void blocks_to_come_fault_and_say_so(void **state) {
    static const struct {
        unsigned core;
        uint32_t address;
    } cases[] = {
        { BH_NCRISC, 0xFFB20300 },
        { BH_BRISC, 0xFFB31C00 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t value;
        assert_int_equal(load(cases[i].core, cases[i].address, &value), BUS_FAULT);
        assert_int_equal(fake.fault.kind, BH_FAULT_UNMODELLED);
        assert_non_null(strstr(fake.fault.text, "not modelled"));
        fake.fault.kind = BH_FAULT_UNMAPPED;
        assert_int_equal(store(cases[i].core, cases[i].address, 1), BUS_FAULT);
        assert_int_equal(fake.fault.kind, BH_FAULT_UNMODELLED);
        fake_setup(NULL);
    }
}

static unsigned in_flight(unsigned thread) {
    return fake.tile.tensix.thread[thread].frontend.in_flight;
}

static void pushes_go_to_the_cores_thread(void **state) {
    (void)state;
    struct core *core = fake.tile.core;
    static const uint32_t words[4] = { 0x02000000, 0x02000000, 0x02000000, 0x02000000 };
    for (unsigned i = 0; i < 3; i++) {
        struct core *trisc = &core[BH_TRISC0 + i];
        unsigned shape = push_shape(4, 1, 4, false) | PUSH_WAITS;
        struct core_push pushed = tile_core_port.push(&fake.tile, trisc, words, shape, trisc->pc, core_time(trisc));
        assert_int_equal(pushed.result, BUS_OK);
        assert_int_equal(pushed.count, 4);
        assert_int_equal(store(BH_TRISC0 + i, 0xFFE40000, words[0]), BUS_OK);
        assert_int_equal(in_flight(i), 5);
    }
    refused(BH_TRISC0, store(BH_TRISC0, 0xFFE40004, words[0]), BH_FAULT_UNDEFINED,
            "store to 0xffe40004 (push to T0 or own thread): instructions are pushed to the first word of the window");
    struct core_push pushed =
        tile_core_port.push(&fake.tile, &core[BH_NCRISC], words, push_shape(1, 1, 1, false) | PUSH_WAITS, 0, 0);
    assert_int_equal(pushed.result, BUS_FAULT);
    refused(BH_NCRISC, BUS_FAULT, BH_FAULT_UNMAPPED,
            "push to 0xffe40000 (push to T0 or own thread), which is not mapped for ncrisc");
}

/* ---- Local memory by the slow path --------------------------------------------------------------- */

static void slow_windows_reach_each_local_memory(void **state) {
    static const struct {
        uint32_t base;
        unsigned core;
    } windows[] = {
        { 0xFFB14000, BH_BRISC },  { 0xFFB16000, BH_NCRISC }, { 0xFFB18000, BH_TRISC0 },
        { 0xFFB1A000, BH_TRISC1 }, { 0xFFB1C000, BH_TRISC2 },
    };
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct core *core = &fake.tile.core[windows[i].core];
        assert_int_equal(store(BH_NCRISC, windows[i].base + 0x10, 0x11223344 + i), BUS_OK);
        assert_int_equal(core->ldm[0x10], 0x44 + i);
        assert_int_equal(store_size(BH_TRISC0, windows[i].base + 0x13, 1, 0x55), BUS_OK);
        assert_int_equal(core->ldm[0x13], 0x55);
        uint32_t value;
        assert_int_equal(load_size(BH_BRISC, windows[i].base + 0x12, 2, &value), BUS_OK);
        assert_int_equal(value, 0x5522);
        /* 4 KiB show twice, 8 KiB go on. */
        bool twice = core->ldm_size == 4096;
        assert_int_equal(loaded(BH_BRISC, windows[i].base + 0x1010), twice ? 0x55223344 + i : 0);
    }
    assert_true(fake.events >= 10);
}

static void loads_from_swept_memory_come_late(void **state) {
    uint32_t value;
    unsigned latency;
    struct core *core = fake.tile.core;
    (void)state;
    core[BH_TRISC0].ldm_ready = core_time(&core[BH_BRISC]) + 100;
    assert_int_equal(tile_core_port.load(&fake.tile, &core[BH_BRISC], 0xFFB18000, 4, &value, &latency), BUS_OK);
    assert_int_equal(latency, 108);
    assert_int_equal(tile_core_port.load(&fake.tile, &core[BH_BRISC], 0xFFB1A000, 4, &value, &latency), BUS_OK);
    assert_int_equal(latency, 8);
    assert_int_equal(tile_core_port.load(&fake.tile, &core[BH_BRISC], 0xFFB121B0, 4, &value, &latency), BUS_OK);
    assert_int_equal(latency, 7);
}

static void pc_snapshots_show_the_pcs(void **state) {
    static const unsigned order[] = { BH_BRISC, BH_NCRISC, BH_TRISC0, BH_TRISC1, BH_TRISC2 };
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        fake.tile.core[order[i]].pc = 0x1000 * (i + 1);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(loaded(BH_BRISC, 0xFFB13138 + 4 * i), 0x1000 * (i + 1));
    assert_int_equal(store(BH_BRISC, 0xFFB13138, 5), BUS_OK);
    assert_int_equal(fake.tile.core[BH_BRISC].pc, 0x1000);
}

/* ---- The NoC's side ---------------------------------------------------------------------------- */

static void noc_reaches_l1_at_any_alignment(void **state) {
    const char *why = NULL;
    char text[6] = "";
    (void)state;
    assert_int_equal(tile_write(&fake.tile, 0x1003, "hello", 5, &why), BH_OK);
    assert_int_equal(fake.written_address, 0x1003);
    assert_int_equal(fake.written_size, 5);
    assert_int_equal(fake.event_time, 1000);
    assert_memory_equal(fake.l1 + 0x1003, "hello", 5);
    assert_int_equal(tile_read(&fake.tile, 0x1003, text, 5, &why), BH_OK);
    assert_string_equal(text, "hello");
    /* The tile decodes the low 32 bits. */
    assert_int_equal(tile_read(&fake.tile, 0x500001003, text, 5, &why), BH_OK);
    assert_string_equal(text, "hello");
    assert_int_equal(tile_write(&fake.tile, 0x17FFFC, "hello", 5, &why), BH_ERR_ADDRESS);
    assert_string_equal(why, "its last bytes are where the NoC sees nothing");
    assert_int_equal(tile_write(&fake.tile, 0x180000, "hello", 5, &why), BH_ERR_ADDRESS);
    assert_string_equal(why, "the NoC sees nothing at this address of a Tensix tile");
}

static void noc_reaches_registers_by_words(void **state) {
    const uint32_t pcs[3] = { 0x100, 0x200, 0x300 };
    uint32_t back[3] = { 0 };
    const char *why = NULL;
    (void)state;
    assert_int_equal(tile_write(&fake.tile, 0xFFB12228, pcs, sizeof pcs, &why), BH_OK);
    assert_int_equal(tile_read(&fake.tile, 0xFFB12228, back, sizeof back, &why), BH_OK);
    assert_memory_equal(back, pcs, sizeof pcs);
    assert_int_equal(tile_write(&fake.tile, 0xFFB12229, pcs, 4, &why), BH_ERR_ALIGNMENT);
    assert_string_equal(why, "registers take aligned 32-bit words");
    assert_int_equal(tile_write(&fake.tile, 0xFFB12228, pcs, 6, &why), BH_ERR_ALIGNMENT);
    assert_int_equal(tile_read(&fake.tile, 0xFFB12094, back, 4, &why), BH_ERR_UNMODELLED);
    assert_int_equal(tile_read(&fake.tile, 0xFFB00000, back, 4, &why), BH_ERR_ADDRESS);
    assert_int_equal(tile_read(&fake.tile, 0xFFEC0004, back, 4, &why), BH_ERR_ADDRESS);
}

static void noc_writes_across_the_two_views_of_a_local_memory(void **state) {
    uint8_t data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const char *why = NULL;
    (void)state;
    assert_int_equal(tile_write(&fake.tile, 0xFFB18FFD, data, 8, &why), BH_OK);
    assert_memory_equal(fake.tile.core[BH_TRISC0].ldm + 0xFFD, data, 3);
    assert_memory_equal(fake.tile.core[BH_TRISC0].ldm, data + 3, 5);
}

static void peek_and_poke_have_no_effects(void **state) {
    uint32_t word = 7, high;
    const char *why = NULL;
    (void)state;
    fake.tile.time = UINT64_C(0x500000001);
    assert_int_equal(store(BH_BRISC, 0xFFB13018, 99), BUS_OK); /* raise software interrupt 0 */
    unsigned events = fake.events;
    assert_int_equal(tile_peek(&fake.tile, 0xFFB13018, &word, 4, &why), BH_OK);
    assert_int_equal(word, 99);
    assert_int_equal(tile_peek(&fake.tile, 0xFFB13018, &word, 4, &why), BH_OK);
    assert_int_equal(word, 99);
    assert_int_equal(tile_peek(&fake.tile, 0xFFB121F0, &word, 4, &why), BH_OK);
    assert_int_equal(word, 1);
    assert_int_equal(tile_peek(&fake.tile, 0xFFB121F8, &high, 4, &why), BH_OK);
    assert_int_equal(high, 0); /* not latched */
    word = 0x123;
    assert_int_equal(tile_poke(&fake.tile, 0xFFB20044, &word, 4, &why), BH_OK);
    assert_int_equal(loaded(BH_BRISC, 0xFFB20044), 0x123);
    assert_int_equal(tile_poke(&fake.tile, 0xFFB121B0, &word, 4, &why), BH_ERR_UNMODELLED);
    assert_int_equal(fake.events, events);
    assert_int_equal(loaded(BH_BRISC, 0xFFB121B0), 0x47800);
    assert_int_equal(tile_poke(&fake.tile, 0x100, &word, 4, &why), BH_OK);
    assert_int_equal(fake.written_address, 0x100); /* but pollers of memory wake */
}

/* ---- Sleeping on registers ------------------------------------------------------------------------ */

static bool sleeps_on(unsigned core, uint32_t address, uint32_t *value) {
    unsigned latency;
    return tile_core_port.peek(&fake.tile, &fake.tile.core[core], address, 4, value, &latency);
}

static void cores_sleep_on_steady_registers_only(void **state) {
    uint32_t value = 0;
    (void)state;
    assert_true(sleeps_on(BH_TRISC0, 0xFFEC0004, &value));
    assert_int_equal(value, 0);
    assert_int_equal(store(BH_BRISC, 0xFFEC1000, 1), BUS_OK);
    assert_true(sleeps_on(BH_TRISC0, 0xFFEC0004, &value));
    assert_int_equal(value, 1);
    assert_false(sleeps_on(BH_TRISC0, 0xFFEC0000, &value));
    assert_true(sleeps_on(BH_BRISC, 0xFFB121B0, &value));
    assert_int_equal(value, 0x47800);
    assert_false(sleeps_on(BH_BRISC, 0xFFB121F0, &value));
    assert_false(sleeps_on(BH_BRISC, 0xFFB121F4, &value));
    assert_true(sleeps_on(BH_BRISC, 0xFFB13018, &value));
    assert_int_equal(store(BH_BRISC, 0xFFB13018, 1), BUS_OK);
    assert_false(sleeps_on(BH_BRISC, 0xFFB13018, &value)); /* reading would clear it */
    assert_false(sleeps_on(BH_BRISC, 0xFFB13138, &value));
    assert_false(sleeps_on(BH_BRISC, 0xFFB18000, &value));
    assert_false(sleeps_on(BH_BRISC, 0xFFB12094, &value)); /* faults */
    assert_false(sleeps_on(BH_NCRISC, 0xFFEC0004, &value));
    assert_false(sleeps_on(BH_TRISC0, 0xFFE80000, &value));
}

static void every_write_is_an_event_at_the_writers_time(void **state) {
    (void)state;
    const uint32_t addresses[] = { 0xFFB12240, 0xFFB13018, 0xFFEC1000, 0xFFE80000, 0xFFB14000 };
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        fake.events = 0;
        fake.event_time = 0;
        assert_int_equal(store(BH_BRISC, addresses[i], 1), BUS_OK);
        assert_true(fake.events > 0);
        assert_int_equal(fake.event_time, 2000);
    }
}

static void status_csrs_show_an_idle_coprocessor(void **state) {
    (void)state;
    /* nothing queued, every lane of the Vector Unit enabled */
    assert_int_equal(tile_core_port.status_csr(&fake.tile, &fake.tile.core[BH_TRISC0], 0xBC0), 1 << 11 | 1 << 24);
    assert_int_equal(tile_core_port.status_csr(&fake.tile, &fake.tile.core[BH_TRISC0], 0xBC1), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_setup)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(regions_are_sorted_and_disjoint_for_each_viewer),
        TEST(find_agrees_with_a_scan),
        TEST(visibility_is_the_documented_one),
        TEST(regions_are_listed_for_tools),
        TEST(unmapped_accesses_name_core_address_and_region),
        TEST(a_trisc_hangs_on_the_push_window_of_another_thread),
        TEST(faults_carry_place_and_instruction),
        TEST(misaligned_and_narrow_accesses_fault),
        TEST(blocks_to_come_fault_and_say_so),
        TEST(pushes_go_to_the_cores_thread),
        TEST(slow_windows_reach_each_local_memory),
        TEST(loads_from_swept_memory_come_late),
        TEST(pc_snapshots_show_the_pcs),
        TEST(noc_reaches_l1_at_any_alignment),
        TEST(noc_reaches_registers_by_words),
        TEST(noc_writes_across_the_two_views_of_a_local_memory),
        TEST(peek_and_poke_have_no_effects),
        TEST(cores_sleep_on_steady_registers_only),
        TEST(every_write_is_an_event_at_the_writers_time),
        TEST(status_csrs_show_an_idle_coprocessor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
