/* Streams tiles of data through a Tensix tile: from DRAM to L1, through the coprocessor, which makes negative data
 * zero, and back to DRAM. Five cores work at the same time, with two circular buffers of four tiles between them.
 *
 *     DRAM -> NCRISC -> in -> T0, T1, T2 -> out -> BRISC -> DRAM */
#include "kit/cb.h"
#include "kit/math.h"
#include "kit/noc.h"
#include "kit/pack.h"
#include "kit/unpack.h"

enum { TILES = 64, PAGES = 4 };
enum { DRAM_X = 17, DRAM_Y = 12, DRAM_IN = 0x100000, DRAM_OUT = 0x200000 }; /* bank 0 */

CB_AT(in, 0x1F000);
CB_AT(out, 0x1F040);

int brisc(void) {
    *in = (struct cb){ .address = 0x20000, .page_bytes = tile_bytes(BF16), .pages = PAGES };
    *out = (struct cb){ .address = 0x28000, .page_bytes = tile_bytes(BF16), .pages = PAGES };
    release_cores(RESET_TRISC0 | RESET_TRISC1 | RESET_TRISC2 | RESET_NCRISC);
    noc_init();
    for (unsigned i = 0; i < TILES; i++) {
        uint32_t page = cb_wait(out);
        noc_write(noc_tile(DRAM_X, DRAM_Y), DRAM_OUT + i * tile_bytes(BF16), page, tile_bytes(BF16));
        noc_writes_done();
        cb_pop(out);
    }
    return 0;
}

int ncrisc(void) {
    noc_init();
    for (unsigned i = 0; i < TILES; i++) {
        uint32_t page = cb_reserve(in);
        noc_read(noc_tile(DRAM_X, DRAM_Y), DRAM_IN + i * tile_bytes(BF16), page, tile_bytes(BF16));
        noc_reads_done();
        cb_push(in);
    }
    return 0;
}

int trisc0(void) {
    unpack_init(BF16, BF16);
    for (unsigned i = 0; i < TILES; i++) {
        unpack_a(cb_wait(in));
        tensix_sync(); /* waits until the page has been read */
        cb_pop(in);
    }
    return 0;
}

int trisc1(void) {
    math_init(0, 0);
    copy_init(0);
    for (unsigned i = 0; i < TILES; i++) {
        math_wait_for_dst();
        math_run(0);
        math_dst_done();
    }
    return 0;
}

int trisc2(void) {
    pack_init(BF16, BF16);
    pack_relu(RELU_ZERO, 0);
    pack_tiles_init();
    for (unsigned i = 0; i < TILES; i++) {
        uint32_t page = cb_reserve(out);
        pack_wait_for_math();
        pack_tile(0, page);
        pack_dst_done();
        tensix_sync(); /* waits until the page has been written */
        cb_push(out);
    }
    return 0;
}
