/* Tests of src/chip/from_host.c: what NIUs count of the host's accesses through windows, and which cores wake. */
#include <stdlib.h>

#include "chip/chip.h"
#include "support/chip.h"

static const struct bh_xy here = { 3, 4 }, dram = { 17, 12 }, pcie = { 19, 24 };

static uint32_t count(const bh_chip *chip, struct bh_xy tile, unsigned noc, unsigned counter) {
    return peek_word(chip, tile, 0xFFB20200 + 0x10000 * noc + 4 * counter);
}

static uint32_t sent(const bh_chip *chip, unsigned counter) {
    return peek_word(chip, pcie, UINT64_C(0xFFFFFFFFFF000200) + 4 * counter);
}

static void go(bh_chip *chip, struct bh_xy tile, enum chip_op op, unsigned noc, uint64_t address, size_t size,
               bool posted) {
    static uint8_t bytes[4096];
    const struct chip_request request = { op, (uint8_t)noc, address, bytes, size };
    assert_int_equal(chip_unicast(chip, tile, &request, posted), BH_OK);
}

static void writes_count(void **state) {
    bh_chip *chip = *state;
    go(chip, here, CHIP_WRITE, 0, 0x1000, 4, false);
    assert_int_equal(count(chip, here, 0, NIU_SLV_WR_DATA_WORD_RECEIVED), 1);
    assert_int_equal(count(chip, here, 0, NIU_SLV_WR_REQ_RECEIVED), 1);
    assert_int_equal(count(chip, here, 0, NIU_SLV_WR_REQ_STARTED), 1);
    assert_int_equal(count(chip, here, 0, NIU_SLV_WR_ACK_SENT), 1);
    assert_int_equal(sent(chip, NIU_CMD_ACCEPTED), 1);
    assert_int_equal(sent(chip, NIU_WR_REQ_STARTED), 1);
    assert_int_equal(sent(chip, NIU_WR_REQ_SENT), 1);
    assert_int_equal(sent(chip, NIU_WR_DATA_WORD_SENT), 1);
    assert_int_equal(sent(chip, NIU_WR_ACK_RECEIVED), 1);
    assert_int_equal(count(chip, here, 0, NIU_SLV_RD_REQ_RECEIVED), 0);
    assert_int_equal(count(chip, here, 1, NIU_SLV_WR_REQ_RECEIVED), 0);
}

static void posted_writes_have_counters_of_their_own(void **state) {
    bh_chip *chip = *state;
    go(chip, here, CHIP_WRITE, 0, 0x1000, 4, true);
    for (unsigned marked = 0; marked < 2; marked++) {
        assert_int_equal(count(chip, here, 0, NIU_SLV_WR_DATA_WORD_RECEIVED + !marked), !marked);
        assert_int_equal(count(chip, here, 0, NIU_SLV_WR_REQ_RECEIVED + !marked), !marked);
        assert_int_equal(count(chip, here, 0, NIU_SLV_WR_REQ_STARTED + !marked), !marked);
        assert_int_equal(sent(chip, NIU_WR_REQ_STARTED + !marked), !marked);
        assert_int_equal(sent(chip, NIU_WR_REQ_SENT + !marked), !marked);
        assert_int_equal(sent(chip, NIU_WR_DATA_WORD_SENT + !marked), !marked);
    }
    assert_int_equal(count(chip, here, 0, NIU_SLV_WR_ACK_SENT), 0);
    assert_int_equal(sent(chip, NIU_WR_ACK_RECEIVED), 0);
}

static void reads_count(void **state) {
    bh_chip *chip = *state;
    go(chip, dram, CHIP_READ, 1, 0x1000, 8, false);
    assert_int_equal(count(chip, dram, 1, NIU_SLV_REQ_ACCEPTED), 1);
    assert_int_equal(count(chip, dram, 1, NIU_SLV_RD_REQ_RECEIVED), 1);
    assert_int_equal(count(chip, dram, 1, NIU_SLV_RD_RESP_SENT), 1);
    assert_int_equal(count(chip, dram, 1, NIU_SLV_RD_DATA_WORD_SENT), 1);
    assert_int_equal(count(chip, dram, 1, NIU_SLV_WR_REQ_RECEIVED), 0);
    go(chip, dram, CHIP_READ, 0, 0x1000, 8, false);
    assert_int_equal(sent(chip, NIU_RD_REQ_STARTED), 1);
    assert_int_equal(sent(chip, NIU_RD_REQ_SENT), 1);
    assert_int_equal(sent(chip, NIU_RD_RESP_RECEIVED), 1);
    assert_int_equal(sent(chip, NIU_RD_DATA_WORD_RECEIVED), 1);
    assert_int_equal(sent(chip, NIU_WR_REQ_SENT), 0);
}

/* A packet is 64 aligned bytes at most; nothing is no packet. */
static void long_accesses_are_many_packets(void **state) {
    static const struct {
        uint64_t address;
        size_t size;
        uint32_t packets;
    } cases[] = { { 0x1000, 0, 0 },  { 0x103F, 1, 1 }, { 0x1000, 64, 1 },
                  { 0x1020, 64, 2 }, { 0x103F, 2, 2 }, { 0x1001, 4095, 64 } };
    bh_chip *chip = *state;
    uint32_t sum = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        go(chip, here, CHIP_WRITE, 0, cases[i].address, cases[i].size, false);
        sum += cases[i].packets;
        assert_int_equal(count(chip, here, 0, NIU_SLV_WR_REQ_RECEIVED), sum);
        assert_int_equal(count(chip, here, 0, NIU_SLV_WR_DATA_WORD_RECEIVED), sum);
    }
}

/* The request has arrived when the counter is read, its answer has not left. */
static void a_read_of_the_counters_counts_itself(void **state) {
    bh_chip *chip = *state;
    uint32_t value = 99;
    const struct chip_request arrived = { CHIP_READ, 0, 0xFFB20200 + 4 * NIU_SLV_RD_REQ_RECEIVED, &value, 4 };
    const struct chip_request answered = { CHIP_READ, 0, 0xFFB20200 + 4 * NIU_SLV_RD_RESP_SENT, &value, 4 };
    assert_int_equal(chip_unicast(chip, here, &arrived, false), BH_OK);
    assert_int_equal(value, 1);
    assert_int_equal(chip_unicast(chip, here, &answered, false), BH_OK);
    assert_int_equal(value, 1);
}

static void every_receiver_counts_and_acknowledges(void **state) {
    bh_chip *chip = *state;
    uint32_t word = 5;
    const struct chip_request request = { CHIP_WRITE, 0, 0x40, &word, 4 };
    const struct chip_area area = { { 2, 3 }, { 3, 5 }, 0, 0 };
    assert_int_equal(chip_multicast(chip, &area, &request, false), BH_OK);
    assert_int_equal(count(chip, here, 0, NIU_SLV_WR_ACK_SENT), 1);
    assert_int_equal(count(chip, (struct bh_xy){ 4, 4 }, 0, NIU_SLV_WR_ACK_SENT), 0);
    assert_int_equal(sent(chip, NIU_WR_REQ_SENT), 1);
    assert_int_equal(sent(chip, NIU_WR_ACK_RECEIVED), 6);
}

/* An access by coordinate does not count, nor does an access that is refused. */
static void other_ways_do_not_count(void **state) {
    bh_chip *chip = *state;
    uint32_t word = 5;
    const struct chip_request odd = { CHIP_READ, 0, 0xFFB20001, &word, 4 };
    assert_int_equal(bh_write(chip, here, 0x40, &word, 4), BH_OK);
    assert_int_equal(count(chip, here, 0, NIU_SLV_WR_REQ_RECEIVED), 0);
    assert_int_equal(chip_unicast(chip, here, &odd, false), BH_ERR_ALIGNMENT);
    assert_int_equal(count(chip, here, 0, NIU_SLV_RD_RESP_SENT), 0);
    assert_int_equal(sent(chip, NIU_CMD_ACCEPTED), 0);
}

/* A core waits until its NIU has received two writes; then it stores 0x55 at 0x100. */
static void a_core_that_polls_a_counter_wakes(void **state) {
    static const uint32_t program[] = {
        0xFFB20537, /* lui a0, 0xFFB20 */
        0x00200613, /* li a2, 2 */
        0x2E852583, /* lw a1, 0x2E8(a0): received, non-posted */
        0xFEC59EE3, /* bne a1, a2, -4 */
        0x05500293, /* li t0, 0x55 */
        0x10502023, /* sw t0, 0x100(x0) */
        0x0000006F, /* j . */
    };
    bh_chip *chip = *state;
    uint32_t reset = 0x47000;
    assert_int_equal(bh_write(chip, here, 0, program, sizeof program), BH_OK);
    assert_int_equal(bh_write(chip, here, 0xFFB121B0, &reset, 4), BH_OK);
    assert_int_equal(bh_run(chip, 5000, 0, NULL), BH_OK);
    go(chip, here, CHIP_WRITE, 0, 0x1000, 4, false);
    assert_int_equal(bh_run(chip, 5000, 0, NULL), BH_OK);
    assert_int_equal(peek_word(chip, here, 0x100), 0);
    go(chip, here, CHIP_READ, 0, 0x1000, 4, false);
    go(chip, here, CHIP_WRITE, 0, 0x1000, 4, false);
    assert_int_equal(bh_run(chip, 5000, 0, NULL), BH_OK);
    assert_int_equal(peek_word(chip, here, 0x100), 0x55);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_chip, teardown_chip)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(writes_count),
        TEST(posted_writes_have_counters_of_their_own),
        TEST(reads_count),
        TEST(long_accesses_are_many_packets),
        TEST(a_read_of_the_counters_counts_itself),
        TEST(every_receiver_counts_and_acknowledges),
        TEST(other_ways_do_not_count),
        TEST(a_core_that_polls_a_counter_wakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
