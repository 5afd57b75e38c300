/* Addresses and small helpers for programs on the baby RISC-V cores of a Blackhole Tensix tile.
 *
 * Build each program with -DGUEST_CORE=GUEST_BRISC (or _TRISC0, _TRISC1, _TRISC2, _NCRISC) and the linker script of
 * that core (guest/ld). The same code runs on silicon: nothing here knows about the emulator.
 * See docs/kernels.md.
 */
#ifndef BHEMU_GUEST_H
#define BHEMU_GUEST_H

#include <stddef.h>
#include <stdint.h>

#include "memory_map.h"

/* ---- The core of this program ---------------------------------------------------------- */
#define GUEST_BRISC  0
#define GUEST_TRISC0 1
#define GUEST_TRISC1 2
#define GUEST_TRISC2 3
#define GUEST_NCRISC 4

/* ---- L1, as the linker scripts divide it ------------------------------------------------
 *   0x00000  BRISC code        0x0A000  TRISC1 code       0x12000  NCRISC code
 *   0x06000  TRISC0 code       0x0E000  TRISC2 code       0x16000  results, then free words
 *   0x17000  free, up to 0x180000
 */
#define GUEST_RESULT_BASE  0x16000u /* start.S stores the value that main returns here: one word for each core */
#define GUEST_RESULT(core) (GUEST_RESULT_BASE + 4u * (core))
#define GUEST_SHARED       0x16020u /* words through which the cores of a tile communicate */
#define GUEST_FREE         0x17000u
#define GUEST_L1_END       0x180000u

/* Puts a variable into L1, where the other cores, the NoC and the host see it; other variables are in the core's local
 * memory. Each variable has its own section, so that a program contains only those that its code uses. */
#define GUEST_L1           __attribute__((section(".l1data." GUEST_TEXT(__COUNTER__))))
#define GUEST_TEXT(number) GUEST_TEXT_(number)
#define GUEST_TEXT_(text)  #text

/* ---- Tile registers ---------------------------------------------------------------------- */
#define NOC_ID_LOGICAL (MAP_NIU0 + 0x148u) /* own coordinate: x in bits 5:0, y in bits 11:6 */

/* Bits of SOFT_RESET_0 that hold a core in reset. */
#define RESET_BRISC  (1u << 11)
#define RESET_TRISC0 (1u << 12)
#define RESET_TRISC1 (1u << 13)
#define RESET_TRISC2 (1u << 14)
#define RESET_NCRISC (1u << 18)

static inline uint32_t reg_read(uint32_t address) {
    return *(volatile uint32_t *)(uintptr_t)address;
}

static inline void reg_write(uint32_t address, uint32_t value) {
    *(volatile uint32_t *)(uintptr_t)address = value;
}

/* Keeps later accesses behind earlier ones. Stores are only on their way to L1 then (noc_stores_done in kit/noc.h). */
static inline void fence(void) {
    __asm__ volatile("fence" ::: "memory");
}

/* Releases cores (RESET_* bits) from reset: they start at their reset pc with cleared registers and local memory. */
static inline void release_cores(uint32_t reset_bits) {
    fence();
    reg_write(REG_SOFT_RESET_0, reg_read(REG_SOFT_RESET_0) & ~reset_bits);
}

static inline void hold_cores(uint32_t reset_bits) {
    reg_write(REG_SOFT_RESET_0, reg_read(REG_SOFT_RESET_0) | reset_bits);
}

/* Returns the cycles since power-on. */
static inline uint64_t wall_clock(void) {
    uint32_t low = reg_read(REG_WALL_CLOCK_0);
    return (uint64_t)reg_read(REG_WALL_CLOCK_1_AT) << 32 | low;
}

static inline uint32_t my_x(void) {
    return reg_read(NOC_ID_LOGICAL) & 63;
}

static inline uint32_t my_y(void) {
    return reg_read(NOC_ID_LOGICAL) >> 6 & 63;
}

/* Mailboxes between BRISC and the TRISCs, four words deep for every pair. mailbox_send waits while the mailbox is full,
 * mailbox_receive while it is empty. Peers are GUEST_BRISC .. GUEST_TRISC2; NCRISC has no mailboxes. */
static inline void mailbox_send(unsigned to, uint32_t word) {
    reg_write(MAP_MAILBOX_B + 0x1000u * to, word);
}

static inline uint32_t mailbox_receive(unsigned from) {
    return reg_read(MAP_MAILBOX_B + 0x1000u * from);
}

static inline uint32_t mailbox_has_word(unsigned from) {
    return reg_read(MAP_MAILBOX_B + 0x1000u * from + 4) & 1;
}

/* Waits until another core, the NoC or the host has written this value to a word of L1. */
static inline void wait_for(const volatile uint32_t *word, uint32_t value) {
    while (*word != value)
        fence();
}

/* ---- Text, for programs that print messages (guest/lib.c) ---------------------------------- */
#ifdef __cplusplus
extern "C" {
#endif
char *put_text(char *at, const char *text);  /* returns the new end; always adds a zero */
char *put_number(char *at, uint32_t number); /* in decimal */
char *put_hex(char *at, uint32_t number);    /* in hexadecimal, 8 digits */

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
#ifdef __cplusplus
}
#endif

#endif
