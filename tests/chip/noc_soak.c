/* A soak: all cores of all tiles send, ask and count for a long time (support/noc_soak.h). In the end nothing is lost,
 * counters are balanced, and packets take no more memory than they did early on.
 *
 *     noc_soak [CYCLES [SEED [THREADS]]]     a billion cycles of cores are 1430000 cycles
 */
#include <stdio.h>
#include <unistd.h>

#include "chip/chip.h"
#include "support/chip.h"
#include "support/noc_soak.h"

static uint64_t cycles = 24000, seed = 1;
static unsigned threads = 1;

/* Sums of a counter over all tiles. */
static uint64_t total(const bh_chip *chip, unsigned counter) {
    uint64_t sum = 0;
    for (unsigned noc = 0; noc < 2; noc++) {
        for (unsigned i = 0; i < TOPOLOGY_TILES; i++)
            sum += chip_made(chip, i)->niu[noc].count[counter];
        for (unsigned i = 0; i < CHIP_SMALL_TILES; i++)
            sum += chip->small_niu[i][noc].count[counter];
    }
    return sum;
}

static uint64_t blocks_in_use(const bh_chip *chip) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < EXCHANGE_POOLS; i++)
        sum += chip->exchange.pools[i]->used;
    return sum;
}

/* Room for packets that has ever been needed. */
static uint64_t room(const bh_chip *chip) {
    uint64_t sum = 0;
    for (unsigned i = 0; i <= TOPOLOGY_TILES; i++) {
        const struct mail *mail = i < TOPOLOGY_TILES ? &chip_made(chip, i)->mail : &chip->exchange.mail;
        sum += mail->inbox.room + mail->outbox.room + mail->used_room + mail->loose.kept_room + mail->loose.room +
               mail->loose.apart_room;
    }
    for (unsigned i = 0; i < EXCHANGE_POOLS; i++)
        for (unsigned class = 0; class < PACKET_POOL_CLASSES; class ++)
            sum += chip->exchange.pools[i]->fresh[class];
    return sum;
}

static long resident(void) {
    long all, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages;
}

/* NIUs count lazily. */
static void look_at_all(bh_chip *chip) {
    for (unsigned tile = 0; tile < SOAK_TILES; tile++)
        for (unsigned noc = 0; noc < 2; noc++) {
            uint32_t node;
            assert_int_equal(bh_read(chip, soak_tile(tile), script_niu(noc, 0) + 0x44, &node, sizeof node), BH_OK);
        }
}

static void check_balance(const bh_chip *chip, uint64_t rounds, uint64_t casts) {
    assert_int_equal(total(chip, NIU_WR_REQ_SENT), 2 * rounds);
    assert_int_equal(total(chip, NIU_WR_REQ_SENT + 1), rounds + casts);
    assert_int_equal(total(chip, NIU_ATOMIC_SENT), rounds);
    assert_int_equal(total(chip, NIU_RD_REQ_SENT), rounds);
    assert_int_equal(total(chip, NIU_CMD_ACCEPTED), 5 * rounds + casts);
    assert_int_equal(total(chip, NIU_SLV_WR_REQ_RECEIVED), 2 * rounds);
    assert_int_equal(total(chip, NIU_SLV_WR_REQ_RECEIVED + 1), rounds + (SOAK_TILES - 1) * casts);
    assert_int_equal(total(chip, NIU_SLV_ATOMIC_RECEIVED), rounds);
    assert_int_equal(total(chip, NIU_SLV_RD_REQ_RECEIVED), rounds);
    assert_int_equal(total(chip, NIU_SLV_WR_ACK_SENT), 2 * rounds);
    assert_int_equal(total(chip, NIU_WR_ACK_RECEIVED), 2 * rounds);
    assert_int_equal(total(chip, NIU_ATOMIC_RESP_RECEIVED), rounds);
    assert_int_equal(total(chip, NIU_RD_RESP_RECEIVED), rounds);
    for (unsigned id = 0; id < NIU_IDS; id++) {
        assert_int_equal(total(chip, NIU_OUTSTANDING + id), 0);
        assert_int_equal(total(chip, NIU_OUTGOING + id), 0);
    }
}

/* The last value that a core wrote is there, and its writes have been counted. */
static void check_core(const bh_chip *chip, const struct soak *soak, unsigned tile, unsigned core) {
    uint8_t sent[1024], found[1024];
    unsigned target = soak->target[tile][core];
    assert_int_equal(bh_peek(chip, soak_tile(tile), SOAK_FROM + core * 1024, sent, soak->length), BH_OK);
    assert_int_equal(bh_peek(chip, soak_tile(target), SOAK_PLACES + soak_place(tile, core), found, soak->length),
                     BH_OK);
    assert_memory_equal(sent, found, soak->length);
    assert_int_equal(soak_peek(chip, target, SOAK_COUNTED + core * 16), soak_peek(chip, tile, SOAK_ROUNDS + 4 * core));
    for (unsigned other = 0; soak_casts(tile, core) && other < SOAK_TILES; other++) {
        assert_int_equal(bh_peek(chip, soak_tile(other), SOAK_CAST + tile / 20 * 64, found, 64), BH_OK);
        assert_int_equal(memcmp(sent, found, 64) == 0, other != tile);
    }
}

static void run_soak(enum bh_timing timing) {
    struct soak soak = { .random = seed, .length = 512 };
    struct bh_stop stop;
    bh_chip *chip = make_timed(timing, threads);
    uint64_t rounds = 0, casts = 0;
    soak_start(&soak, chip, SOAK_TILES, BH_ALL_CORES);
    assert_int_equal(bh_run(chip, cycles / 2, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    uint64_t early_room = room(chip);
    long early_pages = resident();
    assert_int_equal(blocks_in_use(chip) > 0, timing == BH_TIMING_CYCLES);
    assert_int_equal(bh_run(chip, cycles - cycles / 2, BH_RUN_STOP_ON_FAULT, &stop), BH_OK);
    if (stop.reason == BH_STOP_FAULT)
        fail_msg("%s", stop.fault.text);
    assert_in_range(room(chip), early_room, early_room + early_room / 8);
    assert_in_range(resident(), 1, early_pages + 256);
    soak_end(chip, SOAK_TILES);
    run_until_idle(chip);
    for (unsigned tile = 0; tile < SOAK_TILES; tile++)
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            check_core(chip, &soak, tile, core);
            rounds += soak_peek(chip, tile, SOAK_ROUNDS + 4 * core);
            casts += soak_casts(tile, core) ? soak_peek(chip, tile, SOAK_ROUNDS + 4 * core) : 0;
        }
    look_at_all(chip);
    check_balance(chip, rounds, casts);
    assert_int_equal(blocks_in_use(chip), 0);
    print_message("%llu rounds of 5 requests and %llu multicasts in %llu cycles; room for packets %llu, then %llu\n",
                  (unsigned long long)rounds, (unsigned long long)casts, (unsigned long long)bh_cycle(chip),
                  (unsigned long long)early_room, (unsigned long long)room(chip));
    bh_destroy(chip);
}

static void nothing_is_lost(void **state) {
    (void)state;
    run_soak(BH_TIMING_CYCLES);
}

static void nor_if_timing_is_loose(void **state) {
    (void)state;
    run_soak(BH_TIMING_LOOSE);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(nor_if_timing_is_loose),
    };
    cycles = argc > 1 ? strtoull(argv[1], NULL, 0) : cycles;
    seed = argc > 2 ? strtoull(argv[2], NULL, 0) : seed;
    threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : threads;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
