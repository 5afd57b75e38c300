/* src/noc/request.c: what becomes of an initiator's registers, field by field, and of coordinates. */
#include "commands.h"

static unsigned site_of(unsigned x, unsigned y) {
    return y * 17 + x;
}

/* ---- Kinds ------------------------------------------------------------------------------------------------------- */

static void reads(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.tag = 11u << 10;
    c.ctrl |= STATIC | 3u << 13 | 5u << 27 | LINKED;
    const struct noc_request *r = go(2, &c, 50);
    assert_int_equal(r->kind, NOC_KIND_READ);
    assert_int_equal(r->noc, 0);
    assert_int_equal(r->initiator, 2);
    assert_int_equal(r->id, 11);
    assert_int_equal(r->source, BENCH_SITE);
    assert_int_equal(r->target, site_of(10, 7));
    assert_int_equal(r->reply, BENCH_SITE);
    assert_int_equal(r->vc, 3);
    assert_int_equal(r->priority, 5);
    assert_true(r->marked && r->linked && r->static_vc);
    assert_false(r->multicast || r->reserve || r->header_store);
    assert_int_equal(r->length, 100);
    assert_int_equal(r->address, 0x1010);
    assert_int_equal(r->reply_address, 0x2010);
}

/* To another tile than the one that asks, and from memory with 64-bit addresses. */
static void reads_between_others(void **state) {
    (void)state;
    bench_init(1);
    struct command c = a_read();
    c.targ = UINT64_C(0x1000000000001010);
    c.targ_hi = at(19, 24);
    c.ret = 0x2050;
    c.ret_hi = at(16, 11);
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->noc, 1);
    assert_int_equal(r->target, site_of(2, 0));
    assert_int_equal(r->reply, site_of(16, 11));
    assert_int_equal(r->address, UINT64_C(0x1000000000001010));
}

static void writes(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.targ_hi = at(40, 40); /* not looked at */
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->kind, NOC_KIND_WRITE);
    assert_int_equal(r->target, site_of(10, 7));
    assert_int_equal(r->reply, NOC_NOWHERE);
    assert_false(r->marked);
    assert_int_equal(r->source_address, 0x1010);
    assert_int_equal(r->address, 0x2010);
    assert_int_equal(r->length, 100);
    c.ctrl |= MARKED;
    c.targ_hi = at(11, 2);
    r = go(0, &c, 60);
    assert_true(r->marked);
    assert_int_equal(r->reply, site_of(11, 2));
}

static void writes_of_headers(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.tag = 1 << 9;
    c.data = 0x17FFF;
    const struct noc_request *r = go(0, &c, 50);
    assert_true(r->header_store);
    assert_int_equal(r->data, 0x17FFF);
}

static void masked_writes(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= BYTE_ENABLE;
    c.targ = 0x1017;
    c.ret = 0x17FFCB;
    c.length = UINT64_C(0x0000800000000001);
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->kind, NOC_KIND_MASKED);
    assert_int_equal(r->source_address, 0x1010);
    assert_int_equal(r->address, 0x17FFC0);
    assert_int_equal(r->length, 64);
    assert_int_equal(r->mask, UINT64_C(0x0000800000000001));
    c.targ = 0xFFB12004; /* a register, repeated */
    r = go(0, &c, 60);
    assert_int_equal(r->kind, NOC_KIND_MASKED);
    assert_int_equal(r->source_address, 0xFFB12004);
}

/* To a register the mask does not count. */
static void masked_writes_to_registers(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= BYTE_ENABLE;
    c.targ = 0x1008;
    c.ret = 0xFFB12068;
    c.length = 0;
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->kind, NOC_KIND_WRITE);
    assert_int_equal(r->length, 4);
    assert_int_equal(r->source_address, 0x1008);
    assert_int_equal(r->address, 0xFFB12068);
    c.targ = 0xFFB12004;
    assert_int_equal(go(0, &c, 60)->length, 4);
}

static void inline_writes(void **state) {
    (void)state;
    bench_init(0);
    struct command c = an_inline();
    c.ctrl |= MARKED;
    c.ret = 0xFFFF0001; /* not looked at */
    c.ret_hi = at(40, 40);
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->kind, NOC_KIND_INLINE);
    assert_int_equal(r->target, site_of(10, 7));
    assert_int_equal(r->reply, BENCH_SITE);
    assert_int_equal(r->address, 0xFFB40438);
    assert_int_equal(r->data, 0x40);
    assert_int_equal(r->length, 4);
    c.targ_hi = at(20, 25);
    assert_int_equal(go(0, &c, 60)->target, site_of(1, 1));
}

/* Unsafe on silicon, so the NIU warns; a line, and a mask for which any sixteen of the 64 bits may stand. */
static void inline_writes_to_l1(void **state) {
    (void)state;
    static const struct {
        uint64_t targ, mask, written;
    } row[] = {
        { 0x1000, 0xF, 0xF },
        { 0x100C, 0xF000, 0xF000 },
        { 0x1038, UINT64_C(0xF) << 0x38, 0xF00 },
        { 0x1014, 0xF00000, 0xF0 },
        { 0x1024, UINT64_C(0xF) << 0x24 | 0x8001, 0x80F1 },
        { 0x1000, 0, 0 },
    };
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        bench_init(0);
        struct command c = an_inline();
        c.targ = row[i].targ;
        c.length = row[i].mask;
        const struct noc_request *r = go(0, &c, 50);
        assert_int_equal(r->kind, NOC_KIND_INLINE);
        assert_int_equal(r->address, row[i].targ & ~UINT64_C(15));
        assert_int_equal(r->mask, row[i].written);
        assert_int_equal(bench.warnings, 1);
        go(1, &c, 60);
        assert_int_equal(bench.warnings, 1);
    }
    bench_init(0);
    struct command c = an_inline();
    go(0, &c, 50);
    assert_int_equal(bench.warnings, 0);
}

static void atomics(void **state) {
    (void)state;
    bench_init(0);
    struct command c = an_atomic();
    c.ret_hi = at(11, 3);
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->kind, NOC_KIND_ATOMIC);
    assert_int_equal(r->target, site_of(10, 7));
    assert_int_equal(r->address, 0x1014);
    assert_int_equal(r->atomic, 0x107D);
    assert_int_equal(r->data, 3);
    assert_int_equal(r->reply, site_of(11, 3));
    assert_int_equal(r->reply_address, 4);
    c.ctrl = ATOMIC;
    c.ret_hi = at(40, 40); /* not looked at */
    r = go(0, &c, 60);
    assert_false(r->marked);
    assert_int_equal(r->reply, NOC_NOWHERE);
}

/* ---- Multicast --------------------------------------------------------------------------------------------------- */

static void multicasts(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= MULTICAST | RESERVE | STATIC | 5u << 13;
    c.ret_hi = rectangle(16, 3, 4, 11) | 0xAB000000;
    c.exclude = 0x123;
    const struct noc_request *r = go(0, &c, 50);
    assert_true(r->multicast && r->reserve);
    assert_int_equal(r->target, NOC_NOWHERE);
    assert_int_equal(r->vc, 5);
    assert_int_equal(r->area.start_x, 16);
    assert_int_equal(r->area.start_y, 3);
    assert_int_equal(r->area.end_x, 4);
    assert_int_equal(r->area.end_y, 11);
    assert_int_equal(r->area.exclude, 0x123);
    assert_false(r->area.y_major || r->area.include_source);
    c.ctrl |= Y_MAJOR | INCLUDE_SOURCE;
    r = go(0, &c, 600);
    assert_true(r->area.y_major && r->area.include_source);
}

/* On NoC 1 software swaps the corners; they become coordinates of that NoC. */
static void multicasts_on_noc_1(void **state) {
    (void)state;
    bench_init(1);
    struct command c = an_atomic();
    c.ctrl |= MULTICAST;
    c.targ_hi = rectangle(4, 11, 3, 2);
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->area.start_x, 12);
    assert_int_equal(r->area.end_x, 13);
    assert_int_equal(r->area.start_y, 0);
    assert_int_equal(r->area.end_y, 9);
    c = an_inline();
    c.ctrl |= MULTICAST;
    c.targ_hi = rectangle(3, 2, 3, 2);
    r = go(0, &c, 600);
    assert_int_equal(r->area.start_x, 13);
    assert_int_equal(r->area.end_y, 9);
}

static void unicasts_reserve_nothing(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= RESERVE | INCLUDE_SOURCE | Y_MAJOR | 1 << 9;
    assert_false(go(0, &c, 50)->reserve);
}

/* ---- Coordinates ------------------------------------------------------------------------------------------------- */

static void raw_coordinates(void **state) {
    (void)state;
    bench_init(1);
    put_at(0x100, 0, 0); /* no translation */
    struct command c = a_read();
    c.targ_hi = at(6, 4);
    c.ret_hi = at(14, 6) | 0xFFFFF000;
    const struct noc_request *r = go(0, &c, 50);
    assert_int_equal(r->target, site_of(10, 7));
    assert_int_equal(r->reply, BENCH_SITE);
    c.targ_hi = at(17, 4);
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_HI names (17,4), where no tile is");
}

static void every_tile_by_its_coordinate(void **state) {
    (void)state;
    for (unsigned noc = 0; noc < 2; noc++) {
        bench_init(noc);
        uint64_t time = 0;
        for (unsigned y = 0; y < 64; y++)
            for (unsigned x = 0; x < 64; x++) {
                unsigned site = bench.topology.lookup[noc][y * 64 + x];
                struct command c = a_read();
                c.targ = 0x2010;
                c.targ_hi = at(x, y);
                if (site == TOPOLOGY_NONE || bench.grid.dead[site])
                    continue;
                bench.sent = 0;
                assert_int_equal(go(0, &c, time += 100)->target, site);
            }
    }
}

/* As route_translate has it, whatever of the configuration software has changed. */
static void tables_of_its_own(void **state) {
    (void)state;
    for (unsigned word = 0; word <= ROUTE_CFG_DDR_SWAP; word++) {
        if (word == 19) /* MEMORY_SHUTDOWN_CONTROL, which keeps nothing */
            continue;
        bench_init(word & 1);
        uint64_t time = 0;
        unsigned moved = 0;
        put_at(0x100 + 4 * word, get_at(0x100 + 4 * word, 0) ^ 0x0FF0E43Eu, 0); /* NIU_CFG_0: bit 14 */
        for (unsigned i = 0; i < 1024; i++) {
            struct command c = a_read();
            unsigned x = i & 31, y = i >> 5, before = bench.grid.site[word & 1][at(x, y)];
            c.targ_hi = at(x, y);
            c.ret_hi = at(x, y);
            route_translate(bench.niu.config, &x, &y);
            bench.sent = 0;
            bool on_grid = x < NOC_WIDTH && y < NOC_HEIGHT;
            unsigned site = on_grid ? route_site(word & 1, x, y) : NOC_NOWHERE;
            if (on_grid && !bench.grid.dead[site]) {
                const struct noc_request *r = go(0, &c, time += 100);
                assert_int_equal(r->target, site);
                assert_int_equal(r->reply, site);
            } else {
                assert_int_equal(try_go(0, &c, time += 100).result, ACCESS_REFUSED);
            }
            moved += site != before;
        }
        bool tables = word >= ROUTE_CFG_X_TABLE && word < ROUTE_CFG_Y_TABLE + 6;
        assert_true(moved || !(word == 0 || tables || word == ROUTE_CFG_COL_MASK || word == ROUTE_CFG_ROW_MASK));
    }
}

static void coordinates_of_no_tile(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.targ_hi = at(3, 31);
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_HI names (3,31), where no tile is");
    c = a_read();
    c.ret_hi = at(33, 1);
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_HI names (33,1), where no tile is");
    c = a_write();
    c.ret_hi = at(3, 31);
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_HI names (3,31), where no tile is");
    c = a_write();
    c.ctrl |= MARKED;
    c.targ_hi = at(3, 31);
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_HI names (3,31), where no tile is");
    c = a_write();
    c.ctrl |= MULTICAST;
    c.ret_hi = rectangle(3, 31, 4, 5);
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_HI names (3,31), where no tile is");
    c = an_atomic();
    c.ret_hi = at(18, 31);
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_HI names (18,31), where no tile is");
}

static void harvested_tiles(void **state) {
    (void)state;
    struct bh_config config;
    bh_config_board(&config, BH_BOARD_P100A);
    bench_board(0, &config);
    struct command c = a_read();
    c.targ_hi = at(16, 4);
    refused(&c, BH_FAULT_UNDEFINED, "TARG_ADDR_HI names (16,4), which is harvested (Tensix tile)");
    c.targ_hi = at(18, 22);
    refused(&c, BH_FAULT_UNDEFINED, "TARG_ADDR_HI names (18,22), which is harvested (DRAM tile)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads),
        cmocka_unit_test(reads_between_others),
        cmocka_unit_test(writes),
        cmocka_unit_test(writes_of_headers),
        cmocka_unit_test(masked_writes),
        cmocka_unit_test(masked_writes_to_registers),
        cmocka_unit_test(inline_writes),
        cmocka_unit_test(inline_writes_to_l1),
        cmocka_unit_test(atomics),
        cmocka_unit_test(multicasts),
        cmocka_unit_test(multicasts_on_noc_1),
        cmocka_unit_test(unicasts_reserve_nothing),
        cmocka_unit_test(raw_coordinates),
        cmocka_unit_test(every_tile_by_its_coordinate),
        cmocka_unit_test(tables_of_its_own),
        cmocka_unit_test(coordinates_of_no_tile),
        cmocka_unit_test(harvested_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
