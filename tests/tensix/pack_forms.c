/* The packer's forms one by one: the words of the pages, whole tiles from the official simulator, and reported
 * sizes. */
#include "tensix/pack_setup.h"

#include "tensix/dst_model.h"
#include "tensix/pack_scenes.h"

/* ---- Whole tiles ------------------------------------------------------------------------------------------------- */

static unsigned format_of(unsigned code) {
    unsigned i = 0;
    while (ps_formats[i] != code)
        i++;
    return i;
}

static void play_scene(enum ps_kind kind, unsigned code, uint64_t hash) {
    struct tensix_box *tb = tb_create();
    struct ps s = ps_make(kind, format_of(code));
    struct tensix *x = tb->x;
    for (unsigned bank = 0; bank < 2; bank++)
        memcpy(x->config.bank[bank], s.config, sizeof s.config);
    memcpy(x->config.thread[0], s.own, sizeof s.own);
    for (unsigned row = 0; row < 128; row++)
        for (unsigned column = 0; column < DST_COLUMNS; column++)
            dm_put(x, &x->dst, row, column, s.wide, ps_datum(&s, row, column));
    x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = s.last_x;
    ps_memory(&s, x->l1);
    for (unsigned i = 0; i < s.words; i++)
        pt_good(tb, s.word[i]);
    if (ps_hash(x->l1) != hash)
        fail_msg("scene %d, formats %03x: another tile than the official simulator's", (int)kind, code);
    tb_destroy(tb);
}

static void tiles_of_the_official_simulator(void **state) {
    (void)state;
#define PS_SCENE(kind, code, hash) play_scene(PS_##kind, code, UINT64_C(hash));
#include "tensix/data/pack_scenes.inc"
}

/* ---- Rows and columns -------------------------------------------------------------------------------------------- */

/* The table of PACR.md. */
static void rows_that_interfaces_read(void **state) {
    (void)state;
    for (unsigned mask = 0; mask < 16; mask++) {
        struct tensix_box *tb = pt_create();
        unsigned at = 0;
        pt_fill(tb);
        memset(tb->x->l1 + PT_TILE, 0xEE, 256);
        tb->x->adc[0][ADC_PACKERS].channel[0].value[ADC_Y] = 8;
        pt_good(tb, PT_PACR(mask << 8 | PT_LAST));
        for (unsigned i = 0; i < 4; i++)
            for (unsigned column = 0; (mask ? mask : 15) >> i & 1 && column < 16; column++)
                assert_int_equal(pt_half(tb, at++), pt_number(8 + i, column));
        assert_int_equal(at, 16 * (mask ? __builtin_popcount(mask) : 4));
        assert_int_equal(pt_half(tb, at), 0xEEEE);
        assert_int_equal(tb->x->pack.position, at / 16);
        tb_destroy(tb);
    }
}

/* Whole tiles are packed with a plane of one row, which groups of four step over. What sets the height of a plane then
 * begins with row 0, whichever instruction writes it, whole or in part. */
static void position_begins_anew_with_the_counters(void **state) {
    (void)state;
    enum { COUNTERS = CONFIG_WORD_PACK_COUNTERS_SEC0_pack_per_xy_plane };
    for (unsigned way = 0; way < 3; way++) {
        struct tensix_box *tb = pt_create();
        config_store(tb->x, 0, COUNTERS, 1 << 8, false);
        pt_good(tb, PT_PACR(PT_LAST));
        assert_int_equal(tb->x->pack.position, 4);
        tb->x->gpr[0][8] = 4 << 8;
        if (way == 0)
            config_store(tb->x, 0, COUNTERS, 4 << 8, false);
        else if (way == 1)
            execute_WRCFG(tb->x, 0, TT(WRCFG, 8, 0, COUNTERS), tb->now);
        else
            execute_RMWCIB1(tb->x, 0, TT(RMWCIB1, .CfgRegAddr = COUNTERS, .Mask = 0xFF, .Data = 4), tb->now);
        tensix_run(tb->x, tb->now += 2000);
        assert_int_equal(tb->x->config.bank[0][COUNTERS] >> 8 & 0xFF, 4);
        assert_int_equal(tb->x->pack.position, 0);
        tb_destroy(tb);
    }
}

/* A first row in the middle of four: the others follow it, up to the end of the four; wherever in a tile that is. */
static void interfaces_follow_the_first_row(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4 * 16 * 2; i++) {
        struct tensix_box *tb = pt_create();
        unsigned row = i / 16 % 4, mask = i % 16 ? i % 16 : 15, second = i / 64;
        pt_fill(tb);
        if (second)
            pt_good(tb, PT_PACR(PT_ONE));
        tb->x->adc[0][ADC_PACKERS].channel[0].value[ADC_Y] = row;
        const char *text = pt_run(tb, PT_PACR(mask << 8 | PT_LAST));
        assert_int_equal(text != NULL, mask << row > 15);
        if (text)
            assert_non_null(strstr(text, "ReadIntfSel"));
        else
            assert_int_equal(pt_half(tb, 16 * second), pt_number(row + (unsigned)__builtin_ctz(mask), 0));
        tb_destroy(tb);
    }
}

/* Each base, counter and stride has its part in the row. */
static void address_in_dst(void **state) {
    struct tensix_box *tb = pt_create();
    struct adc_channel *channel = tb->x->adc[0][ADC_PACKERS].channel;
    uint32_t *c = pt_config(tb);
    (void)state;
    pt_fill(tb);
    c[13] = 16 * 32 | (uint32_t)(64 * 32) << 16;
    MR_SET(c, PCK0_ADDR_BASE_REG_0_Base, 2 * 32);
    MR_SET(c, DEST_TARGET_REG_CFG_PACK_SEC0_Offset, 512);
    channel[0].value[ADC_Y] = 3;
    channel[0].value[ADC_Z] = 2;
    channel[0].value[ADC_W] = 1;
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    assert_int_equal(pt_half(tb, 0), pt_number(2 + 3 + 32 + 64 + 512, 0));
    channel[0].value[ADC_W] = 7; /* around */
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    assert_int_equal(pt_half(tb, 0), pt_number((2 + 3 + 32 + 7 * 64 + 512) % 1024, 0));
    tb_destroy(tb);
}

/* Columns of BF16: the lowest three bits come from X, the others from the sum. */
static void columns_of_a_row(void **state) {
    static const struct {
        unsigned x, stride, count, first;
    } cases[] = {
        { 0, 0, 16, 0 }, { 5, 0, 3, 5 }, { 11, 0, 4, 3 }, { 11, 2, 4, 11 }, { 8, 2, 8, 8 }, { 15, 2, 1, 15 },
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tensix_box *tb = pt_create();
        struct adc_channel *channel = tb->x->adc[0][ADC_PACKERS].channel;
        pt_fill(tb);
        MR_SET(pt_config(tb), PCK0_ADDR_CTRL_XY_REG_0_Xstride, cases[i].stride);
        channel[0].value[ADC_X] = cases[i].x;
        channel[1].value[ADC_X] = cases[i].x + cases[i].count - 1;
        pt_good(tb, PT_PACR(PT_TWO | PT_LAST));
        for (unsigned k = 0; k < 2 * cases[i].count; k++)
            assert_int_equal(pt_half(tb, k), pt_number(k / cases[i].count, cases[i].first + k % cases[i].count));
        for (unsigned k = 2 * cases[i].count; k % 8; k++)
            assert_int_equal(pt_half(tb, k), 0); /* up to 16 bytes */
        tb_destroy(tb);
    }
}

static void invalid_rows_are_zero(void **state) {
    (void)state;
    for (unsigned wide = 0; wide < 2; wide++) {
        struct tensix_box *tb = pt_create();
        memset(tb->x->dst.bits, 0x3F, sizeof tb->x->dst.bits);
        if (wide)
            pt_formats(tb, true, 0, 0);
        tb->x->dst.invalid[0] = 1 << 2;
        memset(tb->x->l1 + PT_TILE, 0xEE, 256);
        pt_good(tb, PT_PACR(PT_LAST));
        for (unsigned i = 0; i < 64u << wide; i++)
            assert_int_equal(pt_half(tb, i) == 0, i / (16u << wide) == 2);
        tb_destroy(tb);
    }
}

static void downsampling(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_fill(tb);
    MR_SET(pt_config(tb), THCON_SEC0_REG1_Downsample_mask, 0x8421);
    pt_good(tb, PT_PACR(PT_LAST));
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(pt_half(tb, i), pt_number(i / 4, 5 * (i % 4)));
    tb_destroy(tb);
}

/* RowPadZero: which rows, or their sum, are filled up; here rows of 12, of which two make 24. */
static void padding_with_zeros(void **state) {
    enum { NONE, ROWS, END };
    static const uint8_t expected[2][2][8] = {
        /* Last: without, with; Concat: without, with */
        { { NONE, ROWS, ROWS, NONE, NONE, END, END, NONE }, { NONE, ROWS, NONE, NONE, NONE, END, NONE, NONE } },
        { { NONE, ROWS, ROWS, ROWS, NONE, END, END, END }, { NONE, ROWS, NONE, ROWS, NONE, END, NONE, END } },
    };
    (void)state;
    for (unsigned i = 0; i < 32; i++) {
        struct tensix_box *tb = pt_create();
        unsigned pad = i % 8, last = i / 8 % 2, concat = i / 16, count = 0;
        pt_fill(tb);
        tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 11;
        memset(tb->x->l1 + PT_TILE, 0xEE, 256);
        pt_good(tb, PT_PACR(PT_TWO | pad << 18 | (concat ? PT_CONCAT : 0) | last));
        if (!last)
            pt_good(tb, PT_PACR(PT_FLUSH));
        for (unsigned k = 0; k < 24; k++) {
            if (k == 12 && expected[last][concat][pad] == ROWS)
                count = 16;
            assert_int_equal(pt_half(tb, count++), pt_number(k / 12, k % 12));
        }
        unsigned end = expected[last][concat][pad] == NONE ? 24 : 32;
        for (; count < end; count++)
            assert_int_equal(pt_half(tb, count), 0);
        assert_int_equal(pt_half(tb, end), 0xEEEE);
        tb_destroy(tb);
    }
}

/* Zeros instead of Dst: by rows, or as long as the X range. */
static void zero_write(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_fill(tb);
    memset(tb->x->l1 + PT_TILE, 0xEE, 4096);
    pt_good(tb, PT_PACR(PT_ZERO | PT_TWO | PT_LAST));
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(pt_half(tb, i), 0);
    assert_int_equal(pt_half(tb, 32), 0xEEEE);
    assert_int_equal(tb->x->pack.position, 0); /* nothing was read */
    assert_int_equal(tb->x->packer.max_exponent, 0);
    tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 1023;
    pt_good(tb, PT_PACR(PT_ZERO | PT_LAST));
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(pt_half(tb, i), 0);
    assert_int_equal(pt_half(tb, 1024), 0xEEEE);
    tb_destroy(tb);
}

/* The counters of another thread, and only those go on; 3 is T0's. */
static void counters_of_another_thread(void **state) {
    (void)state;
    for (unsigned which = 0; which < 4; which++) {
        struct tensix_box *tb = pt_create();
        pt_fill(tb);
        for (unsigned i = 0; i < 3; i++)
            tb->x->adc[i][ADC_PACKERS].channel[0].value[ADC_Y] = 100 * i;
        pt_good(tb, PT_PACR(1 << 7 | which << 13 | 1 << 15 | PT_ONE | PT_LAST));
        assert_int_equal(pt_half(tb, 0), pt_number(100 * (which % 3), 0));
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(tb->x->adc[i][ADC_PACKERS].channel[0].value[ADC_Y], 100 * i + (i == which % 3 ? 4 : 0));
        tb_destroy(tb);
    }
}

/* ---- Tiles in L1 ------------------------------------------------------------------------------------------------- */

/* Where a tile lies: header, counters, TDMA-RISC's offset, FIFO. */
static void address_in_l1(void **state) {
    struct tensix_box *tb = pt_create();
    uint32_t *c = pt_config(tb);
    struct adc_channel *out = &tb->x->adc[0][ADC_PACKERS].channel[1];
    (void)state;
    pt_fill(tb);
    MR_SET(c, THCON_SEC0_REG1_Sub_l1_tile_header_size, 1);
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    assert_memory_equal(tb->x->l1 + PT_TILE - 16, "\x80\x3F\x81\x3F", 4);
    MR_SET(c, PCK0_ADDR_BASE_REG_1_Base, 31);
    c[14] = 100u << 16;
    c[15] = 16 | 20u << 16;
    out->value[ADC_Y] = 3;
    out->value[ADC_Z] = 2;
    out->value[ADC_W] = 5;
    MR_SET(c, THCON_SEC0_REG1_Add_l1_dest_addr_offset, 1);
    tb->x->packer.l1_dest_addr_offset = 0x40;
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    uint32_t at = PT_TILE - 16 + (31 + 300 + 32 + 100) / 16 * 16 + 0x400;
    assert_memory_equal(tb->x->l1 + at, "\x80\x3F\x81\x3F", 4);
    tb_destroy(tb);
}

/* Beyond twice the limit and one unit more it is less by twice the size. */
static void address_in_a_fifo(void **state) {
    (void)state;
    for (unsigned unit = 0; unit < 4; unit++) {
        struct tensix_box *tb = pt_create();
        uint32_t *c = pt_config(tb);
        pt_fill(tb);
        c[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] += unit;
        MR_SET(c, THCON_SEC0_REG9_Pack_0_2_limit_address, PT_TILE / 32);
        MR_SET(c, THCON_SEC0_REG9_Pack_0_2_fifo_size, 8);
        pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
        assert_memory_equal(tb->x->l1 + PT_TILE + 16 * unit - (unit > 1 ? 256 : 0), "\x80\x3F\x81\x3F", 4);
        tb_destroy(tb);
    }
}

/* A section that a tile did not have gets its address when it is needed first. */
static void format_changes_within_a_tile(void **state) {
    struct tensix_box *tb = pt_create();
    uint32_t *c = pt_config(tb);
    (void)state;
    pt_fill(tb);
    MR_SET(c, THCON_SEC0_REG1_Exp_section_size, 4);
    pt_good(tb, PT_PACR(PT_ONE));
    c[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr] += 64;
    MR_SET(c, THCON_SEC0_REG1_Out_data_format, 6);
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    assert_int_equal(pt_half(tb, 15), pt_number(0, 15));
    assert_int_equal(tb->x->l1[PT_TILE + 32], 0x40); /* data go on */
    assert_int_equal(tb->x->l1[PT_TILE + 1024], 0x7F);
    tb_destroy(tb);
}

/* The address is found again after Last and after Flush, and not before. */
static void tiles_go_on_until_last(void **state) {
    (void)state;
    for (unsigned flush = 0; flush < 2; flush++) {
        struct tensix_box *tb = pt_create();
        uint32_t *address = &pt_config(tb)[CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr];
        pt_fill(tb);
        pt_good(tb, PT_PACR(PT_ONE));
        *address += 64;
        pt_good(tb, PT_PACR(PT_ONE | (flush ? 0 : PT_LAST)));
        if (flush)
            pt_good(tb, PT_PACR(PT_FLUSH));
        for (unsigned i = 0; i < 32; i++)
            assert_int_equal(pt_half(tb, i), pt_number(0, i % 16));
        assert_int_equal(pt_half(tb, 512), 0);
        pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
        assert_int_equal(pt_half(tb, 512), pt_number(0, 0));
        tb_destroy(tb);
    }
}

/* Bytes leave in sixteens; until then L1 has what it had. */
static void buffers_of_16_bytes(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    pt_fill(tb);
    tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 4;
    memset(tb->x->l1 + PT_TILE, 0xEE, 64);
    pt_good(tb, PT_PACR(PT_ONE));
    assert_int_equal(pt_half(tb, 0), 0xEEEE);
    pt_good(tb, PT_PACR(PT_ONE));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pt_half(tb, i), pt_number(0, i % 5));
    assert_int_equal(pt_half(tb, 8), 0xEEEE);
    pt_good(tb, PT_PACR(PT_FLUSH));
    for (unsigned i = 8; i < 16; i++)
        assert_int_equal(pt_half(tb, i), i < 10 ? pt_number(0, i % 5) : 0);
    assert_int_equal(pt_half(tb, 16), 0xEEEE);
    tb_destroy(tb);
}

/* BFP8: exponents before the data, of 16 data that may come from several rows. */
static void shared_exponents(void **state) {
    struct tensix_box *tb = pt_create();
    uint32_t *c = pt_config(tb);
    const uint8_t *tile = tb->x->l1 + PT_TILE;
    (void)state;
    pt_formats(tb, false, PT_BF16, 6);
    for (unsigned row = 0; row < 4; row++)
        for (unsigned column = 0; column < 16; column++) /* 1, 2, 4, 8 */
            tb->x->dst.bits[row][column] = dst_encode_bf16((uint16_t)(0x3F80 + 0x80 * row));
    MR_SET(c, THCON_SEC0_REG1_Exp_section_size, 2);
    memset(tb->x->l1 + PT_TILE, 0xEE, 256);
    pt_good(tb, PT_PACR(PT_LAST));
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(tile[i], i < 4 ? 0x7F + i : i < 16 ? 0 : 0xEE);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(tile[32 + i], 0x40);
    assert_int_equal(tile[96], 0xEE);
    tb->x->adc[0][ADC_PACKERS].channel[1].value[ADC_X] = 7;
    pt_good(tb, PT_PACR(7 << 8 | PT_LAST)); /* 24 data: eight of 1 and of 2, eight of 4 and zeros */
    assert_int_equal(tile[0] << 8 | tile[1], 0x8081);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(tile[32 + i], i < 8 ? 0x20 : i < 24 ? 0x40 : 0);
    tb_destroy(tb);
}

static void accumulation(void **state) {
    struct tensix_box *tb = pt_create();
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        tb->x->dst.bits[0][i] = dst_encode_bf16(0x4000); /* 2 */
    MR_SET(pt_config(tb), THCON_SEC0_REG1_Pack_L1_Acc, 1);
    for (unsigned i = 1; i < 5; i++) {
        static const uint16_t sums[] = { 0, 0x4000, 0x4080, 0x40C0, 0x4100 };
        pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
        assert_int_equal(pt_half(tb, 15), sums[i]);
    }
    tb_destroy(tb);
}

/* A compressed tile unpacks to the data that was packed. */
static void compressed_and_unpacked(void **state) {
    struct tensix_box *tb = pt_create();
    uint32_t *c = pt_config(tb);
    uint64_t seed = 8;
    uint16_t value[64][16];
    (void)state;
    for (unsigned i = 0; i < 1024; i++) {
        value[i / 16][i % 16] = random_below(&seed, 5) == 0 ? (uint16_t)(0x3F80 + random_below(&seed, 500)) : 0;
        tb->x->dst.bits[i / 16][i % 16] = dst_encode_bf16(value[i / 16][i % 16]);
    }
    MR_SET(c, THCON_SEC0_REG1_Disable_zero_compress, 0);
    MR_SET(c, THCON_SEC0_REG1_Row_start_section_size, (2 * 17 + 15) / 16);
    for (unsigned i = 0; i < 16; i++)
        pt_good(tb, PT_PACR(1 << 15 | (i == 15)));
    assert_true(tb->x->packer.last_tile_size < 96);
    /* 16 rows of 64 data. */
    c[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor] = PT_BF16 | 64 << 16;
    c[CONFIG_WORD_THCON_SEC0_REG0_TileDescriptor + 1] = 16 | 1 << 16;
    MR_SET(c, THCON_SEC0_REG2_Out_data_format, PT_BF16);
    c[CONFIG_WORD_THCON_SEC0_REG3_Base_address] = PT_TILE / 16 - 1;
    MR_SET(c, UNP0_ADDR_BASE_REG_1_Base, 128);
    MR_SET(tb->x->config.thread[0], SRCA_SET_SetOvrdWithAddr, 1);
    for (unsigned row = 0; row < 16; row++) {
        struct adc *adc = &tb->x->adc[0][ADC_UNPACKER0];
        adc->channel[0].value[ADC_Y] = row;
        adc->channel[1].value[ADC_X] = 63;
        execute_UNPACR(tb->x, 0, (uint32_t)TENSIX_UNPACR << 24, tb->now += 100);
        tensix_run(tb->x, tb->now += 500);
        assert_int_equal(tb->box->faults, 0);
        for (unsigned i = 0; i < 64; i++) {
            uint32_t datum = src_get(&tb->x->src.bank[SRC_A][0], i / 16, i % 16),
                     bits = value[4 * row + i / 16][i % 16];
            assert_int_equal(datum, bits >> 15 << 18 | (bits & 0x7F) << 11 | (bits >> 7 & 0xFF));
        }
    }
    tb_destroy(tb);
}

/* ---- Reported sizes ---------------------------------------------------------------------------------------------- */

static void sizes_and_flags(void **state) {
    struct tensix_box *tb = pt_create();
    uint32_t *c = pt_config(tb);
    const struct packer *packer = &tb->x->packer;
    (void)state;
    pt_fill(tb);
    MR_SET(c, THCON_SEC0_REG1_Add_tile_header_size, 1);
    pt_good(tb, PT_PACR(0));
    assert_int_equal(packer->last_tile_size, 0);
    pt_good(tb, PT_PACR(PT_LAST));
    assert_int_equal(packer->last_tile_size, 16);
    assert_int_equal(packer->last_thread, 0);
    assert_int_equal(packer->acc_tile_size[0], 17);
    assert_int_equal(packer->tiles, 0);
    MR_SET(c, THCON_SEC0_REG1_Enable_out_fifo, 1);
    MR_SET(c, THCON_SEC0_REG1_Add_tile_header_size, 0);
    for (unsigned i = 0; i < PACKER_TILES + 1; i++)
        pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    assert_int_equal(packer->tiles, PACKER_TILES);
    assert_int_equal(packer->tile[0].size, 2);
    assert_int_equal(packer->acc_tile_size[0], 17 + 2 * (PACKER_TILES + 1));
    tb->x->packer.tiles = 0;
    MR_SET(c, THCON_SEC0_REG1_Disable_zero_compress, 0);
    MR_SET(c, THCON_SEC0_REG1_Row_start_section_size, 1);
    tb->x->dst.invalid[0] = 0xF0; /* the second and fourth of four rows of 64 */
    tb->x->dst.invalid[0] |= 0xF000;
    for (unsigned i = 0; i < 4; i++)
        pt_good(tb, PT_PACR(1 << 15 | (i == 3)));
    assert_int_equal(packer->all_zero_flags, 0xA);
    assert_int_equal(packer->tile[0].zero_flags, 0xA);
    tb_destroy(tb);
}

static void exponents_are_counted(void **state) {
    struct tensix_box *tb = pt_create();
    struct packer *packer = &tb->x->packer;
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        tb->x->dst.bits[0][i] = dst_encode_bf16((uint16_t)(0x3F80 + 0x80 * (i % 4)));
    pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    assert_int_equal(packer->max_exponent, 0x82);
    assert_int_equal(packer->exponent_histogram[31], 0);
    tb->x->config.thread[2][CONFIG_WORD_ENABLE_ACC_STATS_Enable] = 1;
    for (unsigned i = 0; i < 100; i++)
        pt_good(tb, PT_PACR(PT_ONE | PT_LAST));
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(packer->exponent_histogram[i], i == 31 || i < 3 ? 255 : 0);
    tensix_soft_reset(tb->x, REG_HOLD_ZEROACC, tb->now);
    assert_int_equal(packer->max_exponent | packer->exponent_histogram[31], 0);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_the_official_simulator),
        cmocka_unit_test(rows_that_interfaces_read),
        cmocka_unit_test(position_begins_anew_with_the_counters),
        cmocka_unit_test(interfaces_follow_the_first_row),
        cmocka_unit_test(address_in_dst),
        cmocka_unit_test(columns_of_a_row),
        cmocka_unit_test(invalid_rows_are_zero),
        cmocka_unit_test(downsampling),
        cmocka_unit_test(padding_with_zeros),
        cmocka_unit_test(zero_write),
        cmocka_unit_test(counters_of_another_thread),
        cmocka_unit_test(address_in_l1),
        cmocka_unit_test(address_in_a_fifo),
        cmocka_unit_test(format_changes_within_a_tile),
        cmocka_unit_test(tiles_go_on_until_last),
        cmocka_unit_test(buffers_of_16_bytes),
        cmocka_unit_test(shared_exponents),
        cmocka_unit_test(accumulation),
        cmocka_unit_test(compressed_and_unpacked),
        cmocka_unit_test(sizes_and_flags),
        cmocka_unit_test(exponents_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
