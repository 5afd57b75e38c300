/* src/noc/request.c: what becomes of an initiator's registers, field by field, and every way to get them wrong. */
#include "bench.h"

enum { SELF_X = 2, SELF_Y = 5 };

static unsigned site_of(unsigned x, unsigned y) {
    return y * 17 + x;
}

static struct command a_read(void) {
    return (struct command){
        .ctrl = READ,
        .targ = 0x1010,
        .targ_hi = at(10, 7),
        .ret = 0x2010,
        .ret_hi = at(SELF_X, SELF_Y),
        .length = 100,
    };
}

static struct command a_write(void) {
    return (struct command){
        .ctrl = WRITE,
        .targ = 0x1010,
        .targ_hi = at(SELF_X, SELF_Y),
        .ret = 0x2010,
        .ret_hi = at(10, 7),
        .length = 100,
    };
}

static struct command an_inline(void) {
    return (
        struct command){ .ctrl = WRITE | INLINE, .targ = 0xFFB40438, .targ_hi = at(10, 7), .data = 0x40, .length = 15 };
}

static struct command an_atomic(void) {
    return (struct command){
        .ctrl = ATOMIC | MARKED,
        .targ = 0x1014,
        .targ_hi = at(10, 7),
        .ret = 4,
        .ret_hi = at(SELF_X, SELF_Y),
        .length = 0x107D,
        .data = 3,
    };
}

/* ---- Kinds ---------------------------------------------------------------------------------------------- */

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
    assert_int_equal(bench.asked_total, 100);
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

/* Unsafe on silicon, so it is told; a line, and a mask that any sixteen of the 64 bits may stand for. */
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

/* ---- Multicast ------------------------------------------------------------------------------------------ */

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

/* ---- Coordinates ---------------------------------------------------------------------------------------- */

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
    refused(&c, BH_FAULT_UNMAPPED, "NoC 1 command buffer 3: TARG_ADDR_HI names (17,4), where no tile is");
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
    refused(&c, BH_FAULT_UNMAPPED, "NoC 0 command buffer 3: TARG_ADDR_HI names (3,31), where no tile is");
    c = a_read();
    c.ret_hi = at(33, 1);
    refused(&c, BH_FAULT_UNMAPPED, "NoC 0 command buffer 3: RET_ADDR_HI names (33,1), where no tile is");
    c = a_write();
    c.ret_hi = at(3, 31);
    refused(&c, BH_FAULT_UNMAPPED, "NoC 0 command buffer 3: RET_ADDR_HI names (3,31), where no tile is");
    c = a_write();
    c.ctrl |= MARKED;
    c.targ_hi = at(3, 31);
    refused(&c, BH_FAULT_UNMAPPED, "NoC 0 command buffer 3: TARG_ADDR_HI names (3,31), where no tile is");
    c = a_write();
    c.ctrl |= MULTICAST;
    c.ret_hi = rectangle(3, 31, 4, 5);
    refused(&c, BH_FAULT_UNMAPPED, "NoC 0 command buffer 3: RET_ADDR_HI names (3,31), where no tile is");
    c = an_atomic();
    c.ret_hi = at(18, 31);
    refused(&c, BH_FAULT_UNMAPPED, "NoC 0 command buffer 3: RET_ADDR_HI names (18,31), where no tile is");
}

static void harvested_tiles(void **state) {
    (void)state;
    struct bh_config config;
    bh_config_board(&config, BH_BOARD_P100A);
    bench_board(0, &config);
    struct command c = a_read();
    c.targ_hi = at(16, 4);
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: TARG_ADDR_HI names (16,4), which is harvested (Tensix tile)");
    c.targ_hi = at(18, 22);
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: TARG_ADDR_HI names (18,22), which is harvested (DRAM tile)");
}

/* ---- CTRL and PACKET_TAG -------------------------------------------------------------------------------- */

static void control_bits(void **state) {
    (void)state;
    static const struct {
        uint32_t ctrl;
        const char *text;
    } row[] = {
        { 3, "CTRL: request type 3 is reserved" },
        { READ | MULTICAST, "CTRL: a read cannot be a multicast" },
        { READ | 1u << 31, "CTRL: accumulation into L1 (bit 31) cannot be used safely" },
        { WRITE | 1u << 31, "CTRL: accumulation into L1 (bit 31) cannot be used safely" },
        { READ | STATIC | 4 << 13, "CTRL: virtual channel 4 is not for unicasts" },
        { READ | STATIC | 7 << 13, "CTRL: virtual channel 7 is not for unicasts" },
        { WRITE | MULTICAST | STATIC | 3 << 13, "CTRL: virtual channel 3 is not for multicasts" },
        { WRITE | MULTICAST | STATIC | 6 << 13, "CTRL: virtual channel 6 is not for multicasts" },
        { 1 << 10, "CTRL is 0x400: bits 10 to 12 and 18 to 26 are reserved" },
        { 1 << 12, "CTRL is 0x1000: bits 10 to 12 and 18 to 26 are reserved" },
        { 1 << 18, "CTRL is 0x40000: bits 10 to 12 and 18 to 26 are reserved" },
        { 1 << 26, "CTRL is 0x4000000: bits 10 to 12 and 18 to 26 are reserved" },
    };
    bench_init(0);
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct command c = a_read();
        char text[160] = "NoC 0 command buffer 3: ";
        c.ctrl = row[i].ctrl;
        refused(&c, BH_FAULT_UNDEFINED, strcat(text, row[i].text));
    }
    struct command c = an_atomic();
    c.ctrl |= 1u << 31 | 7 << 13; /* of no meaning there */
    go(0, &c, 50);
    put_at(0x1834, 2, 50);
    refused(&c, BH_FAULT_UNMODELLED, "NoC 0 command buffer 3: SEC_CTRL is 0x2: security levels are not modelled");
}

static void tag_bits(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.tag = 1 << 6;
    refused(&c, BH_FAULT_UNMODELLED,
            "NoC 0 command buffer 3: PACKET_TAG: delivery to a stream of the receiver's overlay is not modelled");
    c = a_read();
    c.tag = 0x1FF; /* of no meaning there */
    go(0, &c, 50);
    struct command posted[] = { a_read(), an_inline(), an_atomic(), a_write(), a_write() };
    posted[3].ctrl |= MARKED;
    posted[4].ctrl |= BYTE_ENABLE;
    for (unsigned i = 0; i < 5; i++) {
        posted[i].tag = 1 << 9;
        refused(&posted[i], BH_FAULT_UNDEFINED,
                "NoC 0 command buffer 3: PACKET_TAG: HEADER_STORE is for posted writes of a length");
    }
}

static void header_stores(void **state) {
    (void)state;
    static const char needs[] =
        "NoC 0 command buffer 3: PACKET_TAG: HEADER_STORE needs one packet of 16 aligned bytes at least";
    bench_init(0);
    struct command c = a_write();
    c.tag = 1 << 9;
    c.length = 15;
    refused(&c, BH_FAULT_UNDEFINED, needs);
    c.length = 16;
    c.targ = c.ret = 0x1008;
    refused(&c, BH_FAULT_UNDEFINED, needs);
    c.targ = c.ret = 0x1000;
    c.length = 16385;
    refused(&c, BH_FAULT_UNDEFINED, needs);
    c.length = 16;
    c.data = 0x18000;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: AT_DATA: HEADER_STORE at 0x180000 is not in L1 (Tensix tile)");
}

static void exclusion_bits(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= MULTICAST;
    c.ret_hi = rectangle(10, 2, 4, 4);
    c.exclude = 1u << 24;
    refused(&c, BH_FAULT_UNDEFINED, "NoC 0 command buffer 3: BRCST_EXCLUDE: bits 24 to 31 mean nothing");
    c.exclude = 1 | 2 << 2;
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: BRCST_EXCLUDE: keep + skip must be a power of two on an axis whose span wraps");
    c.ctrl = WRITE; /* not looked at */
    c.ret_hi = at(10, 7);
    go(0, &c, 50);
}

/* ---- Lengths -------------------------------------------------------------------------------------------- */

static void lengths(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.length = 0;
    refused(&c, BH_FAULT_UNDEFINED, "NoC 0 command buffer 3: AT_LEN_BE is 0: nothing to read or write");
    c = a_write();
    c.length = 0;
    refused(&c, BH_FAULT_UNDEFINED, "NoC 0 command buffer 3: AT_LEN_BE is 0: nothing to read or write");
    c.length = UINT64_C(1) << 32;
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: AT_LEN_BE is 4294967296 bytes, more than the counters of packets hold");
    c = a_read();
    c.targ_hi = at(17, 12);
    c.ret_hi = at(18, 12);
    c.targ = c.ret = 0;
    c.length = 255 * 16384 + 1;
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: AT_LEN_BE is 4177921 bytes, more than the counters of packets hold");
    c.length = 255 * 16384;
    go(0, &c, 50);
    assert_int_equal(bench.sent, 255);
    bench_init(0);
    c = a_read();
    c.length = 16385;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: AT_LEN_BE is above 16384, but TARG_ADDR_LO 0x1010 or RET_ADDR_LO 0x2010 is not "
            "aligned to 64");
}

/* ---- Addresses ------------------------------------------------------------------------------------------ */

static void ends_of_l1(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.targ = 0x180000 - 16;
    c.ret = 0x80000 - 16;
    c.ret_hi = at(20, 25);
    c.length = 16;
    go(0, &c, 50);
    c.length = 17;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: TARG_ADDR_LO: 0x17fff0 + 17 bytes are not all in L1 (Tensix tile)");
    c.targ = 0;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: RET_ADDR_LO: 0x7fff0 + 17 bytes are not all in L1 (Ethernet tile)");
    c = a_write();
    c.targ = 0x180010;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: TARG_ADDR_LO: 0x180010 + 100 bytes are not all in L1 (Tensix tile)");
    c = a_write();
    c.ctrl |= MULTICAST;
    c.ret_hi = rectangle(1, 2, 3, 3);
    c.ret = 0xFEFFFFF0;
    c.targ = 0;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: RET_ADDR_LO: 0xfefffff0 + 100 bytes are not all in L1 (Tensix tile)");
    c = a_write();
    c.ctrl |= BYTE_ENABLE;
    c.ret = 0x17FFC0 + 16;
    c.length = UINT64_C(1) << 48;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: RET_ADDR_LO: 0x17ffd0 + 49 bytes are not all in L1 (Tensix tile)");
    c.length = UINT64_C(1) << 47;
    go(0, &c, 70);
    c.targ = 0x180000 - 32;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: TARG_ADDR_LO: 0x17ffe0 + 48 bytes are not all in L1 (Tensix tile)");
}

static void addresses_of_32_bits(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.targ |= UINT64_C(0x100000000);
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: TARG_ADDR_MID is 0x1, but addresses there have 32 bits (Tensix tile)");
    c = a_read();
    c.ret |= UINT64_C(0x1000000000000000);
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: RET_ADDR_MID is 0x10000000, but addresses there have 32 bits (Tensix tile)");
}

static void what_the_carrier_refuses(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    bench.answer = access_refused(BH_FAULT_UNMODELLED, "TARG_ADDR: there is nothing");
    c.length = 32768;
    c.targ = c.ret = 0;
    refused(&c, BH_FAULT_UNMODELLED, "NoC 0 command buffer 3: TARG_ADDR: there is nothing");
    assert_int_equal(bench.asked_total, 32768);
}

/* ---- Alignment ------------------------------------------------------------------------------------------ */

/* Addresses of the source and the destination, and modulo what they must be equal. */
static void congruence(void **state) {
    (void)state;
    static const struct {
        uint32_t ctrl, targ_hi, ret_hi;
        unsigned modulus;
    } row[] = {
        { READ, 10 | 7 << 6, 2 | 5 << 6, 16 },   /* L1 to L1 */
        { READ, 17 | 12 << 6, 2 | 5 << 6, 64 },  /* DRAM */
        { READ, 19 | 24 << 6, 2 | 5 << 6, 64 },  /* PCIe */
        { READ, 8 | 26 << 6, 2 | 5 << 6, 64 },   /* L2CPU */
        { READ, 8 | 0 << 6, 2 | 5 << 6, 16 },    /* ARC */
        { READ, 10 | 7 << 6, 17 | 12 << 6, 16 }, /* L1 to DRAM */
        { WRITE, 2 | 5 << 6, 10 | 7 << 6, 16 },
        { WRITE, 2 | 5 << 6, 17 | 12 << 6, 16 },
        { WRITE, 2 | 5 << 6, 19 | 24 << 6, 16 },
        { WRITE | MULTICAST, 2 | 5 << 6, 10 | 7 << 6 | 10 << 12 | 7 << 18, 16 },
    };
    bench_init(0);
    uint64_t time = 100;
    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++)
        for (unsigned shift = 0; shift < 128; shift++) {
            struct command c = { .ctrl = row[i].ctrl,
                                 .targ_hi = row[i].targ_hi,
                                 .ret_hi = row[i].ret_hi,
                                 .targ = 0x1003 + shift,
                                 .ret = 0x2003,
                                 .length = 9 };
            struct access access = try_go(0, &c, time += 1000);
            bench.sent = 0;
            assert_int_equal(access.result == ACCESS_DONE, shift % row[i].modulus == 0);
            if (access.result != ACCESS_DONE)
                assert_int_equal(access.kind, BH_FAULT_MISALIGNED);
        }
    struct command c = a_read();
    c.targ = 0x1018;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: TARG_ADDR_LO 0x1018 and RET_ADDR_LO 0x2010 must be equal modulo 16 here");
}

static void registers(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ret = 0xFFB12068;
    c.targ = 0x1008;
    c.length = 4;
    go(0, &c, 50);
    c.length = 8;
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: AT_LEN_BE is 8, but RET_ADDR_LO 0xffb12068 is a register of 4 bytes");
    c.length = 4;
    c.ret = 0xFFB1206A;
    refused(&c, BH_FAULT_MISALIGNED, "NoC 0 command buffer 3: RET_ADDR_LO 0xffb1206a is a register, but not aligned");
    c.ret = 0xFFB1206C;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: TARG_ADDR_LO 0x1008 and RET_ADDR_LO 0xffb1206c must be equal modulo 16 here");
    c.targ = 0xFFB12004; /* from register to register */
    go(0, &c, 60);
    c = a_read();
    c.targ = 0xFFB12068;
    c.ret = 0x2004;
    c.length = 4;
    go(0, &c, 70);
    c.targ++;
    c.ret++;
    c.length = 3;
    go(0, &c, 80);
    c.length = 4;
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: AT_LEN_BE is 4, which goes beyond the register at TARG_ADDR_LO 0xffb12069");
    c.length = 3;
    c.ret = 0x2002;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: TARG_ADDR_LO 0xffb12069 and RET_ADDR_LO 0x2002 must be equal modulo 4 here");
    c = a_read(); /* from DRAM to a register */
    c.targ_hi = at(17, 12);
    c.targ = 0x1020;
    c.ret = 0xFFB40030;
    c.length = 4;
    go(0, &c, 90);
    c.targ = 0x1024;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: TARG_ADDR_LO 0x1024 and RET_ADDR_LO 0xffb40030 must be equal modulo 16 here");
}

static void masked_registers(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= BYTE_ENABLE;
    c.length = 15;
    c.ret = 0xFFB12069;
    refused(&c, BH_FAULT_MISALIGNED, "NoC 0 command buffer 3: RET_ADDR_LO 0xffb12069 is a register, but not aligned");
    c.ret = 0xFFB12064;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: TARG_ADDR_LO 0x1010 and RET_ADDR_LO 0xffb12064 must be equal modulo 16 here");
    c.targ = 0xFFB12002;
    refused(&c, BH_FAULT_MISALIGNED, "NoC 0 command buffer 3: TARG_ADDR_LO 0xffb12002 is a register, but not aligned");
    c.ret = 0x2000;
    refused(&c, BH_FAULT_MISALIGNED, "NoC 0 command buffer 3: TARG_ADDR_LO 0xffb12002 is a register, but not aligned");
}

static void inline_data(void **state) {
    (void)state;
    bench_init(0);
    struct command c = an_inline();
    c.targ_hi = at(17, 12);
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: CTRL: inline data, but TARG_ADDR_HI names no Tensix or Ethernet tile (DRAM tile)");
    c = an_inline();
    c.targ = 0x17FFFE;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: TARG_ADDR_LO: 0x17fffe + 4 bytes are not all in L1 (Tensix tile)");
    c.targ = 0xFFB40002;
    refused(&c, BH_FAULT_MISALIGNED, "NoC 0 command buffer 3: TARG_ADDR_LO 0xffb40002 is a register, but not aligned");
}

static void atomic_places(void **state) {
    (void)state;
    bench_init(0);
    struct command c = an_atomic();
    c.targ_hi = at(19, 24);
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: CTRL: an atomic, but TARG_ADDR_HI names no Tensix or Ethernet tile (PCI Express "
            "tile)");
    c = an_atomic();
    c.ret_hi = at(17, 12);
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: CTRL: an atomic, but RET_ADDR_HI names no Tensix or Ethernet tile (DRAM tile)");
    c = an_atomic();
    c.targ = 0xFFB40000;
    refused(&c, BH_FAULT_UNDEFINED,
            "NoC 0 command buffer 3: CTRL: an atomic, but TARG_ADDR_LO 0xffb40000 is not in L1");
    c = an_atomic();
    c.ret = 0xFFB40000;
    refused(&c, BH_FAULT_UNDEFINED, "NoC 0 command buffer 3: CTRL: an atomic, but RET_ADDR_LO 0xffb40000 is not in L1");
    c = an_atomic();
    c.targ = 0x1016;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: CTRL: an atomic, but TARG_ADDR_LO 0x1016 is not aligned to 4");
    c = an_atomic();
    c.ret = 5;
    refused(&c, BH_FAULT_MISALIGNED,
            "NoC 0 command buffer 3: CTRL: an atomic, but RET_ADDR_LO 0x5 is not aligned to 4");
    c = an_atomic();
    c.targ = 0x180000;
    refused(&c, BH_FAULT_UNMAPPED,
            "NoC 0 command buffer 3: TARG_ADDR_LO: 0x180000 + 4 bytes are not all in L1 (Tensix tile)");
    c = an_atomic();
    c.length = 0x2000;
    refused(&c, BH_FAULT_UNDEFINED, "NoC 0 command buffer 3: AT_LEN_BE: there is no such atomic operation (0x2000)");
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
        cmocka_unit_test(control_bits),
        cmocka_unit_test(tag_bits),
        cmocka_unit_test(header_stores),
        cmocka_unit_test(exclusion_bits),
        cmocka_unit_test(lengths),
        cmocka_unit_test(ends_of_l1),
        cmocka_unit_test(addresses_of_32_bits),
        cmocka_unit_test(what_the_carrier_refuses),
        cmocka_unit_test(congruence),
        cmocka_unit_test(registers),
        cmocka_unit_test(masked_registers),
        cmocka_unit_test(inline_data),
        cmocka_unit_test(atomic_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
