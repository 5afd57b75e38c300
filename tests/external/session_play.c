/* The player: see session_play.h.
 *
 * Host memory is an image: what the log says that the library read is there before the call, whatever order or pieces
 * the library asks for it in. What the library writes goes to the image, and is compared after the call with what the
 * log says was written.
 */
#include "session_play.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session_log.h"
#include "support/ttsim.h"

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS, SHOWN = 8 };

struct page {
    uint64_t number;
    uint8_t *bytes; /* NULL: free */
};

/* The text that was written during a call, as the log has it. */
struct write {
    uint64_t address;
    uint8_t *data;
    uint32_t size;
};

/* One for the process: the ABI's callbacks know nothing else. */
static struct player {
    struct ttsim ttsim;

    struct page *page; /* by open addressing */
    size_t pages, page_room;
    struct write *expected;
    size_t expected_count, expected_room;
    uint8_t *seen; /* of the last read */
    size_t seen_room;
    uint64_t calls, clocks, compared, different;
    uint64_t call; /* the number of the record that is being played */
} player;

__attribute__((noreturn)) static void no_memory(void) {
    fprintf(stderr, "replay: out of memory\n");
    exit(2);
}

static void *grown(void *old, size_t count, size_t size) {
    void *at = realloc(old, count * size);
    if (!at)
        no_memory();
    return at;
}

/* ---- Host memory ---------------------------------------------------------------------------------------------- */

static struct page *slot_of(struct page *table, size_t room, uint64_t number) {
    size_t at = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (room - 1);
    while (table[at].bytes && table[at].number != number)
        at = (at + 1) & (room - 1);
    return &table[at];
}

static void grow_pages(void) {
    size_t room = player.page_room ? 2 * player.page_room : 64;
    struct page *larger = calloc(room, sizeof *larger);
    if (!larger)
        no_memory();
    for (size_t i = 0; i < player.page_room; i++)
        if (player.page[i].bytes)
            *slot_of(larger, room, player.page[i].number) = player.page[i];
    free(player.page);
    player.page = larger;
    player.page_room = room;
}

/* The page with this number, zero at first. */
static uint8_t *page_of(uint64_t number) {
    if (2 * (player.pages + 1) > player.page_room)
        grow_pages();
    struct page *slot = slot_of(player.page, player.page_room, number);
    if (!slot->bytes) {
        *slot = (struct page){ number, calloc(1, PAGE) };
        if (!slot->bytes)
            no_memory();
        player.pages++;
    }
    return slot->bytes;
}

/* Bytes that are in the same page as the first. */
static uint32_t in_page(uint64_t address, uint32_t size) {
    uint32_t left = PAGE - (uint32_t)(address % PAGE);
    return size < left ? size : left;
}

static void host_read(uint64_t address, void *data, uint32_t size) {
    for (uint32_t done = 0, piece; done < size; done += piece) {
        piece = in_page(address + done, size - done);
        memcpy((uint8_t *)data + done, page_of((address + done) >> PAGE_BITS) + (address + done) % PAGE, piece);
    }
}

static void host_write(uint64_t address, const void *data, uint32_t size) {
    for (uint32_t done = 0, piece; done < size; done += piece) {
        piece = in_page(address + done, size - done);
        memcpy(page_of((address + done) >> PAGE_BITS) + (address + done) % PAGE, (const uint8_t *)data + done, piece);
    }
}

/* ---- Comparing ------------------------------------------------------------------------------------------------ */

static void compare(const char *what, uint64_t address, const uint8_t *is, const uint8_t *was, uint32_t size) {
    player.compared += size;
    for (uint32_t i = 0; i < size; i++) {
        if (is[i] == was[i])
            continue;
        if (player.different++ < SHOWN)
            printf("record %" PRIu64 ": %s 0x%" PRIx64 ": byte is 0x%02x, was 0x%02x\n", player.call, what, address + i,
                   is[i], was[i]);
    }
}

static uint8_t *room_to_read(uint32_t size) {
    if (size > player.seen_room)
        player.seen = grown(player.seen, player.seen_room = size, 1);
    if (size)
        memset(player.seen, 0, size);
    return player.seen;
}

static void expect_write(const struct session_record *record) {
    if (player.expected_count == player.expected_room) {
        player.expected_room = 2 * player.expected_room + 16;
        player.expected = grown(player.expected, player.expected_room, sizeof *player.expected);
    }
    uint8_t *data = malloc(record->size ? record->size : 1);
    if (!data)
        no_memory();
    if (record->size)
        memcpy(data, record->data, record->size);
    player.expected[player.expected_count++] = (struct write){ record->number[0], data, record->size };
}

/* Later writes of a call hide earlier ones: the log's are put together as memory does it. */
static void compare_writes(void) {
    for (size_t i = 0; i < player.expected_count; i++) {
        struct write *w = &player.expected[i];
        for (size_t k = i + 1; k < player.expected_count; k++) {
            const struct write *later = &player.expected[k];
            for (uint32_t b = 0; b < w->size; b++)
                if (w->address + b - later->address < later->size)
                    w->data[b] = later->data[w->address + b - later->address];
        }
        host_read(w->address, room_to_read(w->size), w->size);
        compare("host memory at", w->address, player.seen, w->data, w->size);
        free(w->data);
    }
    player.expected_count = 0;
}

/* ---- Calls ---------------------------------------------------------------------------------------------------- */

static void compare_config(const struct session_record *r) {
    uint32_t is = player.ttsim.config_read((uint32_t)r->number[0], (uint32_t)r->number[1]),
             was = (uint32_t)r->number[2];
    compare("configuration at", r->number[1], (const uint8_t *)&is, (const uint8_t *)&was, sizeof is);
}

static void compare_read(const struct session_record *r) {
    player.ttsim.read(r->number[0], room_to_read(r->size), r->size);
    compare("bus address", r->number[0], player.seen, r->data, r->size);
}

static void compare_tile(const struct session_record *r) {
    char what[64];
    uint32_t x = (uint32_t)r->number[0], y = (uint32_t)r->number[1];
    snprintf(what, sizeof what, "tile %" PRIu32 ",%" PRIu32 " at", x, y);
    player.ttsim.tile_read(x, y, r->number[2], room_to_read(r->size), r->size);
    compare(what, r->number[2], player.seen, r->data, r->size);
}

static void call(const struct session_record *r) {
    switch (r->kind) {
    case SESSION_INIT: player.ttsim.init(); break;
    case SESSION_EXIT: player.ttsim.exit(); break;
    case SESSION_CLOCK:
        player.ttsim.clock((uint32_t)r->number[0]);
        player.clocks += r->number[0];
        break;
    case SESSION_CONFIG_READ: compare_config(r); break;
    case SESSION_CONFIG_WRITE:
        player.ttsim.config_write((uint32_t)r->number[0], (uint32_t)r->number[1], (uint32_t)r->number[2]);
        break;
    case SESSION_READ: compare_read(r); break;
    case SESSION_WRITE: player.ttsim.write(r->number[0], r->data, r->size); break;
    case SESSION_TILE_READ: compare_tile(r); break;
    case SESSION_TILE_WRITE:
        player.ttsim.tile_write((uint32_t)r->number[0], (uint32_t)r->number[1], r->number[2], r->data, r->size);
        break;
    case SESSION_CALLBACKS:
        player.ttsim.callbacks(r->number[0] & 1 ? host_read : NULL, r->number[0] & 2 ? host_write : NULL);
        break;
    default: break;
    }
}

static void play(const struct session_record *record) {
    if (record->kind == SESSION_HOST_READ) {
        host_write(record->number[0], record->data, record->size);
    } else if (record->kind == SESSION_HOST_WRITE) {
        expect_write(record);
    } else {
        player.calls++;
        call(record);
        compare_writes();
    }
}

/* ---- The whole ------------------------------------------------------------------------------------------------ */

static bool open_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "replay: %s\n", dlerror());
        return false;
    }
    const char *missing = ttsim_find(library, &player.ttsim);
    if (missing)
        fprintf(stderr, "replay: the library has no %s\n", missing);
    return !missing;
}

static void free_all(void) {
    for (size_t i = 0; i < player.page_room; i++)
        free(player.page[i].bytes);
    for (size_t i = 0; i < player.expected_count; i++)
        free(player.expected[i].data);
    free(player.page);
    free(player.expected);
    free(player.seen);
    dlclose(player.ttsim.library);
}

/* To the end of the log. A call on a chip that is not there would end the process: such a log is bad. */
static enum session_state play_all(struct session_reader *reader, const void *log, size_t size) {
    struct session_record record;
    bool running = false;
    enum session_state state = session_open(reader, log, size, SESSION_LIMIT);
    while (state == SESSION_MORE && (state = session_next(reader, &record)) == SESSION_MORE) {
        bool any_time = record.kind == SESSION_INIT || record.kind == SESSION_CALLBACKS ||
                        record.kind == SESSION_HOST_READ || record.kind == SESSION_HOST_WRITE;
        if (!running && !any_time) {
            snprintf(reader->error, sizeof reader->error, "record %" PRIu64 ": %s before INIT", reader->records,
                     session_kind_name(record.kind));
            return SESSION_BAD;
        }
        player.call = reader->records;
        play(&record);
        running = record.kind == SESSION_INIT || (running && record.kind != SESSION_EXIT);
    }
    return state;
}

int session_play(const char *library, const void *log, size_t size) {
    struct session_reader reader = { 0 };
    if (!open_library(library))
        return 2;
    enum session_state state = play_all(&reader, log, size);
    printf("%" PRIu64 " calls, %" PRIu64 " clocks, %" PRIu64 " bytes compared, %" PRIu64 " differ\n", player.calls,
           player.clocks, player.compared, player.different);
    if (state != SESSION_DONE)
        printf("%s: %s\n", state == SESSION_CUT ? "cut short" : "bad log", reader.error);
    fflush(stdout);
    session_close(&reader);
    free_all();
    return state == SESSION_BAD ? 2 : player.different || state == SESSION_CUT;
}
