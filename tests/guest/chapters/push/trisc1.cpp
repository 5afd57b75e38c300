// Both ways to push, from one core; more words than the FIFO has places; tensix_sync.
#include "check.h"

enum { REG = 5, VAL = 77 };

static int both() {
    uint32_t reg = UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, val = 0x123;
    instrn_buffer[0] = TT_OP_SETC16(reg, val);
    tensix_sync();
    CHECK(thread_config(1, reg) == val);
    __asm__ __volatile__(".ttinsn %0" : : "i"(TT_OP_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0_ADDR32, 0x456)));
    tensix_sync();
    CHECK(thread_config(1, reg) == 0x456);
    __asm__ __volatile__(".ttinsn %0\n\t.ttinsn %1" : : "i"(TT_OP(0x45, (VAL << 8) + LO_16(REG))), "i"(TT_OP_NOP));
    (void)pc_buf_base[1]; // returns when the thread has done everything
    CHECK((regfile[REG] & 0xFFFF) == VAL);
    return 0;
}

static int many() {
    regfile[8] = 0;
    sync_regfile_write(8);
    for (unsigned i = 0; i < 200; i++)
        TT_ADDDMAREG(1, 8, 3, 8);
    tensix_sync();
    CHECK(regfile[8] == 600);
    return 0;
}

int main() {
    int line = both();
    if (!line)
        line = many();
    reg_write(GUEST_SHARED, 1);
    return line;
}
