// The math thread of the chapter on STALLWAIT and SEMWAIT: it writes 1, 2, 3, 4 to Dst, one after the other.
#include "kit/math.h"
#include "check.h"
#include "rounds.h"

extern "C" void listing_trisc1(void);

// Pattern 2, and what it is for: rows of Dst by SrcA and back to other rows.
static int from_dst() {
    t6_semaphore_wait_on_zero<p_stall::STALL_SYNC>(semaphore::UNPACK_TO_DEST);
    t6_semaphore_get<p_stall::MATH | p_stall::WAIT_SFPU>(semaphore::UNPACK_TO_DEST);
    TTI_SFPLOADI(0, 0, 0x4040); // 3.0
    TTI_SFPSTORE(0, 0, 7, 0);
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::WAIT_SFPU | p_stall::SRCA_VLD | p_stall::SRCB_VLD);
    TTI_MOVD2A(0, p_mova2d::MATH_HALO_ROWS + 0, 0, p_movd2a::MOV_4_ROWS, 0);
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCB_VLD);
    TTI_MOVD2B(0, p_movd2b::SRC_ZERO_OFFSET + 0, 0, p_movd2b::MOV_4_ROWS, 0);
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::MATH);
    TTI_MOVA2D(0, p_mova2d::MATH_HALO_ROWS, 0, p_mova2d::MOV_8_ROWS, 16);
    TTI_STALLWAIT(p_stall::STALL_SFPU, p_stall::MATH);
    TTI_SFPLOAD(1, 0, 7, 16);
    TTI_SFPSTORE(1, 0, 7, 0); // tile 0 of round 0 has what came by SrcA
    TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    tensix_sync();
    CHECK(semaphore_read(semaphore::UNPACK_TO_DEST) == 0);
    t6_semaphore_wait_on_max<p_stall::STALL_SYNC>(semaphore::UNPACK_TO_DEST); // 0 is not the maximum
    tensix_sync();
    return 0;
}

int main() {
    math_init(0, 0);
    t6_semaphore_init(semaphore::MATH_PACK, 0, 1);
    int line = from_dst();
    for (unsigned i = 0; i < ROUNDS; i++) {
        // Pattern 4: room in Dst.
        TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_MAX);
        if (i) {
            TT_SFPLOADI(0, 0, value_of(i));
            TTI_SFPSTORE(0, 0, 7, 0);
        }
        // Patterns 4 and 8: done, and then the next half of Dst would follow.
        t6_semaphore_post<p_stall::MATH | p_stall::WAIT_SFPU>(semaphore::MATH_PACK);
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
        uint32_t base_addr = 0;
        TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, base_addr);
    }
    TTI_SEMWAIT(p_stall::STALL_SYNC, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_MAX);
    t6_semaphore_init(semaphore::MATH_PACK, 0, 2);
    listing_trisc1();
    tensix_sync();
    return line;
}
