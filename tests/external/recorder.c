/* A library with the libttsim ABI that writes down every call and lets another library answer it (docs/libttsim.md).
 *
 *     BHEMU_RECORD=FILE            the log; if there is one of that name, FILE.1, FILE.2 ... instead
 *     BHEMU_RECORD_LIBRARY=PATH    the library that answers, of which this one makes a copy of its own
 *
 * A record goes to the file as soon as the call has come back, so that a log of a client that ends in the middle has
 * all calls but the last. The log is made by the first call: clients open libraries only to look at them.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session_log.h"
#include "../support/ttsim.h"

static struct {
    pthread_mutex_t lock;
    int log;
    uint64_t records;
    struct session_bytes bytes; /* of the record being written */
    libttsim_dma_read *read;    /* the client's */
    libttsim_dma_write *write;
    struct ttsim ttsim; /* the library's; none before the first call */
} recorder = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((noreturn)) static void die(const char *what, const char *why) {
    printf("[0] ERROR: BadEnvironment: recorder: %s: %s\n", what, why);
    fflush(stdout);
    _Exit(1);
}

/* ---- The log ------------------------------------------------------------------------------------------------ */

static void flush(void) {
    const uint8_t *at = recorder.bytes.at;
    size_t left = recorder.bytes.count;
    if (recorder.bytes.failed)
        die("BHEMU_RECORD", "out of memory");
    while (left) {
        ssize_t done = write(recorder.log, at, left);
        if (done <= 0)
            die("BHEMU_RECORD", "the log cannot be written");
        at += done;
        left -= (size_t)done;
    }
    recorder.bytes.count = 0;
}

static void note(const struct session_record *record) {
    session_put(&recorder.bytes, record);
    recorder.records++;
    flush();
}

static const char *variable(const char *name) {
    const char *text = getenv(name);
    if (!text || !*text)
        die(name, "is not set");
    return text;
}

/* A log is never written over. */
__attribute__((nonnull)) static int make_log(const char *path) {
    enum { MOST = 10000 };
    char numbered[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    for (unsigned i = 1; file < 0 && i < MOST && access(path, F_OK) == 0; i++) {
        snprintf(numbered, sizeof numbered, "%s.%u", path, i);
        file = open(numbered, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (file < 0)
        die(path, "no such log can be made");
    return file;
}

/* ---- The library -------------------------------------------------------------------------------------------- */

/* Each copy of a library is a chip of its own, as it is without this one in between. */
static void *open_copy(const char *path) {
    static char buffer[1 << 16];
    char name[64];
    ssize_t got;
    int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("libttsim", MFD_CLOEXEC);
    if (from < 0 || to < 0)
        die(path, "cannot be read");
    while ((got = read(from, buffer, sizeof buffer)) > 0)
        if (write(to, buffer, (size_t)got) != got)
            die(path, "cannot be copied");
    close(from);
    snprintf(name, sizeof name, "/proc/self/fd/%d", to);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        die(path, dlerror());
    close(to);
    return library;
}

static void start(void) {
    const char *missing = ttsim_find(open_copy(variable("BHEMU_RECORD_LIBRARY")), &recorder.ttsim);
    if (missing)
        die(missing, "the library has no such function");
    recorder.log = make_log(variable("BHEMU_RECORD"));
    session_put_header(&recorder.bytes);
}

__attribute__((destructor)) static void stop(void) {
    if (!recorder.ttsim.library)
        return;
    session_put(&recorder.bytes, &(struct session_record){ .kind = SESSION_END, .number = { recorder.records } });
    flush();
    close(recorder.log);
    free(recorder.bytes.at);
    dlclose(recorder.ttsim.library);
    recorder.ttsim.library = NULL;
}

static void begin(void) {
    pthread_mutex_lock(&recorder.lock);
    if (!recorder.ttsim.library)
        start();
}

static void end(const struct session_record *record) {
    note(record);
    pthread_mutex_unlock(&recorder.lock);
}

#define NOTE(name, ...) (&(struct session_record){ .kind = SESSION_##name, __VA_ARGS__ })

/* ---- Host memory, inside a call ------------------------------------------------------------------------------- */

static void host_read(uint64_t address, void *data, uint32_t size) {
    recorder.read(address, data, size);
    note(NOTE(HOST_READ, .number = { address }, .data = data, .size = size));
}

static void host_write(uint64_t address, const void *data, uint32_t size) {
    note(NOTE(HOST_WRITE, .number = { address }, .data = data, .size = size));
    recorder.write(address, data, size);
}

/* ---- Calls ---------------------------------------------------------------------------------------------------- */

void libttsim_init(void) {
    begin();
    recorder.ttsim.init();
    end(NOTE(INIT, .size = 0));
}

void libttsim_exit(void) {
    begin();
    recorder.ttsim.exit();
    end(NOTE(EXIT, .size = 0));
}

void libttsim_clock(uint32_t clocks) {
    begin();
    recorder.ttsim.clock(clocks);
    end(NOTE(CLOCK, .number = { clocks }));
}

uint32_t libttsim_pci_config_rd32(uint32_t bus_device_function, uint32_t offset) {
    begin();
    uint32_t value = recorder.ttsim.config_read(bus_device_function, offset);
    end(NOTE(CONFIG_READ, .number = { bus_device_function, offset, value }));
    return value;
}

void libttsim_pci_config_wr32(uint32_t bus_device_function, uint32_t offset, uint32_t value) {
    begin();
    recorder.ttsim.config_write(bus_device_function, offset, value);
    end(NOTE(CONFIG_WRITE, .number = { bus_device_function, offset, value }));
}

void libttsim_pci_mem_rd_bytes(uint64_t address, void *data, uint32_t size) {
    begin();
    recorder.ttsim.read(address, data, size);
    end(NOTE(READ, .number = { address }, .data = data, .size = size));
}

void libttsim_pci_mem_wr_bytes(uint64_t address, const void *data, uint32_t size) {
    begin();
    recorder.ttsim.write(address, data, size);
    end(NOTE(WRITE, .number = { address }, .data = data, .size = size));
}

void libttsim_tile_rd_bytes(uint32_t x, uint32_t y, uint64_t address, void *data, uint32_t size) {
    begin();
    recorder.ttsim.tile_read(x, y, address, data, size);
    end(NOTE(TILE_READ, .number = { x, y, address }, .data = data, .size = size));
}

void libttsim_tile_wr_bytes(uint32_t x, uint32_t y, uint64_t address, const void *data, uint32_t size) {
    begin();
    recorder.ttsim.tile_write(x, y, address, data, size);
    end(NOTE(TILE_WRITE, .number = { x, y, address }, .data = data, .size = size));
}

void libttsim_set_pci_dma_mem_callbacks(libttsim_dma_read *read, libttsim_dma_write *write) {
    begin();
    recorder.read = read;
    recorder.write = write;
    recorder.ttsim.callbacks(read ? host_read : NULL, write ? host_write : NULL);
    end(NOTE(CALLBACKS, .number = { (uint64_t)(read != NULL) | (uint64_t)(write != NULL) << 1 }));
}
