/* Public functions about the threads and registers of coprocessors. */
#include "chip/chip.h"

_Static_assert(BH_THREADS == TENSIX_THREADS, "the header says how many threads there are");

static bh_status find(const bh_chip *chip, struct bh_xy at, struct tile **tile) {
    bh_status status = chip_tensix(chip, at, tile);
    if (status == BH_OK)
        chip_catch_up(chip, *tile);
    return status;
}

/* Checks that a number is below a limit. */
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

static enum bh_thread_state state_of(const struct tensix *x, unsigned thread, bool empty, uint64_t now) {
    const struct tensix_thread *t = &x->thread[thread];
    if (t->faulted)
        return BH_THREAD_FAULTED;
    if (tensix_waits(x, thread))
        return BH_THREAD_WAITING;
    if (x->loose && t->idle_at != TENSIX_NEVER) /* may be ahead of chip time */
        now = t->idle_at;
    return empty && t->idle_at <= now ? BH_THREAD_IDLE : BH_THREAD_RUNNING;
}

bh_status bh_thread_query(const bh_chip *chip, struct bh_xy at, unsigned thread, struct bh_thread_info *info) {
    if (!chip || !info)
        return chip_null(chip, "info");
    struct tile *tile;
    bh_status status = find_thread(chip, at, thread, &tile);
    if (status != BH_OK)
        return status;
    const struct tensix_thread *t = &tile->tensix.thread[thread];
    struct frontend frontend;
    tensix_peek_frontend(&tile->tensix, thread, &frontend);
    const struct frontend_word *head = frontend_head(&frontend, tile->tensix.time);
    *info = (struct bh_thread_info){
        .state = state_of(&tile->tensix, thread, frontend_empty(&frontend), chip->time),
        .word = head ? head->word : 0,
        .pc = head ? head->pc : 0,
        .queued = frontend.in_flight,
        .passed = frontend.passes,
        .waits_on = head ? wait_text(t->waits_on) : "",
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

/* Wakes the threads, because with another register value they may no longer have to wait. */
bh_status bh_gpr_set(bh_chip *chip, struct bh_xy at, unsigned thread, unsigned index, uint32_t value) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    struct tile *tile;
    bh_status status = find_gpr(chip, at, thread, index, &tile);
    if (status != BH_OK)
        return status;
    chip->host_changes++;
    tile->tensix.gpr[thread][index] = value;
    scalar_look_again(&tile->tensix, chip->time);
    tensix_wake(&tile->tensix, chip->time);
    tile_tensix_touched(tile);
    return BH_OK;
}

/* A number that must be below a limit. */
struct number {
    const char *what;
    unsigned value, limit;
};

/* Checks the arguments of a function that reads one word: the pointer to the word, the two numbers that name it, and
 * the tile. */
static bh_status find_word(const bh_chip *chip, struct bh_xy at, const uint32_t *word, const struct number number[2],
                           struct tile **tile) {
    if (!chip || !word)
        return chip_null(chip, "value");
    bh_status status = BH_OK;
    for (unsigned i = 0; i < 2 && status == BH_OK; i++)
        status = below(chip, number[i].what, number[i].value, number[i].limit);
    return status == BH_OK ? find(chip, at, tile) : status;
}

bh_status bh_tensix_config_get(const bh_chip *chip, struct bh_xy at, unsigned bank, unsigned index, uint32_t *value) {
    const struct number number[] = { { "bank of Config", bank, 2 }, { "word of Config", index, CONFIG_WORDS } };
    struct tile *tile;
    bh_status status = find_word(chip, at, value, number, &tile);
    if (status == BH_OK)
        *value = tile->tensix.config.bank[bank][index];
    return status;
}

bh_status bh_thread_config_get(const bh_chip *chip, struct bh_xy at, unsigned thread, unsigned index, uint32_t *value) {
    const struct number number[] = { { "word of ThreadConfig", index, CONFIG_THREAD_WORDS },
                                     { "Tensix thread", thread, TENSIX_THREADS } };
    struct tile *tile;
    bh_status status = find_word(chip, at, value, number, &tile);
    if (status == BH_OK)
        *value = tile->tensix.config.thread[thread][index];
    return status;
}

bh_status bh_dst_get(const bh_chip *chip, struct bh_xy at, unsigned row, unsigned column, uint32_t *value) {
    const struct number number[] = { { "row of Dst", row, DST_ROWS }, { "column of Dst", column, DST_COLUMNS } };
    struct tile *tile;
    bh_status status = find_word(chip, at, value, number, &tile);
    if (status == BH_OK)
        *value = tile->tensix.dst.bits[row][column];
    return status;
}

bh_status bh_lreg_get(const bh_chip *chip, struct bh_xy at, unsigned index, unsigned lane, uint32_t *value) {
    const struct number number[] = { { "LReg", index, VECTOR_LREGS }, { "lane", lane, LANES } };
    struct tile *tile;
    bh_status status = find_word(chip, at, value, number, &tile);
    if (status == BH_OK)
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

/* ---- Inside ------------------------------------------------------------------------------------------- */

/* Checks the arguments that every reader has: the chip, and the pointer to the result. */
static bh_status given(const bh_chip *chip, const void *result) {
    if (!chip)
        return BH_ERR_ARGUMENT;
    return result ? BH_OK : chip_fail(chip, BH_ERR_ARGUMENT, "there is no room for the result (NULL)");
}

static bh_status find_inside(const bh_chip *chip, struct bh_xy at, unsigned thread, const void *result,
                             struct tile **tile) {
    bh_status status = given(chip, result);
    return status == BH_OK ? find_thread(chip, at, thread, tile) : status;
}

bh_status bh_wait_get(const bh_chip *chip, struct bh_xy at, unsigned thread, struct bh_wait *wait) {
    struct tile *tile;
    bh_status status = find_inside(chip, at, thread, wait, &tile);
    if (status == BH_OK)
        tensix_peek_wait(&tile->tensix, thread, wait);
    return status;
}

_Static_assert((int)BH_ADC_UNPACKER0 == ADC_UNPACKER0 && (int)BH_ADC_UNPACKER1 == ADC_UNPACKER1 &&
                   (int)BH_ADC_PACKER == ADC_PACKERS && (int)BH_ADC_USERS == ADC_COUNT,
               "in this order");

bh_status bh_adc_get(const bh_chip *chip, struct bh_xy at, unsigned thread, enum bh_adc_user user, struct bh_adc *adc) {
    struct tile *tile;
    bh_status status = find_inside(chip, at, thread, adc, &tile);
    if (status == BH_OK)
        status = below(chip, "user of address counters", user, BH_ADC_USERS);
    if (status == BH_OK)
        tensix_peek_adc(&tile->tensix, thread, (enum adc_user)user, adc);
    return status;
}

bh_status bh_rwc_get(const bh_chip *chip, struct bh_xy at, unsigned thread, struct bh_rwc *rwc) {
    struct tile *tile;
    bh_status status = find_inside(chip, at, thread, rwc, &tile);
    if (status == BH_OK)
        tensix_peek_rwc(&tile->tensix, thread, rwc);
    return status;
}

static bh_status find_src(const bh_chip *chip, struct bh_xy at, enum bh_src_file file, const void *result,
                          struct tile **tile) {
    bh_status status = given(chip, result);
    if (status == BH_OK)
        status = below(chip, "file of Src", file, BH_SRC_FILES);
    return status == BH_OK ? find(chip, at, tile) : status;
}

bh_status bh_src_query(const bh_chip *chip, struct bh_xy at, enum bh_src_file file, struct bh_src_info *info) {
    struct tile *tile;
    bh_status status = find_src(chip, at, file, info, &tile);
    if (status == BH_OK)
        tensix_peek_src(&tile->tensix, file, info);
    return status;
}

bh_status bh_src_get(const bh_chip *chip, struct bh_xy at, enum bh_src_file file, unsigned bank, unsigned row,
                     unsigned column, uint32_t *value) {
    struct tile *tile;
    bh_status status = find_src(chip, at, file, value, &tile);
    if (status == BH_OK)
        status = below(chip, "bank of Src", bank, SRC_BANKS);
    if (status == BH_OK)
        status = below(chip, "row of Src", row, SRC_ROWS);
    if (status == BH_OK && (status = below(chip, "column of Src", column, SRC_COLUMNS)) == BH_OK)
        *value = src_get(&tile->tensix.src.bank[file][bank], row, column);
    return status;
}

bh_status bh_mop_get(const bh_chip *chip, struct bh_xy at, unsigned thread, struct bh_mop_info *info) {
    struct tile *tile;
    bh_status status = find_inside(chip, at, thread, info, &tile);
    if (status == BH_OK)
        tensix_peek_mop(&tile->tensix, thread, info);
    return status;
}

bh_status bh_replay_get(const bh_chip *chip, struct bh_xy at, unsigned thread, struct bh_replay_info *info) {
    struct tile *tile;
    bh_status status = find_inside(chip, at, thread, info, &tile);
    if (status == BH_OK)
        tensix_peek_replay(&tile->tensix, thread, info);
    return status;
}
