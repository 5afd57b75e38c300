/* A client of libttsim.so for tests: loads it, reaches tiles through window 0 as tt-umd does, runs things in a child.
 */
#ifndef TESTS_ABI_CLIENT_H
#define TESTS_ABI_CLIENT_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "../support/ttsim.h"

#define BAR0 UINT64_C(0x100000000)
#define BAR2 UINT64_C(0x120000000)
#define BAR4 UINT64_C(0x800000000)

/* In DRAM, where other tiles have registers. */
#ifdef DRAM_BANK_BITS
#define HIGH_IN_BANK ((UINT32_C(1) << DRAM_BANK_BITS) - 0x10000)
#else
#define HIGH_IN_BANK UINT32_C(0xFE000000)
#endif

static const char *library;
static uint8_t host_memory[65536];

static inline struct ttsim load_from(const char *path) {
    struct ttsim abi;
    void *handle = dlopen(path, RTLD_LAZY);
    if (!handle)
        fail_msg("%s", dlerror());
    const char *missing = ttsim_find(handle, &abi);
    if (missing)
        fail_msg("no symbol %s", missing);
    return abi;
}

static inline struct ttsim load(void) {
    return load_from(library);
}

static inline void close_abi(const struct ttsim *abi) {
    assert_int_equal(dlclose(abi->library), 0);
}

/* ---- Access through window 0, as tt-umd does it -------------------------------------------------------- */

static inline void set_window(const struct ttsim *abi, unsigned x, unsigned y, uint64_t address) {
    uint64_t low = address >> 21 | (uint64_t)x << 43 | (uint64_t)y << 49;
    uint32_t word[3] = { (uint32_t)low, (uint32_t)(low >> 32), 0 };
    for (unsigned i = 0; i < 3; i++)
        abi->write(BAR0 + 0x1FC00000 + 4 * i, &word[i], 4);
}

static inline void write32(const struct ttsim *abi, unsigned x, unsigned y, uint64_t address, uint32_t value) {
    set_window(abi, x, y, address);
    abi->write(BAR0 + address % (1 << 21), &value, 4);
}

static inline uint32_t read32(const struct ttsim *abi, unsigned x, unsigned y, uint64_t address) {
    uint32_t value = 0;
    set_window(abi, x, y, address);
    abi->read(BAR0 + address % (1 << 21), &value, 4);
    return value;
}

static inline void dma_read(uint64_t address, void *data, uint32_t size) {
    assert_true(address + size <= sizeof host_memory);
    memcpy(data, host_memory + address, size);
}

static inline void dma_write(uint64_t address, const void *data, uint32_t size) {
    assert_true(address + size <= sizeof host_memory);
    memcpy(host_memory + address, data, size);
}

/* Stores 0x55 at 0x100 of the tile, then stays where it is. */
static inline void start_program(const struct ttsim *abi, unsigned x, unsigned y) {
    static const uint32_t program[] = { 0x05500293, 0x10502023, 0x0000006F };
    for (unsigned i = 0; i < 3; i++)
        write32(abi, x, y, 4 * i, program[i]);
    write32(abi, x, y, 0xFFB121B0, 0x47000);
}

/* Runs in a child, before or after init; what it prints on the descriptor (1 or 2) goes to text. Returns the status. */
static inline int spawn(void (*work)(const struct ttsim *), bool init, int descriptor, const char *variable, char *text,
                        size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], descriptor);
        if (variable)
            putenv((char *)(uintptr_t)variable);
        struct ttsim abi = load();
        if (init)
            abi.init();
        work(&abi);
        fflush(NULL);
        _Exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got; used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static inline int in_child(void (*work)(const struct ttsim *), int descriptor, const char *variable, char *text,
                           size_t size) {
    return spawn(work, true, descriptor, variable, text, size);
}

#endif
