// The pack thread of the chapter on STALLWAIT and SEMWAIT: it packs what math has written.
#include "kit/pack.h"
#include "check.h"
#include "rounds.h"

extern "C" void listing_trisc2(void);
enum { OUT = 0x30000 };

int main() {
    pack_init(BF16, BF16);
    pack_tiles_init();
    for (unsigned i = 0; i < ROUNDS; i++) {
        TTI_SEMWAIT(p_stall::STALL_TDMA, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO);
        pack_tile(0, OUT + i * tile_bytes(BF16));
        // Pattern 5: the packer has ended before its registers change.
        gpr_set(p_gpr_pack::TMP0, 0xFFFF);
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK | p_stall::THCON);
        TTI_WRCFG(p_gpr_pack::TMP0, p_cfg::WRCFG_32b, PCK_EDGE_OFFSET_SEC0_mask_ADDR32);
        t6_semaphore_get<p_stall::PACK>(semaphore::MATH_PACK);
    }
    tensix_sync();
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK(*(volatile uint16_t *)(OUT + i * tile_bytes(BF16)) == value_of(i));
    uint32_t packs = config_read(12);
    gpr_set(28, packs);
    listing_trisc2();
    tensix_sync();
    CHECK(semaphore_read(semaphore::MATH_PACK) == 0);
    CHECK(config_read(12) == packs);
    return 0;
}
