/* One call of the emulator takes bounded time whatever a program asks for: the longest MOPs and REPLAYs, words that
 * never get to the gate, units with the largest counts. The rest of the work goes on in the next call. */
#include <time.h>

#include "tensix/loose_same.h"
#include "tensix/pack_setup.h"
#include "tensix/unpack_setup.h"

enum { MOST = 1023, STEP = 256, STEPS = 24, MOPS = 3 };
#define SECONDS     0.5 /* of the host's processor for one call; measured: 0.002 at most */
#define PLAY        TT(REPLAY, 0, 32, 0, 0)
#define RECORD      TT(REPLAY, 0, 32, 0, 1)
#define DECLARATION ((uint32_t)TENSIX_RESOURCEDECL << 24)

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Two nested loops of one word each. */
static void loop(struct tensix_box *tb, unsigned thread, unsigned outer, unsigned inner, uint32_t word) {
    const uint32_t config[MOP_WORDS] = {
        outer, inner, TT(NOP, 0), TT(NOP, 0), TT(NOP, 0), word, TT(NOP, 0), word, word
    };
    for (unsigned i = 0; i < MOP_WORDS; i++)
        frontend_configure_mop(&tb->x->thread[thread].frontend, i, config[i]);
}

/* ---- Scenes: what becomes of a MOP ------------------------------------------------------------------------------ */

static void nops(struct tensix_box *tb, unsigned thread) {
    for (unsigned i = 0; i < 32; i++)
        tb->x->thread[thread].frontend.replay.word[i] = TT(NOP, 0);
    loop(tb, thread, MOST, MOST, PLAY);
}

static void declarations(struct tensix_box *tb, unsigned thread) {
    loop(tb, thread, MOST, MOST, DECLARATION);
}

static void played_declarations(struct tensix_box *tb, unsigned thread) {
    nops(tb, thread);
    for (unsigned i = 0; i < 32; i++)
        tb->x->thread[thread].frontend.replay.word[i] = DECLARATION;
}

/* Behind a word that waits for good, while its core looks at what is queued. */
static void declarations_behind_a_wait(struct tensix_box *tb, unsigned thread) {
    played_declarations(tb, thread);
    tb_push(tb, thread, HELD(0));
    for (unsigned i = 0; i < 20; i++)
        tb_push(tb, thread, TT(MOP, 1, 0, 0));
    for (unsigned i = 0; i < 20; i++)
        tb_rv(tb, tb_core(thread), asm_csr(RV_CSRRS, 10, 0xBC0, 0));
}

static void recordings(struct tensix_box *tb, unsigned thread) {
    loop(tb, thread, MOST, MOST, RECORD);
}

static void nothing(struct tensix_box *tb, unsigned thread) {
    loop(tb, thread, MOST, 0, TT(NOP, 0));
}

static void products(struct tensix_box *tb, unsigned thread) {
    for (unsigned file = 0; file < 2; file++)
        for (unsigned bank = 0; bank < 2; bank++)
            tb->x->src.allowed[file][bank] = SRC_MATRIX;
    loop(tb, thread, MOST, MOST, TT(MVMUL, 0, 0, 0, 0));
}

static void move(struct tensix_box *tb, unsigned thread, unsigned direction, uint32_t to) {
    uint32_t *words = &tb->x->config.bank[0][CONFIG_WORD_THCON_SEC0_REG6_Source_address];
    words[0] = 0x20000 / 16;
    words[1] = to / 16;
    words[2] = 0xFFFF | direction << 30;
    loop(tb, thread, MOST, MOST, TT(XMOV, 0, 0));
}

static void copies(struct tensix_box *tb, unsigned thread) {
    move(tb, thread, 3, 0x40000);
}

static void zeros(struct tensix_box *tb, unsigned thread) {
    move(tb, thread, 0, 0x40000);
}

static void unpacking(struct tensix_box *tb, unsigned thread) {
    us_setup(tb, 0, 5, 5, 1);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        tb->x->adc[i][0].channel[1].value[ADC_X] = 0x3FFFF;
    loop(tb, thread, MOST, MOST, US_UNPACR(0));
}

static void unpacking_to_dst(struct tensix_box *tb, unsigned thread) {
    unpacking(tb, thread);
    UD_SET(tb->x->config.bank[0], 0, REG2_Unpack_If_Sel, 1);
    for (unsigned i = 0; i < TENSIX_THREADS; i++)
        MR_SET(tb->x->config.thread[i], SRCA_SET_SetOvrdWithAddr, 0);
}

static void packing(struct tensix_box *tb, unsigned thread) {
    pt_setup(tb);
    loop(tb, thread, MOST, MOST, PT_PACR(0xF00 | PT_LAST));
}

static const struct scene {
    const char *name;
    void (*set)(struct tensix_box *tb, unsigned thread);
} scenes[] = {
    { "REPLAYs of NOPs", nops },
    { "declarations", declarations },
    { "REPLAYs of declarations", played_declarations },
    { "declarations behind a wait", declarations_behind_a_wait },
    { "recordings", recordings },
    { "no words", nothing },
    { "MVMUL", products },
    { "XMOV", copies },
    { "XMOV of zeros", zeros },
    { "UNPACR", unpacking },
    { "UNPACR to Dst", unpacking_to_dst },
    { "PACR", packing },
};

static void play(const struct scene *scene, bool loose) {
    struct tensix_box *tb = loose_create(32, loose);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        scene->set(tb, thread);
        for (unsigned i = 0; i < MOPS; i++)
            tb_push(tb, thread, TT(MOP, 1, 0, 0));
    }
    tb_start(tb);
    for (unsigned i = 0; i < STEPS; i++) {
        double start = cpu_seconds();
        tb->now += STEP;
        tile_run(&tb->box->tile, tb->now);
        tensix_run(tb->x, tb->now);
        double took = cpu_seconds() - start;
        if (took > SECONDS)
            fail_msg("%s with %s timing: %u cycles take %.3f s", scene->name, loose ? "loose" : "exact", STEP, took);
    }
    if (tb->box->faults)
        fail_msg("%s: %s", scene->name, tb->box->fault.text);
    tb_destroy(tb);
}

static void calls_are_short(void **state) {
    bool loose = *(bool *)*state;
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play(&scenes[i], loose);
}

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

/* A MOP that takes several calls ends, with everything that belongs to it, and words behind it follow. */
static void goes_on(void (*set)(struct tensix_box *tb, unsigned thread), bool loose) {
    enum { MARK = 3, OUTER = 3 };
    struct tensix_box *tb = loose_create(32, loose);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        set(tb, thread);
        frontend_configure_mop(&tb->x->thread[thread].frontend, MOP_OUTER, OUTER);
        for (unsigned i = 1; i <= MOPS; i++) {
            tb_push(tb, thread, TT(MOP, 1, 0, 0));
            tb_push(tb, thread, TT(SETC16, MARK, i));
        }
        for (unsigned i = 0; i < 32; i++) /* a recording may be left open */
            tb_push(tb, thread, TT(SETC16, MARK, MOPS));
    }
    tb_start(tb);
    for (unsigned i = 0; i < 20 && !(i && loose_ended(tb)); i++)
        loose_run_on(tb);
    assert_at_rest(tb);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++)
        assert_int_equal(tb->x->config.thread[thread][MARK], MOPS);
    tb_destroy(tb);
}

static void work_goes_on(void **state) {
    bool loose = *(bool *)*state;
    goes_on(nops, loose);
    goes_on(declarations, loose);
    goes_on(played_declarations, loose);
    goes_on(recordings, loose);
    goes_on(nothing, loose);
}

int main(void) {
    static bool loose = true, exact = false;
    const struct CMUnitTest tests[] = {
        { "calls_are_short_with_cycles", calls_are_short, NULL, NULL, &exact },
        { "calls_are_short_with_loose_timing", calls_are_short, NULL, NULL, &loose },
        { "work_goes_on_with_cycles", work_goes_on, NULL, NULL, &exact },
        { "work_goes_on_with_loose_timing", work_goes_on, NULL, NULL, &loose },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
