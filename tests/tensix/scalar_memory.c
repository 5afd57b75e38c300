/* src/tensix/scalar/memory.c and store_src.c: sizes, addresses, the order of address, increment and data, late results,
 * registers, the rows of Src. */
#include "scalar_bench.h"

static const unsigned bytes_of[4] = { 16, 4, 2, 1 };
static const unsigned steps[4] = { 0, 2, 4, 16 };

enum { ADDR = 1, OFFSET = 40 /* low half of GPR 20 */, OTHER = 41, DATA = 34 };

static uint32_t load(unsigned size, unsigned offset, unsigned step, unsigned data, unsigned addr) {
    return tensix_encode_LOADIND((struct tensix_LOADIND){ size, offset, step, data, addr });
}

static uint32_t store(unsigned size, unsigned offset, unsigned step, unsigned data, unsigned addr) {
    return tensix_encode_STOREIND((struct tensix_STOREIND){ 1, size >> 1, size & 1, offset, step, data, addr });
}

static uint32_t store_mmio(unsigned offset, unsigned step, unsigned data, unsigned addr) {
    return tensix_encode_STOREIND((struct tensix_STOREIND){ 0, 1, 0, offset, step, data, addr });
}

static uint32_t store_src(unsigned file, unsigned offset, unsigned step, unsigned data, unsigned addr) {
    return tensix_encode_STOREIND((struct tensix_STOREIND){ 0, 0, file, offset, step, data, addr });
}

static void fill(struct bench *b) {
    for (unsigned i = 0; i < 0x1000; i++)
        b->x.l1[i] = (uint8_t)(i * 7 + 3);
    for (unsigned i = 0; i < TENSIX_GPRS; i++)
        b->x.gpr[1][i] = 0xA0B0C000 + i;
}

/* ---- LOADIND --------------------------------------------------------------------------------------- */

static void check_load(struct bench *b, unsigned size, unsigned step, uint16_t offset) {
    unsigned bytes = bytes_of[size], first = size == 0 ? DATA & 0x3C : DATA;
    uint32_t expected[TENSIX_GPRS];
    fill(b);
    b->x.gpr[1][ADDR] = 0x12;
    tensix_set_half(&b->x, 1, OFFSET, offset);
    memcpy(expected, b->x.gpr[1], sizeof expected);
    expected[OFFSET / 2] = (expected[OFFSET / 2] & 0xFFFF0000) | (uint16_t)(offset + steps[step]);
    assert_takes(b, execute_LOADIND, 1, load(size, OFFSET, step, DATA, ADDR), 200, 3);
    assert_int_equal(b->x.thread[1].busy[TENSIX_BUSY_MEMORY], 210);
    /* The value at the time of the read counts, not that at the landing. */
    uint32_t address = (0x120u + offset) & ~(bytes - 1);
    memcpy(&expected[first], &b->x.l1[address], bytes);
    memset(b->x.l1, 0, 0x1000);
    assert_int_equal(b->x.gpr[1][DATA], 0xA0B0C000 + DATA);
    tensix_run(&b->x, 209);
    assert_int_equal(b->x.gpr[1][DATA], 0xA0B0C000 + DATA);
    tensix_run(&b->x, 210);
    assert_memory_equal(b->x.gpr[1], expected, sizeof expected);
}

static void test_load(void **state) {
    struct bench *b = *state;
    for (unsigned size = 0; size < 4; size++)
        for (unsigned step = 0; step < 4; step++)
            for (unsigned offset = 0; offset < 20; offset++, bench_renew(&b))
                check_load(b, size, step, (uint16_t)offset);
    *state = b;
}

/* The offset half may be either half of any GPR, also of the one with the address. */
static void test_load_aliases(void **state) {
    struct bench *b = *state;
    fill(b);
    b->x.gpr[1][ADDR] = 0x00030010; /* address 0x300100 + 3 is outside; + 0x10 is too */
    assert_faults(b, execute_LOADIND, 1, load(1, 2 * ADDR + 1, 3, DATA, ADDR), 5, BH_FAULT_UNMAPPED, "0x00300103");
    b->x.gpr[1][ADDR] = 0x14; /* 0x140 + 0x14 */
    uint32_t value = bench_word(b, 0x154);
    assert_takes(b, execute_LOADIND, 1, load(1, 2 * ADDR, 3, DATA, ADDR), 5, 3);
    assert_int_equal(b->x.gpr[1][ADDR], 0x24);
    tensix_run(&b->x, 15);
    assert_int_equal(b->x.gpr[1][DATA], value);
    /* The result over the incremented offset. */
    b->x.gpr[1][20] = 0x00008;
    value = bench_word(b, 0x248);
    assert_takes(b, execute_LOADIND, 1, load(1, OFFSET, 2, 20, ADDR), 20, 3);
    assert_int_equal(b->x.gpr[1][20], 0xC);
    tensix_run(&b->x, 30);
    assert_int_equal(b->x.gpr[1][20], value);
}

static void test_offset_wraps_in_its_half(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][ADDR] = 0x100;
    b->x.gpr[0][20] = 0x1234FFFE;
    assert_takes(b, execute_LOADIND, 0, load(2, OFFSET, 2, DATA, ADDR), 0, 3);
    assert_int_equal(b->x.gpr[0][20], 0x12340002);
    b->x.gpr[0][20] = 0xFFFE1234;
    assert_takes(b, execute_LOADIND, 0, load(2, OTHER, 3, DATA, ADDR), 3, 3);
    assert_int_equal(b->x.gpr[0][20], 0x000E1234);
}

/* A landing overrides a value that was written meanwhile. */
static void test_late_load_wins(void **state) {
    struct bench *b = *state;
    bench_put(b, 0, 0x11223344);
    assert_takes(b, execute_LOADIND, 0, load(2, OFFSET, 0, DATA, ADDR), 0, 3);
    assert_takes(b, execute_SETDMAREG, 0,
                 tensix_encode_SETDMAREG((struct tensix_SETDMAREG){ .Payload_SigSel = 0x55, .RegIndex16b = 2 * DATA }),
                 3, 1);
    assert_takes(
        b, execute_SETDMAREG, 0,
        tensix_encode_SETDMAREG((struct tensix_SETDMAREG){ .Payload_SigSel = 0x66, .RegIndex16b = 2 * DATA + 1 }), 4,
        1);
    tensix_run(&b->x, 9);
    assert_int_equal(b->x.gpr[0][DATA], 0x00660055);
    tensix_run(&b->x, 10);
    assert_int_equal(b->x.gpr[0][DATA], 0x00663344);
}

static void test_end_of_l1(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][ADDR] = 0x17FFF;
    b->x.gpr[0][20] = 15;
    assert_takes(b, execute_LOADIND, 0, load(3, OFFSET, 0, DATA, ADDR), 0, 3);
    assert_takes(b, execute_STOREIND, 0, store(0, OFFSET, 0, DATA, ADDR), 3, 3);
    b->x.gpr[0][20] = 16;
    assert_faults(b, execute_LOADIND, 0, load(3, OFFSET, 1, DATA, ADDR), 9, BH_FAULT_UNMAPPED, "0x00180000");
    assert_int_equal(b->fault.address, 0x180000);
    assert_faults(b, execute_STOREIND, 0, store(3, OFFSET, 1, DATA, ADDR), 9, BH_FAULT_UNMAPPED, "0x00180000");
    b->x.gpr[0][ADDR] = 0x10000000; /* 32 bits of address */
    assert_takes(b, execute_LOADIND, 0, load(3, OFFSET, 0, DATA, ADDR), 9, 3);
}

/* ---- STOREIND to L1 ---------------------------------------------------------------------------------- */

static void check_store(struct bench *b, unsigned size, unsigned step, uint16_t offset) {
    static uint8_t expected[0x1000];
    unsigned bytes = bytes_of[size], first = size == 0 ? DATA & 0x3C : DATA;
    uint32_t address = (0x120u + offset) & ~(bytes - 1);
    fill(b);
    b->x.gpr[1][ADDR] = 0x12;
    tensix_set_half(&b->x, 1, OFFSET, offset);
    memcpy(expected, b->x.l1, sizeof expected);
    memcpy(&expected[address], &b->x.gpr[1][first], bytes);
    assert_takes(b, execute_STOREIND, 1, store(size, OFFSET, step, DATA, ADDR), 200, 3);
    assert_memory_equal(b->x.l1, expected, sizeof expected);
    assert_int_equal(b->written_address, address);
    assert_int_equal(b->written_size, bytes);
    assert_int_equal(b->written_time, 201);
    assert_int_equal(tensix_half(&b->x, 1, OFFSET), offset + steps[step]);
    assert_int_equal(b->x.thread[1].busy[TENSIX_BUSY_MEMORY], 203);
}

static void test_store(void **state) {
    struct bench *b = *state;
    for (unsigned size = 0; size < 4; size++)
        for (unsigned step = 0; step < 4; step++)
            for (unsigned offset = 0; offset < 20; offset++, bench_renew(&b))
                check_store(b, size, step, (uint16_t)offset);
    *state = b;
}

/* To L1 goes the GPR after the increment, to a register the one before. */
static void test_store_of_its_offset(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][20] = 0x00000100;
    assert_takes(b, execute_STOREIND, 0, store(1, OFFSET, 3, 20, ADDR), 0, 3);
    assert_int_equal(bench_word(b, 0x100), 0x110);
    b->x.gpr[0][ADDR] = 0x12000;
    assert_takes(b, execute_STOREIND, 0, store_mmio(OFFSET, 3, 20, ADDR), 3, 3);
    assert_int_equal(b->register_address, 0xFFB12010);
    assert_int_equal(b->register_value, 0x110);
    assert_int_equal(b->x.gpr[0][20], 0x120);
}

/* ---- Registers --------------------------------------------------------------------------------------- */

static void test_store_mmio(void **state) {
    static const struct {
        uint32_t base, address;
        uint16_t offset;
    } rows[] = {
        { 0x11000, 0xFFB11000, 0 },    { 0x121B0, 0xFFB121B0, 15 },   { 0x121B0, 0xFFB121B0, 0x3F },
        { 0x121B0, 0xFFB121B4, 0x40 }, { 0xFFB121B3, 0xFFB121B0, 0 }, { 0x12000, 0xFFB12FFC, 0xFFFF },
        { 0xFFFFFFFC, 0xFFBFFFFC, 0 },
    };
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        b->x.gpr[2][ADDR] = rows[i].base;
        b->x.gpr[2][20] = 0xABCD0000 | rows[i].offset;
        b->x.gpr[2][DATA] = 0x1234 + i;
        assert_takes(b, execute_STOREIND, 2, store_mmio(OFFSET, 1, DATA, ADDR), 10 * i, 3);
        assert_int_equal(b->register_address, rows[i].address);
        assert_int_equal(b->register_value, 0x1234 + i);
        assert_int_equal(b->register_time, 10 * i);
        assert_int_equal(b->x.gpr[2][20], 0xABCD0000 | (uint16_t)(rows[i].offset + 2));
        assert_int_equal(b->x.thread[2].busy[TENSIX_BUSY_MEMORY], 10 * i + 3);
    }
    assert_int_equal(b->writes, sizeof rows / sizeof rows[0]);
}

static void test_mmio_faults(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][ADDR] = 0x10FFC;
    assert_faults(b, execute_STOREIND, 0, store_mmio(OFFSET, 1, DATA, ADDR), 1, BH_FAULT_UNDEFINED, "0xffb10ffc");
    assert_faults(b, execute_STOREIND, 0, store_mmio(OFFSET, 1, DATA, ADDR) | 1u << 21, 1, BH_FAULT_UNDEFINED,
                  "bit 21");
    assert_faults(b, execute_STOREREG, 0, 0x67000000 | 0x10FFC / 4, 1, BH_FAULT_UNDEFINED, "0xffb10ffc");
    assert_faults(b, execute_LOADREG, 0, 0x68000000 | 0x10FFC / 4, 1, BH_FAULT_UNDEFINED, "0xffb10ffc");
    assert_int_equal(b->reads + b->writes, 0);
    b->reply = access_refused(BH_FAULT_UNMODELLED, "not for you");
    b->x.gpr[0][ADDR] = 0x12000;
    assert_faults(b, execute_STOREIND, 0, store_mmio(OFFSET, 1, DATA, ADDR), 1, BH_FAULT_UNMODELLED,
                  "0xffb12000: not for you");
    assert_faults(b, execute_STOREREG, 0, 0x67000000 | 0x12000 / 4, 1, BH_FAULT_UNMODELLED, "0xffb12000: not for you");
    assert_faults(b, execute_LOADREG, 0, 0x68000000 | 0x12000 / 4, 1, BH_FAULT_UNMODELLED, "0xffb12000: not for you");
    assert_int_equal(b->fault.address, 0xFFB12000);
}

static void test_load_and_store_register(void **state) {
    struct bench *b = *state;
    b->x.gpr[1][63] = 0xCAFE;
    assert_takes(b, execute_STOREREG, 1, 0x67000000 | 63u << 18 | 0x3FFFF, 40, 3);
    assert_int_equal(b->register_address, 0xFFBFFFFC);
    assert_int_equal(b->register_value, 0xCAFE);
    assert_int_equal(b->register_time, 40);
    assert_int_equal(b->x.thread[1].busy[TENSIX_BUSY_MEMORY], 43);
    assert_takes(b, execute_LOADREG, 1, 0x68000000 | 62u << 18 | 0x11000 / 4, 50, 3);
    assert_int_equal(b->register_address, 0xFFB11000);
    assert_int_equal(b->x.thread[1].busy[TENSIX_BUSY_MEMORY], 60);
    b->register_value = 0xBAD;
    tensix_run(&b->x, 59);
    assert_int_equal(b->x.gpr[1][62], 0);
    tensix_run(&b->x, 60);
    assert_int_equal(b->x.gpr[1][62], 0xCAFE);
}

/* A register that makes it wait: the unit is closed meanwhile, and nothing has been done twice. */
static void test_register_waits(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][ADDR] = 0x12000;
    b->reply = access_wait(WAIT_PACKED_TILE);
    assert_int_equal(execute_STOREIND(&b->x, 0, store_mmio(OFFSET, 3, DATA, ADDR), 10), TENSIX_NEVER);
    assert_int_equal(b->x.thread[0].waits_on, WAIT_PACKED_TILE);
    assert_int_equal(b->x.gpr[0][20], 0);
    assert_int_equal(execute_DMANOP(&b->x, 1, 0x60000000, 11), TENSIX_NEVER);
    b->reply = access_done();
    assert_int_equal(execute_STOREIND(&b->x, 0, store_mmio(OFFSET, 3, DATA, ADDR), 11), TENSIX_PASSED);
    assert_int_equal(b->x.scalar.busy_until, 13); /* three cycles since it entered */
    assert_int_equal(b->x.thread[1].due, 13);
    assert_int_equal(b->x.gpr[0][20], 16);
    b->reply = access_wait(WAIT_PACKED_TILE);
    assert_int_equal(execute_LOADREG(&b->x, 1, 0x68000000 | 0x12000 / 4, 20), TENSIX_NEVER);
    assert_int_equal(b->x.landings, 0);
    b->reply = access_done();
    assert_int_equal(execute_LOADREG(&b->x, 1, 0x68000000 | 0x12000 / 4, 30), TENSIX_PASSED);
    assert_int_equal(b->x.scalar.busy_until, 31);
    assert_int_equal(b->x.thread[1].busy[TENSIX_BUSY_MEMORY], 40);
    /* Answered in the cycle in which it would have been done: one more. */
    b->reply = access_wait(WAIT_PACKED_TILE);
    assert_int_equal(execute_STOREREG(&b->x, 2, 0x67000000 | 0x12000 / 4, 50), TENSIX_NEVER);
    b->reply = access_done();
    assert_int_equal(execute_STOREREG(&b->x, 2, 0x67000000 | 0x12000 / 4, 53), TENSIX_PASSED);
    assert_int_equal(b->x.scalar.busy_until, 54);
}

/* ---- Src ---------------------------------------------------------------------------------------------- */

/* 0xC0A0 in both orders: -5 has sign 1, exponent 0x81, mantissa 0x20. */
static const uint32_t minus_five = 0xC0A00000 | 0xA081;
static const uint32_t minus_five_in_src = 1u << 18 | 0x20u << 11 | 0x81;

/* Where the four data are, or nowhere (row -1). */
static void check_src(struct bench *b, unsigned file, unsigned bank, int row, unsigned column) {
    for (unsigned f = 0; f < SRC_FILES; f++)
        for (unsigned k = 0; k < SRC_BANKS; k++)
            for (unsigned r = 0; r < SRC_ROWS; r++)
                for (unsigned c = 0; c < SRC_COLUMNS; c++) {
                    bool here = f == file && k == bank && (int)r == row && c / 4 == column;
                    assert_int_equal(src_get(&b->x.src.bank[f][k], r, c), here ? minus_five_in_src : 0);
                }
}

static void test_src_rows(void **state) {
    static const struct {
        uint8_t file, base, whole, column;
        uint16_t address;
        int16_t row; /* -1: dropped, -2: undefined */
    } rows[] = {
        { SRC_A, 0, 0, 0, 0, -1 },      { SRC_A, 0, 0, 3, 15, -1 },   { SRC_A, 0, 0, 0, 16, 0 },
        { SRC_A, 16, 0, 1, 17, 16 },    { SRC_A, 48, 0, 3, 79, 63 },  { SRC_A, 0, 0, 0, 80, -2 },
        { SRC_A, 16, 1, 2, 18, 0 },     { SRC_A, 16, 1, 3, 271, 63 }, { SRC_A, 0, 1, 0, 272, -2 },
        { SRC_A, 0, 1, 1, 13, -1 },     { SRC_B, 0, 0, 0, 0, 0 },     { SRC_B, 32, 0, 3, 63, 47 },
        { SRC_B, 0, 0, 0, 64, -2 },     { SRC_B, 0, 1, 0, 64, -2 },   { SRC_B, 48, 1, 2, 62, 63 },
        { SRC_A, 0, 0, 0, 0xFFFF, -2 },
    };
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++, bench_renew(&b))
        for (unsigned bank = 0; bank < 2; bank++) {
            bench_renew(&b);
            b->x.src.unpacker_bank[rows[i].file] = (uint8_t)bank;
            b->x.src.allowed[rows[i].file][!bank] = SRC_MATRIX;
            b->x.src.unpacker_row[rows[i].file][1] = rows[i].base;
            b->x.config.thread[1][CONFIG_WORD_SRCA_SET_SetOvrdWithAddr] =
                (uint16_t)(rows[i].whole << CONFIG_SHIFT_SRCA_SET_SetOvrdWithAddr);
            b->x.gpr[1][32] = b->x.gpr[1][33] = minus_five;
            b->x.gpr[1][ADDR] = rows[i].address / 2u;
            b->x.gpr[1][20] = (rows[i].address - rows[i].address / 2u) << 4 & 0xFFFF;
            if ((rows[i].address - rows[i].address / 2u) >> 12) { /* more than the offset holds */
                b->x.gpr[1][ADDR] = rows[i].address;
                b->x.gpr[1][20] = 0;
            }
            uint32_t before = b->x.gpr[1][20], word = store_src(rows[i].file, OFFSET, 3, DATA, ADDR);
            if (rows[i].row == -2) {
                assert_faults(b, execute_STOREIND, 1, word, 9, BH_FAULT_UNDEFINED, "row");
                assert_int_equal(b->fault.address, rows[i].address);
                continue;
            }
            assert_takes(b, execute_STOREIND, 1, word, 9, 3);
            assert_int_equal(b->x.gpr[1][20], before + 16);
            check_src(b, rows[i].file, bank, rows[i].row, rows[i].column);
        }
    *state = b;
}

static void test_src_data(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][32] = 0x7F80FFFF; /* high: infinity; low: all ones */
    b->x.gpr[0][33] = 0x807F8000; /* high: sign and mantissa; low: sign */
    assert_takes(b, execute_STOREIND, 0, store_src(1, OFFSET, 0, 35, ADDR), 0, 3);
    const struct src_bank *bank = &b->x.src.bank[SRC_B][0];
    assert_int_equal(src_get(bank, 0, 0), 0x7F8FF);
    assert_int_equal(src_get(bank, 0, 1), 0x000FF);
    assert_int_equal(src_get(bank, 0, 2), 0x40000);
    assert_int_equal(src_get(bank, 0, 3), 0x40000 | 0x7F << 11);
}

/* The data are those before the increment, as their GPRs are read first. */
static void test_src_of_its_offset(void **state) {
    struct bench *b = *state;
    assert_takes(b, execute_STOREIND, 0, store_src(1, 64, 3, 32, ADDR), 0, 3);
    assert_int_equal(src_get(&b->x.src.bank[SRC_B][0], 0, 0), 0);
    assert_int_equal(b->x.gpr[0][32], 16);
}

static void test_src_high_address(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][ADDR] = 0x10000;
    assert_faults(b, execute_STOREIND, 0, store_src(0, OFFSET, 3, DATA, ADDR), 0, BH_FAULT_UNDEFINED, "0x10000");
    b->x.gpr[0][ADDR] = 0x100010; /* twenty bits count */
    assert_takes(b, execute_STOREIND, 0, store_src(0, OFFSET, 3, DATA, ADDR), 0, 3);
}

static void test_src_waits_for_its_bank(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][32] = b->x.gpr[0][33] = minus_five;
    b->x.src.allowed[SRC_B][0] = SRC_MATRIX;
    assert_int_equal(execute_STOREIND(&b->x, 0, store_src(1, OFFSET, 3, DATA, ADDR), 10), TENSIX_NEVER);
    assert_non_null(strstr(wait_text(b->x.thread[0].waits_on), "SrcB"));
    assert_int_equal(b->x.gpr[0][20], 0);
    check_src(b, SRC_B, 0, -1, 0);
    assert_int_equal(execute_DMANOP(&b->x, 2, 0x60000000, 14), TENSIX_NEVER);
    b->x.src.allowed[SRC_B][0] = SRC_UNPACKERS;
    assert_int_equal(execute_STOREIND(&b->x, 0, store_src(1, OFFSET, 3, DATA, ADDR), 30), TENSIX_PASSED);
    check_src(b, SRC_B, 0, 0, 0);
    assert_int_equal(b->x.gpr[0][20], 16);
    assert_int_equal(b->x.scalar.busy_until, 31);
    assert_int_equal(b->x.scalar.owner, SCALAR_NOBODY);
    assert_int_equal(b->x.thread[2].due, 31);
}

/* Columns that a soft reset holds stay zero. */
static void test_src_in_reset(void **state) {
    struct bench *b = *state;
    b->x.gpr[0][32] = b->x.gpr[0][33] = minus_five;
    b->x.gpr[0][ADDR] = 18;
    b->x.held = 1u << 21;
    assert_takes(b, execute_STOREIND, 0, store_src(0, OFFSET, 0, DATA, ADDR), 0, 3);
    check_src(b, SRC_A, 0, -1, 0);
    b->x.held = 1u << 10;
    assert_takes(b, execute_STOREIND, 0, store_src(0, OFFSET, 0, DATA, ADDR), 3, 3);
    check_src(b, SRC_A, 0, -1, 0);
    b->x.held = 1u << 20 | 1u << 16;
    assert_takes(b, execute_STOREIND, 0, store_src(1, OFFSET, 0, DATA, ADDR), 6, 3);
    check_src(b, SRC_B, 0, -1, 0);
    assert_takes(b, execute_STOREIND, 0, store_src(0, OFFSET, 0, DATA, ADDR), 9, 3);
    check_src(b, SRC_A, 0, 0, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_load),
        TEST(test_load_aliases),
        TEST(test_offset_wraps_in_its_half),
        TEST(test_late_load_wins),
        TEST(test_end_of_l1),
        TEST(test_store),
        TEST(test_store_of_its_offset),
        TEST(test_store_mmio),
        TEST(test_mmio_faults),
        TEST(test_load_and_store_register),
        TEST(test_register_waits),
        TEST(test_src_rows),
        TEST(test_src_data),
        TEST(test_src_of_its_offset),
        TEST(test_src_high_address),
        TEST(test_src_waits_for_its_bank),
        TEST(test_src_in_reset),
    };
    return cmocka_run_group_tests_name("tensix/scalar_memory", tests, NULL, NULL);
}
