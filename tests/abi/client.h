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

struct abi {
    void *handle;
    void (*init)(void);
    void (*exit)(void);
    void (*clock)(uint32_t);
    uint32_t (*config_read)(uint32_t, uint32_t);
    void (*config_write)(uint32_t, uint32_t, uint32_t);
    void (*read)(uint64_t, void *, uint32_t);
    void (*write)(uint64_t, const void *, uint32_t);
    void (*callbacks)(void (*)(uint64_t, void *, uint32_t), void (*)(uint64_t, const void *, uint32_t));
    void (*tile_read)(uint32_t, uint32_t, uint64_t, void *, uint32_t);
    void (*tile_write)(uint32_t, uint32_t, uint64_t, const void *, uint32_t);
};

static inline void *symbol(void *handle, const char *name) {
    void *found = dlsym(handle, name);
    if (!found)
        fail_msg("no symbol %s", name);
    return found;
}

static inline struct abi load_from(const char *path) {
    struct abi abi = { .handle = dlopen(path, RTLD_LAZY) };
    if (!abi.handle)
        fail_msg("%s", dlerror());
    *(void **)&abi.init = symbol(abi.handle, "libttsim_init");
    *(void **)&abi.exit = symbol(abi.handle, "libttsim_exit");
    *(void **)&abi.clock = symbol(abi.handle, "libttsim_clock");
    *(void **)&abi.config_read = symbol(abi.handle, "libttsim_pci_config_rd32");
    *(void **)&abi.config_write = symbol(abi.handle, "libttsim_pci_config_wr32");
    *(void **)&abi.read = symbol(abi.handle, "libttsim_pci_mem_rd_bytes");
    *(void **)&abi.write = symbol(abi.handle, "libttsim_pci_mem_wr_bytes");
    *(void **)&abi.callbacks = symbol(abi.handle, "libttsim_set_pci_dma_mem_callbacks");
    *(void **)&abi.tile_read = symbol(abi.handle, "libttsim_tile_rd_bytes");
    *(void **)&abi.tile_write = symbol(abi.handle, "libttsim_tile_wr_bytes");
    return abi;
}

static inline struct abi load(void) {
    return load_from(library);
}

static inline void close_abi(const struct abi *abi) {
    assert_int_equal(dlclose(abi->handle), 0);
}

/* ---- Access through window 0, as tt-umd does it -------------------------------------------------------- */

static inline void set_window(const struct abi *abi, unsigned x, unsigned y, uint64_t address) {
    uint64_t low = address >> 21 | (uint64_t)x << 43 | (uint64_t)y << 49;
    uint32_t word[3] = { (uint32_t)low, (uint32_t)(low >> 32), 0 };
    for (unsigned i = 0; i < 3; i++)
        abi->write(BAR0 + 0x1FC00000 + 4 * i, &word[i], 4);
}

static inline void write32(const struct abi *abi, unsigned x, unsigned y, uint64_t address, uint32_t value) {
    set_window(abi, x, y, address);
    abi->write(BAR0 + address % (1 << 21), &value, 4);
}

static inline uint32_t read32(const struct abi *abi, unsigned x, unsigned y, uint64_t address) {
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
static inline void start_program(const struct abi *abi, unsigned x, unsigned y) {
    static const uint32_t program[] = { 0x05500293, 0x10502023, 0x0000006F };
    for (unsigned i = 0; i < 3; i++)
        write32(abi, x, y, 4 * i, program[i]);
    write32(abi, x, y, 0xFFB121B0, 0x47000);
}

/* Runs in a child, before or after init; what it prints on the descriptor (1 or 2) goes to text. Returns the status. */
static inline int spawn(void (*work)(const struct abi *), bool init, int descriptor, const char *variable, char *text,
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
        struct abi abi = load();
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

static inline int in_child(void (*work)(const struct abi *), int descriptor, const char *variable, char *text,
                           size_t size) {
    return spawn(work, true, descriptor, variable, text, size);
}

#endif
