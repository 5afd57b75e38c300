/* Memory that runs out: the n-th allocation in a chip's life fails, for every n until no more are made. Calls return a
 * status, or a request of the guest is refused; nothing crashes or hangs, and in the end nothing is left over.
 *
 * The linker sends the library's calls here (--wrap): allocations, mappings, threads. With 64-bit offsets, which Meson
 * selects, mmap is mmap64. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "support/chip.h"
#include "support/rv.h"

/* ---- Allocations ------------------------------------------------------------------------------------------------ */

static atomic_long until_failure; /* allocations that still succeed; negative: all do */
static atomic_ullong asked;       /* allocations so far */
static atomic_llong blocks, mapped, threads;

static bool fails(void) {
    atomic_fetch_add(&asked, 1);
    return atomic_load(&until_failure) >= 0 && atomic_fetch_sub(&until_failure, 1) == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *at);
void *__real_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __real_pthread_join(pthread_t thread, void **result);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *at);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *at, size_t size);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_join(pthread_t thread, void **result);

static void *counted(void *at) {
    atomic_fetch_add(&blocks, at != NULL);
    return at;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *at, size_t size) {
    if (fails())
        return NULL;
    void *new = __real_realloc(at, size);
    atomic_fetch_add(&blocks, !at && new);
    return new;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *at) {
    atomic_fetch_sub(&blocks, at != NULL);
    __real_free(at);
}

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    void *place = fails() ? MAP_FAILED : __real_mmap64(at, size, protection, flags, file, offset);
    if (place != MAP_FAILED)
        atomic_fetch_add(&mapped, (long long)size);
    else
        errno = ENOMEM;
    return place;
}

int __wrap_munmap(void *at, size_t size) {
    atomic_fetch_sub(&mapped, (long long)size);
    return __real_munmap(at, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    int status = fails() ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
    atomic_fetch_add(&threads, status == 0);
    return status;
}

int __wrap_pthread_join(pthread_t thread, void **result) {
    atomic_fetch_sub(&threads, 1);
    return __real_pthread_join(thread, result);
}

/* ---- A chip's life ---------------------------------------------------------------------------------------------- */

enum { TILES = 12, CYCLES = 3000 };

struct life {
    enum bh_timing timing;
    unsigned watch;
    bool refused; /* bh_create, with BH_ERR_MEMORY */
    unsigned faults;
    uint64_t hash;
};

struct code {
    uint32_t word[64];
    unsigned count;
};

static void emit(struct code *code, uint32_t word) {
    code->word[code->count++] = word;
}

static void emit_store(struct code *code, uint32_t address, uint32_t value) {
    emit(code, rv_lui(5, rv_high(address)));
    emit(code, rv_addi(5, 5, rv_low(address)));
    emit(code, rv_lui(6, rv_high(value)));
    emit(code, rv_addi(6, 6, rv_low(value)));
    emit(code, rv_sw(6, 0, 5));
}

/* Sends so many bytes to a tile and reads as many from a DRAM bank, for ever. */
static struct code traffic(unsigned size, struct bh_xy to) {
    enum { WRITE_ACKNOWLEDGED = 0x12, READ = 0x10, COMMAND = 0x40 };
    const uint32_t writer = 0xFFB20000, reader = 0xFFB20800;
    struct code code = { .count = 0 };
    emit_store(&code, writer + 0x14, to.x | (uint32_t)to.y << 6);
    emit_store(&code, writer + 0x0C, 0x30000);
    emit_store(&code, writer + 0x1C, WRITE_ACKNOWLEDGED);
    emit_store(&code, writer + 0x20, size);
    emit_store(&code, reader + 0x08, 17 | 12u << 6);
    emit_store(&code, reader + 0x0C, 0x40000);
    emit_store(&code, reader + 0x1C, READ);
    emit_store(&code, reader + 0x20, size);
    emit(&code, rv_lui(5, writer));
    emit(&code, rv_addi(6, 0, 1));
    emit(&code, rv_sw(6, COMMAND, 5));
    emit(&code, rv_lui(7, rv_high(reader)));
    emit(&code, rv_addi(7, 7, rv_low(reader)));
    emit(&code, rv_sw(6, COMMAND, 7));
    emit(&code, rv_lw(8, COMMAND, 7)); /* until both are in flight */
    emit(&code, rv_bne(8, 0, -4));
    emit(&code, rv_lw(8, COMMAND, 5));
    emit(&code, rv_bne(8, 0, -4));
    emit(&code, rv_jal(0, -4 * 8));
    return code;
}

static void count_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    struct life *life = user;
    (void)chip;
    if (!strstr(fault->text, "the host has no memory left for a packet"))
        fail_msg("%s", fault->text);
    life->faults++;
}

static void ignore(void *user, const struct bh_event *event) {
    (void)user;
    (void)event;
}

/* Returns whether the call was done; otherwise there was no memory. */
static bool done(const bh_chip *chip, bh_status status) {
    if (status != BH_OK)
        assert_refusal(chip, status, BH_ERR_MEMORY, "memory");
    return status == BH_OK;
}

static void work(bh_chip *chip) {
    for (unsigned i = 0; i < TILES; i++) {
        struct bh_xy tile = { (uint8_t)(1 + i % 4), (uint8_t)(2 + i / 4) };
        struct bh_xy to = { (uint8_t)(1 + (i + 1) % 4), tile.y };
        struct code code = traffic(16u << i % 4 * 3, to); /* 16 .. 8192 bytes */
        start_at(chip, tile, BH_BRISC, 0, code.word, sizeof code.word);
    }
    assert_int_equal(bh_run(chip, CYCLES, 0, NULL), BH_OK);
}

static void live(struct life *life) {
    struct bh_config config;
    bh_chip *chip = NULL;
    char message[80] = "";
    bh_config_init(&config);
    config.threads = 3;
    config.timing = life->timing;
    config.on_fault = count_fault;
    config.user = life;
    bh_status status = bh_create(&config, &chip, message, sizeof message);
    life->refused = status == BH_ERR_MEMORY;
    if (status != BH_OK) {
        assert_int_equal(status, BH_ERR_MEMORY);
        assert_null(chip);
        assert_says(message, "chip");
        return;
    }
    bool watched = !life->watch || done(chip, bh_observe(chip, life->watch, ignore, NULL));
    work(chip);
    if (life->watch && watched)
        done(chip, bh_observe_flush(chip));
    life->hash = bh_state_hash(chip);
    bh_reset(chip);
    work(chip);
    bh_destroy(chip);
}

static void live_with(struct life *life, long allocations) {
    life->faults = 0;
    atomic_store(&until_failure, allocations);
    live(life);
    if (atomic_load(&blocks) || atomic_load(&mapped) || atomic_load(&threads))
        fail_msg("with %ld allocations %lld blocks, %lld mapped bytes and %lld threads are left", allocations,
                 (long long)blocks, (long long)mapped, (long long)threads);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------
 */

/* Every step-th allocation fails in turn, and bh_create refuses exactly while it is its own. */
static void fail_each(enum bh_timing timing, unsigned watch, long step) {
    struct life life = { .timing = timing, .watch = watch };
    unsigned refusals = 0, faults = 0;
    live_with(&life, -1);
    assert_int_equal(life.faults, 0);
    atomic_store(&asked, 0);
    uint64_t hash = life.hash;
    live_with(&life, -1);
    assert_true(life.hash == hash);
    long all = (long)atomic_load(&asked);
    assert_true(all > 10);
    for (long n = 0; n < all; n += step) {
        live_with(&life, n);
        refusals += life.refused;
        faults += life.faults;
    }
    if (step == 1) {
        assert_int_equal(refusals, 3); /* the handle, the arena, DRAM */
        assert_true(faults > 0);
    }
    live_with(&life, -1);
    assert_true(life.hash == hash);
    print_message("%ld allocations, %u of them in bh_create\n", all, refusals);
}

static void with_cycles(void **state) {
    (void)state;
    fail_each(BH_TIMING_CYCLES, 0, 1);
}

static void with_loose_timing(void **state) {
    (void)state;
    fail_each(BH_TIMING_LOOSE, 0, 1);
}

static void with_an_observer(void **state) {
    (void)state;
    fail_each(BH_TIMING_CYCLES, BH_WATCH_STATS | BH_WATCH_EVENTS, 7);
}

static void with_profiles(void **state) {
    (void)state;
    fail_each(BH_TIMING_CYCLES, BH_WATCH_STATS | BH_WATCH_PROFILE | BH_WATCH_EVENTS, 61);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_cycles),
        cmocka_unit_test(with_loose_timing),
        cmocka_unit_test(with_an_observer),
        cmocka_unit_test(with_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
