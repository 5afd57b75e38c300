/* Makes a program of a dispatch kernel (KERNEL is its file): what firmware would have for it, and its end. */
#include <cstdint>

#include "risc_common.h"
#include "noc.h"
#include "noc_overlay_parameters.h"
#include "stream_io_map.h"
#include "noc_nonblocking_api.h"
#include "api/dataflow/dataflow_api.h"
#include KERNEL

uint8_t my_x[NUM_NOCS], my_y[NUM_NOCS];
uint32_t noc_reads_num_issued[NUM_NOCS], noc_nonposted_writes_num_issued[NUM_NOCS];
uint32_t noc_nonposted_writes_acked[NUM_NOCS], noc_nonposted_atomics_acked[NUM_NOCS];
uint32_t noc_posted_writes_num_issued[NUM_NOCS];
uint32_t *rta_l1_base, *crta_l1_base, *sem_l1_base[4];
uint16_t dram_bank_to_noc_xy[NUM_NOCS][NUM_DRAM_BANKS], l1_bank_to_noc_xy[NUM_NOCS][NUM_L1_BANKS];
int32_t bank_to_dram_offset[NUM_DRAM_BANKS], bank_to_l1_offset[NUM_L1_BANKS];

static void set_up() {
    for (unsigned noc = 0; noc < NUM_NOCS; noc++) {
        my_x[noc] = MY_NOC_X;
        my_y[noc] = MY_NOC_Y;
        for (unsigned bank = 0; bank < NUM_DRAM_BANKS; bank++)
            dram_bank_to_noc_xy[noc][bank] = (bank < 4 ? 17 : 18) | (12 + 3 * (bank % 4)) << 6;
    }
    rta_l1_base = crta_l1_base = (uint32_t *)0x17900;
    for (auto &base : sem_l1_base)
        base = (uint32_t *)SEMAPHORES;
    noc_init(MEM_NOC_ATOMIC_RET_VAL_ADDR);
    noc_local_state_init(NOC_INDEX);
}

extern "C" int main() {
    set_up();
    kernel_main();
    *(volatile uint32_t *)(0x16000 + RESULT_OFFSET) = RESULT;
    for (;;)
        __asm__ volatile("fence");
}
