/* Programs at random in which threads pack side by side: cycle by cycle and in one go everything ends the same, in the
 * same cycle. */
#include "support/tensix_scene.h"
#include "tensix/pack_setup.h"

enum { PROGRAMS = 1500, LONGEST = 60, END = 1500 };

static uint32_t pacr(uint64_t *seed) {
    static const uint16_t masks[] = { 0, 0, 0, PT_ONE, PT_TWO };
    uint32_t bits = masks[random_below(seed, 5)] | random_below(seed, 2) << 15;
    bits |= random_below(seed, 3) == 0 ? PT_LAST : 0;
    if (random_below(seed, 12) == 0)
        bits |= PT_FLUSH;
    if (random_below(seed, 12) == 0)
        bits |= PT_ZERO | PT_TWO;
    return PT_PACR(bits);
}

static uint32_t other(uint64_t *seed) {
    switch (random_below(seed, 9)) {
    case 0: return TT(STALLWAIT, 1 << random_below(seed, 9), GATE_C_PACK);
    case 1: return TT(ZEROACC, 1, 0, 0, 0, random_below(seed, 4));
    case 2: return TT(SEMPOST, 2);
    case 3: return TT(SETADCXY, 4, 0, 0, 4 * random_below(seed, 2), 0, 0xA);
    case 4: return TT(WRCFG, 8 + random_below(seed, 4), 0, CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr);
    case 5: return TT(PACR_SETREG, 0, 1, random_below(seed, 1024), 0, 0, random_below(seed, 64), 0, 0);
    case 6: return TT(PACR_SETREG, 1, 0, 0, 0, 0, 0x11, 1, 0);
    case 7: return TT(INCADCXY, 4, 0, 0, 4, 0);
    default: return TT(NOP, 0);
    }
}

static void make_random(struct tensix_box *tb, uint64_t seed) {
    static const uint8_t formats[][3] = { { 0, 5, 5 }, { 0, 5, 6 }, { 1, 0, 0 }, { 0, 5, 0 } };
    const uint8_t *format = formats[random_below(&seed, 4)];
    pt_setup(tb);
    pt_formats(tb, format[0], format[1], format[2]);
    pt_fill(tb);
    tb->x->packer.set_reg_base[0] = 0x2C;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        unsigned count = random_below(&seed, 3) ? random_below(&seed, LONGEST) : 0, mostly = 1 + random_below(&seed, 8);
        for (unsigned i = 0; i < 4; i++)
            tb->x->gpr[thread][8 + i] = PT_TILE / 16 + 256 * (4 * thread + i);
        for (unsigned i = 0; i < count; i++) {
            tb_push(tb, thread, random_below(&seed, mostly) ? pacr(&seed) : other(&seed));
            if (random_below(&seed, 6) == 0)
                tb_nops(tb, tb_core(thread), random_below(&seed, 6));
        }
    }
}

static void assert_same_packer(const struct tensix *x, const struct tensix *y) {
    const struct pack *a = &x->pack, *b = &y->pack;
    assert_memory_equal(x->l1 + PT_TILE, y->l1 + PT_TILE, 0x10000);
    assert_memory_equal(x->adc, y->adc, sizeof x->adc);
    assert_int_equal(a->free_at, b->free_at);
    assert_int_equal(a->position, b->position);
    assert_int_equal(a->count | b->count, 0);
    for (unsigned i = 0; i < PACK_SECTIONS; i++)
        assert_int_equal(a->stream[i].address, b->stream[i].address);
    assert_int_equal(x->packer.last_tile_size, y->packer.last_tile_size);
    assert_memory_equal(x->packer.acc_tile_size, y->packer.acc_tile_size, sizeof x->packer.acc_tile_size);
    assert_int_equal(x->mover.tdma.base[BH_TRISC0], y->mover.tdma.base[BH_TRISC0]);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        assert_int_equal(x->thread[i].busy[TENSIX_BUSY_PACK], y->thread[i].busy[TENSIX_BUSY_PACK]);
}

/* Returns how many instructions faulted. */
static unsigned play(void (*make)(struct tensix_box *tb, uint64_t seed), uint64_t seed) {
    struct tensix_box *stepped = tb_create(), *whole = tb_create();
    make(stepped, seed);
    make(whole, seed);
    tb_start(stepped);
    tb_step(stepped, END);
    tb_start(whole);
    tile_run(&whole->box->tile, END);
    tensix_run(whole->x, END);
    assert_int_equal(stepped->box->faults, whole->box->faults);
    unsigned faults = stepped->box->faults;
    scene_assert_same(stepped, whole);
    assert_same_packer(stepped->x, whole->x);
    tb_destroy(stepped);
    tb_destroy(whole);
    return faults;
}

static void programs_at_random(void **state) {
    unsigned faults = 0;
    (void)state;
    for (unsigned i = 0; i < PROGRAMS; i++)
        faults += play(make_random, i);
    assert_true(faults < PROGRAMS / 4);
}

/* Fills the packer with instructions, then adds one whose address has not landed. */
static void make_late_address(struct tensix_box *tb, uint64_t count) {
    pt_setup(tb);
    pt_formats(tb, true, 0, 0); /* four cycles each */
    pt_fill(tb);
    tb->x->gpr[0][8] = PT_TILE / 16 + 255;
    for (unsigned i = 0; i < count / 4; i++)
        tb_push(tb, 0, PT_PACR(i == count / 4 - 1));
    for (unsigned i = 0; i < count % 4; i++)
        tb_push(tb, 0, TT(NOP, 0));
    tb_push(tb, 0, TT(WRCFG, 8, 0, CONFIG_WORD_THCON_SEC0_REG1_L1_Dest_addr));
    tb_push(tb, 0, PT_PACR(PT_LAST));
}

static void configuration_on_its_way(void **state) {
    (void)state;
    for (unsigned i = 0; i < 80; i++)
        assert_int_equal(play(make_late_address, i), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_at_random),
        cmocka_unit_test(configuration_on_its_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
