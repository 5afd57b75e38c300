// The unpack thread of the chapter on STALLWAIT and SEMWAIT.
#include "check.h"

extern "C" void listing_trisc0(void);

int main() {
    t6_semaphore_init(semaphore::UNPACK_TO_DEST, 0, 1);
    // Pattern 7: the core's stores to the configuration come before the next instruction of the unpacker.
    config_write(THCON_SEC0_REG3_Base_address_ADDR32, 0x4321);
    TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::TRISC_CFG);
    // Both banks go to the Matrix Unit, for pattern 2.
    TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::SRCA_CLR | p_stall::SRCB_CLR);
    TTI_SETDVALID(0b11);
    // Pattern 3: tell math.
    t6_semaphore_post<p_stall::UNPACK0>(semaphore::UNPACK_TO_DEST);
    regfile[12] = 0x12345;
    sync_regfile_write(12);
    listing_trisc0();
    TTI_STALLWAIT(p_stall::STALL_THREAD, p_stall::ALL_THREAD_RES);
    TTI_NOP;
    tensix_sync();
    CHECK(config_read(124) == 0x12345);
    CHECK(semaphore_read(semaphore::UNPACK_TO_DEST) <= 1);
    return 0;
}
