/* src/tensix/mover/tdma.c: every register, and what resets leave of them. */
#include "tensix/tdma_bench.h"

#include "isa/regs.h"

/* ---- Registers --------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t offset;
    enum reg_class class;
    uint32_t reset;
} rows[] = {
#define ROW_CONTROL(offset, class, reset)
#define ROW_TDMA(offset, class, reset)                  { offset, REG_##class, reset },
#define REG(block, offset, name, class, reset, meaning) ROW_##block(offset, class, reset)
#include "isa/regs.def"
};

static int row_at(uint32_t offset) {
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].offset == offset)
            return (int)i;
    return -1;
}

/* The registers of the table exist, and no other register in the columns of packers and threads. */
static void every_offset(void **state) {
    struct tensix_box *tb = *state;
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        uint32_t value = 0xDEAD, low = offset & 0x3F, thread = offset >> 6 & 3, packer = offset >> 8;
        struct access access = tensix_tdma_read(tb->x, BH_BRISC, offset, 0, &value);
        int row = row_at(offset);
        bool sizes = low == PACKED_SIZE || low == ACC_SIZE;
        bool of_packer = sizes || low == ZERO_FLAGS || low == FIFO_SIZE || low == FIFO_FLAGS;
        if (offset == FIFO_SIZE) {
            assert_int_equal(access.result, ACCESS_WAIT);
        } else if (offset == FIFO_FLAGS) {
            assert_int_equal(access.kind, BH_FAULT_UNDEFINED);
        } else if (row >= 0 && rows[row].class == REG_MODELLED) {
            assert_int_equal(access.result, ACCESS_DONE);
            assert_int_equal(value, rows[row].reset);
        } else {
            bool known = packer > 0 && packer < 4 && of_packer && thread < (sizes ? 3 : 1);
            assert_int_equal(access.result, ACCESS_REFUSED);
            assert_int_equal(access.kind, known ? BH_FAULT_UNDEFINED : BH_FAULT_UNMAPPED);
            assert_true(row < 0 || known);
            assert_int_equal(tensix_tdma_write(tb->x, BH_BRISC, offset, 0, 1).kind, access.kind);
        }
    }
}

/* A core may sleep while it polls a register whose changes wake it: not one that a read changes, nor one that changes
 * as time passes, nor where there is none. */
static void registers_to_sleep_on(void **state) {
    (void)state;
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        uint32_t low = offset & 0x3F;
        bool sizes = offset < 0xC0 && (low == PACKED_SIZE || low == ACC_SIZE);
        bool others = offset == STATUS || offset == ZERO_FLAGS || offset == 0x24 || offset == 0x2C ||
                      offset == FIFO_SIZE || offset == 0x38;
        assert_int_equal(tensix_tdma_steady(offset), sizes || others);
    }
}

static void kept_bits(void **state) {
    struct tensix_box *tb = *state;
    store(tb, GATE_EN, 0xFFFFFFFF);
    assert_int_equal(load(tb, GATE_EN), 0xFFFFFF7F);
    store(tb, GATE_HYST, 0xFFFFFFFF);
    assert_int_equal(load(tb, GATE_HYST), 0x01FF007F);
    assert_int_equal(tb->x->packer.set_reg_scaler[3], 0x1FF);
    store(tb, GATE_HYST, 0x00A50003);
    assert_int_equal(tb->x->packer.set_reg_scaler[3], 0xA5);
    parameters(tb, 1, 2, 3, 4);
    for (uint32_t offset = SRC; offset <= COMMAND; offset += 4)
        assert_int_equal(load(tb, offset), 0);
    store(tb, STATUS, 0xFFFFFFFF);
    assert_int_equal(load(tb, STATUS), 0x428);
    store(tb, ZERO_FLAGS, 5);
    assert_int_equal(load(tb, ZERO_FLAGS), 0);
    store(tb, PACKED_SIZE, 5);
    assert_int_equal(load(tb, PACKED_SIZE), 0);
}

/* The fields of PACR_SETREG, against the formulas of the page. */
static void register_writes_of_the_packer(void **state) {
    struct tensix_box *tb = *state;
    uint64_t seed = 8;
    for (unsigned i = 0; i < 200; i++) {
        uint32_t value = (uint32_t)random_next(&seed);
        store(tb, FIFO_STATUS, value);
        assert_int_equal(load(tb, FIFO_STATUS), value << 8 | 0x55);
        assert_int_equal(tb->x->packer.set_reg_base[0], (value >> 20 & 3) * 0x40000 + (value & 0x3FF) * 4);
        assert_int_equal(tb->x->packer.set_reg_base[1], (value >> 22 & 3) * 0x40000 + (value >> 10 & 0x3FF) * 4);
        store(tb, i % 2 ? SCALERS0 : SCALERS1, value);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(tb->x->packer.set_reg_scaler[n], value >> (9 * n) & 0x1FF);
        assert_int_equal(load(tb, SCALERS0), value & 0x7FFFFFF);
        assert_int_equal(load(tb, SCALERS1), value & 0x7FFFFFF);
    }
    tensix_busy_until(tb->x, 1, TENSIX_BUSY_PACK, tb->now + 100);
    assert_int_equal(load(tb, SCALERS0) >> 27, 0);
    tensix_busy_until(tb->x, 2, TENSIX_BUSY_PACK, tb->now + 100);
    assert_int_equal(load(tb, SCALERS0) >> 27, 1);
    tb->x->mover.tdma.set_reg_acc[1] = 0x1ABCD;
    assert_int_equal(load(tb, SCALERS0) >> 27, 1);
    assert_int_equal(load(tb, SCALERS1) >> 27, 17);
    tb->x->mover.tdma.set_reg_acc[0] = 0x15678;
    assert_int_equal(load(tb, ACC_SIZE), 0x56780000);
}

static void sizes_of_tiles(void **state) {
    struct tensix_box *tb = *state;
    struct packer *packer = &tb->x->packer;
    *packer = (struct packer){
        .acc_tile_size = { 11, 12, 13 }, .last_tile_size = 0x44, .last_thread = 2, .all_zero_flags = 0xFACE
    };
    for (unsigned thread = 0; thread < 3; thread++) {
        assert_int_equal(load(tb, PACKED_SIZE + 0x40 * thread), thread == 2 ? 0x44 : 0);
        assert_int_equal(load(tb, ACC_SIZE + 0x40 * thread), 11 + thread);
    }
    assert_int_equal(load(tb, ZERO_FLAGS), 0xFACE);
    store(tb, ACC_SIZE, 0xE1234); /* packers 1 to 3 */
    assert_int_equal(load(tb, ACC_SIZE), 11);
    assert_int_equal(packer->l1_dest_addr_offset, 0);
    store(tb, ACC_SIZE + 0x80, 0x1BEEF);
    for (unsigned thread = 0; thread < 3; thread++)
        assert_int_equal(load(tb, ACC_SIZE + 0x40 * thread), 0);
    assert_int_equal(packer->l1_dest_addr_offset, 0xBEEF);
    assert_int_equal(load(tb, PACKED_SIZE + 0x80), 0x44);
}

static void fifo_of_tiles(void **state) {
    struct tensix_box *tb = *state;
    struct packer *packer = &tb->x->packer;
    for (unsigned i = 0; i < PACKER_TILES; i++) {
        assert_int_equal(load(tb, FIFO_STATUS) & 3, i == 0);
        assert_true(packer_push_tile(packer, (uint16_t)(100 + i), 200 + i));
    }
    assert_int_equal(load(tb, FIFO_STATUS), 0x56);
    assert_false(packer_push_tile(packer, 1, 2));
    for (unsigned i = 0; i < PACKER_TILES; i++) {
        assert_int_equal(load(tb, FIFO_SIZE), 100 + i);
        assert_int_equal(load(tb, FIFO_SIZE), 100 + i);
        if (i == 1)
            store(tb, FIFO_FLAGS, 0);
        else
            assert_int_equal(load(tb, FIFO_FLAGS), 200 + i);
    }
    assert_int_equal(load(tb, FIFO_STATUS), 0x55);
    assert_int_equal(store_by(tb, BH_BRISC, FIFO_FLAGS, 0).kind, BH_FAULT_UNDEFINED);
}

static uint64_t event_at;
static unsigned event_cores;

static void note_event(void *owner, uint64_t time, unsigned cores) {
    (void)owner;
    event_at = time;
    event_cores = cores;
}

/* Every core that sleeps on the FIFO sees a tile that is taken out in the cycle after. */
static void taking_a_tile_wakes_sleepers(void **state) {
    struct tensix_box *tb = *state;
    struct tensix_port port = *tb->x->port;
    uint32_t value;
    port.event = note_event;
    tb->x->port = &port;
    packer_push_tile(&tb->x->packer, 65, 0x1234);
    assert_int_equal(tensix_tdma_read(tb->x, BH_BRISC, FIFO_SIZE, 50, &value).result, ACCESS_DONE);
    assert_int_equal(event_cores, 0);
    assert_int_equal(tensix_tdma_read(tb->x, BH_BRISC, FIFO_FLAGS, 60, &value).result, ACCESS_DONE);
    assert_int_equal(event_at, 61);
    assert_int_equal(event_cores, BH_ALL_CORES);
}

/* A core that asks for a tile waits until there is one. */
static void a_core_waits_for_a_tile(void **state) {
    struct tensix_box *tb = *state;
    tb_load(tb, BH_TRISC2, 10, TDMA + FIFO_SIZE);
    tb_load(tb, BH_TRISC2, 11, TDMA + FIFO_FLAGS);
    tb_start(tb);
    tb_step(tb, 200);
    assert_int_equal(core_of(tb, BH_TRISC2)->state, BH_CORE_BLOCKED);
    assert_non_null(strstr(wait_text(core_of(tb, BH_TRISC2)->waits_on), "FIFO"));
    packer_push_tile(&tb->x->packer, 65, 0x1234);
    tensix_wake(tb->x, tb->now);
    tb_step(tb, 300);
    assert_int_equal(core_of(tb, BH_TRISC2)->x[10], 65);
    assert_int_equal(core_of(tb, BH_TRISC2)->x[11], 0x1234);
}

/* ---- Soft reset -------------------------------------------------------------------------------------------------- */

static void reset_of_tdma(void **state) {
    struct tensix_box *tb = *state;
    parameters(tb, 0x1000, 0x2000, 100, 0);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, MOVE);
    store(tb, FIFO_STATUS, 0xFFFFFF);
    store(tb, SCALERS0, 0xFFFFFF);
    store(tb, L1_BASE, 0x33);
    tensix_soft_reset(tb->x, 1 << 8, tb->now);
    tensix_soft_reset(tb->x, 0, tb->now + 1);
    tb_step(tb, tb->now + 3);
    assert_int_equal(load(tb, STATUS), 0x428 | 1); /* the mover goes on with what it has */
    assert_int_equal(load(tb, SCALERS0), 0);
    assert_int_equal(load(tb, L1_BASE), 0x33);
    assert_int_equal(tb->x->mover.tdma.parameter[2], 0);
    tb_step(tb, tb->now + 100);
    assert_int_equal(load(tb, STATUS), 0x428);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(tb->x->packer.set_reg_base[i], 0);
}

static void reset_of_the_mover(void **state) {
    struct tensix_box *tb = *state;
    memset(&tb->x->l1[0x20000], 0x5A, 0x1000);
    parameters(tb, 0x1000, 0x2000, 100, 0);
    for (unsigned i = 0; i < 3; i++)
        store(tb, COMMAND, MOVE);
    tensix_soft_reset(tb->x, 1 << 6, tb->now);
    tb_step(tb, tb->now + 1);
    assert_int_equal(load(tb, STATUS) & 1, 0);
    tb_step(tb, tb->now + 3);
    assert_int_equal(load(tb, STATUS), 0x428); /* discarded one by one */
    assert_int_equal(tb->x->l1[0x20080], 0x5A);
    store(tb, COMMAND, MOVE);
    assert_int_equal(load(tb, STATUS), 0x428);
    tensix_soft_reset(tb->x, 0, tb->now);
    tb_step(tb, tb->now + 1);
    store(tb, COMMAND, MOVE);
    tb_step(tb, tb->now + 100);
    assert_int_equal(tb->x->l1[0x2063F], 0);
}

static void reset_of_the_packer(void **state) {
    struct tensix_box *tb = *state;
    struct packer *packer = &tb->x->packer;
    packer_push_tile(packer, 1, 2);
    packer->last_tile_size = packer->acc_tile_size[1] = packer->l1_dest_addr_offset = 7;
    tensix_soft_reset(tb->x, 1 << 2, tb->now);
    assert_int_equal(packer->tiles + packer->last_tile_size + packer->acc_tile_size[1], 0);
    assert_int_equal(packer->l1_dest_addr_offset, 7);
    tensix_soft_reset(tb->x, 0, tb->now + 1);
    assert_int_equal(packer->l1_dest_addr_offset, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOXED(every_offset),
        BOXED(kept_bits),
        BOXED(register_writes_of_the_packer),
        BOXED(sizes_of_tiles),
        BOXED(fifo_of_tiles),
        BOXED(a_core_waits_for_a_tile),
        BOXED(registers_to_sleep_on),
        BOXED(taking_a_tile_wakes_sleepers),
        BOXED(reset_of_tdma),
        BOXED(reset_of_the_mover),
        BOXED(reset_of_the_packer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
