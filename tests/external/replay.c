/* Repeats what a host did on any library with the libttsim ABI, and compares what it reads with what was read then.
 *
 *     replay LIBRARY LOG [CLOCKS]
 *
 * LOG is that of a client's session, from recorder.c (session_play.c does it), or that of the host of `bhemu boot` or
 * `bhemu launch` (--host-log), which has times of its own:
 *
 *     write X,Y ADDRESS BYTES
 *     wait X,Y ADDRESS BYTE       until the byte is there, at most CLOCKS clocks (default 100 million)
 *     read X,Y ADDRESS BYTES
 *
 * Prints how many bytes differ, and of a host log the time that passed inside the waits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session_log.h"
#include "session_play.h"
#include "support/device.h"

enum { STEP = 64, SHOWN = 8 };

struct replay {
    struct device *device;
    uint64_t limit;
    uint64_t clocks, compared, different;
    double seconds;
    uint8_t *bytes, *seen;
    size_t size;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The digits at the end of a line. */
static int take_bytes(struct replay *r, const char *text) {
    size_t n = strspn(text, "0123456789abcdef");
    r->bytes = realloc(r->bytes, n / 2 + 1);
    r->seen = realloc(r->seen, n / 2 + 1);
    if (n % 2 || !r->bytes || !r->seen)
        return 0;
    for (size_t i = 0; i < n / 2; i++)
        r->bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    r->size = n / 2;
    return 1;
}

/* Registers take words; memory anything. */
static void do_write(struct replay *r, struct device_tile tile, uint64_t address) {
    device_write(r->device, tile, address, r->bytes, r->size);
}

static int do_wait(struct replay *r, struct device_tile tile, uint64_t address) {
    double start = now();
    uint8_t byte = (uint8_t)~r->bytes[0];
    uint64_t waited = 0;
    for (; waited < r->limit; waited += STEP) {
        device_read(r->device, tile, address, &byte, 1);
        if (byte == r->bytes[0])
            break;
        device_clock(r->device, STEP);
    }
    r->clocks += waited;
    r->seconds += now() - start;
    if (byte == r->bytes[0])
        return 1;
    printf("tile %u,%u: byte 0x%" PRIx64 " is still 0x%02x after %" PRIu64 " clocks\n", tile.x, tile.y, address, byte,
           waited);
    return 0;
}

static void do_read(struct replay *r, struct device_tile tile, uint64_t address) {
    device_read(r->device, tile, address, r->seen, r->size);
    r->compared += r->size;
    for (size_t i = 0; i < r->size; i++) {
        if (r->seen[i] == r->bytes[i])
            continue;
        if (r->different++ < SHOWN)
            printf("tile %u,%u address 0x%" PRIx64 " is 0x%02x, was 0x%02x\n", tile.x, tile.y, address + i, r->seen[i],
                   r->bytes[i]);
    }
}

static int line(struct replay *r, const char *text) {
    char verb[8];
    struct device_tile tile;
    uint64_t address;
    int at = 0;
    if (sscanf(text, "%7s %u,%u %" SCNx64 " %n", verb, &tile.x, &tile.y, &address, &at) != 4 || at == 0 ||
        !take_bytes(r, text + at)) {
        printf("not a line of a log: %.60s\n", text);
        return 0;
    }
    if (strcmp(verb, "write") == 0)
        do_write(r, tile, address);
    else if (strcmp(verb, "wait") == 0 && r->size == 1)
        return do_wait(r, tile, address);
    else if (strcmp(verb, "read") == 0)
        do_read(r, tile, address);
    return 1;
}

static int play_session(const char *library, FILE *log) {
    void *bytes = NULL;
    long size = fseek(log, 0, SEEK_END) == 0 ? ftell(log) : -1;
    rewind(log);
    if (size <= 0 || !(bytes = malloc((size_t)size)) || fread(bytes, 1, (size_t)size, log) != (size_t)size) {
        fprintf(stderr, "replay: the log cannot be read\n");
        free(bytes);
        return 2;
    }
    int status = session_play(library, bytes, (size_t)size);
    free(bytes);
    return status;
}

static int play_host_log(const char *library, FILE *log, uint64_t limit) {
    struct replay r = { .limit = limit };
    char *text = NULL;
    size_t room = 0;
    if (!(r.device = device_open(library)))
        return 2;
    int ok = 1;
    while (ok && getline(&text, &room, log) > 0)
        ok = line(&r, text);
    printf("%" PRIu64 " bytes compared, %" PRIu64 " differ; %" PRIu64 " clocks, %.4f s in waits\n", r.compared,
           r.different, r.clocks, r.seconds);
    fflush(stdout);
    device_close(r.device);
    free(text);
    free(r.bytes);
    free(r.seen);
    return ok && r.different == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    FILE *log = argc > 2 ? fopen(argv[2], "rb") : NULL;
    char start[SESSION_HEADER];
    if (!log) {
        fprintf(stderr, "usage: replay LIBRARY LOG [CLOCKS]\n");
        return 2;
    }
    bool session = session_is_log(start, fread(start, 1, sizeof start, log));
    rewind(log);
    int status = session ? play_session(argv[1], log)
                         : play_host_log(argv[1], log, argc > 3 ? strtoull(argv[3], NULL, 0) : 100000000);
    fclose(log);
    return status;
}
