/* Firmware for the tests of bhemu boot and bhemu launch: tt-metal's protocol in a page. PROCESSOR and STAGING come from
 * the build. The L0 data cache is off and local memory comes from the staging area, as in tt-metal: `ready` proves that
 * the latter did. */
#include "firmware.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SOFT_RESET        REGISTER(0xFFB121B0)
#define INVALIDATE_CODE   REGISTER(0xFFEF02E4) /* RISCV_IC_INVALIDATE */

extern uint32_t data_start[], data_end[], bss_end[];
static volatile uint32_t ready = 0x600D;
static uint32_t runs; /* zero at the start, or the staging was wrong */

int main(void);
void entry(void);

__attribute__((section(".start"), naked)) void entry(void) {
    __asm__("li t0, 8\n csrs 0x7c0, t0\n li sp, %0\n j main" ::"i"(PROCESSOR <= NCRISC ? 0xFFB01FF0 : 0xFFB00FF0));
}

static void copy_local_memory(void) {
    const uint32_t *from = (const uint32_t *)STAGING;
    for (volatile uint32_t *to = data_start; to != bss_end; to++)
        *to = to < data_end ? *from++ : 0;
}

static void wait_for(const volatile uint8_t *byte, uint8_t value) {
    while (*byte != value)
        ;
}

static void run_kernel(void) {
    const struct message *m = &MAILBOX->launch[MAILBOX->rd_ptr];
    const char *base = (const char *)m->config_base;
    struct context context = {
        .args = (const uint32_t *)(base + m->rta_offset[PROCESSOR]),
        .common_args = (const uint32_t *)(base + m->crta_offset[PROCESSOR]),
        .semaphores = (volatile uint32_t *)(base + m->sem_offset),
        .cbs = (const struct cb *)(base + m->cb_offset),
        .dram_xy = (const uint16_t *)0x6000,
        .logical_x = MAILBOX->logical_x,
        .logical_y = MAILBOX->logical_y,
        .processor = PROCESSOR,
        .noc = m->noc_id,
    };
    runs++;
    if (m->enables >> PROCESSOR & 1 && m->magic == 0xB1AC4013)
        ((kernel_function *)(base + m->text_offset[PROCESSOR]))(&context);
}

#if PROCESSOR == BRISC
static void start_others(void) {
    REGISTER(0xFFB12238) = 0x1800; /* reset pcs */
    REGISTER(0xFFB12228) = 0x2000;
    REGISTER(0xFFB1222C) = 0x2800;
    REGISTER(0xFFB12230) = 0x3000;
    REGISTER(0xFFB12234) = 7; /* and their enables */
    REGISTER(0xFFB1223C) = 1;
    for (unsigned i = 0; i < 4; i++)
        MAILBOX->sync[i] = INIT;
    SOFT_RESET = 0;
}

int main(void) {
    copy_local_memory();
    start_others();
    for (;;) {
        for (unsigned i = 0; i < 4; i++)
            wait_for(&MAILBOX->sync[i], DONE);
        if (ready == 0x600D)
            MAILBOX->go[3] = DONE;
        wait_for(&MAILBOX->go[3], GO);
        INVALIDATE_CODE = 0x1F; /* kernels are new */
        for (unsigned i = 0; i < 4; i++)
            if (MAILBOX->launch[MAILBOX->rd_ptr].enables >> (i + 1) & 1)
                MAILBOX->sync[i] = GO;
        run_kernel();
    }
}
#else
int main(void) {
    copy_local_memory();
    for (;;) {
        if (ready == 0x600D)
            MAILBOX->sync[PROCESSOR - 1] = DONE;
        wait_for(&MAILBOX->sync[PROCESSOR - 1], GO);
        run_kernel();
    }
}
#endif
