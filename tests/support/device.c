/* The libttsim ABI from the client's side: symbols, BARs, TLB window 0 (docs/libttsim.md). */
#include "support/device.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/ttsim.h"

const char *const device_core_name[DEVICE_CORES] = { "brisc", "trisc0", "trisc1", "trisc2", "ncrisc" };
const uint32_t device_core_reset_bit[DEVICE_CORES] = { 0x800, 0x1000, 0x2000, 0x4000, 0x40000 };
const uint32_t device_core_start[DEVICE_CORES] = { 0, 0x6000, 0xA000, 0xE000, 0x12000 };

enum {
    CONFIG_ID = 0,
    CONFIG_BAR0 = 0x10,
    CONFIG_BAR2 = 0x18,
    WINDOW_SIZE = 1 << 21,
    WINDOW_REGISTERS = 0x1FC00000, /* in BAR0; three words a window */
};

struct device {
    struct ttsim ttsim;
    uint32_t function; /* of the chip, as configuration accesses name it */
    uint64_t bar0, bar2;
    struct device_tile tile; /* where window 0 points to */
    uint64_t page;
    bool window_valid;
};

struct device_tile device_tile(unsigned index) {
    unsigned column = index % 14;
    return (struct device_tile){ .x = column < 7 ? column + 1 : column + 3, .y = 2 + index / 14 };
}

static void no_host_read(uint64_t address, void *data, uint32_t size) {
    (void)address;
    memset(data, 0xFF, size);
}
static void no_host_write(uint64_t address, const void *data, uint32_t size) {
    (void)address, (void)data, (void)size;
}

static bool resolve(struct device *device, void *library) {
    const char *missing = ttsim_find(library, &device->ttsim);
    if (missing)
        fprintf(stderr, "no symbol %s\n", missing);
    return !missing;
}

static uint64_t bar(const struct device *device, uint32_t offset) {
    uint64_t low = device->ttsim.config_read(device->function, offset) & ~UINT64_C(15);
    return low | (uint64_t)device->ttsim.config_read(device->function, offset + 4) << 32;
}

struct device *device_open(const char *library) {
    return device_open_with(library, no_host_read, no_host_write);
}

struct device *device_open_with(const char *library, void (*read)(uint64_t, void *, uint32_t),
                                void (*write)(uint64_t, const void *, uint32_t)) {
    struct device *device = calloc(1, sizeof *device);
    if (!device)
        return NULL;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        free(device);
        return NULL;
    }
    if (!resolve(device, handle)) {
        dlclose(handle);
        free(device);
        return NULL;
    }
    device->ttsim.callbacks(read, write);
    device->ttsim.init();
    if (device->ttsim.config_read(0, CONFIG_ID) != 0xB1401E52) {
        fprintf(stderr, "%s: not a Blackhole\n", library);
        device_close(device);
        return NULL;
    }
    device->bar0 = bar(device, CONFIG_BAR0);
    device->bar2 = bar(device, CONFIG_BAR2);
    return device;
}

bool device_choose(struct device *device, unsigned chip) {
    if (device->ttsim.config_read(chip << 3, CONFIG_ID) != 0xB1401E52)
        return false;
    device->function = chip << 3;
    device->bar0 = bar(device, CONFIG_BAR0);
    device->bar2 = bar(device, CONFIG_BAR2);
    device->window_valid = false;
    return true;
}

void device_close(struct device *device) {
    device->ttsim.exit();
    dlclose(device->ttsim.library);
    free(device);
}

void device_clock(struct device *device, uint32_t clocks) {
    device->ttsim.clock(clocks);
}

void (*device_clock_function(const struct device *device))(uint32_t clocks) {
    return device->ttsim.clock;
}

/* 2 MiB window: page [42:0], x [48:43], y [54:49]; the rest zero is a unicast on NoC 0. */
static void point_window(struct device *device, struct device_tile tile, uint64_t page) {
    if (device->window_valid && device->page == page && device->tile.x == tile.x && device->tile.y == tile.y)
        return;
    uint64_t low = page | (uint64_t)tile.x << 43 | (uint64_t)tile.y << 49;
    const uint32_t words[3] = { (uint32_t)low, (uint32_t)(low >> 32), 0 };
    for (unsigned i = 0; i < 3; i++)
        device->ttsim.write(device->bar0 + WINDOW_REGISTERS + i * 4, &words[i], 4);
    device->tile = tile;
    device->page = page;
    device->window_valid = true;
}

static size_t span(uint64_t address, size_t size) {
    size_t room = WINDOW_SIZE - address % WINDOW_SIZE;
    return size < room ? size : room;
}

void device_write(struct device *device, struct device_tile tile, uint64_t address, const void *data, size_t size) {
    const uint8_t *bytes = data;
    while (size) {
        size_t part = span(address, size);
        point_window(device, tile, address / WINDOW_SIZE);
        device->ttsim.write(device->bar0 + address % WINDOW_SIZE, bytes, (uint32_t)part);
        bytes += part, address += part, size -= part;
    }
}

void device_read(struct device *device, struct device_tile tile, uint64_t address, void *data, size_t size) {
    uint8_t *bytes = data;
    while (size) {
        size_t part = span(address, size);
        point_window(device, tile, address / WINDOW_SIZE);
        device->ttsim.read(device->bar0 + address % WINDOW_SIZE, bytes, (uint32_t)part);
        bytes += part, address += part, size -= part;
    }
}

void device_write32(struct device *device, struct device_tile tile, uint64_t address, uint32_t value) {
    device_write(device, tile, address, &value, sizeof value);
}

uint32_t device_read32(struct device *device, struct device_tile tile, uint64_t address) {
    uint32_t value = 0;
    device_read(device, tile, address, &value, sizeof value);
    return value;
}

void device_bar2_write32(struct device *device, uint32_t offset, uint32_t value) {
    device->ttsim.write(device->bar2 + offset, &value, sizeof value);
}

void device_release(struct device *device, struct device_tile tile, unsigned cores) {
    uint32_t held = DEVICE_ALL_RESET;
    for (unsigned core = 0; core < DEVICE_CORES; core++)
        if (cores >> core & 1)
            held &= ~device_core_reset_bit[core];
    device_write32(device, tile, DEVICE_RESET, held);
}

/* The last line of a file that is not empty. */
static void last_line(FILE *file, char *text, size_t size) {
    char line[400];
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0])
            snprintf(text, size, "%s", line);
    }
}

struct device_outcome device_spawn(int (*work)(void *argument), void *argument, unsigned seconds) {
    struct device_outcome outcome = { .ok = false, .text = "cannot start a child" };
    FILE *output = tmpfile();
    if (!output)
        return outcome;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(output), STDOUT_FILENO);
        dup2(fileno(output), STDERR_FILENO);
        setrlimit(RLIMIT_CPU, &(struct rlimit){ seconds, seconds + 1 });
        alarm(20 * seconds); /* in case it does nothing at all */
        int result = work(argument);
        fflush(NULL);
        _exit(result ? 1 : 0);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child) {
        if (WIFSIGNALED(status))
            snprintf(outcome.text, sizeof outcome.text, "died of signal %d (%s)", WTERMSIG(status),
                     WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM ? "out of time"
                                                                                : strsignal(WTERMSIG(status)));
        else
            snprintf(outcome.text, sizeof outcome.text, "exit status %d", WEXITSTATUS(status));
        outcome.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (!outcome.ok && WIFEXITED(status))
            last_line(output, outcome.text, sizeof outcome.text);
    }
    fclose(output);
    return outcome;
}

void *device_shared(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(3);
    }
    return memory;
}

void device_unshare(void *memory, size_t size) {
    munmap(memory, size);
}
