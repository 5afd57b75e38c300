/* src/noc/request.c: every way to get an initiator's registers wrong but for coordinates (request.c). */
#include "commands.h"

/* ---- CTRL and PACKET_TAG ----------------------------------------------------------------------------------------- */

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
        c.ctrl = row[i].ctrl;
        refused(&c, BH_FAULT_UNDEFINED, row[i].text);
    }
    struct command c = an_atomic();
    c.ctrl |= 1u << 31 | 7 << 13; /* of no meaning there */
    go(0, &c, 50);
    put_at(0x1834, 2, 50);
    refused(&c, BH_FAULT_UNMODELLED, "SEC_CTRL is 0x2: security levels are not modelled");
    c = a_read();
    refused(&c, BH_FAULT_UNMODELLED, "SEC_CTRL is 0x2: security levels are not modelled");
}

static void tag_bits(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.tag = 1 << 6;
    c.length = 8;
    refused(&c, BH_FAULT_UNDEFINED, "PACKET_TAG: delivery to a stream (bit 6) needs whole words of 16 bytes in memory");
    c.targ = c.ret = 0x2000;
    c.length = 16400;
    refused(&c, BH_FAULT_UNDEFINED,
            "PACKET_TAG: delivery to a stream (bit 6) is for writes of a length, of one packet");
    c = an_inline();
    c.tag = 1 << 6;
    refused(&c, BH_FAULT_UNDEFINED,
            "PACKET_TAG: delivery to a stream (bit 6) is for writes of a length, of one packet");
    c = a_read();
    c.tag = 0x1FF; /* of no meaning there */
    go(0, &c, 50);
    struct command posted[] = { a_read(), an_inline(), an_atomic(), a_write(), a_write() };
    posted[3].ctrl |= MARKED;
    posted[4].ctrl |= BYTE_ENABLE;
    for (unsigned i = 0; i < 5; i++) {
        posted[i].tag = 1 << 9;
        refused(&posted[i], BH_FAULT_UNDEFINED, "PACKET_TAG: HEADER_STORE is for posted writes of a length");
    }
}

static void header_stores(void **state) {
    (void)state;
    static const char needs[] = "PACKET_TAG: HEADER_STORE needs one packet of 16 aligned bytes at least";
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
    refused(&c, BH_FAULT_UNMAPPED, "AT_DATA: HEADER_STORE at 0x180000 is not in L1 (Tensix tile)");
}

static void exclusion_bits(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= MULTICAST;
    c.ret_hi = rectangle(10, 2, 4, 4);
    c.exclude = 1u << 24;
    refused(&c, BH_FAULT_UNDEFINED, "BRCST_EXCLUDE: bits 24 to 31 mean nothing");
    c.exclude = 1 | 2 << 2;
    refused(&c, BH_FAULT_UNDEFINED, "BRCST_EXCLUDE: keep + skip must be a power of two on an axis whose span wraps");
    c.ctrl = WRITE; /* not looked at */
    c.ret_hi = at(10, 7);
    go(0, &c, 50);
}

/* ---- Lengths ----------------------------------------------------------------------------------------------------- */

static void lengths(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.length = 0;
    refused(&c, BH_FAULT_UNDEFINED, "AT_LEN_BE is 0: nothing to read or write");
    c = a_write();
    c.length = 0;
    refused(&c, BH_FAULT_UNDEFINED, "AT_LEN_BE is 0: nothing to read or write");
    c.length = UINT64_C(1) << 32;
    refused(&c, BH_FAULT_UNDEFINED, "AT_LEN_BE is 4294967296 bytes, more than the counters of packets hold");
    c = a_read();
    c.targ_hi = at(17, 12);
    c.ret_hi = at(18, 12);
    c.targ = c.ret = 0;
    c.length = 255 * 16384 + 1;
    refused(&c, BH_FAULT_UNDEFINED, "AT_LEN_BE is 4177921 bytes, more than the counters of packets hold");
    c.length = 255 * 16384;
    go(0, &c, 50);
    assert_int_equal(bench.sent, 255);
    bench_init(0);
    c = a_read();
    c.length = 16385;
    refused(&c, BH_FAULT_MISALIGNED,
            "AT_LEN_BE is above 16384, but TARG_ADDR_LO 0x1010 or RET_ADDR_LO 0x2010 is not aligned to 64");
}

/* ---- Addresses --------------------------------------------------------------------------------------------------- */

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
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_LO: 0x17fff0 + 17 bytes are not all in L1 (Tensix tile)");
    c.targ = 0;
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_LO: 0x7fff0 + 17 bytes are not all in L1 (Ethernet tile)");
    c = a_write();
    c.targ = 0x180010;
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_LO: 0x180010 + 100 bytes are not all in L1 (Tensix tile)");
    c = a_write();
    c.ctrl |= MULTICAST;
    c.ret_hi = rectangle(1, 2, 3, 3);
    c.ret = 0xFEFFFFF0;
    c.targ = 0;
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_LO: 0xfefffff0 + 100 bytes are not all in L1 (Tensix tile)");
    c = a_write();
    c.ctrl |= BYTE_ENABLE;
    c.ret = 0x17FFC0 + 16;
    c.length = UINT64_C(1) << 48;
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_LO: 0x17ffd0 + 49 bytes are not all in L1 (Tensix tile)");
    c.length = UINT64_C(1) << 47;
    go(0, &c, 70);
    c.targ = 0x180000 - 32;
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_LO: 0x17ffe0 + 48 bytes are not all in L1 (Tensix tile)");
}

static void addresses_of_32_bits(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_read();
    c.targ |= UINT64_C(0x100000000);
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_MID is 0x1, but addresses there have 32 bits (Tensix tile)");
    c = a_read();
    c.ret |= UINT64_C(0x1000000000000000);
    refused(&c, BH_FAULT_UNMAPPED, "RET_ADDR_MID is 0x10000000, but addresses there have 32 bits (Tensix tile)");
}

/* ---- Alignment --------------------------------------------------------------------------------------------------- */

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
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0x1018 and RET_ADDR_LO 0x2010 must be equal modulo 16 here");
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
    refused(&c, BH_FAULT_UNDEFINED, "AT_LEN_BE is 8, but RET_ADDR_LO 0xffb12068 is a register of 4 bytes");
    c.length = 4;
    c.ret = 0xFFB1206A;
    refused(&c, BH_FAULT_MISALIGNED, "RET_ADDR_LO 0xffb1206a is a register, but not aligned");
    c.ret = 0xFFB1206C;
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0x1008 and RET_ADDR_LO 0xffb1206c must be equal modulo 16 here");
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
    refused(&c, BH_FAULT_UNDEFINED, "AT_LEN_BE is 4, which goes beyond the register at TARG_ADDR_LO 0xffb12069");
    c.length = 3;
    c.ret = 0x2002;
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0xffb12069 and RET_ADDR_LO 0x2002 must be equal modulo 4 here");
    c = a_read(); /* from DRAM to a register */
    c.targ_hi = at(17, 12);
    c.targ = 0x1020;
    c.ret = 0xFFB40030;
    c.length = 4;
    go(0, &c, 90);
    c.targ = 0x1024;
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0x1024 and RET_ADDR_LO 0xffb40030 must be equal modulo 16 here");
}

static void masked_registers(void **state) {
    (void)state;
    bench_init(0);
    struct command c = a_write();
    c.ctrl |= BYTE_ENABLE;
    c.length = 15;
    c.ret = 0xFFB12069;
    refused(&c, BH_FAULT_MISALIGNED, "RET_ADDR_LO 0xffb12069 is a register, but not aligned");
    c.ret = 0xFFB12064;
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0x1010 and RET_ADDR_LO 0xffb12064 must be equal modulo 16 here");
    c.targ = 0xFFB12002;
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0xffb12002 is a register, but not aligned");
    c.ret = 0x2000;
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0xffb12002 is a register, but not aligned");
}

static void inline_data(void **state) {
    (void)state;
    bench_init(0);
    struct command c = an_inline();
    c.targ_hi = at(17, 12);
    refused(&c, BH_FAULT_UNDEFINED, "CTRL: inline data, but TARG_ADDR_HI names no Tensix or Ethernet tile (DRAM tile)");
    c = an_inline();
    c.targ = 0x17FFFE;
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_LO: 0x17fffe + 4 bytes are not all in L1 (Tensix tile)");
    c.targ = 0xFFB40002;
    refused(&c, BH_FAULT_MISALIGNED, "TARG_ADDR_LO 0xffb40002 is a register, but not aligned");
}

static void atomic_places(void **state) {
    (void)state;
    bench_init(0);
    struct command c = an_atomic();
    c.targ_hi = at(19, 24);
    refused(&c, BH_FAULT_UNDEFINED,
            "CTRL: an atomic, but TARG_ADDR_HI names no Tensix or Ethernet tile (PCI Express tile)");
    c = an_atomic();
    c.ret_hi = at(17, 12);
    refused(&c, BH_FAULT_UNDEFINED, "CTRL: an atomic, but RET_ADDR_HI names no Tensix or Ethernet tile (DRAM tile)");
    c = an_atomic();
    c.targ = 0xFFB40000;
    refused(&c, BH_FAULT_UNDEFINED, "CTRL: an atomic, but TARG_ADDR_LO 0xffb40000 is not in L1");
    c = an_atomic();
    c.ret = 0xFFB40000;
    refused(&c, BH_FAULT_UNDEFINED, "CTRL: an atomic, but RET_ADDR_LO 0xffb40000 is not in L1");
    c = an_atomic();
    c.targ = 0x1016;
    refused(&c, BH_FAULT_MISALIGNED, "CTRL: an atomic, but TARG_ADDR_LO 0x1016 is not aligned to 4");
    c = an_atomic();
    c.ret = 5;
    refused(&c, BH_FAULT_MISALIGNED, "CTRL: an atomic, but RET_ADDR_LO 0x5 is not aligned to 4");
    c = an_atomic();
    c.targ = 0x180000;
    refused(&c, BH_FAULT_UNMAPPED, "TARG_ADDR_LO: 0x180000 + 4 bytes are not all in L1 (Tensix tile)");
    c = an_atomic();
    c.length = 0x2000;
    refused(&c, BH_FAULT_UNDEFINED, "AT_LEN_BE: there is no such atomic operation (0x2000)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_bits),         cmocka_unit_test(tag_bits),    cmocka_unit_test(header_stores),
        cmocka_unit_test(exclusion_bits),       cmocka_unit_test(lengths),     cmocka_unit_test(ends_of_l1),
        cmocka_unit_test(addresses_of_32_bits), cmocka_unit_test(congruence),  cmocka_unit_test(registers),
        cmocka_unit_test(masked_registers),     cmocka_unit_test(inline_data), cmocka_unit_test(atomic_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
