/* Files of saved chips: bh_save, bh_load, bh_saved_config. A file is read into memory of the process, so that later
 * changes of the file have no effect. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/line.h"
#include "chip/chip.h"
#include "chip/save.h"

/* ---- Memory --------------------------------------------------------------------------------------------- */

/* Uses huge pages if the host has them: with small pages the first touch would dominate the time of a load. */
bool save_bytes_make(struct save_bytes *bytes, size_t size) {
    enum { HUGE_PAGE = 2 << 20 };
    size_t room = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, mapped = room + HUGE_PAGE;
    bool many = size > HUGE_PAGE / 4;
    void *at =
        mmap(NULL, many ? mapped : size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    uint8_t *start = at;
    if (many) {
        start += (HUGE_PAGE - (uintptr_t)at % HUGE_PAGE) % HUGE_PAGE;
        (void)madvise(start, room, MADV_HUGEPAGE);
    }
    *bytes = (struct save_bytes){ start, size, at, many ? mapped : size };
    return true;
}

void save_bytes_free(struct save_bytes *bytes) {
    (void)munmap(bytes->mapping, bytes->mapped);
    *bytes = (struct save_bytes){ 0 };
}

/* ---- Reading and writing -------------------------------------------------------------------------------- */

static bool read_all(int file, uint8_t *at, size_t size) {
    while (size) {
        ssize_t count = read(file, at, size);
        if (count == 0)
            errno = EIO; /* the file became shorter while it was read */
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

/* Returns NULL, or why the open file cannot be read. */
static const char *read_file(int file, struct save_bytes *bytes) {
    struct stat info;
    if (fstat(file, &info) != 0)
        return strerror(errno);
    if (S_ISDIR(info.st_mode))
        return strerror(EISDIR);
    if (!S_ISREG(info.st_mode))
        return "a pipe or a device; only a file can be read twice";
    if (info.st_size == 0)
        return "the file is empty";
    if (!save_bytes_make(bytes, (size_t)info.st_size))
        return strerror(errno);
    if (read_all(file, bytes->at, bytes->size))
        return NULL;
    int error = errno;
    save_bytes_free(bytes);
    return strerror(error);
}

const char *save_read_file(const char *path, struct save_bytes *bytes) {
    *bytes = (struct save_bytes){ 0 };
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return strerror(errno);
    const char *fault = read_file(file, bytes);
    (void)close(file);
    return fault;
}

static bool write_file(const char *path, const struct state_out *out) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(out->bytes, 1, out->count, file) == out->count;
    return (fclose(file) == 0) & written;
}

/* Writes beside a file, and puts the new file in the place of the old one. */
static bool replace_file(const char *path, const struct state_out *out) {
    size_t size = strlen(path) + sizeof ".part";
    char *part = malloc(size);
    if (!part)
        return false;
    snprintf(part, size, "%s.part", path);
    bool ok = write_file(part, out) && rename(part, path) == 0;
    int error = errno;
    if (!ok)
        (void)remove(part);
    free(part);
    errno = error;
    return ok;
}

/* Only a regular file may be replaced: a pipe or a device must stay what it is, and so must a link to a file. */
bool save_write_file(const char *path, const struct state_out *out) {
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (there && !S_ISREG(info.st_mode))
        return write_file(path, out);
    char *target = there ? realpath(path, NULL) : NULL;
    bool ok = replace_file(target ? target : path, out);
    int error = errno;
    free(target);
    errno = error;
    return ok;
}

/* ---- The library's functions ---------------------------------------------------------------------------- */

const char *save_path_end(const char *path, size_t most) {
    size_t length = strlen(path);
    return length > most ? path + length - most : path;
}

/* Prefixes the chip's message with the name of the file. */
static bh_status name_file(const bh_chip *chip, bh_status status, const char *path) {
    char why[CHIP_MESSAGE_SIZE];
    const char *end = save_path_end(path, CHIP_MESSAGE_SIZE / 2);
    if (status == BH_OK)
        return status;
    memcpy(why, chip->message, sizeof why);
    return chip_fail(chip, status, "%s%s: %s", end == path ? "" : "...", end, why);
}

bh_status bh_save(bh_chip *chip, const char *path) {
    struct state_out out = { 0 };
    if (!chip || !path)
        return chip_null(chip, "path");
    bh_status status = save_is_broken(chip)
                           ? chip_fail(chip, BH_ERR_STATE, "a chip with an internal error is not saved")
                       : chip->in_run    ? chip_fail(chip, BH_ERR_STATE, "not while the chip runs")
                       : chip->is_member ? chip_fail(chip, BH_ERR_STATE, "the chip belongs to a system: bh_system_save")
                                         : save_chip(chip, &out);
    if (status == BH_OK && !save_write_file(path, &out))
        status = chip_fail(chip, BH_ERR_FILE, "cannot be written: %s", strerror(errno));
    free(out.bytes);
    return name_file(chip, status, path);
}

bh_status bh_load(bh_chip *chip, const char *path) {
    struct save_bytes bytes;
    if (!chip || !path)
        return chip_null(chip, "path");
    if (chip->in_run)
        return chip_fail(chip, BH_ERR_STATE, "not while the chip runs");
    if (chip->is_member)
        return chip_fail(chip, BH_ERR_STATE, "the chip belongs to a system: bh_system_load");
    const char *fault = save_read_file(path, &bytes);
    bh_status status = fault ? chip_fail(chip, BH_ERR_FILE, "cannot be read: %s", fault) : save_restore(chip, &bytes);
    return name_file(chip, status, path);
}

bh_status bh_saved_config(const char *path, struct bh_config *config, char *message, size_t size) {
    struct save_bytes bytes;
    struct saved_config saved;
    if (!path || !config) {
        if (message)
            line_put(message, size, "%s is NULL", path ? "config" : "path");
        return BH_ERR_ARGUMENT;
    }
    const char *fault = save_read_file(path, &bytes);
    bool read = !fault;
    if (read)
        fault = save_inspect(bytes.at, bytes.size, &saved);
    if (fault && message) {
        const char *end = save_path_end(path, size / 2);
        line_put(message, size, "%s%s: %s", end == path ? "" : "...", end, fault);
    }
    if (!read)
        return BH_ERR_FILE;
    save_bytes_free(&bytes);
    if (fault)
        return BH_ERR_ARGUMENT;
    config->board = (enum bh_board)saved.board;
    config->tensix_harvest = (uint16_t)saved.tensix_harvest;
    config->eth_harvest = (uint16_t)saved.eth_harvest;
    config->dram_harvest = (uint8_t)saved.dram_harvest;
    config->timing = (enum bh_timing)saved.timing;
    config->skew = (unsigned)saved.skew;
    config->epoch = (unsigned)saved.epoch;
    return BH_OK;
}
