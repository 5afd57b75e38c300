/* C = A x B on all 140 tiles: A is 10 by K tiles of bf16, B is K by 14, and every Tensix tile makes one tile of C.
 *
 * The Tensix tiles of the first column hold the rows of A, those of the first row the columns of B. BRISC sends A to
 * the right, NCRISC sends B downwards: each tile of data by one multicast, and then, on the same route, the number of
 * tiles that have arrived so far. T0 waits for both numbers and unpacks, T1 multiplies and adds up, T2 packs. At the
 * end BRISC writes the tile of C to Tensix tile (1,2), where the host finds the whole matrix. */
#include "kit/math.h"
#include "kit/noc.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { K = 8, ROWS = 10, COLUMNS = 14 };
enum { LEFT = 1, RIGHT = 16, TOP = 2, BOTTOM = 11 };

/* Addresses, the same in every tile. */
enum { A = 0x20000, B = 0x28000, C = 0x30000, RESULT = 0x40000 };
#define a_come ((volatile uint32_t *)0x1F000) /* number of tiles that have arrived */
#define b_come ((volatile uint32_t *)0x1F010)
#define c_done ((volatile uint32_t *)0x1F020)
#define counts \
    ((volatile uint32_t *)0x1F100) /* numbers to send: 1, 2, ... each at a multiple of 16 bytes; then those for B */

/* Lets the first tile of a row or column send its tiles, and their numbers, to the others. */
static void send(uint32_t rectangle, uint32_t receivers, uint32_t tiles, volatile uint32_t *come,
                 unsigned first_count) {
    for (unsigned k = 0; k < K; k++) {
        uint32_t at = tiles + k * tile_bytes(BF16);
        volatile uint32_t *count = &counts[(first_count + k) * 4];
        *count = k + 1;
        noc_stores_done((uint32_t)(uintptr_t)count);
        noc_multicast(rectangle, at, at, tile_bytes(BF16), receivers);
        noc_multicast(rectangle, (uint32_t)(uintptr_t)come, (uint32_t)(uintptr_t)count, 4, receivers);
    }
    *come = K;
}

int brisc(void) {
    uint32_t x = my_x(), y = my_y(), index = (y - TOP) * COLUMNS + (x < 8 ? x - 1 : x - 3);
    noc_init();
    if (x == LEFT)
        send(noc_rectangle(LEFT, y, RIGHT, y), COLUMNS - 1, A, a_come, 0);
    wait_for(c_done, 1);
    noc_write(noc_tile(LEFT, TOP), RESULT + index * tile_bytes(BF16), C, tile_bytes(BF16));
    noc_writes_done();
    return 0;
}

int ncrisc(void) {
    uint32_t x = my_x(), y = my_y();
    noc_init();
    if (y == TOP)
        send(noc_rectangle(x, TOP, x, BOTTOM), ROWS - 1, B, b_come, K);
    noc_writes_done();
    return 0;
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    for (unsigned k = 0; k < K; k++) {
        while (*a_come <= k || *b_come <= k)
            fence();
        unpack_ab(B + k * tile_bytes(BF16), A + k * tile_bytes(BF16));
    }
    return 0;
}

int trisc1(void) {
    math_init(1, 0);
    matmul_init(HIFI4);
    math_wait_for_dst();
    for (unsigned k = 0; k < K; k++)
        math_run(0);
    math_dst_done();
    return 0;
}

int trisc2(void) {
    pack_init(FP32, BF16);
    pack_tiles_init();
    pack_wait_for_math();
    pack_tile(0, C);
    pack_dst_done();
    tensix_sync();
    *c_done = 1;
    return 0;
}
