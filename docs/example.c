/* A program that embeds bhemu: two chips, one small RISC-V program on every Tensix tile of each, and a look at the
 * results and at a fault. Compiled and run by the tests.
 *
 *     cc example.c $(pkg-config --cflags --libs bhemu) -o example && ./example
 */
#include <bhemu.h>
#include <stdio.h>

/* Adds up 1..N with N from L1 address 0x1000 and leaves the sum at 0x1004. */
static const uint32_t program[] = {
    0x000012b7, /*        lui   t0, 0x1        */
    0x0002a303, /*        lw    t1, 0(t0)      */
    0x00000513, /*        li    a0, 0          */
    0x00650533, /* again: add   a0, a0, t1     */
    0xfff30313, /*        addi  t1, t1, -1     */
    0xfe031ce3, /*        bnez  t1, again      */
    0x00a2a223, /*        sw    a0, 4(t0)      */
    0x00100073, /*        ebreak               */
};

static int failed(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

static void print_fault(void *user, bh_chip *chip, const struct bh_fault *fault) {
    (void)chip;
    printf("%s: tile %u,%u: %s\n", (const char *)user, fault->tile.x, fault->tile.y, fault->text);
}

/* Puts the program on every live Tensix tile; tile number i adds up 1..i+1. Returns the number of tiles. */
static unsigned start_all(bh_chip *chip) {
    struct bh_tile_info tile;
    unsigned count = 0;
    for (unsigned i = 0; bh_tile_at(chip, i, &tile) == BH_OK; i++) {
        if (tile.kind != BH_TILE_TENSIX || tile.harvested)
            continue;
        uint32_t n = ++count;
        bh_load_raw(chip, tile.translated, BH_BRISC, 0, program, sizeof program);
        bh_write(chip, tile.translated, 0x1000, &n, sizeof n);
        bh_release(chip, tile.translated, 1u << BH_BRISC);
    }
    return count;
}

static int run_board(enum bh_board board, const char *name) {
    struct bh_config config;
    struct bh_stop stop;
    bh_chip *chip;
    char message[200];
    bh_config_board(&config, board);
    config.threads = 2;
    config.on_fault = print_fault;
    config.user = (void *)name;
    if (bh_create(&config, &chip, message, sizeof message) != BH_OK)
        return failed("bh_create", message);

    unsigned count = start_all(chip);
    bh_run(chip, 1000000, BH_RUN_STOP_ON_IDLE, &stop);
    printf("%s: %u tiles, %s\n", name, count, bh_stop_reason_text(stop.reason));

    uint32_t sum;
    struct bh_xy first = { 1, 2 }, last = { 14, 11 };
    if (bh_read(chip, first, 0x1004, &sum, sizeof sum) != BH_OK)
        return failed("bh_read", bh_message(chip));
    printf("%s: tile 1,2 says %u\n", name, sum);
    if (bh_read(chip, last, 0x1004, &sum, sizeof sum) != BH_OK)
        return failed("bh_read", bh_message(chip));
    printf("%s: tile 14,11 says %u\n", name, sum);

    /* NCRISC has no program: its fault stops it alone, and the chip lives on. */
    bh_release(chip, first, 1u << BH_NCRISC);
    bh_run(chip, 1000, BH_RUN_STOP_ON_FAULT, &stop);
    if (stop.reason != BH_STOP_FAULT)
        return failed("bh_run", "no fault?");
    bh_destroy(chip);
    return 0;
}

int main(void) {
    return run_board(BH_BOARD_P150, "p150") || run_board(BH_BOARD_P100A, "p100a");
}
