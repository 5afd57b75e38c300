/* STOREREG, STOREIND and LOADREG on the local memories of the cores, with both timings. */
#include "loose_same.h"

#define REG(address) (((address)-0xFFB00000u) / 4)

enum { GPR = 4, ADDRESS = 5, OFFSET = 6, RESULT = 8, WORD = 0x12345678, SKEW = 32 };

/* Windows of 8 KiB; a TRISC has 4 KiB, which are there twice. */
static const struct {
    enum bh_core core;
    uint32_t base, size;
} windows[] = {
    { BH_BRISC, 0xFFB14000, 0x2000 },  { BH_NCRISC, 0xFFB16000, 0x2000 }, { BH_TRISC0, 0xFFB18000, 0x1000 },
    { BH_TRISC1, 0xFFB1A000, 0x1000 }, { BH_TRISC2, 0xFFB1C000, 0x1000 },
};
enum { WINDOWS = sizeof windows / sizeof windows[0], WINDOW = 0x2000 };

static uint32_t local_word(struct tensix_box *tb, enum bh_core core, uint32_t offset) {
    uint32_t value;
    memcpy(&value, core_of(tb, core)->ldm + offset, sizeof value);
    return value;
}

static unsigned words_set(struct tensix_box *tb) {
    unsigned set = 0;
    for (unsigned i = 0; i < WINDOWS; i++)
        for (uint32_t at = 0; at < windows[i].size; at += 4)
            set += local_word(tb, windows[i].core, at) != 0;
    return set;
}

/* *address = value by STOREREG or STOREIND of T0; the offset of STOREIND counts sixteenths of bytes. */
static void push_store(struct tensix_box *tb, bool indirect, uint32_t address, uint32_t value) {
    tb_gpr(tb, 0, GPR, value);
    tb_gpr(tb, 0, ADDRESS, (address & 0xFFFFF) - 0x10);
    tb_gpr(tb, 0, OFFSET, 0x10 << 4);
    tb_push(tb, 0, indirect ? TT(STOREIND, 0, 1, 0, 2 * OFFSET, 0, GPR, ADDRESS) : TT(STOREREG, GPR, REG(address)));
}

static struct tensix_box *run_store(bool loose, bool indirect, uint32_t address) {
    struct tensix_box *tb = loose_create(SKEW, loose);
    push_store(tb, indirect, address, WORD);
    tb_push(tb, 0, TT(LOADREG, RESULT, REG(address & ~3u)));
    tb_start(tb);
    loose_run_on(tb);
    return tb;
}

/* The word is in that core's memory and in no other. */
static void check_word(bool loose, bool indirect, unsigned window, uint32_t offset) {
    uint32_t address = windows[window].base + offset;
    struct tensix_box *tb = run_store(loose, indirect, address);
    assert_at_rest(tb);
    assert_int_equal(local_word(tb, windows[window].core, offset & (windows[window].size - 4)), WORD);
    assert_int_equal(words_set(tb), 1);
    assert_int_equal(tb->x->gpr[0][RESULT], WORD);
    tb_destroy(tb);
}

static void every_window(void **state) {
    (void)state;
    for (unsigned i = 0; i < WINDOWS; i++)
        for (unsigned form = 0; form < 4; form++) {
            check_word(form & 1, form >> 1, i, 0);
            check_word(form & 1, form >> 1, i, WINDOW - 4);
            check_word(form & 1, form >> 1, i, windows[i].size - 4);
            check_word(form & 1, form >> 1, i, windows[i].size & (WINDOW - 1));
        }
}

/* STOREIND drops the lowest two bits: no store straddles words, or the windows of two cores. */
static void no_store_straddles(void **state) {
    (void)state;
    for (unsigned low = 1; low < 4; low++)
        check_word(low & 1, true, 0, WINDOW - 4 + low);
}

static void outside(void **state) {
    static const uint32_t addresses[] = { 0xFFB13FFC, 0xFFB1E000, 0xFFB1FFFC, 0xFFB00000, 0xFFB01000 };
    (void)state;
    for (unsigned i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
        for (unsigned form = 0; form < 4; form++) {
            struct tensix_box *tb = run_store(form & 1, form >> 1, addresses[i]);
            assert_int_equal(tb->box->faults, 1);
            assert_int_equal(tb->box->fault.address, addresses[i]);
            assert_int_equal(words_set(tb), 0);
            tb_destroy(tb);
        }
}

/* ---- Cores ------------------------------------------------------------------------------------------ */

enum { A = 10, TIME = 11, VALUE = 12, WAITED = 120 };

/* TRISC1 polls its local memory, which T0 writes after a while; then TRISC1 notes the cycle. */
static void poll_scene(struct tensix_box *tb) {
    tb_li(tb, BH_TRISC1, A, 0xFFB00000);
    tb_rv(tb, BH_TRISC1, asm_i(RV_LW, VALUE, A, 0x40));
    tb_rv(tb, BH_TRISC1, asm_b(RV_BEQ, VALUE, 0, -4));
    tb_cycle(tb, BH_TRISC1, TIME);
    tb_nops(tb, BH_TRISC0, WAITED);
    push_store(tb, false, 0xFFB1A040, WORD);
}

/* As if the core had never slept: scene_play() compares. */
static void poller_is_woken(void **state) {
    struct tensix_box *tb = scene_play(poll_scene);
    const struct core *core = core_of(tb, BH_TRISC1);
    uint64_t stored = tb->at[0][6];
    (void)state;
    assert_ended(tb);
    assert_int_equal(core->x[VALUE], WORD);
    assert_in_range(core->x[TIME], stored + 1, stored + 16);
    tb_destroy(tb);
}

static void poller_is_woken_in_slices(void **state) {
    (void)state;
    for (unsigned form = 0; form < 4; form++) {
        struct tensix_box *tb = loose_play(poll_scene, form & 2 ? SKEW : 1, form & 1);
        assert_at_rest(tb);
        assert_int_equal(core_of(tb, BH_TRISC1)->x[VALUE], WORD);
        tb_destroy(tb);
    }
}

/* A core writes its own memory, the coprocessor reads it, and the other way round. */
static void exchange_scene(struct tensix_box *tb) {
    tb_store(tb, BH_TRISC0, 0xFFB00104, 0xCAFE0001);
    tb_push(tb, 0, TT(LOADREG, RESULT, REG(0xFFB18104)));
    push_store(tb, true, 0xFFB19108, WORD); /* the second copy */
    tb_finish(tb, 0);
    tb_load(tb, BH_TRISC0, VALUE, 0xFFB00108);
}

static void core_and_thread_exchange(void **state) {
    (void)state;
    for (unsigned form = 0; form < 4; form++) {
        struct tensix_box *tb = loose_play(exchange_scene, form & 2 ? SKEW : 1, form & 1);
        assert_at_rest(tb);
        assert_int_equal(tb->x->gpr[0][RESULT], 0xCAFE0001);
        assert_int_equal(core_of(tb, BH_TRISC0)->x[VALUE], WORD);
        tb_destroy(tb);
    }
}

/* Local memory holds no code: decoded instructions and marks of L1 stay as they are. */
static void decoded_code_stays(void **state) {
    struct tensix_box *tb = loose_create(SKEW, false);
    struct tile *tile = &tb->box->tile;
    void *slots = malloc(TILE_SLOT_BYTES), *marks = malloc(TILE_MARKS);
    (void)state;
    tb_nops(tb, BH_BRISC, 8);
    tb_start(tb);
    loose_run_on(tb);
    memcpy(slots, tile->slots, TILE_SLOT_BYTES);
    memcpy(marks, tile->marks, TILE_MARKS);
    for (uint32_t at = 0xFFB14000; at < 0xFFB1E000; at += 4)
        assert_int_equal(tile_register_write(tile, at, tb->now, at).result, ACCESS_DONE);
    assert_memory_equal(slots, tile->slots, TILE_SLOT_BYTES);
    assert_memory_equal(marks, tile->marks, TILE_MARKS);
    free(slots);
    free(marks);
    tb_destroy(tb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window),
        cmocka_unit_test(no_store_straddles),
        cmocka_unit_test(outside),
        cmocka_unit_test(poller_is_woken),
        cmocka_unit_test(poller_is_woken_in_slices),
        cmocka_unit_test(core_and_thread_exchange),
        cmocka_unit_test(decoded_code_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
