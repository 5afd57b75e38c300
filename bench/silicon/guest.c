/* Guest programs as words: see guest.h. */
#include "guest.h"

#include <string.h>

#define CONTROL 0xFFB12000u /* registers of the tile */
#define LOCAL   0xFFB00000u /* local memory */
enum { CLOCK = 0x1F0 };
enum { CFG0 = 0x7C0, CFG0_DIS_L0 = 1 << 3, CFG0_DIS_FUSION = 1 << 18 };
enum { EBREAK = 0x00100073, BLT = 4, BEQ = 0 };
enum { CHAIN = 64, CHAIN_STEP = 16 }; /* nodes of the chain of pointers, and their distance */
enum { CACHE_WORDS = 1024 };
enum { CYCLES_MAX = 20000000, FAR = 1000, LOOP_WORDS = 32 /* loops begin at such addresses */ };

void guest_emit(struct guest_code *code, uint32_t word) {
    if (code->count < GUEST_WORDS)
        code->word[code->count++] = word;
}

void guest_repeat(struct guest_code *code, uint32_t word, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        guest_emit(code, word);
}

void guest_constant(struct guest_code *code, unsigned reg, uint32_t value) {
    guest_emit(code, rv_lui(reg, rv_high(value)));
    guest_emit(code, rv_addi(reg, reg, rv_low(value)));
}

uint32_t guest_ttinsn(uint32_t tensix_word) {
    return tensix_word << 2 | tensix_word >> 30;
}

uint32_t guest_csrrs(unsigned rd, unsigned csr, unsigned rs1) {
    enum { SYSTEM = 0x73, CSRRS = 2 };
    return csr << 20 | rs1 << 15 | CSRRS << 12 | rd << 7 | SYSTEM;
}

/* ---- The tile ------------------------------------------------------------------------------------------------ */

bool guest_open(struct guest *guest) {
    struct bh_config config;
    bh_config_init(&config);
    config.threads = 1;
    *guest = (struct guest){ .tile = { 1, 2 } };
    return bh_create(&config, &guest->chip, NULL, 0) == BH_OK;
}

void guest_close(struct guest *guest) {
    bh_destroy(guest->chip);
    guest->chip = NULL;
}

bool guest_load(struct guest *guest, enum bh_core core, uint32_t address, const struct guest_code *code) {
    if (code->count == GUEST_WORDS)
        return false;
    guest->cores |= 1u << core;
    return bh_load_raw(guest->chip, guest->tile, core, address, code->word, code->count * sizeof *code->word) == BH_OK;
}

bool guest_go(struct guest *guest, const struct silicon_point *point, struct silicon_error *error) {
    struct bh_stop stop;
    if (bh_release(guest->chip, guest->tile, guest->cores) != BH_OK ||
        bh_run(guest->chip, CYCLES_MAX, BH_RUN_STOP_ON_FAULT | BH_RUN_STOP_ON_IDLE, &stop) != BH_OK)
        return silicon_fail(point, error, "%s", bh_message(guest->chip));
    if (stop.reason == BH_STOP_FAULT)
        return silicon_fail(point, error, "%s", stop.fault.text);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        struct bh_core_info info;
        if (!(guest->cores >> core & 1))
            continue;
        bh_core_query(guest->chip, guest->tile, (enum bh_core)core, &info);
        if (info.state != BH_CORE_PAUSED)
            return silicon_fail(point, error, "%s has not ended but stands at 0x%x", bh_core_name((enum bh_core)core),
                                info.pc);
    }
    return true;
}

uint32_t guest_word(struct guest *guest, uint32_t address) {
    uint32_t word = 0;
    bh_peek(guest->chip, guest->tile, address, &word, sizeof word);
    return word;
}

/* ---- Probes --------------------------------------------------------------------------------------------------- */

/* Begins with as many words as the instruction cache holds: on a card it is full of other code. */
static void emit_setup(struct guest_code *code, const struct guest_probe *probe, unsigned core) {
    guest_repeat(code, RV_NOP, CACHE_WORDS);
    guest_constant(code, REG_T1, probe->as_reset ? 0 : CFG0_DIS_L0 | CFG0_DIS_FUSION);
    guest_emit(code, guest_csrrs(0, CFG0, REG_T1));
    guest_constant(code, REG_S0, CONTROL);
    guest_constant(code, REG_S1, GUEST_RESULTS(core));
    guest_constant(code, REG_S6, GUEST_SCRATCH(core) + 0x800);
    guest_constant(code, REG_S4, GUEST_BARRIER);
    guest_constant(code, REG_A4, GUEST_SCRATCH(core));
    guest_constant(code, REG_A5, LOCAL);
    guest_emit(code, rv_sw(REG_A5, 0, REG_A5));
    guest_emit(code, rv_addi(REG_S3, 0, (int32_t)probe->points));
    guest_emit(code, rv_addi(REG_S5, 0, 0));
    for (int i = 0; i < 4; i++)
        guest_emit(code, rv_addi(REG_A0 + (unsigned)i, 0, i + 1));
}

/* Each core publishes the number of the barrier in its own word and waits for those of the others. */
static void emit_barrier(struct guest_code *code, unsigned threads, unsigned thread) {
    guest_emit(code, rv_addi(REG_S5, REG_S5, 1));
    guest_emit(code, rv_sw(REG_S5, (int32_t)(4 * thread), REG_S4));
    for (unsigned other = 0; other < BH_THREADS; other++) {
        if (!(threads >> other & 1))
            continue;
        guest_emit(code, rv_lw(REG_T1, (int32_t)(4 * other), REG_S4));
        guest_emit(code, rv_b(BLT, REG_T1, REG_S5, -4));
    }
}

/* Jumps back to target unless x[reg] equals x[other]. A conditional branch reaches 4 KiB. */
static void emit_back(struct guest_code *code, unsigned reg, unsigned other, unsigned target) {
    int32_t offset = ((int32_t)target - (int32_t)code->count) * 4;
    if (-offset < 4 * FAR) {
        guest_emit(code, rv_bne(reg, other, offset));
        return;
    }
    guest_emit(code, rv_b(BEQ, reg, other, 8));
    guest_emit(code, rv_jal(0, offset - 4));
}

static void emit_probe(struct guest_code *code, const struct guest_probe *probe, const struct silicon_point *point,
                       unsigned thread) {
    unsigned again, loop;
    emit_setup(code, probe, BH_TRISC0 + thread);
    if (probe->setup)
        probe->setup(code, point, thread);
    again = code->count;
    emit_barrier(code, probe->threads, thread);
    guest_emit(code, rv_lw(REG_S2, 0, REG_S6));
    guest_emit(code, rv_addi(REG_S6, REG_S6, 4));
    guest_emit(code, rv_addi(REG_S2, REG_S2, 0)); /* it has been loaded */
    if (probe->before)
        probe->before(code, point, thread);
    while ((code->count + 2 + probe->first) % LOOP_WORDS) /* where the measured loops lie is not known */
        guest_emit(code, RV_NOP);
    guest_emit(code, rv_lw(REG_T2, CLOCK, REG_S0));
    guest_emit(code, rv_addi(REG_T0, 0, 0));
    guest_repeat(code, RV_NOP, probe->first);
    loop = code->count;
    probe->block(code, point, thread);
    guest_emit(code, rv_addi(REG_T0, REG_T0, 1));
    emit_back(code, REG_T0, REG_S2, loop);
    if (probe->behind)
        probe->behind(code, point, thread);
    guest_emit(code, rv_lw(REG_T1, CLOCK, REG_S0));
    guest_emit(code, rv_sub(REG_T1, REG_T1, REG_T2));
    guest_emit(code, rv_sw(REG_T1, 0, REG_S1));
    guest_emit(code, rv_addi(REG_S1, REG_S1, 4));
    guest_emit(code, rv_addi(REG_S3, REG_S3, -1));
    emit_back(code, REG_S3, 0, again);
    guest_emit(code, EBREAK);
}

static bool load_probe(struct guest *guest, const struct guest_probe *probe, const struct silicon_point *point,
                       unsigned thread) {
    static struct guest_code code; /* too large for a stack */
    unsigned core = BH_TRISC0 + thread;
    uint32_t chain[CHAIN * CHAIN_STEP / 4] = { 0 }, scratch = GUEST_SCRATCH(core);
    for (unsigned i = 0; i < CHAIN; i++)
        chain[i * CHAIN_STEP / 4] = scratch + (i + 1) % CHAIN * CHAIN_STEP;
    code.count = 0;
    emit_probe(&code, probe, point, thread);
    return guest_load(guest, (enum bh_core)core, GUEST_CODE(core), &code) &&
           bh_write(guest->chip, guest->tile, scratch, chain, sizeof chain) == BH_OK &&
           bh_write(guest->chip, guest->tile, scratch + 0x800, probe->blocks, sizeof probe->blocks) == BH_OK;
}

bool guest_probe(const struct guest_probe *probe, const struct silicon_point *point,
                 uint32_t cycles[BH_THREADS][GUEST_POINTS], struct silicon_error *error) {
    struct guest guest;
    bool done = false;
    if (!guest_open(&guest))
        return silicon_fail(point, error, "there is no chip");
    for (unsigned thread = 0; thread < BH_THREADS; thread++)
        if (probe->threads >> thread & 1 && !load_probe(&guest, probe, point, thread)) {
            silicon_fail(point, error, "the program cannot be loaded");
            goto out;
        }
    done = guest_go(&guest, point, error);
    for (unsigned thread = 0; thread < BH_THREADS && done; thread++)
        for (unsigned i = 0; i < probe->points; i++)
            cycles[thread][i] = guest_word(&guest, GUEST_RESULTS(BH_TRISC0 + thread) + 4 * i);
out:
    guest_close(&guest);
    return done;
}

bool guest_threads(struct guest_probe *probe, const struct silicon_point *point, unsigned *thread,
                   struct silicon_error *error) {
    static const unsigned masks[] = { 0, 2, 3, 7 };
    long threads, number;
    if (!silicon_number(point, "threads", &threads, error) || !silicon_number(point, "thread", &number, error))
        return false;
    if (threads < 1 || threads > BH_THREADS || number < 0 || !(masks[threads] >> number & 1))
        return silicon_fail(point, error, "there is no thread %ld among %ld", number, threads);
    probe->threads = masks[threads];
    *thread = (unsigned)number;
    return true;
}

bool guest_slope(struct guest_probe *probe, struct silicon_point *point, unsigned counted,
                 struct silicon_error *error) {
    enum { POINTS = 4 };
    uint32_t cycles[BH_THREADS][GUEST_POINTS] = { 0 };
    double x[POINTS], y[POINTS];
    unsigned thread = 0;
    long blocks;
    if (!guest_threads(probe, point, &thread, error) || !silicon_number(point, "blocks", &blocks, error))
        return false;
    probe->points = POINTS;
    for (unsigned i = 0; i < POINTS; i++)
        probe->blocks[i] = (unsigned)blocks * (i + 1);
    if (!guest_probe(probe, point, cycles, error))
        return false;
    for (unsigned i = 0; i < POINTS; i++) {
        x[i] = counted * probe->blocks[i];
        y[i] = cycles[thread][i];
    }
    point->predicted = silicon_slope(x, y, POINTS);
    return true;
}
