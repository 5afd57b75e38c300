/* Tensix instructions from the side of a core: pushing, issue, queues.
 *
 * The measured kernels are riscvbench (phases T, Q and S) and tensixbench of mesham/tt-sim: loops of 64 unrolled
 * `.ttinsn` on one to three TRISCs, and single bursts into an empty queue, with and without a wait for their end. */
#include <string.h>

#include "guest.h"
#include "isa/tensix.h"

#define TT(name, ...) tensix_encode_##name((struct tensix_##name){ __VA_ARGS__ })
#define PCBUF         0xFFE80000u
enum { TTSYNC = 4 };
enum { STALL_ALL = 0x1FF, WAIT_CORE = 1 << 10, WAIT_CONFIG = 1 << 12 };
enum { ADDR_MOD_DST_0 = 28 }; /* ThreadConfig: steps of Dst of address mode 0 */

/* A body: copies of one or two Tensix words. */
struct pair {
    const char *name;
    uint32_t first, second; /* 0: none */
};

static bool find_pair(const char *name, struct pair *found) {
    const uint32_t nop = TT(NOP, 0), rdcfg = TT(RDCFG, 60, 0), set = TT(SETDMAREG, 0, 7, 0, 120),
                   rmw = TT(RMWCIB0, 0, 0, 0);
    const uint32_t add = TT(ADDDMAREG, 1, 60, 1, 60), wait_config = TT(STALLWAIT, STALL_ALL, WAIT_CONFIG),
                   wait_core = TT(STALLWAIT, STALL_ALL, WAIT_CORE);
    const struct pair pairs[] = {
        { "NOP", nop, 0 },
        { "DMANOP", TT(DMANOP, 0), 0 },
        { "SFPNOP", TT(SFPNOP, 0), 0 },
        { "SFPMOV", TT(SFPMOV, 0, 0, 1, 0), 0 },
        { "SFPADD", TT(SFPADD, 0, 1, 2, 3, 0), 0 },
        { "SFPMUL", TT(SFPMUL, 0, 1, 2, 3, 0), 0 },
        { "SFPMAD", TT(SFPMAD, 0, 1, 2, 3, 0), 0 },
        { "SFPABS", TT(SFPABS, 0, 0, 1, 0), 0 },
        { "SETDMAREG", set, 0 },
        { "ADDDMAREG", add, 0 },
        { "MULDMAREG", TT(MULDMAREG, 1, 61, 1, 60), 0 },
        { "SHIFTDMAREG", TT(SHIFTDMAREG, 1, 0, 61, 1, 60), 0 },
        { "CMPDMAREG", TT(CMPDMAREG, 1, 0, 62, 1, 60), 0 },
        { "RDCFG", rdcfg, 0 },
        { "SETRWC", TT(SETRWC, 0, 0, 0, 0, 0, 0), 0 },
        { "INCRWC", TT(INCRWC, 0, 0, 0, 0), 0 },
        { "MVMUL", TT(MVMUL, 0, 0, 0, 0), 0 },
        { "ELWADD", TT(ELWADD, 0, 0, 0, 0, 0), 0 },
        { "ELWMUL", TT(ELWMUL, 0, 0, 0, 0, 0), 0 },
        { "RMWCIB0", rmw, 0 },
        { "RDCFG_STALL", rdcfg, wait_core },
        { "SETDMA_STALL", set, wait_core },
        { "RDCFG_CFGSTALL", rdcfg, wait_config },
        { "RMWCIB_CFGSTALL", rmw, wait_config },
        { "SETDMA_CFGSTALL", set, wait_config },
        { "RDCFG_DEP", rdcfg, TT(ADDDMAREG, 1, 63, 0, 60) },
        { "RDCFG_INDEP", rdcfg, TT(ADDDMAREG, 1, 63, 0, 59) },
        { "C12_XTHREAD", wait_config, nop },
        { "C12_XTHREAD_NULL", nop, nop },
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcmp(pairs[i].name, name)) {
            *found = pairs[i];
            return true;
        }
    return false;
}

static void emit_ttinsn(struct guest_code *code, uint32_t word) {
    guest_emit(code, guest_ttinsn(word));
}

/* ---- Issue: loops of 64 ----------------------------------------------------------------------------------------- */

static void emit_pairs(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    struct pair pair = { 0 };
    find_pair(point->name, &pair);
    if (!strncmp(point->name, "C12", 3) && thread != 1) /* the others keep the Configuration Unit busy */
        pair = (struct pair){ .first = TT(RMWCIB0, 0, 0, 0), .second = TT(NOP, 0) };
    for (unsigned i = 0; i < 64 && pair.first; i++) {
        emit_ttinsn(code, pair.first);
        if (pair.second)
            emit_ttinsn(code, pair.second);
    }
}

/* T1 hands over a bank of SrcA and of SrcB. With step_dst, its address mode 0 steps Dst, as a matmul leaves it. */
static void set_up_matrix(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    if (thread != 1)
        return;
    emit_ttinsn(code, TT(SETDVALID, 3));
    if (silicon_has(point, "step_dst"))
        emit_ttinsn(code, TT(SETC16, ADDR_MOD_DST_0, 8));
}

static bool predict_issue(struct silicon_point *point, struct silicon_error *error) {
    struct pair pair;
    struct guest_probe probe = { .block = emit_pairs, .setup = set_up_matrix };
    if (strcmp(point->name, "loop_overhead") != 0 && !find_pair(point->name, &pair))
        return silicon_fail(point, error, "there is no such body");
    return guest_slope(&probe, point, 64, error);
}

/* ---- Pushing: the same from riscvbench, and groups among other instructions -------------------------------------- */

static const struct push {
    const char *name, *pair;
    unsigned adjacent, apart, others; /* words of a group, next to each other and not, and instructions of the core */
} pushes[] = {
    { "loop_overhead", NULL, 0, 0, 0 },       { "tt_nop", "NOP", 0, 0, 0 },
    { "tt_sfpnop", "SFPNOP", 0, 0, 0 },       { "tt_setdmareg", "SETDMAREG", 0, 0, 0 },
    { "tt_adddmareg", "ADDDMAREG", 0, 0, 0 }, { "tt_pad", NULL, 0, 0, 16 },
    { "tt_fuse2", NULL, 2, 0, 16 },           { "tt_fuse4", NULL, 4, 0, 16 },
    { "tt_spread4", NULL, 0, 4, 12 },
};

static const struct push *find_push(const char *name) {
    for (unsigned i = 0; i < sizeof pushes / sizeof *pushes; i++)
        if (!strcmp(pushes[i].name, name))
            return &pushes[i];
    return NULL;
}

static void emit_push(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    const struct push *push = find_push(point->name);
    struct pair pair;
    (void)thread;
    if (push->pair && find_pair(push->pair, &pair))
        guest_repeat(code, guest_ttinsn(pair.first), 64);
    for (unsigned group = 0; group < 16 && push->others; group++) {
        guest_repeat(code, guest_ttinsn(TT(NOP, 0)), push->adjacent);
        for (unsigned i = 0; i < push->apart; i++) {
            emit_ttinsn(code, TT(NOP, 0));
            guest_emit(code, rv_addi(REG_A0, REG_A0, 1));
        }
        guest_repeat(code, rv_addi(REG_A0, REG_A0, 1), push->others);
    }
}

static bool predict_push(struct silicon_point *point, struct silicon_error *error) {
    struct guest_probe probe = { .block = emit_push };
    const struct push *push = find_push(point->name);
    if (!push)
        return silicon_fail(point, error, "there is no such body");
    return guest_slope(&probe, point, push->others ? 16 : 64, error);
}

/* ---- Queue: single bursts ------------------------------------------------------------------------------------------
 */

/* A loop of some instructions, n in all. */
static const struct burst {
    const char *name, *pair;
    unsigned block;       /* instructions of a round */
    unsigned first;       /* instructions between the clock and the loop, besides one */
    bool drained, synced; /* the queue is empty at the beginning; the end waits until it is empty */
} bursts[] = {
    { "q_loop_addi", NULL, 16, 2, true, false },
    { "q_loop_adddmareg", "ADDDMAREG", 16, 2, true, false },
    { "q_loop_adddmareg_sync", "ADDDMAREG", 16, 2, false, true },
    { "s_loop_addi", NULL, 4, 2, true, false },
    { "s_co_plain", "ADDDMAREG", 4, 2, true, false },
    { "s_co_repeat", "ADDDMAREG", 4, 2, true, false },
    { "s_co_sync", "ADDDMAREG", 4, 2, true, true },
    { "s_solo_plain", "ADDDMAREG", 4, 0, true, false },
    { "s_solo_sync", "ADDDMAREG", 4, 0, true, true },
    { "loop_overhead", NULL, 64, 2, false, false },
};

static const struct burst *find_burst(const char *name) {
    for (unsigned i = 0; i < sizeof bursts / sizeof *bursts; i++)
        if (!strcmp(bursts[i].name, name))
            return &bursts[i];
    return NULL;
}

/* Waits until everything that this thread has pushed is done. */
static void emit_sync(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    (void)point;
    (void)thread;
    guest_constant(code, REG_T6, PCBUF);
    guest_emit(code, rv_sw(0, TTSYNC, REG_T6));
    guest_emit(code, rv_lw(REG_T5, TTSYNC, REG_T6));
    guest_emit(code, rv_sw(REG_T5, 4, REG_A5));
}

static void emit_burst(struct guest_code *code, const struct silicon_point *point, unsigned thread) {
    const struct burst *burst = find_burst(point->name);
    struct pair pair;
    (void)thread;
    if (burst->pair && find_pair(burst->pair, &pair))
        guest_repeat(code, guest_ttinsn(pair.first), burst->block);
    else if (strcmp(burst->name, "loop_overhead") != 0)
        guest_repeat(code, rv_addi(REG_A0, REG_A0, 1), burst->block);
}

static bool predict_queue(struct silicon_point *point, struct silicon_error *error) {
    const struct burst *burst = find_burst(point->name);
    uint32_t cycles[BH_THREADS][GUEST_POINTS] = { 0 };
    struct guest_probe probe = { .block = emit_burst };
    long n, first;
    unsigned thread = 0;
    if (!burst)
        return silicon_fail(point, error, "there is no such burst");
    if (!guest_threads(&probe, point, &thread, error) || !silicon_number(point, "n", &n, error) ||
        !silicon_number(point, "first", &first, error))
        return false;
    probe.first = burst->first;
    probe.before = burst->drained ? emit_sync : NULL;
    probe.behind = burst->synced ? emit_sync : NULL;
    /* The lengths that were measured before this one come first, as they leave their traces. */
    for (long length = first; probe.points < GUEST_POINTS; length = burst->block == 64 ? length + first : 2 * length) {
        probe.blocks[probe.points++] = (unsigned)length / burst->block;
        if (length >= n)
            break;
    }
    if (!guest_probe(&probe, point, cycles, error))
        return false;
    point->predicted = cycles[thread][probe.points - 1];
    return true;
}

const struct silicon_class silicon_issue[] = {
    { "ttinsn push",
      "Loops of 64 `.ttinsn`, in cycles an instruction, and of groups of two or four among 16 other instructions, in "
      "cycles a "
      "group; fusion is off.",
      0.01, 0.04, predict_push },
    { "tensix issue",
      "Loops of 64 instructions, or pairs of them, on one to three threads, in cycles an instruction or pair. "
      "`step_dst`: the "
      "address mode of T1 steps Dst, so that only the other threads use the same rows again and again.",
      0.01, 0.04, predict_issue },
    { "tensix queue",
      "Single bursts of n instructions into an empty queue, in cycles; `_sync` includes the wait until all of them are "
      "done.",
      0.01, 0.04, predict_queue },
    { 0 },
};
