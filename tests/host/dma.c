/* Tests of src/host/dma.c and src/chip/hdma.c: the DMA engine through BAR 2, as drivers and firmware program it. */
#include <string.h>
#include "support/chip.h"

enum { TO_HOST = 0x000, TO_DEVICE = 0x100 }; /* the two channels */
enum { ENABLE = 0x00, DOORBELL = 0x04, BYTES = 0x1C, SOURCE = 0x20, DESTINATION = 0x28, CONTROL = 0x34 };
enum { STATUS = 0x80, INTERRUPTS = 0x84, SETUP = 0x88, CLEAR = 0x8C, DONE_ADDRESS = 0x90, MESSAGE = 0xA8 };

static const struct bh_xy TENSIX = { 3, 4 };
static uint8_t host_memory[65536];
static unsigned host_writes;

static void host_read(void *user, uint64_t address, void *data, size_t size) {
    (void)user;
    assert_true(address <= sizeof host_memory && size <= sizeof host_memory - address);
    memcpy(data, host_memory + address, size);
}

static void host_write(void *user, uint64_t address, const void *data, size_t size) {
    (void)user;
    assert_true(address <= sizeof host_memory && size <= sizeof host_memory - address);
    memcpy(host_memory + address, data, size);
    host_writes++;
}

static bh_chip *make_with_host(bool memory) {
    struct bh_config config;
    bh_config_init(&config);
    config.host_read = memory ? host_read : NULL;
    config.host_write = memory ? host_write : NULL;
    return make_configured(&config);
}

/* Window 5 leads to address 0 of the tile. */
static int make(void **state) {
    bh_chip *chip = make_with_host(true);
    uint64_t low = (uint64_t)TENSIX.x << 43 | (uint64_t)TENSIX.y << 49;
    const uint32_t words[3] = { (uint32_t)low, (uint32_t)(low >> 32), 0 };
    assert_int_equal(bh_bar_write(chip, 0, 0x1FC00000 + 12 * 5, words, sizeof words), BH_OK);
    for (unsigned i = 0; i < sizeof host_memory; i++)
        host_memory[i] = (uint8_t)(i * 13 + i / 256);
    host_writes = 0;
    *state = chip;
    return 0;
}

static void put(bh_chip *chip, uint32_t offset, uint32_t value) {
    if (bh_bar_write(chip, 2, offset, &value, 4) != BH_OK)
        fail_msg("%s", bh_message(chip));
}

static uint32_t get(bh_chip *chip, uint32_t offset) {
    uint32_t value = 0xDEAD;
    if (bh_bar_read(chip, 2, offset, &value, 4) != BH_OK)
        fail_msg("%s", bh_message(chip));
    return value;
}

static void assert_refused(bh_chip *chip, uint32_t offset, uint32_t value, bh_status status, const char *text) {
    assert_refusal(chip, bh_bar_write(chip, 2, offset, &value, 4), status, text);
}

static void describe(bh_chip *chip, uint32_t channel, uint64_t source, uint64_t destination, uint32_t size) {
    put(chip, channel + ENABLE, 1);
    put(chip, channel + SOURCE, (uint32_t)source);
    put(chip, channel + SOURCE + 4, (uint32_t)(source >> 32));
    put(chip, channel + DESTINATION, (uint32_t)destination);
    put(chip, channel + DESTINATION + 4, (uint32_t)(destination >> 32));
    put(chip, channel + BYTES, size);
}

enum { WINDOW_5 = 5 << 21 };

/* Windows 5 and 6 lead to different parts of a bank. */
static void from_one_window_to_the_next(void **state) {
    const struct bh_xy other = { 17, 12 };
    const uint64_t low = (uint64_t)other.x << 43 | (uint64_t)other.y << 49;
    const uint32_t words[3] = { (uint32_t)low, (uint32_t)(low >> 32), 0 };
    const uint32_t five[3] = { words[0] | 1, words[1], 0 };
    bh_chip *chip = *state;
    uint8_t sent[5000], got[5000];
    assert_int_equal(bh_bar_write(chip, 0, 0x1FC00000 + 12 * 6, words, sizeof words), BH_OK);
    assert_int_equal(bh_bar_write(chip, 0, 0x1FC00000 + 12 * 5, five, sizeof five), BH_OK);
    memcpy(sent, host_memory + 0x100, sizeof sent);
    describe(chip, TO_DEVICE, 0x100, WINDOW_5 + (2 << 20) - 3000, sizeof sent);
    put(chip, TO_DEVICE + DOORBELL, 1);
    assert_int_equal(bh_read(chip, other, (4 << 20) - 3000, got, 3000), BH_OK);
    assert_memory_equal(got, sent, 3000);
    assert_int_equal(bh_read(chip, other, 0, got, 2000), BH_OK);
    assert_memory_equal(got, sent + 3000, 2000);
    describe(chip, TO_HOST, WINDOW_5 + (2 << 20) - 3000, 0x8000, sizeof sent);
    put(chip, TO_HOST + DOORBELL, 1);
    assert_memory_equal(host_memory + 0x8000, sent, sizeof sent);
}

static void host_to_device(void **state) {
    bh_chip *chip = *state;
    uint8_t got[9001];
    describe(chip, TO_DEVICE, 0x103, WINDOW_5 + 0x2001, sizeof got); /* any size, any alignment */
    assert_int_equal(get(chip, TO_DEVICE + BYTES), sizeof got);
    put(chip, TO_DEVICE + DOORBELL, 1);
    assert_int_equal(get(chip, TO_DEVICE + BYTES), 0);
    assert_int_equal(get(chip, TO_DEVICE + DOORBELL), 0);
    assert_int_equal(bh_read(chip, TENSIX, 0x2001, got, sizeof got), BH_OK);
    assert_memory_equal(got, host_memory + 0x103, sizeof got);
    assert_int_equal(host_writes, 0); /* no message: masked */
}

static void device_to_host(void **state) {
    bh_chip *chip = *state;
    uint8_t bytes[9001];
    memset(bytes, 0xC3, sizeof bytes);
    bytes[0] = 1;
    bytes[sizeof bytes - 1] = 2;
    uint8_t before = host_memory[0x500 + sizeof bytes];
    assert_int_equal(bh_write(chip, TENSIX, 0x8000, bytes, sizeof bytes), BH_OK);
    describe(chip, TO_HOST, WINDOW_5 + 0x8000, 0x500, sizeof bytes);
    put(chip, TO_HOST + DOORBELL, 1);
    assert_memory_equal(host_memory + 0x500, bytes, sizeof bytes);
    assert_int_equal(host_memory[0x500 + sizeof bytes], before);
    assert_int_equal(get(chip, TO_HOST + BYTES), 0);
    assert_int_equal(get(chip, TO_DEVICE + INTERRUPTS), 0); /* the other channel is another one */
}

static void status_and_interrupts(void **state) {
    bh_chip *chip = *state;
    assert_int_equal(get(chip, TO_DEVICE + SETUP), 7);
    assert_int_equal(get(chip, TO_DEVICE + INTERRUPTS), 0);
    describe(chip, TO_DEVICE, 0, WINDOW_5, 16);
    put(chip, TO_DEVICE + DOORBELL, 1);
    assert_int_equal(get(chip, TO_DEVICE + STATUS), 3);
    assert_int_equal(get(chip, TO_DEVICE + INTERRUPTS), 1);
    put(chip, TO_DEVICE + CLEAR, 4);
    assert_int_equal(get(chip, TO_DEVICE + INTERRUPTS), 1);
    put(chip, TO_DEVICE + CLEAR, 1);
    assert_int_equal(get(chip, TO_DEVICE + INTERRUPTS), 0);
    assert_refused(chip, TO_DEVICE + STATUS, 1, BH_ERR_STATE, "read-only");
    assert_refused(chip, TO_DEVICE + INTERRUPTS, 1, BH_ERR_STATE, "read-only");
}

/* As tt-umd and the board's firmware set it up: bit 3 sends a message when done, bits 0 to 2 mask. */
static void a_message_when_done(void **state) {
    bh_chip *chip = *state;
    uint32_t got;
    describe(chip, TO_DEVICE, 0, WINDOW_5, 4096 * 3);
    put(chip, TO_DEVICE + SETUP, 0x28);
    put(chip, TO_DEVICE + DONE_ADDRESS, 0x9000);
    put(chip, TO_DEVICE + DONE_ADDRESS + 4, 0);
    put(chip, TO_DEVICE + MESSAGE, 0xFACE);
    put(chip, TO_DEVICE + DOORBELL, 1);
    memcpy(&got, host_memory + 0x9000, 4);
    assert_int_equal(got, 0xFACE);
    assert_int_equal(host_writes, 1);
    put(chip, TO_DEVICE + SETUP, 0x29);
    put(chip, TO_DEVICE + BYTES, 4);
    put(chip, TO_DEVICE + DOORBELL, 1);
    put(chip, TO_DEVICE + SETUP, 0x10); /* a local interrupt only */
    put(chip, TO_DEVICE + BYTES, 4);
    put(chip, TO_DEVICE + DOORBELL, 1);
    assert_int_equal(host_writes, 1);
}

static void refusals(void **state) {
    bh_chip *chip = *state;
    uint32_t value;
    assert_refused(chip, TO_DEVICE + DOORBELL, 1, BH_ERR_STATE, "disabled");
    describe(chip, TO_DEVICE, 0, WINDOW_5, 16);
    assert_refused(chip, TO_DEVICE + DOORBELL, 4, BH_ERR_STATE, "two bits");
    put(chip, TO_DEVICE + DOORBELL, 2); /* a stop has nothing to stop */
    assert_int_equal(get(chip, TO_DEVICE + BYTES), 16);
    put(chip, TO_DEVICE + CONTROL, 1);
    assert_refused(chip, TO_DEVICE + DOORBELL, 1, BH_ERR_UNMODELLED, "linked lists");
    put(chip, TO_DEVICE + CONTROL, 0);
    put(chip, TO_DEVICE + DESTINATION, 0x1A000000);
    assert_refused(chip, TO_DEVICE + DOORBELL, 1, BH_ERR_ADDRESS, "BAR 0 + 0x1a000000");
    assert_int_equal(bh_bar_read(chip, 2, TO_DEVICE + 0x40, &value, 4), BH_ERR_ADDRESS);
    assert_int_equal(bh_bar_read(chip, 2, TO_DEVICE + 0xAC, &value, 4), BH_ERR_ADDRESS);
    assert_int_equal(bh_bar_read(chip, 2, 0x200, &value, 4), BH_ERR_ADDRESS); /* a second channel */
    bh_reset(chip);
    assert_int_equal(get(chip, TO_DEVICE + ENABLE), 0);
    assert_int_equal(get(chip, TO_DEVICE + SETUP), 7);
}

static void without_host_memory(void **state) {
    (void)state;
    bh_chip *chip = make_with_host(false);
    describe(chip, TO_HOST, WINDOW_5, 0, 16);
    assert_refused(chip, TO_HOST + DOORBELL, 1, BH_ERR_STATE, "no host memory");
    describe(chip, TO_DEVICE, 0, WINDOW_5, 16);
    assert_refused(chip, TO_DEVICE + DOORBELL, 1, BH_ERR_STATE, "no host memory");
    bh_destroy(chip);
}

/* The registers as the NoC sees them in window 62 of the PCIe tile; only BAR 2 has the doorbell. */
static void registers_from_the_noc(void **state) {
    const struct bh_xy pcie = { 19, 24 };
    const uint64_t dbi = UINT64_C(0xF800000000000000);
    bh_chip *chip = *state;
    uint32_t value = 0x1234;
    assert_int_equal(bh_write(chip, pcie, dbi + 0x380000 + TO_DEVICE + SOURCE, &value, 4), BH_OK);
    assert_int_equal(get(chip, TO_DEVICE + SOURCE), 0x1234);
    assert_int_equal(bh_read(chip, pcie, dbi + 0x380000 + TO_HOST + SETUP, &value, 4), BH_OK);
    assert_int_equal(value, 7);
    assert_int_equal(bh_read(chip, pcie, dbi + 0x78, &value, 4), BH_OK);
    assert_int_equal(value, 0);
    value = 0x2810;
    assert_int_equal(bh_write(chip, pcie, dbi + 0x78, &value, 4), BH_OK);
    value = 0;
    assert_int_equal(bh_peek(chip, pcie, dbi + 0x78, &value, 4), BH_OK);
    assert_int_equal(value, 0x2810);
    put(chip, TO_DEVICE + ENABLE, 1);
    value = 1;
    assert_int_equal(bh_write(chip, pcie, dbi + 0x380000 + TO_DEVICE + DOORBELL, &value, 4), BH_ERR_UNMODELLED);
    assert_int_equal(bh_read(chip, pcie, dbi + 0x7C, &value, 4), BH_ERR_UNMODELLED);
    assert_non_null(strstr(bh_message(chip), "0xf80000000000007c (4 bytes) in PCI Express tile (19,24)"));
    assert_int_equal(bh_read(chip, pcie, dbi + 0x380200, &value, 4), BH_ERR_UNMODELLED);
    assert_int_equal(bh_write(chip, pcie, dbi + 0x380200, &value, 4), BH_ERR_UNMODELLED);
    assert_int_equal(bh_read(chip, pcie, dbi + 0x7A, &value, 4), BH_ERR_ALIGNMENT);
}

int main(void) {
#define EACH(name) cmocka_unit_test_setup_teardown(name, make, teardown_chip)
    const struct CMUnitTest tests[] = {
        EACH(from_one_window_to_the_next),     EACH(host_to_device),         EACH(device_to_host),
        EACH(status_and_interrupts),           EACH(a_message_when_done),    EACH(refusals),
        cmocka_unit_test(without_host_memory), EACH(registers_from_the_noc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
