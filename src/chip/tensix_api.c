/* The public functions about the threads and registers of Tensix coprocessors. */
#include "chip/chip.h"

_Static_assert(BH_THREADS == TENSIX_THREADS, "the header says how many threads there are");

static bh_status find(const bh_chip *chip, struct bh_xy at, struct tile **tile) {
    bh_status status = chip_tensix(chip, at, tile);
    if (status == BH_OK)
        chip_catch_up(chip, *tile);
    return status;
}

/* Checks a number that must be below a limit. */
static bh_status below(const bh_chip *chip, const char *what, unsigned number, unsigned limit) {
    if (number < limit)
        return BH_OK;
    return chip_fail(chip, BH_ERR_ARGUMENT, "%s %u: there are %u, from 0", what, number, limit);
}

static bh_status find_thread(const bh_chip *chip, struct bh_xy at, unsigned thread, struct tile **tile) {
    bh_status status = below(chip, "Tensix thread", thread, TENSIX_THREADS);
    return status == BH_OK ? find(chip, at, tile) : status;
}

/* ---- Threads ---------------------------------------------------------------------------------------- */

static enum bh_thread_state state_of(const struct tensix *x, unsigned thread, uint64_t now) {
    const struct tensix_thread *t = &x->thread[thread];
    if (t->faulted)
        return BH_THREAD_FAULTED;
    if (tensix_waits(x, thread))
        return BH_THREAD_WAITING;
    if (x->loose && t->idle_at != TENSIX_NEVER) /* which may be ahead of the chip's time */
        now = t->idle_at;
    return frontend_empty(&t->frontend) && t->idle_at <= now ? BH_THREAD_IDLE : BH_THREAD_RUNNING;
}

bh_status bh_thread_query(const bh_chip *chip, struct bh_xy at, unsigned thread, struct bh_thread_info *info) {
    if (!chip || !info)
        return chip_null(chip, "info");
    struct tile *tile;
    bh_status status = find_thread(chip, at, thread, &tile);
    if (status != BH_OK)
        return status;
    struct tensix_thread *t = &tile->tensix.thread[thread];
    frontend_advance(&t->frontend, tile->tensix.time);
    const struct frontend_word *head = tensix_at_gate(&tile->tensix, thread);
    *info = (struct bh_thread_info){
        .state = state_of(&tile->tensix, thread, chip->time),
        .word = head ? head->word : 0,
        .pc = head ? head->pc : 0,
        .queued = t->frontend.in_flight,
        .passed = t->frontend.passes,
        .waits_on = head && t->waits_on ? t->waits_on : "",
    };
    return BH_OK;
}

bh_status bh_thread_fault(const bh_chip *chip, struct bh_xy at, unsigned thread, struct bh_fault *fault) {
    if (!chip || !fault)
        return chip_null(chip, "fault");
    struct tile *tile;
    bh_status status = find_thread(chip, at, thread, &tile);
    if (status != BH_OK)
        return status;
    if (!tile->tensix.thread[thread].faulted)
        return chip_fail(chip, BH_ERR_STATE, "T%u of tile (%u,%u) has not faulted", thread, at.x, at.y);
    *fault = tile->tensix.thread[thread].fault;
    return BH_OK;
}

/* ---- Registers ---------------------------------------------------------------------------------------- */

static bh_status find_gpr(const bh_chip *chip, struct bh_xy at, unsigned thread, unsigned index, struct tile **tile) {
    bh_status status = find_thread(chip, at, thread, tile);
    return status == BH_OK ? below(chip, "GPR", index, TENSIX_GPRS) : status;
}

bh_status bh_gpr_get(const bh_chip *chip, struct bh_xy at, unsigned thread, unsigned index, uint32_t *value) {
    if (!chip || !value)
        return chip_null(chip, "value");
    struct tile *tile;
    bh_status status = find_gpr(chip, at, thread, index, &tile);
    if (status == BH_OK)
        *value = tile->tensix.gpr[thread][index];
    return status;
}

/* Whatever threads wait for, they look again: with another register they may not wait any more. */
bh_status bh_gpr_set(bh_chip *chip, struct bh_xy at, unsigned thread, unsigned index, uint32_t value) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    struct tile *tile;
    bh_status status = find_gpr(chip, at, thread, index, &tile);
    if (status != BH_OK)
        return status;
    tile->tensix.gpr[thread][index] = value;
    scalar_look_again(&tile->tensix, chip->time);
    tensix_wake(&tile->tensix, chip->time);
    tile_tensix_touched(tile);
    return BH_OK;
}

bh_status bh_tensix_config_get(const bh_chip *chip, struct bh_xy at, unsigned bank, unsigned index, uint32_t *value) {
    if (!chip || !value)
        return chip_null(chip, "value");
    struct tile *tile;
    bh_status status = below(chip, "bank of Config", bank, 2);
    if (status == BH_OK)
        status = below(chip, "word of Config", index, CONFIG_WORDS);
    if (status == BH_OK && (status = find(chip, at, &tile)) == BH_OK)
        *value = tile->tensix.config.bank[bank][index];
    return status;
}

bh_status bh_thread_config_get(const bh_chip *chip, struct bh_xy at, unsigned thread, unsigned index, uint32_t *value) {
    if (!chip || !value)
        return chip_null(chip, "value");
    struct tile *tile;
    bh_status status = below(chip, "word of ThreadConfig", index, CONFIG_THREAD_WORDS);
    if (status == BH_OK && (status = find_thread(chip, at, thread, &tile)) == BH_OK)
        *value = tile->tensix.config.thread[thread][index];
    return status;
}

bh_status bh_dst_get(const bh_chip *chip, struct bh_xy at, unsigned row, unsigned column, uint32_t *value) {
    if (!chip || !value)
        return chip_null(chip, "value");
    struct tile *tile;
    bh_status status = below(chip, "row of Dst", row, DST_ROWS);
    if (status == BH_OK)
        status = below(chip, "column of Dst", column, DST_COLUMNS);
    if (status == BH_OK && (status = find(chip, at, &tile)) == BH_OK)
        *value = tile->tensix.dst.bits[row][column];
    return status;
}

bh_status bh_lreg_get(const bh_chip *chip, struct bh_xy at, unsigned index, unsigned lane, uint32_t *value) {
    if (!chip || !value)
        return chip_null(chip, "value");
    struct tile *tile;
    bh_status status = below(chip, "LReg", index, VECTOR_LREGS);
    if (status == BH_OK)
        status = below(chip, "lane", lane, LANES);
    if (status == BH_OK && (status = find(chip, at, &tile)) == BH_OK)
        *value = vector_peek(&tile->tensix.vector, index, lane, tile->tensix.loose ? TENSIX_NEVER : chip->time);
    return status;
}

bh_status bh_semaphore_get(const bh_chip *chip, struct bh_xy at, unsigned index, uint32_t *value, uint32_t *max) {
    if (!chip || !value)
        return chip_null(chip, "value");
    struct tile *tile;
    bh_status status = below(chip, "semaphore", index, SYNC_SEMAPHORES);
    if (status == BH_OK)
        status = find(chip, at, &tile);
    if (status != BH_OK)
        return status;
    *value = tile->tensix.sync.semaphore[index].value;
    if (max)
        *max = tile->tensix.sync.semaphore[index].max;
    return BH_OK;
}
