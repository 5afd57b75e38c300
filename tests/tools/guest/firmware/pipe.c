/* Kernel: NCRISC reads pages of 64 bytes to circular buffer 0, BRISC adds them up. Both count pages as tt-metal's
 * kernels do, in registers of stream 0. args: NoC coordinates, address, pages, where the sum goes. HASTY: NCRISC puts a
 * page in before its bytes have come. EAGER: BRISC takes pages without a wait for them. Luck helps both. */
#include "kernel.h"

#define STREAM(index)    (*(volatile uint32_t *)(0xFFB40000 + 4 * (index)))
#define TAKEN            STREAM(8)
#define PUT_IN           STREAM(10)
#define NOC_READ(offset) (*(volatile uint32_t *)(0xFFB20800 + (offset)))
#define RESPONSES        (*(volatile uint32_t *)0xFFB20208)

__attribute__((unused)) static void do_other_work(void) {
    for (volatile uint32_t *clock = (volatile uint32_t *)0xFFB121F0, start = *clock; *clock - start < 2000;)
        ;
}

__attribute__((noipa)) static void fetch(const struct context *c, uint32_t page) {
    while (NOC_READ(0x40))
        ;
    NOC_READ(0x00) = c->args[1];
    NOC_READ(0x04) = 0;
    NOC_READ(0x08) = c->args[0];
    NOC_READ(0x0C) = page;
    NOC_READ(0x10) = 0;
    NOC_READ(0x14) = *(volatile uint32_t *)0xFFB20148 & 0xFFF;
    NOC_READ(0x18) = 0;
    NOC_READ(0x1C) = 0x2090;
    NOC_READ(0x20) = 64;
    NOC_READ(0x40) = 1;
}

__attribute__((noipa)) static void put_in(void) {
    PUT_IN = PUT_IN + 1;
}

__attribute__((noipa)) static void take(void) {
    TAKEN = TAKEN + 1;
}

static uint32_t page_of(const struct context *c, uint32_t number) {
    return c->cbs[0].address + number % c->cbs[0].pages * c->cbs[0].page;
}

static void produce(const struct context *c) {
    for (uint32_t i = 0; i < c->args[2]; i++) {
        while (PUT_IN - TAKEN >= c->cbs[0].pages)
            ;
        uint32_t before = RESPONSES;
        fetch(c, page_of(c, i));
#ifndef HASTY
        while (RESPONSES == before)
            ;
#endif
        put_in();
        (void)before;
    }
}

__attribute__((noipa, unused)) static uint32_t add_up(const volatile uint32_t *word) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < 16; i++)
        sum += word[i];
    return sum;
}

static void consume(const struct context *c) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c->args[2]; i++) {
#ifdef EAGER
        do_other_work();
#else
        while (PUT_IN == TAKEN)
            ;
#ifdef HASTY
        do_other_work();
#endif
        sum += add_up((const volatile uint32_t *)page_of(c, i));
#endif
        take();
    }
    *(volatile uint32_t *)c->args[3] = sum;
}

static void kernel_main(const struct context *c) {
    if (c->processor == NCRISC)
        produce(c);
    else
        consume(c);
}
